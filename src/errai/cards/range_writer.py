"""Writing a range as short text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import FULL_DECK, MAX_RANKS
from errai.cards.hands import ANY_SUITS, OFFSUIT, SUITED, class_hands, class_of_hand, class_text, grid_class, hand_text

_TOP = MAX_RANKS - 1
_PATIENCE = 4  # characters that the text may grow before a try is given up
_KINDS = (ANY_SUITS, SUITED, OFFSUIT)
_CLASSES = [grid_class(row, column) for row in range(MAX_RANKS) for column in range(MAX_RANKS)]
_CLASS_SIZES = np.array([len(class_hands(*one)) for one in _CLASSES])


class _Run(NamedTuple):
    """Classes that one item covers, highest first: those of a row share `high`, those of a diagonal the distance."""

    high: int
    low: int
    last_high: int
    last_low: int
    kind: str

    @property
    def text(self) -> str:
        return _text(self)


@cache
def _text(run: _Run) -> str:
    last = class_text(run.last_high, run.last_low, run.kind)
    if (run.high, run.low) == (run.last_high, run.last_low):
        return last
    # A plus raises pairs and neighbours together, and raises the kicker of all others.
    climbing = run.last_high - run.last_low <= 1
    at_top = run.high == _TOP if climbing else run.high == run.last_high == run.low + 1
    return f"{last}+" if at_top else f"{class_text(run.high, run.low, run.kind)}-{last}"


# For each first rank, the kickers of the classes that are still to be written, as bits: [suited, offsuit].
_Rows = list[tuple[int, int]]


def write_range(weights: NDArray[np.float64]) -> str:
    """Return weights, float64[1326] by hand index, as text that parses back to exactly the same weights.

    Items never overlap, so that tools which disagree about repeated hands read the same range.  Weights come in
    descending order.  Within a weight, pairs come first, then other classes, then single hands of classes whose hands
    differ.  Each row (one first rank) is written as short as its runs allow.  Runs along diagonals such as ``76s-54s``
    are then used as long as they shorten the text.  Usually, but not provably, no text is shorter.
    """
    items: list[str] = []
    # This avoids numpy.unique, which would import numpy.ma, a tenth of all that a short run imports.
    for weight in sorted(set(weights.tolist()) - {0.0}, reverse=True):
        suffix = "" if weight == 1 else f":{weight!r}"
        items.extend(item + suffix for item in _items(weights == weight, len(suffix)))
    return ",".join(items)


def _items(member: NDArray[np.bool_], suffix_length: int) -> Iterator[str]:
    if member.all():
        yield "random"
        return
    whole = np.bincount(class_of_hand()[member], minlength=len(_CLASSES)) == _CLASS_SIZES
    pairs = 0
    rows: _Rows = [(0, 0)] * MAX_RANKS
    for number in np.flatnonzero(whole):
        high, low, kind = _CLASSES[number]
        suited, offsuit = rows[high]
        if kind == SUITED:
            rows[high] = (suited | 1 << low, offsuit)
        elif kind == OFFSUIT:
            rows[high] = (suited, offsuit | 1 << low)
        else:
            pairs |= 1 << high
    for high, low in _intervals(pairs):
        yield _Run(high, high, low, low, ANY_SUITS).text

    extra = suffix_length + 1  # the characters of an item besides its hands: the weight and a comma
    runs, rows = _take_diagonals(rows, extra)
    for high, (suited, offsuit) in enumerate(rows):
        runs.extend(_row_runs(high, suited, offsuit, extra)[1])
    for run in sorted(runs, key=lambda run: (-run.high, -run.low, _KINDS.index(run.kind))):
        yield run.text
    for hand in np.flatnonzero(member & ~whole[class_of_hand()])[::-1]:
        yield hand_text(FULL_DECK, int(hand))


@lru_cache(maxsize=4096)
def _row_runs(high: int, suited: int, offsuit: int, extra: int) -> tuple[int, tuple[_Run, ...]]:
    """Return the cheapest runs that cover these kickers of one first rank, and their cost in characters."""
    runs = tuple(
        _Run(high, first, high, last, kind)
        for kind, kickers in ((SUITED, suited), (OFFSUIT, offsuit))
        for first, last in _intervals(kickers)
    )
    best = (sum(len(run.text) + extra for run in runs), runs)
    for first, last in _intervals(suited & offsuit):
        both = _Run(high, first, high, last, ANY_SUITS)
        kickers = (2 << first) - (1 << last)
        cost, others = _row_runs(high, suited & ~kickers, offsuit & ~kickers, extra)
        best = min(best, (cost + len(both.text) + extra, (both, *others)), key=lambda found: found[0])
    return best


def _take_diagonals(rows: _Rows, extra: int) -> tuple[list[_Run], _Rows]:
    """Choose runs along diagonals that shorten the text; return them and the rows that are left.

    Diagonals that cross the same rows may save characters only together.  So there are two searches: one always takes
    the diagonal that shortens the text most, the other the one that saves most compared with single classes, and both
    continue when the text grows.  The shortest text found is used.
    """
    best_saved, best = 0, (list[_Run](), rows)
    for longest_first in (False, True):
        left, saved = rows, 0
        chosen: list[_Run] = []
        while steps := _diagonals(left):
            run = max(steps, key=_named) if longest_first else max(steps, key=lambda run: _saving(run, left, extra))
            saved += _saving(run, left, extra)
            left = _without(run, left)
            chosen.append(run)
            if saved > best_saved:
                best_saved, best = saved, (list(chosen), left)
            elif not longest_first and saved < best_saved - _PATIENCE:
                break
    return best


@cache
def _named(run: _Run) -> int:
    """Return the number of characters that a run saves compared with an item for each of its classes."""
    classes = (run.high - run.last_high + 1) * (1 if run.kind else 2)
    return classes * len("AKs,") - len(run.text)


def _saving(run: _Run, rows: _Rows, extra: int) -> int:
    """Return the number of characters that a diagonal saves."""
    saving = -len(run.text) - extra
    for high in range(run.last_high, run.high + 1):
        saving += _saved(high, rows[high], high - run.high + run.low, run.kind, extra)
    return saving


@lru_cache(maxsize=1 << 16)
def _saved(high: int, row: tuple[int, int], low: int, kind: str, extra: int) -> int:
    return _row_runs(high, *row, extra)[0] - _row_runs(high, *_lacking(row, low, kind), extra)[0]


def _lacking(row: tuple[int, int], low: int, kind: str) -> tuple[int, int]:
    """Return the kickers of a row without one of them."""
    suited, offsuit = row
    return suited if kind == OFFSUIT else suited & ~(1 << low), offsuit if kind == SUITED else offsuit & ~(1 << low)


def _without(run: _Run, rows: _Rows) -> _Rows:
    """Return the rows without the classes of a diagonal."""
    first, last = run.last_high, run.high + 1
    taken = [_lacking(rows[high], high - run.high + run.low, run.kind) for high in range(first, last)]
    return [*rows[:first], *taken, *rows[last:]]


def _diagonals(rows: _Rows) -> list[_Run]:
    """Return all runs of two and more classes along diagonals, including every part of a longer run."""
    found: list[_Run] = []
    for kind in _KINDS:
        present = [{SUITED: suited, OFFSUIT: offsuit, ANY_SUITS: suited & offsuit}[kind] for suited, offsuit in rows]
        for distance in range(1, MAX_RANKS):
            line = sum(1 << high for high in range(distance, MAX_RANKS) if present[high] >> (high - distance) & 1)
            for top, bottom in _intervals(line):
                found += _parts(top, bottom, distance, kind)
    return found


@cache
def _parts(top: int, bottom: int, distance: int, kind: str) -> tuple[_Run, ...]:
    """Return all runs of two and more classes of one diagonal between two first ranks."""
    return tuple(
        _Run(high, high - distance, last, last - distance, kind)
        for high in range(top, bottom, -1)
        for last in range(bottom, high)
    )


@cache
def _intervals(bits: int) -> tuple[tuple[int, int], ...]:
    """Return the longest runs of neighbouring bits as (highest, lowest), from the top down."""
    found: list[tuple[int, int]] = []
    for bit in range(bits.bit_length() - 1, -1, -1):
        if not bits >> bit & 1:
            continue
        if found and found[-1][1] == bit + 1:
            found[-1] = (found[-1][0], bit)
        else:
            found.append((bit, bit))
    return tuple(found)
