"""The conformance kit of roots with a gadget."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from small_subjects import subject

import errai
from errai.engine.loop import Solver
from errai.engine.root import Alternatives, GivenReach, Root, in_classes, in_hands
from errai.engine.schedules import Schedule, find_schedule
from errai.errors import InputError
from errai.kernels.layout import BEST, FIXED
from errai.resolving.gadgets.maxmargin import EntersWithOne, OneHand
from errai.tree.public_tree import PublicTree, build_public_tree

SUBJECTS = ["leduc", "two-cards-short", "turn"]


def given(tree: PublicTree, schedule: Schedule) -> Root:
    halves = tuple(w * np.where(np.arange(len(w)) % 2, 1.0, 0.5) for w in tree.root.weights)
    return GivenReach(tree, (halves[0], halves[1]))


def alternatives(opponent: int) -> Callable[[PublicTree, Schedule], Root]:
    def made(tree: PublicTree, schedule: Schedule) -> Root:
        worth = np.random.default_rng(5).normal(scale=tree.initial_pot, size=len(tree.root.hands))
        return Alternatives(tree, schedule, opponent, worth)

    return made


def drawn_and_forced(opponent: int) -> Callable[[PublicTree, Schedule], Root]:
    """One of three alternatives is drawn for every hand, and a part of every second hand must follow."""

    def made(tree: PublicTree, schedule: Schedule) -> Root:
        generator = np.random.default_rng(6)
        worth = generator.normal(scale=tree.initial_pot, size=(3, len(tree.root.hands)))
        forced = np.where(np.arange(len(tree.root.hands)) % 2, generator.uniform(size=len(tree.root.hands)), 0.0)
        return Alternatives(tree, schedule, opponent, worth, forced)

    return made


def one_hand(opponent: int) -> Callable[[PublicTree, Schedule], Root]:
    """Values near those of playing on, so that several hands enter."""

    def made(tree: PublicTree, schedule: Schedule) -> Root:
        plain = Solver(tree, find_schedule("dcfr"), precision="float64")
        plain.iterate(20)
        worth = np.nan_to_num(in_hands(plain.kernel.root_values(plain.state.sums, opponent), tree, opponent))
        noise = np.random.default_rng(7).uniform(0.9, 1.1, len(worth))
        return EntersWithOne(tree, schedule, opponent, worth * noise)

    return made


MAKERS = {
    "given reach": given,
    "player 0 may refuse": alternatives(0),
    "player 1 may refuse": alternatives(1),
    "player 0 may refuse one of three, or must follow": drawn_and_forced(0),
    "player 1 may refuse one of three, or must follow": drawn_and_forced(1),
    "player 0 enters with one hand": one_hand(0),
    "player 1 enters with one hand": one_hand(1),
}


@pytest.fixture(params=[(kind, name) for kind in MAKERS for name in SUBJECTS], ids=" ".join)
def above(request: pytest.FixtureRequest) -> tuple[str, PublicTree]:
    """The root, and a tree that merges no hands at it."""
    kind, name = request.param
    return kind, build_public_tree(subject(name), isomorphism=False)


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("algorithm", ["dcfr", "cfr+", "pcfr+"])
def test_the_exploitability_of_what_is_learnt_falls(
    above: tuple[str, PublicTree], algorithm: str, simultaneous: bool
) -> None:
    kind, tree = above
    schedule = find_schedule(algorithm, simultaneous=simultaneous)
    solver = Solver(tree, schedule, precision="float64", root=MAKERS[kind](tree, schedule))
    measured = []
    for count in (1, 9, 90):
        solver.iterate(count)
        measured.append(solver.measure())
    assert min(min(m.by_player) for m in measured) > -1e-9 * tree.initial_pot
    assert measured[-1].chips < 0.2 * measured[0].chips
    assert measured[-1].pot_percent < 10.0


def test_what_enters_is_of_the_ranges_and_one_player_wins_what_the_other_loses(
    above: tuple[str, PublicTree],
) -> None:
    kind, tree = above
    schedule = find_schedule("dcfr")
    solver = Solver(tree, schedule, precision="float64", root=MAKERS[kind](tree, schedule))
    solver.iterate(5)
    for strategy in ("average", "current", "played"):
        entering = solver.entering(strategy)
        assert entering is not None
        source = solver.state.sums if strategy == "average" else solver.state.source
        chips = [
            [
                entering.chips(
                    solver.kernel.root_values(source, p, role=BEST if best else FIXED, reach=entering.reach),
                    p,
                    best=best,
                )
                for p in (0, 1)
            ]
            for best in (False, True)
        ]
        assert sum(chips[0]) == pytest.approx(0.0, abs=1e-9 * tree.initial_pot)
        assert all(best >= own - 1e-9 for own, best in zip(*chips, strict=True))
        for reach, whole in zip(entering.reach, tree.arrays.root_reach, strict=True):
            assert reach.shape == whole.shape
            assert (reach >= 0).all()
            assert np.isfinite(reach).all()
            assert (reach[whole == 0] == 0).all()
            # Who chooses the hand that enters brings more of it than the tree has.
            assert (reach <= whole).all() or isinstance(entering, OneHand)


def test_learning_goes_on_from_its_arrays(above: tuple[str, PublicTree]) -> None:
    kind, tree = above
    schedule = find_schedule("pcfr+")
    first, second = (Solver(tree, schedule, precision="float64", root=MAKERS[kind](tree, schedule)) for _ in range(2))
    first.iterate(6)
    second.adopt({name: array.copy() for name, array in first.arrays().items()})
    second.iteration = 6
    for solver in (first, second):
        solver.iterate(4)
    for mine, other in zip(first.arrays().values(), second.arrays().values(), strict=True):
        assert np.array_equal(mine, other)
    assert first.root is not None
    assert second.root is not None
    assert first.root.identity == second.root.identity


def test_given_reach_is_that_of_a_tree_with_these_ranges() -> None:
    tree = build_public_tree(subject("leduc"), isomorphism=False)
    schedule = find_schedule("dcfr")
    root = given(tree, schedule)
    one = Solver(tree, schedule, precision="float64", root=root)
    one.iterate(30)
    # The same ranges, laid into a lookahead's own tree.
    halves = tuple(w * np.where(np.arange(len(w)) % 2, 1.0, 0.5) for w in tree.root.weights)
    other_tree = build_public_tree(errai.lookahead(subject("leduc"), None, halves, None), isomorphism=False)  # type: ignore[arg-type]
    two = Solver(other_tree, schedule, precision="float64")
    two.iterate(30)
    assert one.measure().by_player == pytest.approx(two.measure().by_player, abs=1e-9)


def test_what_is_refused() -> None:
    tree = build_public_tree(subject("leduc"))
    schedule = find_schedule("dcfr")
    with pytest.raises(InputError, match="merges differ"):
        Alternatives(tree, schedule, 0, np.arange(6.0))
    with pytest.raises(InputError, match=r"are inf for Qh; each must be a finite"):
        Alternatives(tree, schedule, 0, np.full(6, np.inf))
    with pytest.raises(InputError, match=r"player 0's range have the shape \(5,\), not \(6,\)"):
        GivenReach(tree, (np.ones(5), np.ones(6)))
    with pytest.raises(InputError, match="negative"):
        GivenReach(tree, (-np.ones(6), np.ones(6)))
    apart, only = build_public_tree(subject("leduc"), isomorphism=False), np.eye(6)[0]
    with pytest.raises(InputError, match="shares a card"):
        GivenReach(apart, (only, only))
    assert len(in_classes(np.ones(6), tree, 0)) == 3
