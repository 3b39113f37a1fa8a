"""Errai's own network: a hand's value is computed from both ranges and the hand's results against the opponent's range.

Once for each board, features of every hand (`errai.nets.networks.features`) become an embedding of the hand.

For each position, every player's range becomes a sum of embeddings and a histogram over its hands' results without
further betting.  Together with the opponent's, the stacks and a flag for the seat they are joined into a context.  The
opponent's range is divided by strength into a few soft groups, and each hand gets its exact result against each group
and the exact weight of each group that is compatible with it.  This is the only step in which all pairs of hands meet,
and it is one matrix product.

    value of a hand = check-down + fitting weight · d(stack) · u(context) · relu(P hand + x · S(context))

Here x holds the hand's numbers against these groups, its rank in its own range, and 1; d falls to 0 with the stack,
because with nothing left to bet the check-down value is exact.  Counterfactual values are thus the exact values without
bets plus a learnt rest.  The compatible weight of the opponent is exact, and the remaining sum of both players' values
is subtracted from both.  The seats share the weights.  The network is invariant under a renaming of suits, because all
its inputs are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError, UnsupportedGameError
from errai.games.game import Game
from errai.nets.networks.architecture import Architecture, Arrays, Shapes, hands_left
from errai.nets.networks.features import board_features, num_features
from errai.nets.networks.matchups import Matchups, matchups
from errai.nets.positions import BoardValues, Floats

if TYPE_CHECKING:
    import torch

EQUITY_BINS = 16
"""Bins of a range's histogram over its hands' results without bets."""

STACK_KNOTS = (0.1, 0.25, 0.6, 1.5, 3.5, 8.0, 18.0, 40.0, 100.0)
"""Stacks in pots between which a stack is interpolated, by its logarithm."""

STACK_PLACES = slice(2 * EQUITY_BINS, 2 * EQUITY_BINS + len(STACK_KNOTS))
"""The stack's interpolation weights, among the numbers of `public_size`: at most two are not 0, and all sum to 1."""

DEPTHS = np.array([knot / (1.0 + knot) for knot in STACK_KNOTS], dtype=np.float32)
"""d at the knots: the size of the learnt rest before training."""

NO_WEIGHT = 1e-6
"""A compatible weight below this is rounding: no hand of the opponent is compatible with the hand."""


@dataclass(frozen=True)
class Factorised(Architecture):
    """The network's configuration: sizes, and dropout for training."""

    name: ClassVar[str] = "factorised"

    width: int = 96
    """Units of the layer between features and embedding."""
    embedding: int = 64
    join: int = 128
    """Units of both layers of the context."""
    readout: int = 64
    """K, the terms of a hand's value."""
    groups: int = 5
    """Groups of the opponent's range."""
    dropout: float = 0.0
    """Dropout of the context, in training."""

    def __post_init__(self) -> None:
        if min(self.width, self.embedding, self.join, self.readout) < 1 or self.groups < 2:
            raise InputError("Layers have at least one unit, and ranges at least two groups.")
        if not 0.0 <= self.dropout < 1.0:
            raise InputError(f"The dropout must be at least 0 and less than 1, not {self.dropout}.")

    @property
    def per_hand(self) -> int:
        """M, the numbers that a hand has in a position: two for each group, its rank in its own range, and 1."""
        return 2 * self.groups + 2

    def preparation(self) -> dict[str, Any]:
        """See :meth:`Architecture.preparation`."""
        return {"groups": self.groups}

    def prepare(
        self, game: Game, board: tuple[int, ...], fixed: Arrays, among: NDArray[np.int64] | None = None
    ) -> PreparedBoard:
        """See :meth:`Architecture.prepare`."""
        found = board_features(game, board)
        of_board = np.broadcast_to(found.of_board, (len(found.hands), len(found.of_board)))
        features = np.concatenate([found.of_hands, of_board], axis=1).astype(np.float16)
        met = matchups(game, board, among)
        rows = np.searchsorted(found.hands, met.hands)
        return PreparedBoard(met, {"features": features}, rows, *_classes(found.of_hands[rows, 1]), self.groups)

    def shapes(self, game: Game, round_index: int) -> Shapes:
        """See :meth:`Architecture.shapes`."""
        of_hand, of_board = num_features(game)
        layers = {
            "hand1": (self.width, of_hand + of_board),
            "hand2": (self.embedding, self.width),
            "join1": (self.join, 3 * self.embedding + public_size()),
            "join2": (self.join, self.join),
            "slopes": (self.readout * self.per_hand, self.join),
            "readout": (self.readout, self.join),
        }
        shapes: dict[str, tuple[int, ...]] = {"terms.weight": (self.readout, self.embedding)}
        for name, (out, into) in layers.items():
            shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (out, into), (out,)
        return shapes

    def module(self, game: Game, round_index: int) -> torch.nn.Module:
        """See :meth:`Architecture.module`."""
        from errai.nets.networks.factorised_module import FactorisedModule

        hands_left(game, round_index)
        if game.board_cards_in(round_index) == 0:
            raise UnsupportedGameError("The factorised network is for streets on which a board lies.")
        return FactorisedModule(self, self.shapes(game, round_index))

    def on(self, prepared: Any, weights: Arrays) -> BoardValues:
        """See :meth:`Architecture.on`; uses the native core wherever it can be used."""
        from errai.nets.networks.native import NativeValues, is_native

        defined = FactorisedValues(self, prepared, weights)
        return NativeValues(self, prepared, weights, defined) if is_native(prepared) else defined


