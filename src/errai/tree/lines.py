"""Lines of actions as people write them: 'check bet 120 call', 'k b120 c'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_ALL_IN = re.compile(r"all\W?in\b", re.IGNORECASE)
_BREAKS = re.compile(r"[,/|;>-]+")
_AMOUNT = re.compile(r"(b|r|bet|raise) ?([0-9]+)")


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
        Whether each action is a bet or raise that takes everything.
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
        # 'b' may stand for a raise as well: the amount says which action is meant.
        verbs = ("bet", "raise") if match[1] in ("b", "r") else (match[1],)
        return [i for i, label in enumerate(labels) if label in [f"{verb} {match[2]}" for verb in verbs]]
    return [i for i, label in enumerate(labels) if word and label.split()[0].startswith(word)]
