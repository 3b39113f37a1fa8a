from __future__ import annotations

import os
import shutil
import struct
import zlib
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from stopwatch import Stopwatch

from errai.errors import (
    DamagedFileError,
    DiskSpaceError,
    FileAccessError,
    ForeignFileError,
    InputError,
)
from errai.store.container import ArrayStream, open_container, write_container
from errai.store.header import ALIGNMENT, DTYPES, MAGIC, MAX_HEADER_BYTES


def write_and_open(path: Path, arrays: dict, metadata: dict | None = None):
    write_container(path, "test", metadata or {}, arrays)
    return open_container(path, "test")


ARRAYS = {
    "matrix": np.arange(12, dtype=np.float64).reshape(3, 4),
    "column major": np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4)),
    "strided": np.arange(100, dtype=np.int16)[::-7],
    "big-endian": np.arange(5, dtype=">i4"),
    "scalar": np.array(7, dtype=np.uint8),
    "no rows": np.empty((0, 5), dtype=np.float32),
    "read-only": np.broadcast_to(np.int64(3), (4, 2)),
    "empty": np.empty(0, dtype=np.int8),
}


def test_arrays_come_back_equal_and_read_only(tmp_path):
    container = write_and_open(tmp_path / "a.errai", ARRAYS)
    assert list(container.arrays) == list(ARRAYS)
    assert len(container.arrays) == len(ARRAYS)
    for name, array in ARRAYS.items():
        view = container.arrays[name]
        assert view.shape == array.shape
        assert view.dtype == array.dtype.newbyteorder("<")
        np.testing.assert_array_equal(view, array)
        assert not view.flags.writeable
        copy = container.read(name)
        np.testing.assert_array_equal(copy, array)
        assert copy.flags.writeable
    container.verify()


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_keeps_its_extremes(tmp_path, dtype):
    limits = np.finfo(dtype) if dtype.startswith("float") else np.iinfo(dtype)
    array = np.array([limits.min, 0, limits.max], dtype=dtype)
    container = write_and_open(tmp_path / "a.errai", {"a": array})
    np.testing.assert_array_equal(container.arrays["a"], array)


@given(
    array=npst.arrays(
        dtype=st.sampled_from([np.dtype(name) for name in DTYPES]),
        shape=npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
    )
)
def test_any_array_keeps_its_bits(tmp_path_factory, array):
    path = tmp_path_factory.getbasetemp() / "any.errai"
    container = write_and_open(path, {"a": array, "transposed": array.T})
    assert container.arrays["a"].tobytes() == array.astype(array.dtype.newbyteorder("<")).tobytes()
    assert container.arrays["transposed"].tobytes() == container.arrays["a"].T.tobytes()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(metadata=st.dictionaries(st.text(), json_values, max_size=5))
def test_any_metadata_come_back_equal(tmp_path_factory, metadata):
    path = tmp_path_factory.getbasetemp() / "metadata.errai"
    container = write_and_open(path, {}, metadata)
    assert container.metadata == metadata
    assert container.kind == "test"


def test_arrays_begin_on_boundaries(tmp_path):
    container = write_and_open(tmp_path / "a.errai", ARRAYS)
    for name in ARRAYS:
        assert container.arrays[name].ctypes.data % ALIGNMENT == 0


