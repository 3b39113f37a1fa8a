"""The figures of the field's history: every number has a source, wrong rows are refused, and the pictures are drawn."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "history" / "history.toml"


def history(*words: str) -> subprocess.CompletedProcess[str]:
    program = ROOT / "benchmarks" / "history.py"
    return subprocess.run([sys.executable, program, *words], capture_output=True, text=True, check=False)


def test_the_pictures_are_drawn_and_are_those_of_the_page(tmp_path):
    done = history("-o", str(tmp_path))
    assert done.returncode == 0, done.stderr
    drawn = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert {f"history-{name}.svg" for name in ("convergence", "exploitability", "size")} <= set(drawn)
    for name in drawn:
        assert (tmp_path / name).read_text() == (ROOT / "docs" / "images" / name).read_text(), (
            f"run scripts/history: {name}"
        )
        texts = [element.text for element in ET.parse(tmp_path / name).iter("{http://www.w3.org/2000/svg}text")]
        assert "Errai" in texts or any(" (Errai)" in text or "harder to exploit" in text for text in texts)
    assert (tmp_path / "history-size.png").stat().st_size > 10_000


def test_the_tables_of_the_page_are_those_of_the_data():
    done = history("--tables")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 25
    assert done.stdout in (ROOT / "docs" / "history.md").read_text(), "put scripts/history --tables on the page"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("source =", "from =", "lacks a name, a source"),
        ('read = "collected"', 'read = "rumour"', "lacks a name, a source"),
        ("mbb = 0.986", 'mbb = "small"', "as mbb"),
        ("year = 2015", "year = 15", "has no year"),
        ("[[size]]", "[[weight]]", "has a table 'weight'"),
        ("iterations = [1579]", "iterations = [1, 1579]", "not as many iterations"),
    ],
)
def test_a_row_that_lacks_something_is_refused(tmp_path, old, new, said):
    (tmp_path / "history.toml").write_text(DATA.read_text().replace(old, new, 1))
    done = history("--data", str(tmp_path / "history.toml"), "-o", str(tmp_path / "pictures"))
    assert done.returncode != 0
    assert said in done.stderr
    assert not (tmp_path / "pictures").exists()
