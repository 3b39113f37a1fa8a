"""A spot whose chips have decimals is played, re-solved, written and reviewed as one with a hundred times the chips."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import errai
from errai.agents.solved import SolvedAgent
from errai.arena.histories.formats import read_text
from errai.arena.histories.phh import phhs_text
from errai.arena.histories.tables import decision_rows, hand_rows
from errai.arena.luck.values import Equity
from errai.arena.match import most_chips
from errai.arena.review import align, review_hands
from errai.errors import IllegalActionError
from errai.games.betting import ActionKind
from errai.games.hand import CALL, Deal, Hand, PublicState, Shuffle, raise_to
from errai.games.spot import Spot
from errai.pictures.play import choices_words, read_action, result_words, table_view
from errai.strategies.tree_walk import TreeWalk

FRACTIONS = {
    "board": "Qs Jh 2c 8d",
    "pot": 5.5,
    "stack": 22.25,
    "big_blind": 1,
    "ranges": {"oop": "AA,KQs,T9s", "ip": "KK,QQ,98s"},
    "bets": {"bet": "33%, 75%, 2.5c", "raise": "3x, a"},
}
HUNDREDFOLD = {
    **FRACTIONS,
    "pot": 550,
    "stack": 2225,
    "big_blind": 100,
    "bets": {"bet": "33%, 75%, 250c", "raise": "3x, a"},
}


@pytest.fixture(scope="module")
def both():
    """Solutions of the spot in chips with decimals, and in hundredths of them."""
    spots = Spot.from_dict(FRACTIONS), Spot.from_dict(HUNDREDFOLD)
    return [errai.solve(spot, max_iterations=60, threads=1, precision="float64") for spot in spots]


def played(spot: Spot, count: int = 30):
    """Hands with random bets of any size; those of the two spots are the same."""
    rng, shuffle = np.random.default_rng(5), Shuffle(spot)
    for number in range(count):
        hand = Hand(spot, shuffle.numbered(9, number), number)
        while not hand.is_over:
            legal = hand.state.betting.legal().raise_range
            drawn = rng.random(2)
            bet = legal is not None and drawn[0] < 0.5
            hand.act(raise_to(round(legal[0] * (legal[1] / legal[0]) ** drawn[1])) if bet else CALL)
        yield hand.played(("Ann", "Bob"))


def test_results_and_pots_are_in_chips(both) -> None:
    (few, many) = (solution.subject for solution in both)
    assert most_chips(few) == most_chips(many) / 100 == 22.25
    worth = Equity(few), Equity(many)
    for hand, other in zip(played(few), played(many), strict=True):
        assert hand.net_chips == pytest.approx([chips / 100 for chips in other.net_chips], abs=1e-12)
        for (state, action), (whole, same) in zip(hand.moments(), other.moments(), strict=True):
            assert action == same
            assert state.pot_chips == pytest.approx(whole.pot_chips / 100, abs=1e-12)
            hands = np.arange(0, 1326, 97)
            found, expected = (value.pairs(at, hands, hands) for value, at in zip(worth, (state, whole), strict=True))
            np.testing.assert_allclose(found, expected / 100, atol=1e-9)


def test_a_solution_answers_any_bet_alike(both) -> None:
    agents = [SolvedAgent(solution) for solution in both]
    walks = [TreeWalk(solution.tree.betting, subject=solution.subject) for solution in both]
    for hand, other in zip(*(played(solution.subject) for solution in both), strict=True):
        for (state, _), (whole, _) in zip(hand.moments(), other.moments(), strict=True):
            assert walks[0].readings(state) == walks[1].readings(whole)
            found, expected = (agent.strategy(at) for agent, at in zip(agents, (state, whole), strict=True))
            assert found.actions == expected.actions
            np.testing.assert_allclose(found.probabilities, expected.probabilities, atol=1e-4)


def test_amounts_are_typed_and_shown_with_decimals(both) -> None:
    state = PublicState.start(both[0].subject)
    assert choices_words(state) == ["k check", "r bet 1 - 22.25 (r 1, r 50%, pot)", "a all-in"]
    for text, parts in (("r 2.5", 250), ("b 2.50", 250), ("r 1.82", 182), ("50%", 275), ("pot", 550), ("a", 2225)):
        assert read_action(text, state) == raise_to(parts)
    bet = state.after(raise_to(250))
    assert choices_words(bet) == ["f fold", "c call 2.5", "r raise to 5 - 22.25 (r 5, r 50%, pot)", "a all-in"]
    assert read_action("2.5x", bet) == raise_to(625)
    refused = {"r 2.505": "multiples of 0.01", "r 0.5": "0.5 is less than the smallest, 1", "r 23.5": "largest, 22.25"}
    for text, why in refused.items():
        with pytest.raises(IllegalActionError, match=why):
            read_action(text, state)
    with pytest.raises(IllegalActionError, match=r"Bets here are whole chips, and 2\.5 is none"):
        read_action("r 2.5", PublicState.start(both[1].subject))
    view = table_view("", bet.after(CALL), 0, ("you", "they"), (50, 51), None)
    assert [(seat.bet_chips, seat.behind_chips) for seat in view.seats] == [(0.0, 19.75)] * 2
    assert view.line[0] == ("turn", "you bet 2.5; they calls 2.5")
    (hand, *_) = played(both[0].subject)
    assert f"{abs(hand.net_chips[0]):g}" in result_words(hand, 0, ("you", "they"))


def test_hands_are_written_with_decimals_and_read_again(both) -> None:
    hands, others = (list(played(solution.subject)) for solution in both)
    text = phhs_text(hands)
    read = read_text(text)
    assert read.faults == ()
    assert [(hand.actions, hand.net_chips) for hand in read.hands] == [(hand.actions, hand.net_chips) for hand in hands]
    assert {hand.subject.digest() for hand in read.hands} == {both[0].subject.digest()}
    (bet,) = {a.total for a in hands[0].actions[0][:1]}
    assert f"cbr {bet / 100:g}" in text
    money = ("pot", "to_call", "stack", "total", "net", "net_0", "stack_0", "blind_0")
    for rows in (decision_rows, hand_rows):
        for found, whole in zip(rows(hands), rows(others), strict=True):
            for key in found.keys() & {*money}:
                assert (found[key] or 0) == pytest.approx((whole[key] or 0) / 100, abs=1e-12), key


def test_a_node_is_re_solved_alike(both) -> None:
    found, expected = (
        errai.resolve(solution, "check bet 75%", menu="50%, a", gadget="resolve", threads=1, target="2%pot")
        for solution in both
    )
    assert found.state.betting.spent == expected.state.betting.spent
    assert found.root.actions == ("fold", "call", "raise 11.01", "raise 12.39", "raise 22.25")
    assert found.before.chips == pytest.approx(expected.before.chips / 100, rel=1e-4)
    assert found.after.chips == pytest.approx(expected.after.chips / 100, rel=2e-2)
    assert found.before.mbb == pytest.approx(expected.before.mbb, rel=1e-4)
    assert found.root.pot_chips == pytest.approx(expected.root.pot_chips / 100)
    assert found.verify()
    solution = found.solutions[0]
    assert solution.subject.title == "QsJh2c8d after 'call raise to 4.13'"


def whole_hand(spot_hand, board: str = "2cJhQs8d") -> str:
    """The hand in dollars and cents, of a whole game of $0.50/$1 with $25 each, in the format PHH."""
    deck = spot_hand.subject.deck
    first, second = (deck.cards_text(hole) for hole in spot_hand.hole)
    actions = [f"d dh p1 {first}", f"d dh p2 {second}", "p2 cbr 2.75", "p1 cc", f"d db {board[:6]}", "p1 cc", "p2 cc"]
    dealt, on_table = {2: board[6:], 3: deck.cards_text(spot_hand.board[4:])}, 1
    for state, action in spot_hand.moments():
        if state.betting.round > on_table:
            on_table = state.betting.round
            actions.append(f"d db {dealt[on_table]}")
        to = action.total - state.betting.before_street(state.actor)
        actions.append(f"p{state.actor + 1} " + (f"cbr {to / 100:.2f}" if action.kind == ActionKind.RAISE else "cc"))
    if on_table < 3:
        actions.append(f"d db {dealt[3]}")
    actions += ["p1 sm -", "p2 sm -"]
    number = spot_hand.number
    return (
        f'variant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [0.50, 1.00]\nmin_bet = 1.00\ncurrency = "USD"\n'
        f'starting_stacks = [25.00, 25.00]\nactions = {actions!r}\nplayers = ["Ann", "Bob"]\nhand = {number}\n'
    )


@pytest.mark.parametrize("named", [True, False])
def test_dollars_and_cents_are_reviewed_against_a_spot_in_dollars(both, named: bool) -> None:
    solution = both[0]
    inside = list(played(both[1].subject))
    hands = read_text("".join(f"[{n}]\n{whole_hand(hand)}\n" for n, hand in enumerate(inside, 1)))
    assert hands.faults == ()
    if not named:
        spot = dataclasses.replace(solution.subject, big_blind=None)
        solution = dataclasses.replace(solution, tree=dataclasses.replace(solution.tree, subject=spot))
    found, expected = review_hands(hands.hands, solution), review_hands(inside, both[1])
    assert found.left_out == expected.left_out
    assert len(found.decisions) == len(expected.decisions) > 40
    in_order = [
        sorted(review.decisions, key=lambda d: (d.hand, len(d.board), d.line, d.player)) for review in (found, expected)
    ]
    for decision, whole in zip(*in_order, strict=True):
        assert (decision.hand, decision.player, decision.mapped) == (whole.hand, whole.player, whole.mapped)
        assert decision.loss_chips == pytest.approx(whole.loss_chips / 100, abs=1e-4)
        # The spot is in dollars, and so is what was played.
        words, _, amount = whole.played.rpartition(" ")
        assert decision.played == (f"{words} {int(amount) / 100:g}" if words else whole.played)
    for hand, spot_hand in zip(hands.hands, inside, strict=True):
        aligned = align(hand, solution.subject)
        assert aligned.net_chips == pytest.approx(aligned.final_state().net_chips(aligned.hole))
        assert aligned.net_chips[0] == pytest.approx(spot_hand.net_chips[0] / 100)


def test_amounts_that_are_no_whole_chips_of_the_spot_are_reviewed(both) -> None:
    """A spot that counts in half big blinds meets cents: its chips are divided for the hand."""
    bets = {"bet": "50%, a", "raise": "a"}
    halves = Spot.from_dict({**FRACTIONS, "pot": 11, "stack": 44, "big_blind": 2, "bets": bets})
    solution = errai.solve(halves, max_iterations=60, threads=1)
    spot = Spot.from_dict({**HUNDREDFOLD, "stack": 2200})
    hand = Hand(spot, Deal(((48, 49), (44, 45)), (*spot.board, 1)))
    for action in (raise_to(237), CALL, CALL, CALL):
        hand.act(action)
    text = whole_hand(hand.played(("Ann", "Bob"))).replace("25.00", "24.75")
    (read,) = read_text(text).hands
    review = review_hands([read], solution)
    assert review.left_out == {}
    assert {d.played for d in review.decisions} == {"bet 4.74", "call", "check"}
    assert {(d.player, d.action) for d in review.decisions if d.played == "bet 4.74"} == {("Ann", "bet 6")}
    aligned = align(read, halves)
    assert (aligned.actions[0][0].total, aligned.subject.unit) == (237, 50)
    assert aligned.subject.digest() == halves.digest()