def public_size() -> int:
    """How many numbers a player's context has besides embeddings."""
    return 2 * EQUITY_BINS + len(STACK_KNOTS) + 1


@dataclass(frozen=True, eq=False)
class PreparedBoard:
    """A board for the factorised network; a `errai.nets.networks.architecture.Prepared`."""

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

    def inputs(self, ranges: Floats, stacks: Floats) -> dict[str, NDArray]:
        """See :meth:`Prepared.inputs`: ``ranges``, ``checked`` and ``fitting`` float32[Q, P, L], ``against``
        float16[Q, P, L, M], ``public`` float32[Q, P, N]."""
        found = self.asked(ranges, stacks)
        found["against"] = found["against"].astype(np.float16)
        return found

    def asked(self, ranges: Floats, stacks: Floats) -> dict[str, NDArray]:
        """The same inputs in full precision."""
        ranges = np.asarray(ranges, dtype=np.float32)
        places = self._places(ranges)
        # Each hand's weight of 1 is shared by the two groups whose middles are nearest to the hand's rank.
        middles = np.arange(self.groups, dtype=np.float32)
        shares = np.maximum(1.0 - np.abs(places[:, :, None, :] * (self.groups - 1) - middles[:, None]), 0.0)
        grouped = shares * ranges[:, :, None, :]  # [Q, P, J, L]
        won, left = (self.matchups.check_down(grouped)[:, ::-1], self.matchups.fitting(grouped)[:, ::-1])
        checked, fitting = won.sum(axis=2), left.sum(axis=2)
        scale = np.where(fitting > NO_WEIGHT, 1.0 / np.maximum(fitting, NO_WEIGHT), 0.0)[:, :, None, :]
        against = np.empty((*ranges.shape, 2 * self.groups + 2), dtype=np.float32)
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

    def _places(self, ranges: Floats) -> Floats:
        """float32[Q, P, L]: the share of the player's own range that is weaker than each hand, counting ties half."""
        of_class = np.add.reduceat(ranges[..., self.order], self.starts, axis=-1)
        middles = np.cumsum(of_class, axis=-1) - 0.5 * of_class
        return np.asarray(np.clip(middles, 0.0, 1.0)[..., self.class_of])


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


def _classes(strength: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    _, class_of, members = np.unique(strength, return_inverse=True, return_counts=True)
    return np.argsort(strength, kind="stable"), np.cumsum(members) - members, class_of.reshape(-1)


class FactorisedValues:
    """The network on one board in NumPy, which is its definition; a `errai.nets.positions.BoardValues`."""

    def __init__(self, kind: Factorised, prepared: PreparedBoard, weights: Mapping[str, NDArray]) -> None:
        self.hands = prepared.hands
        self._prepared = prepared
        self._shape = kind.per_hand, kind.readout
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


def zero_sum(values: Floats, ranges: Floats, fitting: Floats) -> Floats:
    """Subtract the same amount, per compatible opposing hand, from both players' values, so that they sum to 0.

    float32[Q, P, L] each; modified in place.
    """
    over = (values * ranges).sum(axis=(1, 2))
    meeting = (fitting * ranges).sum(axis=(1, 2))
    share = np.where(meeting > NO_WEIGHT, over / np.maximum(meeting, NO_WEIGHT), 0.0)
    values -= share[:, None, None] * fitting
    return values


def _relu(array: Floats) -> Floats:
    return np.maximum(array, 0.0, out=array)
