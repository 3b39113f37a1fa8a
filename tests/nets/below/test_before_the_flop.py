"""A network for the flop below the first street of hold'em: all 1,755 flops, against a closed form."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import errai
from errai.cards.pair_table import pair_table
from errai.engine.leaf_values import Leaves
from errai.nets.below.leaves import NetLeafValues
from tests.support.fitting_net import HOLDEM, Fitting, meeting


def test_before_the_flop_a_network_is_asked_about_all_flops() -> None:
    """Two hands meet on 17,296 of 22,100 flops, whichever they are; after an all-in and a call no network is used."""
    table = pair_table(HOLDEM.deck, 2, 5, HOLDEM.ranking)
    margins = table.margins(np.arange(1326), np.arange(1326)) / table.boards

    def closed_form(leaves: Leaves) -> NDArray[np.float64]:
        others = leaves.reach[1 - leaves.player]
        fits = meeting(np.arange(1326), others)
        sign = 1.0 if leaves.player == 0 else -1.0  # the big blind acts first after the flop
        not_all_in = sign * (leaves.stack_chips + 0.25 * leaves.pot_chips)[:, None] * fits
        shown = (others @ margins.T) * leaves.contribution_chips[:, None]
        return np.where(leaves.stack_chips[:, None] > 0.0, not_all_in, shown)

    options = {"limp": False, "max_iterations": 1, "threads": 1, "precision": "float64"}
    found = errai.preflop(4, "2x, a", leaf_values=NetLeafValues(Fitting()), **options)
    wanted = errai.preflop(4, "2x, a", leaf_values=closed_form, **options)
    assert found.values.chips == pytest.approx(wanted.values.chips, rel=1e-5)
    np.testing.assert_allclose(found.root.ev, wanted.root.ev, rtol=1e-4, atol=1e-3)
