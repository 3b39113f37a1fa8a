"""Solution files looked at node by node, against the same files read as a whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plain_walk import solved

import errai
from errai.errors import DamagedFileError, InputError
from errai.games.spot import parse_spot
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution
from errai.solutions.stored import SolutionFile
from errai.store.container import open_container, write_container
from errai.store.header import Pieces

FLOP = """
board = "Td 9d 6d"
pot = 100
stack = 200
[ranges]
oop = "TT, AhKh, 87s"
ip = "99:0.5, AdQh, QJs"
[bets]
bet = "50%"
raise = ""
"""


@pytest.fixture(scope="module")
def flop() -> Solution:
    return errai.solve(parse_spot(FLOP), max_iterations=4, threads=1)


def saved(solution: Solution, path: Path, monkeypatch: pytest.MonkeyPatch, size: int = 64) -> SolutionFile:
    monkeypatch.setattr(Pieces, "BYTES", size)
    solution.save(path)
    opened = errai.open_solution(path)
    assert isinstance(opened, SolutionFile)
    return opened


def compare(here: SolutionNode, there: SolutionNode, generator: np.random.Generator) -> int:
    """Compare two nodes and, on all lines and a few deals, those below."""
    assert (here.kind, here.actions, here.line, here.board_text) == (
        there.kind,
        there.actions,
        there.line,
        there.board_text,
    )
    np.testing.assert_allclose(here.strategies, there.strategies, atol=1e-12)
    np.testing.assert_allclose(here.ranges, there.ranges, atol=1e-12)
    if generator.random() < 0.2:
        assert here.why_no_ev == ""
        np.testing.assert_allclose(here.ev, there.ev, atol=1e-9 * here.pot_chips)
        np.testing.assert_allclose(here.action_ev, there.action_ev, atol=1e-9 * here.pot_chips)
        np.testing.assert_allclose(here.unconverged, there.unconverged, atol=1e-9)
    steps = list(there.children)
    if there.kind == "chance":
        count = there.solution.tree.root.new_cards[there.street]
        steps = ["".join(generator.choice(steps, count, replace=False)) for _ in range(2)]
    return 1 + sum(compare(here[step], there[step], generator) for step in steps)


@pytest.mark.parametrize("name", ["flop", "leduc", "rhode-island-short", "two-cards-short"])
@pytest.mark.parametrize("encoding", ["float64", "uint16"])
def test_nodes_are_those_of_the_solution_in_memory(
    name: str, encoding: str, flop: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from errai.engine.strategy import encode

    solution = flop if name == "flop" else solved(name)
    arrays = encode(solution.tree, solution.strategy, encoding)
    solution = replace(solution, strategy=arrays, encoding=encoding)
    opened = saved(solution, tmp_path / "it.errai", monkeypatch)
    assert compare(opened.root, solution.root, np.random.default_rng(5)) > 20
    assert opened.root.unconverged == pytest.approx(solution.exploitability.pot_percent / 100)
    assert opened.information_sets == solution.information_sets
    assert opened.title == solution.title


def test_only_what_is_read_is_checked(flop: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "it.errai"
    opened = saved(flop, path, monkeypatch, 1 << 10)
    line = "check check / 2c / check check / 3c"
    opened.at(line).strategies  # noqa: B018
    touched = opened.container.arrays._kept.keys()
    entry = opened.container.arrays.entry("strategy/2/0")
    pieces = -(-entry.length // Pieces.BYTES)
    read = {number for name, number in touched if name == "strategy/2/0"}
    assert 0 < len(read) < pieces
    data = bytearray(path.read_bytes())
    unread = next(number for number in range(pieces) if number not in read)
    for number, damaged in ((unread, False), (min(read), True)):
        hurt = bytearray(data)
        hurt[entry.offset + number * Pieces.BYTES + 5] ^= 1
        path.write_bytes(hurt)
        if damaged:
            with pytest.raises(DamagedFileError, match="piece"):
                errai.open_solution(path).at(line).strategies  # noqa: B018
        else:
            errai.open_solution(path).at(line).strategies  # noqa: B018
        with pytest.raises(DamagedFileError, match="checksum"):
            errai.load_solution(path)


def test_numbers_that_are_no_probabilities_are_refused(flop: Solution, tmp_path: Path) -> None:
    path = tmp_path / "it.errai"
    flop.save(path)
    container = open_container(path)
    arrays = {name: container.read(name) for name in container.arrays}
    arrays["strategy/0/0"][:] *= 2
    metadata = {key: value for key, value in container.metadata.items() if key != "pieces"}
    write_container(path, "solution", metadata, arrays)
    opened = errai.open_solution(path)
    with pytest.raises(DamagedFileError, match="not probabilities"):
        opened.root.strategies  # noqa: B018


def test_large_subtrees_are_not_evaluated(flop: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = saved(flop, tmp_path / "it.errai", monkeypatch)
    monkeypatch.setattr("errai.solutions.stored.MOST_EVALUATED", 1)
    node = opened["check"]
    assert np.isnan(node.ev).all()
    assert "errai.load_solution" in node.why_no_ev
    assert np.isfinite(node.strategies).any()


def test_a_large_file_has_the_values_of_the_first_street(
    flop: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are those that a walk of everything that follows gives, and none is needed where the file is opened."""
    for module in ("solution", "stored"):
        monkeypatch.setattr(f"errai.solutions.{module}.MOST_EVALUATED", 100)
    kept = replace(flop)
    opened = saved(kept, tmp_path / "it.errai", monkeypatch)
    read = errai.load_solution(tmp_path / "it.errai")
    monkeypatch.setattr(opened, "part", None)
    for line in ("", "check", "bet 50", "check bet 50", "check bet 50 call", "check check"):
        here, walked = opened.at(line), flop.at(line)
        for found in (here, read.at(line)):
            np.testing.assert_array_equal(found.ev, walked.ev)
            np.testing.assert_array_equal(found.action_ev, walked.action_ev)
            for p in (0, 1):
                np.testing.assert_array_equal(found.counterfactual(p, best=True), walked.counterfactual(p, best=True))
    assert "at most 100" in opened.at("check check / 2c").why_no_ev
    assert read.verify().certified
    assert read.first_street is not None
    read.first_street.best[1][2, 3] += 1.0
    assert [d.name for d in read.verify().differences] == ["values of the first street"]


