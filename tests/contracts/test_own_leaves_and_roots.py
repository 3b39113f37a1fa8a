"""Users' code below and above a tree: whatever it answers is either right or refused by an error of Errai's.

At every seam the same wrong answers are plugged in, so a seam that believes one of them is found here.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from asked_nets import Linear
from small_subgames import subgame_of
from small_subjects import TURN, subject

import errai
from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_text
from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues, Pair
from errai.engine.root import Alternatives, Entering, GivenReach, MayRefuse
from errai.engine.schedules import Schedule
from errai.engine.units import Exploitability, Units
from errai.errors import CertificateError, ErraiError, InputError, LeafValuesError, SolverOptionError, SubgameError
from errai.games.hand import CALL, PublicState
from errai.games.spot import parse_spot
from errai.nets.below.leaves import NetLeafValues
from errai.nets.below.values_below import NetsBelow
from errai.nets.predictors import find_predictor
from errai.resolving.below import ExactBelow, values_of
from errai.resolving.gadgets.maxmargin import Margins
from errai.resolving.gadgets.method import Method, Resolve
from errai.resolving.resolve import solve_subgame
from errai.resolving.subgame import Ranges, Subgame
from errai.testing import check_gadget, check_leaf_values, check_predictor
from errai.tree.public_tree import PublicTree

SECONDS = 3.0
"""An error is raised within this time; it takes a few hundredths of a second on an idle machine."""

LIMITS: dict[str, Any] = {"max_iterations": 20, "threads": 1}

Answers = Callable[[np.ndarray], Any]
"""What a user's code makes of the right answer."""


def one_number(number: float) -> Answers:
    """The last number of the answer is another one."""

    def changed(right: np.ndarray) -> np.ndarray:
        wrong = np.array(right, dtype=np.float64)
        wrong.flat[-1] = number
        return wrong

    return changed


def raises(right: np.ndarray) -> np.ndarray:
    raise ZeroDivisionError("a fault of the user's")


def leaves_the_program(right: np.ndarray) -> np.ndarray:
    raise SystemExit(3)


WRONG: dict[str, Answers] = {
    "NaN": one_number(np.nan),
    "infinity": one_number(np.inf),
    "minus infinity": one_number(-np.inf),
    "NaN everywhere": lambda right: np.full_like(right, np.nan, dtype=np.float64),
    "infinities that cancel": lambda right: np.where(np.arange(right.size).reshape(right.shape) % 2, np.inf, -np.inf),
    "one number too many": lambda right: np.concatenate([right, right[..., :1]], axis=-1),
    "one number too few": lambda right: right[..., :-1],
    "another axis": lambda right: right[None],
    "a single number": lambda right: 0.0,
    "text": lambda right: "nothing",
    "an array of text": lambda right: right.astype(str),
    "an array of objects": lambda right: np.full(right.shape, None, dtype=object),
    "complex numbers": lambda right: right + 1j,
    "nothing": lambda right: None,
    "lists of different lengths": lambda right: [[1.0], [1.0, 2.0]],
    "a class": lambda right: np.ndarray,
    "an exception": raises,
    "the end of the program": leaves_the_program,
}

NEGATIVE = one_number(-1.0)


# --- the seams: each returns what is computed with an answer that is made of the right one ---------------------------


class Valued(LeafValues):
    """The values of a network as an object of a user's."""

    name = "mine"
    zero_sum = False

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.right = NetLeafValues(find_predictor("check-down", errai.load_game("leduc.nolimit"), 1))

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> list[np.ndarray]:
        return [self.answers(self.right.values(trunk, reach, player)[0])]


class Learning(Valued):
    """Only its values in iterations are wrong."""

    def learn(self, trunk: PublicTree, half: HalfIteration) -> list[np.ndarray]:
        return self.values(trunk, half.reach, half.player)

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        return self.right.measure(trunk, reach, exact=exact)


class Measuring(Valued):
    """Only the best responses of player 1 in measurements are wrong."""

    def learn(self, trunk: PublicTree, half: HalfIteration) -> list[np.ndarray]:
        return self.right.learn(trunk, half)

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        found = self.right.measure(trunk, reach, exact=exact)
        return LeafMeasurement(found.values, (found.best[0], [self.answers(found.best[1][0])]), False)


