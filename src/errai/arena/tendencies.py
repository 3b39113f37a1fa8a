"""Counts of what players did at some decisions, read out of hands: the observations behind locks.

Hands are mapped to the tree of a solution as a review does it (:mod:`errai.arena.review`), and the actions at the
decisions of a line are counted by what they are: fold, check, call, bet, raise, each with all its sizes.  Private
cards need not be known.

A player comes to one flop a few times in a lifetime.  With :class:`~errai.arena.review.Alike` hands on other boards, or
with other pots and stacks, count as well.  Bets are then compared as shares of the pot, cards in the line stand for any
cards, and what was counted is the player's habit over all these boards.  It is taken as it is: whether the solution
itself does more or less of it on this board than on others is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from errai.arena.review import FAR, Alike, Follower, align, check_played
from errai.errors import HistoryError, InputError, LockError
from errai.games.game import Subject
from errai.games.hand import PlayedHand
from errai.games.spot import Spot
from errai.solutions.line_patterns import decisions
from errai.solutions.solution import Profile

KINDS = ("fold", "check", "call", "bet", "raise")


@dataclass(frozen=True)
class Observed:
    """What was done at the decisions of a line; made by :func:`observed`."""

    line: str
    counts: Mapping[str, int]
    """How often each kind of action that is possible at one of the decisions was taken."""
    hands: int
    """Hands with at least one of the decisions."""
    mapped: int
    """Decisions at which the action, or a bet before it, was mapped to the nearest that the solution has."""
    elsewhere: int
    """Decisions of hands on another board, or with another pot or stack, than those of the solution's spot."""
    left_out: Mapping[str, int]
    """Why hands, or decisions of hands, were not counted, and how many."""

    @property
    def decisions(self) -> int:
        """How many decisions were counted."""
        return sum(self.counts.values())

    @property
    def tables(self) -> dict[str, dict[str, int]]:
        """The counts by line, as :func:`errai.solutions.relative_locks.observed_locks` takes them."""
        return {self.line: dict(self.counts)}


def observed(
    hands: Iterable[PlayedHand],
    solution: Profile,
    line: str,
    *,
    name: str | None = None,
    player: int | None = None,
    alike: Alike | None = None,
) -> Observed:
    """Count the actions at the decisions of a line in hands that were played.

    Parameters
    ----------
    hands:
        Hands as :func:`errai.arena.review.review_hands` takes them; private cards need not be known.
    solution:
        The solution whose tree has the line.
    line:
        The line that leads to the decisions, with wildcards as :func:`errai.solutions.line_patterns.decisions` takes
        them.
    name:
        Whose actions are counted; by default those of all players.
    player:
        0 or 1, if the line leads to decisions of both.
    alike:
        In what hands may differ from the spot of the solution; by default in nothing.

    Raises
    ------
    LineError
        No decision fits the line, or decisions of both players do.
    MatchError
        No hand was played by somebody of that name.
    LockError
        No decision was counted.
    InputError
        The solution is of a lookahead, or the bound on stacks is below 1.

    Examples
    --------
    >>> import errai
    >>> from errai.games.hand import CALL, FOLD, Deal, Hand, raise_to
    >>> kuhn = errai.solve(errai.load_game("kuhn"), "1mbb")
    >>> hand = Hand(kuhn.subject, Deal(((0,), (1,)), ()))
    >>> for action in (CALL, raise_to(2), FOLD):
    ...     hand.act(action)
    >>> observed([hand.played(("Ann", "Bob"))], kuhn, "check bet", name="Ann").counts
    {'fold': 1, 'call': 0}
    """
    alike = alike or Alike()
    if solution.subject.state is not None:
        raise InputError("Hands are counted against the solution of a game or a spot, not of a lookahead.")
    if not alike.stacks >= 1.0:
        raise InputError(f"Stacks may be X times as deep or short, with an X of at least 1, not {alike.stacks}.")
    betting = solution.tree.betting
    wanted = decisions(solution, line, player)
    places = {(node.node, None if alike.boards else _by_street(node.board, solution)) for node in wanted}
    offered = {node.node: [action.split()[0] for action in node.actions] for node in wanted}
    counts = Counter({kind: 0 for kind in KINDS if any(kind in kinds for kinds in offered.values())})
    follower, left_out, names = Follower(solution), Counter[str](), set[str]()
    found = mapped = elsewhere = 0
    for hand in hands:
        names.update(hand.players)
        if name is not None and name not in hand.players:
            continue
        try:
            aligned = align(hand, solution.subject, alike)
        except HistoryError as reason:
            left_out[reason.message] += 1
            continue
        before, is_elsewhere = counts.total(), not _is_of(aligned.subject, solution)
        for step in follower.steps(aligned, left_out):
            board = None if alike.boards else _by_street(step.state.board, solution)
            is_wanted = name is None or aligned.players[step.state.actor] == name
            if not is_wanted or (step.node, board) not in places:
                continue
            if step.is_far:
                left_out[FAR] += 1
                continue
            counts[offered[step.node][step.child - int(betting.first_child[step.node])]] += 1
            mapped += step.mapped
            elsewhere += is_elsewhere
        found += counts.total() > before
    check_played(name, names)
    if not counts.total():
        whose = "" if name is None else f" of {name!r}"
        why = "".join(f" {reason} ({count:,} times)" for reason, count in left_out.most_common(3))
        raise LockError(f"No hand has a decision{whose} at the end of the line '{line}'.{why}")
    return Observed(line, dict(counts), found, mapped, elsewhere, dict(left_out.most_common()))


def _by_street(board: tuple[int, ...], solution: Profile) -> tuple[frozenset[int], ...]:
    """Return the cards of each street, whose order does not matter."""
    rules = solution.subject.rules
    ends = [0, *(rules.board_cards_in(number) for number in range(rules.num_rounds))]
    return tuple(frozenset(board[a:b]) for a, b in pairwise(ends) if board[a:b])


def _is_of(own: Subject, solution: Profile) -> bool:
    """Return whether a hand is of the solution's own spot, and not of one that is only alike."""
    spot = solution.subject
    if not isinstance(own, Spot) or not isinstance(spot, Spot):
        return True
    same = own.initial_pot_chips, own.effective_stack, _by_street(own.board, solution)
    return same == (spot.initial_pot_chips, spot.effective_stack, _by_street(spot.board, solution))
