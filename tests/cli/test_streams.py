"""Standard streams that are closed, full or gone: one sentence and an exit code, or the work is done."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from forked import COMMANDS, ForkServer

import errai
from errai.cli.main import main
from errai.store.checkpoint import load_checkpoint

ERRAI = f"{sys.executable} -m errai.cli.main"
PROGRAM = "import sys; from errai.cli.main import main; sys.exit(main())"
SERVER = ForkServer(*COMMANDS)
teardown_module = SERVER.close
PRINTING = [
    "--help", "games", "doctor", "size kuhn", "size kuhn --json", "tree kuhn", "estimate kuhn", "plan leduc --rate 1M",
    "solve kuhn --max-iterations 3", "show k.errai", "show k.errai --csv", "query k.errai --json", "verify k.errai",
    "solved k.errai", "export k.errai --to k.csv", "exploitability kuhn --strategy uniform --processes 1",
    "lbr uniform --game leduc --hands 20", "match uniform always-call --game kuhn --hands 4",
    "play kuhn --against uniform", "solve nothing --json",
    "train kuhn --abstraction identity --method full --iterations 3 -o b.errai",
]  # fmt: skip
"""Commands that print something, one at least for every verb that needs no more than a small solution."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a solution of Kuhn poker."""
    path = tmp_path_factory.mktemp("streams")
    errai.solve(errai.load_game("kuhn"), max_iterations=3).save(path / "k.errai")
    return path


def shell(line: str, folder: Path) -> subprocess.CompletedProcess:
    command = ["bash", "-o", "pipefail", "-c", line]
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


def one_sentence(code: int | None, err: str) -> None:
    said = [line for line in err.splitlines() if line.startswith("errai: standard output cannot be written: ")]
    assert code == 1, err
    assert len(said) == 1, err
    assert "Traceback" not in err
    assert "ignored" not in err


@pytest.mark.parametrize("words", PRINTING)
@pytest.mark.parametrize("where", [">&-", ">/dev/full"])
def test_output_that_cannot_be_written_is_one_sentence(words: str, where: str, folder: Path) -> None:
    with open("/dev/full", "w") as full:
        closed = [1] if where == ">&-" else []
        done = SERVER.start(PROGRAM, words.split(), folder=folder, stdout=full, closed=closed)
    one_sentence(done.wait(120), done.communicate()[1])


@pytest.mark.parametrize("where", [">&-", ">/dev/full"])
def test_output_that_cannot_be_written_is_one_sentence_of_a_shell_too(where: str, folder: Path) -> None:
    done = shell(f"{ERRAI} size kuhn {where}", folder)
    one_sentence(done.returncode, done.stderr)


@pytest.mark.parametrize("where", [">&-", ">/dev/full"])
def test_what_prints_nothing_is_done(where: str, folder: Path) -> None:
    done = shell(f"{ERRAI} solve kuhn --max-iterations 3 --quiet -o quiet.errai {where}", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert errai.load_solution(folder / "quiet.errai").iterations == 3


@pytest.mark.parametrize("words", ["games", "show k.errai", "size leduc --json", "tree leduc"])
def test_a_reader_that_leaves_is_no_fault(words: str, folder: Path) -> None:
    """The reader is gone before the first line."""
    done = shell(f"(sleep 0.1; {ERRAI} {words}) | true", folder)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full", "<&-", "<&- >&- 2>&-"])
def test_no_note_and_no_input_ends_the_work(where: str, folder: Path) -> None:
    done = shell(f"{ERRAI} solve kuhn --max-iterations 3 --progress -o made.errai {where}", folder)
    assert done.returncode == (1 if ">&- 2" in where else 0)
    assert errai.load_solution(folder / "made.errai").iterations == 3
    (folder / "made.errai").unlink()


def test_a_terminal_that_is_closed_stops_a_run_that_is_saved(folder: Path) -> None:
    """The kernel sends SIGHUP to the group, and nothing can be written to the terminal any more."""
    terminal, own = pty.openpty()
    words = "match uniform always-call --game leduc --hands 50000000 --checkpoint saved --log log --processes 2"
    process = subprocess.Popen(
        [*ERRAI.split(), *words.split(), "--progress"],
        cwd=folder,
        preexec_fn=lambda: os.login_tty(own),
    )
    os.close(own)
    seen = b""
    while b" hands" not in seen or b" 0 of" in seen[-300:]:
        seen += os.read(terminal, 4096)
    os.close(terminal)
    process.wait(60)
    assert process.returncode != -signal.SIGHUP
    found = load_checkpoint(folder / "saved")
    hands = found.arrays["values"].shape[2]
    assert hands > 0
    assert (folder / "log").read_bytes().count(b"\n") == hands
    assert (folder / "log").stat().st_size == found.metadata["log_bytes"]


def test_a_command_without_memory_for_its_streams_says_so(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    @contextlib.contextmanager
    def streams() -> Iterator[None]:
        raise MemoryError
        yield

    monkeypatch.setattr("errai.cli.main.standard_streams", streams)
    assert main(["games"]) == 1
    assert capfd.readouterr().err.startswith("errai: There is not enough memory; ")
