"""Every method against linear programs, and its guarantee."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from drawn_arrays import random_strategy, same_arrays
from gadget_programs import HandByHand
from leaf_doubles import FixedContinuation
from numpy.typing import NDArray
from small_subgames import STATES, root_best, subgame_of

import errai
from errai.engine.root import MayRefuse
from errai.errors import MismatchError
from errai.games.hand import CALL, PublicState
from errai.kernels.backends import make_kernel
from errai.resolving.gadgets import METHODS, Distributional, Estimated, Maxmargin, Reach, Resolve
from errai.resolving.gadgets.adjusted import normal_parts
from errai.resolving.gadgets.maxmargin import Margins
from errai.resolving.gadgets.method import Method
from errai.resolving.resolve import solve_subgame
from errai.resolving.subgame import Subgame
from errai.resolving.values import subgame_at
from errai.solutions.solution import Solution
from errai.tree.public_tree import build_public_tree

EXACT = {"precision": "float64", "algorithm": "pcfr+", "max_iterations": 60_000}


def program_of(subgame: Subgame, method: Method) -> HandByHand:
    """The lookahead that the method enters, hand by hand."""
    state = subgame.state
    rest = errai.lookahead(state.subject, state, method.ranges(subgame), None)  # type: ignore[arg-type]
    return HandByHand(rest, subgame.opponent)


def solved(subgame: Subgame, method: Method | str, target: str = "1e-6chips") -> Solution:
    found = solve_subgame(subgame, method, target=target, **EXACT)  # type: ignore[arg-type]
    assert found.status == "target met"
    assert found.verify()
    assert sum(found.values.chips) == pytest.approx(0.0, abs=1e-12)
    return found


def expected_of(subgame: Subgame, method: Method) -> float:
    """What the opponent gets by the linear program."""
    gadget, program = method.gadget(subgame), program_of(subgame, method)
    assert gadget is not None
    if isinstance(gadget, Margins):
        return program.entering_with_one(gadget.values)
    assert isinstance(gadget, MayRefuse)
    return program.refusing(gadget.values, gadget.forced)


@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", [name for name in METHODS if name != "unsafe"])
def test_every_gadget_is_worth_what_a_linear_program_says(name: str, state: str, opponent: int) -> None:
    subgame = subgame_of(state, opponent)
    found = solved(subgame, name)
    expected = expected_of(subgame, METHODS[name])
    assert found.values.chips[opponent] == pytest.approx(expected, abs=3e-6)
    assert found.exploitability.chips <= 1e-6


@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize("name", ["aggressive", "maxmargin", "distributional"])
def test_hands_of_two_cards_that_block_each_other(name: str, opponent: int) -> None:
    subgame = subgame_of("river", opponent)
    found = solved(subgame, name, "1e-2chips")
    assert found.values.chips[opponent] == pytest.approx(expected_of(subgame, METHODS[name]), abs=2e-2)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr-foresight"])
@pytest.mark.parametrize("name", ["aggressive", "maxmargin", "distributional"])
def test_other_schedules_come_to_the_same(name: str, algorithm: str, updates: str) -> None:
    subgame = subgame_of("leduc", 1)
    found = solve_subgame(
        subgame, name, target="1e-3chips", algorithm=algorithm, updates=updates, precision="float64",
        max_iterations=20_000,
    )  # fmt: skip
    assert found.status == "target met"
    assert found.values.chips[1] == pytest.approx(expected_of(subgame, METHODS[name]), abs=2e-3)


@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ["resolve", "conservative", "maxmargin"])
def test_no_hand_gets_more_than_the_strategy_that_is_replaced_gave(name: str, state: str, opponent: int) -> None:
    subgame = subgame_of(state, opponent)
    after = root_best(solved(subgame, name), opponent)
    met = subgame.against > 0
    gain = (after[met] - subgame.values[met]) / subgame.against[met]
    assert gain.max() <= 1e-4
    # With the range that the opponent is thought to have it is a gain for the own side, and not the same strategy.
    assert gain.min() < -1e-2


@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize("state", STATES)
def test_the_smallest_margin_of_maxmargin_is_the_largest(state: str, opponent: int) -> None:
    subgame = subgame_of(state, opponent)
    met = subgame.against > 0

    def margins(name: str) -> NDArray[np.float64]:
        after = root_best(solved(subgame, name), opponent)
        return (subgame.values[met] - after[met]) / subgame.against[met]

    smallest = {name: margins(name).min() for name in ("maxmargin", "resolve", "conservative", "unsafe", "estimated")}
    # Elsewhere there is a hand that gets the same from every strategy.
    assert smallest["maxmargin"] > (0.1 if (state, opponent) == ("leduc", 0) else -1e-6)
    assert smallest["maxmargin"] >= max(smallest.values()) - 1e-5
    assert smallest["resolve"] >= -1e-4
    # What Maxmargin reports is the margin that a best response leaves.
    reported = -solved(subgame, "maxmargin").values.chips[opponent]
    assert smallest["maxmargin"] == pytest.approx(reported, abs=3e-6)


@pytest.mark.parametrize("name", METHODS)
def test_the_scale_of_the_own_range_changes_nothing_but_the_unit(name: str) -> None:
    """An own line that is played once in ten million hands; float32 as in play."""
    usual, rare = (subgame_of("leduc", 1, scale=scale) for scale in (1.0, 1e-7))
    found = [solve_subgame(s, name, max_iterations=300, precision="float32") for s in (usual, rare)]
    assert found[1].values.chips == pytest.approx(found[0].values.chips, abs=1e-3)


def test_gifts_raise_what_is_allowed() -> None:
    subgame = subgame_of("leduc", 0)
    assert subgame.gifts is not None
    assert subgame.estimated is not None
    for over in (Maxmargin(), Resolve()):
        raised = replace(subgame, values=subgame.values + subgame.gifts)
        expected = solved(raised, over).values.chips
        assert solved(subgame, Reach(over)).values.chips == pytest.approx(expected, abs=3e-6)
        assert solved(replace(subgame, gifts=np.zeros(6)), Reach(over)).values.chips == pytest.approx(
            solved(subgame, over).values.chips, abs=3e-6
        )
    raised = replace(subgame, values=subgame.estimated + subgame.gifts)
    expected = solved(raised, "maxmargin").values.chips
    assert solved(subgame, "reach-estimated").values.chips == pytest.approx(expected, abs=3e-6)


def test_alternatives_without_width_are_the_estimates() -> None:
    subgame = subgame_of("leduc", 1)
    expected = solved(subgame, Estimated(Resolve())).values.chips
    assert solved(subgame, Distributional(width=0.0)).values.chips == pytest.approx(expected, abs=3e-6)
    assert solved(subgame, Distributional(draws=1)).values.chips == pytest.approx(expected, abs=3e-6)
    seen = solved(subgame, Distributional(width=0.3)).values.chips
    assert seen[1] > expected[1] + 1e-2  # to know what was drawn is worth something


def test_parts_of_a_normal_distribution() -> None:
    draws = np.sort(np.random.default_rng(0).standard_normal(800_000)).reshape(8, -1)
    np.testing.assert_allclose(normal_parts(8), draws.mean(axis=1), atol=5e-3)
    assert normal_parts(8).sum() == pytest.approx(0.0, abs=1e-12)
    assert normal_parts(64).std() == pytest.approx(1.0, abs=1e-2)


def test_hands_that_suits_make_equal_stay_merged() -> None:
    """Up to rounding in what they are given: the tree with a gadget is no larger than the one without."""
    game = errai.load_game("leduc")
    even = np.array([1.0, 1.0, 0.9, 0.9, 0.8, 0.8])
    noise = 1.0 + 1e-15 * np.arange(6)
    subgame = Subgame(PublicState.start(game), 0, (even, even), even * noise, even / noise, even * noise)
    for name in METHODS:
        found = solve_subgame(subgame, name, max_iterations=10)
        assert [len(h.hand) for h in found.tree.deal.streets[0].hands] == [3, 3], name


@pytest.mark.parametrize("name", ["aggressive", "maxmargin", "distributional"])
def test_above_and_below_at_once(name: str) -> None:
    """A gadget over a lookahead that is cut after its street: the reported gain of a best response is the real one."""
    game = errai.load_game("leduc")
    whole = build_public_tree(game)
    generator = np.random.default_rng(2)
    strategy = random_strategy(whole, generator)
    below = FixedContinuation(whole, make_kernel("cpu", whole.arrays), strategy)
    values = np.repeat(generator.normal(size=3), 2)
    subgame = Subgame(PublicState.start(game), 0, (np.ones(6), np.ones(6)), values, values)
    found = solve_subgame(
        subgame, name, depth="street", leaf_values=below, target="1e-3chips", precision="float64", max_iterations=5000
    )
    assert found.status == "target met"
    assert found.verify(below)
    best = found.root.counterfactual(1, best=True)
    if name == "maxmargin":
        assert ((best - values) / subgame.against).max() == pytest.approx(found.values.chips[1], abs=2e-3)
    else:
        gadget = METHODS[name].gadget(subgame)
        assert isinstance(gadget, MayRefuse)
        drawn = np.maximum(best, np.atleast_2d(gadget.values)).mean(axis=0)
        share = np.zeros(6) if gadget.forced is None else gadget.forced
        chips = (share * best + (1.0 - share) * drawn) / subgame.against
        assert chips.mean() == pytest.approx(found.values.chips[1], abs=2e-3)


@pytest.mark.parametrize("name", ["aggressive", "maxmargin", "reach-distributional"])
def test_a_run_is_resumed_to_the_same_bits(name: str, tmp_path: Path) -> None:
    subgame = subgame_of("leduc", 1)
    whole = solve_subgame(subgame, name, max_iterations=40, precision="float64")
    path = tmp_path / "run.ckpt"
    solve_subgame(subgame, name, max_iterations=17, precision="float64", checkpoint=path)
    again = solve_subgame(subgame, name, max_iterations=40, precision="float64", checkpoint=path)
    assert again.iterations == 40
    assert again.exploitability == whole.exploitability
    assert same_arrays(again.strategy, whole.strategy)
    other = replace(subgame, values=subgame.values + 1, estimated=subgame.estimated + 1)
    with pytest.raises(MismatchError, match="its root"):
        solve_subgame(other, name, max_iterations=50, precision="float64", checkpoint=path)


@pytest.mark.parametrize("name", ["resolve", "conservative", "maxmargin"])
@pytest.mark.parametrize("spot", ["river", "turn"])
def test_safe_methods_on_spots(spot: str, name: str) -> None:
    """Any two cards on the river and a turn, in play's own precision: what hands get more is within the certificate."""
    subject = errai.load_spot(Path(__file__).parents[2] / "examples" / f"{spot}.toml")
    coarse = errai.solve(subject, "8%pot")
    subgame = subgame_at(coarse, PublicState.start(subject).after(CALL), 1)
    found = solve_subgame(subgame, name, menu=subject.menu, target="0.2%pot")
    assert found.status == "target met"
    met = subgame.against > 0
    gains = ((found.root.counterfactual(0, best=True) - subgame.values) / subgame.against)[met]
    allowed = 2.0 * found.exploitability.chips
    if name == "maxmargin":
        assert gains.max() < 0.0  # a coarse strategy leaves something to win from every hand
        assert gains.max() == pytest.approx(found.values.chips[0], abs=allowed)
    else:
        entered = METHODS[name].ranges(subgame)
        weights = (entered[0] * subgame.against)[met] / found.tree.pair_weight
        assert weights.sum() == pytest.approx(1.0)
        assert weights @ np.maximum(gains, 0.0) <= allowed
