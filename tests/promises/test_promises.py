"""What Errai promises to keep: what is public has not changed unannounced, and files of every version are read.

The files were written by the first version, with ``scripts/promises --files``; they are never made anew.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from public import RECORD, changed, public

import errai
from errai.cli.main import main

FILES = Path(__file__).parent / "files"
HOW = "Say it in CHANGELOG.md (docs/compatibility.md says how something goes), then: scripts/promises --record"


def test_what_is_public_has_not_changed() -> None:
    changes = changed(RECORD.read_text(encoding="utf-8"), "".join(f"{line}\n" for line in public()))
    assert not changes, "\n".join([*changes, HOW])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files, in which the command works."""
    place = tmp_path / "files"
    shutil.copytree(FILES, place)
    monkeypatch.chdir(place)
    return place


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("verify kuhn.errai --json", {"certified": True}),
        ("verify river.errai --json", {"certified": True}),
        ("verify locked.errai --json", {"certified": True}),
        ("verify turn.errai --json", {"certified": True}),
        ("verify leduc-run --json", {"certified": True}),
        ("show leduc.errai --json", {"kind": "decision", "player": 0}),
        ("show river.errai check --json", {"note": "a note", "actions": ["check", "bet 30"]}),
        ("solve river.toml --lock lock.toml --target 0.1%pot --json --quiet", {"status": "target met"}),
        ("solve leduc --max-iterations 6 --checkpoint leduc.state --resume --json --quiet", {"iterations": 6}),
        ("solve leduc --max-iterations 6 --store leduc-run --json --quiet", {"iterations": 6}),
        ("exploitability leduc --strategy blueprint:blueprint.errai --json", {"exact": True}),
        ("abstract --show cards --json", {"recall": "imperfect"}),
        ("standings matches --json", {}),
        ("histories show kuhn.log --game kuhn --json", {}),
        ("histories show session.phhs --json", {}),
        ("review session.phhs --against leduc.errai --json", {"hands": 1}),
        ("report flop.toml --flops flops.txt --target 1%pot -o report --json --quiet", {"flops": 1}),
    ],
)
def test_files_of_version_1_are_read(words: str, wanted: dict, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (out, said) = main(words.split()), capsys.readouterr()
    assert code in (0, 3), said
    document = json.loads(out)
    assert {key: document[key] for key in wanted} == wanted


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("play leduc --against uniform --session session.json --plain", "1 hand: -1 chips"),
        ("drill river.errai --repeat kept.json --plain", "kept in kept.json"),
    ],
)
def test_what_was_played_in_version_1_goes_on(
    words: str, wanted: str, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: "q")
    code, (out, said) = main(words.split()), capsys.readouterr()
    assert code == 0, said
    assert wanted in out


def test_a_network_of_version_1_is_read() -> None:
    assert errai.load_net(FILES / "leduc.net").digest.startswith("f6452c911a9a")
