"""Raked spots: both gains by a best response, against a plain walk over the real hands with the rules of the house."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from real_play import plain, whole_betting
from small_subjects import SHORT_TURN

import errai
from errai.cards.pair_table import pair_table
from errai.cluster.run import verify_run
from errai.engine.certificate import StrategyProfile
from errai.engine.strategy import node_strategy
from errai.engine.units import Units
from errai.errors import SpotKeyError, SpotValueError, UnsupportedGameError
from errai.games.game import Rake
from errai.games.spot import Spot, parse_spot
from errai.judges.sequence_form import sequence_form_lp
from errai.kernels.backends import make_kernel
from errai.kernels.protocol import Arrays
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree
from errai.tree.public_tree import PublicTree, build_public_tree

RIVER = """
board = "Qs Jh 2c 8d 3s"
pot = 101
stack = 300
[ranges]
oop = "AA, 99, KTs, AKs:0.5"
ip = "KK, QQ, T9s, AKs"
[bets]
bet = "50%, a"
raise = "a"
"""
FLOP = """
board = "Qs Jh 2s"
pot = 60
stack = 100
[ranges]
oop = "AcAd"
ip = "Ts9s"
[bets]
bet = "a"
raise = ""
[bets.turn]
bet = ""
[bets.river]
bet = ""
"""
PREFLOP = """
board = ""
blinds = [1, 2]
stack = 20
[ranges]
oop = "AA, KK"
ip = "QQ+"
[bets]
bet = ""
raise = "a"
"""


def raked(text: str, rake: str) -> Spot:
    return parse_spot(f"rake = {{ {rake} }}\n{text}")


def taken(spot: Spot, betting: BettingTree, node: int) -> float:
    """The rake at an end after the flop: of the pot without an uncalled bet."""
    rake, first, second = spot.rake, *betting.contributions[node]
    assert rake is not None
    share = (first + second - abs(first - second)) * rake.percent / 100.0
    return share if rake.cap is None or share < rake.cap else rake.cap


# Caps that never bind, that always do, and that bind in large pots only; a rake that takes the whole pot.
RAKES = ["percent = 5", "percent = 5, cap = 3", "percent = 10, cap = 15.5", "percent = 100"]


@pytest.mark.parametrize("rake", RAKES)
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_gains_are_those_of_a_walk_over_the_real_hands(rake: str, backend: str) -> None:
    check(raked(RIVER, rake), backend)


@pytest.mark.parametrize("rake", RAKES)
def test_gains_on_a_turn_are_those_of_a_walk_over_the_real_hands(rake: str) -> None:
    check(raked(SHORT_TURN, rake))


@pytest.mark.parametrize("river", ["", "a"])
def test_gains_on_a_flop_are_those_of_a_walk_over_the_real_hands(river: str) -> None:
    """All later boards as a matrix, or with bets on each of them."""
    text = FLOP.replace('[bets.river]\nbet = ""', f'[bets.river]\nbet = "{river}"')
    check(raked(text, "percent = 5, cap = 4, no_flop_no_drop = true"))


def check(spot: Spot, backend: str = "cpu") -> None:
    solution = errai.solve(spot, max_iterations=20, backend=backend)
    betting = whole_betting(solution)
    found = plain(solution, rake=lambda node: taken(spot, betting, node))
    assert solution.exploitability.by_player == pytest.approx(found.gains, abs=1e-9)
    assert solution.exploitability.chips == pytest.approx(found.exploitability, abs=1e-9)
    assert [v - spot.pot / 2 for v in solution.values.chips] == pytest.approx(found.values, abs=1e-9)
    assert spot.pot - sum(solution.values.chips) > 1.0
    assert solution.verify()
    # The quick measurement that steers the run sees the same.
    assert solution.curve[0][2] > 0.0


RAKED_LINES = [
    # Of 101 chips: five per cent, and nothing of the bet that is returned.
    (RIVER, "percent = 5", "bet 51 fold", 5.05),
    (RIVER, "percent = 5", "check check", 5.05),
    (RIVER, "percent = 5", "bet 51 call", 10.15),
    (RIVER, "percent = 5", "bet 51 raise 300 fold", 10.15),
    (RIVER, "percent = 5", "bet 51 raise 300 call", 35.05),
    (RIVER, "percent = 5, cap = 8", "bet 51 call", 8.0),
    (RIVER, "percent = 5, cap = 8", "check check", 5.05),
    (RIVER, "percent = 5, no_flop_no_drop = true", "bet 51 fold", 5.05),
    # The small blind folds: two chips are in the pot once the other half of the big blind is returned.
    (PREFLOP, "percent = 5", "fold", 0.1),
    (PREFLOP, "percent = 5, no_flop_no_drop = true", "fold", 0.0),
    (PREFLOP, "percent = 5, no_flop_no_drop = true", "raise 20 fold", 0.0),
    (PREFLOP, "percent = 5", "raise 20 fold", 0.2),
    # Who is all-in and called sees a flop.
    (PREFLOP, "percent = 5, no_flop_no_drop = true", "raise 20 call", 2.0),
    (PREFLOP, "percent = 5, cap = 1.5, no_flop_no_drop = true", "raise 20 call", 1.5),
]


@pytest.mark.parametrize(("text", "rake", "line", "expected"), RAKED_LINES)
def test_what_the_house_takes_at_the_end_of_a_line(text: str, rake: str, line: str, expected: float) -> None:
    betting = build_betting_tree(raked(text, rake))
    assert betting.rake_chips is not None
    node = betting.after_chance(betting.find(line))
    assert betting.rake_chips[node] == pytest.approx(expected, abs=1e-12)
    decisions = ~np.isin(betting.kind, (NodeKind.FOLD, NodeKind.SHOWDOWN))
    assert not betting.rake_chips[decisions].any()


def test_a_rake_is_read_and_written() -> None:
    spot = raked(RIVER, "percent = 5, cap = 3, no_flop_no_drop = true")
    assert spot.rake == Rake(5.0, 3.0, True)
    again = parse_spot(spot.to_toml())
    assert again.rake == spot.rake
    assert again.digest() == spot.digest()
    assert Spot.from_dict(raked(RIVER, "percent = 2.5").to_dict()).rake == Rake(2.5)


def test_a_rake_of_nothing_is_none_and_other_spots_keep_their_digest() -> None:
    plain_spot = parse_spot(RIVER)
    assert "rake" not in plain_spot.to_dict()
    for rake in ("percent = 0", "percent = 5, cap = 0"):
        assert raked(RIVER, rake).digest() == plain_spot.digest()
    assert raked(RIVER, "percent = 5").digest() != plain_spot.digest()


@pytest.mark.parametrize(
    ("rake", "error", "message"),
    [
        ("cap = 3", SpotKeyError, r"line 1: The key 'rake.percent' is missing"),
        ("percent = 5, max = 3", SpotKeyError, "The key 'max' in \\[rake\\] is unknown"),
        ("percent = 101", SpotValueError, "'rake.percent' is 101; use 0 to 100"),
        ("percent = -1", SpotValueError, "'rake.percent' is -1"),
        ("percent = nan", SpotValueError, "'rake.percent' is nan"),
        ('percent = "5"', SpotValueError, "must be a number"),
        ("percent = 5, cap = -3", SpotValueError, "'rake.cap' is -3"),
        ("percent = 5, no_flop_no_drop = 1", SpotValueError, "must be true or false"),
    ],
)
def test_what_is_wrong_with_a_rake_is_said(rake: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        raked(RIVER, rake)


def test_no_linear_program_solves_a_raked_game() -> None:
    spot = raked(RIVER, "percent = 5")
    with pytest.raises(UnsupportedGameError, match="takes a rake"):
        sequence_form_lp(build_betting_tree(spot), spot.game, board=spot.board, ranges=spot.ranges)


def test_a_file_keeps_the_rake(tmp_path: Path) -> None:
    solution = errai.solve(raked(RIVER, "percent = 5, cap = 3"), max_iterations=20)
    solution.save(tmp_path / "raked.errai")
    again = errai.load_solution(tmp_path / "raked.errai")
    assert again.subject.rake == Rake(5.0, 3.0)
    assert again.tree.values_cancel is False
    assert again.verify()


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_the_run_comes_down_to_its_target(backend: str) -> None:
    """The native loop and the one in Python measure gains where values do not cancel, not best responses alone."""
    solution = errai.solve(raked(RIVER, "percent = 5, cap = 3"), "0.5%pot", precision="float64", backend=backend)
    assert solution.status == "target met"
    assert sum(solution.exploitability.by_player) / 2 <= 0.5 * 101 / 100


def test_a_run_in_a_folder_takes_the_rake(tmp_path: Path) -> None:
    """The subgames below the trunk are raked as the trunk is, and both gains are relative to each player's value."""
    spot = raked(SHORT_TURN, "percent = 5, cap = 8")
    stored = errai.solve(spot, max_iterations=9, store=tmp_path / "run", processes=1)
    whole = errai.solve(spot, max_iterations=9, algorithm="dcfr4+")
    assert stored.exploitability.by_player == pytest.approx(whole.exploitability.by_player, abs=1e-3)
    assert stored.values_chips == pytest.approx(whole.values.chips, abs=1e-3)
    assert sum(stored.values_chips) < spot.pot - 4.9
    assert verify_run(errai.open_run(tmp_path / "run"), processes=1)


