"""Check that a wheel holds what is not Python as well: the native modules, the games, the licence."""

from __future__ import annotations

import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

NATIVE = ("errai/cards/_cards.*.so", "errai/kernels/_cpu.*.so", "errai/store/_sift.*.so")


def main() -> int:
    """Print what is missing; 1 if anything is."""
    root = Path(__file__).parent.parent
    wheels = sorted(Path(sys.argv[1]).glob("*.whl"))
    if not wheels:
        print(f"{sys.argv[1]} holds no wheel")
        return 1
    with zipfile.ZipFile(wheels[-1]) as wheel:
        names = wheel.namelist()
    sources = [path.relative_to(root / "src") for path in (root / "src" / "errai").rglob("*") if path.is_file()]
    wanted = [str(path) for path in sources if path.suffix in {".py", ".pyi", ".game", ".typed"}]
    missing = [want for want in [*wanted, *NATIVE, "*/licenses/LICENSE"] if not any(fnmatch(n, want) for n in names)]
    for want in missing:
        print(f"{wheels[-1].name} lacks {want}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
