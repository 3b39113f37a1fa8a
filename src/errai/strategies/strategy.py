"""The definition of a strategy: the action probabilities of every hand at a public state.

Agents, local best response, AIVAT and exact best responses ask nothing else of a strategy (:class:`Strategy`).  One
that can answer for many lines and boards in one call, such as a table or a formula, is also a :class:`BatchedStrategy`;
best responses in large games need that speed.  Each form is made from the other in one place:
:class:`errai.strategies.of_tree.TreeStrategy` and :class:`errai.strategies.by_state.ByState`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.hand import Action, PublicState, rules_of
from errai.games.lookahead import Solvable, follows, start_of
from errai.tree.betting_tree import BettingTree

SUM_ERROR = 1e-4
"""How far the sum of the probabilities of a decision may be from 1; they are then normalised."""


@dataclass(frozen=True, eq=False)
class Choices:
    """The action probabilities of every hand at a public state.

    Axes: H all hands of the deck in hand-index order, A actions.
    """

    actions: tuple[Action, ...]
    """Legal actions, each once."""
    probabilities: NDArray[np.float64]
    """float64[H, A]; rows sum to 1, or are 0 for hands that cannot be held here."""


@runtime_checkable
class Strategy(Protocol):
    """Anything that has action probabilities for every hand at a public state.

    Its attribute ``suits_alike``, if it has one, says whether the strategy is known to be symmetric in the suits; best
    responses then need not check that.
    """

    def strategy(self, state: PublicState) -> Choices:
        """Return the action probabilities of every hand for the player who acts at ``state``."""


@dataclass(frozen=True)
class Decision:
    """A node of the betting tree at which a player acts: everything about a decision except the cards."""

    node: int
    """Number in the betting tree."""
    street: int
    player: int
    actions: tuple[str, ...]
    """Labels, such as 'fold', 'call', 'raise 20'; axis A."""
    kinds: tuple[ActionKind, ...]
    contributions: tuple[float, float]
    """Chips that each player has put in."""
    row: int
    """The first of the node's rows among those of (street, player) in the whole betting tree."""

    @classmethod
    def at(cls, betting: BettingTree, node: int) -> Decision:
        """Make the decision of a node of a betting tree."""
        kinds = tuple(ActionKind(int(betting.action_kind[child])) for child in betting.children(node))
        first, second = (float(chips) for chips in betting.contributions[node])
        street, actor = int(betting.street[node]), int(betting.actor[node])
        return cls(node, street, actor, betting.actions(node), kinds, (first, second), int(betting.row_start[node]))


@dataclass(frozen=True, eq=False)
class Deals:
    """Boards of a street, and the hands a player may hold on each; ``S`` is the number of hands over all boards."""

    street: int
    boards: NDArray[np.int8]
    """int8[B, n]: the cards on the table, those of each street ascending."""
    start: NDArray[np.int64]
    """int64[B+1]: hands of board ``b`` are ``start[b]:start[b+1]``."""
    hand: NDArray[np.int32]
    """int32[S]: hand indices.  One of the hands that differ by suits alone represents them all."""
    cards: NDArray[np.uint8]
    """uint8[S, k]: their cards."""


@runtime_checkable
class BatchedStrategy(Protocol):
    """A strategy for the lines of a betting tree, queried for decisions of one player on boards of one street.

    ``suits_alike`` is as in :class:`Strategy`.
    """

    @property
    def description(self) -> str:
        """A line that identifies the strategy; a checkpoint is valid for strategies of the same description."""

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.floating]:
        """Return the probabilities at the decisions of one player on one street.

        They are float[R, S], or float[R, 1] if all hands do the same, with a row for each (decision, action) in the
        order of ``decisions``.  The rows of a decision sum to 1.  For speed they may be float32; they are normalised in
        float64.
        """


def checked_rows(
    strategy: BatchedStrategy, decisions: Sequence[Decision], deals: Deals, *, sums: bool = True
) -> NDArray[np.floating]:
    """Query a strategy, and check its answer.

    Raises :class:`StrategyError` if the answer has a wrong shape or is no probabilities; ``sums`` says whether their
    sums are checked too.
    """
    answer = np.asarray(strategy.rows(decisions, deals))
    counts = [len(decision.actions) for decision in decisions]
    rows = sum(counts)
    if answer.ndim != 2 or len(answer) != rows or answer.shape[1] not in (1, len(deals.hand)):
        raise StrategyError(
            f"'{strategy.description}' returned an array of shape {answer.shape} instead of ({rows}, "
            f"{len(deals.hand)})."
        )
    if answer.dtype not in (np.float32, np.float64):
        answer = answer.astype(np.float64)
    good = not answer.size or (float(answer.min()) >= 0.0 and float(answer.max()) <= 1.0 + SUM_ERROR)
    if good and sums and answer.size:
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        good = bool((np.abs(np.add.reduceat(answer, starts, axis=0) - 1.0) <= SUM_ERROR).all())
    if not good:
        raise StrategyError(f"'{strategy.description}' returned numbers that are no probabilities, or do not sum to 1.")
    return answer


def merged_choices(actions: list[Action], probabilities: NDArray[np.float64]) -> Choices:
    """Return choices in which equal actions are merged; ``probabilities`` is float64[H, len(actions)]."""
    distinct = list(dict.fromkeys(actions))
    if len(distinct) == len(actions):
        return Choices(tuple(actions), probabilities)
    merged = np.zeros((len(probabilities), len(distinct)))
    for i, action in enumerate(actions):
        merged[:, distinct.index(action)] += probabilities[:, i]
    return Choices(tuple(distinct), merged)


def live_hands(state: PublicState) -> NDArray[np.bool_]:
    """Return bool[H], read-only: the hands of the deck that share no card with the board."""
    game = rules_of(state.subject)
    return _live_hands(game.deck.num_cards, game.num_hole_cards, state.board)


@lru_cache(maxsize=4_096)
def _live_hands(num_cards: int, hole_cards: int, board: tuple[int, ...]) -> NDArray[np.bool_]:
    taken = np.zeros(num_cards, dtype=np.bool_)
    taken[list(board)] = True
    live = np.asarray(~taken[hand_cards(num_cards, hole_cards)].any(axis=1))
    live.setflags(write=False)
    return live


def require_same(made_for: Solvable, played: Solvable, name: str) -> None:
    """Raise :class:`StrategyError` if a strategy cannot be asked everywhere in what is played.

    It cannot if it was made for another game, or for the rest of the game from a state that comes later.
    """
    begins, here = start_of(made_for), start_of(played)
    if begins.subject.digest() != here.subject.digest():
        wanted, found = (getattr(s, "title", "") or getattr(s, "name", "a spot") for s in (made_for, played))
        raise StrategyError(f"{name} plays '{wanted}', which has other rules than '{found}'.")
    if not follows(here, begins):
        raise StrategyError(
            f"{name} is a strategy for the rest of the hand, {made_for.title}; it says nothing about what comes before "
            "or beside that. Give a lookahead from there on, errai.lookahead(...), in place of the whole game, or a "
            "strategy of the whole game."
        )
