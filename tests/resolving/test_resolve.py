"""Re-solving with alternatives at the root: an independent linear program, and the gadget's guarantee."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_arrays import random_strategy, same_arrays
from gadget_programs import HandByHand
from leaf_doubles import FixedContinuation
from numpy.typing import NDArray

import errai
from errai.errors import InputError, MismatchError, SolverOptionError
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.lookahead import Lookahead
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST
from errai.tree.public_tree import build_public_tree


def kuhn() -> Lookahead:
    game = errai.load_game("kuhn")
    state = PublicState.start(game).after(CALL)
    return errai.lookahead(game, state, (np.array([0.7, 0.2, 1.0]), np.array([1.0, 0.5, 0.25])), None)


def leduc() -> Lookahead:
    game = errai.load_game("leduc")
    state = PublicState.start(game).after(CALL).after(raise_to(3)).after(CALL).with_cards((2,)).after(CALL)
    generator = np.random.default_rng(4)
    return errai.lookahead(game, state, tuple(generator.uniform(0.2, 1.0, 6) for _ in (0, 1)), None)


LOOKAHEADS = {"kuhn": kuhn, "leduc": leduc}


def values_at_stake(subject: Lookahead, opponent: int, seed: int) -> NDArray[np.float64]:
    """Alternatives near the values of entering, so that some are taken and some are not."""
    plain = errai.solve(subject, "1e-3chips", precision="float64")
    values = plain.root_values.counterfactual[opponent]
    return values + np.random.default_rng(seed).normal(scale=0.3 * np.nanstd(values), size=len(values))


@pytest.mark.parametrize(
    ("algorithm", "target", "off"), [("pcfr+", 3e-7, 1e-6), ("cfr+", 1e-4, 3e-4), ("dcfr-foresight", 1e-4, 3e-4)]
)
@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize("name", LOOKAHEADS)
def test_the_gadget_is_worth_what_a_linear_program_says(
    name: str, opponent: int, algorithm: str, target: float, off: float
) -> None:
    subject = LOOKAHEADS[name]()
    alternatives = values_at_stake(subject, opponent, 1)
    found = errai.solve(
        subject, f"{target}chips", opponent_values=alternatives, opponent=opponent, precision="float64",
        algorithm=algorithm, max_iterations=20_000,
    )  # fmt: skip
    assert found.status == "target met"
    expected = HandByHand(subject, opponent).refusing(alternatives)
    assert found.values.chips[opponent] == pytest.approx(expected, abs=off)
    assert found.values.chips[1 - opponent] == pytest.approx(-expected, abs=off)
    assert found.verify()
    assert found.entering is not None
    follows = found.entering.reach[opponent] / found.tree.arrays.root_reach[opponent]
    assert follows.min() < 0.5
    assert name == "kuhn" or follows.max() > 0.5


@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize("name", LOOKAHEADS)
def test_no_hand_of_the_opponent_gets_more_than_before(name: str, opponent: int) -> None:
    """The guarantee of Burch et al.: what the strategy that is re-solved allowed, the new one allows at most."""
    subject = LOOKAHEADS[name]()
    before = errai.solve(subject, "1e-6chips", precision="float64", algorithm="pcfr+")
    best = before.kernel.root_values(before.strategy, opponent, role=BEST)
    hands = before.tree.deal.streets[0].hands[opponent]
    allowed = np.zeros(len(before.tree.root.hands))
    allowed[hands.member] = np.repeat(best, np.diff(hands.member_start))
    after = errai.solve(
        subject, "1e-6chips", opponent_values=allowed, opponent=opponent, precision="float64", algorithm="pcfr+"
    )
    again = after.kernel.root_values(after.strategy, opponent, role=BEST)
    mine = after.tree.deal.streets[0].hands[opponent].hand
    assert (again - allowed[mine]).max() <= 1e-4 * before.tree.initial_pot


def test_alternatives_that_nobody_takes_change_nothing() -> None:
    subject = leduc()
    plain = errai.solve(subject, "1e-6chips", precision="float64", algorithm="pcfr+")
    found = errai.solve(
        subject, "1e-6chips", precision="float64", algorithm="pcfr+", opponent_values=np.full(6, -100.0)
    )
    assert found.values.chips == pytest.approx(plain.values.chips, abs=3e-6)
    assert found.root_ranges == pytest.approx(plain.root_ranges, abs=1e-3)


def test_alternatives_keep_apart_what_suits_make_equal() -> None:
    game = errai.load_game("leduc")
    values = np.array([0.0, 1.0, 0.0, 1.0, 0.5, 0.5])
    found = errai.solve(game, max_iterations=50, opponent_values=values)
    assert len(found.tree.deal.streets[0].hands[1].hand) == 5
    assert len(errai.solve(game, max_iterations=50).tree.deal.streets[0].hands[1].hand) == 3


def test_a_run_with_alternatives_is_resumed_to_the_same_bits(tmp_path: Path) -> None:
    subject, values = leduc(), np.linspace(-1.0, 1.0, 6)
    whole = errai.solve(subject, opponent_values=values, max_iterations=40, precision="float64")
    path = tmp_path / "run.ckpt"
    errai.solve(subject, opponent_values=values, max_iterations=17, precision="float64", checkpoint=path)
    again = errai.solve(subject, opponent_values=values, max_iterations=40, precision="float64", checkpoint=path)
    assert again.iterations == 40
    assert again.exploitability == whole.exploitability
    assert same_arrays(again.strategy, whole.strategy)
    with pytest.raises(MismatchError, match="its root"):
        errai.solve(subject, opponent_values=values + 1, max_iterations=50, precision="float64", checkpoint=path)


def test_above_and_below_at_once_are_the_whole_lookahead() -> None:
    """Alternatives over a tree that is cut, with a fixed continuation below it."""
    game = errai.load_game("leduc")
    whole = build_public_tree(game)
    strategy = random_strategy(whole, np.random.default_rng(2))
    below = FixedContinuation(whole, make_kernel("cpu", whole.arrays), strategy)
    values = np.repeat(np.array([-1.0, 0.0, 1.5]), 2)
    found = errai.solve(
        game, depth=0, leaf_values=below, opponent_values=values, max_iterations=500, precision="float64"
    )
    assert found.exploitability.chips < 1e-3
    assert found.verify(leaf_values=below)
    entering = found.entering
    assert entering is not None
    # The same profile, evaluated on the whole tree with the same reach at its root.
    for part in (0, 1):
        strategy[0][part][...] = found.strategy[0][part]
    kernel = make_kernel("cpu", whole.arrays)
    for p in (0, 1):
        there = kernel.root_values(strategy, p, reach=entering.reach)
        mine = found.tree.deal.streets[0].hands[p].hand
        np.testing.assert_allclose(found.root_values.counterfactual[p][mine], there, atol=1e-9)


def test_push_or_fold_may_be_refused() -> None:
    """Trees that end in a matrix of run-outs: alternatives equal to the values of entering change nothing."""
    spot = errai.load_spot(Path(__file__).parents[2] / "examples" / "push-or-fold.toml")
    plain = errai.solve(spot, "0.05%pot")
    values = plain.root_values.counterfactual[1]
    found = errai.solve(spot, "0.05%pot", opponent_values=values, opponent=1)
    assert found.tree.run_outs is not None
    assert found.values.chips[1] == pytest.approx(plain.values.chips[1], abs=5e-3)
    assert sum(found.values.chips) == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(SolverOptionError, match="only in a zero-sum game"):
        errai.solve(spot, locks={"": {"AA": "best"}}, opponent_values=values, opponent=1, max_iterations=1)


def test_what_is_refused(tmp_path: Path) -> None:
    game = errai.load_game("kuhn")
    for settings, message in (
        ({"opponent_values": np.zeros(4)}, "shape"),
        ({"opponent_values": np.array([0.0, np.nan, np.inf])}, "are nan for Ks; each must be a finite"),
        ({"opponent_values": np.zeros(3), "opponent": 2}, "0 or 1"),
        ({"opponent": 1}, "opponent_values"),
    ):
        with pytest.raises((InputError, SolverOptionError), match=message):
            errai.solve(game, max_iterations=1, **settings)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot be saved"):
        errai.solve(game, max_iterations=1, opponent_values=np.zeros(3)).save(tmp_path / "x.errai")
