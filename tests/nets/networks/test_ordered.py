"""The small network over hands in order of strength: NumPy and PyTorch, suits, the outer layer, files."""

from __future__ import annotations

import numpy as np
import pytest

import errai
from errai.errors import InputError, UnsupportedGameError
from errai.nets.network import load_net, make_net, save_net
from errai.nets.networks.classes import class_matchups
from errai.nets.networks.matchups import matchups
from errai.nets.networks.ordered import Ordered

LEDUC = errai.load_game("leduc.nolimit")
KINDS = [Ordered(), Ordered(layers=5, width=50, residual=False)]


def _weights(kind: Ordered, size: float = 0.15):
    rng = np.random.default_rng(5)
    return {name: rng.normal(0, size, shape).astype(np.float32) for name, shape in kind.shapes(LEDUC, 1).items()}


def _asked(hands: int, count: int = 20):
    rng = np.random.default_rng(6)
    ranges = rng.dirichlet(np.ones(hands), size=(count, 2)).astype(np.float32)
    return ranges, rng.uniform(0.1, 5.5, count).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_numpy_says_what_pytorch_says(kind) -> None:
    torch = pytest.importorskip("torch")
    weights = _weights(kind)
    module = kind.module(LEDUC, 1)
    assert {name: tuple(t.shape) for name, t in module.state_dict().items()} == dict(kind.shapes(LEDUC, 1))
    module.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    prepared = kind.prepare(LEDUC, (3,), {})
    ranges, stacks = _asked(5)
    inputs = {name: torch.from_numpy(array) for name, array in prepared.inputs(ranges, stacks).items()}
    board = {name: torch.from_numpy(np.stack([array] * 20)) for name, array in prepared.arrays.items()}
    with torch.no_grad():
        there = module(board, inputs).numpy()
    here = kind.on(prepared, weights).values(ranges, stacks)
    assert here.shape == (20, 2, 5)
    np.testing.assert_allclose(here, there, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_what_one_player_wins_the_other_loses(kind) -> None:
    prepared = kind.prepare(LEDUC, (0,), {})
    ranges, stacks = _asked(5)
    values = kind.on(prepared, _weights(kind)).values(ranges, stacks)
    assert np.abs((values * ranges).sum(axis=(1, 2))).max() < 1e-5
    assert np.abs(values).max() > 0.01


def test_without_weights_the_residual_is_check_down() -> None:
    kind = KINDS[0]
    prepared = kind.prepare(LEDUC, (2,), {})
    ranges, stacks = _asked(5)
    found = kind.on(prepared, _weights(kind, 0.0)).values(ranges, stacks)
    np.testing.assert_allclose(found, matchups(LEDUC, (2,)).check_down(ranges[:, ::-1]), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_every_board_is_a_pair_a_high_and_a_low_card(kind) -> None:
    """On another board the same positions have the same values, whichever cards hold them."""
    weights = _weights(kind)
    found = []
    for board, order in (((0,), (2, 3, 4, 5, 1)), ((1,), (3, 2, 5, 4, 0)), ((5,), (0, 1, 2, 3, 4))):
        prepared = kind.prepare(LEDUC, board, {})
        ranges, stacks = _asked(5)
        at = np.searchsorted(prepared.hands, order)
        ranges[:, :, at] = ranges.copy()
        found.append(kind.on(prepared, weights).values(ranges, stacks)[:, :, at])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[0], found[2], rtol=1e-4, atol=1e-5)


HOLDEM = errai.load_game("holdem.nolimit.2p")


@pytest.mark.parametrize("game", [LEDUC, HOLDEM], ids=["leduc", "holdem"])
def test_before_the_board_classes_of_hands_say_what_the_hands_say(game) -> None:
    """The network of round 0 is an auxiliary one; NumPy on hands and classes, and PyTorch, give the same."""
    torch = pytest.importorskip("torch")
    kind = Ordered(layers=2, width=16)
    rng = np.random.default_rng(5)
    weights = {name: rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in kind.shapes(game, 0).items()}
    classes = class_matchups(game)
    of_classes = rng.dirichlet(np.full(len(classes.fits), 0.3), size=(6, 2)).astype(np.float32)
    ranges = (of_classes / classes.sizes)[..., classes.class_of].astype(np.float32)
    stacks = rng.uniform(0.1, 99.0, 6).astype(np.float32)
    prepared = kind.prepare(game, (), {})
    by_hand = kind.on(prepared, weights).values(ranges, stacks)
    by_class = kind.on(kind.prepare_classes(game), weights).values(of_classes, stacks)
    np.testing.assert_allclose(by_class[..., classes.class_of], by_hand, rtol=1e-3, atol=2e-5)
    assert np.abs((by_hand * ranges).sum(axis=(1, 2))).max() < 1e-5
    met = matchups(game, ())
    np.testing.assert_allclose(classes.check_down(ranges), met.check_down(ranges), atol=1e-5)
    np.testing.assert_allclose(classes.fitting(ranges), met.fitting(ranges), atol=1e-5)
    module = kind.module(game, 0)
    module.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    inputs = {name: torch.from_numpy(array) for name, array in prepared.inputs(ranges, stacks).items()}
    board = {name: torch.from_numpy(np.stack([array] * 6)) for name, array in prepared.arrays.items()}
    with torch.no_grad():
        np.testing.assert_allclose(module(board, inputs).numpy(), by_hand, rtol=1e-3, atol=2e-5)


def test_it_is_a_file_like_any_other(tmp_path) -> None:  # type: ignore[no-untyped-def]
    kind = Ordered(layers=2, width=8)
    net = make_net("leduc", LEDUC, 1, kind, _weights(kind), {})
    save_net(net, tmp_path / "small.net")
    read = load_net(tmp_path / "small.net")
    assert read.architecture == kind
    ranges, stacks = _asked(5)
    assert np.array_equal(read.on((4,)).values(ranges, stacks), net.on((4,)).values(ranges, stacks))


def test_among_some_hands_they_are_worth_the_same() -> None:
    """Hands that are left out are like hands with weight 0."""
    kind, some = KINDS[0], np.array([0, 2, 5])
    ranges, stacks = _asked(2)
    few = kind.prepare(LEDUC, (5,), {}, some)
    every = kind.prepare(LEDUC, (5,), {})
    assert few.hands.tolist() == [0, 2]
    spread = np.zeros((20, 2, 5), dtype=np.float32)
    spread[:, :, [0, 2]] = ranges
    there = kind.on(every, _weights(kind)).values(spread, stacks)[:, :, [0, 2]]
    np.testing.assert_allclose(kind.on(few, _weights(kind)).values(ranges, stacks), there, rtol=1e-4, atol=1e-5)


def test_other_games_are_refused() -> None:
    for name, round_index in (("holdem.nolimit.2p", 3), ("holdem.nolimit.2p", 1)):
        with pytest.raises(UnsupportedGameError, match="one private card"):
            Ordered().shapes(errai.load_game(name), round_index)
    with pytest.raises(InputError, match="layers and width must be"):
        Ordered(width=0)
