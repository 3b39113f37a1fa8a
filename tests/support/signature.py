"""The signature: a short hash of what Errai computes, which a change that is not meant to change results leaves alone.

Each part solves or plays something small with fixed settings and returns numbers, which are rounded to five significant
digits.  Below float64 rounding depends on the compiler, so such parts return totals alone, with three digits; each
instruction set of the kernels has a signature of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import errai
from errai.arena.match import luck_estimator, play_match
from errai.kernels.cpu import instruction_set, instruction_sets, use_instruction_set
from errai.options import Precision

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "known_values" / "signature.json"
DIGITS = 5

Numbers = Iterable[Any]


def of_solution(solution: Any, *lines: str) -> Numbers:
    """The certificate, the values, and what all hands do at the root and after some lines."""
    yield [solution.exploitability.chips, *solution.values.chips]
    for line in ("", *lines):
        node = solution.at(line)
        yield from (node.strategies, node.ranges, node.ev)


def coarse(*numbers: float) -> list[float]:
    """Numbers with three significant digits."""
    return [float(f"{number:.2e}") for number in numbers]


def of_game(name: str, algorithm: str | None = None, **settings: Any) -> Numbers:
    """A whole game in memory."""
    yield from of_solution(errai.solve(errai.load_game(name), max_iterations=40, algorithm=algorithm, **settings))


def of_spot(name: str, *lines: str, iterations: int = 30, precision: Precision = "float64") -> Numbers:
    """A spot of the examples in memory."""
    spot = errai.load_spot(ROOT / "examples" / f"{name}.toml")
    solution = errai.solve(spot, max_iterations=iterations, precision=precision)
    if precision == "float64":
        yield from of_solution(solution, *lines)
    else:
        yield coarse(solution.exploitability.chips, solution.values.chips[0])


def of_folder() -> Numbers:
    """A game in a folder, packed and read back, in this process, because others use their own instruction set."""
    with tempfile.TemporaryDirectory() as folder:
        errai.solve(errai.load_game("leduc"), max_iterations=40, store=Path(folder) / "run", processes=1)
        yield from of_solution(errai.open_run(Path(folder) / "run"))


def of_buckets(method: str, **settings: Any) -> Numbers:
    """A blueprint over buckets: its exploitability in the whole game."""
    game = errai.load_game("leduc")
    blueprint = errai.train(game, "by-strength:2", method, max_iterations=20, seed=3, threads=1, **settings)
    yield coarse(errai.exploitability(game, blueprint).chips)


def of_resolve() -> Numbers:
    """A node of a coarse solution solved again, with the gain that was proved."""
    solution = errai.solve(errai.load_spot(ROOT / "examples" / "river.toml"), max_iterations=15)
    again = errai.resolve(solution, "check", max_iterations=30)
    yield [again.before.chips, again.after.chips]


def of_net() -> Numbers:
    """The first round of a small game, solved over its network, whose products numpy's library rounds by processor."""
    game, net = errai.load_game("leduc.nolimit"), errai.load_net("leduc")
    solution = errai.solve(game, max_iterations=40, leaf_values=net)
    yield coarse(solution.exploitability.chips, solution.values.chips[0])


def of_match() -> Numbers:
    """Ten deals of limit hold'em, duplicate, with AIVAT."""
    result = play_match(
        errai.load_game("holdem.limit.2p"),
        ("by-strength:20", "always-call"),
        hands=20,
        duplicate=True,
        seed=5,
        estimators={"aivat": luck_estimator("aivat")},
    )
    yield [value for measure in result.measures for value in (measure.mean_chips, measure.std_chips)]


PARTS: dict[str, Callable[[], Numbers]] = {
    "kuhn, float64": lambda: of_game("kuhn", precision="float64"),
    "leduc by the reference, float64": lambda: of_game("leduc", backend="reference"),
    **{
        f"leduc by {algorithm}, float64": lambda algorithm=algorithm: of_game("leduc", algorithm)
        for algorithm in ("cfr", "cfr+", "linear", "dcfr", "pcfr+", "hs-dcfr-30", "dcfr-foresight")
    },
    "leduc in a folder, 16 bits": of_folder,
    **{
        f"river, {precision}": lambda precision=precision: of_spot("river", "check", precision=precision)
        for precision in ("float64", "float32", "fixed16", "average8")
    },
    **{
        f"turn, {precision}": lambda precision=precision: of_spot("turn", "check", iterations=12, precision=precision)
        for precision in ("float32", "fixed16")
    },
    "push or fold, float64": lambda: of_spot("push-or-fold"),
    **{
        f"buckets of leduc by {method}": lambda method=method: of_buckets(method)
        for method in ("full", "pcs", "pcs-br", "es", "cfr-br")
    },
    "a node solved again": of_resolve,
    "a network at the leaves": of_net,
    "a match of ten deals": of_match,
}
# AVX2's estimate of 1/x differs in its last bits between makers of processors, and these parts magnify that.
LEFT_OUT = {
    "avx2": {
        "leduc in a folder, 16 bits",
        "river, average8",
        "buckets of leduc by pcs-br",
        "buckets of leduc by cfr-br",
    }
}


def rounded(numbers: Any) -> str:
    """The numbers with five significant digits, as text; NaN stays, and what is nothing beside the greatest is 0."""
    array = np.asarray(numbers, dtype=np.float64).ravel()
    array = np.where(np.abs(array) < 1e-9 * np.abs(array[np.isfinite(array)]).max(initial=0.0), 0.0, array)
    return " ".join(f"{x:.{DIGITS - 1}e}" for x in (array + 0.0).tolist())


def digest(numbers: Numbers) -> str:
    """Twelve hexadecimal digits of SHA-256 over the rounded numbers."""
    return hashlib.sha256("\n".join(map(rounded, numbers)).encode()).hexdigest()[:12]


def recorded() -> dict[str, dict[str, str]]:
    """What the tests expect of this kind of machine, by instruction set; empty if nothing was recorded on one."""
    return json.loads(RECORDED.read_text()).get(platform.machine(), {}) if RECORDED.exists() else {}


def signature(instructions: str) -> dict[str, str]:
    """The digest of each part with the kernels of an instruction set."""
    before = instruction_set()
    use_instruction_set(instructions)
    try:
        left_out = LEFT_OUT.get(instructions, ())
        return {name: digest(part()) for name, part in PARTS.items() if name not in left_out}
    finally:
        use_instruction_set(before)


def whole(parts: Mapping[str, str]) -> str:
    """One digest of all parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def main() -> int:
    """Print the signature of each instruction set, and each part that is not as recorded; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", action="store_true", help="print every part as well")
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.relative_to(ROOT)}")
    options = parser.parse_args()
    expected = recorded()
    found, differs = {}, False
    for name in instruction_sets():
        found[name] = parts = signature(name)
        before = expected.get(name, {})
        print(f"{name:12} {whole(parts)}" + (f"   recorded: {whole(before)}" if parts != before else ""), flush=True)
        for part, value in parts.items():
            old = before.get(part)
            if options.parts or old != value:
                print(f"    {value}  {part}" + (f"   recorded: {old}" if old != value else ""))
        differs |= parts != before
    if options.record:
        others = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
        everything = {**others, platform.machine(): {**expected, **found}}
        RECORDED.write_text(json.dumps(everything, indent=2, sort_keys=True) + "\n")
        return 0
    return int(differs)


if __name__ == "__main__":
    raise SystemExit(main())
