"""DeepStack's own network in PyTorch, for training; :mod:`errai.nets.networks.bucketed` has the same in NumPy."""

from __future__ import annotations

from itertools import pairwise

import torch


class BucketedModule(torch.nn.Module):
    """See `errai.nets.networks.bucketed.Bucketed`.  Axes: B positions, K buckets, L hands."""

    def __init__(self, buckets: int, layers: int, width: int) -> None:
        super().__init__()
        sizes = [2 * buckets + 1, *[width] * layers, 2 * buckets]
        self.linear = torch.nn.ModuleList(torch.nn.Linear(before, after) for before, after in pairwise(sizes))
        self.slope = torch.nn.ModuleList(torch.nn.PReLU() for _ in range(layers))

    def forward(self, board: dict[str, torch.Tensor], inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        """Values of all hands, float32[B, 2, L], of ``buckets`` int16[B, L] and ``entering`` float32[B, 2 K + 1]."""
        entering, buckets = inputs["entering"], board["buckets"].long()
        going = entering
        for linear, slope in zip(self.linear, self.slope, strict=False):
            going = slope(linear(going))
        going = self.linear[-1](going)
        won = (going * entering[:, :-1]).sum(dim=1, keepdim=True)
        of_buckets = (going - won / 2).view(len(going), 2, -1)
        return of_buckets.gather(2, buckets[:, None, :].expand(-1, 2, -1))
