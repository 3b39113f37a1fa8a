"""Notes: what is written is read, and a file that somebody has spoilt is refused and stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import errai
from errai.errors import FileAccessError, InputError, NoteError, RunInUseError
from errai.solutions.notes import load_notes, notes_path, remove_note, write_note
from errai.store.atomic import locked_file


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "kuhn.errai"
    errai.solve(errai.load_game("kuhn"), max_iterations=1).save(path)
    return path


def test_notes_are_kept_by_line_and_removed(place: Path) -> None:
    assert load_notes(place) == {}
    text = 'Fold "always".\nOr: bet \\ raise\t♠'
    assert write_note(place, "check bet 1", f"  {text} \n") == {"check bet 1": text}
    assert write_note(place, "", "Root") == load_notes(place) == {"": "Root", "check bet 1": text}
    assert write_note(place, "", "Another")[""] == "Another"
    assert remove_note(place, "check bet 1") == load_notes(str(place)) == {"": "Another"}
    assert notes_path(place).name == "kuhn.errai.notes.toml"
    with pytest.raises(NoteError, match="There is no note after 'check bet 1'"):
        remove_note(place, "check bet 1")
    assert remove_note(place, "") == {}
    assert [path.name for path in place.parent.iterdir()] == ["kuhn.errai"]
    with pytest.raises(NoteError, match="There is no note at the root"):
        remove_note(place, "")


def test_a_run_has_its_notes_beside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    write_note(f"{tmp_path}/run/", "call", "Here")
    assert (tmp_path / "run.notes.toml").read_text() == '"call" = "Here"\n'
    with pytest.raises(InputError, match="no file or folder 'blueprint'"):
        write_note("blueprint", "", "There")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (" \n", "some letters at least"),
        ("x" * 2_001, "at most 2,000 letters, not 2,001"),
        ("\x1b[31mred", "cannot be printed"),
    ],
)
def test_what_is_no_note(place: Path, text: str, why: str) -> None:
    with pytest.raises(NoteError, match=why):
        write_note(place, "", text)
    assert not notes_path(place).exists()


@pytest.mark.parametrize(
    ("content", "line", "why"),
    [
        (b'"a" = "b"\n"check" = 3\n', 2, "The note after 'check': A note is a text, not 3"),
        (b'"" = ""\n', 1, "The note at the root: A note has some letters"),
        (b'"a" = "b"\n["c"]\nd = "e"\n', 2, "The note after 'c': A note is a text"),
        (b'"a" = "b', 1, "is not valid TOML"),
        (b"\xff", 1, "is not UTF-8"),
        (b"#" * (1 << 20) + b"#", None, "is larger than"),
    ],
)
def test_a_faulty_file_is_refused_and_kept(place: Path, content: bytes, line: int | None, why: str) -> None:
    path = notes_path(place)
    path.write_bytes(content)
    for attempt in (
        lambda: load_notes(place),
        lambda: write_note(place, "bet 1", "x"),
        lambda: remove_note(place, "a"),
    ):
        with pytest.raises(NoteError, match=why) as found:
            attempt()
        assert found.value.line == line
        assert path.read_bytes() == content


def test_nobody_else_changes_them_meanwhile(place: Path) -> None:
    path = notes_path(place)
    with locked_file(path.with_name(f".{path.name}.lock"), ""), pytest.raises(RunInUseError, match="try again"):
        write_note(place, "", "x")
    path.mkdir()
    with pytest.raises((NoteError, FileAccessError)):
        write_note(place, "", "x")
