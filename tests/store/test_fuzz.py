"""Wrong files of every sort: only typed errors, or exactly the content that was written."""

from __future__ import annotations

import io
import json
import os
import struct
import zlib
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from errai.errors import DamagedFileError, ForeignFileError
from errai.store.container import open_container, write_container
from errai.store.document import read_bounded
from errai.store.header import MAGIC

ARRAYS = {
    "strategy/0": np.linspace(0, 1, 40, dtype=np.float32).reshape(5, 8),
    "empty": np.empty((0, 3), dtype=np.int16),
    "values": np.arange(9, dtype=np.float64),
}
METADATA = {"game": "kuhn", "seed": 17, "exploitability": {"chips": 0.25, "history": [1.5, -0.0, None, True]}}


@pytest.fixture
def good(tmp_path) -> bytes:
    write_container(tmp_path / "good", "test", METADATA, ARRAYS)
    return (tmp_path / "good").read_bytes()


def answer(path: Path, data: bytes) -> str:
    """'equal', or the name of the reader's typed error; anything else fails the test."""
    path.write_bytes(data)
    try:
        container = open_container(path, "test")
        container.verify()
        arrays = {name: container.arrays[name] for name in container.arrays}
    except DamagedFileError:
        return "DamagedFileError"
    except ForeignFileError:
        return "ForeignFileError"
    assert container.metadata == METADATA
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
    return "equal"


def test_every_flipped_bit_is_noticed(good, tmp_path):
    for position in range(len(good)):
        for bit in range(8):
            data = bytearray(good)
            data[position] ^= 1 << bit
            assert answer(tmp_path / "bad", data) != "equal", (position, bit)


def test_every_truncation_is_noticed(good, tmp_path):
    for length in range(len(good)):
        assert answer(tmp_path / "bad", good[:length]) == "DamagedFileError"


def test_every_appended_byte_is_noticed(good, tmp_path):
    for extra in (b"\0", b"\0" * 64, b"x", good):
        assert answer(tmp_path / "bad", good + extra) == "DamagedFileError"


def mutated(good: bytes, random: np.random.Generator) -> bytes:
    """A wrong file: bytes flipped, overwritten, cut out, repeated, moved; or nothing but noise."""
    data = bytearray(good)
    for _ in range(random.integers(1, 4)):
        start, end = sorted(int(i) for i in random.integers(0, len(data) + 1, 2))
        match random.integers(0, 8):
            case 0:
                data[start:end] = random.bytes(end - start)
            case 1:
                del data[start:end]
            case 2:
                data[start:start] = data[start:end]
            case 3:
                data[start:end] = bytes(end - start)
            case 4:
                data = data[:start]
            case 5:
                data[start:end] = data[start:end][::-1]
            case 6:
                data = bytearray(MAGIC + random.bytes(end))
            case _:
                position = int(random.integers(0, len(data) + 1))
                data[position : position + 1] = random.bytes(1)
        if not data:
            break
    return bytes(data)


@pytest.mark.parametrize("count", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_mutated_files(good, tmp_path, count):
    random = np.random.default_rng(2026)
    wrong = 0
    for _ in range(count):
        data = mutated(good, random)
        result = answer(tmp_path / "bad", data)
        assert (result == "equal") == (data == good)
        wrong += result != "equal"
    assert wrong > 0.9 * count


# Headers that are wrong although their checksum is right: only a faulty or hostile writer makes them.


def with_header(header: bytes, tail: bytes = b"") -> bytes:
    total = 32 + len(header) + len(tail)
    blank = struct.pack("<8sIIQQ", MAGIC, 1, 0, len(header), total)
    crc32 = zlib.crc32(header, zlib.crc32(blank))
    return struct.pack("<8sIIQQ", MAGIC, 1, crc32, len(header), total) + header + tail


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"null",
        b"[" * 100_000,
        b'{"kind":"test","metadata":{},"arrays":[],"more":1}',
        b'{"kind":"test","metadata":{}}',
        b'{"kind":3,"metadata":{},"arrays":[]}',
        b'{"kind":"test","metadata":[],"arrays":[]}',
        b'{"kind":"test","metadata":{},"arrays":{}}',
        b'{"kind":"test","kind":"test","metadata":{},"arrays":[]}',
        b'{"kind":"test","metadata":{"a":1,"a":2},"arrays":[]}',
        b'{"kind":"test","metadata":{"a":NaN},"arrays":[]}',
        b'{"kind":"test","metadata":{"a":-Infinity},"arrays":[]}',
        b'{"kind":"test","metadata":{"a":1e999},"arrays":[]}',
        b'{"kind":"test","metadata":{"a":' + b"9" * 10_000 + b'},"arrays":[]}',
        b'{"kind":"test","metadata":{},"arrays":[3]}',
        b'{"kind":"test","metadata":{},"arrays":[{}]}',
    ],
    ids=lambda header: header[:60].decode("latin-1"),
)
def test_headers_that_are_not_ours(tmp_path, header):
    (tmp_path / "bad").write_bytes(with_header(header))
    with pytest.raises(DamagedFileError):
        open_container(tmp_path / "bad")


