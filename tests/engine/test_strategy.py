"""Strategy arrays: probabilities, encodings, and values of a profile."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import spot_text

from errai.engine.certificate import StrategyProfile
from errai.engine.strategy import ENCODINGS, are_probabilities, board_block, default_encoding, encode, node_strategy
from errai.engine.units import Units
from errai.errors import SolverOptionError
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST
from errai.kernels.protocol import Arrays, one_in
from errai.tree.public_tree import PublicTree, build_public_tree

TURN = spot_text("Qs Jh 2s 8h", "QQ, T9s, AKo", "22, AKs", bet="50%, 100%")


@pytest.fixture(scope="module", params=["leduc", "leduc.nolimit", "turn"])
def tree(request: pytest.FixtureRequest) -> PublicTree:
    return build_public_tree(parse_spot(TURN) if request.param == "turn" else load_game(request.param))


def random_sums(tree: PublicTree, seed: int = 1, low: float = 0.0) -> Arrays:
    generator = np.random.default_rng(seed)
    sums = tree.arrays.zeros(np.float64)
    for pair in sums:
        for array in pair:
            array[...] = np.where(generator.random(array.size) < 0.4, 0.0, generator.uniform(low, 50.0, array.size))
    return sums


def decisions(tree: PublicTree) -> list[tuple[int, int, int]]:
    """(street, board, node inside the street) of every decision."""
    return [
        (s, b, int(node))
        for s, street in enumerate(tree.arrays.streets)
        for b in range(street.num_boards)
        for node in np.flatnonzero(street.kind == 0)
    ]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings_hold_probabilities(tree: PublicTree, encoding: str) -> None:
    sums = random_sums(tree)
    encoded = encode(tree, sums, encoding)
    assert all(a.dtype == ENCODINGS[encoding] for pair in encoded for a in pair)
    assert are_probabilities(tree, encoded, encoding)
    allowed = {"float64": 1e-15, "float32": 1e-7, "uint16": 2 / one_in(np.uint16), "uint8": 2 / one_in(np.uint8)}[
        encoding
    ]
    for s, b, node in decisions(tree):
        exact, found = (node_strategy(tree, arrays, s, b, node) for arrays in (sums, encoded))
        np.testing.assert_allclose(exact.sum(axis=0), 1.0, atol=1e-15)
        np.testing.assert_allclose(found, exact, rtol=0, atol=allowed)


def test_what_was_never_reached_is_played_uniformly(tree: PublicTree) -> None:
    zeros = tree.arrays.zeros(np.float64)
    encoded = encode(tree, zeros, "float64")
    for s, b, node in decisions(tree):
        actions = int(tree.arrays.streets[s].num_children[node])
        assert (node_strategy(tree, zeros, s, b, node) == 1.0 / actions).all()
        assert (node_strategy(tree, encoded, s, b, node) == 1.0 / actions).all()


def test_negative_regrets_are_not_played(tree: PublicTree) -> None:
    regrets = random_sums(tree, 2, low=-50.0)
    encoded = encode(tree, regrets, "float64")
    for s, street in enumerate(tree.arrays.streets):
        for p in (0, 1):
            for b in range(street.num_boards):
                before, after = (board_block(tree, a, s, p, b) for a in (regrets, encoded))
                somewhere = np.zeros(before.shape, dtype=bool)
                for node in np.flatnonzero((street.kind == 0) & (street.actor == p)):
                    rows = slice(street.row[node], street.row[node] + street.num_children[node])
                    somewhere[rows] = (before[rows] > 0).any(axis=0)
                assert (after[(before <= 0) & somewhere] == 0).all()
    assert are_probabilities(tree, encoded, "float64")


@pytest.mark.parametrize("value", [-0.5, 0.7, np.nan, np.inf])
def test_what_is_no_probability_is_seen(tree: PublicTree, value: float) -> None:
    encoded = encode(tree, random_sums(tree), "float64")
    encoded[-1][1][-1] = value
    assert not are_probabilities(tree, encoded, "float64")


def test_unknown_encodings_are_named(tree: PublicTree) -> None:
    with pytest.raises(SolverOptionError, match="float64, float32, uint16"):
        encode(tree, tree.arrays.zeros(np.float64), "float8")
    assert default_encoding(tree.entries, "float32") == "float32"


def test_blocks_are_views_that_tile_the_arrays(tree: PublicTree) -> None:
    arrays = tree.arrays.zeros(np.float32)
    for s, street in enumerate(tree.arrays.streets):
        for p in (0, 1):
            for b in range(street.num_boards):
                board_block(tree, arrays, s, p, b)[...] += 1
            assert (arrays[s][p] == 1).all()


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_the_gains_of_both_players_make_the_exploitability(tree: PublicTree, backend: str) -> None:
    kernel = make_kernel(backend, tree.arrays)
    units = Units.of(tree.subject, tree.initial_pot)
    sums = random_sums(tree)
    found = StrategyProfile(tree, kernel, sums).certificate(units)[0]
    values = StrategyProfile(tree, kernel, sums).values()
    assert found.chips == pytest.approx(sum(found.by_player) / 2, rel=1e-12)
    assert min(found.by_player) > 0
    assert sum(values) == 0.0
    for p in (0, 1):
        best = tree.chips(kernel.root_values(sums, p, role=BEST), p)
        assert best - values[p] == pytest.approx(found.by_player[p], abs=1e-12)
    for dtype, allowed in ((np.float64, 1e-12), (np.float32, 2e-6)):
        narrow = [[a.astype(dtype) for a in pair] for pair in sums]
        quick = StrategyProfile(tree, kernel, narrow).quick_exploitability(units)
        assert quick.chips == pytest.approx(found.chips, abs=allowed * units.initial_pot_chips)
    # Scale does not matter, and neither does an encoding beyond its rounding.
    doubled = [[2.0 * a for a in pair] for pair in sums]
    assert StrategyProfile(tree, kernel, doubled).certificate(units)[0].chips == pytest.approx(found.chips, rel=1e-12)
    for encoding, allowed in (("float64", 1e-12), ("float32", 1e-6), ("uint16", 1e-3)):
        again = StrategyProfile(tree, kernel, encode(tree, sums, encoding)).certificate(units)[0]
        assert again.chips == pytest.approx(found.chips, rel=allowed)
