"""The native code under the address, undefined-behaviour and thread sanitizers, over trees of every sort.

Run with ``pytest -m slow tests/native``; it needs g++ with its sanitizer libraries.
"""

from __future__ import annotations

import os
import platform
import shutil
import struct
import subprocess
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from odd_trees import with_locks, with_matrices, with_odd_ends, with_rake

import errai
from errai.games.spot import parse_spot
from errai.kernels.bucket_cpu import divide
from errai.kernels.layout import FIXED, StreetArrays, TreeArrays
from errai.tree.public_tree import build_public_tree

ROOT = Path(__file__).parents[2]
SANITIZERS = {"address": "address,undefined", "thread": "thread"}
WIDTHS = {"baseline": (16,), "avx2": (32, "-march=x86-64-v3"), "avx512": (64, "-march=x86-64-v4")}

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
pytestmark = [pytest.mark.slow, needs_compiler]

TURN = """
board = "Qs Jh 2c 8d"
pot = 100
stack = 250
[ranges]
oop = "22+,A2s+,KTs+,QTs+,JTs,ATo+"
ip = "33+,A5s+,K9s+,JTs,AJo+,KJo+"
[bets]
bet = "50%"
raise = "a"
"""
SYMMETRIC_FLOP = """
board = "Qs Js 2s"
pot = 100
stack = 60
[ranges]
oop = "AA, KK, AKs"
ip = "QQ, AKo, 98s"
[bets]
bet = "a"
raise = "a"
"""


