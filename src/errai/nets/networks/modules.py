"""The architectures in PyTorch, for training; the files that are called like them define each in NumPy.

Axes: B positions, P = 2 players, L hands, K buckets or places in the order of strength.  What ``forward`` takes and
returns is said at :meth:`errai.nets.networks.architecture.Architecture.module`.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from errai.nets.networks.architecture import Shapes
from errai.nets.networks.factorised_values import DEPTHS, STACK_PLACES
from errai.nets.networks.matchups import NO_WEIGHT

Tensors = Mapping[str, Tensor]


class FactorisedModule(nn.Module):
    """See :class:`errai.nets.networks.factorised.Factorised`."""

    def __init__(self, shapes: Shapes, dropout: float) -> None:
        super().__init__()
        self.hand1 = _linear(shapes, "hand1")
        self.hand2 = _linear(shapes, "hand2")
        self.terms = _linear(shapes, "terms")
        self.join1 = _linear(shapes, "join1")
        self.join2 = _linear(shapes, "join2")
        self.slopes = _linear(shapes, "slopes")
        self.readout = _linear(shapes, "readout")
        self.dropout = nn.Dropout(dropout)
        # The module learns the difference from the exact value without bets, and starts at zero.
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    def forward(self, board: Tensors, inputs: Tensors) -> Tensor:
        """Return the values of all hands."""
        ranges, fitting, against = inputs["ranges"], inputs["fitting"], inputs["against"]
        embedded = torch.relu(self.hand2(torch.relu(self.hand1(board["features"]))))  # [B, L, E]
        summed = ranges @ embedded
        everybody = embedded.mean(dim=1, keepdim=True).expand_as(summed)
        context = torch.cat([summed, summed.flip(1), everybody, inputs["public"]], dim=2)
        context = torch.relu(self.join1(context))
        context = torch.relu(self.join2(self.dropout(context)))
        slopes = self.slopes(context).view(*context.shape[:2], -1, self.readout.out_features)  # [B, P, M, K]
        terms = torch.relu(against @ slopes + self.terms(embedded)[:, None])  # [B, P, L, K]
        rest = (terms @ self.readout(context)[..., None])[..., 0]
        rest = rest * (inputs["public"][..., STACK_PLACES] @ torch.from_numpy(DEPTHS))[..., None]
        return _zero_sum(inputs["checked"] + fitting * rest, ranges, fitting)


class _Layers(nn.Module):
    """Linear layers with parametric ReLUs between them."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        sizes = [shape for name, shape in shapes.items() if name.startswith("linear.") and name.endswith(".weight")]
        self.linear = nn.ModuleList(nn.Linear(into, out) for out, into in sizes)
        self.slope = nn.ModuleList(nn.PReLU() for _ in sizes[1:])

    def layers(self, given: Tensor) -> Tensor:
        """Return the output of the last layer."""
        for linear, slope in zip(self.linear, self.slope, strict=False):
            given = slope(linear(given))
        found: Tensor = self.linear[-1](given)
        return found


class OrderedModule(_Layers):
    """See :class:`errai.nets.networks.ordered.Ordered`."""

    def forward(self, board: Tensors, inputs: Tensors) -> Tensor:
        """Return the values of all hands."""
        fitting = inputs["fitting"]
        of_places = self.layers(inputs["entering"]).view(len(fitting), 2, -1)
        values = inputs["checked"] + fitting * _of_hands(of_places, board["places"])
        return _zero_sum(values, inputs["ranges"], fitting)


class BucketedModule(_Layers):
    """See :class:`errai.nets.networks.bucketed.Bucketed`."""

    def forward(self, board: Tensors, inputs: Tensors) -> Tensor:
        """Return the values of all hands."""
        entering = inputs["entering"]
        found = self.layers(entering)
        won = (found * entering[:, :-1]).sum(dim=1, keepdim=True)
        return _of_hands((found - won / 2).view(len(found), 2, -1), board["buckets"])


def _linear(shapes: Shapes, name: str) -> nn.Linear:
    out, into = shapes[f"{name}.weight"]
    return nn.Linear(into, out, bias=f"{name}.bias" in shapes)


def _of_hands(values: Tensor, kinds: Tensor) -> Tensor:
    """Return [B, P, L], the values of each hand's bucket or place, from [B, P, K] and integers [B, L]."""
    return values.gather(2, kinds.long()[:, None, :].expand(-1, 2, -1))


def _zero_sum(values: Tensor, ranges: Tensor, fitting: Tensor) -> Tensor:
    """Return what :func:`errai.nets.networks.matchups.zero_sum` does."""
    over = (values * ranges).sum(dim=(1, 2), keepdim=True)
    meeting = (fitting * ranges).sum(dim=(1, 2), keepdim=True)
    return values - torch.where(meeting > NO_WEIGHT, over / meeting.clamp(min=NO_WEIGHT), 0.0) * fitting
