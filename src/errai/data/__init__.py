"""Data that come with the package: blueprints, models and tables, and the spots and charts of its library.

``manifest.json`` says for each file but those of the library what it is, the command that makes it, its figures, its
length and its SHA-256.
"""

from __future__ import annotations

from pathlib import Path


def shipped_file(name: str) -> Path:
    """Return the path of a file or folder of the package, whose native modules keep it from being in an archive."""
    return Path(__file__).with_name(name)