def test_layout_is_the_documented_one(tmp_path):
    """Reads a file by the page docs/file-formats.md alone."""
    path = tmp_path / "a.errai"
    write_container(path, "test", {"x": 1}, {"a": np.array([1, 2, 3], dtype=np.uint16)})
    data = path.read_bytes()
    magic, version, crc32, header_bytes, total = struct.unpack_from("<8sIIQQ", data)
    assert (magic, version, total) == (MAGIC, 1, len(data))
    assert crc32 == zlib.crc32(data[:12] + bytes(4) + data[16 : 32 + header_bytes])
    header = data[32 : 32 + header_bytes].decode("ascii").rstrip(" ")
    offset = -(-(32 + header_bytes) // 64) * 64
    assert header == (
        '{"kind":"test","metadata":{"x":1},"arrays":[{"name":"a","dtype":"uint16","shape":[3],'
        f'"offset":{offset},"length":6,"crc32":"{zlib.crc32(data[offset:]):08x}"}}]}}'
    )
    assert data[32 + header_bytes : offset] == bytes(offset - 32 - header_bytes)
    assert data[offset:] == b"\x01\x00\x02\x00\x03\x00"


def test_same_content_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_container(tmp_path / name, "test", {"x": [1, 2]}, ARRAYS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_many_arrays_settle_their_places(tmp_path):
    arrays = {f"array {i}": np.full(i % 7, i, dtype=np.int32) for i in range(3000)}
    container = write_and_open(tmp_path / "a.errai", arrays)
    assert all(np.array_equal(container.arrays[name], array) for name, array in arrays.items())


def test_stream_equals_the_whole_array(tmp_path):
    whole = np.arange(1000, dtype=np.float32).reshape(10, 100)
    stream = ArrayStream("float32", whole.shape, (whole[i : i + 3] for i in range(0, 10, 3)))
    write_container(tmp_path / "stream", "test", {}, {"a": stream})
    write_container(tmp_path / "whole", "test", {}, {"a": whole})
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize(
    "blocks",
    [[], [np.zeros(3, np.float32)], [np.zeros(5, np.float32)], [np.zeros(2, np.float32)] * 3, [np.zeros(2)]],
    ids=["none", "too few", "too many", "one too many", "other type"],
)
def test_stream_that_breaks_its_word_leaves_nothing(tmp_path, blocks):
    path = tmp_path / "a.errai"
    with pytest.raises(InputError, match="array 'a'"):
        write_container(path, "test", {}, {"a": ArrayStream("float32", (4,), blocks)})
    assert list(tmp_path.iterdir()) == []


def test_contiguous_arrays_are_not_copied(tmp_path):
    import tracemalloc

    array = np.zeros(8_000_000)
    tracemalloc.start()
    write_container(tmp_path / "a.errai", "test", {}, {"a": array})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


Pair = namedtuple("Pair", "metadata message")


@pytest.mark.parametrize(
    "case",
    [
        Pair({"a": [1, {"b": float("nan")}]}, r"metadata\['a'\]\[1\]\['b'\] is nan"),
        Pair({"a": float("-inf")}, "is -inf"),
        Pair({1: "a"}, "key 1"),
        Pair({"a": {None: 1}}, "key None"),
        Pair({"a": np.float32(1)}, "float32"),
        Pair({"a": np.int64(1)}, "int64"),
        Pair({"a": b"x"}, "bytes"),
        Pair({"a": {1, 2}}, "set"),
        Pair({"a": 1 << 20_000}, "10,000 bits"),
    ],
    ids=lambda case: case.message,
)
def test_metadata_that_json_cannot_hold_are_refused(tmp_path, case):
    with pytest.raises(InputError, match=case.message):
        write_container(tmp_path / "a.errai", "test", case.metadata, {})
    assert list(tmp_path.iterdir()) == []


def test_metadata_that_hold_themselves_are_refused(tmp_path):
    endless: dict = {}
    endless["a"] = endless
    with pytest.raises(InputError, match="100 levels"):
        write_container(tmp_path / "a.errai", "test", endless, {})


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("a", np.array([object()]), "object"),
        ("a", np.zeros(2, dtype=complex), "complex"),
        ("a", np.array(["x"]), "<U1"),
        ("a", np.zeros(2, dtype=bool), "bool"),
        ("a", np.zeros(2, dtype=[("x", "f4")]), "type"),
        ("a", np.zeros(2, dtype=np.longdouble), "longdouble|float128"),
        ("a", [1, 2], "list"),
        ("", np.zeros(1), "name"),
        ("x" * 256, np.zeros(1), "name"),
        (3, np.zeros(1), "name"),
    ],
)
def test_arrays_that_a_container_cannot_hold_are_refused(tmp_path, name, array, message):
    with pytest.raises(InputError, match=message):
        write_container(tmp_path / "a.errai", "test", {}, {name: array})
    assert list(tmp_path.iterdir()) == []


def test_impossible_stream_shape_is_refused(tmp_path):
    with pytest.raises(InputError, match="shape"):
        write_container(tmp_path / "a", "test", {}, {"a": ArrayStream("int8", (2**40, 2**40), [])})


def test_header_has_a_limit(tmp_path):
    with pytest.raises(InputError, match="as an array"):
        write_container(tmp_path / "a", "test", {"long": "x" * MAX_HEADER_BYTES}, {})


