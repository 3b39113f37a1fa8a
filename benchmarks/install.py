"""What an installation takes: megabytes and seconds of the base and of every extra; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from common.machine import machine_line
from common.tables import table

EXTRAS = ("pictures", "scipy", "web", "drill", "parquet", "env")
"""Those whose packages take seconds to fetch; `--extras` names others."""
COMMANDS = {"import errai": ("-c", "import errai"), "errai --version": ("-m", "errai.cli.main", "--version")}


def megabytes(folder: Path) -> float:
    """What the files of a folder take."""
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def seconds(command: list[str], runs: int = 1) -> float:
    """The median of the wall time of a command that must succeed."""
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        taken.append(time.perf_counter() - started)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return statistics.median(taken)


def measured(wheel: Path, extra: str, runs: int) -> list[str]:
    """A row: what was installed, its megabytes and packages, the seconds of pip and of starting."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True, symlinks=True)
        python, place = Path(folder) / "bin" / "python", next(Path(folder).glob("lib/python*/site-packages"))
        before, had = megabytes(place), len(list(place.glob("*.dist-info")))
        wanted = f"{wheel}[{extra}]" if extra else str(wheel)
        # Packages come from pip's cache where an earlier run has fetched them, so that the network does not count.
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted]
        took = seconds(install)
        packages = len(list(place.glob("*.dist-info"))) - had
        size = megabytes(place) - before
        starts = [f"{seconds([str(python), *words], runs):.2f}" for words in COMMANDS.values()]
    return [f"errai[{extra}]" if extra else "errai", f"{size:.0f}", str(packages), f"{took:.0f}", *starts]


def main() -> None:
    """Read the options, install everything by itself, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="a wheel, as `python -m build --wheel` makes it")
    parser.add_argument("--extras", nargs="*", default=EXTRAS, help=f"default: {' '.join(EXTRAS)}")
    parser.add_argument("--runs", type=int, default=7, help="how often each start is timed (default: 7)")
    options = parser.parse_args()
    if not options.wheel.is_file():
        parser.error(f"there is no wheel {options.wheel}")
    print(machine_line())
    print(f"{options.wheel.name}, {options.wheel.stat().st_size / 1e6:.1f} MB, Python {sys.version.split()[0]}\n")
    head = ["installed", "MB", "packages", "s of pip", *(f"s of `{name}`" for name in COMMANDS)]
    print(table(head, [measured(options.wheel, extra, options.runs) for extra in ("", *options.extras)]))


if __name__ == "__main__":
    main()
