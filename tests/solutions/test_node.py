"""Nodes of solutions: lines, cards, ranges, strategies and values as users see them, in real hands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from small_subjects import spot_text, subject

import errai
from errai.cards.hands import hand_cards, hand_index
from errai.errors import LineError
from errai.games.spot import parse_spot
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution

SPOTS: dict[str, tuple[str, int | list[int], str, str, str]] = {
    "river": ("Qs Jh 2c 8d 3s", 300, "AA, KK:0.3, QQ, KTs, 65s", "JJ, TT, AJs, T9s:0.5", "50%, a"),
    # Clubs and diamonds play alike, on the turn and after some rivers.
    "turn": ("Qs Jh 2s 8h", 200, "QQ, T9s, AKo:0.5", "22, AKs, QTs", "100%"),
    # Unequal stacks, so that bets may be too large to be called whole.
    "turn, unequal": ("Qs Jh 2c 8d", [100, 150], "QQ, T9s", "22, 88, KK, AhKh", "60%, a"),
    "flop": ("Td 9d 6d", 60, "TT, AKs", "99, QJs:0.5", "a"),
}
GAMES = ("kuhn", "leduc", "leduc.nolimit", "rhode-island-short", "two-cards-short")


@cache
def solved(name: str) -> Solution:
    """Solved for a few iterations only: these tests hold for any strategy."""
    if name in SPOTS:
        board, stack, oop, ip, bet = SPOTS[name]
        spot = parse_spot(spot_text(board, oop, ip, bet=bet, stack=stack, title="A test"))
    return errai.solve(spot if name in SPOTS else subject(name), max_iterations=8, threads=1)


def deals(node: SolutionNode, count: int, generator: np.random.Generator) -> list[str]:
    """A few ways to deal what comes at a chance node."""
    deck, number = node.solution.deck, node.solution.tree.root.new_cards[node.street]
    left = [c for c in range(deck.num_cards) if c not in node.board]
    return [deck.cards_text(generator.permutation(left)[:number].tolist()) for _ in range(count)]


def some_nodes(name: str, per_deal: int = 2) -> Iterator[SolutionNode]:
    """All lines, with a few deals at each chance node."""
    generator = np.random.default_rng(4)
    waiting = [solved(name).root]
    while waiting:
        node = waiting.pop()
        yield node
        steps = deals(node, per_deal, generator) if node.kind == "chance" else node.actions
        waiting += [node[step] for step in steps]


def fitting(node: SolutionNode, player: int) -> np.ndarray:
    """Weight of the other player's hands that share no card with each hand, pair by pair."""
    cards = hand_cards(node.solution.deck.num_cards, node.solution.tree.root.hands.shape[1])
    theirs = np.flatnonzero(node.ranges[1 - player])
    fit = ~(cards[:, None, :, None] == cards[None, theirs, None, :]).any(axis=(2, 3))
    return fit @ node.ranges[1 - player, theirs]


def counterfactual(node: SolutionNode, player: int, chips_in: float) -> np.ndarray:
    """Net counterfactual values in real hands: nothing where no opponent's hand fits."""
    return np.nan_to_num(node.ev[player] - chips_in) * fitting(node, player)


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SPOTS, *GAMES])
def test_both_players_share_the_pot_at_every_node(name: str) -> None:
    spot = name in SPOTS
    seen = 0
    for node in some_nodes(name):
        pairs = [node.ranges[p] * fitting(node, p) for p in (0, 1)]
        assert pairs[0].sum() == pytest.approx(pairs[1].sum(), rel=1e-9, abs=1e-12)
        if pairs[0].sum() <= 1e-9:
            continue
        means = [np.nansum(pairs[p] * np.nan_to_num(node.ev[p])) / pairs[p].sum() for p in (0, 1)]
        assert sum(means) == pytest.approx(node.pot_chips if spot else 0.0, abs=1e-6 * node.pot_chips), node.line
        seen += 1
        # Who may hold a hand has a value with it, unless the opponent never gets here with one that fits.
        for p in (0, 1):
            held = node.ranges[p] > 0
            assert (np.isfinite(node.ev[p][held]) | (fitting(node, p)[held] <= 1e-9)).all()
    assert seen > 5


