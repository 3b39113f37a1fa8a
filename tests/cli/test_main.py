from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from small_subjects import RIVER

from errai.cli.main import VERBS


def test_help_names_every_verb(errai):
    code, out, err = errai("--help")
    assert (code, err) == (0, "")
    assert all(f"    {verb} " in out for verb in VERBS)
    assert "exit codes" in out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(errai, verb):
    assert errai(verb, "--help").printed().startswith(f"usage: errai {verb}")


def test_help_imports_nothing_heavy():
    program = (
        "import sys; from errai.cli.main import main; code = main(['--help']);"
        "heavy = {'asyncio', 'numpy', 'scipy', 'matplotlib', 'rich', 'errai.games.game', 'errai.engine.loop'};"
        "print(sorted(heavy & set(sys.modules))); sys.exit(code)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0
    assert result.stdout.splitlines()[-1] == "[]"


def test_version(errai):
    assert errai("--version").printed().startswith("errai ")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fold",),
        ("solve",),
        ("solve", "kuhn", "--max-iterations", "0"),
        ("solve", "kuhn", "--seconds", "soon"),
        ("solve", "kuhn", "--memory", "much"),
        ("solve", "kuhn", "--threads", "-2"),
        ("solve", "kuhn", "--target"),
        ("solve", "kuhn", "--quiet", "--progress"),
        ("solve", "kuhn", "--max-iter", "3"),
        ("show",),
        ("show", "a.errai", "--player", "first"),
        ("size", "kuhn", "leduc"),
    ],
)
def test_wrong_usage_is_2(errai, arguments):
    code, out, err = errai(*arguments)
    assert code == 2
    assert "usage: errai" in out + err
    assert "Traceback" not in err


def test_errors_are_1_and_one_sentence(errai, tmp_path):
    missing = str(tmp_path / "none.toml")
    for arguments in (
        ("size", "poker"),
        ("size", str(tmp_path)),
        ("solve", missing),
        ("verify", str(tmp_path / "none.errai")),
        ("show", str(tmp_path)),
        ("estimate", missing),
        ("tree", missing),
        ("tree", "kuhn", "--png", str(tmp_path / "no" / "tree.png")),
        ("tree", "leduc", "--streets", "2", "--max-nodes", "5"),
    ):
        code, out, err = errai(*arguments)
        assert code == 1, arguments
        assert out == ""
        assert err.startswith("errai: ")
        assert err.count("\n") == 1
        assert err.rstrip().endswith((".", "?"))


def test_json_errors_are_json(errai, tmp_path):
    code, out, err = errai("size", "poker", "--json")
    assert code == 1
    error = json.loads(out)["error"]
    assert error["type"] == "UnknownGameError"
    assert err == f"errai: {error['message']}\n"
    spot = tmp_path / "spot.toml"
    spot.write_text("pot = 100\nwhat = 3\n")
    code, out, _ = errai("estimate", str(spot), "--json")
    error = json.loads(out)["error"]
    assert (code, error["type"], error["line"]) == (1, "SpotKeyError", 2)
    assert errai("solve", "kuhn", "--seconds", "x", "--json").document(2)["error"]["type"] == "UsageError"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_unreadable_files(errai, tmp_path):
    for name in ("a.toml", "a.game", "a.errai"):
        path = tmp_path / name
        path.write_text("x")
        path.chmod(0)
        code, out, err = errai("show" if name == "a.errai" else "tree", str(path))
        assert (code, out) == (1, "")
        assert name in err


def test_size(errai):
    size = errai("size", "leduc", "--json").document()
    assert size["information_sets"] == "936"
    assert size["canonical_information_sets"] == "288"
    assert len(size["rounds"]) == 2
    out = errai("size", "holdem.limit.2p").printed()
    assert "319,365,922,522,608" in out
    assert "13,803,249,787,132" in out


def test_no_digit_of_a_size_is_lost(errai, monkeypatch):
    """Into a pipe, and on a terminal that is too narrow for the table."""
    _, out, _ = errai("size", "holdem.limit.2p", "--json")
    keys = [f"{suits}{what}" for what in ("hand_boards", "information_sets") for suits in ("", "canonical_")]
    numbers = [f"{int(row[key]):,}" for row in json.loads(out)["rounds"] for key in (*keys, "betting_nodes")]
    for columns, terminal in (("70", False), ("70", True), ("200", True)):
        monkeypatch.setenv("COLUMNS", columns)
        if terminal:
            monkeypatch.setenv("FORCE_COLOR", "1")
        _, out, _ = errai("size", "holdem.limit.2p")
        assert "…" not in out
        assert all(number in out for number in numbers), columns
        assert "betting nodes" in out
        if columns == "70" and terminal:
            assert max(map(len, out.splitlines())) <= 70
            assert "information sets up to suits" in out


def test_size_of_a_spot_is_refused(errai, tmp_path):
    spot = tmp_path / "spot.toml"
    spot.write_text(RIVER)
    assert "errai estimate" in errai("size", str(spot)).refusal()


def test_games(errai):
    assert "rhode-island" in errai("games").printed()
    assert "kuhn" in [game["name"] for game in errai("games", "--json").document()["games"]]


def test_tree(errai, tmp_path):
    out = errai("tree", "kuhn").printed()
    assert out.count("\n") == 9
    assert "bet 1" in out
    code, out, err = errai("tree", "kuhn", "--svg", str(tmp_path / "kuhn.svg"))
    assert (code, out) == (0, "")
    assert "kuhn.svg" in err
    assert (tmp_path / "kuhn.svg").read_text().startswith("<svg")


def test_doctor(errai):
    report = errai("doctor", "--json").document()
    assert report["problems"] == []
    assert report["native_kernel"]["instruction_set"]
    assert report["threads"] >= 1
    assert report["packages"]["numpy"]
    out = errai("doctor").printed()
    assert "native kernel" in out
    assert "Everything that solving needs is installed." in out


def test_doctor_names_the_remedy(errai, monkeypatch):
    from errai.cli import doctor

    fault = {"problem": "It does not load.", "remedy": "build it"}
    monkeypatch.setattr(doctor, "_native_kernel", lambda: (None, fault))
    code, out, _ = errai("doctor")
    assert code == 1
    assert "remedy: build it" in out


def test_a_reader_that_leaves_early():
    command = f"{sys.executable} -m errai.cli.main size holdem.limit.2p | true"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert result.stderr == ""


def test_ascii_output():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "errai.cli.main", "tree", "kuhn"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert result.returncode == 0
    assert "`-- bet 1" in result.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "leduc", "--processes", "2"),
        ("solve", "leduc", "--store", "run", "--threads", "2"),
        ("train", "leduc", "--abstraction", "identity", "--iterations", "1", "--processes", "2", "-o", "x.errai"),
    ],
)
def test_threads_are_no_processes(words, errai, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    err = errai(*words).refusal()
    assert "processes" in err or "--threads" in words
    assert not list(tmp_path.iterdir())
