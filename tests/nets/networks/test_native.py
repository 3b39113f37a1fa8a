"""The factorised network's native core against its definition in NumPy."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import numpy as np
import pytest

from errai.errors import DiskSpaceError
from errai.games.catalogue import load_game
from errai.kernels.cpu import instruction_set, instruction_sets, use_instruction_set
from errai.nets.below.leaf_boards import shares
from errai.nets.networks import native
from errai.nets.networks.factorised import Factorised
from errai.nets.networks.factorised_values import FactorisedValues
from errai.nets.networks.native import NativeValues, is_native

HOLDEM = load_game("holdem.nolimit.2p")
SMALL = Factorised(width=12, embedding=8, join=16, readout=6, groups=3)
TWO_GROUPS = Factorised(width=12, embedding=8, join=16, readout=7, groups=2)

CLOSE = 2e-5
"""Of the greatest value: sums of a thousand products in float32, in another order."""


@pytest.fixture(params=[name for name in instruction_sets() if name != "avx512-256"])
def each_set(request: pytest.FixtureRequest) -> Iterator[str]:
    before = instruction_set()
    use_instruction_set(request.param)
    yield request.param
    use_instruction_set(before)


def board_of(text: str) -> tuple[int, ...]:
    return tuple(HOLDEM.deck.parse_cards(text))


def weights_of(kind: Factorised, round_index: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    shapes = kind.shapes(HOLDEM, round_index)
    return {name: rng.normal(0.0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}


def both(
    kind: Factorised, text: str, round_index: int, among: np.ndarray | None = None
) -> tuple[FactorisedValues, NativeValues]:
    """The network in NumPy and in the native core."""
    weights, prepared = weights_of(kind, round_index), kind.prepare(HOLDEM, board_of(text), {}, among)
    made = kind.on(prepared, weights)
    assert isinstance(made, NativeValues)
    return FactorisedValues(prepared, weights), made


def questions(hands: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(hands)
    ranges = rng.dirichlet(np.full(hands, 0.1), (count, 2)).astype(np.float32)
    ranges[0, 0] = 0.0
    ranges[0, 0, hands // 2] = 1.0  # a player who has shown his hand
    if count > 1:
        ranges[1] = 1.0 / hands
    if count > 2:  # nothing to meet: both hold the same two hands
        ranges[2] = 0.0
        ranges[2, :, 0] = 1.0
    return ranges, np.geomspace(0.05, 150.0, count).astype(np.float32)


def assert_close(found: np.ndarray, expected: np.ndarray) -> None:
    assert np.isfinite(expected).all()
    assert found == pytest.approx(expected, abs=CLOSE * max(float(np.abs(expected).max()), 1e-3))


@pytest.mark.parametrize("kind", [SMALL, TWO_GROUPS, Factorised()], ids=["small", "two groups", "shipped size"])
@pytest.mark.parametrize(("text", "round_index"), [("Ks9d4h", 1), ("KsKd4h7d", 2), ("Ks9d4h7d2c", 3)])
def test_it_computes_what_numpy_does(kind: Factorised, text: str, round_index: int, each_set: str) -> None:
    defined, found = both(kind, text, round_index)
    ranges, stacks = questions(len(found.hands), 3)
    expected = defined.values(ranges, stacks)
    assert np.abs(expected).max() > 0.1
    assert_close(found.values(ranges, stacks), expected)


@pytest.mark.parametrize("hands", [1, 2, 15, 16, 17, 63, 64, 65, 300])
def test_any_number_of_hands(hands: int, each_set: str) -> None:
    live = SMALL.prepare(HOLDEM, board_of("KsKd4h7d"), {}).hands
    among = live[np.sort(np.random.default_rng(hands).permutation(len(live))[:hands])]
    defined, found = both(SMALL, "KsKd4h7d", 2, among)
    assert np.array_equal(found.hands, among)
    ranges, stacks = questions(hands, 3)
    assert_close(found.values(ranges, stacks), defined.values(ranges, stacks))


@pytest.mark.parametrize("count", [1, 8, 9, 19])
def test_any_number_of_questions(count: int) -> None:
    defined, found = both(SMALL, "KsKd4h7d", 2, np.arange(0, 1326, 11))
    ranges, stacks = questions(len(found.hands), count)
    together = found.values(ranges, stacks)
    assert_close(together, defined.values(ranges, stacks))
    alone = [found.values(ranges[q : q + 1], stacks[q : q + 1])[0] for q in range(count)]
    assert np.stack(alone) == pytest.approx(together, abs=1e-6 * float(np.abs(together).max()))


def test_ranges_without_hands() -> None:
    defined, found = both(SMALL, "Ks9d4h7d", 2, np.arange(0, 1326, 11))
    ranges, stacks = questions(len(found.hands), 4)
    ranges[3, 1] = 0.0
    assert_close(found.values(ranges, stacks), defined.values(ranges, stacks))


def test_boards_that_may_come_are_masked_scaled_and_weighted() -> None:
    rng = np.random.default_rng(3)
    union = np.sort(rng.permutation(1326)[:200])
    pairs = [both(SMALL, text, 2, union) for text in ("Ks9d4h7d", "Ks9d4h2c", "Ks9d4hAc")]
    ranges, stacks = questions(200, 3)
    ranges[1, 0] = 0.0
    ranges[1, 0, ~np.isin(union, pairs[2][0].hands)] = 1.0  # nobody is left on the last board
    places = [np.searchsorted(union, defined.hands).astype(np.int32) for defined, _ in pairs]
    asked = [native.ask([found for _, found in pairs], places, ranges, stacks, threads) for threads in (1, 2, 5)]
    for b, (defined, _) in enumerate(pairs):
        here = ranges[:, :, places[b]]
        brought = here.sum(axis=2)
        expected = defined.values(shares(here), stacks) * brought[:, ::-1, None]
        values, sums = asked[0][0][b], asked[0][1][b]
        assert_close(values, expected)
        assert sums == pytest.approx(brought, abs=1e-6)
        for more in asked[1:]:  # the same bits for any number of threads
            assert np.array_equal(more[0][b], values)
            assert np.array_equal(more[1][b], sums)
    assert asked[0][1][2][1, 0] == 0.0
    weights = [rng.uniform(0.1, 1.0, (3, 2)) for _ in pairs]
    total = native.add_up(asked[0][0], places, weights, len(union))
    expected = np.zeros(total.shape)
    for value, place, weight in zip(asked[0][0], places, weights, strict=True):
        expected[:, :, place] += value * weight[:, :, None]
    assert_close(total, expected)


def test_weights_are_those_of_the_network_that_is_asked() -> None:
    """More networks than the core remembers, one after the other and again."""
    prepared = SMALL.prepare(HOLDEM, board_of("KsKd4h7d"), {}, np.arange(0, 1326, 11))
    ranges, stacks = questions(len(prepared.hands), 2)
    nets = [
        {name: array + 0.01 * i for name, array in weights_of(SMALL, 2).items()} for i in range(native.REMEMBERED + 2)
    ]
    for weights in [*nets, *nets]:
        defined = FactorisedValues(prepared, weights)
        assert_close(SMALL.on(prepared, weights).values(ranges, stacks), defined.values(ranges, stacks))


def test_boards_that_memory_is_not_for_are_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    defined, found = both(SMALL, "KsKd4h7d", 2, np.arange(0, 1326, 5))
    ranges, stacks = questions(len(found.hands), 2)
    used = native._used[0]
    monkeypatch.setattr(native, "IN_MEMORY", used)
    monkeypatch.setattr(native, "FILE_BYTES", 300_000)  # two boards of three
    filed = [both(SMALL, "KsKd4h7d", 2, np.arange(0, 1326, 5))[1] for _ in range(3)]
    assert native._used[0] == used
    for one in filed:
        assert np.array_equal(one.values(ranges, stacks), found.values(ranges, stacks))
    monkeypatch.setattr(native.tempfile, "TemporaryFile", _no_room)
    monkeypatch.setattr(native, "_open", [])
    with pytest.raises(DiskSpaceError, match="No space left"):
        both(SMALL, "KsKd4h7d", 2)
    monkeypatch.undo()
    del found, filed, defined
    assert native._used[0] < used


def _no_room() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_the_core_cannot_hold_stays_in_numpy() -> None:
    prepared = SMALL.prepare(HOLDEM, board_of("Ks9d4h7d"), {}, np.arange(0, 1326, 11))
    assert is_native(prepared)
    many = Factorised(width=4, embedding=4, join=4, readout=4, groups=native.MOST_GROUPS + 1)
    prepared = many.prepare(HOLDEM, board_of("Ks9d4h7d"), {}, np.arange(0, 1326, 11))
    assert not is_native(prepared)
    assert isinstance(many.on(prepared, weights_of(many, 2)), FactorisedValues)