# --- before the flop -------------------------------------------------------------------------------------------------

PUSH = """
board = ""
blinds = [1, 2]
stack = 10
[ranges]
oop = "AA, KK:0.5, A5s"
ip = "QQ, AKs, 72o:0.25"
[bets]
bet = ""
raise = "a"
raise_cap = 2
"""


@pytest.mark.parametrize(
    ("rake", "preflop", "cap"),
    [
        ("percent = 5, cap = 30, no_flop_no_drop = true", 0.0, 30.0),
        ("percent = 5, cap = 0.6, no_flop_no_drop = true", 0.0, 0.6),
        ("percent = 5", 0.05, 30.0),
    ],
)
def test_gains_before_the_flop_are_those_of_a_walk_over_pairs_of_hands(rake: str, preflop: float, cap: float) -> None:
    spot = raked(PUSH, rake)
    tree = build_public_tree(spot, run_out=True)
    strategy = tree.arrays.zeros(np.float64)
    rng = np.random.default_rng(1)
    for array in strategy[0]:
        array[...] = rng.random(array.size)
    found = StrategyProfile(tree, make_kernel("reference", tree.arrays), strategy).certificate(Units.of(spot, 3.0))[0]
    values = StrategyProfile(tree, make_kernel("reference", tree.arrays), strategy).values()
    walk = PairWalk(tree, strategy, preflop, cap)
    expected = [walk.value(p, best=False) for p in (0, 1)]
    best = [walk.value(p, best=True) for p in (0, 1)]
    assert values == pytest.approx(expected, abs=1e-9)
    assert found.by_player == pytest.approx([b - v for b, v in zip(best, expected, strict=True)], abs=1e-9)
    assert sum(expected) < -0.01


