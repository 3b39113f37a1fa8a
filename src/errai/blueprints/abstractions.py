"""The interface of card abstractions for the solvers, and the simplest ones."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import CardAbstraction
from errai.abstraction.file import load_abstraction
from errai.cards.hands import hand_cards, hand_index
from errai.cards.strength import HandRanking, strengths_on_boards
from errai.errors import SolverOptionError, TreeTooLargeError
from errai.games.game import Game
from errai.tree.deal_root import DealRoot, deal_root
from errai.tree.deal_size import deal_size
from errai.tree.deal_tree import DealTree, build_deal_tree

MOST_CLASSES = 50_000_000
"""Largest number of hands up to suits, on all boards of a game, that may have a bucket each."""


class Abstraction(Protocol):
    """A map from hands to buckets, board by board.

    It must be invariant under suits: a hand and a board, with their suits renamed in the same way, are in the same
    bucket.
    """

    @property
    def game(self) -> Game:
        """The game of the hands."""

    def num_buckets(self, round: int) -> int:
        """Return the number of buckets of a betting round, counted from 0."""

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        """Return int32[H]: the bucket of every hand of the deck, in hand-index order; -1 if the board blocks it.

        ``board`` has all cards dealt so far, those of each round ascending.
        """

    def digest(self) -> str:
        """Return a digest that identifies the abstraction."""


def _digest(game: Game, *what: object) -> str:
    return hashlib.sha256("|".join([game.digest(), *map(str, what)]).encode()).hexdigest()


def live_hands(game: Game, board: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return bool[H]: the hands of the deck that a board does not block."""
    hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
    return np.asarray(~np.isin(hands, board).any(axis=1))


class Identity:
    """The abstraction without loss: every hand on every board, up to suits, is a bucket of its own.

    Buckets are numbered as the classes of the deal tree, which is built when it is first needed.  Raises
    :class:`TreeTooLargeError` then if there are too many.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    @cached_property
    def _root(self) -> DealRoot:
        game = self.game
        return deal_root(game.deck, game.num_hole_cards, tuple(game.num_board_cards[1:]), ranking=game.ranking)

    @cached_property
    def _classes(self) -> tuple[int, ...]:
        """Number of hands up to suits on all boards, for each round."""
        return tuple(int(pair[0]) for pair in deal_size(self._root).classes)

    @cached_property
    def _deal(self) -> DealTree:
        classes = sum(self._classes)
        if classes > MOST_CLASSES:
            raise TreeTooLargeError(
                f"'{self.game.name}' has {classes:,} hands up to suits on all its boards, too many for a bucket each; "
                "give an abstraction."
            )
        return build_deal_tree(self._root, showdown=False)

    def num_buckets(self, round: int) -> int:
        """See :meth:`Abstraction.num_buckets`."""
        return self._classes[round]

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        """See :meth:`Abstraction.buckets`."""
        deal, index, card_map, dealt = self._deal, 0, np.arange(self.game.deck.num_cards), 0
        for street, count in enumerate(deal.root.new_cards[:round]):
            image = tuple(sorted(card_map[list(board[dealt : dealt + count])].tolist()))
            index, step = deal.find(street + 1, index, image)
            card_map = step[card_map]
            dealt += count
        hands = deal.streets[round].hands[0]
        first, last = int(hands.start[index]), int(hands.start[index + 1])
        members = hands.member[hands.member_start[first] : hands.member_start[last]]
        bucket = np.full(len(deal.root.hands), -1, dtype=np.int32)
        bucket[members] = np.repeat(np.arange(first, last), np.diff(hands.member_start[first : last + 1]))
        return bucket[hand_index(np.sort(card_map[deal.root.hands], axis=1))]

    def digest(self) -> str:
        """See :meth:`Abstraction.digest`."""
        return _digest(self.game, "identity")


class OneBucket:
    """The coarsest abstraction: a player does not distinguish any hands."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def num_buckets(self, round: int) -> int:
        """See :meth:`Abstraction.num_buckets`."""
        return 1

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        """See :meth:`Abstraction.buckets`."""
        return np.where(live_hands(self.game, board), 0, -1).astype(np.int32)

    def digest(self) -> str:
        """See :meth:`Abstraction.digest`."""
        return _digest(self.game, "one bucket")