def dump(tree: TreeArrays, path: Path) -> None:
    """Write a tree as csrc/tests/engine_driver.cpp reads it: numbers, and arrays after their length."""
    with open(path, "wb") as file:

        def number(*values: int) -> None:
            file.write(struct.pack(f"<{len(values)}q", *values))

        def array(values: np.ndarray) -> None:
            number(values.size)
            file.write(np.ascontiguousarray(values).tobytes())

        def street(s: StreetArrays) -> None:
            number(len(s.kind), s.num_entries, s.num_exits, s.num_leaves, *s.num_rows, s.num_boards)
            for values in (s.kind, s.actor, s.first_child, s.num_children, s.row, s.ends, s.child_start):
                array(values)
            for h in s.hands:
                for values in (h.start, h.cards, h.parent, h.up_weight, h.rank, h.twin, h.member_start, h.member_cards):
                    array(values)
            number(0 if s.matrix is None else len(s.matrices))
            if s.matrix is not None:
                for values in (s.matrix, *(a for m in s.matrices for a in (*m.margin, *(m.tie or m.margin)))):
                    array(values)
            for locks in s.locks:
                number(locks is not None)
                if locks is not None:
                    for values in (locks.at, locks.role_start, locks.role, locks.strategy_start, locks.strategy):
                        array(values)

        number(len(tree.streets), tree.hole_cards, tree.num_cards)
        file.write(struct.pack("<d", tree.tie))
        for reach in tree.root_reach:
            array(reach)
        for s in tree.streets:
            street(s)
        # Walks over buckets take neither matrices nor locks.
        tree = replace(
            tree, streets=tuple(replace(s, matrix=None, matrices=(), locks=(None, None)) for s in tree.streets)
        )
        parts = divide(tree)
        number(parts.cut)
        if parts.cut:
            number(len(parts.trunk))
            for s in parts.trunk:
                street(s)
            number(len(parts.parts))
            for part in parts.parts:
                number(len(part))
                for s in part:
                    street(s)


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One hole card and two; one street to three; leaves; isomorphic suits; large enough for threads."""
    folder = tmp_path_factory.mktemp("trees")
    river = TURN.replace("8d", "8d 3s")
    made = {
        "kuhn": build_public_tree(errai.load_game("kuhn")),
        "leduc": build_public_tree(errai.load_game("leduc")),
        "leduc-cut": build_public_tree(errai.load_game("leduc"), last_street=0),
        "river": build_public_tree(parse_spot(river)),
        "turn": build_public_tree(parse_spot(TURN)),
        "turn-cut": build_public_tree(parse_spot(TURN), last_street=0),
        "flop": build_public_tree(parse_spot(SYMMETRIC_FLOP)),
        "river-alike": build_public_tree(parse_spot(river), alike=True),
        "turn-alike": build_public_tree(parse_spot(TURN), alike=True),
    }
    odd = {
        "kuhn-odd": with_locks(with_matrices(with_odd_ends(made["kuhn"].arrays), tie=True)),
        "river-odd": with_locks(with_matrices(with_odd_ends(made["river"].arrays), tie=True), roles=(FIXED,)),
        "turn-rake": with_locks(with_rake(made["turn"].arrays), roles=(FIXED,)),
        "flop-odd": with_locks(with_matrices(with_rake(made["flop"].arrays))),
        "turn-alike-odd": with_locks(with_odd_ends(made["turn-alike"].arrays)),
    }
    assert made["turn"].entries > 100_000  # what the engine asks for before it starts threads
    arrays = {name: tree.arrays for name, tree in made.items()} | odd
    for name, tree in arrays.items():
        dump(tree, folder / name)
    return [folder / name for name in arrays]


def run(command: list[str], **environment: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, cwd=ROOT)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-6000:]
    assert "Sanitizer" not in said, said[-6000:]
    assert "runtime error" not in said, said[-6000:]
    return said


def flags(sanitizer: str) -> list[str]:
    return [
        "-std=gnu++20", "-O1", "-g", "-fno-omit-frame-pointer", f"-fsanitize={SANITIZERS[sanitizer]}",
        "-fno-sanitize-recover=all", "-Wno-psabi",
    ]  # fmt: skip


def library(name: str) -> str:
    """Where the compiler keeps a runtime library."""
    return subprocess.run(
        ["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()


def vectorised(sources: list[Path], sanitizer: str, folder: Path) -> list[str]:
    """Objects of sources that are compiled once per instruction set."""
    objects = []
    widths = WIDTHS if platform.machine() in ("x86_64", "AMD64") else {"baseline": WIDTHS["baseline"]}
    for name, (width, *march) in widths.items():
        for source in sources:
            objects.append(str(folder / f"{source.stem}-{name}.o"))
            run(["g++", *flags(sanitizer), *march, f"-DERRAI_ISA={name}", f"-DERRAI_VECTOR_BYTES={width}", "-fPIC",
                 "-fno-math-errno", "-fno-trapping-math", "-c", str(source), "-o", objects[-1]])  # fmt: skip
    return objects


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_the_engine(sanitizer, trees, tmp_path):
    kernels = ROOT / "csrc" / "kernels"
    objects = vectorised(
        [kernels / f"{source}.cpp" for source in ("walk", "bucket_walk", "terminals")], sanitizer, tmp_path
    )
    program = str(tmp_path / "driver")
    sources = [str(kernels / f"{name}.cpp") for name in ("boards", "engine", "parted", "stopping_rule", "sampling")]
    run(["g++", *flags(sanitizer), str(ROOT / "csrc/tests/engine_driver.cpp"), *sources, *objects, "-pthread",
         "-o", program])  # fmt: skip
    said = run([program, *map(str, trees)])
    sets = said.count("/kuhn ")
    assert sets >= 1
    assert len(said.splitlines()) == sets * len(trees), said


@pytest.mark.parametrize(
    ("room", "place", "name", "often", "tests"),
    [
        ("cards", "errai.cards", "_cards", (), "tests/cards"),
        ("store", "errai.store", "_sift", (), "tests/store/test_packing.py"),
        ("nets", "errai.nets.networks", "_native", ("answers.cpp",), "tests/nets/networks/test_native.py"),
    ],
    ids=["_cards", "_sift", "_native"],
)
def test_the_extensions(room, place, name, often, tests, tmp_path):
    """An extension itself, built with sanitizers, under the tests of its room."""
    import nanobind

    folder = Path(nanobind.__file__).parent
    module = tmp_path / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    sources = sorted((ROOT / "csrc" / room).glob("*.cpp"))
    objects = vectorised([source for source in sources if source.name in often], "address", tmp_path)
    once = [str(source) for source in sources if source.name not in often]
    includes = (sysconfig.get_path("include"), folder / "include", folder / "ext/robin_map/include")
    run(["g++", *flags("address"), "-shared", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing",
         *(f"-I{path}" for path in includes), *once, *objects, "-pthread",
         str(folder / "src/nb_combined.cpp"), "-o", str(module)])  # fmt: skip
    script = f"""
import importlib.util, sys, pytest
spec = importlib.util.spec_from_file_location({name!r}, {str(module)!r})
sys.modules["{place}.{name}"] = built = importlib.util.module_from_spec(spec)
spec.loader.exec_module(built)
code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", {tests!r}])
from {place} import {name} as used
assert used.__file__ == {str(module)!r}
sys.exit(code)
"""
    # Python itself leaks on purpose, and its allocator would hide what runs over an end.
    run([sys.executable, "-c", script], LD_PRELOAD=f"{library('libasan.so')} {library('libubsan.so')}",
        ASAN_OPTIONS="detect_leaks=0", PYTHONMALLOC="malloc")  # fmt: skip
