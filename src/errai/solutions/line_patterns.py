"""Lines with wildcards: one text that leads to many decisions of a solution.

A pattern is a line as :meth:`Profile.at <errai.solutions.solution.Profile.at>` takes it, with three more words:

- ``*`` is any one action; where it stands in the place of cards, after a slash, it is any card, as in
  ``check check / * / *``;
- ``bet *`` and ``raise *`` are a bet or raise of any size;
- ``**`` is any number of actions on one street, none included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from errai.cards.deck import suit_letters
from errai.errors import LineError
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Profile
from errai.tree.lines import is_deal, split_line

ANY, ANY_NUMBER, ANY_CARD = "*", "**", "/*"

MOST_DECISIONS = 2_000
"""The most decisions that one pattern may lead to."""

_ANY_SIZE = re.compile(r"(?<!\S)(bet|raise)\s+\*(?!\S)", re.IGNORECASE)
_SIZES = {"bet*": "bet", "raise*": "raise"}


def pattern_steps(pattern: str) -> list[str]:
    """Return the steps of a pattern in order: actions, cards, ``*``, ``**``, ``/*``, ``bet*`` and ``raise*``."""
    words = _ANY_SIZE.sub(lambda match: f"{match[1].lower()}*", suit_letters(pattern).replace("|", "/"))
    found: list[str] = []
    after_actions = False
    for part in words.split("/"):
        steps = list(_part_steps(part))
        if after_actions and steps[:1] == [ANY]:
            steps[0] = ANY_CARD
        # Cards stand after actions, and actions after cards that stand alone.
        after_actions = not (len(steps) == 1 and (steps[0] == ANY_CARD or _is_cards(steps[0])))
        found += steps
    return found


def _is_cards(step: str) -> bool:
    return is_deal(step) and step != ANY


def _part_steps(part: str) -> Iterator[str]:
    """Yield the steps between two slashes."""
    for is_own, words in groupby(part.split(), lambda word: word in (ANY, ANY_NUMBER) or word in _SIZES):
        if is_own:
            yield from words
            continue
        for is_card, run in groupby(words, is_deal):
            text = ("" if is_card else " ").join(run)
            yield from [text] if is_card else split_line(text)


def decisions(solution: Profile, pattern: str, player: int | None = None) -> list[SolutionNode]:
    """Return the decisions that a pattern leads to, in the order of the tree.

    Parameters
    ----------
    solution:
        A solution.
    pattern:
        A line that may have wildcards: ``*`` for any one action, or after a slash for any card; ``bet *`` and
        ``raise *`` for any size; ``**`` for any number of actions on one street.
    player:
        Whose decisions are wanted; None for those of whoever acts, who must be the same player at all of them.

    Raises
    ------
    LineError
        No decision fits; decisions of both players do and none is named; or there are too many of them.

    Examples
    --------
    >>> import errai
    >>> leduc = errai.solve(errai.load_game("leduc"), "50mbb")
    >>> [node.line for node in decisions(leduc, "** raise *", 0)]
    ['bet 2 raise 4']
    """
    wanted = pattern_steps(pattern)
    if not any(ANY in step for step in wanted):
        node = solution.at(pattern)
        if node.player is None:
            raise LineError(f"No player acts after '{node.line}' ({node.kind}).")
        found = [node]
    else:
        found = list(_Search(wanted, pattern).after(solution.root, 0))
    found = [node for node in found if player is None or node.player == player]
    if not found:
        whose = "" if player is None else f" of {solution.subject.seats[player]}"
        raise LineError(f"No decision{whose} fits the line '{pattern}'.")
    if len({node.player for node in found}) > 1:
        names = " and of ".join(solution.subject.seats)
        raise LineError(f"The line '{pattern}' leads to decisions of {names}; name the player.")
    return found


class _Search:
    def __init__(self, wanted: list[str], pattern: str) -> None:
        self.wanted, self.pattern = wanted, pattern
        self.seen: set[tuple[int, tuple[int, ...], int]] = set()
        self.count = 0

    def after(self, node: SolutionNode, at: int) -> Iterator[SolutionNode]:
        """Yield the decisions that the steps from number ``at`` on lead to, each once."""
        if (key := (node.node, node.board, at)) in self.seen:
            return
        self.seen.add(key)
        if at == len(self.wanted):
            if node.player is not None:
                self.count += 1
                if self.count > MOST_DECISIONS:
                    raise LineError(
                        f"The line '{self.pattern}' leads to more than {MOST_DECISIONS:,} decisions; name some of its "
                        "cards or actions."
                    )
                yield node
            return
        step = self.wanted[at]
        if step == ANY_NUMBER:
            yield from self.after(node, at + 1)
            for action in node.actions:
                yield from self.after(node[action], at)
        elif node.kind == "chance":
            for cards in self.deals(node, step):
                yield from self.after(node[cards], at + 1)
        else:
            for position in self.positions(node, step):
                yield from self.after(node[node.actions[position]], at + 1)

    def deals(self, node: SolutionNode, step: str) -> tuple[str, ...]:
        """Return the cards that a step names, where cards are dealt."""
        if step != ANY_CARD:
            return (step,) if _is_cards(step) else ()
        count = node.solution.tree.root.new_cards[node.street]
        if count > 1:
            raise LineError(f"{count} cards are dealt after '{node.line}'; name them, because * is a single card.")
        return node.children

    def positions(self, node: SolutionNode, step: str) -> list[int]:
        """Return the positions of the actions that a step means, at a node where a player acts or nobody does."""
        if node.player is None or step == ANY_CARD or _is_cards(step):
            return []
        if step == ANY:
            return list(range(len(node.actions)))
        betting = node.solution.tree.betting
        found = betting.matching(node.node, _SIZES.get(step, step))
        if step not in _SIZES and len(found) > 1:
            betting.child(node.node, step)  # raises an error that lists what is possible
        return found
