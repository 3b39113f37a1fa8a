"""DeepStack's own network: buckets of hands, the network in NumPy and PyTorch, the properties of its outer layer."""

from __future__ import annotations

import numpy as np
import pytest
from plain_features import reference_features

from errai.abstraction.kmeans import earth_movers_distance
from errai.cards.hands import hand_cards, hand_index
from errai.errors import CardsError, InputError
from errai.games.catalogue import load_game
from errai.nets.examples.dataset import read_examples
from errai.nets.examples.generate import generate
from errai.nets.examples.recipe import Recipe
from errai.nets.examples.situations import Stratum
from errai.nets.network import load_net, make_net, save_net
from errai.nets.networks import bucketed
from errai.nets.networks.architecture import architecture
from errai.nets.networks.bucketed import BINS, Bucketed, HandBuckets
from errai.nets.quality.losses import position_losses
from errai.nets.training.rows import prepared_rows

HOLDEM = load_game("holdem.nolimit.2p")
BOARD = (3, 18, 30, 49)


@pytest.fixture(scope="module", autouse=True)
def _few_boards():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucketed, "BOARDS", 100)
        patch.setattr(bucketed, "POINTS", 6_000)
        yield


@pytest.fixture(scope="module")
def fixed():
    """Sixty buckets of the turn, as a file would hold them."""
    return Bucketed(buckets=60).fixed(HOLDEM, 2, seed=1)


def _renamed(cards, suits):
    return 4 * (np.asarray(cards) // 4) + np.asarray(suits)[np.asarray(cards) % 4]


@pytest.mark.parametrize("round_index", [2, 3])
def test_buckets_know_no_suits(round_index):
    """Rename the suits of the board and of a hand: it stays in its bucket."""
    buckets = HandBuckets.fitted(HOLDEM, round_index, 60)
    board = (*BOARD, 22)[: round_index + 2]
    suits = (2, 0, 3, 1)
    moved = hand_index(_renamed(hand_cards(52, 2), suits))
    here, there = buckets.on(board), buckets.on(tuple(_renamed(board, suits)))
    np.testing.assert_array_equal(here, there[moved])
    np.testing.assert_array_equal(here < 0, np.isin(hand_cards(52, 2), board).any(axis=1))
    assert len(np.unique(here)) > 10


def test_a_hand_is_in_the_nearest_bucket():
    """Buckets against the definition: the histogram of one hand, and its distance to every centroid."""
    buckets = HandBuckets.fitted(HOLDEM, 2, 40)
    found = buckets.on(BOARD)
    centroids = np.diff(buckets.clusters.centroids, axis=1, prepend=0)
    for hand in np.flatnonzero(found >= 0)[::150]:
        own = reference_features(HOLDEM, hand_cards(52, 2)[hand], BOARD, BINS).histogram
        away = earth_movers_distance(own, centroids)
        assert away[found[hand]] <= away.min() + 1e-4


def test_the_same_seed_gives_the_same_buckets():
    one, same, other = (HandBuckets.fitted(HOLDEM, 2, 30, seed=seed).clusters.centroids for seed in (5, 5, 6))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_unknown_boards_are_refused():
    buckets = HandBuckets.fitted(HOLDEM, 2, 10)
    with pytest.raises(CardsError):
        buckets.on((0, 1, 2))
    with pytest.raises(InputError, match="at least 1, not 0"):
        HandBuckets.fitted(HOLDEM, 2, 0)
    with pytest.raises(InputError, match="buckets, layers and width must be"):
        Bucketed(layers=0)


def _asked(kind, fixed, count=5):
    rng = np.random.default_rng(2)
    board = kind.prepare(HOLDEM, BOARD, fixed)
    ranges = rng.random((count, 2, len(board.hands))) ** 4
    ranges /= ranges.sum(axis=2, keepdims=True)
    return board, ranges.astype(np.float32), rng.uniform(0.2, 20, count).astype(np.float32)


def test_ranges_enter_over_buckets(fixed):
    """Each bucket gets what its hands have; the pot stands last."""
    board, ranges, stacks = _asked(Bucketed(buckets=60), fixed)
    entering = board.inputs(ranges, stacks)["entering"]
    for player in (0, 1):
        for place, given in enumerate(ranges[:, player]):
            expected = np.bincount(board.arrays["buckets"], given, minlength=60)
            np.testing.assert_allclose(entering[place, 60 * player : 60 * (player + 1)], expected, atol=1e-6)
    np.testing.assert_allclose(entering[:, -1], 0.5 / (0.5 + stacks))


def _with_weights(kind, fixed):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    module = kind.module(HOLDEM, 2)
    for slope in module.slope:
        torch.nn.init.uniform_(slope.weight, 0.1, 0.9)
    return module, {**fixed, **{name: array.numpy() for name, array in module.state_dict().items()}}


def test_numpy_says_what_pytorch_says_and_nobody_wins_what_nobody_loses(fixed, tmp_path):
    """The trained network, the evaluated one and the one that was written and read agree, and values are zero-sum."""
    torch = pytest.importorskip("torch")
    kind = Bucketed(buckets=60, layers=3, width=40)
    board, ranges, stacks = _asked(kind, fixed)
    module, weights = _with_weights(kind, fixed)
    assert {name: array.shape for name, array in weights.items()} == kind.shapes(HOLDEM, 2)
    of_board = {name: torch.from_numpy(array)[None].expand(len(ranges), -1) for name, array in board.arrays.items()}
    inputs = {name: torch.from_numpy(array) for name, array in board.inputs(ranges, stacks).items()}
    trained = module(of_board, inputs).detach().numpy()
    asked = kind.on(board, weights).values(ranges, stacks)
    np.testing.assert_allclose(asked, trained, atol=1e-6)
    assert np.abs(asked).max() > 1e-3
    np.testing.assert_allclose((asked * ranges).sum(axis=(1, 2)), 0.0, atol=1e-6)

    save_net(make_net("try", HOLDEM, 2, kind, weights, {}), tmp_path / "try.net")
    read = load_net(tmp_path / "try.net")
    assert read.architecture == architecture("bucketed", {"buckets": 60, "layers": 3, "width": 40})
    np.testing.assert_array_equal(read.on(BOARD).values(ranges, stacks), asked)


def test_it_learns(tmp_path):
    """Shallow rivers: it fits those that it saw, and is better than saying nothing on boards that it did not see."""
    pytest.importorskip("torch")
    from errai.nets.training.loop import TrainingOptions, train

    generate(Recipe("holdem.nolimit.2p", 3, 5, strata=(Stratum("0.1-1", 0.1, 1.0, 1.0),)), tmp_path, positions=90)
    kind = Bucketed(buckets=50, layers=2, width=40)
    fixed = kind.fixed(HOLDEM, 3, seed=0)
    seen, unseen = (
        prepared_rows(kind, HOLDEM, fixed, [read_examples(tmp_path, part)], tmp_path / "rows")
        for part in ("train", "held out")
    )
    options = TrainingOptions(epochs=40, rate=3e-3, batch=16, averaged=0.9)
    found = train(kind, HOLDEM, 3, seen, unseen, options, fixed=fixed)
    nothing = [position_losses(np.zeros_like(each), each).mean() for each in (_values(seen), _values(unseen))]
    assert found.curve[-1].trained < 0.35 * nothing[0]
    assert found.best.held_out.mean() < 0.8 * nothing[1]


def _values(rows):
    return rows.batch(range(len(rows))).values
