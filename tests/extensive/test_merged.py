"""Games with hands merged up to suits: they are the games that are dealt out, and the engine's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_subjects import SHORT_TURN, TURN

import errai
from errai.errors import TreeTooLargeError, UnsupportedGameError
from errai.extensive import MergedGame, load_extensive, merged_game
from errai.games.game import Rake, Subject
from errai.games.spot import parse_spot
from errai.kernels.cpu import CpuKernel
from errai.kernels.layout import BEST, FIXED
from errai.solutions.subjects import menu_of
from errai.tree.public_tree import build_public_tree


def subject(name: str) -> tuple[Subject, str | None]:
    """A game or a spot in which suits matter or not, and its bet sizes."""
    if name == "turn":
        return parse_spot(SHORT_TURN), None
    if name == "turn-weighted":
        return parse_spot(TURN), None
    if name == "rhode-island-short":
        return replace(errai.load_game("rhode-island"), num_ranks=3, num_suits=3, max_raises=(1, 1, 1)), None
    return errai.load_game(name), "100%, a" if "nolimit" in name else None


DEALT = ("kuhn", "leduc", "leduc.nolimit", "turn")
NAMES = (*DEALT, "rhode-island-short", "turn-weighted")


@pytest.mark.parametrize("name", DEALT)
def test_a_merged_game_is_the_game_that_is_dealt_out(name: str) -> None:
    what, menu = subject(name)
    merged, dealt = merged_game(what, menu), errai.extensive_game(what, menu=menu)
    # What is dealt out joins ends that differ in cards alone, so less seems to be at stake there.
    assert merged.scale >= dealt.scale * (1.0 - 1e-12)
    found = []
    for game in (merged, dealt):
        plans = [d.plan_of(d.uniform()) for d in game.decisions]
        found.append([*game.values(plans), *game.gains(plans)])
    np.testing.assert_allclose(*found, rtol=0, atol=1e-11 * dealt.scale)
    # In games without exact ties the iterates are the same too.
    if name in ("kuhn", "leduc"):
        here, there = (errai.solve(game, max_iterations=12, algorithm="dcfr-foresight") for game in (merged, dealt))
        np.testing.assert_allclose(here.values, there.values, rtol=0, atol=1e-9)
        np.testing.assert_allclose(here.gains, there.gains, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_strategy_is_worth_what_the_kernels_say(name: str) -> None:
    what, menu = subject(name)
    game = merged_game(what, menu)
    rng = np.random.default_rng(4)
    strategies = [d.behaviour_of(rng.random(d.num_sequences)) for d in game.decisions]
    plans = [d.plan_of(b) for d, b in zip(game.decisions, strategies, strict=True)]
    assert game.values(plans)[0] == pytest.approx(-float(game.gradient(1, plans) @ plans[1]), abs=1e-9 * game.scale)
    assert game.arrays is not None
    kernel, arrays = CpuKernel(game.arrays), game.kernel_arrays(strategies)
    tree = build_public_tree(what, menu=menu_of(what, menu))
    for player, value in enumerate(game.values(plans)):
        assert tree.chips(kernel.root_values(arrays, player, role=FIXED), player) == pytest.approx(value, abs=1e-9)
    for player, value in enumerate(game.best_responses(plans)):
        assert tree.chips(kernel.root_values(arrays, player, role=BEST), player) == pytest.approx(value, abs=1e-9)


def test_large_poker_is_merged_and_its_file_is_small(tmp_path: Path) -> None:
    game = errai.extensive_game(errai.load_game("rhode-island"))
    assert isinstance(game, MergedGame)
    assert (
        sum(d.num_sets for d in game.decisions)
        == build_public_tree(errai.load_game("rhode-island")).canonical_information_sets
    )
    solution = errai.solve(game, max_iterations=1, algorithm="cfr+")
    path = tmp_path / "rhode-island.errai"
    solution.save(path)
    again = load_extensive(path)
    assert isinstance(again.game, MergedGame)
    assert again.gains == solution.gains
    assert all(np.array_equal(a, b) for a, b in zip(again.strategies, solution.strategies, strict=True))


def test_what_cannot_be_merged_is_refused() -> None:
    with pytest.raises(TreeTooLargeError, match="even with hands merged up to suits"):
        merged_game(errai.load_game("holdem.limit.2p"))
    raked = replace(parse_spot(SHORT_TURN), rake=Rake(5.0))
    with pytest.raises(UnsupportedGameError, match="rake"):
        merged_game(raked)
    game = merged_game(errai.load_game("leduc"))
    with pytest.raises(TreeTooLargeError, match="too many for a linear program"):
        errai.solve(game, algorithm="lp")