def test_error_while_writing_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.errai"
    write_container(path, "test", {"version": 1}, {})

    def fail():
        yield np.zeros(10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_container(path, "test", {"version": 2}, {"a": ArrayStream("float64", (20,), fail())})
    assert open_container(path).metadata == {"version": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.errai"]


def test_full_disk_is_noticed_before_writing(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1000, 900, 100))
    with pytest.raises(DiskSpaceError, match=r"needs 8\.0 MB, but 0\.0 MB are free"):
        write_container(tmp_path / "a", "test", {}, {"a": np.zeros(1_000_000)})
    assert list(tmp_path.iterdir()) == []


def test_disk_that_fills_up_while_writing(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskSpaceError, match="full"):
        write_container(tmp_path / "a", "test", {}, {"a": np.zeros(10)})
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path):
    for path, message in (
        (tmp_path / "missing" / "a", "does not exist"),
        (tmp_path, "not a plain file"),
        ("/dev/null", "not a plain file"),
        ("a\0b", "null character"),
        (tmp_path / ("x" * 250), "cannot be written"),
    ):
        with pytest.raises(FileAccessError, match=message):
            write_container(path, "test", {}, {})


def test_places_that_cannot_be_read(tmp_path):
    with pytest.raises(FileAccessError, match="does not exist"):
        open_container(tmp_path / "missing")
    with pytest.raises(FileAccessError, match="null"):
        open_container("a\0b")
    with pytest.raises(ForeignFileError, match="not a plain file"):
        open_container(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ForeignFileError, match="not a plain file"):
        open_container(tmp_path / "pipe")


def test_link_is_followed(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_container(tmp_path / "link", "test", {"x": 1}, {})
    assert (tmp_path / "link").is_symlink()
    assert open_container(tmp_path / "real").metadata == {"x": 1}


def test_foreign_files(tmp_path):
    path = tmp_path / "a"
    for content in (b"PK\x03\x04", b"\x93NUMPY\x01\x00" * 20, bytes(1000), b"{}"):
        path.write_bytes(content)
        with pytest.raises(ForeignFileError, match="not a file of Errai's"):
            open_container(path)
    write_container(path, "checkpoint", {}, {})
    with pytest.raises(ForeignFileError, match="of the kind 'checkpoint'; a file of the kind 'solution'"):
        open_container(path, "solution")
    data = bytearray(path.read_bytes())
    data[8] = 2
    path.write_bytes(data)
    with pytest.raises(ForeignFileError, match="version 2"):
        open_container(path)


def test_opened_file_survives_its_replacement(tmp_path):
    path = tmp_path / "a"
    old = write_and_open(path, {"a": np.arange(10)})
    write_container(path, "test", {}, {"a": np.zeros(10)})
    np.testing.assert_array_equal(old.read("a"), np.arange(10))
    np.testing.assert_array_equal(old.arrays["a"], np.arange(10))


def test_file_cut_short_after_opening_is_an_error(tmp_path):
    path = tmp_path / "a"
    container = write_and_open(path, {"a": np.arange(10_000)})
    os.truncate(path, 5_000)
    with pytest.raises(DamagedFileError, match="shorter"):
        container.verify()
    with pytest.raises(DamagedFileError, match="shorter"):
        container.read("a")


def test_damaged_array_is_never_handed_out(tmp_path):
    path = tmp_path / "a"
    write_container(path, "test", {}, {"good": np.arange(100), "bad": np.arange(100)})
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    container = open_container(path)
    np.testing.assert_array_equal(container.arrays["good"], np.arange(100))
    assert "bad" in container.arrays
    for use in (lambda: container.arrays["bad"], lambda: container.read("bad"), container.verify):
        with pytest.raises(DamagedFileError, match="array 'bad'"):
            use()
    unchecked = open_container(path, checked=False)
    assert unchecked.arrays["bad"].shape == (100,)
    with pytest.raises(DamagedFileError, match="array 'bad'"):
        unchecked.verify()


def test_an_array_that_must_be_read_and_is_missing_is_damage(tmp_path):
    container = write_and_open(tmp_path / "a", {})
    with pytest.raises(KeyError):
        container.arrays["missing"]
    with pytest.raises(DamagedFileError, match="its array 'missing' is missing"):
        container.read("missing")


@pytest.mark.slow
def test_large_file_is_checked_at_a_gigabyte_per_second(tmp_path):
    array = np.zeros(500_000_000, dtype=np.uint8)
    write_container(tmp_path / "a", "test", {}, {"a": array})
    container = open_container(tmp_path / "a")
    with Stopwatch() as took:
        container.verify()
    assert took.seconds < 2.0
