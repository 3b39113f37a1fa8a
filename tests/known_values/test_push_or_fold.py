"""Push or fold before the flop: against a linear program, and against published charts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import errai
from errai.cards.deck import FULL_DECK, RANKS
from errai.cards.hands import hand_cards
from errai.cards.pair_table import pair_table
from errai.cards.strength import HandRanking
from errai.games.spot import Spot, parse_spot
from errai.solutions.solution import Solution
from errai.solving.preflop import preflop_spot

EXAMPLE = Path(__file__).parents[2] / "examples" / "push-or-fold.toml"

# HoldemResources.net, "HeadsUp Push/Fold Nash Equilibrium": the most big blinds with which the small blind goes all-in,
# and with which the big blind calls.  As the site says, some hands mix, or have small gaps below these stacks.
PUSHED = (
    "K3s 19.9, K2s 19.3, Q4s 16.3, Q3s 13.5, Q2s 12.7, J6s 18.6, J5s 14.7, J4s 13.5, J3s 10.6, J2s 8.5, T5s 11.9, "
    "T4s 10.5, T3s 7.7, T2s 6.5, 95s 14.4, 94s 6.9, 93s 4.9, K8o 18.0, Q8o 13.0, J8o 13.3, T8o 17.5, K7o 16.1, "
    "Q7o 10.3, J7o 8.5, T7o 9.0, 97o 10.8, 87o 14.7, K6o 15.1, Q6o 9.6, J6o 6.5, T6o 5.7, 96o 5.2, 86o 7.0, 76o 10.7, "
    "K5o 14.2, Q5o 8.9, J5o 6.0, K4o 13.1, Q4o 7.9, J4o 5.4, K3o 12.2, Q3o 7.5, J3o 5.0, K2o 11.6, Q2o 7.0, J2o 4.6"
)
CALLED = (
    "K8s 17.6, K7s 15.2, K6s 14.3, K5s 13.2, K4s 12.1, K3s 11.4, K2s 10.7, Q9s 16.1, Q8s 13.0, Q7s 10.5, Q6s 9.9, "
    "Q5s 8.9, Q4s 8.4, Q3s 7.8, Q2s 7.2, J9s 13.4, J8s 10.6, J7s 8.8, J5s 6.9, J4s 6.1, J3s 5.8, J2s 5.6, T9s 11.5, "
    "T8s 9.3, T7s 7.4, T6s 6.3, 98s 8.2, 97s 7.0, 96s 5.8, QJo 19.5, QTo 15.3, JTo 12.7, K9o 17.1, Q9o 11.7, J9o 9.5, "
    "T9o 8.4, K8o 13.8, Q8o 9.7, J8o 7.6, T8o 6.6, 98o 6.0, K7o 12.4, Q7o 8.0, J7o 6.4"
)
ALWAYS = ("AA", "22", "A2o", "A2s", "KQo", "K9s")
"""At any stack up to 20 big blinds, in both charts."""


def solved(subject: Spot, target_big_blinds: float = 1e-6) -> Solution:
    big_blind = max(subject.game.blinds)
    solution = errai.solve(subject, f"{target_big_blinds * big_blind:.12f}chips", max_iterations=20_000)
    assert solution.status == "target met"
    return solution


def names() -> np.ndarray:
    """For each hand its name up to suits, such as AKs."""
    cards = hand_cards(52, 2)[:, ::-1]
    rank, suit = cards // FULL_DECK.num_suits, cards % FULL_DECK.num_suits
    kind = np.where(rank[:, 0] == rank[:, 1], "", np.where(suit[:, 0] == suit[:, 1], "s", "o"))
    return np.array([RANKS[a] + RANKS[b] + k for (a, b), k in zip(rank, kind, strict=True)])


def in_all(solution: Solution, line: str, action: str) -> dict[str, float]:
    """How often each kind of hand takes an action."""
    node = solution.at(line)
    column = node.strategies[:, node.actions.index(action)]
    return dict(zip(names().tolist(), column.tolist(), strict=True))


def matrices() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For pairs of the 169 kinds of hands how many pairs of hands there are and the sum of their margins; the names."""
    table = pair_table(FULL_DECK, 2, 5, HandRanking.STANDARD)
    cards, every = hand_cards(52, 2), np.arange(1326)
    fits = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    margins = np.where(fits, table.margins(every, every) / table.boards, 0.0)
    kinds, kind = np.unique(names(), return_inverse=True)
    members = (kind == np.arange(len(kinds))[:, None]).astype(float)
    return members @ fits @ members.T, members @ margins @ members.T, kinds


