"""``errai note``: notes at lines, and where they are shown."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture
def kuhn(folder, tmp_path):
    return shutil.copy(folder / "kuhn.errai", tmp_path / "kuhn.errai")


def test_a_note_is_written_shown_listed_and_removed(errai, kuhn):
    assert errai("note", kuhn).printed() == "There are no notes.\n"
    said = errai("note", kuhn, "check bet", "Call [b]sometimes[/b].")
    assert said.code == 0
    assert "Written to kuhn.errai.notes.toml" in said.out + said.err
    assert errai("note", kuhn, "", "Think.", "--quiet").out == ""
    assert errai("note", kuhn, "check bet").printed() == "Call [b]sometimes[/b].\n"
    shown = errai("show", kuhn, "check bet").printed()
    assert "note: Call [b]sometimes[/b]." in shown
    assert "note:" not in errai("show", kuhn, "bet").printed()
    assert errai("show", kuhn, "--json").document()["note"] == "Think."
    assert errai("show", kuhn, "check", "--json").document()["note"] is None
    listed = errai("note", kuhn).printed()
    assert "(root)" in listed
    assert "check bet 1" in listed
    assert "[b]" in listed
    removed = errai("note", kuhn, "check bet", "--remove", "--json").document()
    assert (removed["line"], removed["note"]) == ("check bet 1", None)
    assert errai("note", kuhn, "--json").document() == {"notes": [{"line": "", "note": "Think.", "in_solution": True}]}


def test_a_line_that_is_gone_is_said_and_can_be_removed(errai, kuhn, tmp_path):
    (tmp_path / "kuhn.errai.notes.toml").write_text('"check raise 9" = "Old"\n')
    assert "check raise 9 (not in this solution)" in errai("note", kuhn).printed()
    assert errai("note", kuhn, "--json").document()["notes"][0]["in_solution"] is False
    assert errai("note", kuhn, "check raise 9", "--remove").code == 0
    assert not (tmp_path / "kuhn.errai.notes.toml").exists()


def test_what_cannot_be(errai, kuhn, tmp_path):
    for more, message in (
        (["bet"], "There is no note after 'bet 1'"),
        (["raise", "text"], "'raise' is not possible"),
        (["bet", " "], "some letters at least"),
        (["--remove"], "takes the line of the note"),
        (["bet", "text", "--remove"], "and no text"),
    ):
        assert message in errai("note", kuhn, *more).refusal()
    assert "beside a solution" in errai("note", tmp_path / "none.errai").refusal()
    (tmp_path / "kuhn.errai.notes.toml").write_text("a = ")
    error = errai("note", kuhn, "--json").document(code=1)["error"]
    assert (error["type"], error["line"]) == ("NoteError", 1)
    # A solution can be looked at all the same.
    shown = errai("show", kuhn)
    assert shown.code == 0
    assert "The file of notes is not valid TOML" in shown.err
