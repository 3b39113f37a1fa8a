"""What a reader of solutions, such as a picture, needs to know of a node.

Readers take anything that looks like a ``SolutionNode``: they read attributes and compute nothing that a solver
should.  The protocol below is the whole of what they read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class NodeView(Protocol):
    """The attributes of a node that pictures read; shapes are those of ``SolutionNode``.

    ``strategies`` float64[H, A], NaN for hands that the acting player cannot have; ``ranges`` float64[2, H]
    reach weights, 0 for dead hands; ``ev`` float64[2, H] chips, NaN for dead hands; ``frequencies``
    float64[A].
    """

    @property
    def line(self) -> str: ...
    @property
    def board_text(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def player(self) -> int | None: ...
    @property
    def player_name(self) -> str: ...
    @property
    def pot_chips(self) -> float: ...
    @property
    def to_call_chips(self) -> float: ...
    @property
    def stacks_chips(self) -> Sequence[float]: ...
    @property
    def actions(self) -> tuple[str, ...]: ...
    @property
    def hands(self) -> tuple[str, ...]: ...
    @property
    def strategies(self) -> Floats: ...
    @property
    def ranges(self) -> Floats: ...
    @property
    def ev(self) -> Floats: ...
    @property
    def frequencies(self) -> Floats: ...
