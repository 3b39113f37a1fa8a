"""Betting against two independent implementations, by long random walks.

OpenSpiel's ``universal_poker`` runs the code of the ACPC dealer itself; PokerKit is a separate implementation
of the casino rules.  Every step compares who acts, which actions are legal and what is in the pot; the end
compares what each player wins, and with it the strength of the hands.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Sequence

import numpy as np
import pokerkit
import pyspiel
import pytest

from errai.cards.strength import strength
from errai.games.betting import ActionKind, BettingState
from errai.games.catalogue import load_game
from errai.games.game import Game

SPENT = re.compile(r"Spent: \[P0: (\d+)  P1: (\d+)")


def winnings(game: Game, state: BettingState, hands: Sequence[Sequence[int]], board: Sequence[int]) -> list[int]:
    if state.folded >= 0:
        sign = 1 if state.folded == 1 else -1
    else:
        cards = np.array([[*hand, *board] for hand in hands])
        first, second = strength(cards, game.deck, game.ranking)
        sign = int(np.sign(int(first) - int(second)))
    return [sign * state.stake_chips, -sign * state.stake_chips]


def choose(state: BettingState, rng: random.Random) -> tuple[ActionKind, int]:
    """An action of a walk: folds are rare, and small, large and odd raises all happen."""
    legal = state.legal()
    pick = rng.random()
    if legal.raise_range is not None and pick < 0.4:
        least, most = legal.raise_range
        narrow = min(most, least + rng.randrange(1, 2000))
        return ActionKind.RAISE, rng.choice((least, least, rng.randint(least, narrow), rng.randint(least, most)))
    if legal.fold and pick < 0.47:
        return ActionKind.FOLD, 0
    return ActionKind.CALL, 0


# --- OpenSpiel ---


def open_spiel_game(game: Game) -> pyspiel.Game:
    def text(values: Sequence[int]) -> str:
        return " ".join(str(value) for value in values)

    parameters: dict[str, str | int] = {
        "betting": "limit" if game.limit else "nolimit",
        # In limit games "fullgame" lists a raise as action 0; "fcpa" is the whole game there.
        "bettingAbstraction": "fcpa" if game.limit else "fullgame",
        "numPlayers": 2,
        "numRounds": game.num_rounds,
        "blind": text(game.blinds),
        "firstPlayer": text([player + 1 for player in game.first_player]),
        "maxRaises": text(game.max_raises),
        "numSuits": game.num_suits,
        "numRanks": game.num_ranks,
        "numHoleCards": game.num_hole_cards,
        "numBoardCards": text(game.num_board_cards),
        "stack": text(game.stacks),
    }
    if game.limit:
        parameters["raiseSize"] = text(game.raise_sizes)
    return pyspiel.load_game("universal_poker", parameters)


def walk_with_open_spiel(game: Game, peer_game: pyspiel.Game, rng: random.Random) -> None:
    peer = peer_game.new_initial_state()
    state = BettingState.start(game)
    dealt: list[int] = []
    hole = 2 * game.num_hole_cards
    while not peer.is_terminal():
        if peer.is_chance_node():
            # Cards have the same numbers in both: rank * suits + suit.
            card = rng.choice(peer.legal_actions())
            dealt.append(card)
            peer.apply_action(card)
            continue
        assert peer.current_player() == state.actor
        assert len(dealt) - hole == game.board_cards_in(state.round)
        match = SPENT.search(str(peer))
        assert match is not None
        assert (int(match[1]), int(match[2])) == state.spent
        legal, actions = state.legal(), sorted(peer.legal_actions())
        assert (0 in actions, 1 in actions) == (legal.fold, legal.call)
        raises = actions[legal.fold + legal.call :]
        if legal.raise_range is None:
            assert raises == []
        elif game.limit:
            assert raises == [2]
        else:
            least, most = legal.raise_range
            assert (raises[0], raises[-1], len(raises)) == (least, most, most - least + 1)
        kind, total = choose(state, rng)
        peer.apply_action(total if kind is ActionKind.RAISE and not game.limit else int(kind))
        state = state.apply(kind, total)
    assert state.is_over
    hands = dealt[: game.num_hole_cards], dealt[game.num_hole_cards : hole]
    assert winnings(game, state, hands, dealt[hole:]) == peer.returns()


def with_stacks(name: str, *stacks: int) -> Game:
    return dataclasses.replace(load_game(name), stacks=stacks)


OPEN_SPIEL_GAMES = [
    load_game("kuhn"),
    load_game("leduc"),
    load_game("leduc.nolimit"),
    load_game("royal.limit"),
    load_game("holdem.limit.2p"),
    load_game("holdem.nolimit.2p"),
    with_stacks("holdem.nolimit.2p", 1500, 1500),
    with_stacks("holdem.nolimit.2p", 1500, 900),
    with_stacks("holdem.nolimit.2p", 300, 2000),
    dataclasses.replace(with_stacks("holdem.nolimit.2p", 3000, 3000), max_raises=(2, 1, 3, 0)),
    dataclasses.replace(load_game("leduc.nolimit"), stacks=(40, 40), blinds=(1, 0)),
]


def name_of(game: Game) -> str:
    return f"{game.name}-{game.stacks[0]}-{game.stacks[1]}-{game.max_raises[0]}"


@pytest.mark.parametrize("game", OPEN_SPIEL_GAMES, ids=name_of)
def test_open_spiel(game: Game) -> None:
    peer_game, rng = open_spiel_game(game), random.Random(1)
    for _ in range(60):
        walk_with_open_spiel(game, peer_game, rng)


@pytest.mark.slow
@pytest.mark.parametrize("game", OPEN_SPIEL_GAMES, ids=name_of)
def test_open_spiel_long(game: Game) -> None:
    """100,000 hands in all."""
    peer_game, rng = open_spiel_game(game), random.Random(2)
    for _ in range(100_000 // len(OPEN_SPIEL_GAMES) + 1):
        walk_with_open_spiel(game, peer_game, rng)


# --- PokerKit ---

AUTOMATIONS = tuple(
    automation
    for automation in pokerkit.Automation
    if automation.name not in {"BOARD_DEALING", "HOLE_DEALING", "CARD_BURNING", "RUNOUT_COUNT_SELECTION"}
)

Start = Callable[[Game], pokerkit.State]


def start_no_limit(game: Game) -> pokerkit.State:
    # PokerKit wants the small blind first and gives it to the dealer, player 1, in a game of two.
    return pokerkit.NoLimitTexasHoldem.create_state(
        AUTOMATIONS, True, 0, game.blinds[::-1], game.big_blind, game.stacks, 2
    )


def start_limit(game: Game) -> pokerkit.State:
    sizes = game.raise_sizes[0], game.raise_sizes[-1]
    stack = min(game.stacks[0], 100_000)
    return pokerkit.FixedLimitTexasHoldem.create_state(AUTOMATIONS, True, 0, game.blinds[::-1], *sizes, stack, 2)


def start_kuhn(game: Game) -> pokerkit.State:
    return pokerkit.KuhnPoker.create_state(AUTOMATIONS, True, game.blinds[0], game.raise_sizes[0], 100)


def start_leduc(game: Game) -> pokerkit.State:
    return pokerkit.LeducHoldem.create_state(
        AUTOMATIONS, True, game.blinds[0], game.raise_sizes[0], game.raise_sizes[1], 100
    )


def walk_with_pokerkit(game: Game, start: Start, rng: random.Random) -> None:
    peer = start(game)
    cards = rng.sample(range(game.deck.num_cards), 2 * game.num_hole_cards + sum(game.num_board_cards))
    # PokerKit's three-rank decks are J, Q, K.
    ranks = "JQK" if game.num_ranks == 3 else game.deck.ranks

    def text(some: Sequence[int]) -> str:
        return "".join(ranks[card // game.num_suits] + game.deck.suits[card % game.num_suits] for card in some)

    hole = game.num_hole_cards
    hands, board = (cards[:hole], cards[hole : 2 * hole]), cards[2 * hole :]
    for hand in hands:
        peer.deal_hole(text(hand))
    shown = 0

    def deal_board(count: int) -> None:
        nonlocal shown
        if peer.can_burn_card("??"):
            peer.burn_card("??")
        peer.deal_board(text(board[shown:count]))
        shown = count

    state = BettingState.start(game)
    while not state.is_over:
        if shown < game.board_cards_in(state.round):
            deal_board(game.board_cards_in(state.round))
        assert peer.actor_index == state.actor
        assert peer.total_pot_amount == state.pot
        legal = state.legal()
        assert peer.can_fold() == legal.fold
        assert peer.can_check_or_call() == legal.call
        assert peer.checking_or_calling_amount == state.to_call_chips
        # PokerKit counts a raise within the street.
        before = state.round_start[state.actor] if state.round else 0
        if legal.raise_range is None:
            assert not peer.can_complete_bet_or_raise_to()
        else:
            before = game.blinds[0] if game.num_hole_cards == 1 and state.round == 0 else before
            assert peer.min_completion_betting_or_raising_to_amount + before == legal.raise_range[0]
            assert peer.max_completion_betting_or_raising_to_amount + before == legal.raise_range[1]
        kind, total = choose(state, rng)
        if kind is ActionKind.FOLD:
            peer.fold()
        elif kind is ActionKind.CALL:
            peer.check_or_call()
        else:
            peer.complete_bet_or_raise_to(total - before)
        state = state.apply(kind, total)
    for round_index in range(state.round + 1, game.num_rounds if state.showdown else 0):
        deal_board(game.board_cards_in(round_index))
    assert not peer.status
    assert list(peer.payoffs) == winnings(game, state, hands, board)


POKERKIT_GAMES: list[tuple[Game, Start]] = [
    (load_game("holdem.nolimit.2p"), start_no_limit),
    (with_stacks("holdem.nolimit.2p", 1500, 1500), start_no_limit),
    # PokerKit does not count the big blind as a bet, so that four raises are allowed before the flop as well.
    (dataclasses.replace(load_game("holdem.limit.2p"), max_raises=(4, 4, 4, 4)), start_limit),
    (dataclasses.replace(with_stacks("holdem.limit.2p", 75, 75), max_raises=(4, 4, 4, 4)), start_limit),
    (load_game("leduc"), start_leduc),
    (load_game("kuhn"), start_kuhn),
]
POKERKIT_NAMES = [name_of(game) for game, _ in POKERKIT_GAMES]


@pytest.mark.parametrize(("game", "start"), POKERKIT_GAMES, ids=POKERKIT_NAMES)
def test_pokerkit(game: Game, start: Start) -> None:
    rng = random.Random(3)
    for _ in range(60):
        walk_with_pokerkit(game, start, rng)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "start"), POKERKIT_GAMES, ids=POKERKIT_NAMES)
def test_pokerkit_long(game: Game, start: Start) -> None:
    """100,000 hands in all."""
    rng = random.Random(4)
    for _ in range(100_000 // len(POKERKIT_GAMES) + 1):
        walk_with_pokerkit(game, start, rng)
