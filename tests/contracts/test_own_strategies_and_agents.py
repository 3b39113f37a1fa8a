"""At every seam for strategies, agents, payoffs and locks: an answer that is wrong is a typed error, and soon.

Every case of ``WRONG`` is given at every seam, so that a new seam or a new fault is one line here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import errai
from errai.agents.agent import Agent, StrategicAgent
from errai.agents.exploitability import exploitability
from errai.arena.lbr.measure import lbr
from errai.arena.lbr.responder import enumerate_lbr
from errai.arena.lbr.settings import read_setting
from errai.arena.luck import make_estimator
from errai.arena.luck.values import ExactValues
from errai.arena.match import luck_estimator, play_match
from errai.arena.session import Session
from errai.errors import ErraiError, InputError
from errai.games.hand import CALL, Observation, PublicState, raise_to
from errai.judges.matrix import matrix_exploitability, solve_matrix_game
from errai.kernels.backends import make_kernel
from errai.kernels.layout import PairPayoffs, TreeArrays
from errai.resolving.values import lay_out, ranges_at, subgame_at
from errai.responses.response import best_response
from errai.strategies.by_state import ByState
from errai.strategies.given import as_strategy, given_strategy
from errai.strategies.strategy import Choices, asked
from errai.testing import check_agent, check_strategy

KUHN = errai.load_game("kuhn")
LEDUC = errai.load_game("leduc")
HANDS = 6
DRAWS = np.random.default_rng(7)


def even(state: PublicState) -> np.ndarray:
    return np.full((HANDS, len(state.legal_actions)), 1.0 / len(state.legal_actions))


def changed(at: tuple[int, int], value: float) -> Callable[[PublicState], np.ndarray]:
    def answer(state: PublicState) -> np.ndarray:
        found = even(state)
        found[at] = value
        return found

    return answer


def raises(state: PublicState) -> np.ndarray:
    raise KeyError("nothing there")


def turning(state: PublicState) -> np.ndarray:
    return np.tile(DRAWS.dirichlet(np.ones(len(state.legal_actions))), (HANDS, 1))


# What a strategy may answer wrongly, as an array for the legal actions.
WRONG: dict[str, Callable[[PublicState], Any]] = {
    "NaN": changed((5, 0), np.nan),
    "infinity": changed((5, 0), np.inf),
    "negative": lambda state: even(state) * [3.0, *[-1.0] * (len(state.legal_actions) - 1)],
    "above 1": changed((5, 0), 7.0),
    "sum not 1": lambda state: even(state) / 2.0,
    "no hands": lambda state: even(state)[:-1],
    "another action": lambda state: np.full(
        (HANDS, len(state.legal_actions) + 1), 1.0 / (len(state.legal_actions) + 1)
    ),
    "three axes": lambda state: even(state)[None],
    "complex": lambda state: even(state) * (1 + 0j),
    "text": lambda state: "call",
    "words": lambda state: np.array([["call"] * len(state.legal_actions)] * HANDS),
    "None": lambda state: None,
    "ragged": lambda state: [[1.0], [0.5, 0.5]] * 3,
    "a class": lambda state: Choices,
    "an exception": raises,
    "another answer": turning,
}


class Says(StrategicAgent):
    """An agent whose strategy is a function."""

    name = "says"

    def __init__(self, function: Callable[[PublicState], Any]) -> None:
        self.function = function

    def strategy(self, state: PublicState) -> Choices:
        return Choices(state.legal_actions, self.function(state))


class Unnamed:
    """The same, not of our classes."""

    def __init__(self, function: Callable[[PublicState], Any]) -> None:
        self.function = function

    def strategy(self, state: PublicState) -> Choices:
        return Choices(state.legal_actions, self.function(state))


class Rows:
    """A strategy that is asked board by board."""

    description = "rows"

    def __init__(self, function: Callable[[PublicState], Any]) -> None:
        self.inner = ByState(even, LEDUC)
        self.function = function

    def rows(self, decisions: Any, deals: Any) -> Any:
        parts = []
        for decision in decisions:
            answer = self.function(self.inner.state(decision.node).dealt((0,)))
            parts.append(np.asarray(answer).T[:, deals.hand] if np.ndim(answer) == 2 else answer)
        return np.concatenate(parts)


def play(agent: Any, **options: Any) -> Any:
    return play_match(LEDUC, (agent, "uniform"), hands=40, **options)


def aivat(agent: Any) -> Any:
    return play(agent, estimators={"aivat": luck_estimator("aivat")})


SEAMS: dict[str, Callable[[Callable[[PublicState], Any]], Any]] = {
    "exploitability of a function": lambda f: exploitability(LEDUC, f),
    "exploitability of a function by hand": lambda f: exploitability(LEDUC, lambda s, hand: f(s)[hand[0]]),
    "exploitability of an agent": lambda f: exploitability(LEDUC, Says(f)),
    "exploitability of an object": lambda f: exploitability(LEDUC, Unnamed(f)),
    "exploitability of rows": lambda f: exploitability(LEDUC, Rows(f)),
    "exploitability in a lookahead": lambda f: exploitability(errai.lookahead(LEDUC, depth=None), f),
    "best response to a function": lambda f: best_response(LEDUC, f),
    "best response to an agent": lambda f: best_response(LEDUC, Says(f)),
    "AIVAT of a function": aivat,
    "AIVAT of an agent": lambda f: aivat(Says(f)),
    "AIVAT of an object": lambda f: aivat(Unnamed(f)),
    "AIVAT of a factory": lambda f: aivat(lambda: Says(f)),
    "importance sampling": lambda f: play(Says(f), estimators={"importance": luck_estimator("importance")}),
    "local best response": lambda f: lbr(LEDUC, Says(f), "fcpa", hands=100),
    "local best response, enumerated": lambda f: enumerate_lbr(Says(f), LEDUC, read_setting("fcpa", 2)),
    "exact values": lambda f: ExactValues(LEDUC, (Says(f), Says(f))).pairs(
        PublicState.start(LEDUC), np.arange(6), np.arange(6)
    ),
    "re-solving": lambda f: errai.resolve(Says(f), PublicState.start(LEDUC).after(CALL), target="1%pot"),
    "a subgame": lambda f: subgame_at(Says(f), PublicState.start(LEDUC).after(CALL), 0),
    "ranges": lambda f: ranges_at(Says(f), PublicState.start(LEDUC).after(CALL)),
    "laid out": lambda f: lay_out(Says(f), PublicState.start(LEDUC), (np.ones(6), np.ones(6))),
    "a policy of OpenSpiel": lambda f: errai.openspiel_table(f, LEDUC),
    "the kit": lambda f: check_strategy(Says(f), LEDUC),
    "the kit, a function": lambda f: check_strategy(f, LEDUC),
    "asked": lambda f: asked(Says(f), PublicState.start(LEDUC), True),
}

# A question that is asked only once cannot show that a second answer would be another.
ASKED_ONCE = {
    "ranges",
    "local best response",
    "local best response, enumerated",
    "exact values",
}


@pytest.mark.parametrize(
    ("seam", "fault"),
    [(s, f) for s in SEAMS for f in WRONG if not (f == "another answer" and s in ASKED_ONCE)],
)
def test_a_wrong_strategy_is_refused_at_every_seam(seam: str, fault: str) -> None:
    began = time.process_time()
    with pytest.raises(ErraiError) as found:
        SEAMS[seam](WRONG[fault])
    assert time.process_time() - began < 5.0
    assert re.match(r"['A-Z`].*\.$", str(found.value), re.DOTALL) or "hand" in str(found.value)
    assert len(str(found.value)) < 600


@pytest.mark.parametrize("seam", SEAMS)
def test_a_right_strategy_is_taken_at_every_seam(seam: str) -> None:
    SEAMS[seam](even)


@pytest.mark.parametrize("fault", [name for name in WRONG if name not in ("another answer",)])
def test_a_wrong_strategy_is_refused_while_it_plays(fault: str) -> None:
    with pytest.raises(ErraiError, match="says"):
        play(Says(WRONG[fault]))


# --- agents ---


class Acts(Agent):
    name = "acts"
    answer: Any = CALL

    def act(self, observation: Observation) -> Any:
        return self.answer


class Fails(Acts):
    def act(self, observation: Observation) -> Any:
        raise ZeroDivisionError


AGENTS: dict[str, Any] = {
    "a class that needs something": Says,
    "an abstract class": StrategicAgent,
    "an unfinished class": Agent,
    "a factory of a class": lambda: Acts,
    "a factory of a number": lambda: 5,
    "a factory that fails": lambda: 1 / 0,
    "a number": 3,
    "None": None,
    "an agent that fails": Fails(),
    "an unknown name": "nobody",
    "an answer that is none": type("Text", (Acts,), {"answer": "call"})(),
    "an action that is none": type("Nan", (Acts,), {"answer": (1, np.nan)})(),
    "an action that is not allowed": type("Big", (Acts,), {"answer": raise_to(10_000)})(),
    "an action as a class": type("Class", (Acts,), {"answer": Choices})(),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_wrong_agents_are_refused(agent: str) -> None:
    for use in (play, aivat, lambda given: lbr(LEDUC, given, hands=100), lambda given: check_agent(given, LEDUC, 40)):
        with pytest.raises(ErraiError, match=r"."):
            use(AGENTS[agent])  # type: ignore[operator]


@pytest.mark.parametrize("agent", [Says, StrategicAgent, Agent, Acts, 3, None, "uniform"])
def test_a_session_needs_an_agent(agent: Any) -> None:
    with pytest.raises(ErraiError, match="must be an agent"):
        Session(LEDUC, agent, seed=1)


def test_a_class_that_needs_nothing_makes_an_agent() -> None:
    assert play(Acts).hands == 40


@pytest.mark.parametrize("given", [Says, Unnamed, StrategicAgent])
def test_a_class_in_place_of_a_strategy_is_refused(given: Any) -> None:
    for use in (
        lambda: exploitability(LEDUC, given),
        lambda: best_response(LEDUC, given),
        lambda: given_strategy(given, LEDUC),
        lambda: as_strategy(given, LEDUC),
    ):
        with pytest.raises(ErraiError, match="is not a strategy; make an object of it"):
            use()


BAD_ARGUMENTS: dict[str, tuple[Callable[[], Any], str]] = {
    "one agent": (lambda: play_match(LEDUC, Acts(), hands=10), "give both"),  # type: ignore[arg-type]
    "one in a tuple": (lambda: play_match(LEDUC, (Acts(),), hands=10), "give both"),  # type: ignore[arg-type]
    "three": (lambda: play_match(LEDUC, (Acts(),) * 3, hands=10), "give both"),  # type: ignore[arg-type]
    "half a hand": (
        lambda: play_match(LEDUC, (Acts(), Acts()), hands=2.5),
        "hands is 2.5; it must be a whole number",
    ),  # type: ignore[arg-type]
    "no hands": (lambda: play_match(LEDUC, (Acts(), Acts()), hands=0), "hands must be above 0, not 0"),
    "a seed in words": (
        lambda: play_match(LEDUC, (Acts(), Acts()), hands=2, seed="a"),
        "seed .*is 'a'; it must be a whole number",
    ),  # type: ignore[arg-type]
    "a negative seed": (lambda: play_match(LEDUC, (Acts(), Acts()), hands=2, seed=-1), "seed .* at least 0"),
    "no process": (lambda: play_match(LEDUC, (Acts(), Acts()), hands=2, processes=0), "processes must be above 0"),
    "no game": (lambda: play_match("leduc", (Acts(), Acts()), hands=2), "game or a spot"),  # type: ignore[arg-type]
    "half a hand of lbr": (lambda: lbr(LEDUC, "uniform", hands=100.5), "is 100.5; it must be a whole number"),  # type: ignore[arg-type]
    "a seed of lbr": (lambda: lbr(LEDUC, "uniform", hands=100, seed="a"), "seed .*is 'a'; it must be a whole number"),  # type: ignore[arg-type]
    "no game of lbr": (lambda: lbr(7, "uniform", hands=100), "game or a spot"),  # type: ignore[arg-type]
    "half a flop": (lambda: best_response(LEDUC, "uniform", flops=40.5), "is 40.5; it must be a whole number"),  # type: ignore[arg-type]
    "a seed of flops": (lambda: best_response(LEDUC, "uniform", seed=None), "seed is None; it must be"),  # type: ignore[arg-type]
    "half a thread": (lambda: exploitability(LEDUC, "uniform", threads=1.5), "is 1.5; it must be a whole number"),  # type: ignore[arg-type]
    "no subject": (lambda: exploitability(None, "uniform"), "a game, a spot or a lookahead, not None"),  # type: ignore[arg-type]
    "a seed of a session": (lambda: Session(LEDUC, Acts(), seed="a"), "seed .*is 'a'; it must be a whole number"),  # type: ignore[arg-type]
    "one agent measured": (lambda: make_estimator("aivat", LEDUC, (Says(even),)), "between two agents"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_wrong_arguments_are_named(case: str) -> None:
    use, message = BAD_ARGUMENTS[case]
    with pytest.raises(ErraiError, match=message):
        use()


# --- payoffs, locks, judges ---


def kuhn_arrays() -> TreeArrays:
    return errai.solve(KUHN, "100mbb").tree.arrays


def with_ends(change: Callable[[np.ndarray], Any]) -> TreeArrays:
    tree = kuhn_arrays()
    street = tree.streets[0]
    return replace(tree, streets=(replace(street, ends=change(street.ends.copy())), *tree.streets[1:]))


def with_reach(change: Callable[[np.ndarray], Any]) -> TreeArrays:
    tree = kuhn_arrays()
    return replace(tree, root_reach=(change(tree.root_reach[0].copy()), tree.root_reach[1]))


def with_matrix(change: Callable[[np.ndarray], Any]) -> TreeArrays:
    tree = kuhn_arrays()
    street = tree.streets[0]
    margin = np.ones(int(street.hands[0].start[-1]) * int(street.hands[1].start[-1]))
    shown = np.flatnonzero(street.kind == 2)[:1]
    matrix = np.full(len(street.kind), -1, np.int32)
    matrix[shown] = 0
    pairs = PairPayoffs((change(margin), -margin))
    return replace(tree, streets=(replace(street, matrix=matrix, matrices=(pairs,)), *tree.streets[1:]))


def put(value: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        array.flat[array.size // 2] = value
        return array

    return change


ARRAYS: dict[str, Callable[[np.ndarray], Any]] = {
    "NaN": put(np.nan),
    "infinity": put(np.inf),
    "minus infinity": put(-np.inf),
    "shorter": lambda array: array[:-1],
    "another axis": lambda array: array[None],
    "float32": lambda array: array.astype(np.float32),
    "text": lambda array: array.astype(str),
    "objects": lambda array: array.astype(object),
    "a list": lambda array: array.tolist(),
    "None": lambda array: None,
    "a class": lambda array: np.ndarray,
}


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("fault", ARRAYS)
@pytest.mark.parametrize("seam", [with_ends, with_reach, with_matrix])
def test_wrong_payoffs_are_refused_by_every_kernel(seam: Any, fault: str, backend: str) -> None:
    make_kernel(backend, seam(lambda array: array))
    with pytest.raises(InputError, match=r"^The .*\.$"):
        make_kernel(backend, seam(ARRAYS[fault]))


def test_negative_reach_and_things_that_are_no_tree_are_refused() -> None:
    with pytest.raises(InputError, match=r"`root_reach` of player 0 are -1"):
        make_kernel("cpu", with_reach(put(-1.0)))
    for given in (None, LEDUC, TreeArrays, kuhn_arrays().streets):
        with pytest.raises(InputError, match="made for TreeArrays"):
            make_kernel("cpu", given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "frequency", [np.nan, np.inf, -np.inf, -0.5, 1.5, 0.4, "much", None, [0.5], 1j, float, {"call": 1.0}]
)
def test_wrong_frequencies_of_locks_are_refused(frequency: Any) -> None:
    for locks in ({"": {"As": {"check": frequency}}}, {"": {"check": frequency}}):
        with pytest.raises(ErraiError, match=r"[Ll]ock|[Ff]requenc"):
            errai.solve(KUHN, "10mbb", locks=locks)


@pytest.mark.parametrize(
    "locks", [3, "text", [], {"": 3}, {"": None}, {3: {"check": 1.0}}, {"": {3: {"check": 1.0}}}, dict]
)
def test_things_that_are_no_locks_are_refused(locks: Any) -> None:
    with pytest.raises(ErraiError, match=r"[Ll]ock"):
        errai.solve(KUHN, "10mbb", locks=locks)


@pytest.mark.parametrize(
    "matrix", [[[np.nan]], [[np.inf, 1]], [1, 2], [], [[]], [[1], [2, 3]], "text", None, [[1j]], [["1"]], np.ndarray]
)
def test_wrong_matrix_games_are_refused(matrix: Any) -> None:
    with pytest.raises(InputError, match=r"\.$"):
        solve_matrix_game(matrix)
    with pytest.raises(InputError, match=r"\.$"):
        matrix_exploitability(matrix, [1.0], [1.0])


@pytest.mark.parametrize("row", [[np.nan, 1], [-1, 2], [0.4, 0.4], [1.0], "text", None, [[0.5, 0.5]], [0.5 + 1j, 0.5]])
def test_wrong_strategies_of_matrix_games_are_refused(row: Any) -> None:
    with pytest.raises(InputError, match=r"\.$"):
        matrix_exploitability([[1, -1], [-1, 1]], row, [0.5, 0.5])
