"""Figures that a command makes in ten seconds are what the command says; and the check can fail."""

from __future__ import annotations

import pytest
from page_figures import CHEAP_SECONDS, FigureError, Marked, check, marked, pages

CHEAP = [mark for page in pages() for mark in marked(page) if mark.seconds <= CHEAP_SECONDS]


@pytest.mark.parametrize("mark", CHEAP, ids=lambda mark: mark.place)
def test_a_page_says_what_its_commands_say(mark):
    if not mark.may_be_checked:
        pytest.skip(f"The figures are those of {mark.instructions}.")
    assert check(mark) == []


def read(tmp_path, text: str) -> Marked:
    page = tmp_path / "page.md"
    page.write_text(text)
    (mark,) = marked(page)
    return mark


TABLE = """# Figures

<!-- figures, 0 s
says("| cfr | # |", 520.885)
says("in all # and #, or #", 1234567.4, -0.0561, 2.7551e160)
-->

| method | mbb |
|---|---|
| cfr | **{}** |

There are in
all {} and {}, or 2.7551e160.

## Another section

| cfr | 999 |
"""


def test_numbers_agree_as_they_are_printed(tmp_path):
    assert check(read(tmp_path, TABLE.format("520.9", "1,234,567", "-.056"))) == []


@pytest.mark.parametrize(
    ("numbers", "line", "said"),
    [(("520.0", "1,234,567", "-.056"), 10, "520.0"), (("520.9", "1,234,567", "-.057"), 13, "-.057")],
)
def test_a_wrong_figure_is_said_with_page_line_and_both_numbers(tmp_path, numbers, line, said):
    (wrong,) = check(read(tmp_path, TABLE.format(*numbers)))
    assert wrong.startswith(f"page.md:{line}: ")
    assert f"the page says {said}, found " in wrong


def test_what_stands_in_another_section_does_not_count(tmp_path):
    (wrong,) = check(read(tmp_path, TABLE.replace("| cfr | **{}** |", "").format("1,234,567", "-.056")))
    assert "`| cfr | # |` does not stand between the comment and the next heading" in wrong


def test_within_a_tenth(tmp_path):
    text = "<!-- figures, 0 s\nsays('# s', {}, within=0.1)\n-->\nIt takes 20 s.\n"
    assert check(read(tmp_path, text.format(21.9))) == []
    assert len(check(read(tmp_path, text.format(23)))) == 1


def test_a_comment_without_a_time_is_refused(tmp_path):
    with pytest.raises(FigureError, match="write the time"):
        read(tmp_path, "<!-- figures\nsays('#', 1)\n-->\n1\n")


def test_comments_in_code_are_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```\n<!-- figures, 1 s\nsays('#', 1)\n-->\n```\n")
    assert not list(marked(page))


def test_figures_of_other_instructions_are_not_checked(tmp_path, monkeypatch):
    mark = read(tmp_path, "<!-- figures, 0 s, avx512\nsays('#', 1)\n-->\n1\n")
    for found, may in (("avx512-256", True), ("avx2", False)):
        monkeypatch.setattr("page_figures.instruction_set", lambda found=found: found)
        assert mark.may_be_checked is may
        assert read(tmp_path, TABLE).may_be_checked
