"""A strategy with branches for bets that it lacked, each re-solved safely and spliced in; and its file.

A branch begins after a bet of one player, and holds the other player's answer: the rest of the game, or of the street,
solved under a gadget that holds the bettor to the values before the bet (:mod:`errai.resolving.improve`).  Everywhere
else the strategy is the old one.  A file names the old strategy and holds the branches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from errai.engine.resources import check_memory
from errai.errors import DamagedFileError, ErraiError, FileAccessError, ForeignFileError, MismatchError
from errai.games.game import Subject
from errai.games.hand import Action, PublicState
from errai.games.lookahead import Lookahead, last_street, lookahead
from errai.kernels.protocol import Arrays
from errai.resolving.resolve import open_known
from errai.resolving.values import Known, LaidOut, strategy_of
from errai.solutions.solution import Solution
from errai.solutions.subjects import read_subject, subject_document
from errai.store.container import Container, open_container, write_container
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.solution import SolutionStrategy
from errai.strategies.strategy import Choices, asked, live_hands, name_of, require, require_same, says
from errai.tree.public_tree import plan_public_tree

KIND = "improved strategy"


@dataclass(frozen=True, eq=False)
class Branch:
    """One player's answer to a bet of the other, on one board."""

    player: int
    played: LaidOut
    """The strategy from the state after the bet on, on a tree of all hands that are possible there."""
    facts: dict[str, Any]
    """How it was solved: the method, the gain in chips that the solve left, seconds."""

    @property
    def state(self) -> PublicState:
        """The state after the bet."""
        state = self.played.tree.subject.state
        assert state is not None
        return state

    @cached_property
    def strategy(self) -> TreeStrategy:
        """The strategy at public states; further bets that its tree lacks are translated."""
        rows = SolutionStrategy(self.played, whole=False)  # type: ignore[arg-type]
        return TreeStrategy(rows, self.played.tree.subject, self.played.tree.betting)

    @classmethod
    def of(cls, solution: Solution, player: int, facts: dict[str, Any], *, suits_alike: bool) -> Branch:
        """Return the branch that a re-solved subgame is: the strategy of the player whom it was solved for."""
        solved = solution.subject
        assert isinstance(solved, Lookahead)
        live = live_hands(solved.state).astype(np.float64)
        rest = lookahead(solved.state.subject, solved.state, (live, live), solved.depth, menu=solved.menu)
        return cls(player, _laid_out(rest, suits_alike).replaced(player, solution), facts)


