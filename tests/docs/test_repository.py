"""What the repository holds: our own sources, nothing that fetches or builds another program, and no cache."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import errai

ROOT = Path(__file__).parents[2]


def git(*words: str) -> list[str]:
    """The lines that git says of the repository; the archive of the sources is none."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a checkout of git")
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


FETCHES = re.compile(
    r"\bgit (clone|submodule)\b(?! <this repository>)|\bcargo (build|install)\b|git\s*=\s*[\"']|git\+https?:"
    r"|\b(wget|curl)\b.*https?://(?!127\.)|FetchContent|ExternalProject|\bmake \w*solver\b"
)
"""How a line fetches or builds a program."""

RECIPES = ("Cargo.toml", "Cargo.lock", "go.mod", ".gitmodules", "vcpkg.json", "conanfile.txt")
"""Files that name what a build tool fetches; ours are pyproject.toml and package.json, which name packages alone."""


@pytest.mark.parametrize(
    "line",
    [
        "git clone --branch console https://github.com/somebody/solver && cd solver",
        'RUSTFLAGS="-A x" cargo build --release',
        'solver = { git = "https://github.com/somebody/solver" }',
        "pip install git+https://github.com/somebody/solver",
        "curl -L https://example.org/solver.tar.gz | tar xz",
        "cmake .. && make console_solver",
    ],
)
def test_a_line_that_fetches_is_seen(line: str) -> None:
    assert FETCHES.search(line)


def test_nothing_fetches_or_builds_another_program() -> None:
    found = []
    for name in git("ls-files"):
        path = ROOT / name
        if path.name in RECIPES:
            found.append(name)
        if path == Path(__file__) or not path.is_file():
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [f"{name}:{number}: {line}" for number, line in enumerate(lines, 1) if FETCHES.search(line)]
    assert found == []


def test_no_cache_is_in_the_repository() -> None:
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard") == []
    caches = re.compile(r"(^|/)(\.[\w-]*(cache|schemathesis|hypothesis)|__pycache__|build|dist|target)(/|$)")
    assert [name for name in git("ls-files") if caches.search(name)] == []


def test_what_contributing_names_is_there() -> None:
    """The page is wrong as soon as a file that a change touches is called something else."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {*re.findall(r"`((?:src|tests|docs|scripts)/[^`\s]+)", text), *re.findall(r"\]\(([^):#]+)", text)}
    assert len(named) > 30
    assert [name for name in sorted(named) if not (ROOT / name.replace("ROOM", "games")).exists()] == []


def test_the_version_is_the_newest_of_the_changelog_and_the_one_to_cite() -> None:
    versions = re.findall(
        r"^## \[(\d\S*)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert versions[0][0] == errai.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^(?:version|date-released): (\S+)$", citation, re.MULTILINE) == [*versions[0]]


def examples_of_a_driver() -> list[dict]:
    """The request and the answer in benchmarks/README.md."""
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    part = text[text.index("## What a driver reads and prints") :]
    return [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)]


def test_a_program_that_keeps_to_the_page_is_measured(tmp_path: Path) -> None:
    """A driver that does no more than benchmarks/README.md asks is compared; it says what `peers` gave it."""
    _, answer = examples_of_a_driver()
    # What every program must find on examples/turn.toml before the first iteration.
    answer["curve"] = [[0, 0.0, 0.0065, 96.20357], *answer["curve"][1:]]
    driver, asked = tmp_path / "driver", tmp_path / "asked"
    driver.write_text(
        f"#!{sys.executable}\nimport sys\nopen({str(asked)!r}, 'w').write(sys.argv[1])\nprint({json.dumps(answer)!r})\n"
    )
    driver.chmod(0o755)
    command = [sys.executable, str(ROOT / "benchmarks" / "peers.py"), "turn", "--runs", "1", "--targets", "50"]
    command += ["--precision", "float32", "--peers", "postflop-solver", "texassolver"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ERRAI_")}
    environment["ERRAI_POSTFLOP_BENCH"] = str(driver)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "| errai, 32 bit : postflop-solver |" in done.stdout
    left_out = (
        "texassolver is left out: ERRAI_TEXASSOLVER is not set; benchmarks/README.md says which program it names."
    )
    assert left_out in done.stdout
    request, _ = examples_of_a_driver()
    assert sorted(json.loads(asked.read_text())) == sorted(request)
    driver.write_text(f"#!{sys.executable}\nimport sys\nprint('It knows no turn.', file=sys.stderr)\nsys.exit(3)\n")
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "It knows no turn." in done.stdout