@pytest.mark.parametrize("name", [*SPOTS, *GAMES])
def test_the_value_of_a_decision_is_made_of_the_values_behind_it(name: str) -> None:
    for node in some_nodes(name, per_deal=1):
        if node.kind != "decision":
            continue
        sunk = node.solution.tree.betting.contributions if name in SPOTS else np.zeros((10**6, 2))
        children = [node[action] for action in node.actions]
        p, q = node.player, 1 - node.player
        own = [counterfactual(c, p, sunk[c.node][p]) for c in children]
        chosen = np.nan_to_num(node.strategies)
        expected = sum(chosen[:, a] * own[a] for a in range(len(children)))
        alive = np.isfinite(node.ev[p])
        scale = 1e-9 * node.pot_chips * max(1.0, node.ranges.sum())
        found = counterfactual(node, p, sunk[node.node][p])
        np.testing.assert_allclose(found[alive], expected[alive], atol=scale)
        others = sum(counterfactual(c, q, sunk[c.node][q]) for c in children)
        alive = np.isfinite(node.ev[q])
        np.testing.assert_allclose(counterfactual(node, q, sunk[node.node][q])[alive], others[alive], atol=scale)


@pytest.mark.parametrize("name", ["leduc", "rhode-island-short", "turn", "turn, unequal"])
def test_the_value_before_a_deal_is_the_mean_over_all_real_cards(name: str) -> None:
    for node in some_nodes(name, per_deal=1):
        if node.kind != "chance" or node.street > 0:
            continue
        deck, hands = node.solution.deck, node.solution.tree.root.hands
        for p in (0, 1):
            total = np.zeros(len(hands))
            chips_in = node.solution.tree.betting.contributions[node.node][p] if name in SPOTS else 0.0
            for card in node.children:
                child = node[card]
                alive = ~np.isin(hands, deck.parse_card(card)).any(axis=1)
                total[alive] += counterfactual(child, p, chips_in)[alive]
            unseen = deck.num_cards - len(node.board) - 2 * hands.shape[1]
            alive = np.isfinite(node.ev[p])
            scale = 1e-9 * node.pot_chips * max(1.0, node.ranges.sum())
            found = counterfactual(node, p, chips_in)
            np.testing.assert_allclose(found[alive], total[alive] / unseen, atol=scale)


@pytest.mark.parametrize("name", [*SPOTS, *GAMES])
def test_the_root_is_worth_what_the_solution_says(name: str) -> None:
    solution = solved(name)
    root = solution.root
    for p in (0, 1):
        pairs = root.ranges[p] * fitting(root, p)
        mean = (pairs * np.nan_to_num(root.ev[p])).sum() / pairs.sum()
        assert mean == pytest.approx(solution.values.chips[p], abs=1e-9 * solution.initial_pot_chips)


def test_folding_is_worth_nothing_in_a_spot_and_the_chips_put_in_in_a_game() -> None:
    node = solved("river")["check"]["bet 50"]["fold"]
    assert node.kind == "fold"
    held = node.ranges[0] > 0
    np.testing.assert_allclose(node.ev[0][held], 0.0, atol=1e-9)
    np.testing.assert_allclose(node.ev[1][node.ranges[1] > 0], node.pot_chips, rtol=1e-9)
    node = solved("kuhn")["check"]["bet 1"]["fold"]
    assert node.ev.tolist() == [[-1.0] * 3, [1.0] * 3]


