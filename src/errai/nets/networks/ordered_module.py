"""The network over hands in order of strength in PyTorch; :mod:`errai.nets.networks.ordered` has it in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from errai.nets.networks.ordered import NO_WEIGHT

if TYPE_CHECKING:
    from errai.nets.networks.architecture import Shapes


class OrderedModule(torch.nn.Module):
    """See `errai.nets.networks.ordered.Ordered`.  Axes: B positions, P = 2 players, K places, L hands."""

    def __init__(self, shapes: Shapes, layers: int) -> None:
        super().__init__()
        sizes = [shapes[f"linear.{layer}.weight"] for layer in range(layers + 1)]
        self.linear = torch.nn.ModuleList(torch.nn.Linear(into, out) for out, into in sizes)
        self.slope = torch.nn.ModuleList(torch.nn.PReLU() for _ in range(layers))

    def forward(self, board: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> Tensor:
        """Values of all hands, float32[B, P, L]."""
        going = inputs["entering"]
        for linear, slope in zip(self.linear, self.slope, strict=False):
            going = slope(linear(going))
        of_places = self.linear[-1](going).view(len(going), 2, -1)
        places = board["places"].long()[:, None, :].expand(-1, 2, -1)
        fitting, ranges = inputs["fitting"], inputs["ranges"]
        values = inputs["checked"] + fitting * of_places.gather(2, places)
        won = (values * ranges).sum(dim=(1, 2), keepdim=True)
        meeting = (fitting * ranges).sum(dim=(1, 2), keepdim=True)
        share = torch.where(meeting > NO_WEIGHT, won / meeting.clamp(min=NO_WEIGHT), 0.0)
        return values - share * fitting
