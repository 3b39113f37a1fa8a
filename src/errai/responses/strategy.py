"""What a strategy is to a best response, and the strategies that never look at their cards.

A strategy is asked about the decisions of one player on one street, on one board or several, with all the hands that
the player may hold there; nothing says where the answer comes from: a formula, a table of buckets, a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.tree.betting_tree import BettingTree

ROUNDING = 1e-9
"""How far probabilities that are handed in may be from summing to 1."""


@dataclass(frozen=True)
class Decision:
    """A node of the betting tree at which a player acts: everything about a decision but the cards."""

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
        """The decision at a node of a betting tree."""
        kinds = tuple(ActionKind(int(betting.action_kind[child])) for child in betting.children(node))
        first, second = (float(chips) for chips in betting.contributions[node])
        street, actor = int(betting.street[node]), int(betting.actor[node])
        return cls(node, street, actor, betting.actions(node), kinds, (first, second), int(betting.row_start[node]))


@dataclass(frozen=True, eq=False)
class Deals:
    """Boards of a street, and the hands that a player may hold on each; ``S`` is their number over all boards."""

    street: int
    boards: NDArray[np.int8]
    """int8[B, n]: the cards on the table, those of each street ascending."""
    start: NDArray[np.int64]
    """int64[B+1]: hands of board ``b`` are ``start[b]:start[b+1]``."""
    hand: NDArray[np.int32]
    """int32[S]: hand indices.  Of hands that suits make equal one stands for all."""
    cards: NDArray[np.uint8]
    """uint8[S, k]: their cards."""


@runtime_checkable
class Strategy(Protocol):
    """Anything that says with which probability each action is taken."""

    @property
    def description(self) -> str:
        """What the strategy is, in one line; a checkpoint holds for strategies of the same description."""

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.floating]:
        """Probabilities at the decisions of one player on one street.

        Returns float[R, S], or float[R, 1] where all hands do the same: a row for each (decision, action), in the
        order of ``decisions``.  The rows of a decision sum to 1; float32 is enough where speed matters, and counts as
        given: it is normalised in float64.
        """


class BlindStrategy(ABC):
    """A strategy that never looks at its cards: one mixture of the actions for each decision."""

    @property
    @abstractmethod
    def description(self) -> str:
        """As :attr:`Strategy.description`."""

    @abstractmethod
    def mix(self, decision: Decision) -> NDArray[np.float64]:
        """float64[A]: probability of each action."""

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.floating]:
        """As :meth:`Strategy.rows`: float64[R, 1]."""
        return np.concatenate([self.mix(decision) for decision in decisions])[:, None]


class NodeByNode(ABC):
    """A base for strategies that are easiest to write for one decision at a time."""

    @property
    @abstractmethod
    def description(self) -> str:
        """As :attr:`Strategy.description`."""

    @abstractmethod
    def probabilities(self, decision: Decision, deals: Deals) -> NDArray[np.floating]:
        """Float[A, S], or anything that broadcasts to it."""

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.floating]:
        """As :meth:`Strategy.rows`."""
        shape = len(deals.hand)
        return np.concatenate(
            [np.broadcast_to(self.probabilities(d, deals), (len(d.actions), shape)) for d in decisions]
        )


@dataclass(frozen=True)
class Mixture(BlindStrategy):
    """Folds, calls and raises with fixed probabilities, whatever the cards.

    A raise that the rules forbid becomes a call; a fold where there is nothing to call becomes a check.  Where several
    sizes may be bet, each gets the same share of ``raise_``.

    Raises :class:`StrategyError` unless the numbers are probabilities that sum to 1.
    """

    fold: float
    call: float
    raise_: float

    def __post_init__(self) -> None:
        numbers = (self.fold, self.call, self.raise_)
        if not all(0.0 <= number <= 1.0 for number in numbers) or not abs(sum(numbers) - 1.0) <= ROUNDING:
            raise StrategyError(
                f"The probabilities of '{self.description}' must lie between 0 and 1 and sum to 1; "
                f"they sum to {sum(numbers):g}."
            )

    @property
    def description(self) -> str:
        """Such as 'always-call' or 'call=0.5,raise=0.5'."""
        named = (("fold", self.fold), ("call", self.call), ("raise", self.raise_))
        always = [name for name, number in named if number == 1]
        return f"always-{always[0]}" if always else ",".join(f"{name}={number!r}" for name, number in named if number)

    def mix(self, decision: Decision) -> NDArray[np.float64]:
        """float64[A]: probability of each action."""
        kinds = np.array(decision.kinds)
        folds, raises = kinds == ActionKind.FOLD, kinds == ActionKind.RAISE
        result = np.zeros(len(kinds))
        result[folds] = self.fold
        result[raises] = self.raise_ / max(int(raises.sum()), 1)
        result[kinds == ActionKind.CALL] = (
            self.call + (0.0 if folds.any() else self.fold) + (0.0 if raises.any() else self.raise_)
        )
        return result


@dataclass(frozen=True)
class Uniform(BlindStrategy):
    """Takes every action that the tree offers with the same probability."""

    @property
    def description(self) -> str:
        """'uniform'."""
        return "uniform"

    def mix(self, decision: Decision) -> NDArray[np.float64]:
        """float64[A]: probability of each action."""
        return np.full(len(decision.actions), 1.0 / len(decision.actions))


ALWAYS = {"always-fold": Mixture(1, 0, 0), "always-call": Mixture(0, 1, 0), "always-raise": Mixture(0, 0, 1)}
"""The strategies that do one thing."""
