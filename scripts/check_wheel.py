"""Check that wheels hold what is not Python as well: native modules, games, the licence, the page, the shipped data.

The native modules must be those of the wheel's tag: ``_cpu.abi3.so``, ``_cpu.cpython-311-x86_64-linux-gnu.so``,
``_cpu.cp311-win_amd64.pyd`` or, for the stable ABI on Windows, ``_cpu.pyd``.  A wheel stays below a bound.

Shipped data are held against ``src/errai/data/manifest.json``: every file has an entry, its length and its SHA-256 are
those of the entry, and all of them together stay below a bound.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

NATIVE = (
    "errai/cards/_cards",
    "errai/extensive/_steps",
    "errai/kernels/_cpu",
    "errai/nets/networks/_native",
    "errai/store/_sift",
)
MOST_BYTES = 25_000_000
DATA = "errai/data/"
MOST_DATA_BYTES = 40_000_000


def main() -> int:
    """Print what is wrong with the wheels that are named or in the folders that are; 1 if anything is."""
    wheels = [found for name in sys.argv[1:] for found in (sorted(Path(name).glob("*.whl")) or [Path(name)])]
    faults = [f"{wheel.name}: {fault}" for wheel in wheels for fault in faults_of(wheel)]
    if not wheels:
        faults = ["name wheels, or folders with wheels"]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


def faults_of(path: Path) -> list[str]:
    """What is wrong with a wheel."""
    if not path.is_file() or path.suffix != ".whl":
        return ["there is no wheel here"]
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if not name.endswith("/")]
        faults = data_faults({name.removeprefix(DATA): wheel.read(name) for name in names if name.startswith(DATA)})
    root = Path(__file__).parent.parent
    sources = [path.relative_to(root / "src") for path in (root / "src" / "errai").rglob("*") if path.is_file()]
    # All files of the page are wanted, whatever they are called.
    wanted = [
        str(path)
        for path in sources
        if path.suffix in {".py", ".pyi", ".game", ".toml", ".typed"} or path.is_relative_to("errai/web/static")
    ]
    wanted += [name + native_suffix(path) for name in NATIVE] + ["*/licenses/LICENSE"]
    faults += [f"{want} is missing" for want in wanted if not any(fnmatch(name, want) for name in names)]
    if path.stat().st_size > MOST_BYTES:
        faults.append(f"it has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
    return faults


def native_suffix(wheel: Path) -> str:
    """How the names of native modules end that are what the tag of a wheel says."""
    python, abi, platform = wheel.stem.split("-")[-3:]
    if platform.startswith("win"):
        return ".pyd" if abi == "abi3" else f".{python}-{platform}.pyd"
    return ".abi3.so" if abi == "abi3" else f".cpython-{abi.removeprefix('cp')}-*.so"


def data_faults(files: dict[str, bytes]) -> list[str]:
    """What is wrong with the shipped data, the manifest among them, by name; spots and charts are texts, not data."""
    manifest = json.loads(files["manifest.json"])
    found = {name: data for name, data in files.items() if not name.endswith((".py", ".toml", "manifest.json"))}
    faults = [f"{name} is in the manifest or in the package, not in both" for name in manifest.keys() ^ found.keys()]
    for name in manifest.keys() & found.keys():
        entry, data = manifest[name], found[name]
        if not all(isinstance(entry.get(key), str) and entry[key] for key in ("what", "command", "figures")):
            faults.append(f"the manifest does not say what {name} is, which command makes it, and its figures")
        if (len(data), hashlib.sha256(data).hexdigest()) != (entry["bytes"], entry["sha256"]):
            faults.append(f"{name} has not the length or the SHA-256 of the manifest")
    if sum(map(len, found.values())) > MOST_DATA_BYTES:
        faults.append(f"the data take more than {MOST_DATA_BYTES:,} bytes")
    return faults


if __name__ == "__main__":
    sys.exit(main())
