"""The means of a network's outputs over the iterations of a saved solution, on the board that is dealt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import errai
from errai.errors import DamagedFileError
from errai.games.hand import CALL, PublicState, raise_to
from errai.nets.below.averages import AveragedLeafValues
from errai.nets.below.leaves import NetLeafValues
from errai.nets.below.values_below import NetsBelow
from errai.nets.network import load_net
from errai.solutions.solution import KIND, Solution
from errai.store.container import open_container, write_container
from errai.strategies.strategy import live_hands

LEDUC = errai.load_game("leduc.nolimit")
NET = load_net("leduc")
"""Not linear in the ranges, so that its mean is not its output for the mean."""

CALLED_BET = PublicState.start(LEDUC).after(raise_to(300)).after(CALL)


def _solved(leaf_values: NetLeafValues, subject: errai.Game | errai.Lookahead = LEDUC) -> Solution:
    leaf_values.keeps_history = True
    depth = 0 if subject is LEDUC else None
    return errai.solve(subject, max_iterations=25, leaf_values=leaf_values, precision="float64", threads=1, depth=depth)


@pytest.fixture(scope="module")
def solved() -> Solution:
    return _solved(NetLeafValues(NET, parts=1, threads=1))


@pytest.mark.parametrize("board", range(6))
@pytest.mark.parametrize("player", [0, 1])
def test_the_means_are_those_that_a_live_solve_keeps(board: int, player: int) -> None:
    below = NetsBelow(NET, averaged=True, parts=1, threads=1)
    live = below.leaf_values(errai.lookahead(LEDUC))
    assert isinstance(live, AveragedLeafValues)
    solution = _solved(live, errai.lookahead(LEDUC))
    dealt = CALLED_BET.dealt((board,))
    own = np.where(live_hands(dealt), [3.0, 1.0, 0.5, 0.2, 1.0, 0.0], 0.0)
    kept = live.on_new_street(dealt, own, player)
    assert kept is not None
    again = NetsBelow(NET).values(dealt, (own, own), player, solution)
    np.testing.assert_allclose(again, kept, rtol=2e-4, atol=2e-4 * np.abs(kept).max())
    once = NetsBelow(NET).values(dealt, (own, own), player)
    assert np.abs(once - kept).max() > 0.01 * np.abs(kept).max()


def test_a_file_has_the_history(solved: Solution, tmp_path: Path) -> None:
    solved.save(tmp_path / "first.errai")
    read = errai.load_solution(tmp_path / "first.errai")
    dealt = CALLED_BET.dealt((4,))
    ranges = (live_hands(dealt).astype(float), live_hands(dealt).astype(float))
    for player in (0, 1):
        expected = NetsBelow(NET).values(dealt, ranges, player, solved)
        assert np.array_equal(NetsBelow(NET).values(dealt, ranges, player, read), expected)
    assert read.verify(leaf_values=NetLeafValues(NET))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("history/weights", lambda array: -array, "below 0 or not finite"),
        ("history/reach/0", lambda array: array * np.nan, "below 0 or not finite"),
        ("history/reach/1", lambda array: array[:-1], "size or type"),
        ("history/weights", lambda array: array[:-2], "size or type"),
    ],
)
def test_a_damaged_history_is_refused(solved: Solution, tmp_path: Path, name: str, change, message: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "first.errai"
    solved.save(path)
    container = open_container(path, KIND)
    arrays = {key: np.array(container.arrays[key]) for key in container.arrays}
    write_container(tmp_path / "other.errai", KIND, container.metadata, {**arrays, name: change(arrays[name])})
    with pytest.raises(DamagedFileError, match=message):
        errai.load_solution(tmp_path / "other.errai")


def test_after_a_bet_that_the_solution_lacks_the_network_is_asked_once(solved: Solution) -> None:
    dealt = PublicState.start(LEDUC).after(raise_to(250)).after(CALL).dealt((0,))
    ranges = (live_hands(dealt).astype(float), live_hands(dealt).astype(float))
    found = NetsBelow(NET).values(dealt, ranges, 1, solved)
    assert np.array_equal(found, NetsBelow(NET).values(dealt, ranges, 1))


def test_only_a_history_from_the_first_iteration_is_kept(tmp_path: Path) -> None:
    """The second half of a run that was resumed has no first iterations."""
    options = {"precision": "float64", "threads": 1, "depth": 0, "checkpoint": tmp_path / "run.ckpt"}
    errai.solve(LEDUC, leaf_values=NetLeafValues(NET), max_iterations=5, **options)  # type: ignore[arg-type]
    values = NetLeafValues(NET)
    values.keeps_history = True
    again = errai.solve(LEDUC, leaf_values=values, max_iterations=10, resume=True, **options)  # type: ignore[arg-type]
    assert again.iterations == 10
    assert again.history is None


def test_without_the_wish_there_is_none(solved: Solution) -> None:
    found = errai.solve(LEDUC, leaf_values=NetLeafValues(NET), max_iterations=2, depth=0)
    assert found.history is None
    assert solved.history is not None
    assert solved.history.weights.sum(axis=0) == pytest.approx(1.0)
    assert replace(solved, history=None).history is None
