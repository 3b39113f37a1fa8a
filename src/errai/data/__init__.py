"""Data that come with the package: blueprints, models and tables.

``manifest.json`` says for each file what it is, the command that makes it, its figures, its length and its SHA-256.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path


def shipped_file(name: str) -> AbstractContextManager[Path]:
    """Return the path of a file of the package, for as long as the context lasts."""
    return as_file(files(__name__) / name)
