"""A missing package is one sentence with the command that installs all of them, whatever is asked; `doctor` agrees."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from errai.cli.doctor import Requirement, requirements

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BASE: list[str] = PROJECT["dependencies"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

WITHOUT = """
import sys
from importlib import metadata

def gone(name):
    if name.lower() in LACKING:
        raise metadata.PackageNotFoundError(name)
    return found(name)

found, metadata.version = metadata.version, gone

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0].lower() in {each.replace("-", "_") for each in LACKING}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from errai.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
"""The command in a Python that lacks packages."""


def name_of(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    assert match is not None
    return match[0]


def without(lacking: list[str], *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = f"LACKING = {[name.lower() for name in lacking]!r}\n{WITHOUT}"
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)


def test_everything_that_is_declared_is_known() -> None:
    found = requirements()
    assert [need.text for need in found if need.extra is None] == BASE
    assert {need.extra for need in found} == {None, *EXTRAS}
    for extra, texts in EXTRAS.items():
        assert [need.text for need in found if need.extra == extra] == texts


@pytest.mark.parametrize("requirement", BASE)
def test_doctor_names_each_package_that_is_missing(requirement: str, tmp_path: Path) -> None:
    done = without([name_of(requirement)], "doctor", "--json", folder=tmp_path)
    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    assert report["packages"][name_of(requirement)] is None
    assert report["problems"] == [
        {"problem": f"This Python lacks {requirement}.", "remedy": f"pip install '{requirement}'"}
    ]


def test_doctor_knows_every_extra(tmp_path: Path) -> None:
    names = [name_of(text) for texts in EXTRAS.values() for text in texts]
    done = without(names, "doctor", folder=tmp_path)
    assert done.returncode == 0
    for extra, texts in EXTRAS.items():
        missing = ", ".join(map(name_of, texts))
        assert re.search(rf"extra {extra} +lacks {re.escape(missing)}; .*: pip install 'errai\[{extra}\]'", done.stdout)


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "leduc", "--max-iterations", "2", "-o", "leduc.errai"),
        ("match", "uniform", "uniform", "--game", "leduc", "--hands", "2", "--results", "."),
        ("nets", "show", "turn", "--board", "QsJh2c8d"),
        ("tree", "kuhn"),
        ("serve", "--no-browser"),
    ],
)
def test_every_missing_package_is_in_one_sentence(words: tuple[str, ...], tmp_path: Path) -> None:
    done = without([name_of(text) for text in BASE], *words, folder=tmp_path)
    sentence = f"Errai needs packages that this Python lacks: {', '.join(BASE)}."
    assert done.stderr == f"errai: {sentence} pip install {' '.join(repr(text) for text in BASE)}\n"
    assert done.returncode == 1


@pytest.mark.parametrize("requirement", BASE)
def test_no_missing_package_is_a_traceback(requirement: str, tmp_path: Path) -> None:
    words = ("solve", "leduc", "--max-iterations", "2", "-o", "leduc.errai")
    done = without([name_of(requirement)], *words, folder=tmp_path)
    # What a solve does not need it may do without.
    assert done.returncode == 0 or done.stderr.endswith(f"pip install '{requirement}'\n")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("lacking", "extra", "words"),
    [
        ("torch", "nets", ("nets", "train", "turn", "--data", ".", "-o", "x.net")),
        ("torch", "nets", ("solve", "leduc", "--backend", "cuda")),
        ("fastapi", "web", ("serve", "--no-browser")),
        ("uvicorn", "web", ("serve", "--no-browser")),
        ("ray", "cluster", ("solve", "leduc", "--store", "run", "--cluster", "local:2")),
        ("matplotlib", "pictures", ("tree", "kuhn", "-o", "tree.png")),
        ("matplotlib", "pictures", ("chart", "blueprint-nl", "-o", "charts")),
    ],
)
def test_a_missing_extra_is_one_sentence(lacking: str, extra: str, words: tuple[str, ...], tmp_path: Path) -> None:
    done = without([lacking], *words, folder=tmp_path)
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1, done.stderr
    assert f"pip install 'errai[{extra}]'" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("show", "{turn}"),
        ("show", "{turn}", "--svg", "turn.svg"),
        ("verify", "{turn}"),
        ("exploit", "{turn}", "check"),
        ("match", "by-strength", "blueprint-nl", "--game", "holdem.nolimit.2p", "--hands", "2"),
        ("exploitability", "leduc", "--agent", "uniform"),
    ],
)
def test_the_base_is_enough(words: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    """To solve, to show, to verify, to play and to measure needs no extra."""
    extras = {name_of(text) for texts in EXTRAS.values() for text in texts}
    done = without(sorted(extras), *(word.format(turn=folder / "turn.errai") for word in words), folder=tmp_path)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr


def test_a_package_that_is_too_old_is_missing(monkeypatch: pytest.MonkeyPatch, errai) -> None:
    installed = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "1.26.4" if name == "numpy" else installed(name))
    run = errai("doctor")
    assert (run.code, "This Python lacks numpy>=2.0." in run.out) == (1, True)


@pytest.mark.parametrize(("found", "met"), [("2", True), ("2.0.0", True), ("2.13.0+cpu", True), ("1.99", False)])
def test_versions_are_compared_by_their_numbers(monkeypatch: pytest.MonkeyPatch, found: str, met: bool) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: found)
    assert Requirement("numpy", "numpy>=2.0", None).met is met


def test_the_extra_of_drills_is_named_and_not_that_of_tests(folder: Path, tmp_path: Path) -> None:
    run = without(
        ["fsrs"], "drill", str(folder / "turn.errai"), "--repeat", str(tmp_path / "kept.json"), folder=tmp_path
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "errai: This needs the extra 'drill' of Errai: pip install 'errai[drill]'\n"
    # Without a file of mistakes nothing is missing.
    run = without(["fsrs"], "drill", str(folder / "turn.errai"), folder=tmp_path)
    assert run.returncode == 0, run.stderr
