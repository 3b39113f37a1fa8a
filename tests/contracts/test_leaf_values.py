"""Leaf values of all kinds against the kit, and what is refused where one asks for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from drawn_arrays import random_strategy
from leaf_doubles import FixedContinuation, ZeroLeafValues
from small_subjects import subject

import errai
from errai.cards.hands import hand_cards
from errai.cluster.folder import RunFolder
from errai.cluster.partition import Budget, lay_out
from errai.cluster.streamed import StreamedSubgames
from errai.cluster.worker import Setup, make_runner
from errai.engine.leaf_values import FunctionLeafValues, LeafValues
from errai.kernels.backends import make_kernel
from errai.resolving.continuations import ContinuationLeafValues, Continuations
from errai.resolving.oracle import ExactLeafValues
from errai.solutions.subjects import subject_document
from errai.strategies.buckets import by_strength
from errai.testing import check_leaves
from errai.tree.public_tree import PublicTree, build_public_tree, plan_public_tree

SUBJECTS = ["leduc", "two-cards-short", "turn"]
Make = Callable[[str, PublicTree, Path], LeafValues]


def fixed(name: str, trunk: PublicTree, folder: Path) -> LeafValues:
    whole = build_public_tree(subject(name))
    strategy = random_strategy(whole, np.random.default_rng(3))
    return FixedContinuation(whole, make_kernel("cpu", whole.arrays), strategy)


def streamed(name: str, trunk: PublicTree, folder: Path) -> LeafValues:
    plan = plan_public_tree(subject(name))
    partition = lay_out(Budget(plan, "float64", 1, averages=False), 1).partition
    RunFolder(folder / "run").create()
    setup = Setup(
        folder=str(folder / "run"),
        run="a run",
        subject=subject_document(subject(name), None),
        partition=partition.to_dict(),
        precision="float64",
        backend="cpu",
        averages=False,
        cache_bytes=1 << 20,
    )
    return StreamedSubgames(plan, partition, make_runner(setup, 1), averages=False)


def higher_cards_win(leaves: errai.Leaves) -> np.ndarray:
    """The player with the higher cards takes the pot, whatever comes."""
    size = 1 if leaves.reach.shape[-1] < 20 else 2
    deck = next(n for n in range(2, 60) if len(hand_cards(n, size)) == leaves.reach.shape[-1])
    hands = hand_cards(deck, size).astype(np.int64)
    height = (hands // (4 if deck == 52 else 2)).sum(axis=1)
    fits = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    wins = fits * np.sign(height[:, None] - height[None, :])
    return leaves.contribution_chips[:, None] * (leaves.reach[1 - leaves.player] @ wins.T)


def function(name: str, trunk: PublicTree, folder: Path) -> LeafValues:
    return FunctionLeafValues(higher_cards_win)


def exact(name: str, trunk: PublicTree, folder: Path) -> LeafValues:
    return ExactLeafValues(accuracy=2e-2, alongside=0)


def alongside(name: str, trunk: PublicTree, folder: Path) -> LeafValues:
    return ExactLeafValues(accuracy=2e-2)


def continuations(name: str, trunk: PublicTree, folder: Path) -> LeafValues:
    played = subject(name)
    return ContinuationLeafValues(Continuations(by_strength(played.rules, 4), played, chooser="both"))


MAKERS = {
    "zero": lambda name, trunk, folder: ZeroLeafValues(),
    "fixed continuation": fixed,
    "streamed subgames": streamed,
    "function": function,
    "exact solves": exact,
    "what learns alongside": alongside,
    "continuations": continuations,
}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in MAKERS for name in SUBJECTS])
def test_all_leaf_values_keep_the_contract(kind: str, name: str, first: int, tmp_path: Path) -> None:
    trunk = build_public_tree(subject(name), last_street=0)
    made = MAKERS[kind](name, trunk, tmp_path)
    try:
        check_leaves(made, trunk, first)
    finally:
        if isinstance(made, StreamedSubgames):
            made.runner.close()


def test_who_asks_for_one_player_does_not_compute_both() -> None:
    asked = []

    def noting(leaves: errai.Leaves) -> np.ndarray:
        asked.append(leaves.player)
        return np.zeros(leaves.reach.shape[1:])

    errai.solve(subject("turn"), depth="turn", leaf_values=noting, max_iterations=3)
    assert asked[:6] == [0, 1, 0, 1, 0, 1]


def test_a_function_is_told_of_real_hands_and_chips() -> None:
    seen: list[errai.Leaves] = []

    def looking(leaves: errai.Leaves) -> np.ndarray:
        seen.append(leaves)
        return np.zeros(leaves.reach.shape[1:])

    spot = subject("turn")
    solution = errai.solve(spot, depth="turn", leaf_values=looking, max_iterations=1)
    leaves, betting = seen[-1], solution.tree.betting
    assert solution.depth == leaves.round == 2
    assert leaves.boards.tolist() == [sorted(spot.board)]  # type: ignore[union-attr]
    hands = hand_cards(52, 2)
    for line, pot, stack, reach in zip(
        leaves.lines, leaves.pot_chips, leaves.stack_chips, np.moveaxis(leaves.reach[:, 0], 1, 0), strict=True
    ):
        node = solution.at(line)
        assert (node.pot_chips, node.stacks_chips) == (pot, (stack, stack))
        np.testing.assert_allclose(node.ranges, reach, atol=1e-6)
        assert not reach[:, np.isin(hands, leaves.boards[0]).any(axis=1)].any()
    assert len(leaves.lines) == int((betting.kind == 4).sum())
    np.testing.assert_array_equal(leaves.contribution_chips, leaves.pot_chips / 2)


def test_what_tells_equal_hands_apart_is_refused() -> None:
    def first_hand_wins(leaves: errai.Leaves) -> np.ndarray:
        return np.broadcast_to(np.arange(leaves.reach.shape[-1], dtype=np.float64), leaves.reach.shape[1:])

    with pytest.raises(
        errai.ErraiError, match=r"after .call check. for AhJh and 22 for AsJs; suits make these hands equal"
    ):
        errai.solve(subject("two-cards-short"), depth=0, leaf_values=first_hand_wins, max_iterations=1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"depth": "turn"}, "needs both"),
        ({"leaf_values": ZeroLeafValues()}, "needs both"),
        ({"depth": "river", "leaf_values": ZeroLeafValues()}, "there are turn"),
        ({"depth": "flop", "leaf_values": ZeroLeafValues()}, "there are turn"),
        ({"depth": 3, "leaf_values": ZeroLeafValues()}, "there are turn"),
        ({"depth": "turn", "leaf_values": 7}, "function of errai.Leaves"),
        ({"depth": "turn", "leaf_values": lambda leaves: np.zeros(3)}, "have the shape"),
        (
            {"depth": "turn", "leaf_values": lambda leaves: np.full(leaves.reach.shape[1:], np.nan)},
            "are nan on the board 2s8hJhQs",
        ),
    ],
)
def test_what_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(errai.ErraiError, match=message):
        errai.solve(subject("turn"), max_iterations=1, **settings)  # type: ignore[arg-type]


def test_the_subjects_have_streets_below() -> None:
    assert all(subject(name).rules.num_rounds > 1 for name in SUBJECTS)
