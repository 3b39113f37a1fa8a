"""What the factorised network computes on one board: its inputs, and its values in NumPy, which is their definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.nets.networks.architecture import Arrays
from errai.nets.networks.matchups import NO_WEIGHT, Matchups, zero_sum
from errai.nets.positions import Floats

EQUITY_BINS = 16
"""Bins of a range's histogram over its hands' results without bets."""

STACK_KNOTS = (0.1, 0.25, 0.6, 1.5, 3.5, 8.0, 18.0, 40.0, 100.0)
"""Stacks in pots between which a stack is interpolated, by its logarithm."""

STACK_PLACES = slice(2 * EQUITY_BINS, 2 * EQUITY_BINS + len(STACK_KNOTS))
"""The stack's interpolation weights, among the numbers of `PUBLIC_SIZE`: at most two are not 0, and all sum to 1."""

PUBLIC_SIZE = 2 * EQUITY_BINS + len(STACK_KNOTS) + 1
"""How many numbers a player's context has besides embeddings."""

DEPTHS = np.array([knot / (1.0 + knot) for knot in STACK_KNOTS], dtype=np.float32)
"""d at the knots: the size of the learnt rest before training."""


def numbers_of_a_hand(groups: int) -> int:
    """Return M, the numbers that a hand has in a position: two for each group, its rank in its own range, and 1."""
    return 2 * groups + 2


@dataclass(frozen=True, eq=False)
class PreparedBoard:
    """A board for the factorised network."""

    matchups: Matchups
    arrays: Arrays
    """``features``: float16[A, F + T] for all A hands that the board leaves, including hands that are not selected."""
    rows: NDArray[np.int64]
    """int64[L]: the indices of the selected hands among all."""
    order: NDArray[np.int64]
    """int64[L]: the hands from the weakest to the strongest, by their equity at the showdown."""
    starts: NDArray[np.int64]
    """int64[C]: index of the first hand of each class of equally strong hands in that order."""
    class_of: NDArray[np.int64]
    """int64[L]: the class of each hand."""
    groups: int

    @property
    def hands(self) -> NDArray[np.int64]:
        """See :attr:`Prepared.hands`."""
        return self.matchups.hands

    def inputs(self, ranges: Floats, stacks: Floats) -> dict[str, NDArray[Any]]:
        """Return the module's inputs.

        They are ``ranges``, ``checked`` and ``fitting`` float32[Q, P, L], ``against`` float16[Q, P, L, M], and
        ``public`` float32[Q, P, N].
        """
        found = self.asked(ranges, stacks)
        found["against"] = found["against"].astype(np.float16)
        return found

    def asked(self, ranges: Floats, stacks: Floats) -> dict[str, NDArray[Any]]:
        """Return the same inputs in full precision."""
        ranges = np.asarray(ranges, dtype=np.float32)
        # The share of the player's own range that is weaker than each hand, counting ties half.
        of_class = np.add.reduceat(ranges[..., self.order], self.starts, axis=-1)
        places = np.clip(np.cumsum(of_class, axis=-1) - 0.5 * of_class, 0.0, 1.0)[..., self.class_of]
        # Each hand's weight of 1 is shared by the two groups whose middles are nearest to the hand's rank.
        middles = np.arange(self.groups, dtype=np.float32)
        shares = np.maximum(1.0 - np.abs(places[:, :, None, :] * (self.groups - 1) - middles[:, None]), 0.0)
        grouped = shares * ranges[:, :, None, :]  # [Q, P, J, L]
        won, left = (self.matchups.check_down(grouped)[:, ::-1], self.matchups.fitting(grouped)[:, ::-1])
        checked, fitting = won.sum(axis=2), left.sum(axis=2)
        scale = np.where(fitting > NO_WEIGHT, 1.0 / np.maximum(fitting, NO_WEIGHT), 0.0)[:, :, None, :]
        against = np.empty((*ranges.shape, numbers_of_a_hand(self.groups)), dtype=np.float32)
        against[..., : self.groups] = np.moveaxis(np.clip(won * scale, -0.5, 0.5), 2, 3)
        against[..., self.groups : -2] = np.moveaxis(np.clip(left * scale, 0.0, 1.0), 2, 3)
        against[..., -2] = places
        against[..., -1] = 1.0
        equity = against[..., : self.groups].sum(axis=-1)
        return {
            "ranges": ranges,
            "checked": checked,
            "fitting": fitting,
            "against": against,
            "public": _public(ranges, equity, stacks),
        }


