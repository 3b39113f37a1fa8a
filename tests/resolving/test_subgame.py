"""A subgame to re-solve: what it accepts, what it refuses, and which ranges enter with each method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import errai
from errai.errors import SubgameError
from errai.games.hand import CALL, PublicState, raise_to
from errai.resolving.gadgets import METHODS, Distributional, find_method
from errai.resolving.gadgets.method import Resolve
from errai.resolving.resolve import solve_subgame
from errai.resolving.subgame import Subgame


def leduc(**changes: Any) -> Subgame:
    """The second round after a raise, with a queen on the table; ranges are uneven and small."""
    state = PublicState.start(errai.load_game("leduc"))
    state = state.after(CALL).after(raise_to(3)).after(CALL).with_cards((2,)).after(CALL)
    generator = np.random.default_rng(4)
    own, other = (1e-7 * generator.uniform(0.2, 1.0, 6), generator.uniform(0.2, 1.0, 6))
    rest = errai.lookahead(state.subject, state, (own, other), None)  # type: ignore[arg-type]
    before = errai.solve(rest, max_iterations=20, precision="float64")
    values = before.root.counterfactual(1, best=True)
    given = {"player": 0, "ranges": (own, other), "values": values}
    return Subgame(state, **given | changes)


def test_what_is_refused() -> None:
    subgame = leduc()
    nan = np.full(6, np.nan)
    for changes, message in (
        ({"player": 2}, "0 or 1"),
        ({"values": np.zeros(5)}, r"the opponent's values have the shape \(5,\), not \(6,\)"),
        ({"values": "many"}, "the opponent's values must be an array of real numbers"),
        ({"ranges": (np.ones(6),)}, "two ranges"),
        ({"ranges": (np.ones(6), -np.ones(6))}, "negative"),
        ({"ranges": (np.ones(6), nan)}, "not finite"),
        ({"ranges": (np.zeros(6), np.ones(6))}, "no hand that is possible"),
        ({"ranges": (np.eye(6)[2], np.ones(6))}, "no hand that is possible"),  # the card on the table
        ({"gifts": -np.ones(6)}, "cannot be negative"),
        ({"estimated": np.zeros((6, 1))}, r"have the shape \(6, 1\), not \(6,\)"),
    ):
        with pytest.raises(SubgameError, match=message):
            replace(subgame, **changes)
    with pytest.raises(SubgameError, match=r"unsafe, resolve"):
        find_method("safest")
    with pytest.raises(SubgameError, match="below 1"):
        Resolve(1.0)
    with pytest.raises(SubgameError, match="estimated range"):
        Resolve(0.9).ranges(replace(subgame, ranges=(subgame.ranges[0], np.zeros(6))))
    with pytest.raises(SubgameError, match=r"for 5 of 5 such hands `values` has no finite number"):
        solve_subgame(replace(subgame, values=nan), "resolve")
    hole = np.where(np.arange(6) == 3, np.inf, 0.0)
    for name, changes, message in (
        ("maxmargin", {"values": hole}, r"for 1 of 5 such hands `values` has no finite number"),
        ("estimated", {}, "give the subgame its `estimated`"),
        ("distributional", {"estimated": nan}, "`estimated` has no finite number"),
        ("reach", {}, "give the subgame its `gifts`"),
        ("reach-resolve", {"gifts": nan}, "`gifts` has no finite number"),
    ):
        with pytest.raises(SubgameError, match=message):
            solve_subgame(replace(subgame, **changes), name)
    for settings, message in (({"width": -0.1}, "at least 0"), ({"draws": 0}, "at least 1")):
        with pytest.raises(SubgameError, match=message):
            Distributional(**settings)  # type: ignore[arg-type]


def test_hands_that_nothing_fits_need_no_value() -> None:
    subgame = leduc()
    only = np.eye(6)[0]
    values = np.where(np.arange(6) == 0, np.nan, subgame.values)
    found = solve_subgame(
        replace(subgame, ranges=(only, np.ones(6)), values=values), "resolve", target="1e-6chips", precision="float64"
    )
    assert found.status == "target met"


@pytest.mark.parametrize("name", METHODS)
def test_the_own_range_enters_to_the_bit(name: str) -> None:
    subgame = leduc()
    method = find_method(name)
    assert method.name == name
    assert find_method(method) is method
    ranges = method.ranges(subgame)
    assert np.array_equal(ranges[0], subgame.ranges[0])
    assert ranges[1].sum() == pytest.approx(ranges[0].sum())
    assert ranges[1][2] == 0


def test_the_mixtures_are_nine_tenths_of_the_estimate() -> None:
    subgame = leduc()
    estimate = subgame.ranges[1] / subgame.ranges[1].sum()
    expected = 0.9 * estimate + 0.1 * subgame.live / 5
    for name in ("conservative", "aggressive"):
        found = find_method(name).ranges(subgame)[1]
        np.testing.assert_allclose(found / found.sum(), expected, atol=1e-15)
    forced = find_method("aggressive").gadget(subgame).forced  # type: ignore[union-attr]
    live = subgame.live
    np.testing.assert_allclose(forced[live], 0.9 * estimate[live] / expected[live])
    assert find_method("conservative").gadget(subgame).forced is None  # type: ignore[union-attr]


def test_who_must_follow_follows() -> None:
    """With alternatives that every hand would take, only the forced part enters, and all else gets the alternative."""
    subgame = replace(leduc(), values=1e-7 * np.full(6, 100.0))
    found = solve_subgame(subgame, "aggressive", target="1e-6chips", precision="float64", algorithm="pcfr+")
    assert found.status == "target met"
    estimate = subgame.ranges[1] / subgame.ranges[1].sum()
    entered = found.root_ranges[1]
    np.testing.assert_allclose(entered / entered.sum(), estimate, atol=1e-4)
    # So it is the unsafe game that was solved, whose value is one number.
    unsafe = solve_subgame(subgame, "unsafe", target="1e-6chips", precision="float64", algorithm="pcfr+")
    worth = [float(estimate @ np.nan_to_num(s.root_values.counterfactual[1])) for s in (found, unsafe)]
    assert worth[0] == pytest.approx(worth[1], abs=1e-5 * subgame.ranges[0].sum())
    assert found.verify()


def test_the_names_of_the_room() -> None:
    import errai.resolving

    assert all(getattr(errai.resolving, name) is not None for name in errai.resolving.__all__)
    assert set(errai.resolving.__all__) <= set(dir(errai.resolving))
    assert errai.resolving.find_method is find_method
    with pytest.raises(AttributeError, match="Minmargin"):
        errai.resolving.Minmargin  # noqa: B018
