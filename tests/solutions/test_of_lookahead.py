"""Every function that takes a solution, given the solution of a lookahead: right, or refused with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import errai
from errai.agents.solved import SolvedAgent
from errai.arena.match import play_match
from errai.arena.review import rare_node, review_hands
from errai.cluster.reading import open_run
from errai.errors import DamagedFileError, ErraiError, InputError, StrategyError
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.lookahead import Lookahead
from errai.games.sizing import BetMenu, StreetMenu
from errai.resolving.spliced import Spliced
from errai.resolving.values import subgame_at
from errai.solutions.comparison import compare_nodes
from errai.solutions.situations import line_situation
from errai.solutions.solution import Solution
from errai.solutions.starts import street_starts
from errai.solutions.strategy_locks import strategy_locks
from errai.solutions.subjects import read_subject, subject_document
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.solution import SolutionStrategy

LEDUC = errai.load_game("leduc.nolimit")
RIVER = errai.load_spot("examples/river.toml")
KINDS = ("start", "mid-street", "next street", "mid next street", "spot", "spot mid-street")


def lookahead_of(kind: str) -> Lookahead:
    start = PublicState.start(LEDUC)
    raised = start.after(raise_to(300))
    dealt = raised.after(CALL).with_cards((3,))
    # Ranges differ, and each leaves out a hand.
    weights = (np.array([0.5, 1.0, 0.0, 0.7, 1.0, 0.2]), np.array([0.9, 0.1, 0.4, 1.0, 0.0, 0.6]))
    if kind.startswith("spot"):
        begin = PublicState.start(RIVER)
        return errai.lookahead(RIVER, begin.after(CALL) if kind == "spot mid-street" else begin, depth=None)
    state = {"start": start, "mid-street": raised, "next street": dealt, "mid next street": dealt.after(CALL)}[kind]
    return errai.lookahead(LEDUC, state, weights, None)


@pytest.fixture(scope="module", params=KINDS)
def solution(request: pytest.FixtureRequest) -> Solution:
    return errai.solve(lookahead_of(request.param), "0.05%pot")


def strategy_of(solution: Solution) -> TreeStrategy:
    return TreeStrategy(SolutionStrategy(solution), solution.subject, solution.tree.betting)


def states_below(solution: Solution) -> dict[str, PublicState]:
    """The public states of the root and of every decision that follows it on the same street, by line."""
    found = {"": solution.subject.state}  # type: ignore[union-attr]
    for line in list(found):
        for action in solution.root.actions:
            node, state = solution.root[action], found[line]
            if node.kind == "decision" and action != "fold":
                made = CALL if " " not in action else raise_to(made_total(solution, action))
                found[action] = state.after(made)
    return found


def made_total(solution: Solution, action: str) -> int:
    betting = solution.tree.betting
    return int(betting.action_total[betting.child(0, action)])


def test_the_strategy_at_every_state_is_that_of_the_node(solution: Solution) -> None:
    asked = strategy_of(solution)
    for line, state in states_below(solution).items():
        node = solution.at(line)
        choices = asked.strategy(state)
        held = ~np.isnan(node.strategies).any(axis=1)
        assert held.any()
        assert len(choices.actions) == len(node.actions)
        assert np.allclose(choices.probabilities[held], node.strategies[held], atol=1e-6)


def test_a_state_beside_or_before_the_lookahead_is_refused(solution: Solution) -> None:
    begins = solution.subject.state  # type: ignore[union-attr]
    start = PublicState.start(begins.subject)
    if start == begins:
        return
    beside = start.after(CALL) if begins.line[0] != CALL else start.after(raise_to(50))
    for state in (start, beside):
        with pytest.raises(StrategyError, match="does not come after"):
            strategy_of(solution).strategy(state)
        with pytest.raises(StrategyError, match="does not come after"):
            subgame_at(strategy_of(solution), state, 0)
        with pytest.raises(StrategyError, match="does not come after"):
            errai.resolve(solution, state)


def test_another_board_than_that_of_the_lookahead_is_refused() -> None:
    solution = errai.solve(lookahead_of("next street"), "1%pot")
    state = PublicState.start(LEDUC).after(raise_to(300)).after(CALL)
    asked = strategy_of(solution)
    asked.strategy(state.with_cards((3,)))
    with pytest.raises(StrategyError, match="does not come after"):
        asked.strategy(state.with_cards((2,)))


def test_exploitability_of_the_solution_is_its_certificate(solution: Solution) -> None:
    for strategy in (solution, strategy_of(solution), SolutionStrategy(solution)):
        found = errai.exploitability(solution.subject, strategy)
        assert found.chips == pytest.approx(solution.exploitability.chips, abs=1e-9 * solution.initial_pot_chips)


@pytest.mark.parametrize("gadget", ["maxmargin", "reach"])
def test_resolving_the_root_measures_the_certificate(solution: Solution, gadget: str) -> None:
    limit = 5e-3 * solution.initial_pot_chips
    for line in ("", solution.subject.state):  # type: ignore[union-attr]
        found = errai.resolve(solution, line, gadget=gadget, target="0.1%pot")  # type: ignore[arg-type]
        assert found.before.chips == pytest.approx(solution.exploitability.chips, abs=1e-9 * limit)
        assert found.after.chips < limit
        assert found.verify()


def test_resolving_a_node_keeps_a_good_strategy_good(solution: Solution) -> None:
    for line in states_below(solution):
        node = solution.at(line)
        if line and node.reached > 0.05:
            found = errai.resolve(solution, line, target="0.1%pot")
            # A node is lost by at most what the whole loses, divided by how often it is reached.
            assert found.before.chips <= 2 * solution.exploitability.chips / node.reached
            assert found.verify()


def test_a_subgame_in_a_finer_tree_agrees_with_the_node(solution: Solution) -> None:
    menu = solution.subject.menu  # type: ignore[union-attr]
    state = solution.subject.state  # type: ignore[union-attr]
    own, finer = subgame_at(solution, state, 0), subgame_at(solution, state, 0, menu=menu)
    assert np.array_equal(own.possible, finer.possible)
    assert np.allclose(own.ranges, finer.ranges, atol=1e-9)
    met = own.against > 0
    assert np.allclose(own.values[met], finer.values[met], atol=1e-6 * np.abs(own.values[met]).max())


def test_a_file_holds_the_whole_solution(solution: Solution, tmp_path: Path) -> None:
    solution.save(tmp_path / "rest.errai")
    read = errai.load_solution(tmp_path / "rest.errai")
    assert read.subject.digest() == solution.subject.digest()
    assert read.exploitability == solution.exploitability
    assert read.verify()
    assert np.array_equal(read.root.strategies, solution.root.strategies, equal_nan=True)
    again = errai.exploitability(read.subject, read)
    assert again.by_player == errai.exploitability(solution.subject, solution).by_player


def test_a_file_keeps_where_a_lookahead_is_cut(tmp_path: Path) -> None:
    menu = BetMenu.parse(2, "50%", early=(StreetMenu.parse("1/3, 2bb", "2.5x, a"),), raise_caps={0: 2}, limp=False)
    rest = errai.lookahead(LEDUC, PublicState.start(LEDUC), depth="street", menu=menu.with_line([None, 400]))
    solution = errai.solve(rest, max_iterations=10, leaf_values=lambda leaves: np.zeros(leaves.reach.shape[1:]))
    solution.save(tmp_path / "cut.errai")
    read = errai.load_solution(tmp_path / "cut.errai")
    assert (read.title, read.depth, read.subject.menu) == (solution.title, 0, rest.menu)
    assert read.subject.digest() == rest.digest()


def test_a_lookahead_is_solved_in_a_folder(tmp_path: Path) -> None:
    rest = lookahead_of("mid-street")
    run = errai.solve(rest, "0.5%pot", store=tmp_path / "run", processes=1)
    assert errai.exploitability(rest, open_run(tmp_path / "run")).chips == pytest.approx(run.exploitability.chips)
    with pytest.raises(InputError, match="depth=None"):
        errai.solve(errai.lookahead(LEDUC), "1%pot", store=tmp_path / "other")


@pytest.mark.parametrize("key", ["of", "line", "board", "weights", "menu", "depth"])
def test_a_lookahead_that_makes_no_sense_is_refused(key: str) -> None:
    document = subject_document(lookahead_of("next street"), None)
    for wrong in ("x", -1, [], {"x": 1}):
        with pytest.raises(DamagedFileError):
            read_subject({**document, "lookahead": {**document["lookahead"], key: wrong}})


def test_locks_made_of_a_node_solve_to_the_same(solution: Solution) -> None:
    again = errai.solve(solution.subject, "1%pot", locks=strategy_locks(solution.root, 8))
    compared = compare_nodes(solution.root, again.root)
    assert np.nanmax(np.abs(np.diff(compared.strategies, axis=0))) < 1e-5


def test_beginnings_of_streets_are_those_of_the_game() -> None:
    weights = np.ones(6), np.ones(6)
    whole = errai.solve(LEDUC, "5mbb", menu="100%, a")
    rest = errai.solve(errai.lookahead(LEDUC, PublicState.start(LEDUC), weights, None), "5mbb")
    for name in ("pot_chips", "stacks_chips", "first_player"):
        first, second = (np.asarray(getattr(street_starts(s, 1), name)) for s in (whole, rest))
        assert np.array_equal(first, second), name


def test_a_node_outside_the_tree_is_no_rare_node_and_the_root_is_followed(solution: Solution) -> None:
    below = states_below(solution)
    rare = {line for line, state in below.items() if rare_node(solution, state) is not None}
    assert rare == {line for line in below if line and solution.at(line).reached < 1e-4}
    assert line_situation(solution.root, solution).name == "first"


WHOLE_HAND: dict[str, Callable[[Solution], object]] = {
    "a match": lambda s: play_match(s.subject.state.subject, (SolvedAgent(s), "always-call"), hands=2),  # type: ignore
    "its exploitability": lambda s: errai.exploitability(s.subject.state.subject, s),  # type: ignore[union-attr]
    "a best response": lambda s: errai.best_response(s.subject.state.subject, s),  # type: ignore[union-attr]
    "a splice": lambda s: Spliced(s, LEDUC, 1, "maxmargin"),
    "a policy of OpenSpiel": lambda s: errai.openspiel_table(s, errai.load_game("leduc")),
    "a review": lambda s: review_hands([], s),
    "a best response in a lookahead": lambda s: errai.best_response(s.subject, s),  # type: ignore[arg-type]
    "a match in a lookahead": lambda s: play_match(s.subject, ("uniform", "uniform"), hands=2),
    "the size of a lookahead": lambda s: errai.game_size(s.subject),  # type: ignore[arg-type]
    "a table of a lookahead": lambda s: errai.openspiel_table(s),
}


@pytest.mark.parametrize("use", WHOLE_HAND)
def test_what_needs_the_whole_hand_refuses_the_rest_of_one(use: str) -> None:
    solution = errai.solve(lookahead_of("mid-street"), "1%pot")
    with pytest.raises(ErraiError, match=r"^[A-Z'a-z].*\.$"):
        WHOLE_HAND[use](solution)


CUT: dict[str, Callable[[Solution], object]] = {
    "a strategy": SolutionStrategy,
    "exploitability": lambda s: errai.exploitability(s.subject, s),
    "re-solving": errai.resolve,
    "a subgame": lambda s: subgame_at(strategy_of(s), s.subject.state, 0),  # type: ignore[union-attr]
    "an agent": SolvedAgent,
}


@pytest.mark.parametrize("use", CUT)
def test_a_lookahead_that_is_cut_has_no_whole_strategy(use: str) -> None:
    rest = errai.lookahead(LEDUC, PublicState.start(LEDUC), depth="street")
    solution = errai.solve(rest, max_iterations=10, leaf_values=lambda leaves: np.zeros(leaves.reach.shape[1:]))
    with pytest.raises(StrategyError, match="is cut and has no strategy for later streets"):
        CUT[use](solution)


def test_games_of_other_programs_are_refused_with_a_sentence() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    for measure in (errai.exploitability, errai.best_response):
        with pytest.raises(InputError, match=r"is a game, a spot or a lookahead, not .*errai\.load_game"):
            measure(pyspiel.load_game("kuhn_poker"), "uniform")  # type: ignore[operator]
