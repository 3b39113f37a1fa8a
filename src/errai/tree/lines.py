"""Lines of actions and cards as people write them: 'check bet 120 call / 7s / check', 'k b120 c'."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from errai.cards.deck import suit_letters

_ALL_IN = re.compile(r"all\W?in\b", re.IGNORECASE)
_BREAKS = re.compile(r"[,/|;>-]+")
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_AMOUNT = re.compile(rf"(b|r|bet|raise) ?({_NUMBER}|min)(%|bb)?")
_WORDS = re.compile(rf"\S+(?: (?:{_NUMBER}(?:%|bb)?|min)(?!\S))?", re.IGNORECASE)
_CARD = re.compile(r"(?:[2-9TtJjQqKkAa]|10)[cdhsCDHS]")
_DEAL = re.compile(rf"(?:{_CARD.pattern})+|\*")


def split_line(line: str) -> Iterator[str]:
    """Return the actions of a line one by one: words and the amounts that belong to them, such as 'bet 120'."""
    words = " ".join(_BREAKS.sub(" ", _ALL_IN.sub("allin", suit_letters(line))).split())
    return iter(_WORDS.findall(words))


def is_deal(step: str) -> bool:
    """Return whether a step of a line is cards, or ``*`` for any cards."""
    return _DEAL.fullmatch(step.replace(" ", "")) is not None


def card_texts(step: str) -> list[str]:
    """Return the cards of a deal, one by one."""
    return _CARD.findall(step)


def steps(line: str) -> Iterator[str]:
    """Yield actions and cards of a line in order.

    Neighbouring cards are one deal, and ``*`` is a deal of any cards.
    """
    dealt = ""
    actions: list[str] = []
    for word in suit_letters(line).replace("/", " ").replace("|", " ").split():
        if is_deal(word):
            if actions:
                yield from split_line(" ".join(actions))
                actions = []
            dealt += word
            continue
        if dealt:
            yield dealt
            dealt = ""
        actions.append(word)
    if dealt:
        yield dealt
    yield from split_line(" ".join(actions))


@dataclass(frozen=True)
class BetShare:
    """A bet or raise in per cent of the pot."""

    percent: float
    half_chip: float
    """Half of the smallest chip in per cent of the pot: how far rounding may take a bet from the size in a menu."""

    def __str__(self) -> str:
        return f"{self.percent:,.0f}%" if self.percent >= 99.95 else f"{self.percent:.3g}%"


def percents_of(shares: Iterable[BetShare | None]) -> list[float | None]:
    """Return bets and raises in per cent of the pot, None where ``shares`` has none."""
    return [None if share is None else share.percent for share in shares]


def matching_actions(
    text: str,
    labels: Sequence[str],
    all_in: Sequence[bool],
    shares: Sequence[BetShare | None] = (),
    big_blind: float | None = None,
) -> list[int]:
    """Return the positions of the labels that ``text`` may mean; letter case does not matter.

    Parameters
    ----------
    text:
        An exact label ('bet 120'), the beginning of one ('bet', 'f'), 'all-in', a size ('bet 33%', 'raise 2.5bb',
        'raise min'), or a short form ('b120', 'r300', 'b33%', 'k' for check, 'c' for call or check).
    labels:
        The actions of a node.
    all_in:
        Whether each action is a bet or raise of the whole stack.
    shares:
        Of bets and raises, None for other actions.
    big_blind:
        In chips, for sizes in big blinds; without one no such size fits.
    """
    word = " ".join(suit_letters(text).lower().split())
    if word in labels:
        return [labels.index(word)]
    if _ALL_IN.fullmatch(word) or word == "a":
        return [i for i, takes_all in enumerate(all_in) if takes_all]
    if word in ("k", "x"):
        word = "check"
    elif word == "c":
        return [i for i, label in enumerate(labels) if label in ("check", "call")]
    if match := _AMOUNT.fullmatch(word):
        # 'b' may stand for a raise as well, because the amount determines the action.
        verbs = ("bet", "raise") if match[1] in ("b", "r") else (match[1],)
        if match[2] == "min":
            return [i for i, label in enumerate(labels) if label.split()[0] in verbs][:1]
        if match[3] == "bb":
            chips = math.nan if big_blind is None else float(match[2]) * big_blind
            amounts = [label.split() for label in labels]
            # People, and texts of Errai, write big blinds with no more than four decimals.
            return [
                i
                for i, words in enumerate(amounts)
                if words[0] in verbs and len(words) == 2 and abs(float(words[1]) - chips) <= 5.1e-5 * (big_blind or 0.0)
            ]
        if not match[3]:
            return [i for i, label in enumerate(labels) if label in [f"{verb} {match[2]}" for verb in verbs]]
        off = {
            i: (abs(share.percent - float(match[2])), max(0.5, share.half_chip))
            for i, share in enumerate(shares)
            if share is not None and labels[i].split()[0] in verbs
        }
        exact = [i for i, (by, _) in off.items() if by < 1e-6]
        return exact or [i for i, (by, most) in off.items() if by <= most + 1e-9]
    return [i for i, label in enumerate(labels) if word and label.split()[0].startswith(word)]