class Improved:
    """A strategy and the branches that were added to it; a :class:`~errai.strategies.strategy.Strategy`.

    Parameters
    ----------
    known:
        The old strategy: a solution, a blueprint, or any strategy that answers at public states.
    subject:
        The game or spot.
    branches:
        The branches.  Their boards are the representatives of boards that are equal up to a renaming of suits if the
        old strategy is ``suits_alike``, and the strategy is then asked on these boards only
        (:class:`errai.strategies.suits.SuitsAlike`).
    text:
        The name or the path of the old strategy, for a file.

    Raises :class:`StrategyError` if the strategy is none, or is for another game.
    """

    def __init__(self, known: Known, subject: Subject, branches: Iterable[Branch] = (), text: str = "") -> None:
        self.known, self.subject, self.text = known, subject, text
        self.base = strategy_of(known)
        require(self.base, subject)
        self.branches = tuple(branches)
        self.suits_alike = says(self.base, "suits_alike")
        self.name = f"{name_of(self.base)} with {len(self.branches)} branches"
        self._by_line = {(b.player, b.state.line, b.state.board): b for b in self.branches}
        self._board_lengths = sorted({len(b.state.board) for b in self.branches})

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` if another game is played."""
        require_same(self.subject, subject, self.name)

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`~errai.strategies.strategy.Strategy.strategy`."""
        branch = self._branch(state, state.actor)
        return asked(self.base, state) if branch is None else branch.strategy.strategy(state)

    def has_bet(self, state: PublicState, action: Action) -> bool:
        """Whether an action at a state is one of the strategy's tree, or begins or continues one of its branches."""
        bettor, after = state.actor, state.after(action)
        if (1 - bettor, after.line, state.board) in self._by_line:
            return True
        branch = self._branch(state, 1 - bettor)
        choices = asked(self.base, state) if branch is None else branch.strategy.strategy(state)
        return action in choices.actions

    def with_branches(self, more: Iterable[Branch]) -> Improved:
        """Return the strategy with further branches."""
        return Improved(self.known, self.subject, (*self.branches, *more), self.text)

    def save(self, path: str | Path) -> None:
        """Write the branches, and the name of the old strategy, to one file, atomically."""
        branches, arrays = [], {}
        for number, branch in enumerate(self.branches):
            subject = branch.played.tree.subject
            branches.append({"player": branch.player, "subject": subject_document(subject, None), **branch.facts})
            for s, pair in enumerate(branch.played.strategy):
                arrays[f"{number}/{s}"] = np.asarray(pair[branch.player], dtype=np.float32)
        metadata = {
            "base": {"text": self.text, "name": name_of(self.base)},
            "subject": subject_document(self.subject, None),
            "suits_alike": self.suits_alike,
            "branches": branches,
        }
        write_container(path, KIND, metadata, arrays)

    def _branch(self, state: PublicState, player: int) -> Branch | None:
        """Return the latest branch of a player on the way to a state, if it reaches so far."""
        line, board = state.line, state.board
        for length in range(len(line), 0, -1):
            for cards in self._board_lengths:
                found = self._by_line.get((player, line[:length], board[:cards]))
                if found is not None and _reaches(found.played.tree.subject, state):
                    return found
        return None


def load_improved(path: str | Path, known: Known | None = None) -> Improved:
    """Read a file of :meth:`Improved.save`; ``known`` is the old strategy, by default the one that the file names.

    A path of the old strategy is relative to the file's folder or to the current one.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        There is no such file, it is of another kind, or it is damaged.
    MismatchError
        The old strategy is another one now.
    InputError
        The old strategy cannot be found.
    """
    container = open_container(path, KIND)
    try:
        metadata = container.metadata
        base, text = metadata["base"], str(metadata["base"]["text"])
        subject, _ = read_subject(metadata["subject"])
        alike = bool(metadata["suits_alike"])
        branches = [_read_branch(container, number, alike) for number in range(len(metadata["branches"]))]
        expected = str(base["name"])
    except (ErraiError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedFileError(f"{path} is damaged: its branches cannot be read: {error!s:.200}") from error
    if known is None:
        beside = Path(path).parent / text
        known = open_known(beside if beside.exists() else text)
    found = Improved(known, subject, branches, text)
    if name_of(found.base) != expected:
        raise MismatchError(
            f"The branches of {path} were made for the strategy '{expected}', and {text!r} is now "
            f"'{name_of(found.base)}'; make them again."
        )
    return found


def read_improved(place: str | Path, subject: Subject) -> Improved:
    """Return a strategy to be improved: an improved one, or one without branches yet.

    ``place`` is the file of one, or what :func:`errai.resolving.resolve.open_known` takes.  Raises the errors of both,
    and :class:`StrategyError` if the strategy is for another game.
    """
    try:
        found = load_improved(place)
    except (ForeignFileError, FileAccessError):
        return Improved(open_known(place), subject, text=str(place))
    found.require(subject)
    return found


def _read_branch(container: Container, number: int, suits_alike: bool) -> Branch:
    said = dict(container.metadata["branches"][number])
    player, (subject, _) = int(said.pop("player")), read_subject(said.pop("subject"))
    if not isinstance(subject, Lookahead) or player not in (0, 1):
        raise DamagedFileError("A branch is of no player, or not of the rest of a game.")
    laid = _laid_out(subject, suits_alike)
    arrays: Arrays = [list(pair) for pair in laid.strategy]
    for s, pair in enumerate(arrays):
        given = container.read(f"{number}/{s}").astype(np.float64)
        if given.shape != pair[player].shape or not (np.isfinite(given) & (given >= 0.0) & (given <= 1.0)).all():
            raise DamagedFileError(f"The strategy of branch {number} does not fit its tree.")
        pair[player] = given
    return Branch(player, replace(laid, strategy=arrays), said)


def _laid_out(rest: Lookahead, suits_alike: bool) -> LaidOut:
    """Return the tree of the rest of a game with a strategy of zeros."""
    plan = plan_public_tree(rest, last_street=last_street(rest, None), isomorphism=suits_alike)
    check_memory(plan, 8 * plan.entries + plan.deal_bytes, None)
    tree = plan.build()
    counts = [
        [tree.betting.num_rows(s, p) * tree.class_counts[s][p] for p in (0, 1)] for s in range(len(tree.class_counts))
    ]
    return LaidOut(tree, [[np.zeros(n) for n in pair] for pair in counts], rest.ranges)


def _reaches(rest: Subject, state: PublicState) -> bool:
    """Whether the tree of the rest of a game goes as far as a state."""
    assert isinstance(rest, Lookahead)
    return rest.depth is None or state.betting.round <= rest.depth
