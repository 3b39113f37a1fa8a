"""Boards and hands in the rounds of a game up to a renaming of suits, with their indices and weights.

A hand on a board has two indices.  By its *cards* it is the pair (hand, set of board cards), in which a card of the
flop is equivalent to one of the turn.  All features depend only on this pair, and hold'em has 169, 1,286,792,
13,960,050 and 123,156,254 of them.  As *dealt* it is the sequence (hand, flop, turn, river), of which the turn has
55,190,538.  A player with perfect recall knows this sequence.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import boards_after, hand_cards
from errai.cards.isomorphism import HandIndexer, canonical_count, orbit_sizes
from errai.cards.strength import HandRanking
from errai.errors import CardsError, InputError, UnsupportedGameError
from errai.games.game import Game
from errai.games.streets import STREETS


def round_name(round_index: int) -> str:
    """Return the name of a round: pre-flop, flop, turn and river, in any game."""
    return STREETS[round_index] if round_index < len(STREETS) else f"round {round_index}"


class DealIndexer:
    """Hands and boards of a game: ``hands``, int16[H, k], are all hands of the deck in the order of their index.

    ``board_cards`` are the numbers of board cards that are open in each round, ``final`` is that at the showdown.

    Raises :class:`UnsupportedGameError` if hands have more than two cards: there is no fast way to compute the
    strengths of all hands on a board then.
    """

    def __init__(self, game: Game) -> None:
        if game.num_hole_cards > 2:
            raise UnsupportedGameError(
                f"Hands of {game.num_hole_cards} cards have no card abstraction here; use a game with one or two."
            )
        self.game = game
        self.deck = game.deck
        self.hands = hand_cards(self.deck.num_cards, game.num_hole_cards)
        self.num_rounds = game.num_rounds
        self.board_cards = tuple(game.board_cards_in(round_index) for round_index in range(game.num_rounds))
        self.final = self.board_cards[-1]
        self.three_card = game.ranking is HandRanking.THREE_CARD

    @property
    def num_hands(self) -> int:
        """Number of all hands of the deck, H."""
        return len(self.hands)

    @cached_property
    def opponents(self) -> int:
        """Number of hands that an opponent may hold at the showdown, given a hand and the final board."""
        k = self.game.num_hole_cards
        return comb(self.deck.num_cards - self.final - k, k)

    def runouts(self, round_index: int) -> int:
        """Return the number of ways in which the board may be completed, given a hand and the board of a round."""
        held = self.game.num_hole_cards + self.board_cards[round_index]
        return comb(self.deck.num_cards - held, self.final - self.board_cards[round_index])

    def index_rounds(self, round_index: int, *, dealt: bool) -> tuple[int, ...]:
        """Return the rounds for the indexer of a round: the cards of the hand, then those of the board."""
        new = self.game.num_board_cards[: round_index + 1]
        board = [cards for cards in (new if dealt else (sum(new),)) if cards]
        return (self.game.num_hole_cards, *board)

    def indexer(self, round_index: int, *, dealt: bool = False) -> HandIndexer:
        """Return the indexer of hands on the boards of a round, by cards or as dealt."""
        return _indexer(self.index_rounds(round_index, dealt=dealt), self.deck)

    def num_classes(self, round_index: int, *, dealt: bool = False) -> int:
        """Return the number of hands on boards of a round up to suits."""
        indexer = self.indexer(round_index, dealt=dealt)
        return indexer.size(len(indexer.rounds) - 1)

    def num_boards(self, round_index: int, *, dealt: bool = False) -> int:
        """Return the number of boards of a round up to suits."""
        rounds = self.index_rounds(round_index, dealt=dealt)[1:]
        return canonical_count(self.deck.num_ranks, self.deck.num_suits, rounds)[-1] if rounds else 1

    def index(
        self, boards: NDArray[np.int16], round_index: int, *, dealt: bool = False, threads: int = 1
    ) -> NDArray[Any]:
        """Return the index of every hand on some boards of a round, int16[B, m], in the order dealt.

        The result is int64[B, H], -1 if the hand and the board share a card.
        """
        return self.indexer(round_index, dealt=dealt).index_hands(boards, self.hands, threads=threads)

    def boards(self, round_index: int, *, dealt: bool = False) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Return all boards of a round up to suits, int16[B, m], by cards or as dealt, and how many each represents."""
        return _boards(self.index_rounds(round_index, dealt=dealt)[1:], self.deck)

    def completions(self, boards: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return all final boards that begin with each of some boards, int16[B, C, final]."""
        num_boards, open_cards = boards.shape
        missing = self.final - open_cards
        free = np.ones((num_boards, self.deck.num_cards), dtype=bool)
        np.put_along_axis(free, boards.astype(np.intp), False, axis=1)
        rest = np.nonzero(free)[1].reshape(num_boards, -1).astype(np.int16)
        ways = comb(rest.shape[1], missing)
        picks = np.array(list(combinations(range(rest.shape[1]), missing)), dtype=np.intp).reshape(ways, missing)
        first = np.broadcast_to(boards[:, None, :], (num_boards, len(picks), open_cards))
        return np.concatenate([first, rest[:, picks]], axis=2)

    def next_cards(self, board: NDArray[np.int16], round_index: int) -> NDArray[np.int16]:
        """Return all boards of the next round that follow one board, int16[C, m'], with the new cards ascending."""
        new = self.board_cards[round_index + 1] - self.board_cards[round_index]
        return boards_after(board.tolist(), new, self.deck.num_cards)

    def checked_board(self, board: tuple[int, ...] | NDArray[Any], round_index: int) -> NDArray[np.int16]:
        """Return a board of a round as an array, int16[m], after checking it.

        Raises :class:`InputError` if there is no such round, and :class:`CardsError` if the number of cards is wrong
        for the round, or a card is repeated or not in the deck.
        """
        self.check_round(round_index)
        cards = [int(card) for card in board]
        if len(cards) != self.board_cards[round_index]:
            raise CardsError(
                f"A board of {len(cards)} cards is not a board of the {round_name(round_index)}; "
                f"{self.board_cards[round_index]} are open there."
            )
        if len(set(cards)) != len(cards) or any(not 0 <= card < self.deck.num_cards for card in cards):
            raise CardsError(f"{cards} is not a board: a card is repeated or not in a deck of {self.deck.num_cards}.")
        return np.array(cards, dtype=np.int16)

    def check_round(self, round_index: int) -> None:
        """Raise InputError if the game has no such round."""
        if not 0 <= round_index < self.num_rounds:
            raise InputError(
                f"There is no round {round_index}; {self.game.name} has the rounds 0 to {self.num_rounds - 1}."
            )


_indexer = lru_cache(maxsize=32)(HandIndexer)


@lru_cache(maxsize=4)
def _boards(rounds: tuple[int, ...], deck: object) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    if not rounds:
        return np.zeros((1, 0), dtype=np.int16), np.ones(1, dtype=np.int64)
    indexer = _indexer(rounds, deck)
    last = len(rounds) - 1
    boards = indexer.unindex(np.arange(indexer.size(last)), last)
    multiplicity = orbit_sizes(indexer.deck, boards, rounds)
    boards.setflags(write=False)
    multiplicity.setflags(write=False)
    return boards, multiplicity
