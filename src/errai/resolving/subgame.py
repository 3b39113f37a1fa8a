"""A public state to be re-solved, with everything that a method may need there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights, hand_cards
from errai.errors import SubgameError
from errai.games.hand import PublicState
from errai.own_code import numbers_of
from errai.strategies.strategy import live_hands

FITS = 1e-12
"""If the hands that share no card with a hand weigh less than this share of the range, that is rounding and counts as
0."""


Ranges = tuple[NDArray[np.float64], NDArray[np.float64]]
"""float64[H] by seat, over all hands of the deck in hand-index order: weights of any scale, 0 for dead hands."""


@dataclass(frozen=True, eq=False)
class Subgame:
    """A public state with both players' ranges there, and the opponent's values.

    Arrays are over all hands of the deck in hand-index order; numbers of hands that hold a card of the board are not
    read. Counterfactual values are net chips over the whole hand (half of a spot's pot counts as put in by each),
    summed over the player's hands that share no card with the opponent's hand, and weighted by the player's range *as
    given in* ``ranges``: scaling the range scales the values.

    Raises
    ------
    SubgameError
        If the player is neither 0 nor 1, an array has another size, a range holds a number that is negative or not
        finite, the player's range holds no possible hand, or a gift is negative.
    """

    state: PublicState
    """A state at which a player acts."""
    player: int
    """The player who is re-solved; the opponent is the other one."""
    ranges: Ranges
    """The player's range as really played, and the opponent's estimated range."""
    values: NDArray[np.float64]
    """float64[H]: the opponent's counterfactual values of a best response to the old strategy; NaN if not known."""
    estimated: NDArray[np.float64] | None = None
    """float64[H]: the opponent's counterfactual values if both players follow the old strategy."""
    gifts: NDArray[np.float64] | None = None
    """float64[H], not negative: what the opponent gave up on the way here, in the same unit."""
    held: NDArray[np.bool_] | None = None
    """bool[H]: hands that the opponent may hold; by default all, and in a spot those of the opponent's range there."""

    def __post_init__(self) -> None:
        if self.player not in (0, 1):
            raise SubgameError(f"The player to re-solve must be 0 or 1, not {self.player!r}.")
        if len(self.ranges) != 2:
            raise SubgameError(f"A subgame has two ranges, not {len(self.ranges)}.")
        first, second = (self._sized(w, f"the range of player {p}") for p, w in enumerate(self.ranges))
        for p, weights in enumerate((first, second)):
            if not (np.isfinite(weights) & (weights >= 0)).all():
                raise SubgameError(f"The range of player {p} holds a weight that is negative or not finite.")
        object.__setattr__(self, "ranges", (first, second))
        if not self.ranges[self.player].any():
            raise SubgameError(f"The range of player {self.player} holds no hand that is possible on this board.")
        for name, what in (("values", "opponent's values"), ("estimated", "estimated values"), ("gifts", "gifts")):
            given = getattr(self, name)
            if given is not None or name == "values":
                object.__setattr__(self, name, self._sized(given, f"the {what}"))
        if self.gifts is not None and (self.gifts < 0).any():
            raise SubgameError("A gift is what the opponent gave up on the way; it cannot be negative.")

    @property
    def opponent(self) -> int:
        """The seat of the opponent."""
        return 1 - self.player

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """bool[H]: hands that hold no card of the board."""
        return live_hands(self.state)

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """bool[H]: hands that the opponent may hold here, without those that hold a card of the board."""
        held = self.state.subject.weights[self.opponent] > 0.0 if self.held is None else self.held
        return np.asarray(self.live & held)

    @cached_property
    def against(self) -> NDArray[np.float64]:
        """float64[H]: for each hand of the opponent the weight of the player's hands that share no card with it.

        A counterfactual value divided by this weight is in chips per hand.
        """
        game = self.state.betting.game
        own = self.ranges[self.player]
        found = fitting_weights(hand_cards(game.deck.num_cards, game.num_hole_cards), own)
        return np.where(self.possible & (found > FITS * own.sum()), found, 0.0)

    def required(self, name: str) -> NDArray[np.float64]:
        """Return ``values``, ``estimated`` or ``gifts``, float64[H], which a method needs.

        Hands that can meet no hand of the player's range get 0.  Raises :class:`SubgameError` if the array or another
        of its numbers is missing or not finite.
        """
        given = getattr(self, name)
        if given is None:
            raise SubgameError(f"This method needs {_MEANS[name]}: give the subgame its `{name}`.")
        met = self.against > 0
        missing = int((met & ~np.isfinite(given)).sum())
        if missing:
            raise SubgameError(
                f"This method needs {_MEANS[name]} for every hand that the player's range leaves possible; for "
                f"{missing:,} of {int(met.sum()):,} such hands `{name}` has no finite number."
            )
        return np.where(met, given, 0.0)

    def with_values(self, **changes: NDArray[np.float64] | None) -> Subgame:
        """Return the same subgame with other ``values``, ``estimated`` values or ``gifts``."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def _sized(self, given: Any, what: str) -> NDArray[np.float64]:
        """Return numbers as float64[H], 0 for hands that are not live.  Raises :class:`SubgameError`."""
        nothing = np.zeros(self.live.shape, dtype=np.bool_)  # What a method reads must be finite; see `required`.
        found = numbers_of(given, f"The numbers in {what}", self.live.shape, read=nothing, error=SubgameError)
        return np.where(self.live, found, 0.0)


_MEANS = {
    "values": "the opponent's counterfactual values",
    "estimated": "estimates of the opponent's counterfactual values",
    "gifts": "what the opponent gave up on the way",
}