class Net:
    """The network that says that nobody bets, as a user's."""

    name = "mine"
    digest = "1"
    round = 1

    def __init__(self, answers: Answers, *, every_hand: bool = False) -> None:
        self.answers = answers
        self.every_hand = every_hand
        self.right = find_predictor("check-down", errai.load_game("leduc.nolimit"), 1)

    def on(self, board: tuple[int, ...], among: np.ndarray | None = None) -> Any:
        return OnBoard(self, self.right.on(board, None if self.every_hand else among))


class OnBoard:
    def __init__(self, net: Net, right: Any) -> None:
        self.net, self.right = net, right
        self.hands = right.hands

    def values(self, ranges: np.ndarray, stacks: np.ndarray) -> Any:
        return self.net.answers(self.right.values(ranges, stacks))


def cut(below: Any, **settings: Any) -> errai.Solution:
    return errai.solve(errai.load_game("leduc.nolimit"), depth=0, leaf_values=below, **LIMITS, **settings)


def function(answers: Answers) -> errai.Solution:
    right = np.zeros(1)

    def mine(leaves: errai.Leaves) -> Any:
        return answers(np.broadcast_to(right, leaves.reach.shape[1:]).copy())

    return cut(mine)


def street_start(answers: Answers) -> np.ndarray:
    """What continual re-solving asks a network where cards have been dealt."""
    game = errai.load_game("leduc.nolimit")
    state = PublicState.start(game).after(CALL).after(CALL).with_cards((2,))
    whole = np.where(np.arange(6) == 2, 0.0, 1.0)
    return NetsBelow(Net(answers)).values(state, (whole, whole), 0)


class BelowIt:
    name = "mine"

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def values(self, state: Any, ranges: Any, player: int, above: Any = None) -> Any:
        return self.answers(np.zeros(6))


def below_it(answers: Answers) -> np.ndarray:
    state = subgame_of("leduc", 0).state
    return values_of(BelowIt(answers), state, (np.ones(6), np.ones(6)), 0)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Above:
    """A gadget of a user's, of whose root the reach that enters is made."""

    answers: Answers
    opponent: int = 1

    @property
    def apart(self) -> tuple[np.ndarray, ...]:
        return (np.arange(6.0),)

    def root(self, tree: PublicTree, schedule: Schedule) -> Any:
        return OwnRoot(tree, self)


class OwnRoot(GivenReach):
    def __init__(self, tree: PublicTree, gadget: Above) -> None:
        super().__init__(tree, (np.ones(6), np.ones(6)))
        self.gadget = gadget

    def entering(self, strategy: str) -> Any:
        found = super().entering(strategy)
        reach = list(found.reach)
        reach[self.gadget.opponent] = self.gadget.answers(reach[self.gadget.opponent])
        return replace(found, reach=tuple(reach))


@dataclass(frozen=True)
class Apart(Above):
    """Its numbers that keep hands apart are made."""

    @property
    def apart(self) -> Any:
        return (self.answers(np.arange(6.0)),)

    def root(self, tree: PublicTree, schedule: Schedule) -> Any:
        return GivenReach(tree, (np.ones(6), np.ones(6)))


@dataclass(frozen=True, eq=False)
class Earns(Entering):
    """What the players win is made."""

    answers: Answers = raises

    def chips(self, values: np.ndarray, player: int, *, best: bool) -> Any:
        right = np.array([super().chips(values, player, best=best)])
        found = self.answers(right)
        return found[0] if isinstance(found, np.ndarray) and found.shape == (1,) else found


class Earning(Above):
    def root(self, tree: PublicTree, schedule: Schedule) -> Any:
        gadget = self

        class Made(GivenReach):
            def entering(self, strategy: str) -> Entering:
                found = super().entering(strategy)
                return Earns(found.tree, found.reach, found.pair_weight, gadget.answers)

        return Made(tree, (np.ones(6), np.ones(6)))


