"""The file of a match and its report."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from errai.agents.reader import read_agent
from errai.arena.match import play_match
from errai.arena.results import MatchResult, Measure, read_result
from errai.errors import DamagedFileError, FileAccessError, ForeignFileError
from errai.games.catalogue import load_game
from errai.pictures.canvas import text_width
from errai.reports import Statement, match_drawings, write_report

LEDUC = load_game("leduc")


@pytest.fixture(scope="module")
def result() -> MatchResult:
    pair = read_agent("uniform", LEDUC), read_agent("fold=0.1,call=0.6,raise=0.3", LEDUC)
    return play_match(LEDUC, pair, hands=2_000, duplicate=True, seed=5, command="errai match <a> & b")


def test_a_file_is_read_as_it_was_written(result: MatchResult, tmp_path: Path) -> None:
    path = result.save(tmp_path)
    assert path.name == f"uniform-vs-fold=0.1-call=0.6-raise=0.3-{LEDUC.digest()[:8]}-5.match.json"
    again = read_result(path)
    assert again.document() == result.document()
    assert again.save(tmp_path / "again.match.json").read_bytes() == path.read_bytes()


def test_a_measure_is_what_numpy_says() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(-9, 10, (2, 501)).astype(float)
    seats = ((np.arange(501)[None] + np.arange(2)[:, None]) % 2).astype(np.int8)
    found = Measure.of("chips", "how", values, seats, 0)
    pairs = values.mean(axis=0)
    assert found.mean_chips == pytest.approx(values.mean())
    assert found.standard_error_chips == pytest.approx(stats.sem(pairs))
    assert found.std_chips == pytest.approx(values.std(ddof=1))
    assert [half.n for half in found.pairs] == [251, 250]
    assert found.pairs[0].mean == pytest.approx(pairs[::2].mean())
    for seat in (0, 1):
        assert found.by_seat[seat].hands.mean == pytest.approx(values[seats == seat].mean())
    running = found.running
    assert running.hands[-1] == 1_002
    assert running.mean_chips[-1] == pytest.approx(values.mean())
    assert running.standard_error_chips[-1] == pytest.approx(stats.sem(pairs))
    middle = int(running.hands[70]) // 2
    assert running.mean_chips[70] == pytest.approx(pairs[:middle].mean())
    assert running.standard_error_chips[70] == pytest.approx(stats.sem(pairs[:middle]))


@pytest.mark.parametrize("hands", [1, 2, 3])
def test_matches_of_a_few_hands_have_files_and_reports(hands: int, tmp_path: Path) -> None:
    pair = read_agent("uniform", LEDUC), read_agent("always-call", LEDUC)
    few = play_match(LEDUC, pair, hands=hands)
    assert read_result(few.save(tmp_path / "few.match.json")).document() == few.document()
    write_report(few, tmp_path / "report")


def spoilt(document: dict[str, Any], *steps: Any, value: Any) -> str:
    """A document with one thing changed."""
    copy = json.loads(json.dumps(document))
    at = copy
    for step in steps[:-1]:
        at = at[step]
    at[steps[-1]] = value
    return json.dumps(copy)


@pytest.mark.parametrize(
    ("steps", "value"),
    [
        (("hands",), 1_999),
        (("hands",), -1),
        (("hands",), "many"),
        (("players",), ["alone"]),
        (("big_blind_chips",), 0),
        (("measures", 0, "pairs", 0, "counts"), [1]),
        (("measures", 0, "pairs", 0, "values", 0), 1e9),
        (("measures", 0, "pairs", 0, "values", 0), None),
        (("measures", 0, "interval", "low"), None),
        (("measures", 0, "running", "hands", 0), 1.5),
        (("endings", 0), 7),
        (("game",), None),
    ],
)
def test_damaged_files_are_refused(result: MatchResult, tmp_path: Path, steps: tuple[Any, ...], value: Any) -> None:
    path = tmp_path / "x.match.json"
    path.write_text(spoilt(result.document(), *steps, value=value))
    with pytest.raises(DamagedFileError, match=r"x\.match\.json is damaged"):
        read_result(path)


def test_foreign_files_are_refused(result: MatchResult, tmp_path: Path) -> None:
    path = tmp_path / "x.match.json"
    for text in ("", "[]", "{}", "[" * 100_000, spoilt(result.document(), "version", value=2), "\udcff"):
        path.write_text(text, errors="surrogateescape")
        with pytest.raises(ForeignFileError):
            read_result(path)
    with pytest.raises(FileAccessError):
        read_result(tmp_path / "none")
    with pytest.raises(FileAccessError):
        read_result(tmp_path)
    with pytest.raises(FileAccessError, match="null"):
        read_result("a\0b")


class Tags(HTMLParser):
    """Notes tags, and whether they close as they open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "rect", "polyline", "polygon") and not self.get_starttag_text().endswith("/>"):  # type: ignore[union-attr]
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("rect", "polyline", "polygon"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


def test_the_report_stands_alone_and_says_what_is_exact(result: MatchResult, tmp_path: Path) -> None:
    statements = (
        Statement("expected winnings", "exact", "every deal", 0.25),
        Statement("exploitability", "lower bound", "LBR", 0.5, 0.4, 0.6, 1_000),
    )
    written = write_report(result, tmp_path / "out", statements)
    assert {path.name for path in written} == {
        "report.html", "report.json", "running.svg", "distribution.svg", "seats.svg", "endings.svg",
    }  # fmt: skip
    html = (tmp_path / "out" / "report.html").read_text()
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert {tag for tag, _ in tags.seen} & {"script", "img", "link", "iframe", "object"} == set()
    assert not any(name in ("src", "href") or name.startswith("on") for _, attrs in tags.seen for name in attrs)
    assert set(re.findall(r"https?://[^\s\"<]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in html
    # Names are text, whatever they hold.
    assert "errai match &lt;a&gt; &amp; b" in html
    cells = tags.cells
    for text in ("exact", "lower bound", "an unbiased estimate", "every deal", "1,000", "2,000", "+250", "5"):
        assert text in cells, text
    document = json.loads((tmp_path / "out" / "report.json").read_text())
    assert document["measures"] == result.document()["measures"]
    assert [s["kind"] for s in document["statements"]] == ["exact", "lower bound"]
    assert document["statements"][1]["high"] == {"chips": 0.6, "mbb": 600.0}
    for path in written:
        if path.suffix == ".svg":
            ElementTree.parse(path)


def test_reports_fit_a_phone_and_follow_a_dark_scheme(result: MatchResult, tmp_path: Path) -> None:
    write_report(result, tmp_path / "out")
    html = (tmp_path / "out" / "report.html").read_text()
    style = html[html.index("<style>") : html.index("</style>")]
    assert "prefers-color-scheme: dark" in style
    # Tables become lists of cells, each with the heading of its column, and pictures shrink.
    narrow = style[style.index("@media (max-width") :]
    assert "table, tbody, tr, td { display: block; }" in narrow
    assert "svg { max-width: 100%" in style
    tags = Tags()
    tags.feed(html)
    columns = {dict(attrs).get("data-column") for tag, attrs in tags.seen if tag == "td"}
    assert {"measure", "95 % interval", "share"} <= columns
    for drawing in match_drawings(result).values():
        # At 375 pixels less the margins, text of 12 pixels is one of 8.
        assert drawing.width <= 520
        for item in drawing.items:
            if type(item).__name__ == "Text":
                width = text_width(item.text, item.size, bold=item.bold)
                left = item.x - {"start": 0.0, "middle": width / 2, "end": width}[item.anchor]
                assert left >= -2, item.text
                assert left + width <= drawing.width + 2, item.text
    assert "on a logarithmic axis" in (tmp_path / "out" / "distribution.svg").read_text()


def test_a_report_cannot_be_written_where_a_file_is(result: MatchResult, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileAccessError):
        write_report(result, tmp_path / "file")


def test_both_halves_of_single_hands_have_both_seats_alike():
    """Where seats alternate, the even hands are all in one seat; halves by number would compare the seats."""
    seats = (np.arange(400) % 2).astype(np.int8)[None]
    values = np.where(seats == 0, 3.0, -1.0)
    for half in Measure.of("chips", "", values, seats, 0).pairs:
        assert (half.n, half.mean) == (200, 1.0)
        assert half.counts.tolist() == [100, 100]
    both = Measure.of("chips", "", np.stack([values[0], -values[0]]), np.stack([seats[0], 1 - seats[0]]), 0)
    assert [half.n for half in both.pairs] == [200, 200]
