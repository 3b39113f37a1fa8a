"""Lines of actions and cards as people write them: 'check bet 120 call / 7s / check', 'k b120 c'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_ALL_IN = re.compile(r"all\W?in\b", re.IGNORECASE)
_BREAKS = re.compile(r"[,/|;>-]+")
_AMOUNT = re.compile(r"(b|r|bet|raise) ?([0-9]+)")
_CARD = re.compile(r"(?:[2-9TtJjQqKkAa]|10)[cdhsCDHS]")
_DEAL = re.compile(rf"(?:{_CARD.pattern})+|\*")


def split_line(line: str) -> Iterator[str]:
    """Yield the actions of a line: words and the amounts that belong to them, such as 'bet 120'."""
    words = _BREAKS.sub(" ", _ALL_IN.sub("allin", line)).split()
    pending = ""
    for word in words:
        if pending and word.isdigit():
            yield f"{pending} {word}"
            pending = ""
            continue
        if pending:
            yield pending
        pending = word
    if pending:
        yield pending


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
    for word in line.replace("/", " ").replace("|", " ").split():
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


def matching_actions(text: str, labels: Sequence[str], all_in: Sequence[bool]) -> list[int]:
    """Return the positions of the labels that ``text`` may mean; letter case does not matter.

    Parameters
    ----------
    text:
        An exact label ('bet 120'), the beginning of one ('bet', 'f'), 'all-in', or a short form ('b120',
        'r300', 'k' for check, 'c' for call or check).
    labels:
        The actions of a node.
    all_in:
        Whether each action is a bet or raise of the whole stack.
    """
    word = " ".join(text.lower().split())
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
        return [i for i, label in enumerate(labels) if label in [f"{verb} {match[2]}" for verb in verbs]]
    return [i for i, label in enumerate(labels) if word and label.split()[0].startswith(word)]
