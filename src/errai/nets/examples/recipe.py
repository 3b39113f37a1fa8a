"""How the positions of a data set are made, and what their values are: all that its content depends on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from errai.errors import InputError, MismatchError
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.sizing import StreetMenu
from errai.nets.examples.asked import PER_LOOKAHEAD, Asked, shipped_asked
from errai.nets.examples.play import shipped_play
from errai.nets.examples.situations import STRATA, Stratum, check_strata, situations
from errai.nets.examples.targets import ACCURACIES, MENU, MOST_ITERATIONS
from errai.nets.positions import Positions

BLUEPRINT = "blueprint-nl"
"""The strategy of the package that is played."""

SOURCES = ("generated", "play", "asked")
"""Where positions come from: drawn at random, met in play of a blueprint, or asked about by a re-solving player."""

FIELDS = ("boards", "ranges", "stacks")
"""The arrays of positions."""


@dataclass(frozen=True)
class Recipe:
    """How the positions of a folder are made, and what their values are."""

    game: str
    """The game's name in the catalogue."""
    round: int
    seed: int
    source: str = SOURCES[0]
    strata: tuple[Stratum, ...] = STRATA
    menu: str = MENU
    """Bets and raises of the solves, with a bar between them where they differ."""
    accuracies: tuple[tuple[float, float], ...] = ACCURACIES
    """See :data:`errai.nets.examples.targets.ACCURACIES`."""
    max_iterations: int = MOST_ITERATIONS
    played: str = BLUEPRINT
    """The blueprint of the package whose self-play gives the positions, for positions met in play."""
    net: str = ""
    """The network at the leaves when only one street is solved; '' where all streets are solved."""
    net_digest: str = ""
    """Digest of that network."""
    asked: str = ""
    """The network at the leaves of the lookaheads whose positions these are: one of the package, or a file."""
    asked_digest: str = ""
    """Digest of that network."""

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise InputError(f"The source of positions must be {' or '.join(SOURCES)}, not {self.source!r}.")
        if not self.accuracies or any(not accuracy > 0.0 for _, accuracy in self.accuracies):
            raise InputError(f"Every accuracy must be above 0 pots; the accuracies are {self.accuracies}.")
        check_strata(self.strata)
        StreetMenu.parse(self.menu)

    @cached_property
    def rules(self) -> Game:
        """The game."""
        return load_game(self.game)

    @property
    def cards(self) -> int:
        """Cards on the board."""
        return self.rules.board_cards_in(self.round)

    @property
    def together(self) -> int:
        """How many positions with successive numbers, the first a multiple of this, are drawn from one solve."""
        return PER_LOOKAHEAD if self.asked else 1

    def positions(self, indices: Sequence[int]) -> Positions:
        """Return the positions with these numbers; they do not depend on the other positions."""
        if self.source == SOURCES[0]:
            return situations(self.rules, self.round, self.seed, indices, self.strata)
        met_by = shipped_asked(self.played, self.asked) if self.asked else shipped_play(self.played, self.round)
        if met_by.game.digest() != self.rules.digest():
            raise InputError(
                f"The blueprint {self.played} plays {met_by.game.name}, and the positions are of {self.game}."
            )
        if isinstance(met_by, Asked) and met_by.net.digest != self.asked_digest:
            raise MismatchError(
                f"The positions are those about which another network {self.asked} is asked, with the digest "
                f"{self.asked_digest}."
            )
        met = [met_by.position(self.seed, index, self.strata) for index in indices]
        return Positions(*(np.concatenate([getattr(one, name) for one in met]) for name in FIELDS))

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as JSON values."""
        said = asdict(self)
        said["accuracies"] = [[most if most < float("inf") else None, accuracy] for most, accuracy in self.accuracies]
        found: dict[str, Any] = json.loads(json.dumps(said))
        return found

    @classmethod
    def from_dict(cls, said: dict[str, Any]) -> Recipe:
        """Read the result of :meth:`to_dict`; raises TypeError, KeyError or ValueError for other content."""
        strata = tuple(Stratum(**stratum) for stratum in said.pop("strata"))
        accuracies = tuple((float("inf") if most is None else most, one) for most, one in said.pop("accuracies"))
        return cls(**said, strata=strata, accuracies=accuracies)
