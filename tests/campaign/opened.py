"""Whether every file that a disturbed run has left opens, whatever kind of file it is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from errai.errors import ArtefactError
from errai.nets.tensor_file import read_tensors
from errai.store.atomic import is_temporary
from errai.store.container import open_container
from errai.store.header import MAGIC

OLD = b"the old one"
"""What stands in a file that a command is to replace."""
PASSING = ("lock", "queued", "stop", "start", "log", ".leader")
"""Marks, locks and what processes said: any content is right."""


class LostError(AssertionError):
    """Something that was saved is gone, damaged or another one."""


def require_same(found: Any, expected: Any, told: str) -> None:
    """Raise :class:`LostError` unless a run has ended with the results of an undisturbed one."""
    if found != expected:
        raise LostError(f"The results are not those of an undisturbed run: {told}")


def open_one(path: Path) -> None:
    """Open a file by its kind; raises whatever its reader does."""
    data = path.read_bytes()
    if data == OLD:
        return
    if data.startswith(MAGIC) or path.suffix in (".errai", ".cards", ".state"):
        open_container(path).verify()
    elif path.suffix == ".json":
        json.loads(data)
    elif path.suffix == ".jsonl":
        # The last line may be half written; the next worker cuts it off.
        for line in data.split(b"\n")[:-1]:
            json.loads(line)
    elif path.suffix == ".toml":
        tomllib.loads(data.decode())
    elif path.suffix in (".safetensors", ".net"):
        word = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
        read_tensors(path, next(iter(word)), "a file", 1)
    elif path.suffix == ".svg":
        ElementTree.fromstring(data)
    elif path.suffix == ".html" and not data.rstrip().endswith(b"</html>"):
        raise ValueError("the page is cut off")


def open_all(folder: Path, told: str = "") -> int:
    """Open every file below a folder and return how many there are.  Raises :class:`LostError`."""
    count = 0
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or is_temporary(path.name) or path.name in PASSING:
            continue
        count += 1
        try:
            open_one(path)
        except FileNotFoundError:
            continue  # a worker of the run that was killed has just removed it
        except (ArtefactError, ValueError, KeyError, ElementTree.ParseError) as error:
            raise LostError(f"{path.relative_to(folder)} does not open: {error!r}; {told}") from error
    return count