class ByStrength:
    """Buckets of equal size by the strength of hands on the present board; 0 is the weakest.

    The strength of a hand is the share of all possible hands on the board that are weaker, ties counting half.

    Raises :class:`SolverOptionError` for less than one bucket.
    """

    def __init__(self, game: Game, count: int) -> None:
        if count < 1:
            raise SolverOptionError(f"'by-strength' needs at least one bucket, not {count}.")
        self.game = game
        self.count = count

    def num_buckets(self, round: int) -> int:
        """See :meth:`Abstraction.num_buckets`."""
        return self.count

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        """See :meth:`Abstraction.buckets`."""
        game = self.game
        hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
        # The three-card ranking applies only once there are three cards.
        ranking = game.ranking if len(board) + game.num_hole_cards == 3 else HandRanking.STANDARD
        cards = np.array(board, dtype=np.int16).reshape(1, -1)
        strength = strengths_on_boards(cards, hands, game.deck, ranking)[0]
        ordered = np.sort(strength[strength >= 0])
        # Twice the number of weaker hands plus the number of equal ones is an integer, so rounding cannot change a
        # bucket.
        below = np.searchsorted(ordered, strength, "left") + np.searchsorted(ordered, strength, "right")
        bucket = np.minimum(below * self.count // (2 * len(ordered)), self.count - 1)
        return np.where(strength >= 0, bucket, -1).astype(np.int32)

    def digest(self) -> str:
        """See :meth:`Abstraction.digest`."""
        return _digest(self.game, "by strength", self.count)


def simple_abstraction(text: str, game: Game) -> Abstraction | None:
    """Return the abstraction that ``identity``, ``one-bucket`` or ``by-strength:20`` names; None for any other text.

    Raises :class:`SolverOptionError` for an invalid number of buckets.
    """
    name, _, count = text.partition(":")
    if text == "identity":
        return Identity(game)
    if text == "one-bucket":
        return OneBucket(game)
    if name == "by-strength":
        if not count.isdecimal():
            raise SolverOptionError(f"{text!r} does not say how many buckets; write by-strength:20.")
        return ByStrength(game, int(count))
    return None


class StoredAbstraction:
    """An abstraction from a file or folder.

    Its digest is that of the files, unless another one is given, because a file has other content too.
    """

    def __init__(self, inner: CardAbstraction, path: Path, game: Game | None = None, digest: str | None = None) -> None:
        self.inner = inner
        self.path = path
        self.game: Game = inner.game if game is None else game
        self._given = digest

    def num_buckets(self, round: int) -> int:
        """See :meth:`Abstraction.num_buckets`."""
        return int(self.inner.num_buckets(round))

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        """See :meth:`Abstraction.buckets`."""
        return np.asarray(self.inner.buckets(board, round), dtype=np.int32)

    @cached_property
    def _digest(self) -> str:
        total = hashlib.sha256()
        files = [self.path] if self.path.is_file() else sorted(p for p in self.path.rglob("*") if p.is_file())
        for file in files:
            with file.open("rb") as stream:
                total.update(hashlib.file_digest(stream, "sha256").digest())
        return total.hexdigest()

    def digest(self) -> str:
        """See :meth:`Abstraction.digest`."""
        return self._digest if self._given is None else self._given


def read_abstraction(text: str, game: Game, folder: Path | None = None) -> Abstraction:
    """Return the abstraction that a text names: ``identity``, ``one-bucket``, ``by-strength:20``, or a file or folder.

    Relative paths are relative to ``folder``, if it is given and has such a file.

    Raises
    ------
    SolverOptionError
        The text names no abstraction, or one of another game.
    ArtefactError
        The file cannot be used.
    """
    simple = simple_abstraction(text, game)
    if simple is not None:
        return simple
    path = Path(text)
    if folder is not None and not path.is_absolute() and (folder / path).exists():
        path = folder / path
    if not path.exists():
        raise SolverOptionError(
            f"There is no abstraction {text!r}; give identity, one-bucket, by-strength:20, or a file or folder of "
            "`errai abstract`."
        )
    found = StoredAbstraction(load_abstraction(path), path)
    if found.game.digest() != game.digest() and not _same_cards(found.game, game):
        raise SolverOptionError(
            f"{text!r} is an abstraction of '{found.game.name}', whose cards are not those of '{game.name}'."
        )
    found.game = game
    return found


def _same_cards(one: Game, other: Game) -> bool:
    """Return whether two games deal the same cards; their betting does not matter to buckets."""
    what = ("num_suits", "num_ranks", "num_hole_cards", "num_board_cards", "ranking")
    return all(getattr(one, name) == getattr(other, name) for name in what)
