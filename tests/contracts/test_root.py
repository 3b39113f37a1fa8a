"""Roots with a gadget of all kinds against the kit, and what is refused."""

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
from errai.resolving.gadgets.maxmargin import EntersWithOne
from errai.testing import check_root
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


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in MAKERS for name in SUBJECTS])
def test_all_roots_keep_the_contract(kind: str, name: str) -> None:
    """On a tree that merges no hands."""
    tree = build_public_tree(subject(name), isomorphism=False)
    check_root(MAKERS[kind], tree)
    if "one hand" not in kind:  # Who chooses the hand that enters brings more of it than the tree has.
        solver = Solver(tree, find_schedule("dcfr"), root=MAKERS[kind](tree, find_schedule("dcfr")))
        solver.iterate(5)
        entering = solver.entering("average")
        assert entering is not None
        assert all((a <= b).all() for a, b in zip(entering.reach, tree.arrays.root_reach, strict=True))


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