# --- strategies and ranges -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SPOTS, *GAMES])
def test_strategies_ranges_and_frequencies_fit_together(name: str) -> None:
    root_ranges = solved(name).root.ranges
    for node in some_nodes(name):
        hands = len(node.hands)
        assert node.ranges.shape == node.ev.shape == (2, hands)
        assert node.strategies.shape == (hands, len(node.actions))
        on_board = np.isin(node.solution.tree.root.hands, node.board).any(axis=1)
        assert (node.ranges <= root_ranges + 1e-12).all()
        assert not node.ranges[:, on_board].any()
        assert np.isnan(node.ev[:, on_board]).all()
        if node.kind != "decision":
            assert node.actions == ()
            assert node.player is None
            assert node.player_name == ""
            assert node.to_call_chips == 0
            assert node.frequencies.shape == (0,)
            continue
        possible = (root_ranges[node.player] > 0) & ~on_board
        assert np.isnan(node.strategies[~possible]).all()
        np.testing.assert_allclose(node.strategies[possible].sum(axis=1), 1.0, rtol=1e-12)
        assert (node.strategies[possible] >= 0).all()
        weight = node.ranges[node.player] * fitting(node, node.player)
        if weight.sum() > 1e-9:
            assert node.frequencies.sum() == pytest.approx(1.0, rel=1e-9)
            expected = weight[possible] @ node.strategies[possible] / weight.sum()
            np.testing.assert_allclose(node.frequencies, expected, atol=1e-9)
        for a, action in enumerate(node.actions):
            child = node[action]
            played = np.where(possible, node.ranges[node.player] * node.strategies[:, a], 0.0)
            np.testing.assert_allclose(child.ranges[node.player], played, atol=1e-15)
            assert np.array_equal(child.ranges[1 - node.player], node.ranges[1 - node.player])


def renamed(node: SolutionNode, suits: tuple[int, ...]) -> np.ndarray:
    """For every hand the hand that it becomes when suits are renamed."""
    deck = node.solution.deck
    card_map = np.array(
        [c // deck.num_suits * deck.num_suits + suits[c % deck.num_suits] for c in range(deck.num_cards)]
    )
    return hand_index(np.sort(card_map[node.solution.tree.root.hands.astype(int)], axis=1))


@pytest.mark.parametrize(
    ("name", "line", "first", "second", "suits"),
    [
        # Suits are c d h s; clubs and diamonds change places on this turn.
        ("turn", "check check", "Ac", "Ad", (1, 0, 2, 3)),
        ("turn", "bet 100 call", "2c", "2d", (1, 0, 2, 3)),
        ("flop", "check check", "Ac", "Ah", (2, 1, 0, 3)),
        ("flop", "check check", "Ac", "As", (3, 1, 2, 0)),
        ("flop", "check check / Kc / check check", "2h", "2s", (0, 1, 3, 2)),
        ("leduc", "check check", "Qh", "Qs", (1, 0)),
        ("rhode-island-short", "check check", "Ad", "As", (2, 1, 0)),
    ],
)
def test_cards_that_suits_make_equal_lead_to_the_same_play(
    name: str, line: str, first: str, second: str, suits: tuple[int, ...]
) -> None:
    here, there = (solved(name).at(f"{line} / {card}") for card in (first, second))
    assert here.where == there.where
    moved = renamed(here, suits)
    while True:
        np.testing.assert_allclose(here.strategies, there.strategies[moved], equal_nan=True)
        np.testing.assert_allclose(here.ev, there.ev[:, moved], equal_nan=True, atol=1e-9)
        np.testing.assert_allclose(here.ranges, there.ranges[:, moved], atol=1e-12)
        if here.kind != "decision":
            break
        here, there = here[here.actions[-1]], there[there.actions[-1]]


def test_the_strategy_of_one_hand() -> None:
    solution = solved("river")
    row = solution.root.strategy("KdTd")
    assert list(row) == list(solution.root.actions) == ["check", "bet 50", "bet 300"]
    assert sum(row.values()) == pytest.approx(1.0)
    assert solution.root.strategy("TdKd") == row
    assert solution.root.hands[solution.root.hand_index("TdKd")] == "KdTd"
    assert solved("leduc").root.strategy("Ks").keys() == {"check", "bet 2"}


# --- what a node says of itself --------------------------------------------------------------------------------------


def test_pots_stacks_and_names_in_a_spot() -> None:
    solution = solved("turn")
    root = solution.root
    assert (root.kind, root.player, root.player_name, root.line) == ("decision", 0, "out of position", "")
    assert (root.pot_chips, root.to_call_chips, root.stacks_chips) == (100.0, 0.0, (200.0, 200.0))
    assert root.board_text == "Qs Jh 2s 8h"
    bet = solution["bet 100"]
    assert (bet.player, bet.player_name, bet.line) == (1, "in position", "bet 100")
    assert (bet.pot_chips, bet.to_call_chips, bet.stacks_chips) == (200.0, 100.0, (100.0, 200.0))
    called = bet["call"]
    assert (called.kind, called.pot_chips, called.stacks_chips) == ("chance", 300.0, (100.0, 100.0))
    assert len(called.children) == 48
    assert "Qs" not in called.children
    river = called["Ac"]
    assert (river.board_text, river.line, river.kind) == ("Qs Jh 2s 8h Ac", "bet 100 call / Ac /", "decision")
    assert river["check"].line == "bet 100 call / Ac / check"
    assert repr(river["check"]) == "<decision after 'bet 100 call / Ac / check' on Qs Jh 2s 8h Ac, pot 300>"


def test_pots_stacks_and_names_in_games() -> None:
    root = solved("leduc").root
    assert (root.player_name, root.pot_chips, root.board_text) == ("player 0", 2.0, "")
    assert root.hands == ("Qh", "Qs", "Kh", "Ks", "Ah", "As")
    raised = root["bet 2"]["raise 4"]
    assert (raised.player_name, raised.pot_chips, raised.to_call_chips) == ("player 0", 8.0, 2.0)
    assert raised.actions == ("fold", "call")
    assert raised["call"]["Kh"].board_text == "Kh"
    assert raised.stacks_chips == (math.inf, math.inf)  # Leduc has no limit on stacks.
    deep = solved("leduc.nolimit").root
    assert (deep.pot_chips, deep.stacks_chips) == (200.0, (1100.0, 1100.0))
    assert (deep.all_in, deep["bet 200"].all_in) == ((False, False, True), (False, False, False, True))
    assert deep["all-in"].to_call_chips == 1100.0
    assert deep["all-in"].stacks_chips == (0.0, 1100.0)
    assert solved("kuhn").root.hands == ("Qs", "Ks", "As")


def test_a_called_all_in_runs_out() -> None:
    node = solved("turn, unequal")["all-in"]
    assert node.to_call_chips == 100.0
    assert node.actions == ("fold", "call")
    out = node["call"]
    assert (out.kind, out.stacks_chips) == ("chance", (0.0, 50.0))
    shown = out["2d"]
    assert (shown.kind, shown.pot_chips) == ("showdown", 300.0)


# --- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "check bet 100 call / Ac / check",
        "check bet 100 call Ac check",
        "  check  bet 100 call/Ac/check ",
        "k b100 c / Ac / k",
        "Check BET 100 call / ac / check",
        "check, bet 100, call / Ac / check",
        "check bet call / Ac / check",
    ],
)
def test_lines_may_be_written_in_many_ways(line: str) -> None:
    node = solved("turn").at(line)
    assert node.line == "check bet 100 call / Ac / check"
    assert solved("turn").at(node.line).line == node.line
    assert solved("turn").at("").line == ""


