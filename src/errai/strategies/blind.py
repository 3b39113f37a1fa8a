"""Strategies that ignore their cards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.strategies.strategy import Choices, Deals, Decision, live_hands

ROUNDING = 1e-9
"""How far the given probabilities may be from summing to 1."""


class BlindStrategy(ABC):
    """A strategy that ignores its cards: it has one probability for each action of a decision.

    It can play any game.  At a public state of a no-limit game a raise is one of the pot or, if that is not legal, the
    nearest legal one; ``uniform`` chooses among fold, call, that raise and all-in.
    """

    suits_alike = True

    @property
    @abstractmethod
    def description(self) -> str:
        """See :attr:`~errai.strategies.strategy.BatchedStrategy.description`."""

    @abstractmethod
    def mix(self, decision: Decision) -> NDArray[np.float64]:
        """Return float64[A]: the probability of each action."""

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.floating]:
        """See :meth:`~errai.strategies.strategy.BatchedStrategy.rows`."""
        return np.concatenate([self.mix(decision) for decision in decisions])[:, None]

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`~errai.strategies.strategy.Strategy.strategy`."""
        actions, mixture = self.mixture(state)
        return Choices(actions, live_hands(state)[:, None] * np.array(mixture))

    def mixture(self, state: PublicState) -> tuple[tuple[Action, ...], list[float]]:
        """Return the actions at a public state, and the probability of each with any hand."""
        legal = state.betting.legal()
        actions = [FOLD, CALL] if legal.fold else [CALL]
        if legal.raise_range is not None:
            least, most = legal.raise_range
            pot = round(max(state.betting.spent) + state.called_pot)
            actions.extend(raise_to(total) for total in dict.fromkeys((min(max(pot, least), most), most)))
        spent: Any = tuple(map(float, state.betting.spent))
        decision = Decision(
            node=-1,
            street=state.betting.round - state.first_round,
            player=state.betting.actor,
            actions=tuple(action.kind.name.lower() for action in actions),
            kinds=tuple(action.kind for action in actions),
            contributions=spent,
            row=-1,
        )
        return tuple(actions), self.mix(decision).tolist()


@dataclass(frozen=True)
class Mixture(BlindStrategy):
    """Folds, calls and raises with fixed probabilities, whatever the cards.

    A raise that the rules forbid becomes a call; a fold with nothing to call becomes a check.  If there are several bet
    sizes, each gets the same share of ``raise_``.

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
        """A text such as 'always-call' or 'call=0.5,raise=0.5'."""
        named = (("fold", self.fold), ("call", self.call), ("raise", self.raise_))
        always = [name for name, number in named if number == 1]
        return f"always-{always[0]}" if always else ",".join(f"{name}={number!r}" for name, number in named if number)

    def mix(self, decision: Decision) -> NDArray[np.float64]:
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

    description = "uniform"

    def mix(self, decision: Decision) -> NDArray[np.float64]:
        return np.full(len(decision.actions), 1.0 / len(decision.actions))


ALWAYS = {"always-fold": Mixture(1, 0, 0), "always-call": Mixture(0, 1, 0), "always-raise": Mixture(0, 0, 1)}
"""The strategies that always take the same action."""
