"""What an installation takes: from a wheel to a solved spot and to the first page; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

from common.machine import ROOT, machine_line
from common.tables import table

EXTRAS = ("pictures", "scipy", "web", "drill", "parquet", "env")
"""Those whose packages take seconds to fetch; `--extras` names others."""
COMMANDS = {"import errai": ("python", "-c", "import errai"), "errai --version": ("errai", "--version")}
SPOT = ROOT / "examples" / "river.toml"


@dataclass(frozen=True)
class Place:
    """A new environment of Python, on this machine or in another system's root folder."""

    root: Path
    """What the commands see as ``/``."""
    folder: Path
    """Seen from here; everything that is made is in it."""

    def command(self, *words: str) -> list[str]:
        """A command line for here."""
        return [*(() if self.root == Path("/") else ("chroot", str(self.root))), *words]

    def inside(self, path: Path) -> str:
        """A path in the folder, as the commands see it."""
        return "/" + str(path.relative_to(self.root))

    def installed(self, *words: str) -> list[str]:
        """A command line that runs what has been installed."""
        return self.command(self.inside(self.folder / "v" / "bin" / words[0]), *words[1:])

    @property
    def packages(self) -> Path:
        """The folder into which pip installs."""
        return next(self.folder.glob("v/lib/python*/site-packages"))


def megabytes(folder: Path) -> float:
    """What the files of a folder take."""
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def done(command: list[str]) -> str:
    """What a command that must succeed says."""
    # What a checkout or a shell sets must not reach what has been installed.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    result = subprocess.run(command, capture_output=True, text=True, env=kept, cwd="/")
    if result.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def seconds(work: Callable[[], object], runs: int = 1) -> float:
    """The median of the wall time of some work."""
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def first_page(place: Place) -> None:
    """Start the server, open its address as a browser does, and end it."""
    words = place.installed(
        "errai", "serve", "--port", "0", "--no-browser", "--folder", place.inside(place.folder / "work")
    )
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd="/") as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().rpartition(" ")[2].strip()
            opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
            with opener.open(address, timeout=30) as answer:
                if b"<script" not in answer.read():
                    raise SystemExit(f"{address} did not answer with the page")
        finally:
            server.terminate()


def measured(wheel: Path, extra: str, runs: int, root: Path, python: str) -> list[str]:
    """A row: what was installed, its megabytes and packages, and seconds of all that follows."""
    with tempfile.TemporaryDirectory(dir=root / "tmp") as folder:
        place = Place(root, Path(folder))
        done(place.command(python, "-m", "venv", place.inside(place.folder / "v")))
        before, had = megabytes(place.packages), len(list(place.packages.glob("*.dist-info")))
        here, spot = Path(shutil.copy(wheel, folder)), Path(shutil.copy(SPOT, folder))
        wanted = place.inside(here) + (f"[{extra}]" if extra else "")
        # Packages come from pip's cache where an earlier run has fetched them, so that the network does not count.
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        took = seconds(lambda: done(place.installed("python", *pip, wanted)))
        packages = len(list(place.packages.glob("*.dist-info"))) - had
        size = megabytes(place.packages) - before
        starts = [f"{seconds(lambda w=words: done(place.installed(*w)), runs):.2f}" for words in COMMANDS.values()]
        solution = place.inside(place.folder / "river.errai")
        solve = place.installed("errai", "solve", place.inside(spot), "--target", "0.3%pot", "-o", solution)
        solved = seconds(lambda: done(solve))
        done(place.installed("errai", "verify", solution))
        page = f"{took + seconds(lambda: first_page(place)):.1f}" if "web" in extra.split(",") else ""
    name = f"errai[{extra}]" if extra else "errai"
    return [name, f"{size:.0f}", str(packages), f"{took:.1f}", *starts, f"{took + solved:.1f}", page]


def main() -> None:
    """Read the options, install everything by itself, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="a wheel, or a source archive, which is compiled")
    parser.add_argument("--extras", nargs="*", default=EXTRAS, help=f"default: {' '.join(EXTRAS)}")
    parser.add_argument("--runs", type=int, default=7, help="how often each start is timed (default: 7)")
    parser.add_argument(
        "--within",
        type=Path,
        default=Path("/"),
        metavar="ROOT",
        help="install in another system, whose root folder this is (debootstrap makes one); by chroot, as root",
    )
    parser.add_argument("--python", help="the Python that is installed into (default: this one, or the other system's)")
    options = parser.parse_args()
    if not options.wheel.is_file():
        parser.error(f"there is no file {options.wheel}")
    root = options.within.resolve()
    python = options.python or (sys.executable if root == Path("/") else "python3")
    place = Place(root, root / "tmp")
    version = done(place.command(python, "-c", "import sys; print(sys.version.split()[0])")).strip()
    system = done(place.command("sh", "-c", '. /etc/os-release; echo "$PRETTY_NAME"')).strip()
    compilers = done(place.command("sh", "-c", "command -v c++ g++ clang++ cc gcc || true")).split()
    print(machine_line())
    print(
        f"{options.wheel.name}, {options.wheel.stat().st_size / 1e6:.1f} MB, Python {version}, {system}, "
        f"{'with' if compilers else 'without'} a compiler\n"
    )
    head = ["installed", "MB", "packages", "s of pip", *(f"s of `{name}`" for name in COMMANDS)]
    head += ["s to a solved spot", "s to the first page"]
    rows = [measured(options.wheel, extra, options.runs, root, python) for extra in ("", *options.extras)]
    print(table(head, rows))


if __name__ == "__main__":
    main()
