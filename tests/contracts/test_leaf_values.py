"""The conformance kit of leaf values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from drawn_arrays import random_reach, random_strategy, same_arrays
from leaf_doubles import FixedContinuation, ZeroLeafValues
from small_subjects import subject

import errai
from errai.cards.hands import hand_cards
from errai.cluster.folder import RunFolder
from errai.cluster.partition import Budget, lay_out
from errai.cluster.streamed import StreamedSubgames
from errai.cluster.worker import Setup, make_runner
from errai.engine.leaf_values import FunctionLeafValues, HalfIteration, LeafValues, Pair
from errai.engine.schedules import find_schedule
from errai.kernels.backends import make_kernel
from errai.resolving.continuations import ContinuationLeafValues, Continuations
from errai.resolving.oracle import ExactLeafValues
from errai.solutions.subjects import subject_document
from errai.strategies.buckets import by_strength
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


@pytest.fixture(params=[(kind, name) for kind in MAKERS for name in SUBJECTS], ids=" ".join)
def below(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[LeafValues, PublicTree, Pair]]:
    """Leaf values, their trunk, and some reach at its leaves."""
    kind, name = request.param
    trunk = build_public_tree(subject(name), last_street=0)
    reach = random_reach(trunk)
    made = MAKERS[kind](name, trunk, tmp_path)
    yield made, trunk, reach
    if isinstance(made, StreamedSubgames):
        made.runner.close()


Below = tuple[LeafValues, PublicTree, Pair]


def root_chips(trunk: PublicTree, values: Pair, reach: Pair) -> tuple[float, float]:
    """The chips of leaf values for each player, weighted by the boards and hands of the trunk's only street."""
    found = []
    for p in (0, 1):
        own = np.repeat(trunk.class_sizes[p][None, :], trunk.arrays.streets[0].num_leaves, axis=0).ravel()
        found.append(float((own * reach[p][0]) @ values[p][0]))
    return found[0], found[1]


def test_one_players_values_are_arrays_of_his_leaves(below: Below) -> None:
    made, trunk, reach = below
    given = [[a.copy() for a in arrays] for arrays in reach]
    for p in (0, 1):
        values = made.values(trunk, reach, p)
        assert [a.shape for a in values] == [a.shape for a in reach[p]]
        assert all(a.dtype == np.float64 and np.isfinite(a).all() for a in values)
    assert same_arrays(given, reach)


def test_values_are_weighted_by_the_opponents_reach_alone(below: Below) -> None:
    made, trunk, reach = below
    for p in (0, 1):
        values = made.values(trunk, reach, p)
        more = tuple([a * (3.0 if q != p else 0.5) for a in arrays] for q, arrays in enumerate(reach))
        for a, b in zip(values, made.values(trunk, (more[0], more[1]), p), strict=True):
            np.testing.assert_allclose(3.0 * a, b, rtol=1e-12, atol=1e-9)


def test_what_one_player_wins_the_other_loses_where_they_say_so(below: Below) -> None:
    made, trunk, reach = below
    found = root_chips(trunk, (made.values(trunk, reach, 0), made.values(trunk, reach, 1)), reach)
    if made.zero_sum:
        assert sum(found) == pytest.approx(0.0, abs=1e-9 * trunk.initial_pot * trunk.pair_weight)


def test_a_measurement_has_both_players_values_and_responses_that_are_no_worse(below: Below) -> None:
    made, trunk, reach = below
    measured = made.measure(trunk, reach)
    assert measured.zero_sum == made.zero_sum
    for p in (0, 1):
        for a, b in zip(measured.values[p], made.values(trunk, reach, p), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
        assert (measured.best[p][0] - measured.values[p][0]).min() > -1e-9 * trunk.initial_pot
    quick = made.measure(trunk, reach, exact=False)
    for p in (0, 1):
        gain = [q.best[p][0] for q in (measured, quick)]
        np.testing.assert_allclose(*gain, atol=1e-4 * max(1.0, np.abs(gain[0]).max()))


@pytest.mark.parametrize("first", [0, 1])
def test_either_player_may_come_first(below: Below, first: int) -> None:
    made, trunk, reach = below
    schedule, learnt = find_schedule("dcfr"), [0, 0]
    for p in (first, 1 - first, first, 1 - first):
        before = made.values(trunk, reach, p)
        row = schedule.coefficients(learnt[p] + 1, 1)[0]
        learning = made.learn(trunk, HalfIteration(p, (learnt[0], learnt[1]), reach, row, schedule.weighted))
        assert [a.shape for a in learning] == [a.shape for a in before]
        if not any(learnt):
            # Without foresight leaves are worth to who learns what they were worth before.
            for a, b in zip(before, learning, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
        learnt[p] += 1


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