@dataclass(frozen=True)
class OwnMethod(Method):
    """A method of re-solving of whose ranges one is made."""

    answers: Answers
    own: bool

    @property
    def name(self) -> str:
        return "mine"

    def ranges(self, subgame: Subgame) -> Ranges:
        found = list(Resolve().ranges(subgame))
        p = subgame.player if self.own else subgame.opponent
        found[p] = self.answers(found[p])
        return found[0], found[1]

    def gadget(self, subgame: Subgame) -> MayRefuse:
        return Resolve().gadget(subgame)


def solved(gadget: Any = None, **settings: Any) -> errai.Solution:
    return errai.solve(errai.load_game("leduc"), gadget=gadget, **LIMITS, **settings)


SEAMS: dict[str, Callable[[Answers], Any]] = {
    "a function": function,
    "an object's values": lambda answers: cut(Valued(answers)),
    "an object's values in iterations": lambda answers: cut(Learning(answers)),
    "an object's best responses": lambda answers: cut(Measuring(answers)),
    "a network": lambda answers: cut(NetLeafValues(Net(answers), threads=1)),
    "a network in threads": lambda answers: cut(NetLeafValues(Net(answers), threads=2)),
    "a network for one player at a time": lambda answers: cut(NetLeafValues(Net(answers), every=0)),
    "a network on a new street": street_start,
    "values on a new street": below_it,
    "the reach of a root": lambda answers: solved(Above(answers)),
    "the chips of a root": lambda answers: solved(Earning(answers)),
    "a gadget's numbers": lambda answers: solved(Apart(answers)),
    "opponent_values": lambda answers: solved(opponent_values=answers(np.full(6, 0.1))),
    "the values of a gadget": lambda answers: solved(MayRefuse(answers(np.full(6, 0.1)))),
    "what must enter": lambda answers: solved(MayRefuse(np.full(6, 0.1), 1, answers(np.full(6, 0.5)))),
    "the values of Maxmargin": lambda answers: solved(Margins(answers(np.full(6, 0.1)), 1)),
    "the kit of leaf values": lambda answers: check_leaf_values(Valued(answers), errai.load_game("leduc.nolimit"), 0),
    "the kit of networks": lambda answers: check_predictor(Net(answers), errai.load_game("leduc.nolimit"), 2),
    "the kit of gadgets, reach": lambda answers: check_gadget(Above(answers), errai.load_game("leduc")),
    "the kit of gadgets, chips": lambda answers: check_gadget(Earning(answers), errai.load_game("leduc")),
    "a method's own range": lambda answers: solve_subgame(subgame_of("leduc", 0), OwnMethod(answers, True), **LIMITS),
    "a method's other range": lambda answers: solve_subgame(
        subgame_of("leduc", 0), OwnMethod(answers, False), **LIMITS
    ),
}

RIGHT = {
    # Whatever is not finite keeps no hands apart; a root checks its own values.
    ("a gadget's numbers", name)
    for name in ("NaN", "infinity", "minus infinity", "NaN everywhere", "infinities that cancel")
} | {
    # Without them nothing is refused, and nothing is forced.
    ("opponent_values", "nothing"),
    ("what must enter", "nothing"),
    # Several values that are equally likely, of which one is drawn.
    ("the values of a gadget", "another axis"),
    # A number of chips needs no array.
    ("the chips of a root", "a single number"),
    ("the kit of gadgets, chips", "a single number"),
}
BY_CALLER = {"opponent_values", "the values of a gadget", "what must enter", "the values of Maxmargin"}
"""Seams at which the caller computes the answer, so that an exception is the caller's own."""

FAULTS = ("an exception", "the end of the program")


def cases() -> Iterator[Any]:
    for seam, wrong in itertools.product(SEAMS, WRONG):
        if not (seam in BY_CALLER and wrong in FAULTS):
            yield pytest.param(seam, wrong, id=f"{seam}: {wrong}")


@pytest.mark.parametrize("seam", SEAMS)
def test_the_right_answer_is_taken(seam: str) -> None:
    found = SEAMS[seam](lambda right: right)
    if isinstance(found, errai.Solution):
        assert np.isfinite(found.exploitability.chips)
    elif not seam.startswith("the kit of"):
        assert np.isfinite(found).all()