def _public(ranges: Floats, equity: Floats, stacks: Floats) -> Floats:
    """float32[Q, P, N]: the histograms of the player and the opponent, the stack, the seat."""
    # For hands with almost no compatible weight the result is rounding.
    places = np.clip((equity + 0.5) * (EQUITY_BINS - 1), 0.0, EQUITY_BINS - 1)
    lower = np.clip(places.astype(np.int64), 0, EQUITY_BINS - 2)
    rest = places - lower
    rows = np.arange(ranges.shape[0] * 2).reshape(*ranges.shape[:2], 1) * EQUITY_BINS
    size = ranges.shape[0] * 2 * EQUITY_BINS
    histogram = np.zeros(size)
    for bins, share in ((lower, 1.0 - rest), (lower + 1, rest)):
        histogram += np.bincount((rows + bins).ravel(), (ranges * share).ravel(), minlength=size)
    own = histogram.reshape(*ranges.shape[:2], EQUITY_BINS)
    stack = np.broadcast_to(stack_places(stacks)[:, None], (*own.shape[:2], len(STACK_KNOTS)))
    seat = np.broadcast_to(np.array([[0.0], [1.0]]), (*own.shape[:2], 1))
    return np.concatenate([own, own[:, ::-1], stack, seat], axis=2).astype(np.float32)


def stack_places(stacks: Floats) -> Floats:
    """float32[Q, S]: interpolation weights of each stack between the knots; rows sum to 1."""
    knots = np.log(np.array(STACK_KNOTS))
    depth = np.interp(np.log(np.maximum(stacks, 1e-9)), knots, np.arange(len(knots)))
    return np.maximum(1.0 - np.abs(depth[:, None] - np.arange(len(knots))), 0.0).astype(np.float32)


def classes_of(strength: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return ``order``, ``starts`` and ``class_of`` of a :class:`PreparedBoard`, from the strength of each hand."""
    _, class_of, members = np.unique(strength, return_inverse=True, return_counts=True)
    return np.argsort(strength, kind="stable"), np.cumsum(members) - members, class_of.reshape(-1)


class FactorisedValues:
    """The network on one board in NumPy, which is its definition."""

    def __init__(self, prepared: PreparedBoard, weights: Arrays) -> None:
        self.hands = prepared.hands
        self._prepared = prepared
        self._shape = numbers_of_a_hand(prepared.groups), len(weights["terms.weight"])
        self._layers = {
            name.removesuffix(".weight"): (np.ascontiguousarray(array.T), weights.get(name[:-6] + "bias"))
            for name, array in weights.items()
            if name.endswith(".weight")
        }
        embedded = _relu(self._layer("hand2", _relu(self._layer("hand1", prepared.arrays["features"].astype("f4")))))
        self.everybody = embedded.mean(axis=0)
        self.embedded = embedded[prepared.rows]
        self.terms = self._layer("terms", self.embedded)

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        """See :meth:`BoardValues.values`."""
        asked = self._prepared.asked(ranges, stacks)
        ranges, fitting = asked["ranges"], asked["fitting"]
        summed = ranges @ self.embedded
        everybody = np.broadcast_to(self.everybody, summed.shape)
        context = np.concatenate([summed, summed[:, ::-1], everybody, asked["public"]], axis=2)
        context = _relu(self._layer("join2", _relu(self._layer("join1", context))))
        slopes = self._layer("slopes", context).reshape(*context.shape[:2], *self._shape)
        readout = self._layer("readout", context)
        rest = np.empty_like(fitting)
        # Positions are evaluated one at a time, so that intermediate results stay in the cache.
        for q, p in np.ndindex(*rest.shape[:2]):
            terms = asked["against"][q, p] @ slopes[q, p]
            terms += self.terms
            rest[q, p] = np.maximum(terms, 0.0, out=terms) @ readout[q, p]
        rest *= asked["public"][..., STACK_PLACES] @ DEPTHS[:, None]
        values = asked["checked"] + fitting * rest
        return zero_sum(values, ranges, fitting)

    def _layer(self, name: str, inputs: Floats) -> Floats:
        weight, bias = self._layers[name]
        found = inputs @ weight
        if bias is not None:
            found += bias
        return np.asarray(found)


def _relu(array: Floats) -> Floats:
    return np.maximum(array, 0.0, out=array)
