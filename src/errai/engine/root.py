"""The interface above a tree: the reach that enters at its root, and the alternatives to entering.

At the root of a game or a spot both players enter with their ranges.  A tree that is re-solved during play has more
above it: a reach of its own, and an opponent who may refuse to enter.  In the gadget of Burch, Johanson and Bowling,
"Solving imperfect information games using decomposition" (AAAI 2014), the opponent chooses for each hand between
*following* into the tree and an *alternative* of known value.  A strategy that solves this game gives no hand of the
opponent more than its alternative, if that is possible.  Playing it below then does not make the whole strategy more
exploitable.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights
from errai.engine.schedules import Schedule
from errai.errors import InputError, SolverOptionError
from errai.kernels.protocol import RootReach, Values
from errai.own_code import numbers_of
from errai.tree.public_tree import PublicTree, TreePlan


@dataclass(frozen=True, eq=False)
class Entering:
    """Both players' reach at the one board and entry of a root under some strategy there."""

    tree: PublicTree
    reach: RootReach
    """float64[H_p] each, for one hand of every class."""
    pair_weight: float
    """Sum of the weights of all compatible pairs of hands.  Dividing values by it gives chips per hand."""

    def chips(self, values: NDArray[np.float64], player: int, *, best: bool) -> float:
        """Return the net chips per hand of a player whose counterfactual values at the root are float64[H_player].

        With ``best`` the player also responds best at the root.
        """
        return float((self.reach[player] * self.tree.class_sizes[player]) @ values) / self.pair_weight


class Root(Protocol):
    """The interface of what is above a tree."""

    def entering(self, strategy: str) -> Entering:
        """Return what enters under the ``average`` or ``current`` strategy, or the one ``played`` in this iteration."""

    @property
    def identity(self) -> dict[str, Any]:
        """Values that must agree for two runs to be the same."""

    def freeze(self) -> None:
        """Begin an iteration; with simultaneous updates the strategy at the root stays until it ends."""
        return None

    def learn(self, player: int, values: NDArray[np.float64], coefficients: NDArray[np.float64]) -> None:
        """Run one player's half of an iteration at the root; ``values`` is float64[H_player], the values of following.

        ``coefficients`` is one row, as the kernels take it.
        """
        return None

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all learnt arrays by name, for checkpoints."""
        return {}

    def adopt(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue with arrays of the same names and sizes as :meth:`arrays`."""
        return None


class Gadget(Protocol):
    """Makes the root of a tree that does not exist yet: the ``gadget`` of :func:`errai.solve`.

    :mod:`errai.resolving.gadgets` has the gadgets of the literature.
    """

    @property
    def apart(self) -> tuple[NDArray[np.float64], ...]:
        """float64[H] each: values in which hands must agree for the tree to merge them."""

    def root(self, tree: PublicTree, schedule: Schedule) -> Root:
        """Return the root of a tree, which learns with the run's own schedule.

        Raises :class:`InputError` or :class:`SolverOptionError` if the gadget does not fit the tree.
        """