@pytest.mark.parametrize(("seam", "wrong"), list(cases()))
def test_a_wrong_answer_is_refused(seam: str, wrong: str) -> None:
    started = time.process_time()
    if (seam, wrong) in RIGHT:
        found = SEAMS[seam](WRONG[wrong])
        assert found is None or np.isfinite(found.exploitability.chips)
    else:
        with pytest.raises(ErraiError) as caught:
            SEAMS[seam](WRONG[wrong])
        message = str(caught.value)
        assert message[0].isupper()
        assert message.endswith(".")
        if wrong in FAULTS:
            assert isinstance(caught.value.__cause__, ZeroDivisionError | SystemExit)
            assert re.search(r"test_own_leaves_and_roots\.py, line \d+\)", message)
        elif wrong in ("NaN", "infinity", "minus infinity"):
            assert re.search(r"are (nan|-?inf)", message)
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize(
    "seam", ["the reach of a root", "what must enter", "a method's own range", "a method's other range"]
)
def test_a_negative_weight_is_refused(seam: str) -> None:
    with pytest.raises(ErraiError, match=r"are -1 .*number (of at least 0|from 0 to 1)"):
        SEAMS[seam](NEGATIVE)


@pytest.mark.parametrize("wrong", [Valued, Net, Above, 7, "abc", errai.load_game, object()])
def test_a_class_or_another_object_in_the_place_of_a_gadget_is_refused(wrong: Any) -> None:
    with pytest.raises(SolverOptionError, match="A gadget is an object with `apart` and `root`"):
        solved(wrong)


@pytest.mark.parametrize("wrong", [Valued, Net, LeafValues, 7, "abc", object(), Net(raises)])
def test_a_class_or_another_object_in_the_place_of_leaf_values_is_refused(wrong: Any) -> None:
    with pytest.raises(SolverOptionError, match="Leaf values are"):
        cut(wrong)


@pytest.mark.parametrize("wrong", [Net, 7, "abc", object(), type("NoRound", (), {"name": "a", "digest": "b"})()])
def test_a_class_or_another_object_in_the_place_of_a_network_is_refused(wrong: Any) -> None:
    for place in (NetLeafValues, NetsBelow):
        with pytest.raises(LeafValuesError, match="A network"):
            place([wrong] if place is NetsBelow else wrong)


@pytest.mark.parametrize("made", [OwnRoot, 7, None, Entering, object()])
def test_a_class_or_another_object_in_the_place_of_a_root_is_refused(made: Any) -> None:
    class Makes(Above):
        def root(self, tree: PublicTree, schedule: Schedule) -> Any:
            return made

    with pytest.raises(SubgameError, match="The root of a tree must be an object"):
        solved(Makes(lambda right: right))


def test_a_class_in_the_place_of_a_method_is_refused() -> None:
    with pytest.raises(SubgameError, match=r"write Resolve\(\.\.\.\)"):
        solve_subgame(subgame_of("leduc", 0), Resolve)  # type: ignore[arg-type]


@pytest.mark.parametrize("opponent", [7, -1, 1.0, "1", None, int])
def test_an_opponent_who_is_no_player_is_refused(opponent: Any) -> None:
    values = np.zeros(6)
    makers: list[Callable[[], Any]] = [lambda: solved(Margins(values, opponent))]
    if opponent is not None:
        makers += [
            lambda: solved(opponent_values=values, opponent=opponent),
            lambda: solved(MayRefuse(values, opponent)),
        ]
    for maker in makers:
        with pytest.raises(SolverOptionError, match=r"must be player 0 or 1, not"):
            maker()


# --- answers that do not repeat, or contradict each other ------------------------------------------------------------


def drifting(by: float) -> Answers:
    """Every answer is a little greater than the one before."""
    count = itertools.count()
    return lambda right: right + by * next(count)


