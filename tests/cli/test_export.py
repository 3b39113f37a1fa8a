"""``errai export``."""

from __future__ import annotations

import csv

import errai as library
from errai.solutions.table import COLUMNS


def test_a_table(errai, folder, tmp_path) -> None:
    solution = tmp_path / "leduc.errai"
    assert errai("solve", "leduc", "--max-iterations", "20", "-o", solution).code == 0
    table = tmp_path / "leduc.csv"
    said = errai("export", solution, "--to", table, "--json").document()
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert said == {"file": str(table), "rows": len(rows), "file_bytes": table.stat().st_size}
    assert list(rows[0]) == list(COLUMNS)
    loaded = library.load_solution(solution)
    first = next(row for row in rows if row["hand"] == "Ks" and row["action"] == "bet 2" and not row["line"])
    assert float(first["probability"]) == loaded.root.strategy("Ks")["bet 2"]
    text = errai("export", solution, "--to", table, "--streets", "1").out
    assert text.startswith(f"{table}: ")
    assert len(table.read_text().splitlines()) < len(rows)


def test_what_is_refused(errai, folder, tmp_path) -> None:
    solution = tmp_path / "leduc.errai"
    assert errai("solve", "leduc", "--max-iterations", "2", "-o", solution).code == 0
    for arguments, message in (
        ((solution, "--to", tmp_path / "t.xlsx"), "ends in neither"),
        ((solution, "--to", tmp_path / "t.csv", "--streets", "3"), "1 to 2 streets"),
        ((tmp_path / "no.errai", "--to", tmp_path / "t.csv"), "no.errai"),
        ((solution, "--to", tmp_path / "no" / "t.csv"), "no"),
    ):
        run = errai("export", *arguments)
        assert run.code != 0
        assert message in run.err
    assert not (tmp_path / "t.csv").exists()
