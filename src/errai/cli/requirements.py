"""What Errai needs and this Python lacks, by the package's metadata; nothing is imported that may be missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata


@dataclass(frozen=True)
class Requirement:
    """A package that Errai, or one of its extras, is declared to need."""

    name: str
    """The name under which it is installed."""
    text: str
    """The name with the version, as pip takes it: ``zlib-ng>=0.5``."""
    extra: str | None
    """The extra that it belongs to; None for what every use needs."""
    module: str
    """The module that is imported, as far as the name tells."""

    @property
    def installed(self) -> str | None:
        """The version that is installed, or None."""
        try:
            return metadata.version(self.name)
        except metadata.PackageNotFoundError:
            return None

    @property
    def met(self) -> bool:
        """Whether it is installed, and not older than it must be."""
        least = re.search(r">=([\d.]+)", self.text)
        found = self.installed
        return found is not None and (least is None or _numbers(found) >= _numbers(least[1]))


def _numbers(version: str) -> list[int]:
    """Return the numbers of a release, ``2.13.0+cpu``: 2, 13, and no zeros at the end."""
    match = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(part) for part in match[0].split(".")] if match else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


def requirements() -> list[Requirement]:
    """Everything that the package declares; nothing where it runs without having been installed."""
    try:
        declared = metadata.requires("errai") or []
    except metadata.PackageNotFoundError:
        return []
    found = []
    for line in declared:
        text, _, condition = (part.strip() for part in line.partition(";"))
        extra = re.search(r"extra\s*==\s*[\"']([^\"']+)", condition)
        name = re.match(r"[\w.-]+", text)
        assert name is not None, line
        module = re.sub(r"[-.]", "_", name[0]).lower()
        found.append(Requirement(name[0], text, extra[1] if extra else None, module))
    return found


def base_lacks() -> list[str]:
    """Return what every use needs and this Python lacks, as pip takes it."""
    return [need.text for need in requirements() if need.extra is None and not need.met]


def install_command(texts: list[str]) -> str:
    """Return the command that installs these."""
    return " ".join(["pip install", *(f"'{text}'" for text in texts)])


def lack_text(missing_module: str | None) -> str | None:
    """One sentence about a module that was not found, with everything that is missing and the command that installs it.

    None if the module is Errai's own, which no command installs.
    """
    module = (missing_module or "errai").partition(".")[0]
    if lacking := base_lacks():
        return f"Errai needs packages that this Python lacks: {', '.join(lacking)}. {install_command(lacking)}"
    extra = next((need.extra for need in requirements() if need.module == module), None)
    if extra is not None:
        return f"This needs the extra {extra!r} of Errai: pip install 'errai[{extra}]'"
    return None if module == "errai" else f"This needs the module {module!r}, which this Python does not have."
