"""Parsing the text of a range, in the notations that poker tools use.

The grammar, in which letters may have either case and ``10`` may stand for ``T``::

    range   = { item | group | percent ":" }, with spaces, newlines or commas between
    item    = hands [ ":" weight ]               weight from 0 to 1, or 50%; spaces around the colon allowed
    hands   = "random" | "any" | AhKh | class | class "+" | class "-" class | Ax | Axs | Axo | best
    class   = AA | AK | AKs | AKo
    best    = 20% | 5%-20%
    group   = "[25%]" items "[/25%]"             the per cent sign may be missing
    percent ":"                                  per cent for all items up to the next such mark

- ``TT+`` means the pairs from tens up.  ``A9s+`` keeps the ace and raises the kicker, up to AKs.  Two neighbouring
  ranks are raised together instead, so ``T9s+`` is T9s, JTs, QJs, KQs, AKs.
- ``A9s-A6s`` keeps the first rank; ``76s-54s`` changes both ranks together; either end may come first.
- ``Ax`` is an ace and any lower card, which is ``A2+``; ``Kxs`` is ``K2s+``.
- ``20%`` are the best 20 per cent of the 1,326 hands, by their equity against a hand dealt at random.  Classes are
  taken whole in this order (:func:`errai.cards.pair_table.equities_against_random`), and the last one with the weight
  that makes the share exact.  ``5%-20%`` are those without the best 5 per cent.
- ``[25%]AKs[/25%]`` is the notation of Flopzilla and GTO+, ``75: AQo-ATo`` that of Equilab.  Weights of two kinds
  cannot be mixed: an item inside a group, or after a mark, has no weight of its own.
- ``66:0.5`` is a pair with a weight, and ``66: AQo`` is a mark of 66 per cent.  It is a weight if the number after the
  colon is from 0 to 1.  ``66:50%`` could be either, and is refused; ``AA:50%`` and ``80: 50%`` are clear.  ``AA:50`` is
  refused: a weight without a per cent sign is a part of 1.
- A hand may occur twice only with the same weight, since programs differ on which of two weights holds.  A later
  weight of 0 takes hands out: ``random, AA:0`` is every hand but aces.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import FULL_DECK, MAX_RANKS, RANKS, SUITS, suit_letters
from errai.cards.hands import (
    ANY_SUITS,
    NUM_HANDS,
    OFFSUIT,
    SUITED,
    class_hands,
    class_of_hand,
    class_text,
    hand_index,
    hand_text,
)
from errai.errors import CardParseError, RangeParseError

_SEPARATORS = " \t\r\n\f\v,"
_SPACE = r"[ \t\r\n\f\v]*"
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_END = r"(?=[ \t\r\n\f\v,\[]|$)"

_WEIGHT = re.compile(rf"{_SPACE}({_NUMBER}(?:[eE][+-]?[0-9]+)?)(%?)")
_LONE_NUMBER = re.compile(rf"{_SPACE}({_NUMBER}(?:[eE][+-]?[0-9]+)?){_END}")
_MARK = re.compile(rf"({_NUMBER})(%?){_SPACE}:")
_BEST = re.compile(rf"({_NUMBER})%(?:{_SPACE}-{_SPACE}({_NUMBER})%)?")
_PERCENT = re.compile(rf"{_SPACE}({_NUMBER}%){_END}")
_TAG = re.compile(rf"\[{_SPACE}(/?){_SPACE}({_NUMBER}){_SPACE}%?{_SPACE}\]")
_CLASS_OF_DIGITS = re.compile(r"(?:10|[2-9]){2}")
_EVERY = re.compile(r"random|any", re.IGNORECASE)
_COLON = re.compile(rf"{_SPACE}:")
_DASH = re.compile(rf"{_SPACE}-{_SPACE}")

_RANK_OF = {letter: rank for rank, text in enumerate(RANKS) for letter in (text, text.lower())}
_SUIT_LETTERS = SUITS + SUITS.upper()
_EXAMPLES = "a hand such as AKs, TT+, A9s-A6s or AhKh"
_WEIGHTS = "expected 0 to 1, such as 0.25, or per cent, such as 25%"
_MIXED = "Weights such as '75:' and groups such as [25%] cannot be mixed; use one of them."

Class = tuple[int, int, str]


def read_range(text: str, *, source: str | None = None) -> NDArray[np.float64]:
    """Parse the text of a range as float64[1326], weights from 0 to 1 in the order of the hand index.

    Raises :class:`RangeParseError` if the text does not follow the grammar above; ``column`` says where, and so does
    ``line`` if the text has several.
    """
    return _Reader(text, source).read()


def best_hands(share: float) -> NDArray[np.float64]:
    """Return float64[1326]: the weights of the best hands by their equity against a hand dealt at random.

    Classes of hands are taken whole from the best on, and the last one with the weight that makes the sum of the
    weights a share of 1,326; ``share`` is from 0 to 1.
    """
    order, before, sizes = _order_of_classes()
    weights = np.empty(len(order))
    weights[order] = np.clip(np.round((share * NUM_HANDS - before) / sizes, 12), 0.0, 1.0)
    return weights[class_of_hand()]


@cache
def _order_of_classes() -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Return the classes from the best on, int[169], how many hands are better, and how many each has, float64[169]."""
    # The table of all pairs of hands takes a moment to read, and most ranges do not need it.
    from errai.cards.pair_table import equities_against_random

    of = class_of_hand()
    sizes = np.bincount(of).astype(np.float64)
    order = np.argsort(-np.bincount(of, equities_against_random()) / sizes, kind="stable")
    return order, np.cumsum(sizes[order]) - sizes[order], sizes[order]


