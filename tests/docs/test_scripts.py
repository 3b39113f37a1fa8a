"""scripts/environment with a Python in .venv that only notes what pip is asked for: nothing is fetched or compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

OFFLINE = """\
WARNING: Retrying after connection broken by 'NewConnectionError('Failed to establish a new connection')'
ERROR: Could not find a version that satisfies the requirement scikit-build-core (from versions: none)
ERROR: No matching distribution found for scikit-build-core"""

PYTHON = """#!/bin/sh
case "$*" in
*"-m pip install"*)
    echo "$*" >>"$ASKED"
    case "$*" in *"$FAILS"*) [ -z "$FAILS" ] || { echo "$SAYS"; exit 1; } ;; esac ;;
"-c import torch") exit 1 ;;
*"import tomllib"*) echo "scikit-build-core nanobind" ;;
*sys.version_info*) echo python3.11 ;;
*Python.h*) exit "${HEADERS:-0}" ;;
esac
"""


class Machine:
    """A folder with the script and a `.venv` whose Python installs nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("csrc", "scripts", ".venv/bin"):
            (folder / name).mkdir(parents=True)
        for name in ("scripts/environment", "scripts/constraints.txt", "CMakeLists.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, folder / name)
        shutil.copy(ROOT / "package-lock.json", folder)
        for name, text in (("python", PYTHON), ("npm", "#!/bin/sh\n")):
            program = folder / ".venv" / "bin" / name
            program.write_text(text)
            program.chmod(0o755)

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        given = {"ASKED": str(self.folder / "asked"), "FAILS": "", "SAYS": "", **environment}
        command = [str(self.folder / "scripts" / "environment"), *words]
        return subprocess.run(command, capture_output=True, text=True, env=os.environ | given, timeout=60)

    def asked(self) -> list[str]:
        """What pip was asked for since the last look."""
        file = self.folder / "asked"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_tests_do_not_ask_for_pytorch(machine: Machine) -> None:
    assert machine.run("dev").returncode == 0
    asked = machine.asked()
    assert asked[-1].endswith("--no-build-isolation --editable .[test,check,web]")
    assert not any("torch" in line or "nets" in line for line in asked)


def test_only_the_checks_of_the_pages_need_npm(machine: Machine) -> None:
    (machine.folder / ".venv" / "bin" / "npm").write_text("#!/bin/sh\nexit 1\n")
    assert machine.run("dev").returncode == 0
    done = machine.run("pages")
    assert done.returncode == 1
    assert "npm could not install" in done.stderr


def test_pytorch_is_never_a_build_for_gpus(machine: Machine) -> None:
    done = machine.run("dev", "nets")
    assert done.returncode == 0
    first, *_, last = machine.asked()
    # `+cpu` is the version of these builds alone, whatever other index pip is configured to look into.
    assert "--no-deps" in first
    assert first.endswith("--index-url https://download.pytorch.org/whl/cpu torch==2.13.0+cpu")
    assert last.endswith(".[test,check,web,nets]")
    assert "200 MB to fetch" in done.stdout


def test_no_build_for_cpus_is_said_with_size_and_command(machine: Machine) -> None:
    done = machine.run("nets", FAILS="torch==", SAYS=OFFLINE)
    assert done.returncode == 1
    assert "2.6 GB to fetch" in done.stderr
    assert ".venv/bin/pip install torch==2.13.0\n" in done.stderr
    assert len(machine.asked()) == 1
    assert machine.run().returncode == 0  # and it goes without


def test_no_network_is_one_sentence(machine: Machine) -> None:
    done = machine.run(FAILS="nanobind", SAYS=OFFLINE)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "pip could not reach its package index" in done.stderr
    assert "No matching distribution" in (machine.folder / "build" / "environment.log").read_text()


def test_another_failure_shows_what_was_said(machine: Machine) -> None:
    done = machine.run(FAILS="--editable", SAYS="error: 'x' was not declared in this scope")
    assert done.returncode == 1
    assert "was not declared in this scope" in done.stderr
    assert machine.run().returncode == 0
    assert machine.asked()


def test_a_version_that_the_index_lacks_is_not_insisted_on(machine: Machine) -> None:
    said = "ERROR: No matching distribution found for numpy==2.4.6"
    done = machine.run("dev", FAILS="--constraint scripts/constraints.txt --no-build-isolation", SAYS=said)
    assert done.returncode == 0
    assert "lacks a version that scripts/constraints.txt names" in done.stdout
    *_, locked, newest = machine.asked()
    assert newest == locked.replace(" --constraint scripts/constraints.txt", "")
    machine.run("dev", "parquet", ERRAI_UNLOCKED="1")
    assert not any("--constraint" in line for line in machine.asked())


def test_progress_is_shown(machine: Machine) -> None:
    said = "  [3/45] Building CXX object x.o\nnoise\n  Downloading numpy-2.4.6-cp311.whl (16.9 MB)"
    shown = machine.run(FAILS="--editable", SAYS=said).stdout
    assert "  compiling 3 of 45\n  Downloading numpy-2.4.6-cp311.whl (16.9 MB)\n" in shown
    assert "noise" not in shown


def test_what_was_installed_is_kept_and_nothing_is_done_twice(machine: Machine) -> None:
    machine.run("parquet")
    assert machine.asked()[-1].endswith(".[parquet]")
    machine.run("dev")
    assert machine.asked()[-1].endswith(".[test,check,web,parquet]")
    for words in ((), ("dev",), ("parquet", "dev")):
        machine.run(*words)
        assert machine.asked() == []
    (machine.folder / "csrc" / "new.cpp").write_text("int x;\n")
    machine.run()
    assert machine.asked()[-1].endswith(".[test,check,web,parquet]")


def test_all_that_a_machine_lacks_is_one_command(machine: Machine) -> None:
    # A PATH with the tools that the script needs and no compiler.
    tools = machine.folder / "tools"
    tools.mkdir()
    for name in ("bash", "dirname", "find", "sort", "xargs", "cksum", "sed", "env"):
        (tools / name).symlink_to(shutil.which(name) or name)
    done = machine.run(PATH=str(tools), HEADERS="1", CXX="no-such-compiler")
    assert done.returncode == 1
    assert done.stderr == (
        "errai: this machine lacks a C++ compiler, the header files of Python.\n"
        "errai: on Debian or Ubuntu:  sudo apt install g++ python3.11-dev\n"
    )
