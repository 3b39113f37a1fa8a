"""A public state that is to be solved again, with all that a method may take into account there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights, hand_cards
from errai.errors import SubgameError
from errai.games.hand import PublicState
from errai.games.lookahead import lookahead
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.solutions.solution import Solution
from errai.solving.solve import solve

if TYPE_CHECKING:
    from errai.engine.leaf_function import Function
    from errai.engine.leaf_values import LeafValues
    from errai.resolving.gadgets.method import Method

FITS = 1e-12
"""A hand is met where the hands that fit it weigh more than this share of all; less is the rounding of a sum."""


@dataclass(frozen=True, eq=False)
class Subgame:
    """A public state with what both players bring there, and what its opponent is owed.

    Arrays are over all hands of the deck in hand-index order; numbers of hands that hold a card of the board are not
    read.  Counterfactual values are net chips over the whole hand (half of a spot's pot counts as put in by each),
    summed over the own hands that fit and weighted by the own range *as it stands in* ``ranges``: who scales the one
    scales the other.

    Raises
    ------
    SubgameError
        The player is neither 0 nor 1, an array has another size, a range holds a number that is negative or not
        finite, the own range holds no possible hand, or a gift is negative.
    """

    state: PublicState
    """Where somebody acts."""
    player: int
    """Who is solved again; the opponent is the other one."""
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[H] by seat: the own range as it was really played, the opponent's as it is estimated."""
    values: NDArray[np.float64]
    """float64[H]: the opponent's counterfactual values when he responds best to the strategy that is replaced; NaN
    where they are not known."""
    estimated: NDArray[np.float64] | None = None
    """float64[H]: his counterfactual values when both follow that strategy."""
    gifts: NDArray[np.float64] | None = None
    """float64[H], not negative: what he gave up on the way here, in the same unit."""

    def __post_init__(self) -> None:
        if self.player not in (0, 1):
            raise SubgameError(f"The player who is solved again is 0 or 1, not {self.player!r}.")
        if len(self.ranges) != 2:
            raise SubgameError(f"A subgame has two ranges, not {len(self.ranges)}.")
        first, second = (self._sized(w, f"the range of player {p}") for p, w in enumerate(self.ranges))
        for p, weights in enumerate((first, second)):
            if not (np.isfinite(weights) & (weights >= 0)).all():
                raise SubgameError(f"The range of player {p} holds a weight that is negative or not finite.")
        object.__setattr__(self, "ranges", (first, second))
        if not self.ranges[self.player].any():
            raise SubgameError(f"The range of player {self.player} holds no hand that is possible on this board.")
        object.__setattr__(self, "values", self._sized(self.values, "the opponent's values"))
        if self.estimated is not None:
            object.__setattr__(self, "estimated", self._sized(self.estimated, "the estimated values"))
        if self.gifts is not None:
            object.__setattr__(self, "gifts", self._sized(self.gifts, "the gifts"))
            if (self.gifts < 0).any():
                raise SubgameError("A gift is what an opponent gave up on the way; it is not negative.")

    @property
    def opponent(self) -> int:
        """The seat of the opponent."""
        return 1 - self.player

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """bool[H]: hands that hold no card of the board."""
        game = self.state.betting.game
        hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
        return np.asarray(~np.isin(hands, self.state.board).any(axis=1))

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """bool[H]: hands that the opponent may hold here; in a spot he has those of his range there and no others."""
        subject = self.state.subject
        if not isinstance(subject, Spot):
            return self.live
        return np.asarray(self.live & (np.asarray(subject.ranges[self.opponent].weights) > 0.0))

    @cached_property
    def against(self) -> NDArray[np.float64]:
        """float64[H]: for each hand of the opponent the weight of the own hands that fit it; 0 where none does.

        A counterfactual value divided by it is in chips per hand.
        """
        game = self.state.betting.game
        own = self.ranges[self.player]
        found = fitting_weights(hand_cards(game.deck.num_cards, game.num_hole_cards), own)
        return np.where(self.possible & (found > FITS * own.sum()), found, 0.0)

    def required(self, name: str) -> NDArray[np.float64]:
        """float64[H]: ``values``, ``estimated`` or ``gifts`` where they are needed, which is at hands that are met.

        Other hands get 0.  Raises :class:`SubgameError` where one is missing or not finite.
        """
        given = getattr(self, name)
        if given is None:
            raise SubgameError(f"This method needs {_MEANS[name]}: give the subgame its `{name}`.")
        met = self.against > 0
        missing = int((met & ~np.isfinite(given)).sum())
        if missing:
            raise SubgameError(
                f"This method needs {_MEANS[name]} for every hand that the own range leaves possible; of {missing:,} "
                f"of {int(met.sum()):,} there is no finite number in `{name}`."
            )
        return np.where(met, given, 0.0)

    def with_values(self, **changes: NDArray[np.float64] | None) -> Subgame:
        """The same subgame with other ``values``, ``estimated`` values or ``gifts``."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def _sized(self, given: Any, what: str) -> NDArray[np.float64]:
        """float64[H] of numbers, 0 for hands that are not live.  Raises :class:`SubgameError`."""
        try:
            found = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise SubgameError(f"There must be a number for each hand in {what}: {error}.") from error
        if found.shape != self.live.shape:
            raise SubgameError(
                f"There must be a number for each of the {len(self.live):,} hands of the deck in {what}, not an array "
                f"of the shape {found.shape}."
            )
        return np.where(self.live, found, 0.0)


_MEANS = {
    "values": "the opponent's counterfactual values",
    "estimated": "what the opponent is estimated to be worth",
    "gifts": "what the opponent gave up on the way",
}


def solve_subgame(
    subgame: Subgame,
    method: Method | str,
    *,
    menu: BetMenu | str | None = None,
    depth: str | int | None = None,
    leaf_values: LeafValues | Function | None = None,
    **settings: Any,
) -> Solution:
    """Solve what is left of a game at a public state again, by one of the methods of :mod:`errai.resolving.gadgets`.

    Parameters
    ----------
    subgame:
        The state, and what is known there.
    method:
        What stands above the state; a :class:`~errai.resolving.gadgets.method.Method` or its name.
    menu, depth:
        Bet sizes from here on, and the street after which the tree is cut: as :func:`errai.lookahead` takes them, but
        by default to the end of the game.
    leaf_values:
        What stands below a tree that is cut.
    settings:
        As for :func:`errai.solve`: the target, limits, the algorithm, precision and so on.

    Returns
    -------
    Solution
        Its certificate is that of the game with the gadget, in chips per hand of what the method lets enter.

    Raises
    ------
    SubgameError
        There is no such method, or it needs values that the subgame does not have.
    InputError, SolverOptionError, TargetError
        As :func:`errai.lookahead` and :func:`errai.solve`.
    """
    if isinstance(method, str):
        from errai.resolving.gadgets import find_method

        method = find_method(method)
    rest = lookahead(subgame.state.subject, subgame.state, method.ranges(subgame), depth, menu=menu)
    return solve(rest, gadget=method.gadget(subgame), leaf_values=leaf_values, **settings)
