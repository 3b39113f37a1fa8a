"""Positions about which a network is asked: what they are, that they repeat, and how they are stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errai.errors import InputError, MismatchError
from errai.nets.examples import asked
from errai.nets.examples.asked import PER_LOOKAHEAD, Asked, shipped_asked
from errai.nets.examples.dataset import Folder, read_examples
from errai.nets.examples.generate import generate
from errai.nets.examples.play import shipped_play
from errai.nets.examples.recipe import BLUEPRINT, Recipe
from errai.nets.examples.situations import STRATA, Stratum
from errai.nets.network import load_net
from errai.nets.predictors import find_predictor

SHALLOW = (Stratum("1-4", 1.0, 4.0, 1.0),)


@pytest.fixture(scope="module", autouse=True)
def _few_iterations() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asked, "ITERATIONS", (2, 4))
        patch.setattr(asked, "FIRST_ITERATIONS", (5, 10))
        yield


def test_positions_on_the_turn_follow_one_lookahead_on_a_flop() -> None:
    found = [shipped_asked(BLUEPRINT, "turn").position(3, index, SHALLOW) for index in range(PER_LOOKAHEAD)]
    boards = [set(one.boards[0].tolist()) for one in found]
    assert len(set.intersection(*boards)) >= 3
    for one, board in zip(found, boards, strict=True):
        assert one.boards.shape == (1, 4)
        assert np.array_equal(one.boards, np.sort(one.boards))
        assert one.ranges.sum(axis=2) == pytest.approx(1.0, abs=1e-6)
        assert 0.0 < one.stacks[0] <= 2.0 * SHALLOW[0].most
        assert len(board) == 4
    again = Asked(shipped_play(BLUEPRINT, 1).game, load_net("turn"), shipped_play(BLUEPRINT, 1))
    last = again.position(3, PER_LOOKAHEAD - 1, SHALLOW)
    assert np.array_equal(last.ranges, found[-1].ranges)
    assert np.array_equal(last.boards, found[-1].boards)


def test_positions_on_the_flop_follow_a_lookahead_from_the_start_of_the_hand() -> None:
    found = [shipped_asked(BLUEPRINT, "preflop").position(1, index, STRATA) for index in range(PER_LOOKAHEAD)]
    for one in found:
        assert one.boards.shape == (1, 3)
        assert one.ranges.sum(axis=2) == pytest.approx(1.0, abs=1e-6)
        assert not one.ranges[0, :, [0]].any() or 0 not in one.boards[0]
    assert len({float(one.stacks[0]) for one in found}) > 1


def test_a_folder_holds_them_and_is_resumed(tmp_path: Path) -> None:
    game = "holdem.nolimit.2p"
    recipe = Recipe(game, 2, 9, "asked", SHALLOW, asked="turn", asked_digest=load_net("turn").digest)
    for positions in (1, 2):
        generate(recipe, tmp_path / "turn", positions=positions)
    read = read_examples(tmp_path / "turn")
    direct = recipe.positions([0, 1])
    assert np.array_equal(read.positions.ranges, direct.ranges)
    assert Folder(tmp_path / "turn").recipe() == recipe
    assert np.abs((read.values * read.positions.ranges).sum(axis=(1, 2))).max() < 0.02
    with pytest.raises(MismatchError, match="another network"):
        replace(recipe, asked_digest="other").positions([0])


def test_positions_of_one_lookahead_go_to_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[int, ...]] = []

    class Pool:
        def __class_getitem__(cls, kinds: object) -> object:
            return lambda steps, processes: nullcontext(cls())

        def run(self, tasks: Iterable[tuple[int, ...]], **more: object) -> Iterator[list[object]]:
            given.extend(tasks)
            return iter([])

    monkeypatch.setattr("errai.nets.examples.generate.ProcessPool", Pool)
    recipe = Recipe("holdem.nolimit.2p", 2, 9, "asked", SHALLOW, asked="turn", asked_digest=load_net("turn").digest)
    generate(recipe, tmp_path / "asked", positions=PER_LOOKAHEAD + 2, processes=2)
    generate(replace(recipe, source="play", asked="", asked_digest=""), tmp_path / "play", positions=2, processes=2)
    assert given == [tuple(range(PER_LOOKAHEAD)), (PER_LOOKAHEAD, PER_LOOKAHEAD + 1), (0,), (1,)]


def test_what_does_not_fit_is_refused() -> None:
    game = shipped_play(BLUEPRINT, 1).game
    with pytest.raises(InputError, match="the street before"):
        Asked(game, load_net("turn"), shipped_play(BLUEPRINT, 2))
    with pytest.raises(InputError, match="the street before"):
        Asked(game, find_predictor("check-down", game, 1))
