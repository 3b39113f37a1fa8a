"""BRPlayer: Schauenberg, "Opponent modelling and search in poker" (2006).

docs/bots/brplayer.md says where this follows the thesis and where it does not.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.adaptive.model import pseudo_count_credit
from errai.agents.literature.adaptive.player import AdaptivePlayer
from errai.agents.literature.adaptive.search import miximax
from errai.games.subject import Subject
from errai.strategies.names import Name

BRPLAYER_LEVELS = ("exact", "rounds", "totals", "coarse")


class BRPlayer(AdaptivePlayer):
    """Plays a best response to a model of counts without decay, and alternates between actions of nearly equal value.

    Parameters
    ----------
    subject:
        A limit game; :class:`UnsupportedGameError` for others.
    counts:
        The estimate of a coarser level counts as so many observations of the finer one.
    slack:
        An action may be taken if its value is at most so many big blinds below the best, in the first hand; after t
        hands it is slack * sqrt(explore / (explore + t)).
    explore:
        See ``slack``.
    rivers, seed:
        See :class:`AdaptivePlayer`.
    """

    def __init__(
        self,
        subject: Subject,
        name: str = "brplayer",
        *,
        counts: float = 10.0,
        slack: float = 0.5,
        explore: float = 50.0,
        rivers: int = 8,
        seed: int = 0,
    ) -> None:
        self.slack, self.explore = slack, explore
        super().__init__(
            subject,
            name,
            rule=miximax,
            credit=partial(pseudo_count_credit, counts),
            levels=BRPLAYER_LEVELS,
            rivers=rivers,
            seed=seed,
        )

    def choose(self, values: NDArray[np.float64]) -> int:
        """See :meth:`AdaptivePlayer.choose`."""
        share = self.explore / (self.explore + self.hands_seen) if self.explore else 0.0
        near = np.flatnonzero(values >= values.max() - self.slack * share**0.5)
        return int(near[int(self.random() * len(near))])


def read_brplayer(name: Name, subject: Subject) -> BRPlayer:
    """Make BRPlayer from its name, with options such as ``counts=20``; raises :class:`StrategyError`."""
    numbers = {
        "counts": (0.01, 1e6),
        "slack": (0.0, 100.0),
        "explore": (0.0, 1e9),
        "rivers": (1, 60),
        "seed": (0, 2**53),
    }
    read = name.read(numbers)
    return BRPlayer(subject, name.text, **read)
