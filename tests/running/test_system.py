"""What operating systems do differently: the parts that can be asked on any of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from errai.running import system

VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10.
Pages active:                            900.
Pages inactive:                           20.
Pages speculative:                         3.
Pages throttled:                           0.
Pages wired down:                        500.
Pages purgeable:                           4.
"Translation faults":                  12345.
"""


def test_free_memory_of_macos_is_what_is_free_or_can_be_taken_at_once() -> None:
    assert system.free_of_vm_stat(VM_STAT) == (10 + 20 + 3 + 4) * 16384
    assert system.free_of_vm_stat("vm_stat: no such thing") is None


def test_memory_and_processors_are_those_that_the_system_reports() -> None:
    total, free = system.machine_memory()
    assert total == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert free is not None
    assert 0 < free < total
    assert 1 <= system.processors() <= (os.cpu_count() or 1)


def test_a_lock_belongs_to_one_opening_of_a_file_until_it_is_closed(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"")
    one, other, third = (os.open(tmp_path / "lock", os.O_RDWR | system.KEPT_TO_ITSELF) for _ in range(3))
    assert system.try_lock(one)
    assert not system.try_lock(other)
    assert not system.try_lock(other, shared=True)
    os.close(one)
    assert system.try_lock(other, shared=True)
    assert system.try_lock(third, shared=True)
    os.close(other)
    system.wait_for_lock(third)
    os.close(third)


def test_places_of_a_file_are_read_without_moving_its_position(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    descriptor = os.open(tmp_path / "file", os.O_RDONLY | system.PLAIN)
    part = bytearray(4)
    assert system.read_at(descriptor, memoryview(part), 3) == 4
    assert system.read_at(descriptor, memoryview(part)[:2], 9) == 1
    assert part == b"9456"
    assert os.read(descriptor, 2) == b"01"
    os.close(descriptor)


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("file")
    with pytest.raises(OSError, match="symbolic links"):
        os.open(tmp_path / "link", os.O_RDONLY | system.PLAIN)


def test_a_file_is_renamed_while_it_is_locked(tmp_path: Path) -> None:
    (tmp_path / "new").write_bytes(b"old")
    with (tmp_path / "part").open("wb") as file:
        system.wait_for_lock(file.fileno())
        file.write(b"new")
        file.flush()
        system.flush_to_disk(file.fileno())
        system.replace_by_open(file, tmp_path / "part", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert (tmp_path / "new").read_bytes() == b"new"
    assert not system.is_read_only(tmp_path)
