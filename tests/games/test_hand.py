"""Deals, public states and results of one hand: against PokerKit, and against brute force in small games and spots."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import Counter

import numpy as np
import pytest
from pokerkit import StandardHighHand
from random_hands import random_action, random_hand, short_stacks

from errai.cards.hands import hand_cards
from errai.errors import CardsError, IllegalActionError
from errai.games.betting import ActionKind
from errai.games.catalogue import catalogue, load_game
from errai.games.hand import CALL, FOLD, Action, Deal, Hand, PublicState, Shuffle, raise_to
from errai.games.spot import parse_spot

SPOT = """
board = "Qs Jh 2h 8d"
pot = 21
stack = 40
big_blind = 2
[ranges]
oop = "QQ:0.5, AsKs, T9s:0.25"
ip = "JJ, AK:0.75"
[bets]
bet = "50%"
raise = "a"
"""


def test_shuffles_are_even():
    game, rng, count = load_game("kuhn"), np.random.default_rng(1), 6000
    shuffle = Shuffle(game)
    dealt = Counter(shuffle.deal(rng).hole for _ in range(count))
    assert len(dealt) == 6
    # Five degrees of freedom: 99.9 % of samples are below 20.5.
    assert sum((n - count / 6) ** 2 / (count / 6) for n in dealt.values()) < 20.5


def test_shuffles_repeat():
    for name in catalogue():
        shuffle = Shuffle(load_game(name))
        assert shuffle.deal(np.random.default_rng(5)) == shuffle.deal(np.random.default_rng(5))


def test_hands_of_a_spot_come_as_its_ranges_weigh_them():
    spot, rng, count = parse_spot(SPOT), np.random.default_rng(2), 6000
    shuffle = Shuffle(spot)
    deals = [shuffle.deal(rng) for _ in range(count)]
    for deal in deals[:200]:
        cards = [*deal.hole[0], *deal.hole[1], *deal.board]
        assert len(set(cards)) == len(cards) == 9
        assert deal.board[:4] == spot.board
    hands = hand_cards(52, 2)
    first, second = (
        [
            (i, float(held.weights[i]))
            for i in np.flatnonzero(np.asarray(held.weights))
            if not set(hands[i].tolist()) & set(spot.board)
        ]
        for held in spot.ranges
    )
    weights = {
        (tuple(hands[a].tolist()), tuple(hands[b].tolist())): x * y
        for (a, x), (b, y) in itertools.product(first, second)
        if not set(hands[a].tolist()) & set(hands[b].tolist())
    }
    total = sum(weights.values())
    found = Counter(deal.hole for deal in deals)
    assert set(found) <= set(weights)
    chi = sum((found[pair] - count * w / total) ** 2 / (count * w / total) for pair, w in weights.items())
    # The mean of the distribution is its degrees of freedom, its variance twice that; five standard deviations.
    freedom = len(weights) - 1
    assert chi < freedom + 5 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("name", ["holdem.limit.2p", "holdem.nolimit.2p"])
def test_results_against_pokerkit_s_hands(name):
    """What is won is what the shorter contribution puts at stake, and the better of PokerKit's hands takes it."""
    for number in range(150):
        game = load_game(name) if number % 3 == 0 else short_stacks(load_game(name), number)
        hand = random_hand(game, 11, number)
        state = hand.final_state()
        stake = min(state.betting.spent)
        if state.betting.folded >= 0:
            expected = stake if state.betting.folded == 1 else -stake
        else:
            board = game.deck.cards_text(hand.board)
            first, second = (StandardHighHand.from_game(game.deck.cards_text(cards), board) for cards in hand.hole)
            expected = stake * ((first > second) - (first < second))
        assert hand.net_chips == (expected, -expected)