@pytest.mark.parametrize(
    "seam", ["a function", "an object's values", "an object's best responses", "a network", "a network in threads"]
)
def test_an_answer_that_does_not_repeat_is_refused(seam: str) -> None:
    # The measure of chips: values are weighted by the reach of five cards, and the network's are in pots.
    with pytest.raises(LeafValuesError, match=r"answered twice .* differ by up to .* `rounding` to at least"):
        SEAMS[seam](drifting(1.0))
    assert np.isfinite(SEAMS[seam](drifting(1e-13)).exploitability.chips)


def test_an_answer_that_does_not_repeat_is_found_before_the_work_is_done() -> None:
    asked = []

    def mine(leaves: errai.Leaves) -> np.ndarray:
        asked.append(leaves)
        return np.full(leaves.reach.shape[1:], float(len(asked)))

    with pytest.raises(LeafValuesError, match="answered twice"):
        errai.solve(subject("turn"), depth="turn", leaf_values=mine, max_iterations=10_000)
    assert len(asked) < 50


def test_values_that_say_how_precise_they_are_are_taken() -> None:
    answers = drifting(1e-3)

    def mine(leaves: errai.Leaves) -> Any:
        return answers(np.zeros(leaves.reach.shape[1:]))

    with pytest.raises(LeafValuesError, match="answered twice"):
        cut(mine)
    mine.rounding = 0.01  # type: ignore[attr-defined]
    assert np.isfinite(cut(mine).exploitability.chips)


@pytest.mark.parametrize("rounding", [np.nan, -1.0, "a", None])
def test_a_rounding_that_is_no_number_is_refused(rounding: Any) -> None:
    below = Valued(lambda right: right)
    below.rounding = rounding
    with pytest.raises(LeafValuesError, match="`rounding`"):
        cut(below)


def test_values_that_say_they_are_zero_sum_and_are_not_are_refused() -> None:
    below = Valued(lambda right: right + 100.0)
    assert np.isfinite(cut(below).exploitability.chips)
    below.zero_sum = True
    with pytest.raises(LeafValuesError, match="`zero_sum`"):
        cut(below)
    right = Valued(lambda right: right)
    right.zero_sum = True
    assert np.isfinite(cut(right).exploitability.chips)


def test_a_best_response_that_is_worth_less_than_the_strategy_is_refused() -> None:
    with pytest.raises(LeafValuesError, match=r"a best response of player 1 is worth .* for \w\w, which is less than"):
        cut(Measuring(one_number(-5_000.0)))
    assert cut(Measuring(one_number(5_000.0))).exploitability.chips > 0.0


def test_a_root_by_which_a_best_response_loses_is_refused() -> None:
    class Loses(Entering):
        def chips(self, values: np.ndarray, player: int, *, best: bool) -> float:
            return -1.0 if best else 0.0

    class Makes(Above):
        def root(self, tree: PublicTree, schedule: Schedule) -> Any:
            class Made(GivenReach):
                def entering(self, strategy: str) -> Entering:
                    found = super().entering(strategy)
                    return Loses(found.tree, found.reach, found.pair_weight)

            return Made(tree, (np.ones(6), np.ones(6)))

    with pytest.raises(CertificateError, match="a gain below 0 is impossible"):
        solved(Makes(lambda right: right))


def test_one_array_for_all_answers_is_as_good_as_a_new_one() -> None:
    kept = np.zeros(0)

    def reusing(right: np.ndarray) -> np.ndarray:
        nonlocal kept
        kept = kept if kept.shape == right.shape else np.zeros_like(right)
        kept[...] = right
        return kept

    for right in (Valued(lambda right: right), Valued(reusing)):
        found = cut(right)
        if right.answers is reusing:
            assert found.exploitability == expected.exploitability  # noqa: F821
        expected = found
    assert expected.verify(leaf_values=Valued(reusing)).certified


def test_reach_cannot_be_overwritten() -> None:
    class Overwrites(Valued):
        def values(self, trunk: PublicTree, reach: Pair, player: int) -> list[np.ndarray]:
            found = super().values(trunk, reach, player)
            reach[1 - player][0][...] = 0.0
            return found

    with pytest.raises(LeafValuesError, match=r"read-only \(.*test_own_leaves_and_roots\.py, line \d+\)"):
        cut(Overwrites(lambda right: right))


