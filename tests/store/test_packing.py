"""Packing: data are unpacked as they were packed, and damage is an error."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from errai.errors import DamagedFileError, InputError
from errai.store.packing import CHUNK_BYTES, pack, packed_frame, unpack, unpack_range, unpacked_frame

DTYPES = ("int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
LEVELS = (0, -5, 1)


def sample(dtype: str, size: int, seed: int = 0) -> np.ndarray:
    """Numbers as in solver state: runs of equal ones, zeros, small steps, jumps."""
    random = np.random.default_rng(seed)
    steps = random.integers(-300, 300, size) * (random.random(size) < 0.5) + (random.random(size) < 0.05) * 20_000
    values = np.where(random.random(size) < 0.3, 0, np.cumsum(steps))
    if np.dtype(dtype).kind == "f":
        return (values / 7).astype(dtype)
    return values.astype(np.int64).astype(dtype)


def back(array: np.ndarray, level: int = 0) -> np.ndarray:
    packed, starts = pack(array, level=level)
    out = np.full_like(array, 1)
    unpack(packed, starts, out)
    return out


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sizes_around_words_and_chunks(dtype, level):
    per_chunk = CHUNK_BYTES // np.dtype(dtype).itemsize
    sizes = [0, 1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 1_000]
    sizes += [chunks * per_chunk + more for chunks in (1, 2) for more in (-9, -1, 0, 1, 7, 8)]
    for size in sizes:
        array = sample(dtype, size, size)
        assert same(back(array, level), array), size


@settings(max_examples=300)
@given(data=st.binary(max_size=2_000), dtype=st.sampled_from(DTYPES), level=st.sampled_from(LEVELS))
def test_any_bits(data, dtype, level):
    array = np.frombuffer(data[: len(data) // 8 * 8], dtype)
    assert same(back(array, level), array)


@settings(max_examples=300)
@given(runs=st.lists(st.tuples(st.integers(0, 65_535), st.integers(1, 90)), max_size=60), level=st.sampled_from(LEVELS))
def test_runs_of_equal_numbers(runs, level):
    array = np.repeat(np.array([v for v, _ in runs], np.uint16), [n for _, n in runs])
    assert same(back(array, level), array)


@pytest.mark.parametrize("value", [0, 1, -1, 32767, -32768])
def test_constant_arrays_are_small(value):
    array = np.full(1_000_000, value, np.int16)
    packed, _ = pack(array)
    assert packed.size <= (16 if value == 0 else array.nbytes / 15)
    assert same(back(array), array)


def test_noise_grows_by_a_byte_a_chunk():
    noise = np.random.default_rng(1).integers(0, 65_536, 300_000).astype(np.uint16)
    packed, starts = pack(noise)
    assert packed.size == noise.nbytes + len(starts) - 1


def test_special_floats_keep_their_bits():
    array = np.array([np.nan, -0.0, np.inf, -np.inf, 5e-324, 1.0] * 10)
    assert same(back(array), array)


def test_shapes_and_strides():
    array = sample("int16", 6_000).reshape(20, 300)
    assert same(back(array), array)
    packed, starts = pack(array[:, ::2])
    out = np.empty((20, 150), np.int16)
    unpack(packed, starts, out)
    assert same(out, array[:, ::2].copy())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["int16", "uint16", "float32", "float64"])
def test_ranges(dtype, level):
    per_chunk = CHUNK_BYTES // np.dtype(dtype).itemsize
    array = sample(dtype, 2 * per_chunk + 1_234)
    packed, starts = pack(array, level=level)
    random = np.random.default_rng(5)
    edges = [0, 1, per_chunk - 1, per_chunk, per_chunk + 1, 2 * per_chunk, array.size - 1, array.size]
    pairs = [(a, b) for a in edges for b in edges if a <= b]
    pairs += [tuple(sorted(random.integers(0, array.size + 1, 2).tolist())) for _ in range(20)]
    for first, last in pairs:
        assert same(unpack_range(packed, starts, dtype, array.size, first, last), array[first:last])


def test_a_range_needs_its_own_chunks_only():
    array = sample("int16", 4 * CHUNK_BYTES // 2)
    packed, starts = pack(array)
    packed = packed.copy()
    packed[: starts[2]] = 255
    first = 2 * CHUNK_BYTES // 2
    assert same(unpack_range(packed, starts, np.int16, array.size, first, array.size), array[first:])
    with pytest.raises(DamagedFileError):
        unpack_range(packed, starts, np.int16, array.size, first - 1, array.size)


def test_wrong_calls():
    packed, starts = pack(np.zeros(5, np.int16))
    for dtype in (np.uint8, ">i2", np.complex64):
        with pytest.raises(InputError):
            pack(np.zeros(5, dtype))
    with pytest.raises(InputError, match="level"):
        pack(np.zeros(5, np.int16), level=99)
    with pytest.raises(InputError):
        unpack(packed, starts, np.zeros(10, np.int16)[::2])
    for first, last in ((-1, 2), (3, 2), (0, 6)):
        with pytest.raises(InputError):
            unpack_range(packed, starts, np.int16, 5, first, last)


def test_the_wrong_size_is_damage():
    packed, starts = pack(sample("int16", 1_000))
    for size in (0, 1, 100, 999 - 64, 1_000 + 64, CHUNK_BYTES, 10 * CHUNK_BYTES):
        with pytest.raises(DamagedFileError):
            unpack(packed, starts, np.empty(size, np.int16))


def test_a_frame_that_claims_to_be_huge_is_damage():
    import zstandard

    for content in (bytes(100 << 20), b""):
        frame = np.frombuffer(b"\2" + zstandard.ZstdCompressor().compress(content), np.uint8)
        with pytest.raises(DamagedFileError):
            unpack(frame, np.array([0, frame.size]), np.empty(100, np.int16))
    stream = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(100 << 20))
    frame = np.frombuffer(b"\2" + stream, np.uint8)
    with pytest.raises(DamagedFileError):
        unpack(frame, np.array([0, frame.size]), np.empty(100, np.int16))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_damage(dtype, level):
    """Flipped, overwritten, cut and with other starts: the error or numbers, never anything else."""
    array = sample(dtype, CHUNK_BYTES // np.dtype(dtype).itemsize + 700)
    good, good_starts = pack(array, level=level)
    small, small_starts = pack(array[:300], level=level)
    random = np.random.default_rng(3)
    refused = 0
    for trial in range(1_500):
        large = trial % 10 == 0
        packed, starts = (good.copy(), good_starts.copy()) if large else (small.copy(), small_starts.copy())
        match random.integers(0, 6):
            case 0:
                packed[random.integers(packed.size)] ^= 1 << random.integers(8)
            case 1:
                begin, end = sorted(random.integers(0, packed.size, 2))
                packed[begin:end] = random.integers(0, 256, end - begin)
            case 2:
                packed = packed[: random.integers(packed.size)]
            case 3:
                packed = packed[: random.integers(packed.size)]
                starts[-1] = packed.size
            case 4:
                starts = random.permutation(starts)
            case _:
                starts[random.integers(starts.size)] = random.choice([-1, 0, 1, 7, packed.size, 2**40, -(2**62)])
        out = np.empty(array.size if large else 300, dtype)
        try:
            unpack(packed, starts, out)
        except DamagedFileError:
            refused += 1
    assert refused > 500


def test_threads_have_their_own_compressors():
    arrays = [sample("uint16", 200_000, seed) for seed in range(4)]
    wrong: list[int] = []

    def work(number: int) -> None:
        for level in LEVELS * 3:
            if not same(back(arrays[number], level), arrays[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_lack_of_memory_is_no_damage(monkeypatch):
    """zstandard says by an error of its own that it has no memory; it was a traceback, or a damaged file."""
    frame = packed_frame(bytes(1000))

    class Poor:
        def __init__(self, **_):
            pass

        def compress(self, *_, **__):
            raise zstandard.ZstdError("cannot compress: Allocation error : not enough memory")

        decompress = compress

    for name in ("ZstdCompressor", "ZstdDecompressor"):
        monkeypatch.setattr(f"errai.store.packing.zstandard.{name}", Poor)
    with pytest.raises(MemoryError, match="not enough memory"):
        packed_frame(bytes(1000))
    with pytest.raises(MemoryError, match="not enough memory"):
        unpacked_frame(frame, 1000, "file")
