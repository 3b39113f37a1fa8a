"""The interface of card abstractions for the solvers, and the simplest ones."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import CardAbstraction
from errai.abstraction.deals import DealIndexer
from errai.abstraction.file import load_abstraction
from errai.cards.hands import hand_cards, hand_index
from errai.cards.strength import HandRanking, strengths_on_boards
from errai.errors import SolverOptionError, TreeTooLargeError
from errai.games.game import Game
from errai.store.atomic import refusals
from errai.tree.deal_root import DealRoot, deal_root, deal_size
from errai.tree.deal_tree import DealTree, build_deal_tree

MOST_CLASSES = 50_000_000
"""Largest number of hands up to suits, on all boards of a game, that may have a bucket each."""


class Abstraction(Protocol):
    """A map from hands to buckets, board by board.

    It must be invariant under suits: a hand and a board, with their suits renamed in the same way, are in the same
    bucket.
    """

    game: Game
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


class Identity(Abstraction):
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
        return self._classes[round]

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
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
        return _digest(self.game, "identity")


class OneBucket(Abstraction):
    """The coarsest abstraction: a player does not distinguish any hands."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def num_buckets(self, round: int) -> int:
        return 1

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        hands = hand_cards(self.game.deck.num_cards, self.game.num_hole_cards)
        return np.where(np.isin(hands, board).any(axis=1), -1, 0).astype(np.int32)

    def digest(self) -> str:
        return _digest(self.game, "one bucket")


class ByStrength(Abstraction):
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
        return self.count

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
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
        return _digest(self.game, "by strength", self.count)


class ByRound(Abstraction):
    """An abstraction whose rounds are those of several others, one for each round."""

    def __init__(self, rounds: Sequence[Abstraction]) -> None:
        self.rounds, self.game = tuple(rounds), rounds[0].game

    def num_buckets(self, round: int) -> int:
        return self.rounds[round].num_buckets(round)

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        return self.rounds[round].buckets(board, round)


class BeforeTheLast(ByRound):
    """An abstraction with one bucket on the last street, where an opponent who responds best needs no table."""

    def __init__(self, inner: Abstraction) -> None:
        super().__init__([*[inner] * (inner.game.num_rounds - 1), OneBucket(inner.game)])
        self.inner = inner

    def digest(self) -> str:
        return self.inner.digest()


Texture = tuple[tuple[int, ...], tuple[int, ...], int, int]

_STRAIGHT = 5


def texture(board: tuple[int, ...], num_suits: int, num_ranks: int) -> Texture:
    """Return what tells boards apart in play.

    These are the numbers of cards of each suit and of each rank, descending; the distance of the highest rank from the
    top, on a scale of powers of two; and the most ranks within five in a row, with the highest of the deck also low.
    """
    suits = Counter(card % num_suits for card in board)
    ranks = Counter(card // num_suits for card in board)
    held = {*ranks, *(-1 for rank in ranks if rank == num_ranks - 1)}
    together = max((sum(low <= rank < low + _STRAIGHT for rank in held) for low in held), default=0)
    of_suits, of_ranks = (tuple(sorted(counts.values(), reverse=True)) for counts in (suits, ranks))
    return (of_suits, of_ranks, (num_ranks - 1 - max(ranks, default=0)).bit_length(), together)


class ByTexture(Abstraction):
    """An abstraction that divides each bucket of another one by the texture of the board.

    Imperfect-recall buckets that depend on the strength of hands forget the board.  An opponent who remembers it can
    exploit the mixture of hands that a bucket happens to have there.
    """

    def __init__(self, inner: Abstraction) -> None:
        self.inner = inner
        self.game = inner.game
        self._textures: dict[int, dict[Texture, int]] = {}

    def of_round(self, round: int) -> dict[Texture, int]:
        """Return all textures of the boards of a round, numbered."""
        if round not in self._textures:
            boards = DealIndexer(self.game).boards(round)[0].tolist() if self.game.board_cards_in(round) else [[]]
            every = sorted({self._texture(tuple(board)) for board in boards})
            self._textures[round] = {one: i for i, one in enumerate(every)}
        return self._textures[round]

    def num_buckets(self, round: int) -> int:
        return len(self.of_round(round)) * self.inner.num_buckets(round)

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        found = self.inner.buckets(board, round)
        first = self.of_round(round)[self._texture(board)] * self.inner.num_buckets(round)
        return np.where(found < 0, found, found + np.int32(first))

    def digest(self) -> str:
        return hashlib.sha256(f"{self.inner.digest()}|by texture".encode()).hexdigest()

    def _texture(self, board: tuple[int, ...]) -> Texture:
        return texture(board, self.game.deck.num_suits, self.game.deck.num_ranks)


class StoredAbstraction(Abstraction):
    """An abstraction from a file or folder.

    Its digest is that of the files, unless another one is given, because a file has other content too.
    """

    def __init__(self, inner: CardAbstraction, path: Path, game: Game, digest: str | None = None) -> None:
        self.inner, self.path, self.game = inner, path, game
        self._given = digest

    def num_buckets(self, round: int) -> int:
        return int(self.inner.num_buckets(round))

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
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
        return self._digest if self._given is None else self._given


def grafted(base: Abstraction, finer: Abstraction) -> Abstraction:
    """Return an abstraction with the buckets of ``base`` on the first street and those of ``finer`` after it.

    Raises :class:`SolverOptionError` if they are of games with other cards.
    """
    if base.game.deck != finer.game.deck or base.game.num_board_cards != finer.game.num_board_cards:
        raise SolverOptionError(
            f"Buckets of '{finer.game.name}' cannot be grafted onto a strategy of '{base.game.name}'."
        )
    mixed = Grafted(base, finer)
    if isinstance(base, StoredAbstraction) and isinstance(finer, StoredAbstraction):
        rounds = [base.inner.rounds[0], *finer.inner.rounds[1:]]
        words = {"grafted": finer.inner.description, "onto": base.inner.description}
        inner = CardAbstraction(finer.game, rounds, "imperfect", words)
        return StoredAbstraction(inner, finer.path, finer.game, mixed.digest())
    return mixed


class Grafted(ByRound):
    """The buckets of one abstraction on the first street, and those of another after it."""

    def __init__(self, base: Abstraction, finer: Abstraction) -> None:
        super().__init__([base, *[finer] * (finer.game.num_rounds - 1)])
        self.base, self.finer = base, finer

    def digest(self) -> str:
        return _digest(self.finer.game, self.base.digest(), self.finer.digest(), "grafted")


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
    if text == "identity":
        return Identity(game)
    if text == "one-bucket":
        return OneBucket(game)
    name, _, count = text.partition(":")
    if name == "by-strength":
        if not count.isdecimal():
            raise SolverOptionError(f"{text!r} does not say how many buckets; write by-strength:20.")
        return ByStrength(game, int(count))
    path = Path(text)
    with refusals(path, "be read"):
        if folder is not None and not path.is_absolute() and (folder / path).exists():
            path = folder / path
        found = path.exists()
    if not found:
        raise SolverOptionError(
            f"There is no abstraction {text!r}; give identity, one-bucket, by-strength:20, or a file or folder of "
            "`errai abstract`."
        )
    inner = load_abstraction(path)
    # Their betting does not matter to buckets.
    cards = ("num_suits", "num_ranks", "num_hole_cards", "num_board_cards", "ranking")
    if any(getattr(inner.game, name) != getattr(game, name) for name in cards):
        raise SolverOptionError(
            f"{text!r} is an abstraction of '{inner.game.name}', whose cards are not those of '{game.name}'."
        )
    return StoredAbstraction(inner, path, game)