# --- the words, and what else was found ------------------------------------------------------------------------------


def test_a_run_with_a_target_ends() -> None:
    """It went on for ever, since no measurement that is NaN meets a target."""
    with pytest.raises(LeafValuesError, match="are nan"):
        errai.solve(errai.load_game("leduc.nolimit"), "1chips", depth=0, leaf_values=Valued(WRONG["NaN"]), seconds=30.0)


def test_a_message_names_the_board_the_line_and_the_hand() -> None:
    spot = parse_spot(TURN.replace("Qs Jh 2s 8h", "Qs Jh 2s"))
    said = {}

    def mine(leaves: errai.Leaves) -> np.ndarray:
        values = np.zeros(leaves.reach.shape[1:])
        held = np.flatnonzero(leaves.reach[leaves.player, 5, 1])
        values[5, 1, held[0]] = np.nan
        said["board"] = leaves.boards[5].tolist()
        said["line"] = leaves.lines[1]
        said["hand"] = held[0]
        return values

    with pytest.raises(LeafValuesError) as caught:
        errai.solve(spot, depth="turn", leaf_values=mine, max_iterations=1)
    board, hand = FULL_DECK.cards_text(said["board"]), hand_text(FULL_DECK, int(said["hand"]))
    assert f"are nan on the board {board} after {said['line']!r} for {hand};" in str(caught.value)


def test_hands_that_suits_make_equal_are_named_with_their_board() -> None:
    """The message named the first board of all."""
    spot = parse_spot(TURN.replace("Qs Jh 2s 8h", "Qs Js 2s"))
    boards = []

    def mine(leaves: errai.Leaves) -> np.ndarray:
        values = np.zeros(leaves.reach.shape[1:])
        boards[:] = leaves.boards.tolist()
        values[5:, 1] = np.arange(values.shape[-1])
        return values

    with pytest.raises(LeafValuesError, match="suits make these hands equal") as caught:
        errai.solve(spot, depth="turn", leaf_values=mine, max_iterations=1)
    assert any(f"on the board {FULL_DECK.cards_text(board)} after" in str(caught.value) for board in boards[5:])


def test_a_network_for_all_hands_where_only_some_are_asked_for_is_refused() -> None:
    """Its answer was laid out for the wrong hands, and the certificate was that of nothing."""
    rows = lambda right: np.concatenate([right, right[..., :1]], axis=-1)  # noqa: E731
    with pytest.raises(LeafValuesError, match=r"'mine' have the shape \(\d+, 2, 6\), not \(\d+, 2, 5\)"):
        cut(NetLeafValues(Net(rows)))


def test_a_network_that_answers_for_other_hands_is_refused() -> None:
    class Wrong(Net):
        def on(self, board: tuple[int, ...], among: np.ndarray | None = None) -> Any:
            found = super().on(board, among)
            found.hands = found.hands[::-1]
            return found

    with pytest.raises(LeafValuesError, match="answers for 5 hands"):
        cut(NetLeafValues(Wrong(lambda right: right)))


def test_values_of_hands_outside_the_range_may_be_anything() -> None:
    leduc = errai.load_game("leduc")
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    rest = errai.lookahead(leduc, None, (np.ones(6), weights), None)
    values = np.array([0.1, 0.1, 0.2, 0.2, 0.0, 0.0])
    found = errai.solve(rest, opponent_values=values, **LIMITS).exploitability
    for other in (np.nan, np.inf, -np.inf):
        values[4:] = other
        assert errai.solve(rest, opponent_values=values, **LIMITS).exploitability == found
    values[3] = np.nan
    with pytest.raises(InputError, match=r"are nan for K\w; each must be a finite number|are nan for Q\w"):
        errai.solve(rest, opponent_values=values, **LIMITS)


def test_a_method_that_scales_its_own_range_is_refused() -> None:
    """Its guarantee is about values that are weighted by the range as the subgame has it."""
    with pytest.raises(SubgameError, match=r"changes the range of player 1, who is re-solved: its total is"):
        solve_subgame(subgame_of("leduc", 0), OwnMethod(lambda right: 2.0 * right, True), **LIMITS)
    twice = solve_subgame(subgame_of("leduc", 0), OwnMethod(lambda right: 2.0 * right, False), **LIMITS)
    assert np.isfinite(twice.exploitability.chips)


