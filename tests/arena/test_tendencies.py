"""Tendencies: counts of simulated hands give back the player who played them; what counts, and what does not."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.stats import dirichlet
from small_subjects import spot_text

import errai
from errai.agents.solved import SolvedAgent
from errai.arena.histories.holdem import named
from errai.arena.review import Alike, review_hands
from errai.arena.tendencies import observed
from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_index
from errai.errors import InputError, LineError, LockError, MatchError
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Deal, Hand, PlayedHand, Shuffle, raise_to
from errai.games.spot import parse_spot
from errai.solutions.locked_play import with_locks
from errai.solutions.relative_locks import observed_locks, relative_locks

SPOT = spot_text("Qs Jh 2c 8d 3s", "AA-TT, AQs, KTs, T9s, 98s", "KK-99, AJs, KQs, T9s, 76s", bet="50%, a", stack=300)


@pytest.fixture(scope="module")
def river():
    return errai.solve(parse_spot(SPOT), "0.5%pot", threads=1)


def simulated(solution, count: int, seed: int = 1) -> list[PlayedHand]:
    """Hands of two players who play as a solution does, both under the names of their seats."""
    agent, known = SolvedAgent(solution), {}
    shuffle, rng = Shuffle(solution.subject), np.random.default_rng(seed)
    hands = []
    for number in range(count):
        hand = Hand(solution.subject, shuffle.numbered(seed, number), number)
        while not hand.is_over:
            state = hand.state
            if (key := (state.actions, state.board)) not in known:
                known[key] = agent.strategy(state)
            choices, cards = known[key], hand.deal.hole[hand.actor]
            row = choices.probabilities[int(hand_index(np.array(cards)))]
            hand.act(choices.actions[int(rng.choice(len(row), p=row / row.sum()))])
        hands.append(hand.played(("Ann", "Bob")))
    return hands


def test_a_locked_player_is_recovered_from_simulated_hands(river) -> None:
    """Bob folds 20 points more to a bet; what is made of 6,000 of his hands is the lock with which he played."""
    truth = relative_locks(river, "bet *", "more", "fold +20%", decimals=12)
    hands = simulated(with_locks(river, truth.tables), 6_000)
    found = observed(hands, river, "bet *", name="Bob")
    assert found.decisions == found.hands == sum(hand.actions[0][0].total > 0 for hand in hands) > 1_500
    folds = sum(hand.actions[0][0].total > 0 and hand.actions[0][1] == FOLD for hand in hands)
    assert found.counts["fold"] == folds
    assert list(found.counts) == ["fold", "call", "raise"]
    locks = observed_locks(river, found.tables, pseudo_hands=1, floor=1e-6, decimals=12)
    (shift,), (real,) = locks.shifts, truth.shifts
    error = np.sqrt(real.after[0] * (1 - real.after[0]) / found.decisions)
    assert real.after[0] - real.before[0] == pytest.approx(0.2, abs=1e-6)
    assert abs(shift.after[0] - real.after[0]) < 3 * error
    low, high = shift.intervals[0]
    assert low < real.after[0] < high
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.05)
    # Hand by hand the strategy is his, and not only in total.
    before, his, recovered = (
        (river if tables is None else with_locks(river, tables)).at("bet 50").strategies
        for tables in (None, truth.tables, locks.tables)
    )
    weight = river.at("bet 50").pair_weights[1]
    away, left = (
        float(np.nansum(weight[:, None] * np.abs(his - other)) / weight.sum()) for other in (before, recovered)
    )
    assert left < 0.15 * away
    # Of a player who plays as the solution does nothing is made of as many hands.
    (none,) = observed_locks(
        river, observed(simulated(river, 3_000), river, "bet *", name="Bob").tables, floor=1e-6
    ).shifts
    assert none.intervals[0][0] < none.before[0] < none.intervals[0][1]


def test_an_interval_is_that_of_the_dirichlet_distribution(river) -> None:
    counts = {"fold": 9, "call": 4, "raise": 1}
    (shift,) = observed_locks(river, {"bet *": counts}, pseudo_hands=12, floor=0.01).shifts
    assert shift.seen == (9, 4, 1)
    drawn = dirichlet.rvs(np.array(shift.seen) + 12 * np.array(shift.before), size=200_000, random_state=1)
    np.testing.assert_allclose(shift.after, drawn.mean(axis=0), atol=2e-3)
    np.testing.assert_allclose(np.array(shift.intervals).T, np.quantile(drawn, [0.025, 0.975], axis=0), atol=3e-3)
    # Counted as certain where neither the hands nor the solution ever do it.
    (shift,) = observed_locks(river, {"bet 50": {"fold": 5, "*": 0}}, pseudo_hands=1e-6, floor=0.1).shifts
    assert shift.intervals[0][1] <= 1.0


def whole(
    hand: PlayedHand, times: int = 1, board: str = "QsJh2c8d3s", opening: int = 50, stack: int = 350
) -> PlayedHand:
    """The hand as one of a whole game that comes to the river with a pot of twice ``opening``, its bets multiplied."""
    game = named(dataclasses.replace(load_game("holdem.nolimit.2p"), blinds=(2, 1), stacks=(stack, stack)))
    played = Hand(game, Deal(hand.hole, FULL_DECK.parse_cards(board)), hand.number)
    for action in (raise_to(opening), CALL, CALL, CALL, CALL, CALL):
        played.act(action)
    for action in hand.actions[0]:
        total = min(opening + action.total * times, stack)
        played.act(raise_to(total) if action.total else action)
    return played.played(hand.players)


def test_other_boards_pots_and_stacks_count_only_if_they_are_alike(river) -> None:
    inside = simulated(river, 40)
    own = observed(inside, river, "check", player=1).counts
    assert sum(own.values()) > 15
    pair = FULL_DECK.parse_cards("AhAs"), FULL_DECK.parse_cards("KhKs")
    elsewhere = [whole(dataclasses.replace(hand, hole=pair), board="4c4d4h5c5d") for hand in inside]
    larger = [whole(hand, times=2, opening=100, stack=700) for hand in inside]
    # Twice as deep: all-in would be another bet.
    shallow = [hand for hand in inside if max(action.total for action in hand.actions[0]) < 300]
    deeper = [whole(hand, stack=650) for hand in shallow]
    for hands, alike, reason in (
        (elsewhere, Alike(boards=True), "another board"),
        (larger, Alike(stacks=1.01), "another pot"),
        (deeper, Alike(stacks=2.01), "other stacks"),
    ):
        with pytest.raises(LockError, match=reason):
            observed(hands, river, "check")
        expected = observed(shallow if hands is deeper else inside, river, "check")
        found = observed(hands, river, "check", name="Bob", alike=alike)
        assert (found.counts, found.elsewhere) == (expected.counts, expected.decisions)
    with pytest.raises(LockError, match="another pot"):
        observed(larger, river, "check", alike=Alike(boards=True))
    with pytest.raises(LockError, match="too deep or too short"):
        observed(deeper, river, "check", alike=Alike(stacks=1.9))
    # Hands of all kinds together: bets of the same chips in another pot are other bets.
    both = observed([*inside, *larger, *elsewhere], river, "check", alike=Alike(True, 1.5))
    assert both.counts == {kind: 3 * count for kind, count in own.items()}
    assert both.elsewhere == 2 * sum(own.values())


def test_bets_are_mapped_as_in_a_review(river) -> None:
    def hand(number: int, *actions) -> PlayedHand:
        made = Hand(
            river.subject,
            Deal((FULL_DECK.parse_cards("AhAd"), FULL_DECK.parse_cards("KhKd")), river.subject.board),
            number,
        )
        for action in actions:
            made.act(action)
        return made.played(("Ann", "Bob"))

    # A bet of a sixth of the pot counts as a check, one of .6 as one of a half; one of 1.2 is far from both sizes.
    hands = [
        hand(1, raise_to(17), CALL),
        hand(2, raise_to(60), FOLD),
        hand(3, raise_to(50), CALL),
        hand(4, raise_to(120), CALL),
    ]
    found = observed(hands, river, "", name="Ann")
    review = review_hands(hands, river, player="Ann")
    assert found.counts == {"check": 1, "bet": 2}
    assert (found.mapped, found.elsewhere) == (2, 0)
    assert len(review.decisions) == found.decisions
    assert found.left_out == review.left_out
    answers = observed(hands, river, "bet 50", name="Bob")
    assert (answers.counts, answers.mapped) == ({"fold": 1, "call": 1, "raise": 0}, 1)
    # The cards of those who fold are not known, and their actions are counted all the same.
    unknown = [dataclasses.replace(one, hole=(None, None)) for one in hands]
    assert observed(unknown, river, "bet 50", name="Bob") == answers


def test_cards_of_the_line() -> None:
    turn = errai.solve(parse_spot(spot_text("Qs Jh 2c 8d", "AA", "KK", raises="")), max_iterations=1, threads=1)
    hands = simulated(turn, 60)
    checked = [FULL_DECK.card_text(hand.board[4]) for hand in hands if hand.actions[0] == (CALL, CALL)]
    (one, *_) = checked
    every = observed(hands, turn, "check check / *", player=0)
    assert every.decisions == len(checked) > 5
    assert observed(hands, turn, f"check check / {one}").decisions == checked.count(one)
    other = next(card for card in ("4c", "5c", "6c", "7c", "9c", "3c", "2d") if card not in checked)
    with pytest.raises(LockError, match="No hand has a decision"):
        observed(hands, turn, f"check check / {other}")
    assert observed(hands, turn, f"check check / {other}", alike=Alike(boards=True)).counts == every.counts


def test_what_cannot_be_counted(river) -> None:
    hands = simulated(river, 10)
    with pytest.raises(MatchError, match="No hand was played by 'Zoe'; the players are Ann, Bob"):
        observed(hands, river, "check", name="Zoe")
    with pytest.raises(LockError, match=r"No hand has a decision of 'Ann' at the end of the line 'check'\."):
        observed(hands, river, "check", name="Ann", player=1)
    with pytest.raises(LineError, match="decisions of"):
        observed(hands, river, "**")
    with pytest.raises(InputError, match="at least 1, not"):
        observed(hands, river, "check", alike=Alike(stacks=0.5))
    with pytest.raises(InputError, match="not of a lookahead"):
        observed(hands, errai.solve(errai.lookahead(load_game("kuhn")), max_iterations=1), "")
