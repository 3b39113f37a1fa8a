"""Vexbot: Billings et al., "Game-tree search with adaptation in stochastic imperfect-information games" (2004).

docs/bots/vexbot.md says where this follows the paper and where it does not.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.adaptive.model import exponential_credit
from errai.agents.literature.adaptive.player import AdaptivePlayer
from errai.agents.literature.adaptive.search import miximax, miximix, mixture
from errai.games.subject import Subject
from errai.strategies.names import Name

SEARCHES = ("miximax", "miximix")


class Vexbot(AdaptivePlayer):
    """Adaptive miximax or miximix.

    Parameters
    ----------
    subject:
        A limit game; :class:`UnsupportedGameError` for others.
    search:
        ``miximax`` takes the best action, here and in the search; ``miximix`` mixes all actions in both.
    temperature:
        For miximix, in big blinds: actions have probabilities proportional to exp(value / temperature).
    credit:
        m of the exponential credit, see :mod:`~errai.agents.literature.adaptive.model`.
    decay:
        Factor of an earlier observation whenever another one of its class is added.
    explore:
        After t hands the share explore / (explore + t) of decisions is drawn from a mixture of temperature 1, in order
        to observe lines that the model considers bad.
    rivers, seed:
        See :class:`AdaptivePlayer`.
    """

    def __init__(
        self,
        subject: Subject,
        name: str = "vexbot",
        *,
        search: str = "miximax",
        temperature: float = 0.1,
        credit: float = 0.98,
        decay: float = 1.0,
        explore: float = 10.0,
        rivers: int = 8,
        seed: int = 0,
    ) -> None:
        self.search, self.temperature, self.explore = search, temperature, explore
        rule = miximax if search == "miximax" else miximix(temperature * subject.rules.big_blind)
        super().__init__(
            subject, name, rule=rule, credit=partial(exponential_credit, credit), decay=decay, rivers=rivers, seed=seed
        )

    def choose(self, values: NDArray[np.float64]) -> int:
        """See :meth:`AdaptivePlayer.choose`."""
        if self.random() * (self.explore + self.hands_seen) < self.explore:
            return self._drawn_from(values, EXPLORING)
        if self.search == "miximax":
            return int(values.argmax())
        return self._drawn_from(values, self.temperature)

    def _drawn_from(self, values: NDArray[np.float64], temperature: float) -> int:
        shares = mixture(values[None, :, None], temperature)[0, :, 0]
        return min(int(np.searchsorted(np.cumsum(shares), self.random(), side="right")), len(values) - 1)


EXPLORING = 1.0
"""Temperature of decisions that are drawn to explore, in big blinds."""


def read_vexbot(name: Name, subject: Subject) -> Vexbot:
    """Make Vexbot from its name, with options such as ``search=miximix,decay=0.95``; raises :class:`StrategyError`."""
    numbers = {
        "temperature": (1e-3, 100.0),
        "credit": (0.0, 0.9999),
        "decay": (0.01, 1.0),
        "explore": (0.0, 1e9),
        "rivers": (1, 60),
        "seed": (0, 2**53),
    }
    read = name.read(numbers, {"search": SEARCHES})
    return Vexbot(subject, name.text, **read)