def test_lines_through_several_deals() -> None:
    node = solved("flop").at("check check / Ac / check check / 2d / check")
    assert (node.board_text, node.player) == ("Td 9d 6d Ac 2d", 1)
    assert solved("flop").at("bet 60 call / Ac / 2d").kind == "showdown"
    assert solved("flop").at("bet 60 call Ac 2d").kind == "showdown"
    with pytest.raises(LineError, match="After 'bet 60 call / Ac /' 1 card must be dealt, not 'KcQc'"):
        solved("flop").at("bet 60 call / AcKcQc")
    node = solved("two-cards-short").at("call check / Kh Ks Ah / check")
    assert node.board_text == "Kh Ks Ah"


@pytest.mark.parametrize("name", ["turn", "leduc", "flop", "two-cards-short"])
def test_the_line_of_every_node_leads_to_it(name: str) -> None:
    for node in some_nodes(name, per_deal=1):
        again = solved(name).at(node.line)
        assert (again.node, again.board) == (node.node, node.board)
        assert np.array_equal(again.ranges, node.ranges)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bet 120", r"'bet 120' is not possible at the root; the actions there are: check, bet 100"),
        ("check raise", r"'raise'.*after 'check'.*check, bet 100"),
        ("check check check", r"After 'check check' the street is closed; name the cards, as in"),
        ("check check / Qs", r"Qs is on the table already: Qs Jh 2s 8h"),
        ("check check / AcAd", r"After 'check check' 1 card must be dealt, not 'AcAd'"),
        ("check check / Ac / bet 7", r"'bet 7'.*check, bet 100"),
        ("check check / Ac / check check check", r"the hand is over"),
        ("Ac", r"'Ac'.*check, bet 100"),
        ("check check / Xx", r"check check"),
        ("bet 100 fold / Ac", r"the hand is over"),
    ],
)
def test_wrong_lines_say_what_is_possible(line: str, message: str) -> None:
    with pytest.raises(LineError, match=message):
        solved("turn").at(line)