def test_an_exception_names_the_seam_and_the_place_once() -> None:
    def mine(leaves: errai.Leaves) -> np.ndarray:
        return leaves.ranges  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(
        LeafValuesError, match=r"^The leaf values 'mine' for player 0 failed: AttributeError: .*py, line"
    ):
        cut(mine)

    class Refuses(Valued):
        def values(self, trunk: PublicTree, reach: Pair, player: int) -> list[np.ndarray]:
            raise SubgameError("This is said on purpose.")

    with pytest.raises(SubgameError, match=r"^This is said on purpose\.$"):
        cut(Refuses(lambda right: right))

    class Interrupted(Valued):
        def values(self, trunk: PublicTree, reach: Pair, player: int) -> list[np.ndarray]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut(Interrupted(lambda right: right))


def test_a_certificate_is_a_number() -> None:
    units = Units(2.0, 1.0)
    for chips, gains in ((np.nan, (0.0, 0.0)), (0.0, (np.inf, -np.inf)), (0.0, (0.0, np.nan))):
        with pytest.raises(CertificateError, match="nothing is certified"):
            Exploitability(chips, units, gains)


@pytest.mark.parametrize(
    ("name", "most"), [("leduc", [8.0] * 5), ("holdem-2-1", [10.0] * 3), ("leduc.nolimit", [1_100.0])]
)
def test_what_can_still_be_bet_is_what_the_rules_leave(name: str, most: list[float]) -> None:
    """A limit game without stacks said 2,147,483,645."""
    stacks = []

    def mine(leaves: errai.Leaves) -> np.ndarray:
        stacks.append(leaves.stack_chips)
        return np.zeros(leaves.reach.shape[1:])

    errai.solve(errai.load_game(name), depth=0, leaf_values=mine, max_iterations=1)
    assert stacks[0][: len(most)].tolist() == most


def test_what_can_still_be_bet_is_in_chips_where_a_chip_is_divided() -> None:
    """It was in hundredths, for functions and for networks, beside a pot in chips."""
    spot = parse_spot(TURN.replace("pot = 100", "pot = 7.5").replace("stack = 200", "stack = 20.5"))
    leaves, positions = [], []

    def mine(given: errai.Leaves) -> np.ndarray:
        leaves.append(given)
        return np.zeros(given.reach.shape[1:])

    errai.solve(spot, depth="turn", leaf_values=mine, max_iterations=1)
    assert leaves[0].stack_chips.tolist() == [20.5, 13.0, 13.0, 0.0, 0.0]

    class Asked(Linear):
        def on(self, board: tuple[int, ...], among: np.ndarray | None = None) -> Any:
            found = super().on(board, among)
            values = found.values

            def noting(ranges: np.ndarray, stacks: np.ndarray) -> np.ndarray:
                positions.append(stacks)
                return values(ranges, stacks)

            found.values = noting  # type: ignore[method-assign]
            return found

    errai.solve(spot, leaf_values=NetLeafValues(Asked(spot.game, 3)), max_iterations=1)
    np.testing.assert_allclose(positions[0], [20.5 / 7.5, 13 / 22.5, 13 / 22.5], rtol=1e-6)


def test_a_network_shows_itself_in_a_line() -> None:
    net = errai.load_net("leduc")
    assert re.fullmatch(r"<Network 'leduc': \w+, for the .* of leduc.nolimit, digest [0-9a-f]{12}>", repr(net))


def test_what_is_of_the_package_is_asked_once() -> None:
    assert ExactBelow().leaf_values(None).repeats  # type: ignore[arg-type]
    assert NetLeafValues(find_predictor("check-down", errai.load_game("leduc.nolimit"), 1)).repeats
    assert not NetLeafValues(Net(raises)).repeats
    assert not Valued(raises).repeats
    assert Alternatives.__module__.startswith("errai.")
