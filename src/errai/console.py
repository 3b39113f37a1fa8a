"""Output to the terminal: its width and colours, and durations, sizes and exploitabilities as text."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from errai.engine.units import Exploitability, Measurement

_BYTE_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def console(*, stderr: bool = False) -> Console:
    """Return a rich console.  Its colours and width follow the terminal, NO_COLOR, FORCE_COLOR and COLUMNS."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None
    if not stream.isatty() and not os.environ.get("COLUMNS", "").isdigit():
        # A table that goes to a file or another program is never cut; pictures have a width of their own.
        width = 1000
    return Console(file=stream, width=width, highlight=False)


def bytes_text(count: float) -> str:
    """Return a number of bytes as text with a binary unit, such as ``0 bytes`` or ``12.4 MiB``."""
    value = float(count)
    for unit in _BYTE_UNITS[:-1]:
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} {_BYTE_UNITS[-1]}"


def decimal_bytes_text(count: float) -> str:
    """Return a number of bytes as text with a decimal unit, as disks are sold, such as ``10.9 TB``."""
    value = float(count)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if value < 999.5:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:,.3g} PB"


def seconds_text(seconds: float) -> str:
    """Return a duration as text, such as ``12 ms``, ``3.4 s``, ``5 min 20 s`` or ``3 h 05 min``."""
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 99.5:
        return f"{seconds:.3g} s"
    if seconds < 5970:
        return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02d} min" if hours < 48 else f"{hours / 24:.1f} days"


def counted(count: int, what: str) -> str:
    """Return a number with what is counted, in the plural unless there is one: ``1 hand``, ``8 hands``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def gains_text(gains: tuple[float, float]) -> str:
    """Return as text what each player could gain by a best response, and the sum of both."""
    return f"player 0: {gains[0]:.4g}, player 1: {gains[1]:.4g}, together {gains[0] + gains[1]:.4g}"


def exploitability_text(exploitability: Exploitability | Measurement) -> str:
    """Return an exploitability as text in every unit that it has."""
    parts = [f"{exploitability.chips:.4g} chips"]
    if exploitability.mbb is not None:
        parts.append(f"{exploitability.mbb:.4g} mbb")
    if exploitability.pot_percent is not None:
        parts.append(f"{exploitability.pot_percent:.4g}% of the pot")
    return ", ".join(parts)