def test_values_of_the_first_street_that_are_not_finite_are_refused(
    flop: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errai.solutions.solution.MOST_EVALUATED", 100)
    kept, path = replace(flop), tmp_path / "it.errai"
    kept.save(path)
    assert kept.first_street is not None
    kept.first_street.values[0][0, 0] = np.inf
    kept.save(path)
    with pytest.raises(DamagedFileError, match="not finite"):
        errai.open_solution(path).root.ev  # noqa: B018
    with pytest.raises(DamagedFileError, match="not finite"):
        errai.load_solution(path)


def test_what_cannot_be_read_in_parts_is_read_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "river.errai"
    solved("river").save(path)
    assert isinstance(errai.open_solution(path), Solution)


def test_parts_of_an_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pieces, "BYTES", 64)
    numbers = np.arange(1000, dtype=np.int32).reshape(50, 20)
    write_container(tmp_path / "it", "test", {"a": 1}, {"long": numbers, "short": np.arange(3.0)}, pieces=True)
    container = open_container(tmp_path / "it")
    assert set(container.metadata["pieces"]["crc32"]) == {"long"}
    generator = np.random.default_rng(0)
    for _ in range(200):
        first, last = sorted(generator.integers(0, 1001, 2))
        np.testing.assert_array_equal(container.arrays.part("long", first, last), numbers.ravel()[first:last])
    np.testing.assert_array_equal(container.arrays.part("short", 1, 3), [1.0, 2.0])
    with pytest.raises(InputError, match="no elements"):
        container.arrays.part("short", 1, 4)
    container.verify()
    metadata = container.metadata["pieces"]
    for table in ({**metadata, "bytes": 32}, {"bytes": 64, "crc32": {"long": "00"}}, {"bytes": 64}, 7):
        write_container(tmp_path / "bad", "test", {"pieces": table}, {"long": numbers})
        with pytest.raises(DamagedFileError, match="pieces"):
            open_container(tmp_path / "bad")
