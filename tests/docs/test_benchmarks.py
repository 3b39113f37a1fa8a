"""What the benchmarks say of trees and machines, apart from any time: counts, blocks to send back, logs of others."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def bench(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_tree_of_the_published_spot_has_its_size() -> None:
    """The numbers are those of GTOpen's own log; the benchmark ends with an error if its count differs."""
    done = bench("gtopen", "--count")
    assert done.returncode == 0, done.stderr
    assert "1,245,971 nodes, 500,748 of them decisions, 311,852,788 entries, 257 and 319 hands" in done.stdout


GTOPEN = """\
tree built in 0.20s: 1245971 nodes (500748 action nodes), hands 257/319, arenas 1267.3 MB, storage Compressed, algo Dcfr
iter    90  exploitability   0.8350 chips (1.392% pot)  [64.9s]
iter   100  exploitability   0.6787 chips (1.131% pot)  [71.9s]
done: iter 100 exploitability 1.131% pot in 71.9s  peak_rss 1366 MB
"""
"""The end and the beginning of the log that it publishes."""


def test_the_log_of_its_program_is_read(tmp_path: Path) -> None:
    program, given = tmp_path / "solve-cli", tmp_path / "given"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\n"
        f"open({str(given)!r}, 'w').write(open(sys.argv[1]).read())\n"
        "assert (sys.argv[2:], os.environ['SOLVER_THREADS']) == (['100', '0.3'], '2')\n"
        f"print({GTOPEN!r})\n"
    )
    program.chmod(0o755)
    asks = "import argparse, gtopen; options = argparse.Namespace(threads=2, max_iterations=100, target=0.3)"
    command = [sys.executable, "-c", f"{asks}; print(gtopen.theirs({str(program)!r}, options))"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "benchmarks", timeout=60)
    assert "{'state_mb': 1267.3, 'iterations': 100, 'percent': 1.131, 'seconds': 71.9, 'mb': 1366.0}" in done.stdout
    asked = json.loads(given.read_text())
    assert (asked["board"], asked["tree"]["starting_pot"]) == ("Ks7h2d", 60)
    assert "AhKh:1" in asked["range_ip"].split(",")
    program.write_text(program.read_text().replace("1245971", "1245972"))
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "benchmarks", timeout=60)
    assert "built another tree" in done.stderr


def test_what_is_sent_back_is_what_was_measured(tmp_path: Path) -> None:
    spot = {"spot": "flop, wide, 1 size", "entries": 12_000_000, "flops": 1e9}
    seconds = {"float32, 1 thread": [0.4, 0.5, 0.3], "float32, 16 threads": [0.04, 0.05, 0.06]}
    small = {"spot": "river, tight, 3 sizes", "entries": 836, "flops": 1e4, "seconds": seconds}
    roof = {"memory": 5e10, "cache": 2e11, "flops": 4e11}
    document = {
        "machine": "a processor", "cores": 16, "runs": 3, "ways": [["float32", 1], ["float32", 16]],
        "spots": [small, spot | {"seconds": seconds}], "roofs": [[1, roof], [16, roof | {"memory": 2e11}]],
    }  # fmt: skip
    file = tmp_path / "scaling.json"
    file.write_text(json.dumps(document))
    done = bench("scaling", "--render", str(file))
    assert done.returncode == 0, done.stderr
    block = done.stdout[done.stdout.index("--- Please send the rest back") :]
    assert "| flop, wide, 1 size | 12,000,000 | float32 | 400 (1.00 x) | 50.0 (8.00 x) |" in block
    assert "836" not in block
    (text,) = re.findall(r"^```json\n(.*)\n```$", block, re.MULTILINE)
    sent = json.loads(text)
    assert sent["memory_gb_per_second"] == {"1": 50.0, "16": 200.0}
    assert sent["spots"][0]["ms"] == {"float32": {"1": 400.0, "16": 50.0}}
    assert (sent["machine"], sent["cores"]) == ("a processor", 16)


def test_wrong_numbers_of_threads_are_refused() -> None:
    for words in ("1,x", "0,1"):
        done = bench("scaling", "--threads", words)
        assert done.returncode == 2
        assert words in done.stderr
