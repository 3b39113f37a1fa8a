"""The conformance kit of kernels: what the reference computes, every backend must compute, on every sort of tree.

The reference is the definition.  ``cpu`` runs it in float64, where it must agree to rounding, and in float32, where it
must agree to 1e-5 of the pot, on every instruction set that this processor has.  ``cuda`` runs it in both on the CPU
where PyTorch is installed, and on a GPU where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cache, partial
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_arrays import filled
from odd_trees import with_locks, with_matrices, with_odd_ends, with_rake
from small_subjects import RIVER_ALIKE, TURN_ALIKE, spot_text
from small_subjects import subject as small_subject

from errai.cards.strength import HandRanking
from errai.engine.schedules import SCHEDULES, find_schedule
from errai.errors import BackendError
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.spot import Spot, load_spot, parse_spot
from errai.kernels import cpu
from errai.kernels.backends import make_kernel
from errai.kernels.batch import below, stack
from errai.kernels.layout import BEST, DECISION, FIXED, LEARNS, TreeArrays
from errai.kernels.protocol import COEFFICIENTS, Arrays, Kernel, State
from errai.kernels.reference import ReferenceKernel
from errai.tree.public_tree import PublicTree, build_public_tree

RIVER = spot_text(
    "Qs Jh 2c 8d 3s",
    "AA, KK:0.3, QQ, AQs:0.5, KQs, 98s, 76s, 54s, T9o",
    "JJ, TT, AJs, KJs:0.25, QJs, T9s, 65s, A5s, AQo",
    bet="50%, 100%, a",
    raises="100%, a",
    stack=300,
)
# Two suits play alike here, on the turn and in both ranges, and the river may break or keep that.
TURN = spot_text("Qs Jh 2s 8h", "QQ, T9s, AKo, 77", "22, AKs, JTo")
# Unequal ranges, and a called all-in on the turn runs out.
TURN_RAINBOW = spot_text("Qs Jh 2c 8d", "QQ, T9s:0.5, AKo", "22+, AhKh", bet="60%, a", pot=60, stack=[100, 150])
# Three suits play alike on this flop.
FLOP = spot_text("Td 9d 6d", "TT, AdKd, 87s", "99, AKs, QJs:0.5", bet="a", raises="", pot=40, stack=30)


@cache
def subject(name: str) -> Game | Spot:
    spots = {
        "river": RIVER,
        "turn": TURN,
        "turn-rainbow": TURN_RAINBOW,
        "flop": FLOP,
        "river-alike": RIVER_ALIKE,
        "turn-alike": TURN_ALIKE,
    }
    if name in spots:
        return parse_spot(spots[name])
    if name.startswith("example-"):
        return load_spot(EXAMPLES / f"{name.removeprefix('example-')}.toml")
    if name == "two-cards-short":
        # Two private cards, a flop of three, two rounds: many symmetries, collisions of every sort.
        return replace(load_game("holdem-2-1"), name=name, num_ranks=4, num_suits=2, ranking=HandRanking.STANDARD)
    return small_subject(name)


SUBJECTS = (
    "kuhn",
    "leduc",
    "leduc.nolimit",
    "rhode-island-short",
    "two-cards-short",
    "river",
    "turn",
    "turn-rainbow",
    "flop",
    "river-alike",
    "turn-alike",
)
ODDITIES: dict[str, Callable[[TreeArrays], TreeArrays]] = {
    "rake": with_rake,
    "ends": with_odd_ends,
    "matrices": with_matrices,
    "tied-matrices": partial(with_matrices, tie=True),
    "locks": with_locks,
    "fixed": partial(with_locks, roles=(FIXED,)),
}
ODD = (
    "kuhn, rake",
    "kuhn, matrices",
    "kuhn, ends locks",
    "leduc.nolimit, ends",
    "leduc, tied-matrices ends locks",
    "rhode-island-short, rake matrices",
    "two-cards-short, ends locks",
    "river, ends locks",
    "turn, matrices",
    "turn-rainbow, rake fixed",
    "flop, ends tied-matrices fixed",
    "river-alike, ends locks",
    "turn-alike, ends matrices locks",
)
"""Ends that are not zero-sum, pairs of hands whose worth no order gives, and hands that do not learn.  Where hands
respond best (``locks``), odd payoffs see to it that no two actions are equally good: rounding would choose."""
EXAMPLES = Path(__file__).parents[2] / "examples"
# By tree, so that what the reference says is computed by one of the processes that share the tests.
on_every_tree = pytest.mark.parametrize("name", [*SUBJECTS, *ODD], scope="module")
SMALL = ("kuhn", "leduc", "leduc.nolimit")
ONE_STREET = ("kuhn", "river", "river-alike")
LARGE = ("flop", "turn", "turn-rainbow", "turn-alike", "rhode-island-short", "two-cards-short")


def schedule_cases(name: str, schedules: Sequence[str] = tuple(SCHEDULES)) -> list[tuple[str, bool]]:
    """Every schedule with alternating updates, and on small games with simultaneous ones too."""
    return [(schedule, both) for schedule in schedules for both in ((False, True) if name in SMALL else (False,))]


def takes_long(name: str) -> bool:
    """Whether the reference takes long: on larger trees, of which there are odd ones."""
    plain, odd, _ = name.partition(", ")
    return plain in LARGE or (bool(odd) and plain not in SMALL)


def iterations(name: str) -> int:
    """How many iterations a tree is solved for: later coefficients are seen on trees of one street, as they know no
    tree, and on all of them in the slow sweep.
    """
    return 10 if name.partition(", ")[0] in ONE_STREET else 2 if name.startswith("flop") else 4


@cache
def tree(name: str) -> PublicTree:
    """The public tree of a subject of the kit; the text after a comma says what is odd about it."""
    plain, _, oddities = name.partition(", ")
    public = build_public_tree(subject(plain), alike=plain.endswith("-alike"))
    for oddity in oddities.split():
        made = copy(public)
        vars(made)["arrays"] = ODDITIES[oddity](public.arrays)
        public = made
    return public


@cache
def reference(name: str) -> ReferenceKernel:
    """The reference kernel of a tree, with its terminal matrices kept."""
    return ReferenceKernel(tree(name).arrays)


def values(public: PublicTree, kernel: object, arrays: Arrays) -> np.ndarray:
    """Value and both best responses of a strategy in pots."""
    found = [kernel.root_values(arrays, 0), *(kernel.root_values(arrays, p, role=BEST) for p in (0, 1))]
    chips = [public.chips(v, p) for v, p in zip(found, (0, 0, 1), strict=True)]
    return np.array(chips) / public.initial_pot


def run(name: str, kernel: object, dtype: type, schedule_name: str, simultaneous: bool, most: int) -> list[State]:
    """States after 1 and after ``most`` iterations."""
    schedule = find_schedule(schedule_name, simultaneous=simultaneous)
    state = State.zeros(tree(name).arrays, dtype, predictive=schedule.predictive, simultaneous=simultaneous)
    states = []
    for first, count in ((1, 1), (2, most - 1)):
        kernel.iterate(state, schedule.coefficients(first, count), weighted=schedule.weighted)
        states.append(copied(state))
    return states


@cache
def reference_run(name: str, schedule_name: str, simultaneous: bool, most: int) -> list[State]:
    """The reference's states, computed once for all backends."""
    return run(name, reference(name), np.float64, schedule_name, simultaneous, most)


