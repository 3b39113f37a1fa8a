"""How much memory a process may take: that of the machine, or of the container or control group that it is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from errai.running.system import group_memory


def group(place: Path, limit: str, used: int, *, second: bool) -> None:
    """Write what the system says of a group."""
    place.mkdir(parents=True, exist_ok=True)
    (place / ("memory.max" if second else "memory.limit_in_bytes")).write_text(f"{limit}\n")
    (place / ("memory.current" if second else "memory.usage_in_bytes")).write_text(f"{used}\n")
    (place / "memory.stat").write_text("cache 7\ninactive_file 30\ntotal_inactive_file 30\n")


@pytest.mark.parametrize("second", [False, True])
def test_a_group_has_what_it_and_those_above_have_left(second: bool, tmp_path: Path) -> None:
    membership, top = tmp_path / "cgroup", tmp_path / "top"
    membership.write_text("0::/outer/inner\n" if second else "9:name=systemd:/\n4:cpu,memory:/outer/inner\n")
    root = top if second else top / "memory"
    group(root / "outer" / "inner", "1000", 400, second=second)
    assert group_memory(membership, top) == 630
    group(root / "outer", "2000", 1900, second=second)
    assert group_memory(membership, top) == 130
    group(root / "outer", "2000", 2500, second=second)
    assert group_memory(membership, top) == 0


def test_without_a_limit_there_is_none(tmp_path: Path) -> None:
    membership = tmp_path / "cgroup"
    assert group_memory(tmp_path / "none", tmp_path) is None
    membership.write_text("0::/\n")
    group(tmp_path / "top", "max", 5, second=True)
    assert group_memory(membership, tmp_path / "top") is None


def test_a_container_that_sees_its_own_root_alone_has_its_limit(tmp_path: Path) -> None:
    membership = tmp_path / "cgroup"
    membership.write_text("4:memory:/docker/0123\n")
    group(tmp_path / "top" / "memory", "500", 100, second=False)
    assert group_memory(membership, tmp_path / "top") == 430
