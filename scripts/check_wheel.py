"""Check that a wheel holds what is not Python as well: native modules, games, the licence, the page, the shipped data.

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
    "errai/cards/_cards.*.so",
    "errai/kernels/_cpu.*.so",
    "errai/nets/networks/_native.*.so",
    "errai/store/_sift.*.so",
)
DATA = "errai/data/"
MOST_DATA_BYTES = 40_000_000


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    root = Path(__file__).parent.parent
    wheels = sorted(Path(sys.argv[1]).glob("*.whl"))
    if not wheels:
        print(f"{sys.argv[1]} holds no wheel")
        return 1
    with zipfile.ZipFile(wheels[-1]) as wheel:
        names = wheel.namelist()
        faults = data_faults({name.removeprefix(DATA): wheel.read(name) for name in names if name.startswith(DATA)})
    sources = [path.relative_to(root / "src") for path in (root / "src" / "errai").rglob("*") if path.is_file()]
    # All files of the page are wanted, whatever they are called.
    wanted = [
        str(path)
        for path in sources
        if path.suffix in {".py", ".pyi", ".game", ".toml", ".typed"} or path.is_relative_to("errai/web/static")
    ]
    missing = [want for want in [*wanted, *NATIVE, "*/licenses/LICENSE"] if not any(fnmatch(n, want) for n in names)]
    faults += [f"{want} is missing" for want in missing]
    for fault in faults:
        print(f"{wheels[-1].name}: {fault}")
    return 1 if faults else 0


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
