"""A re-solved node: its reported numbers, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_subjects import SHORT_TURN, TURN

import errai
from errai.errors import InputError, LineError, SizingError, SolverOptionError, SubgameError
from errai.games.hand import CALL, raise_to
from errai.games.spot import parse_spot
from errai.resolving.spliced import Spliced
from errai.resolving.values import strategy_of, subgame_at
from errai.solutions.solution import Solution
from errai.strategies.blind import Uniform
from errai.strategies.of_tree import TreeStrategy


@pytest.fixture(scope="module")
def turn() -> Solution:
    return errai.solve(parse_spot(TURN), max_iterations=8, precision="float64")


@pytest.fixture(scope="module")
def nolimit() -> Solution:
    return errai.solve(errai.load_game("leduc.nolimit"), max_iterations=25, precision="float64")


@pytest.mark.parametrize("gadget", ["resolve", "maxmargin", "reach", "reach-resolve"])
def test_the_opponent_gets_less_than_before(turn: Solution, gadget: str) -> None:
    found = errai.resolve(turn, "check check / 7d", gadget=gadget, menu="50%", target="0.005%pot", threads=1)
    assert found.players == (0, 1)
    assert found.after.chips < found.before.chips
    for p in (0, 1):
        assert found.lost_after[p] <= found.lost_before[p] + 1e-3 * found.units.initial_pot_chips
        assert found.margins[p] >= -2e-3 * found.units.initial_pot_chips
    assert found.verify()
    assert {"bet 50", "bet 100"} <= set(found.root.actions)


def test_without_new_bets_the_old_strategy_is_measured_as_it_is(turn: Solution) -> None:
    """The measurement of the old strategy agrees with its own solution at the node."""
    found = errai.resolve(turn, "check check / 7d", gadget="unsafe", target="0.005%pot", threads=1)
    node = turn.at("check check / 7d")
    for p in (0, 1):
        np.testing.assert_allclose(
            found.old.root.counterfactual(p, best=True), node.counterfactual(p, best=True), atol=1e-9
        )
        assert found.subgames[p].ranges[p] == pytest.approx(node.ranges[p])
    assert found.after.pot_percent == pytest.approx(0.005, abs=0.006)
    assert found.after.pot_percent == pytest.approx(
        sum(s.exploitability.pot_percent for s in found.solutions.values()) / 2.0, abs=0.005
    )


def test_one_player_alone(turn: Solution) -> None:
    both = errai.resolve(turn, "check check / 7d", target="0.01%pot", threads=1)
    one = errai.resolve(turn, "check check / 7d", player=1, target="0.01%pot", threads=1)
    assert one.players == (1,)
    assert one.lost_after[1] == pytest.approx(both.lost_after[1], abs=1e-9)
    assert one.new.best_chips(1) == one.old.best_chips(1)  # player 0 plays what he played


def test_a_finer_tree_costs_a_strategy_that_translates(nolimit: Solution) -> None:
    line = "check check / Qs"
    same = errai.resolve(nolimit, line, gadget="maxmargin", target="0.01%pot", threads=1)
    finer = errai.resolve(nolimit, line, gadget="maxmargin", menu="50%, 200%", target="0.01%pot", threads=1)
    assert finer.before.chips > same.before.chips + 1.0
    assert finer.after.chips < finer.before.chips
    assert min(finer.margins.values()) > -0.05


def test_gifts_in_a_finer_tree_are_no_more_than_in_the_old_one(nolimit: Solution) -> None:
    """What the opponent gains by the new bets is taken off the gifts; without new bets they are all there."""
    line = "bet 200 call / Qs"
    found = errai.resolve(nolimit, line, gadget="reach", player=1, threads=1)
    assert found.state.line == (raise_to(300), CALL)
    same, whole = found.subgames[1].gifts, subgame_at(nolimit, found.state, 1, gifts=True).gifts
    finer = errai.resolve(nolimit, line, gadget="reach", player=1, menu="50%, 200%", threads=1).subgames[1].gifts
    assert whole is not None
    assert same is not None
    assert finer is not None
    np.testing.assert_allclose(same, whole, atol=1e-9)
    assert whole.max() > 0.1
    assert (finer <= whole + 1e-9).all()


def test_whatever_answers_is_solved_again(nolimit: Solution, tmp_path: Path) -> None:
    nolimit.save(tmp_path / "leduc.errai")
    from_file = errai.resolve(tmp_path / "leduc.errai", "check check / Qs", target="0.01%pot", threads=1)
    asked = errai.resolve(strategy_of(nolimit), "check check / Qs", target="0.01%pot", threads=1)
    assert from_file.before.chips == pytest.approx(asked.before.chips, abs=1e-9)
    assert from_file.after.chips == pytest.approx(asked.after.chips, abs=0.05)
    game = errai.load_game("leduc")
    uniform = errai.resolve(TreeStrategy(Uniform(), game), "check check / Qs", target="0.01%pot", threads=1)
    assert uniform.after.chips < uniform.before.chips
    run = errai.solve(game, store=tmp_path / "run", max_iterations=20, precision="float32")
    for gadget in ("maxmargin", "reach"):
        stored = errai.resolve(run.folder, "bet call / Qs", gadget=gadget, target="0.01%pot", threads=1)
        assert min(stored.margins.values()) > -1e-3  # with Reach up to what was given away on the way
        assert stored.verify()


def test_what_is_wrong_is_said_before_anything_is_solved(turn: Solution, nolimit: Solution, tmp_path: Path) -> None:
    for line, wanted in (
        ("check bet 17", "the actions there are: check, bet 100"),
        ("check check", "name 1 card"),
        ("check check / 7d 6d", "1 card must be dealt, not '7d6d'"),
        ("check check / 2s", "cannot be dealt"),
        ("check check bet 100", "must be dealt before 'bet 100'"),
        ("check check / 7d bet 100 call", "No player acts any more"),
    ):
        with pytest.raises(LineError, match=wanted):
            errai.resolve(turn, line)
    with pytest.raises(SubgameError, match="maxmargin"):
        errai.resolve(turn, "check", gadget="prayer")
    with pytest.raises(SizingError):
        errai.resolve(turn, "check", menu="half")
    with pytest.raises(SolverOptionError, match="0 or 1"):
        errai.resolve(turn, "check", player=2)
    limit = errai.solve(errai.load_game("leduc"), max_iterations=3)
    with pytest.raises(InputError, match="limit game"):
        errai.resolve(limit, "check", menu="50%")
    with pytest.raises(InputError, match="There is no file"):
        errai.resolve(str(tmp_path / "nowhere.errai"))
    with pytest.raises(InputError, match="holds no run"):
        errai.resolve(tmp_path)
    locked = errai.solve(parse_spot(SHORT_TURN), max_iterations=3, locks={"check": {"*": {"check": 1}}})
    with pytest.raises(SolverOptionError, match="locks"):
        errai.resolve(locked, "check")
    with pytest.raises(LineError, match="public state"):
        errai.resolve(Spliced(limit, limit.subject, 1, "resolve"), "check")
