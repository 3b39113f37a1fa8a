"""What all methods over games that are written out have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from errai.errors import UnsupportedGameError
from errai.extensive.game import ExtensiveGame, Floats


class Method(ABC):
    """A method that comes closer to an equilibrium step by step; action probabilities are float64[sequences]."""

    def __init__(self, game: ExtensiveGame) -> None:
        self.game = game
        self.iteration = 0
        """The number of steps that were made."""
        self.gradients = 0
        """How often a gradient was evaluated: the walk over all ends of the game that every method pays with."""
        self._now = [d.uniform() for d in game.decisions]

    @property
    @abstractmethod
    def average(self) -> list[Floats]:
        """The action probabilities of all players for which the method promises something."""

    @property
    def current(self) -> list[Floats]:
        """The newest ones; by default those of ``average``."""
        return self.average

    @property
    def is_exact(self) -> bool:
        """Whether further steps would change nothing."""
        return False

    @abstractmethod
    def step(self) -> None:
        """Make one step."""

    def advance(self, steps: int) -> None:
        """Make some steps."""
        for _ in range(steps):
            self.step()

    def gradient(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Return :meth:`ExtensiveGame.gradient`, and count it."""
        self.gradients += 1
        return self.game.gradient(player, plans)


def check_two_players(game: ExtensiveGame, method: str) -> None:
    """Raise :class:`UnsupportedGameError` unless two players win what the other loses."""
    if game.num_players != 2 or not game.is_zero_sum:
        what = f"{game.num_players} players" if game.num_players != 2 else "payoffs that do not sum to 0"
        raise UnsupportedGameError(
            f"{game.title} has {what}, and {method} solves games in which one player wins what the other loses; solve "
            "it with a variant of CFR."
        )