def linear_program(big_blinds: float) -> tuple[float, dict[str, float]]:
    """What the small blind earns in big blinds and how often it goes all-in, by HiGHS.

    Variables: the chance to go all-in with each kind of hand, and for each of the big blind's what the small blind gets
    where it went all-in, which is at most what it gets from a fold, and from a call.
    """
    pairs, margins, kinds = matrices()
    weight = pairs / pairs.sum()
    called = margins * big_blinds / pairs.sum()
    count = len(kinds)
    reward = np.concatenate([0.5 * weight.sum(axis=1), np.ones(count)])  # folding costs half a big blind
    fold = np.hstack([-weight.T, np.eye(count)])
    call = np.hstack([-called.T, np.eye(count)])
    result = linprog(
        -reward,
        A_ub=np.vstack([fold, call]),
        b_ub=np.zeros(2 * count),
        bounds=[(0, 1)] * count + [(None, None)] * count,
        method="highs",
    )
    assert result.status == 0
    return -result.fun - 0.5, dict(zip(kinds.tolist(), result.x[:count].tolist(), strict=True))


RAISE_OR_PUSH = """
board = ""
blinds = [50, 100]
stack = 1500
ranges = { oop = "random", ip = "random" }
bets = { bet = "", oop = { raise = "a" }, ip = { raise = "2x, a" }, preflop = { limp = false, flat = false } }
"""


def linear_program_with_a_raise(big_blinds: float, raised: float) -> float:
    """What the small blind wins in big blinds if it may also raise, and then call or fold against an all-in.

    Variables: the probabilities to go all-in, to raise, and to raise and call; what the small blind gets from each hand
    of the big blind after an all-in and after a raise, as above.
    """
    pairs, margins, kinds = matrices()
    weight, called = pairs / pairs.sum(), margins * big_blinds / pairs.sum()
    count = len(kinds)
    own, none, each = weight.sum(axis=1), np.zeros((count, count)), np.eye(count)
    lost = -raised * weight.T
    result = linprog(
        -np.concatenate([0.5 * own, 0.5 * own, np.zeros(count), np.ones(2 * count)]),
        A_ub=np.block(
            [
                [each, each, none, none, none],
                [none, -each, each, none, none],
                [-weight.T, none, none, each, none],
                [-called.T, none, none, each, none],
                [none, -weight.T, none, none, each],
                [none, -lost, lost - called.T, none, each],
            ]
        ),
        b_ub=np.concatenate([np.ones(count), np.zeros(5 * count)]),
        bounds=[(0, 1)] * (3 * count) + [(None, None)] * (2 * count),
        method="highs",
    )
    assert result.status == 0
    return -result.fun - 0.5


def test_raises_that_nobody_may_call_are_those_of_the_linear_program() -> None:
    subject = parse_spot(RAISE_OR_PUSH)
    solution = solved(subject)
    value = linear_program_with_a_raise(15.0, 2.0)
    assert solution.values.chips[1] / 100 == pytest.approx(value, abs=1e-6)
    # To be allowed to raise is worth something here, and a raise is met by an all-in or a fold.
    assert value > linear_program(15.0)[0] + 0.01
    assert solution.at("raise 200").actions == ("fold", "raise 1500")
    assert solution.at("raise 200 raise 1500").actions == ("fold", "call")


