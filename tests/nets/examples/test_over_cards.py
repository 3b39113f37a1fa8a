"""The mean of a network over the cards to come, and lookaheads over it: against the network itself on every board."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import errai
from errai.errors import InputError
from errai.nets.below.leaves import NetLeafValues
from errai.nets.examples.dataset import read_examples
from errai.nets.examples.generate import generate
from errai.nets.examples.over_cards import OverCards
from errai.nets.examples.recipe import Recipe
from errai.nets.examples.situations import Stratum, situations
from errai.nets.network import LeafPredictor, load_net
from errai.nets.networks.classes import class_matchups
from errai.nets.positions import BoardValues, Positions, ValuesOn
from errai.nets.predictors import find_predictor

LEDUC = errai.load_game("leduc.nolimit")
NET = load_net("leduc")
SOME = (Stratum("some", 0.3, 5.5, 1.0),)


class ExactMean(LeafPredictor):
    """An auxiliary network that is asked about every board."""

    name = digest = "exact mean"
    round = 0

    def __init__(self) -> None:
        self.over = OverCards(NET, LEDUC, threads=1)

    def on(self, board: tuple[int, ...], among: object = None) -> BoardValues:
        def values(ranges: np.ndarray, stacks: np.ndarray) -> np.ndarray:
            return self.over.values(Positions(np.zeros((len(ranges), 0), np.uint8), ranges, stacks))

        return ValuesOn(np.arange(6), values)


def test_it_is_the_mean_over_the_boards() -> None:
    drawn = situations(LEDUC, 0, 1, range(7), SOME)
    expected = np.zeros_like(drawn.ranges)
    for board in range(6):
        on = NET.on((board,))
        here = drawn.ranges[:, :, on.hands]
        left = here.sum(axis=2, keepdims=True)
        # Two cards are known, so a pair of hands meets on four boards.
        expected[:, :, on.hands] += on.values(here / left, drawn.stacks) * left[:, ::-1] / 4.0
    found = OverCards(NET, LEDUC, threads=1).values(drawn)
    assert np.allclose(found, expected, atol=1e-5)
    assert np.abs((found * drawn.ranges).sum(axis=(1, 2))).max() < 1e-5


def test_a_lookahead_over_it_has_the_values_of_one_over_the_network() -> None:
    solved = errai.solve(LEDUC, max_iterations=5, leaf_values=NET, depth=0, precision="float64", threads=1)
    trunk = solved.tree
    reach = solved.kernel.leaf_reach(solved.strategy, tied=False)
    for player in (0, 1):
        over, direct = (
            NetLeafValues(net, parts=1, threads=1).values(trunk, reach, player) for net in (ExactMean(), NET)
        )
        assert np.allclose(over[-1], direct[-1], rtol=1e-4, atol=1e-3)


def test_its_positions_are_stored_by_class(tmp_path: Path) -> None:
    game = errai.load_game("holdem.nolimit.2p")
    recipe = Recipe(game.name, 0, 4, net="zero", net_digest=find_predictor("zero", game, 1).digest)

    class Halves:
        digest = recipe.net_digest

        def values(self, positions: Positions) -> np.ndarray:
            strong = class_matchups(game).margins.sum(axis=1)[class_matchups(game).class_of]
            return (positions.ranges[:, ::-1].sum(axis=2, keepdims=True) * strong / 500.0).astype(np.float32)

    below = object.__new__(OverCards)
    below.__dict__.update(digest=recipe.net_digest)
    below.values = Halves().values  # type: ignore[method-assign]
    made = generate(recipe, tmp_path / "first", positions=40, below=below)
    read = read_examples(tmp_path / "first")
    assert made.positions == len(read) == 40
    assert made.bytes < 40 * 1_000
    assert np.allclose(read.values, Halves().values(recipe.positions(range(40))), atol=2e-5)
    held = read_examples(tmp_path / "first", "held out")
    assert len(held) + len(read_examples(tmp_path / "first", "train")) == 40
    assert 0 < len(held) < 15


def test_ranges_that_know_suits_are_refused() -> None:
    weights = np.ones(6)
    weights[0] = 0.5
    rest = errai.lookahead(LEDUC, None, (weights, np.ones(6)))
    with pytest.raises(InputError, match="renaming of suits"):
        errai.solve(rest, max_iterations=1, leaf_values=ExactMean(), threads=1)