class PairWalk:
    """Pairs of real hands through the actions; a pair that is all-in wins as often as the table of all boards says.

    The rake is five per cent, but at most ``cap``; of hands that end before the flop the share ``preflop``.
    """

    def __init__(self, tree: PublicTree, strategy: Arrays, preflop: float, cap: float) -> None:
        self.tree, self.betting, self.preflop, self.cap = tree, tree.betting, preflop, cap
        self.weights = tree.root.weights
        self.hands = [np.flatnonzero(weights) for weights in self.weights]
        self.cards = [set(hand) for hand in tree.root.hands.tolist()]
        self.table = pair_table(tree.root.deck, 2, 5, tree.root.ranking)
        self.plays: dict[tuple[int, int], np.ndarray] = {}
        for p in (0, 1):
            level = tree.deal.streets[0].hands[p]
            for node in tree.betting.decision_nodes(0, p).tolist():
                chosen = node_strategy(tree, strategy, 0, 0, node)
                for i, (first, last) in enumerate(pairwise(level.member_start)):
                    for hand in level.member[first:last].tolist():
                        self.plays[node, hand] = chosen[:, i]

    def value(self, player: int, *, best: bool) -> float:
        total = mass = 0.0
        for hand in self.hands[player].tolist():
            reach = {
                int(h): float(self.weights[player][hand] * self.weights[1 - player][h])
                for h in self.hands[1 - player]
                if not self.cards[h] & self.cards[hand]
            }
            mass += sum(reach.values())
            total += self.node(0, player, hand, reach, best)
        return total / mass

    def node(self, node: int, player: int, hand: int, reach: dict[int, float], best: bool) -> float:
        kind, actor = self.betting.kind[node], int(self.betting.actor[node])
        chips = self.betting.contributions[node]
        if kind == NodeKind.FOLD:
            won = chips[actor] - self.preflop * 2.0 * chips[actor]
            return sum(reach.values()) * (-chips[player] if actor == player else won)
        if kind == NodeKind.SHOWDOWN:
            rake = min(0.05 * float(chips.sum()), self.cap)
            boards = 1_712_304  # five cards of the 48 that two hands leave
            total = 0.0
            for other, weight in reach.items():
                one, two = np.array([hand]), np.array([other])
                won, lost = (int(self.table.wins(a, b)[0, 0]) / boards for a, b in ((one, two), (two, one)))
                total += weight * ((won - lost) * chips[player] - won * rake)
                total -= weight * (1.0 - won - lost) * rake / 2.0
            return total
        children = list(self.betting.children(node))
        if actor == player:
            values = [self.node(child, player, hand, reach, best) for child in children]
            return max(values) if best else float(self.plays[node, hand] @ values)
        return sum(
            self.node(child, player, hand, {h: w * self.plays[node, h][a] for h, w in reach.items()}, best)
            for a, child in enumerate(children)
        )