def test_leduc_results_by_hand():
    game = load_game("leduc")
    deck = game.deck

    def net(first: str, second: str, board: str, *actions: Action) -> tuple[float, float]:
        cards = deck.parse_card
        hand = Hand(game, Deal(((cards(first),), (cards(second),)), (cards(board),)))
        for action in actions:
            hand.act(action)
        assert hand.state.is_over
        return hand.net_chips()

    assert net("Qs", "Ks", "Qh", CALL, CALL, CALL, CALL) == (1, -1)  # a pair beats a king
    assert net("Qs", "Ks", "As", raise_to(3), CALL, raise_to(7), raise_to(11), CALL) == (-11, 11)
    assert net("Ks", "Kh", "As", raise_to(3), CALL, CALL, CALL) == (0, 0)
    assert net("As", "Qs", "Ah", raise_to(3), raise_to(5), FOLD) == (-3, 3)


def test_a_spot_shares_its_pot():
    spot = parse_spot(SPOT)
    state = PublicState.start(spot)
    assert (state.pot_chips, state.dead_chips, state.first_round, state.actor) == (21, 10.5, 2, 0)
    state = state.after(raise_to(10))
    assert state.pot_chips == 31
    folded = state.after(FOLD)
    assert folded.net_chips(((), ())) == (10.5, -10.5)
    called = state.after(CALL)
    assert (called.cards_due, called.actor, called.legal_actions) == (1, -1, ())
    deck = spot.deck
    river = called.with_cards(deck.parse_cards("3s")).after(CALL).after(CALL)
    assert river.net_chips((deck.parse_cards("QhQc"), deck.parse_cards("JsJc"))) == (20.5, -20.5)


def test_states_follow_the_cards():
    game = load_game("holdem.limit.2p")
    state = PublicState.start(game)
    assert state.legal_actions == (FOLD, CALL, raise_to(20))
    state = state.after(Action(ActionKind.RAISE)).after(CALL)
    assert state.actions == ((raise_to(20), CALL), ())  # limit raises carry their total
    assert (state.cards_due, state.actor) == (3, -1)
    with pytest.raises(IllegalActionError, match="3 board cards"):
        state.after(CALL)
    with pytest.raises(CardsError, match="cannot be dealt"):
        state.with_cards((0, 1, 2, 3))
    with pytest.raises(CardsError, match="cannot be dealt"):
        state.with_cards((0, 0, 1))
    flop = state.with_cards((0, 1, 2))
    assert (flop.actor, flop.board, flop.line) == (0, (0, 1, 2), (raise_to(20), CALL))
    with pytest.raises(CardsError, match="cannot be dealt"):
        flop.with_cards((5,))


def test_an_illegal_action_changes_nothing():
    rng = random.Random(1)
    for number in range(40):
        game = short_stacks(load_game("holdem.nolimit.2p"), number)
        hand = Hand(game, Shuffle(game).deal(np.random.default_rng(number)), number)
        while not hand.state.is_over:
            before = hand.state
            legal = before.betting.legal()
            wrong = [raise_to((legal.raise_range or (0, 0))[1] + 1), raise_to(1), Action(ActionKind.RAISE, -5)]
            wrong += [] if legal.fold else [FOLD]
            for action in wrong:
                with pytest.raises(IllegalActionError):
                    hand.act(action)
                assert hand.state is before
            hand.act(random_action(before, rng))
            assert hand.state.pot_chips == sum(hand.state.betting.spent)


def test_a_record_replays():
    for name in catalogue():
        game = load_game(name)
        for number in range(20):
            record = random_hand(game, 13, number)
            hand = Hand(game, Deal(record.hole, record.board), number)
            for state, action in record.moments():
                assert state == hand.state
                hand.act(action)
            assert hand.played(record.players) == record
            assert record.final_state() == hand.state
            assert hash(record) == hash(dataclasses.replace(record, details={"table": "other"}))


def test_what_a_seat_sees():
    game = load_game("leduc")
    hand = Hand(game, Shuffle(game).deal(np.random.default_rng(3)), 4)
    first = hand.observation(0)
    assert (first.cards, first.opponent_cards, first.hand_number, first.my_turn) == (hand.deal.hole[0], None, 4, True)
    assert first.state.board == ()
    for action in (CALL, CALL, raise_to(5), CALL):
        hand.act(action)
    assert hand.observation(0).opponent_cards == hand.deal.hole[1]
    folded = Hand(game, hand.deal)
    folded.act(raise_to(3))
    folded.act(FOLD)
    assert folded.observation(0).opponent_cards is None
