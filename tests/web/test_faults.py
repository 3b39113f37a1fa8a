"""A server whose disk fails, or that is killed, at any one of its calls to the file system.

The same user goes on each time: what was not answered is asked again, a job that was stopped or has failed is resumed,
and a server that died is started again.  In the end everything is as if nothing had been.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from disturbed_server import everything
from failing_calls import FailingCalls


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int]:
    """What the user has where nothing fails, and how many calls can fail."""
    folder = tmp_path_factory.mktemp("faultless") / "work"
    counted = FailingCalls(folder, nth=0)
    return everything(folder, counted), counted.calls


def fails_at(folder: Path, nth: int, error: str, expected: dict[str, Any], *, lasting: bool = False) -> None:
    """Have everything done while the Nth call fails."""
    faults = FailingCalls(folder, nth=nth, error=error, lasting=lasting)
    assert everything(folder, faults) == expected, (nth, error)
    # Nothing is left of what was interrupted that the server would not remove.
    assert not [path for path in folder.rglob("*") if path.name.startswith(".gone-")]


@pytest.mark.parametrize("part", range(6))
def test_nothing_is_lost_at_some_calls(part: int, expected: tuple[dict[str, Any], int], tmp_path: Path) -> None:
    nth = 1 + part * (expected[1] - 1) // 6 + part
    fails_at(tmp_path / "work", nth, ("ENOSPC", "KILL", "EIO")[part % 3], expected[0])


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
def test_a_server_goes_on_when_a_full_disk_has_room_again(
    share: float, expected: tuple[dict[str, Any], int], tmp_path: Path
) -> None:
    fails_at(tmp_path / "work", int(share * expected[1]), "ENOSPC", expected[0], lasting=True)


@pytest.mark.slow
@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "KILL"])
def test_nothing_is_lost_at_any_call(error: str, expected: tuple[dict[str, Any], int], tmp_path: Path) -> None:
    """Every call fails with one of the errors; each run takes seconds, so not every call fails with every error."""
    first = 1 + ["ENOSPC", "EIO", "KILL"].index(error)
    for nth in range(first, expected[1] + 1, 3):
        fails_at(tmp_path / f"work-{nth}", nth, error, expected[0])