def read(chart: str) -> dict[str, float]:
    return {hand: float(stack) for hand, stack in (entry.split() for entry in chart.split(", "))}


@pytest.mark.parametrize("big_blinds", [3, 10, 15, 20])
def test_value_and_strategy_are_those_of_the_linear_program(big_blinds: int) -> None:
    subject = errai.load_spot(EXAMPLE) if big_blinds == 10 else preflop_spot(big_blinds)
    big_blind = max(subject.game.blinds)
    solution = solved(subject)
    value, pushed = linear_program(big_blinds)
    assert solution.exploitability.chips <= 1e-6 * big_blind
    assert solution.values.chips[1] / big_blind == pytest.approx(value, abs=1e-6)
    found = in_all(solution, "", f"raise {subject.effective_stack}")
    # Where the program is sure, so is the solution; several equilibria may share what is nearly indifferent.
    differ = [hand for hand, chance in pushed.items() if abs(found[hand] - chance) > 0.01]
    assert len(differ) <= 2
    pairs, margins, kinds = matrices()
    mixed = np.array([found[kind] for kind in kinds])
    # The solution against the program's matrices: what the best answers of both sides to it are worth.
    weight, called = pairs / pairs.sum(), margins * big_blinds / pairs.sum()
    worst = np.minimum(mixed @ weight, mixed @ called).sum() - 0.5 * (1 - mixed) @ weight.sum(axis=1)
    answers = in_all(solution, f"raise {subject.effective_stack}", "call")
    calls = np.array([answers[kind] for kind in kinds])
    pushing = weight @ (1 - calls) + called @ calls
    best = np.maximum(pushing, -0.5 * weight.sum(axis=1)).sum()
    assert worst <= value + 1e-12
    assert best >= value - 1e-12
    assert (best - worst) / 2 == pytest.approx(solution.exploitability.chips / big_blind, abs=1e-12)


@pytest.mark.parametrize("big_blinds", [5.0, 7.5, 10.0, 15.0])
def test_published_charts(big_blinds: float) -> None:
    solution = solved(subject := preflop_spot(big_blinds), 1e-5)
    everything = subject.effective_stack
    pushed, called = in_all(solution, "", f"raise {everything}"), in_all(solution, f"raise {everything}", "call")
    checked = 0
    for chart, found in ((read(PUSHED), pushed), (read(CALLED), called)):
        for hand, stack in chart.items():
            # Printed to a tenth of a big blind; near it hands are played with both actions.
            if abs(stack - big_blinds) > 0.3:
                assert (found[hand] > 0.5) == (stack > big_blinds), (hand, stack, found[hand])
                checked += 1
        assert all(found[hand] > 0.999 for hand in ALWAYS)
    assert checked > 70


def test_nodes_know_equities_though_no_board_is_in_the_tree(tmp_path: Path) -> None:
    solution = solved(errai.load_spot(EXAMPLE))
    solution.save(tmp_path / "push-or-fold.errai")
    again = errai.load_solution(tmp_path / "push-or-fold.errai")
    assert again.verify()
    root = again.root
    # Published: the chance of aces, and of the worst hand, against a hand dealt at random.
    hands = [root.hand_index(hand) for hand in ("AhAd", "3c2h")]
    np.testing.assert_allclose(root.equity[:, hands], [[0.852037, 0.323032]] * 2, atol=5e-7)
    called = again.at("raise 20 call")
    assert called.kind == "showdown"
    # Once the chips are in, a hand is worth its share of them.
    np.testing.assert_allclose(called.ev, 40 * called.equity, rtol=1e-9)
    assert called.range_ev.sum() == pytest.approx(40)


def test_the_tree_takes_kilobytes() -> None:
    found = errai.estimate(errai.load_spot(EXAMPLE), "0.0001%pot")
    assert (found.nodes, found.boards, found.canonical_information_sets, found.entries) == (5, (1,), 338, 676)
    assert found.memory_bytes < 1_000_000
