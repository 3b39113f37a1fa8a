"""Before the flop: how often each hand beats each other one, over all boards.

Boards that only rename suits are gone through once: 134,459 of hold'em's 2,598,960.  For each of them the strengths of
all hands come from the native evaluator, and wins are counted for all pairs.  The sums over the boards that suits make
equal are then had by renaming the suits of the hands.  This takes about a minute, so the table is kept in the user's
cache, in a file with checksums that is made anew where it is damaged or gone.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import hand_cards, hand_permutation, suit_permutations
from errai.cards.isomorphism import HandIndexer
from errai.cards.strength import HandRanking, strengths_on_boards
from errai.errors import ArtefactError
from errai.store.container import open_container, write_container

KIND = "pair-margins"

Progress = Callable[[int, int], None]
"""Called with the boards done and their number."""

_BATCH = 255
"""Boards whose wins are counted in 8 bits before they are added up."""
_ROWS = 128
"""Hands whose counts are kept in the processor's cache meanwhile."""


def cache_folder() -> Path:
    """The folder for what can be made anew: ``$ERRAI_CACHE``, or the system's cache of this user."""
    if os.environ.get("ERRAI_CACHE"):
        return Path(os.environ["ERRAI_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "errai"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "errai"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "errai"


def pair_margins(
    deck: Deck, hole_cards: int, board_cards: int, ranking: HandRanking, progress: Progress | None = None
) -> NDArray[np.int32]:
    """Boards that a hand wins less those that it loses, for every pair of hands.

    Taken from the user's cache if it is there; otherwise counted and put there, where the system lets us.

    Returns
    -------
    int32[H, H], antisymmetric, over ``C(cards - 2 k, board_cards)`` boards.  Pairs that share a card have some number
    without meaning.
    """
    name = f"{deck.num_ranks}-ranks-{deck.num_suits}-suits-{hole_cards}-hole-{board_cards}-board-{ranking.value}"
    path = cache_folder() / f"{KIND}-{name}.errai"
    hands = comb(deck.num_cards, hole_cards)
    with contextlib.suppress(ArtefactError, OSError):
        kept = open_container(path, KIND)
        found = kept.read("margins")
        if kept.metadata.get("table") == name and found.shape == (hands, hands) and found.dtype == np.int32:
            return found
    margins = count_margins(deck, hole_cards, board_cards, ranking, progress)
    with contextlib.suppress(ArtefactError, OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_container(path, KIND, {"table": name}, {"margins": margins})
    return margins


def count_margins(
    deck: Deck, hole_cards: int, board_cards: int, ranking: HandRanking, progress: Progress | None = None
) -> NDArray[np.int32]:
    """Count :func:`pair_margins` by going through all boards up to suits."""
    hands = hand_cards(deck.num_cards, hole_cards)
    indexer = HandIndexer((board_cards,), deck)
    boards = indexer.unindex(np.arange(indexer.size(0)), 0)
    times = _sizes_of_orbits(boards, deck)
    wins = np.zeros((len(hands), len(hands)), dtype=np.int64)
    done = 0
    for size in np.unique(times).tolist():
        chosen = boards[times == size]
        for start in range(0, len(chosen), _BATCH):
            batch = chosen[start : start + _BATCH]
            _add_wins(wins, size, strengths_on_boards(batch, hands, deck, ranking))
            done += len(batch)
            if progress is not None:
                progress(done, len(boards))
    return _over_suits(wins - wins.T, deck, hole_cards)


def _sizes_of_orbits(boards: NDArray[np.int16], deck: Deck) -> NDArray[np.int64]:
    """int64[B]: how many boards a renaming of suits makes of each."""
    rank, suit = np.divmod(boards, deck.num_suits)
    ordered = np.sort(boards, axis=1)
    renamings = suit_permutations(deck.num_suits)
    same = np.zeros(len(boards), dtype=np.int64)
    for perm in renamings:
        renamed = np.sort(rank * deck.num_suits + np.asarray(perm, dtype=np.int16)[suit], axis=1)
        same += (renamed == ordered).all(axis=1)
    return np.asarray(len(renamings) // same)


def _add_wins(wins: NDArray[np.int64], times: int, strengths: NDArray[np.int32]) -> None:
    """Add the wins of hand i against hand j on some boards, ``times`` each; changes ``wins``."""
    # Ranks in 16 bits are compared at twice the speed.  A dead hand neither wins nor is won against.
    ranked = np.stack([np.unique(row, return_inverse=True)[1] for row in strengths]).astype(np.int16)
    dead = strengths < 0
    mine, other = np.where(dead, np.int16(-1), ranked), np.where(dead, np.iinfo(np.int16).max, ranked)
    count = wins.shape[0]
    for first in range(0, count, _ROWS):
        rows = slice(first, min(first + _ROWS, count))
        found = np.zeros((rows.stop - first, count), dtype=np.uint8)
        for b in range(len(strengths)):
            found += (mine[b, rows, None] > other[b, None, :]).view(np.uint8)
        wins[rows] += times * found.astype(np.int64)


def _over_suits(margins: NDArray[np.int64], deck: Deck, hole_cards: int) -> NDArray[np.int32]:
    """Add up what the renamings of suits make of the boards that were left out."""
    renamings = suit_permutations(deck.num_suits)
    total = np.zeros_like(margins)
    for perm in renamings:
        to = hand_permutation(deck, hole_cards, perm)
        total += margins[to[:, None], to[None, :]]
    return np.asarray(total // len(renamings), dtype=np.int32)