def test_wrong_steps_say_what_is_possible() -> None:
    closed = solved("turn")["check"]["check"]
    for step, message in (
        ("Zz", "1 card must be dealt"),
        ("", "1 card must be dealt"),
        ("AcAc", "1 card must be dealt"),
    ):
        with pytest.raises(LineError, match=message):
            closed[step]
    flop = solved("two-cards-short").at("call check")
    with pytest.raises(LineError, match=r"name the cards, as in 'call check / (\w\w){3} / check'"):
        solved("two-cards-short").at("call check check")
    with pytest.raises(LineError, match="3 cards must be dealt, not 'Ah'"):
        flop["Ah"]
    with pytest.raises(LineError, match="3 cards must be dealt"):
        flop["AhAhKh"]
    with pytest.raises(
        LineError, match=r"'bet' is ambiguous at the root; choose one of: check, bet 50 \(50%\), bet 300 \(300%\)"
    ):
        solved("river")["bet"]


@pytest.mark.parametrize(
    ("hand", "message"),
    [
        ("AcAd", "not in the range of out of position"),
        ("QsKd", "KdQs cannot be held here: Qs is on the board, Qs Jh 2s 8h"),
        ("QsJh", "QsJh cannot be held here: (Qs and Jh|Jh and Qs) are on the board"),
        ("Ks", "not a hand of 2 cards"),
        ("KsKs", "not a hand of 2 cards|not a hand"),
        ("KsKdKh", "not a hand of 2 cards"),
        ("Xx", "'Xx' is not a hand"),
        ("", "not a hand"),
    ],
)
def test_wrong_hands_are_named(hand: str, message: str) -> None:
    with pytest.raises(LineError, match=message):
        solved("turn").root.strategy(hand)


def test_nobody_has_a_strategy_where_nobody_acts() -> None:
    with pytest.raises(LineError, match=r"No player acts after 'check check' \(chance\)"):
        solved("turn")["check"]["check"].strategy("AcKc")


def test_sizes_in_lines() -> None:
    spot = parse_spot(
        """
        board = "Qs Jh 2c 8d"
        pot = 100
        stack = 1000
        [ranges]
        oop = "AA"
        ip = "KK"
        [bets]
        bet = "1/3, 75%, 75.4%"
        raise = "50%"
        raise_cap = 2
        """
    )
    solution = errai.solve(spot, max_iterations=1, threads=1)
    for line, found in (
        ("bet 33%", "bet 33"),
        ("b75%", "bet 75"),
        ("bet min", "bet 33"),
        ("check bet 33% raise 50% call / K♠", "check bet 33 raise 116 call / Ks /"),
        ("check check A♥ check", "check check / Ah / check"),
    ):
        assert solution.at(line).line == found
    for line in ("bet 60%", "bet 33.9%", "raise 33%", "bet 1000%"):
        with pytest.raises(LineError, match=r"the actions there are: check, bet 33 \(33%\), bet 75 \(75%\)"):
            solution.at(line)
    close = type(spot).from_dict({**spot.to_dict(), "pot": 1000, "bets": {"bet": "10c, 11c", "raise": ""}})
    close = errai.solve(close, max_iterations=1, threads=1)
    assert close.at("bet 1.1%").line == "bet 11"
    assert close.at("bet 0.55%").line == "bet 10"
    with pytest.raises(LineError, match=r"ambiguous at the root.*: check, bet 10 \(1%\), bet 11 \(1.1%\)"):
        close.at("bet 1.3%")