class _Reader:
    def __init__(self, text: str, source: str | None) -> None:
        self.text = suit_letters(text)
        self.source = source
        self.position = 0
        self.weights = np.zeros(NUM_HANDS)
        self.named = np.zeros(NUM_HANDS, dtype=bool)
        # The open [25%] group and the current 75: mark, each as (weight, position).
        self.group: tuple[float, int] | None = None
        self.mark: tuple[float, int] | None = None
        self.items_since = 0

    def read(self) -> NDArray[np.float64]:
        while self.position < len(self.text):
            letter = self.text[self.position]
            if letter in _SEPARATORS:
                self.position += 1
            elif letter == "[":
                self.read_tag()
            elif not self.read_mark():
                self.read_item()
        if self.group is not None:
            self.fail("This group is not closed; expected a closing tag such as [/25%].", self.group[1])
        self.check_mark_used()
        return self.weights

    def fail(self, message: str, position: int) -> NoReturn:
        before = self.text[:position]
        line = before.count("\n") + 1
        raise RangeParseError(
            message,
            line=line if "\n" in self.text.strip() else None,
            column=position - (before.rfind("\n") + 1) + 1,
            source=self.source,
        )

    def found(self, position: int) -> str:
        return repr(self.text[position]) if position < len(self.text) else "the end of the text"

    # --- weights that hold for several items ---

    def read_tag(self) -> None:
        start = self.position
        match = _TAG.match(self.text, start)
        if match is None:
            self.fail("Expected a group tag such as [25%] or [/25%].", start)
        weight = self.percent(match[2], match.start(2))
        if match[1]:
            if self.group is None:
                self.fail("This tag closes a group that was not opened; expected an opening tag before.", start)
            if weight != self.group[0]:
                self.fail(f"Expected [/{self.group[0] * 100:g}%], which closes the open group.", start)
            if self.items_since == 0:
                self.fail(f"Expected {_EXAMPLES} inside the group, found nothing.", start)
            self.group = None
        else:
            if self.group is not None:
                self.fail("A group cannot be inside another; close the first one before.", start)
            if self.mark is not None:
                self.fail(_MIXED, start)
            self.group, self.items_since = (weight, start), 0
        self.position = match.end()

    def read_mark(self) -> bool:
        """Parse a weight for all following items, such as ``75:``, if there is one at this position."""
        start = self.position
        match = _MARK.match(self.text, start)
        if match is None:
            return False
        digits = not match[2] and _CLASS_OF_DIGITS.fullmatch(match[1])
        number = _LONE_NUMBER.match(self.text, match.end())
        if number is not None and (digits or match[2]):
            if float(number[1]) <= 1:
                return False
            if not _CLASS_OF_DIGITS.fullmatch(number[1]):
                self.fail(f"A weight of {number[1]} is out of bounds; {_WEIGHTS}.", number.start(1))
        if digits and (share := _PERCENT.match(self.text, match.end())) is not None:
            weight = self.percent(share[1][:-1], share.start(1))
            self.fail(
                f"{match[1]}:{share[1]} can be read in two ways; write {match[1]}:{weight:g} for these hands with a "
                f"weight, or {match[1]}%: {share[1]} for a weight of the best hands.",
                start,
            )
        if self.group is not None:
            self.fail(_MIXED, start)
        self.check_mark_used()
        self.mark, self.items_since = (self.percent(match[1], start), start), 0
        self.position = match.end()
        return True

    def check_mark_used(self) -> None:
        if self.mark is not None and self.items_since == 0:
            self.fail(f"Expected {_EXAMPLES} after this weight.", self.mark[1])

    def percent(self, number: str, position: int) -> float:
        value = float(number + "e-2")
        if not 0 <= value <= 1:
            self.fail(f"A weight of {number} per cent is out of bounds; expected 0 to 100.", position)
        return value

    # --- items ---

    def read_item(self) -> None:
        start = self.position
        hands, parts = self.read_hands()
        shared = self.group or self.mark
        weight = 1.0 if shared is None else shared[0]
        colon = _COLON.match(self.text, self.position)
        if colon is not None:
            self.position = colon.end() - 1
            if shared is not None:
                self.fail("This hand has its weight from the group already; expected no second one.", self.position)
            weight = self.read_weight()
        if self.position < len(self.text) and self.text[self.position] not in _SEPARATORS + "[":
            self.fail(
                f"Expected a comma, a space or a weight such as ':0.5' after "
                f"{self.text[start : self.position]}, found {self.found(self.position)}.",
                self.position,
            )
        weights = weight * parts
        twice = np.flatnonzero(self.named[hands] & (self.weights[hands] != weights))
        if len(twice) and weight > 0.0:
            hand = int(hands[twice[0]])
            self.fail(
                f"{hand_text(FULL_DECK, hand, 2)} occurs twice, with the weight {self.weights[hand]:g} before and "
                f"{weights[twice[0]]:g} here; expected every hand once.",
                start,
            )
        self.weights[hands] = weights
        self.named[hands] = True
        self.items_since += 1

    def read_weight(self) -> float:
        match = _WEIGHT.match(self.text, self.position + 1)
        if match is None:
            self.fail(
                f"Expected a weight from 0 to 1, such as 0.5, found {self.found(self.position + 1)}.",
                self.position + 1,
            )
        weight = float(match[1] + "e-2") if match[2] and "e" not in match[1].lower() else float(match[1])
        if not 0 <= weight <= 1:
            self.fail(f"A weight of {match[1] + match[2]} is out of bounds; {_WEIGHTS}.", match.start(1))
        if match[2] and 0 < weight < 0.01:
            part = float(match[1])
            self.fail(
                f"A weight of {match[0].strip()} is less than one per cent; expected 0 to 1 without a per cent sign: "
                f"{part:g} if that is meant, or {weight:g}.",
                match.start(1),
            )
        self.position = match.end()
        return weight

    def read_hands(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return hands, int32[n], and how far each of them belongs to what is named, float64[n]: 1 for most."""
        best = _BEST.match(self.text, self.position)
        if best is not None:
            return self.read_best(best)
        hands = self.read_whole_hands()
        return hands, np.ones(len(hands))

    def read_best(self, match: re.Match[str]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        ends = sorted(self.percent(match[i], match.start(i)) for i in (1, 2) if match[i] is not None)
        parts = best_hands(ends[-1])
        if len(ends) > 1:
            parts = parts - best_hands(ends[0])
        hands = np.flatnonzero(parts > 0.0).astype(np.int32)
        if not len(hands):
            self.fail(f"{match[0]} of the hands are none; expected a share such as 20%, or 5%-20%.", match.start())
        self.position = match.end()
        return hands, parts[hands]

    def read_whole_hands(self) -> NDArray[np.int32]:
        start = self.position
        word = _EVERY.match(self.text, start)
        if word is not None:
            self.position = word.end()
            return np.arange(NUM_HANDS, dtype=np.int32)
        rank, after = self.read_rank(start)
        if after < len(self.text) and self.text[after] in _SUIT_LETTERS:
            return self.read_two_cards()
        if self.text[after : after + 1] in ("x", "X"):
            return self.read_any_kicker(rank, after + 1)
        first = self.read_class()
        if self.text.startswith("+", self.position):
            self.position += 1
            return self.union(self.plus(first))
        dash = _DASH.match(self.text, self.position)
        if dash is not None:
            self.position = dash.end()
            second = self.read_class()
            return self.union(self.between(first, second, start))
        return class_hands(*first)

    def read_any_kicker(self, rank: int, position: int) -> NDArray[np.int32]:
        if rank == 0:
            self.fail(f"No card is lower than a {RANKS[0]}; expected a higher rank before the x.", self.position)
        kind = self.text[position : position + 1]
        kind = kind if kind and kind in "sSoO" else ANY_SUITS
        self.position = position + len(kind)
        return self.union([(rank, kicker, kind.lower()) for kicker in range(rank)])

    def read_rank(self, position: int) -> tuple[int, int]:
        if self.text.startswith("10", position):
            return RANKS.index("T"), position + 2
        rank = _RANK_OF.get(self.text[position : position + 1])
        if rank is None:
            if position == self.position:
                self.fail(f"Expected {_EXAMPLES}, found {self.found(position)}.", position)
            self.fail(f"Expected a rank of {RANKS}, found {self.found(position)}.", position)
        return rank, position + 1

    def read_two_cards(self) -> NDArray[np.int32]:
        start = self.position
        try:
            first, middle = FULL_DECK.read_card(self.text, start)
            second, end = FULL_DECK.read_card(self.text, middle)
        except CardParseError as error:
            self.fail(error.message, (error.column or 1) - 1)
        if first == second:
            self.fail(f"Expected two different cards, found {FULL_DECK.card_text(first)} twice.", middle)
        self.position = end
        return hand_index([first, second]).reshape(1)

    def read_class(self) -> Class:
        start = self.position
        one, middle = self.read_rank(start)
        two, end = self.read_rank(middle)
        kind = self.text[end : end + 1]
        if kind and kind in "sSoO":
            if one == two:
                self.fail(f"A pair is never suited; expected {RANKS[one] * 2} alone.", end)
            end += 1
        else:
            kind = ANY_SUITS
        self.position = end
        return max(one, two), min(one, two), kind.lower()

    # --- runs of classes ---

    @staticmethod
    def union(classes: list[Class]) -> NDArray[np.int32]:
        return np.concatenate([class_hands(*one) for one in classes])

    @staticmethod
    def plus(lowest: Class) -> list[Class]:
        high, low, kind = lowest
        if high - low <= 1:
            return [(top, top - (high - low), kind) for top in range(high, MAX_RANKS)]
        return [(high, kicker, kind) for kicker in range(low, high)]

    def between(self, first: Class, second: Class, start: int) -> list[Class]:
        if first < second:
            first, second = second, first
        (high, low, kind), (last_high, last_low, last_kind) = first, second
        text = self.text[start : self.position]
        if kind != last_kind:
            names = {SUITED: "suited", OFFSUIT: "offsuit", ANY_SUITS: "without s or o"}
            self.fail(
                f"The ends of {text} differ in kind: expected both {names[kind]} or both {names[last_kind]}.",
                start,
            )
        if high - low == last_high - last_low:
            return [(top, top - (high - low), kind) for top in range(last_high, high + 1)]
        if high == last_high and last_low < high and low < high:
            return [(high, kicker, kind) for kicker in range(last_low, low + 1)]
        self.fail(
            f"{class_text(*first)} and {class_text(*second)} are not the ends of a run; expected the same "
            "first rank as in A9s-A6s, or the same distance as in 76s-54s or QQ-88.",
            start,
        )