@cache
def reference_values(name: str, schedule_name: str, simultaneous: bool, most: int) -> np.ndarray:
    """The values of the last of these states by the reference, in the same way."""
    return values(tree(name), reference(name), reference_run(name, schedule_name, simultaneous, most)[-1].sums)


@pytest.fixture(params=cpu.instruction_sets())
def instruction_set(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every instruction set of this processor in turn."""
    before = cpu.instruction_set()
    cpu.use_instruction_set(request.param)
    yield request.param
    cpu.use_instruction_set(before)


MakeKernel = Callable[[TreeArrays], Kernel]


@pytest.fixture(params=[*(f"cpu, {name}" for name in cpu.instruction_sets()), "cuda on the CPU", "cuda"])
def make(request: pytest.FixtureRequest) -> Iterator[MakeKernel]:
    """Every backend but the reference in turn, ``cpu`` on every instruction set."""
    backend, _, kind = request.param.partition(", ")
    if backend == "cpu":
        before = cpu.instruction_set()
        cpu.use_instruction_set(kind)
        yield lambda arrays: make_kernel("cpu", arrays)
        cpu.use_instruction_set(before)
        return
    torch = pytest.importorskip("torch")
    from errai.kernels.cuda import CudaKernel

    if backend == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU here")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield lambda arrays: CudaKernel(arrays, device="cuda" if backend == "cuda" else "cpu")
    torch.set_num_threads(before)


FEW = ("cfr", "dcfr-foresight", "pcfr+")
"""One schedule that adds up, one that foresees, one that predicts."""


def first_schedules(name: str) -> Sequence[str]:
    """All schedules on trees of one street and on plain Leduc, few on other trees of more, and on odd ones that are
    large and on the flop one, which discounts and foresees: what coefficients do at odd ends, to locked hands and
    below two deals of cards is seen on smaller trees.
    """
    if name.partition(", ")[0] in ONE_STREET or name == "leduc":
        return tuple(SCHEDULES)
    return ("dcfr-foresight",) if (takes_long(name) and ", " in name) or name == "flop" else FEW


@on_every_tree
def test_iterations_in_float64_equal_the_reference(name: str, make: MakeKernel) -> None:
    equal_the_reference(name, make, first_schedules(name), iterations(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in (*SUBJECTS, *ODD) if iterations(name) < 10], scope="module")
def test_iterations_with_the_other_schedules_equal_the_reference_too(name: str, make: MakeKernel) -> None:
    equal_the_reference(name, make, tuple(SCHEDULES), 10)


def equal_the_reference(name: str, make: MakeKernel, schedules: Sequence[str], most: int) -> None:
    kernel = make(tree(name).arrays)
    for schedule_name, simultaneous in schedule_cases(name, schedules):
        ours = run(name, kernel, np.float64, schedule_name, simultaneous, most)
        expected = reference_run(name, schedule_name, simultaneous, most)
        for count, mine, theirs in zip((1, most), ours, expected, strict=True):
            case = f"{schedule_name}, simultaneous={simultaneous}, {count} iterations"
            for here, there in ((mine.regrets, theirs.regrets), (mine.sums, theirs.sums)):
                scale = max(np.abs(a).max(initial=0.0) for pair in there for a in pair)
                for a, b in zip(chain(*here), chain(*there), strict=True):
                    np.testing.assert_allclose(a, b, rtol=0, atol=1e-8 * scale, err_msg=case)
        # Sums that are the same have the same worth, which is asked for at length below.
        if schedule_name == schedules[0]:
            here, there = (
                values(tree(name), kernel, mine.sums),
                reference_values(name, schedule_name, simultaneous, most),
            )
            np.testing.assert_allclose(here, there, rtol=0, atol=1e-9, err_msg=case)


# solve() takes float32 for trees of more than 5,000 entries, so this is about spots.
@pytest.mark.parametrize(
    "name", ["example-river", pytest.param("example-turn", marks=pytest.mark.slow)], scope="module"
)
def test_iterations_in_float32_equal_the_reference_to_a_hundred_thousandth_of_the_pot(
    name: str, make: MakeKernel
) -> None:
    kernel = make(tree(name).arrays)
    for schedule_name, simultaneous in schedule_cases(name):
        ours = run(name, kernel, np.float32, schedule_name, simultaneous, 10)
        here, there = values(tree(name), kernel, ours[-1].sums), reference_values(name, schedule_name, simultaneous, 10)
        assert abs(here[0] - there[0]) <= 1e-5, schedule_name
        # A best response looks for what rounding changed, so it sees a little more of it; most where own reach does
        # not weight the average, and hands that hardly get somewhere count there like all others.
        seen = 1e-4 if find_schedule(schedule_name).weighted else 3e-4
        np.testing.assert_allclose(here[1:], there[1:], rtol=0, atol=seen, err_msg=schedule_name)


def copied(state: State) -> State:
    """A state of the same numbers in arrays of its own."""
    groups = {"regrets": state.regrets, "sums": state.sums, "scales": state.scales}
    return State(**{name: group and [[a.copy() for a in pair] for pair in group] for name, group in groups.items()})


def regrets_of(public: PublicTree, state: State) -> list[tuple[np.ndarray, np.ndarray]]:
    """By street and player the regrets of a 16-bit state in chips, and the size of a step of each."""
    assert state.scales is not None
    found = []
    for s, street in enumerate(public.arrays.streets):
        for p in (0, 1):
            nodes = np.flatnonzero((street.kind == DECISION) & (street.actor == p))
            hands = np.diff(street.hands[p].start)
            steps = state.scales[s][p].reshape(street.num_boards, len(nodes))
            blocks = [np.repeat(steps[b], street.num_children[nodes] * hands[b]) for b in range(street.num_boards)]
            worth = np.concatenate([np.zeros(0), *blocks])
            found.append((worth * state.regrets[s][p], worth))
    return found


@cache
def reference_in_16_bits(name: str, algorithm: str, averages: type) -> list[State]:
    """The reference's states before the first and after each half of three iterations, of six on small trees, and of
    two on the flop, after which averages and regrets have all that they can have.
    """
    schedule = find_schedule(algorithm, weighted=False)
    state = State.zeros(tree(name).arrays, np.int16, predictive=False, simultaneous=False, averages=averages)
    states = [copied(state)]
    for row, player in product(schedule.coefficients(1, min(3, iterations(name)) if takes_long(name) else 6), (0, 1)):
        reference(name).update(state, player, row, weighted=False)
        states.append(copied(state))
    return states


IN_16_BITS = (("dcfr4", np.uint16), ("dcfr-foresight", np.uint8))
LONG_IN_16_BITS = ("turn-rainbow, rake fixed", "flop", "turn, matrices", "flop, ends tied-matrices fixed")
"""Trees on which one of the two is enough, in turn: whatever is odd about them, and the flop, is seen in both."""


@pytest.mark.parametrize(
    ("name", "algorithm", "averages"),
    [
        (name, *both)
        for name in (*SUBJECTS, *(n for n in ODD if " locks" not in n), "example-river")
        for number, both in enumerate(IN_16_BITS)
        if name not in LONG_IN_16_BITS or LONG_IN_16_BITS.index(name) % 2 != number
    ],
    scope="module",
)
def test_iterations_in_16_bits_equal_the_reference_to_a_step(
    name: str, algorithm: str, averages: type, instruction_set: str
) -> None:
    """Half an iteration at a time, each from the reference's state, so that no difference can grow."""
    public = tree(name)
    kernel = make_kernel("cpu", public.arrays)
    states = reference_in_16_bits(name, algorithm, averages)
    rows = find_schedule(algorithm, weighted=False).coefficients(1, len(states) // 2)
    for place, (before, theirs) in enumerate(pairwise(states)):
        ours = copied(before)
        kernel.update(ours, place % 2, rows[place // 2], weighted=False)
        pairs = list(zip(regrets_of(public, ours), regrets_of(public, theirs), strict=True))
        largest = max(np.abs(there).max(initial=0.0) for _, (there, _) in pairs)
        for (here, _), (there, step) in pairs:
            # A step, and what single precision leaves of a difference between sums over the whole range: on the
            # example river 1.4e-5 of the largest regret in float32, 1.7e-5 with foresight.
            assert (np.abs(here - there) <= 1.001 * step + 2e-5 * largest).all()
        for a, b in zip(ours.sums, theirs.sums, strict=True):
            for here, there in zip(a, b, strict=True):
                assert (np.abs(here.astype(int) - there) <= 1).all()
    assert max(int(a.max(initial=0)) for pair in theirs.regrets for a in pair) == 32767


@cache
def random_strategies(name: str) -> list[tuple[Arrays, dict[tuple[int, int], np.ndarray]]]:
    """Strategies of each type, on large trees of two and on large odd ones of one, and what they are worth by the
    reference, by player and role.
    """
    generator = np.random.default_rng(7)
    found = []
    types = (np.int16, np.float64, np.float32, np.uint16, np.uint8)
    for dtype in types[: 5 if not takes_long(name) else 1 if ", " in name else 2]:
        strategy = tree(name).arrays.zeros(dtype)
        for pair in strategy:
            for array in pair:
                # Rows of zeros, which mean the uniform strategy, come up too.
                weights = generator.random(array.size) * (250 if dtype == np.uint8 else 1000)
                array[...] = np.where(generator.random(array.size) < 0.3, 0, weights)
                if dtype == np.int16:  # regrets, of which the negative count as none
                    array[::5] *= -1
        worth = {
            (p, role): reference(name).root_values(strategy, p, role=role) for p in (0, 1) for role in (FIXED, BEST)
        }
        found.append((strategy, worth))
    return found


@on_every_tree
def test_a_random_strategy_is_worth_the_same(name: str, make: MakeKernel) -> None:
    kernel = make(tree(name).arrays)
    for strategy, worth in random_strategies(name):
        for (player, role), there in worth.items():
            here = kernel.root_values(strategy, player, role=role)
            np.testing.assert_allclose(here, there, rtol=0, atol=1e-9 * max(1.0, np.abs(there).max()))
            quick = kernel.root_values(strategy, player, role=role, exact=False)
            np.testing.assert_allclose(quick, there, rtol=0, atol=1e-5 * max(1.0, np.abs(there).max()))


@on_every_tree
def test_values_on_a_board_are_the_same(name: str, make: MakeKernel) -> None:
    public = tree(name)
    kernel = make(public.arrays)
    generator = np.random.default_rng(3)
    strategy = filled(public.arrays.zeros(np.float32), generator.random)
    # The first street of a large tree takes as long as all of it.
    for s, street in [*enumerate(public.arrays.streets)][len(public.arrays.streets) > 1 and takes_long(name) :]:
        board = street.num_boards // 2
        for player in (0, 1):
            start = street.hands[1 - player].start
            reach = generator.random((street.num_entries, int(start[board + 1] - start[board])))
            for role in (FIXED, BEST):
                here = kernel.board_values(strategy, player, s, board, reach, role=role)
                there = reference(name).board_values(strategy, player, s, board, reach, role=role)
                np.testing.assert_allclose(here, there, rtol=0, atol=1e-9 * max(1.0, np.abs(there).max()))


@pytest.mark.parametrize("name", ["leduc", "leduc.nolimit", "rhode-island-short", "turn"])
def test_values_on_a_board_above_leaves_are_those_at_the_root(name: str, make: MakeKernel) -> None:
    trunk = build_public_tree(subject(name), last_street=0)
    kernels = make(trunk.arrays), ReferenceKernel(trunk.arrays)
    generator = np.random.default_rng(6)
    strategy = filled(trunk.arrays.zeros(np.float64), generator.random)
    for player in (0, 1):
        leaves = [trunk.arrays.leaf_zeros(0, player, np.float64)]
        leaves[0][...] = generator.normal(size=leaves[0].size)
        reach = trunk.arrays.root_reach[1 - player][None, :]
        for role in (FIXED, BEST):
            here, there = (
                k.board_values(strategy, player, 0, 0, reach, role=role, leaf_values=leaves) for k in kernels
            )
            np.testing.assert_allclose(here, there, rtol=0, atol=1e-9 * max(1.0, np.abs(there).max()))
            root = kernels[0].root_values(strategy, player, role=role, leaf_values=leaves)
            np.testing.assert_allclose(here[0], root, rtol=0, atol=1e-9 * max(1.0, np.abs(root).max()))


@pytest.mark.parametrize("name", ["leduc", "leduc.nolimit", "rhode-island-short", "turn"])
def test_leaves_are_reached_and_valued_the_same(name: str, make: MakeKernel) -> None:
    trunk = build_public_tree(subject(name), last_street=0)
    ours, theirs = make(trunk.arrays), ReferenceKernel(trunk.arrays)
    generator = np.random.default_rng(5)
    source = filled(trunk.arrays.zeros(np.float64), partial(generator.normal, 0.0, 1.0))
    source[0][0][::5] = 0.5 * trunk.arrays.tie
    found = [theirs.leaf_reach(source, tied=tied) for tied in (True, False)]
    assert not np.array_equal(found[0][0][0], found[1][0][0])
    for tied, expected in zip((True, False), found, strict=True):
        for here, there in zip(ours.leaf_reach(source, tied=tied), expected, strict=True):
            for a, b in zip(here, there, strict=True):
                np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
    given = tuple(generator.uniform(0.0, 2.0, r.size) for r in trunk.arrays.root_reach)
    for kernel in (ours, theirs):
        # What is given takes the place of the ranges, hand by hand.
        for p, array in enumerate(kernel.leaf_reach(source, tied=False, reach=given)):
            factor = np.repeat(
                given[p][None, :] / trunk.arrays.root_reach[p], trunk.arrays.streets[0].num_leaves, axis=0
            )
            np.testing.assert_allclose(array[0], found[1][p][0] * factor.ravel(), rtol=0, atol=1e-12)
    leaf_values = [trunk.arrays.leaf_zeros(0, p, np.float64) for p in (0, 1)]
    for array in leaf_values:
        array[...] = generator.normal(size=array.size)
    for player in (0, 1):
        here = ours.root_values(source, player, role=BEST, leaf_values=[leaf_values[player]])
        there = theirs.root_values(source, player, role=BEST, leaf_values=[leaf_values[player]])
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-10 * np.abs(there).max())
        states = [State.zeros(trunk.arrays, np.float64, predictive=False, simultaneous=False) for _ in range(2)]
        row = find_schedule("dcfr").coefficients(1, 1)[0]
        for kernel, state in zip((ours, theirs), states, strict=True):
            kernel.update(state, player, row, leaf_values=[leaf_values[player]])
        np.testing.assert_allclose(
            states[0].regrets[0][player], states[1].regrets[0][player], rtol=0, atol=1e-10 * np.abs(there).max()
        )


@cache
def below_the_root(name: str) -> TreeArrays:
    """What is below the first street, for all of its boards at once: what a streamed subgame is."""
    whole = tree(name).arrays
    return stack([below(whole, 1, b)[0] for b in range(whole.streets[1].num_boards)]).arrays


def below_the_root_by(
    kernel: Kernel, forest: TreeArrays, reach: tuple[np.ndarray, np.ndarray], strategy: Arrays
) -> tuple[list[np.ndarray], list[np.ndarray], State]:
    """What a kernel says of a strategy and in three iterations, with a reach that it is given."""
    worth = [kernel.root_values(strategy, p, role=r, reach=reach) for p, r in product((0, 1), (FIXED, BEST))]
    state = State.zeros(forest, np.float64, predictive=False, simultaneous=False)
    rows = find_schedule("dcfr-foresight").coefficients(1, 3)
    learnt = [kernel.update(state, p, row, weighted=True, reach=reach) for row, p in product(rows, (0, 1))]
    return worth, learnt, state


@cache
def drawn_below_the_root(name: str) -> tuple[Any, ...]:
    """A reach, a strategy, and what the reference makes of them, once for all backends."""
    forest = below_the_root(name)
    root, rng = forest.streets[0], np.random.default_rng(5)
    sizes = [root.num_entries * int(h.start[-1]) for h in root.hands]
    reach = (rng.random(sizes[0]), rng.random(sizes[1]))
    strategy = filled(forest.zeros(np.float64), rng.random)
    return reach, strategy, *below_the_root_by(ReferenceKernel(forest), forest, reach, strategy)


@pytest.mark.parametrize(
    "name", ["leduc", "leduc.nolimit", "rhode-island-short", "two-cards-short", "turn"], scope="module"
)
def test_roots_of_many_boards_and_entries_take_the_reach_they_are_given(name: str, make: MakeKernel) -> None:
    forest = below_the_root(name)
    assert forest.streets[0].num_boards == tree(name).arrays.streets[1].num_boards
    reach, strategy, worth, learnt, state = drawn_below_the_root(name)
    kernel = make(forest)
    here = below_the_root_by(kernel, forest, reach, strategy)
    for found, expected in zip(here[0] + here[1], worth + learnt, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9)
    assert [values.size for values in here[1][:2]] == [r.size for r in reach]
    for expected, found in zip(state.arrays().values(), here[2].arrays().values(), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9 * max(1.0, np.abs(expected).max(initial=0.0)))
    with pytest.raises(ValueError, match="reach at the root"):
        kernel.root_values(strategy, 0, role=BEST, reach=(reach[0][1:], reach[1]))


ROLES = (FIXED, BEST, "best last", "fixed first")


def by_street(role: int | str, streets: int) -> int | list[int]:
    """Roles for an update, by what they are called in the kit."""
    if role == "best last":
        return [*[LEARNS] * (streets - 1), BEST]
    return [FIXED, *[LEARNS] * (streets - 1)] if role == "fixed first" else role


def in_roles(name: str, kernel: Kernel, algorithm: str) -> Iterator[tuple[np.ndarray, State]]:
    """The values and the state of an update of drawn regrets, in all roles and for both players."""
    public, schedule = tree(name), find_schedule(algorithm)
    row, streets = schedule.coefficients(3, 1)[0], len(public.arrays.streets)
    for role, p in product(ROLES, (0, 1)):
        state = State.zeros(public.arrays, np.float64, predictive=schedule.predictive, simultaneous=False)
        # Where actions are equally good either may be taken for the best: what is drawn leaves no such ties.
        rng = np.random.default_rng(8)
        filled(state.source, lambda shape, rng=rng: rng.random(shape) * public.initial_pot)
        yield kernel.update(state, p, row, role=by_street(role, streets), weighted=schedule.weighted), state


def responses(name: str, kernel: Kernel, strategy: Arrays) -> list[np.ndarray]:
    """What a strategy is worth to players who respond best from a street on."""
    streets = len(tree(name).arrays.streets)
    roles = [[*[FIXED] * first, *[BEST] * (streets - first)] for first in range(streets + 1)]
    return [kernel.root_values(strategy, p, role=r) for p, r in product((0, 1), roles)]


@cache
def reference_in_roles(name: str) -> tuple[dict[str, list[tuple[np.ndarray, State]]], list[np.ndarray]]:
    """The reference's updates by algorithm, and responses to the last of these states, once for all backends."""
    updates = {algorithm: list(in_roles(name, reference(name), algorithm)) for algorithm in ("dcfr-foresight", "pcfr+")}
    return updates, responses(name, reference(name), updates["pcfr+"][-1][1].regrets)


@pytest.mark.parametrize(
    "name", ["kuhn", "leduc", "rhode-island-short", "turn", "leduc, tied-matrices ends locks"], scope="module"
)
def test_roles_by_street_equal_the_reference(name: str, make: MakeKernel) -> None:
    kernel = make(tree(name).arrays)
    updates, worth = reference_in_roles(name)
    for algorithm, expected in updates.items():
        for (found, state), (wanted, theirs) in zip(in_roles(name, kernel, algorithm), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
            for here, there in zip(state.arrays().values(), theirs.arrays().values(), strict=True):
                np.testing.assert_allclose(here, there, rtol=0, atol=1e-9 * max(1.0, np.abs(there).max(initial=0.0)))
    for found, wanted in zip(responses(name, kernel, theirs.regrets), worth, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


def test_streets_on_which_hands_are_fixed_keep_their_state_to_the_bit(make: MakeKernel) -> None:
    arrays = tree("leduc").arrays
    kernel, schedule = make(arrays), find_schedule("dcfr")
    state = State.zeros(arrays, np.float64, predictive=False, simultaneous=False)
    kernel.iterate(state, schedule.coefficients(1, 3))
    before = {name: array.copy() for name, array in state.arrays().items()}
    for player in (0, 1):
        kernel.update(state, player, schedule.coefficients(4, 1)[0], role=[FIXED, LEARNS])
    for name, array in state.arrays().items():
        assert np.array_equal(array, before[name]) == name.split("/")[1].startswith("0"), name


def test_learning_against_a_best_response_converges_to_the_equilibrium_of_kuhn(make: MakeKernel) -> None:
    """CFR-BR (Johanson et al. 2012): the average strategy against best responses converges to an equilibrium."""
    public = tree("kuhn")
    kernel, schedule = make(public.arrays), find_schedule("cfr+")
    for learner in (0, 1):
        state = State.zeros(public.arrays, np.float64, predictive=False, simultaneous=False)
        lost = []
        for iteration, row in enumerate(schedule.coefficients(1, 400), start=1):
            kernel.update(state, 1 - learner, row, role=BEST)
            kernel.update(state, learner, row)
            if iteration in (50, 400):
                best = public.chips(kernel.root_values(state.sums, 1 - learner, role=BEST), 1 - learner)
                lost.append(best - (-1.0) ** learner / 18.0)
        # It falls with the root of the iterations.
        assert 0.0 < lost[1] < 8e-3
        assert lost[1] < 0.7 * lost[0]


def test_roles_that_are_none_are_refused(make: MakeKernel) -> None:
    arrays = tree("leduc").arrays
    kernel, row = make(arrays), find_schedule("dcfr").coefficients(1, 1)[0]
    state = State.zeros(arrays, np.float64, predictive=False, simultaneous=False)
    for role in (3, [LEARNS], [FIXED] * 3):
        with pytest.raises(ValueError, match="roles must be"):
            kernel.update(state, 0, row, role=role)
    for role in (LEARNS, [LEARNS, BEST]):
        with pytest.raises(ValueError, match="roles must be"):
            kernel.root_values(state.sums, 0, role=role)


def test_16_bits_do_not_learn_to_respond_best(instruction_set: str) -> None:
    row = find_schedule("dcfr4", weighted=False).coefficients(1, 1)
    for name in ("leduc", "kuhn, ends locks"):
        arrays = tree(name).arrays
        for kernel in (make_kernel("cpu", arrays), ReferenceKernel(arrays)):
            state = State.zeros(arrays, np.int16, predictive=False, simultaneous=False)
            with pytest.raises(ValueError, match="16 bits"):
                kernel.update(state, 0, row[0], role=LEARNS if "locks" in name else BEST, weighted=False)


def test_the_number_of_threads_changes_no_bit() -> None:
    spot = parse_spot(TURN_RAINBOW.replace('"QQ, T9s:0.5, AKo"', '"22+, A2s+, K2s+, QTs+, JTs, ATo+"'))
    public = build_public_tree(spot)
    assert public.entries > 100_000, "the tree must be large enough for the kernel to start threads"
    table = find_schedule("dcfr-foresight").coefficients(1, 12)
    results = []
    for threads in (1, 2, 3, 8):
        kernel = make_kernel("cpu", public.arrays, threads)
        state = State.zeros(public.arrays, np.float32, predictive=False, simultaneous=False)
        kernel.iterate(state, table)
        results.append((state, [kernel.root_values(state.sums, p, role=BEST) for p in (0, 1)]))
    first, first_values = results[0]
    for state, found in results[1:]:
        for name, array in state.arrays().items():
            assert np.array_equal(array, first.arrays()[name]), name
        assert all(np.array_equal(a, b) for a, b in zip(found, first_values, strict=True))


def test_wrong_16_bit_states_are_refused() -> None:
    arrays = tree("leduc").arrays
    state = State.zeros(arrays, np.int16, predictive=False, simultaneous=False)
    state.scales = None
    with pytest.raises(ValueError, match="or int16 with averages"):
        make_kernel("cpu", arrays).iterate(state, np.ones((1, len(COEFFICIENTS))))


def test_wrong_arrays_are_refused_before_the_kernel_sees_them(make: MakeKernel) -> None:
    arrays = tree("leduc").arrays
    kernel = make(arrays)
    strategy = arrays.zeros(np.float64)
    strategy[0][0] = strategy[0][0][:-1]
    with pytest.raises(ValueError, match="do not belong"):
        kernel.root_values(strategy, 0, role=BEST)
    state = State.zeros(arrays, np.float64, predictive=False, simultaneous=False)
    state.sums = arrays.zeros(np.float32)
    with pytest.raises(ValueError, match="all float32"):
        kernel.iterate(state, np.ones((1, len(COEFFICIENTS))))
    with pytest.raises(ValueError, match="columns"):
        kernel.iterate(State.zeros(arrays, np.float64, predictive=False, simultaneous=False), np.ones((1, 4)))
    with pytest.raises(ValueError, match="shape"):
        kernel.board_values(arrays.zeros(np.float64), 0, 1, 0, np.ones((2, 2)))


def test_unknown_backends_and_instruction_sets_are_named() -> None:
    with pytest.raises(BackendError, match="cpu, reference"):
        make_kernel("abacus", tree("kuhn").arrays)
    with pytest.raises(BackendError, match="baseline"):
        cpu.use_instruction_set("mmx")
