"""The factorised network in PyTorch, for training; `errai.nets.networks.factorised` defines it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from errai.nets.networks.factorised import DEPTHS, NO_WEIGHT, STACK_PLACES

if TYPE_CHECKING:
    from errai.nets.networks.architecture import Shapes
    from errai.nets.networks.factorised import Factorised


class FactorisedModule(nn.Module):
    """See `errai.nets.networks.architecture.Architecture.module`: B positions, P = 2 players, L hands."""

    def __init__(self, kind: Factorised, shapes: Shapes) -> None:
        super().__init__()
        self.kind = kind
        self.hand1 = _linear(shapes, "hand1")
        self.hand2 = _linear(shapes, "hand2")
        self.terms = _linear(shapes, "terms")
        self.join1 = _linear(shapes, "join1")
        self.join2 = _linear(shapes, "join2")
        self.slopes = _linear(shapes, "slopes")
        self.readout = _linear(shapes, "readout")
        self.dropout = nn.Dropout(kind.dropout)
        # The module learns the difference from the exact value without bets, and starts at zero.
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    def forward(self, board: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> Tensor:
        """Values, float32[B, P, L]."""
        ranges, fitting, against = inputs["ranges"], inputs["fitting"], inputs["against"]
        embedded = torch.relu(self.hand2(torch.relu(self.hand1(board["features"]))))  # [B, L, E]
        summed = ranges @ embedded
        everybody = embedded.mean(dim=1, keepdim=True).expand_as(summed)
        context = torch.cat([summed, summed.flip(1), everybody, inputs["public"]], dim=2)
        context = torch.relu(self.join1(context))
        context = torch.relu(self.join2(self.dropout(context)))
        slopes = self.slopes(context).unflatten(2, (self.kind.per_hand, self.kind.readout))  # [B, P, M, K]
        terms = torch.relu(against @ slopes + self.terms(embedded)[:, None])  # [B, P, L, K]
        rest = (terms @ self.readout(context)[..., None])[..., 0]
        rest = rest * (inputs["public"][..., STACK_PLACES] @ torch.from_numpy(DEPTHS))[..., None]
        values = inputs["checked"] + fitting * rest
        over = (values * ranges).sum(dim=(1, 2))
        meeting = (fitting * ranges).sum(dim=(1, 2))
        share = torch.where(meeting > NO_WEIGHT, over / meeting.clamp(min=NO_WEIGHT), 0.0)
        return values - share[:, None, None] * fitting


def _linear(shapes: Shapes, name: str) -> nn.Linear:
    out, into = shapes[f"{name}.weight"]
    return nn.Linear(into, out, bias=f"{name}.bias" in shapes)