class GivenReach(Root):
    """A root at which both players enter without a choice, with given ranges: float64[H] over all hands of the deck.

    Raises :class:`InputError` if the ranges have wrong sizes, are negative or not finite, contain hands that the tree
    does not have or differ for hands that it merges, or every pair of their hands shares a card.
    """

    def __init__(self, tree: PublicTree, ranges: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
        given = tuple(checked_hands(ranges[p], tree, f"The weights of player {p}'s range") for p in (0, 1))
        for p in (0, 1):
            if (given[p] < 0).any() or ((tree.root.weights[p] <= 0) & (given[p] > 0)).any():
                raise InputError(
                    f"The range of player {p} has a negative weight, or a hand that the tree lacks; give weights of at "
                    "least 0, and 0 for all hands that are not in the tree."
                )
        weight = float(given[0] @ fitting_weights(tree.root.hands, given[1]))
        if not weight > 0.0:
            raise InputError("Every hand of player 0 shares a card with every hand of player 1; change a range.")
        self._entering = Entering(tree, (in_classes(given[0], tree, 0), in_classes(given[1], tree, 1)), weight)

    def entering(self, strategy: str) -> Entering:
        return self._entering

    @property
    def identity(self) -> dict[str, Any]:
        return {"reach": digest_of(*self._entering.reach)}


@dataclass(frozen=True, eq=False)
class Refusing(Entering):
    """An :class:`Entering` in which one player may refuse to enter, hand by hand."""

    opponent: int
    alternatives: NDArray[np.float64]
    """float64[K, H_opponent]: values of refusing; the opponent sees which of the K equally likely ones applies."""
    follows: NDArray[np.float64]
    """float64[K, H_opponent]: the probability of following, for each of the values, where the opponent may refuse."""
    forced: NDArray[np.float64]
    """float64[H_opponent]: the share of every hand that must follow."""

    def chips(self, values: NDArray[np.float64], player: int, *, best: bool) -> float:
        """As :meth:`Entering.chips`; the value of refusing counts too, with the opposite sign for the other player."""
        o = self.opponent
        weight = self.tree.arrays.root_reach[o] * self.tree.class_sizes[o]
        free = weight * (1.0 - self.forced)
        refused = (1.0 - self.follows) * self.alternatives
        if player != o:
            lost = float(free @ refused.mean(axis=0)) / self.pair_weight
            return super().chips(values, player, best=best) - lost
        chosen = np.maximum(values, self.alternatives) if best else self.follows * values + refused
        return float((weight * self.forced) @ values + free @ chosen.mean(axis=0)) / self.pair_weight


class Choice:
    """A choice among a few actions above or below a tree, learnt by regret matching as the decisions in the tree are.

    A player makes it at many places at once, such as for each hand at a root or at leaves.  The coefficients are those
    of the run, see :mod:`errai.engine.schedules`.  The regrets have ``shape``, with actions along the first axis and
    independent choices along the others, and those up to ``tie`` count as 0.  ``copies``, float64 that broadcasts to
    ``shape``, is the number of equal actions that each action stands for; 0 for actions that are never taken.  With
    ``simultaneous`` the strategy that is played stays the same from one :meth:`freeze` to the next.
    """

    def __init__(
        self, shape: tuple[int, ...], tie: float = 0.0, *, copies: Values | None = None, simultaneous: bool = False
    ) -> None:
        self.regrets, self.sums = np.zeros(shape), np.zeros(shape)
        self._predicted = np.zeros(shape)
        self._predicts = np.zeros(1, np.uint8)
        """Whether the variant predicts, as its coefficients say."""
        self._frozen = np.zeros(shape) if simultaneous else None
        self._tie = tie
        self._copies = copies
        whole = np.ones(shape) if copies is None else np.broadcast_to(copies, shape)
        self._uniform = whole / whole.sum(axis=0, keepdims=True)
        self._current: Values | None = None
        """The current strategy once it has been computed."""

    def probabilities(self, strategy: str) -> Values:
        """Return the probabilities of the ``average`` or ``current`` strategy, or the one ``played`` in this iteration.

        The last two differ while updates are simultaneous.
        """
        if strategy == "average":
            return self._shares(self.sums)
        if strategy == "played" and self._frozen is not None:
            return self._matched(self._frozen)
        if self._current is None:
            self._current = self._matched(self._source)
            self._current.flags.writeable = False
        return self._current

    def freeze(self) -> None:
        """With simultaneous updates, keep the strategy that is played until the iteration ends."""
        if self._frozen is not None:
            self._frozen[...] = self._source

    def learn(self, values: Values, coefficients: Values, reach: Values | float = 1.0) -> Values:
        """Learn from one iteration; return the value of each choice under the old strategy, foresight included.

        ``values`` are the counterfactual values of the actions, in the shape of the regrets, ``coefficients`` one row
        as the kernels take it, and ``reach`` the weight of the choice in the average, which is the player's own reach
        if the variant weights by it.
        """
        positive, negative, average, weight, prediction, _, foresight, _ = np.asarray(coefficients).tolist()
        played = self.probabilities("played")
        value = np.add.reduce(played * values)
        gain = values - value
        summed = self.regrets + gain
        np.multiply(np.where(summed > 0.0, positive, negative), summed, out=self.regrets)
        self.sums[...] = average * self.sums + weight * played * reach
        if prediction:
            self._predicted[...] = self.regrets + prediction * gain
            self._predicts[...] = 1
        self._current = None
        if not foresight:
            return np.asarray(value)
        # As in the kernels, there is nothing to foresee without a positive regret.
        foreseen = np.add.reduce(self.probabilities("current") * values)
        ahead = np.where((self._source > self._tie).any(axis=0), foreseen, value)
        return np.asarray(value + foresight * (ahead - value))

    def arrays(self, where: str) -> dict[str, NDArray[Any]]:
        """Return all learnt arrays, not copied, by names that begin with ``where``; checkpoints store them."""
        found: dict[str, NDArray[Any]] = {
            "regrets": self.regrets,
            "sums": self.sums,
            "predicted": self._predicted,
            "predicts": self._predicts,
        }
        return {f"{where}/{name}": array for name, array in found.items()}

    def adopt(self, where: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue with arrays of the same names and sizes."""
        for name, own in self.arrays(where).items():
            own[...] = arrays[name]
        self._current = None

    @property
    def _source(self) -> Values:
        return self._predicted if self._predicts[0] else self.regrets

    def _matched(self, source: Values) -> Values:
        positive = np.where(source > self._tie, source, 0.0)
        return self._shares(positive if self._copies is None else positive * self._copies)

    def _shares(self, weights: Values) -> Values:
        """Return weights divided by their sum; if it is 0, shares in proportion to the number of copies."""
        total = np.add.reduce(weights, keepdims=True)
        return np.divide(weights, total, out=self._uniform.copy(), where=total > 0.0)


class Alternatives(Root):
    """The re-solving gadget: the opponent may refuse to enter for a known value of each hand; see the module.

    The opponent's choice is learnt by regret matching, with the coefficients of the run's own schedule.  The tree's
    ranges enter, the opponent's as far as the opponent follows.

    ``values``, float64[H] over all hands of the deck, are counterfactual values of refusing, in chips and weighted by
    the other player's range as it enters, as in :attr:`errai.Solution.root_values`.  With float64[K, H] one of K
    equally likely values is drawn for each hand, and the opponent sees it before choosing.  ``forced``, float64[H] from
    0 to 1, is the share of every hand's weight that enters without a choice; by default 0.

    Raises :class:`InputError` if the values have a wrong size, are not finite for a hand of the opponent, or differ for
    hands that are merged, or a share is not from 0 to 1; and :class:`SolverOptionError` if the game is not zero-sum.
    """

    def __init__(
        self, tree: PublicTree, schedule: Schedule, opponent: int, values: Values, forced: Values | None = None
    ) -> None:
        check_zero_sum(tree)
        given, share = _checked_refusal(tree, opponent, values, forced)
        self.tree = tree
        self.opponent = opponent
        self.alternatives = np.stack([in_classes(row, tree, opponent) for row in given])
        self.forced = in_classes(share, tree, opponent)
        self._choice = Choice(  # The actions are following and refusing.
            (2, *self.alternatives.shape), tree.arrays.tie, simultaneous=schedule.simultaneous
        )

    @property
    def identity(self) -> dict[str, Any]:
        return {"opponent": self.opponent, "values": digest_of(self.alternatives), "forced": digest_of(self.forced)}

    def entering(self, strategy: str) -> Refusing:
        follows, o = self._choice.probabilities(strategy)[0], self.opponent
        reach = list(self.tree.arrays.root_reach)
        reach[o] = reach[o] * (self.forced + (1.0 - self.forced) * follows.mean(axis=0))
        both = reach[0], reach[1]
        return Refusing(self.tree, both, self.tree.pair_weight, o, self.alternatives, follows, self.forced)

    def freeze(self) -> None:
        self._choice.freeze()

    def learn(self, player: int, values: Values, coefficients: Values) -> None:
        """Learn if the player is the opponent."""
        if player == self.opponent:
            following = np.broadcast_to(values, self.alternatives.shape)
            self._choice.learn(np.stack([following, self.alternatives]), coefficients)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return self._choice.arrays("root")

    def adopt(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._choice.adopt("root", arrays)


@dataclass(frozen=True, eq=False)
class MayRefuse(Gadget):
    """The gadget whose root is :class:`Alternatives`."""

    values: NDArray[np.float64]
    """float64[H] or float64[K, H]: as :class:`Alternatives` takes them."""
    opponent: int | None = None
    """The player who may refuse; None for the player who does not act first."""
    forced: NDArray[np.float64] | None = None
    """float64[H]: the share of every hand that must enter."""

    @property
    def apart(self) -> tuple[NDArray[np.float64], ...]:
        rows = tuple(np.atleast_2d(self.values))
        return rows if self.forced is None else (*rows, self.forced)

    def root(self, tree: PublicTree, schedule: Schedule) -> Alternatives:
        return Alternatives(tree, schedule, self._opponent(tree), self.values, self.forced)

    def check(self, plan: TreePlan) -> None:
        """Raise the errors of :class:`Alternatives` about the values, before a tree is built."""
        _checked_refusal(plan, self._opponent(plan), self.values, self.forced)

    def _opponent(self, tree: PublicTree | TreePlan) -> int:
        return 1 - int(tree.betting.actor[0]) if self.opponent is None else self.opponent


def check_zero_sum(tree: PublicTree) -> None:
    """Raise :class:`SolverOptionError` unless one player's gain is always the other player's loss."""
    if tree.betting.rake_chips is not None or (tree.locks is not None and tree.locks.has_best):
        raise SolverOptionError("An opponent may refuse to enter only in a zero-sum game without rake.")


def checked_player(player: Any) -> int:
    """Return a player's number.  Raises :class:`SolverOptionError` for anything but 0 and 1."""
    if not isinstance(player, int | np.integer) or player not in (0, 1):
        raise SolverOptionError(f"The opponent must be player 0 or 1, not {player!r:.60}.")
    return int(player)


def _checked_refusal(
    tree: PublicTree | TreePlan, opponent: int, values: Any, forced: Any
) -> tuple[list[Values], Values]:
    """Return the values of refusing, float64[H] each, and the shares that are forced; see :class:`Alternatives`."""
    live = tree.root.weights[checked_player(opponent)] > 0
    try:
        rows = list(values) if np.ndim(values) == 2 and len(values) else [values]
    except ValueError:  # Lists of different lengths; they are refused below.
        rows = [values]
    given = [checked_hands(row, tree, f"The values of player {opponent}'s hands elsewhere", live) for row in rows]
    if forced is None:
        return given, np.zeros(len(live))
    what = f"The forced shares of player {opponent}'s hands"
    return given, checked_hands(forced, tree, what, live, low=0.0, high=1.0)


def checked_hands(
    given: Any,
    tree: PublicTree | TreePlan,
    what: str,
    of: NDArray[np.bool_] | None = None,
    *,
    low: float = -math.inf,
    high: float = math.inf,
) -> Values:
    """Return float64[H]: a number for each hand, finite and within bounds for the hands ``of``, else 0.

    ``what`` names the numbers in the plural.  Raises :class:`InputError` for anything else.
    """
    root = tree.root

    def place(hand: int) -> str:
        return f"for {root.hand_text(hand)}"

    found = numbers_of(given, what, (len(root.hands),), low=low, high=high, read=of, place=place)
    return found if of is None else np.where(of, found, 0.0)


def in_classes(given: Values, tree: PublicTree, player: int) -> Values:
    """Return float64[H_player]: numbers of hands as numbers of the classes of the root's board.

    Raises :class:`InputError` if merged hands have different numbers.
    """
    hands = tree.deal.streets[0].hands[player]
    found = given[hands.hand]
    if not np.array_equal(np.repeat(found, np.diff(hands.member_start)), given[hands.member]):
        raise InputError(
            "Hands that the tree merges differ in their values at the root; plan the tree with these values as apart."
        )
    return found


def in_hands(values: Values, tree: PublicTree, player: int) -> Values:
    """Return float64[H]: numbers of the root board's classes as numbers of hands; NaN for hands not in the range."""
    hands = tree.deal.streets[0].hands[player]
    found = np.full(len(tree.root.hands), np.nan)
    found[hands.member] = np.repeat(values, np.diff(hands.member_start))
    return found


def digest_of(*arrays: Values) -> str:
    """Return a hexadecimal digest that distinguishes arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()[:32]
