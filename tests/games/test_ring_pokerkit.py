"""Hands of three to six players with unequal stacks, played here and by pokerkit: turns, limits and payoffs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

import errai
from errai.games.hand import CALL, FOLD, Action, Deal, raise_to
from errai.games.ring import RingHand

AUTOMATIC = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


# Cards that pokerkit burns may be those that are dealt here; it only warns of that.
@pytest.mark.filterwarnings("ignore:A card being dealt")
@pytest.mark.parametrize("limit", [False, True])
@pytest.mark.parametrize("players", [3, 4, 6])
def test_a_hand_ends_as_pokerkit_has_it(players: int, limit: bool) -> None:
    rng = np.random.default_rng(10 * players + limit)
    base = errai.load_ring_game("holdem.limit.3p" if limit else "holdem.nolimit.3p")
    blinds = (5, 10) if limit else (50, 100)
    side_pots = raises = 0
    for _ in range(150):
        stacks = tuple(rng.integers(2 * blinds[1], 12 * blinds[1], players).tolist())
        game = replace(
            base,
            stacks=stacks,
            blinds=(*blinds, *[0] * (players - 2)),
            first_player=(2 % players, 0, 0, 0),
            # pokerkit's cap counts the big blind as a bet, so nobody comes near it here.
            max_raises=(3, 4, 4, 4) if limit else base.max_raises,
        )
        cards = rng.permutation(52)[: 2 * players + 5].tolist()
        hole = tuple(tuple(cards[2 * p : 2 * p + 2]) for p in range(players))
        board = tuple(cards[2 * players :])
        hand: Any = RingHand(game, Deal(hole, board))  # type: ignore[arg-type]
        if limit:
            peer = FixedLimitTexasHoldem.create_state(AUTOMATIC, True, 0, blinds, 10, 20, stacks, players)
        else:
            peer = NoLimitTexasHoldem.create_state(AUTOMATIC, True, 0, blinds, 100, stacks, players)
        text = game.deck.cards_text
        for own in hole:
            peer.deal_hole(text(own))
        shown = 0
        while not hand.is_over:
            state = hand.state
            while peer.can_deal_board():
                count = 3 if shown == 0 else 1
                peer.deal_board(text(board[shown : shown + count]))
                shown += count
            assert peer.actor_index == hand.actor
            assert tuple(state.board) == board[:shown]
            betting, legal = state.betting, state.betting.legal()
            assert peer.can_fold() == legal.fold or not legal.fold
            choices: list[Action] = [CALL, CALL, *([FOLD] if legal.fold else [])]
            if legal.raise_range is not None:
                low, high = legal.raise_range
                total = int(rng.choice([low, high, int(rng.integers(low, high + 1))]))
                begun = betting.round_start[hand.actor] if betting.round else 0
                # After a short all-in pokerkit lets those who have acted call or fold only; the ACPC's dealer does not.
                if peer.can_complete_bet_or_raise_to(total - begun):
                    choices += [raise_to(total), raise_to(total)]
            action = choices[int(rng.integers(len(choices)))]
            if action == FOLD:
                peer.fold()
            elif action == CALL:
                cost = betting.to_call_chips
                assert peer.checking_or_calling_amount == cost
                peer.check_or_call()
            else:
                raises += 1
                peer.complete_bet_or_raise_to(action.total - (betting.round_start[hand.actor] if betting.round else 0))
            hand.act(action)
        while peer.can_deal_board():
            count = 3 if shown == 0 else 1
            peer.deal_board(text(board[shown : shown + count]))
            shown += count
        assert not peer.status
        side_pots += len(set(hand.state.betting.spent)) > 2
        # pokerkit pays odd chips to one of those who tie.
        np.testing.assert_allclose(hand.net_chips(), peer.payoffs, rtol=0, atol=players)
        whole = all(float(chips).is_integer() for chips in hand.net_chips())
        assert not whole or tuple(hand.net_chips()) == tuple(peer.payoffs)
    assert side_pots > 20
    assert raises > 50