ROW = {"name": "a", "dtype": "uint8", "shape": [8], "offset": 256, "length": 8, "crc32": "00000000"}
TAIL = bytes(8)


def file_with_rows(*rows: dict) -> bytes:
    header = json.dumps({"kind": "test", "metadata": {}, "arrays": rows}, separators=(",", ":")).encode()
    assert len(header) + 32 <= 256 * len(rows)
    header = header.ljust(256 * len(rows) - 32)
    return with_header(header, TAIL)


def test_the_row_that_the_next_test_spoils_is_good(tmp_path):
    (tmp_path / "good").write_bytes(file_with_rows(ROW | {"crc32": f"{zlib.crc32(TAIL):08x}"}))
    assert open_container(tmp_path / "good").read("a").tobytes() == TAIL


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": 3},
        {"name": None},
        {"dtype": "object"},
        {"dtype": "O"},
        {"dtype": "bool"},
        {"dtype": "uint16"},
        {"dtype": ["uint8"]},
        {"dtype": None},
        {"shape": 8},
        {"shape": [9]},
        {"shape": [-8]},
        {"shape": [-2, -4]},
        {"shape": [8.0]},
        {"shape": [True, 8]},
        {"shape": ["8"]},
        {"shape": [2**63, 0]},
        {"shape": [2**62, 2**62, 0], "length": 0},
        {"shape": [2**32, 2**32 + 1], "length": 2**32},
        {"shape": [1] * 33},
        {"offset": 0},
        {"offset": 255},
        {"offset": -64},
        {"offset": 320},
        {"offset": 256.0},
        {"offset": 2**70},
        {"offset": None},
        {"length": 7},
        {"length": 8.5},
        {"length": "8"},
        {"length": -8, "shape": [-8]},
        {"crc32": 0},
        {"crc32": "0"},
        {"crc32": "0000000G"},
        {"crc32": "0x000000"},
        {"more": 1},
    ],
    ids=str,
)
def test_rows_that_contradict_the_file(tmp_path, change):
    (tmp_path / "bad").write_bytes(file_with_rows(ROW | change))
    with pytest.raises(DamagedFileError):
        open_container(tmp_path / "bad")


def test_two_arrays_of_one_name(tmp_path):
    first = ROW | {"shape": [0], "length": 0, "offset": 512}
    (tmp_path / "bad").write_bytes(file_with_rows(first, ROW | {"offset": 512}))
    with pytest.raises(DamagedFileError, match="same name"):
        open_container(tmp_path / "bad")


@pytest.mark.parametrize("count", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_spoiled_headers(good, tmp_path, count):
    """Mutate the header's text under a right checksum; what still opens must stay inside the file."""
    random = np.random.default_rng(7)
    header_bytes = struct.unpack_from("<Q", good, 16)[0]
    header, tail = good[32 : 32 + header_bytes], good[32 + header_bytes :]
    tokens = [
        b"0",
        b"-1",
        b"64",
        b"1e400",
        b"null",
        b"[",
        b"]",
        b"{",
        b'"',
        b"float64",
        b"int8",
        b",",
        b"9" * 30,
    ]
    for _ in range(count):
        data = bytearray(header)
        for _ in range(random.integers(1, 3)):
            start = int(random.integers(0, len(data)))
            length = int(random.integers(0, 6))
            data[start : start + length] = tokens[random.integers(len(tokens))]
        # Mostly of the old length, so that the arrays stay where the table says.
        spoiled = bytes(data) if random.random() < 0.2 else bytes(data[:header_bytes]).ljust(header_bytes)
        path = tmp_path / "bad"
        path.write_bytes(with_header(spoiled, tail))
        try:
            container = open_container(path)
            container.verify()
            for name in container.arrays:
                assert container.arrays[name].tobytes() == container.read(name).tobytes()
        except (DamagedFileError, ForeignFileError):
            pass


def test_no_file_stays_open(good, tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        answer(tmp_path / "bad", good)
        answer(tmp_path / "bad", good[:-1])
        answer(tmp_path / "bad", good[:-1] + b"!")
    assert len(os.listdir("/proc/self/fd")) <= before + 2


def test_an_array_that_a_file_lacks_is_damage(good, tmp_path):
    (tmp_path / "good").write_bytes(good)
    with pytest.raises(DamagedFileError, match="its array 'more' is missing"):
        open_container(tmp_path / "good").read("more")


def test_memory_is_taken_for_what_a_file_has():
    """``read(most + 1)`` of a file takes room for all that it might have: a gigabyte for a history of one hand."""

    class Recording(io.BytesIO):
        asked: ClassVar[list[int]] = []

        def read(self, count=-1):
            self.asked.append(count)
            return super().read(count)

    data = bytes(range(256)) * 9000
    assert read_bounded(Recording(data), 1 << 40) == data
    assert max(Recording.asked) <= 1 << 20
    assert read_bounded(Recording(data), 1000) == data[:1001]
