"""The certificate of a strategy: what each player would gain by a best response, summed in float64.

Best response and value are the walk of the solver, with a maximum at the responder's nodes for the former.  Each
player's gain is measured from the player's own value, so the game need not be zero-sum (docs/maths.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from errai.engine.leaf_values import LeafMeasurement, LeafValues, title_of
from errai.engine.root import Entering
from errai.engine.units import Exploitability, Measurement, Units
from errai.errors import CertificateError, LeafValuesError, SubgameError
from errai.kernels.layout import BEST, FIXED
from errai.kernels.protocol import Arrays, Kernel
from errai.own_code import faults_named, is_users, numbers_of
from errai.tree.public_tree import PublicTree

NEGATIVE = 1e-6
"""By this fraction of the initial pot a gain may be below 0 because of rounding."""


@dataclass(frozen=True, eq=False)
class StrategyProfile:
    """The strategies of both players on a tree."""

    tree: PublicTree
    kernel: Kernel
    strategy: Arrays
    leaves: LeafMeasurement | None = None
    """The values at the leaves of a tree that is cut."""
    entering: Entering | None = None
    """The reach at the root, if it is not that of the ranges.  A player who may refuse to enter makes this choice too
    as a best response.
    """

    @property
    def values_cancel(self) -> bool:
        """Whether one player's gain is the other player's loss, in the tree and at its leaves."""
        return self.tree.values_cancel and (self.leaves is None or self.leaves.zero_sum)

    def values(self, *, exact: bool = True) -> tuple[float, float]:
        """Return the net chips per hand of each player; in zero-sum games one is minus the other.

        ``exact`` is as for :meth:`errai.kernels.protocol.Kernel.root_values`.
        """
        first = self._chips(0, FIXED, exact)
        return first, -first if self.values_cancel else self._chips(1, FIXED, exact)

    def best_responses(self, *, exact: bool = True) -> tuple[float, float]:
        """Return the net chips per hand of each player's best response to the other player's strategy."""
        return self._chips(0, BEST, exact), self._chips(1, BEST, exact)

    def certificate(self, units: Units) -> tuple[Exploitability, tuple[float, float]]:
        """Return the exact exploitability and, since it rests on them, the net chips per hand of each player.

        Raises :class:`CertificateError` if a gain is not finite, or below 0 by more than rounding.
        """
        best, values = self.best_responses(), self.values()
        gains = (best[0] - values[0], best[1] - values[1])
        found = Exploitability((gains[0] + gains[1]) / 2.0, units, gains)
        if min(gains) < -NEGATIVE * units.initial_pot_chips:
            raise CertificateError(
                f"By best responses the players would gain {gains[0]:g} and {gains[1]:g} chips, and a gain below 0 is "
                "impossible, so nothing is certified: the values at the leaves or at the root do not fit together."
            )
        return found, values

    def quick_exploitability(self, units: Units) -> Measurement:
        """Return the exploitability to about 1e-6 of the pot, several times as fast, to decide when to measure exactly.

        Sums are in float32 unless the strategy is in float64.  The values of the strategy itself are not computed if
        they cancel.
        """
        gains = sum(self.best_responses(exact=False))
        if not self.values_cancel:
            gains -= sum(self.values(exact=False))
        return Measurement(gains / 2.0, units)

    def check_zero_sum_leaves(self, source: LeafValues) -> None:
        """Raise :class:`LeafValuesError` if leaf values that say that they are zero-sum are not.

        The value of player 1 is then taken as that of player 0 with the opposite sign, so the certificate would be
        wrong.
        """
        if not self.values_cancel:
            return
        values = self._chips(0, FIXED), self._chips(1, FIXED)
        if abs(sum(values)) > max(NEGATIVE, source.rounding) * self.tree.initial_pot:
            raise LeafValuesError(
                f"{title_of(source)} say by `zero_sum` that a player wins what the other one loses, but the players "
                f"win {values[0]:g} and {values[1]:g} chips; set `zero_sum` to False, or correct the values."
            )

    def _chips(self, player: int, role: int, exact: bool = True) -> float:
        """Return the net chips per hand of a player, with a best response or the player's own strategy.

        Raises :class:`SubgameError` if a user's code at the root fails or returns no finite number.
        """
        leaves = None
        if self.leaves is not None:
            leaves = (self.leaves.best if role == BEST else self.leaves.values)[player]
        reach = None if self.entering is None else self.entering.reach
        found = self.kernel.root_values(self.strategy, player, role=role, exact=exact, leaf_values=leaves, reach=reach)
        if self.entering is None:
            return self.tree.chips(found, player)
        if not is_users(self.entering):
            return self.entering.chips(found, player, best=role == BEST)
        what = f"The chips of player {player} by {type(self.entering).__name__}"
        with faults_named(what, SubgameError):
            chips = self.entering.chips(found, player, best=role == BEST)
        return float(numbers_of(chips, what, (), error=SubgameError))
