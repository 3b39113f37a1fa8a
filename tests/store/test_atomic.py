"""Files are replaced whole or not at all, and what the system refuses is a sentence with the file and the remedy."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from errai.errors import DiskSpaceError, FileAccessError, RunInUseError
from errai.store.atomic import locked_file, make_folder, write_file

NUMBERS = sorted({getattr(errno, name) for name in dir(errno) if name.startswith("E")})


@pytest.mark.parametrize("number", NUMBERS)
def test_every_error_of_the_system_is_a_sentence(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_file(path, "before")

    def refuse(*arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", refuse)
    full = number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    with pytest.raises(DiskSpaceError if full else FileAccessError) as error:
        write_file(path, "after")
    assert re.fullmatch(rf"{path} cannot be written: .+\. [A-Z].+\.", str(error.value))
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]


def test_what_stands_in_the_way_is_named(tmp_path: Path) -> None:
    write_file(tmp_path / "file", "text")
    for path in (tmp_path / "file" / "in it", tmp_path / ("long" * 100), tmp_path, tmp_path / "none" / "file"):
        with pytest.raises(FileAccessError, match=re.escape(str(tmp_path))):
            write_file(path, "text")
    with pytest.raises(FileAccessError, match=r"file cannot be created: .* Choose another name\."):
        make_folder(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() == 0, reason="Nothing is protected from root.")
def test_a_protected_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_file(path, "before")
    path.chmod(0o444)
    with pytest.raises(FileAccessError, match="permission denied"):
        write_file(path, "after")
    assert path.read_text() == "before"


def test_a_lock_is_held_once_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    refused = pytest.raises(RunInUseError, match=r"It is in use\.")
    with locked_file(path, "It is in use."), refused, locked_file(path, "It is in use."):
        raise AssertionError
    assert not path.exists()
    with locked_file(path, "It is in use."):
        assert path.exists()
