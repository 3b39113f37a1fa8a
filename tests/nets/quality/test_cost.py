"""What a first street costs, against linear programs in which it is locked."""

from __future__ import annotations

from functools import cache

import pytest
from asked_nets import Oracle
from small_subjects import SHORT_TURN
from small_subjects import subject as any_subject

import errai
from errai.engine.strategy import node_strategy
from errai.errors import InputError, StoppedError
from errai.games.game import Game
from errai.games.spot import Spot, parse_spot
from errai.judges.sequence_form import sequence_form_lp
from errai.kernels.layout import DECISION
from errai.nets.below.leaves import NetLeafValues
from errai.nets.predictors import find_predictor
from errai.nets.quality.cost import TARGET, Cost, cost, cost_estimate
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.tree.public_tree import plan_public_tree

NAMES = ["leduc.nolimit", "turn"]


def subject(name: str) -> Game | Spot:
    return parse_spot(SHORT_TURN) if name == "turn" else any_subject(name)


@cache
def over(name: str, net: str) -> Solution:
    of = subject(name)
    rules, first = (of.game, of.first_round) if isinstance(of, Spot) else (of, 0)
    return errai.solve(of, leaf_values=find_predictor(net, rules, first + 1), max_iterations=200, threads=1)


@cache
def cost_of(name: str, net: str) -> Cost:
    return cost(over(name, net), threads=1)


def by_program(solution: Solution) -> tuple[float, list[float]]:
    """Player 0's value of the game, and both players' losses, by the sequence form of the game as it is dealt."""
    of, tree = solution.subject, solution.tree
    betting = plan_public_tree(of).betting
    settings = {"board": tree.root.board, "ranges": of.ranges} if isinstance(of, Spot) else {}
    rules = of.game if isinstance(of, Spot) else of
    value = sequence_form_lp(betting, rules, **settings).value
    losses = []
    for p in (0, 1):
        hands = tree.deal.streets[0].hands[p]
        locked = {}
        for node in tree.betting.street_nodes(0):
            if tree.betting.kind[node] == DECISION and tree.betting.actor[node] == p:
                rows = node_strategy(tree, solution.strategy, 0, 0, node)
                for i in range(len(hands.hand)):
                    for hand in hands.member[hands.member_start[i] : hands.member_start[i + 1]]:
                        locked[node, tuple(tree.root.board), int(hand)] = rows[:, i]
        kept = sequence_form_lp(betting, rules, locked=locked, **settings).value
        losses.append((value - kept) * (1.0 if p == 0 else -1.0))
    return value, losses


@pytest.mark.parametrize("net", ["check-down", "zero"])
@pytest.mark.parametrize("name", NAMES)
def test_losses_are_those_of_the_linear_program(name: str, net: str) -> None:
    found, solution = cost_of(name, net), over(name, net)
    value, losses = by_program(solution)
    pot = solution.initial_pot_chips
    assert found.value[0] - 1e-9 * pot <= value <= found.value[1] + 1e-9 * pot
    for (least, most), exact in zip(found.losses, losses, strict=True):
        assert least - 1e-9 * pot <= exact <= most + 1e-9 * pot
        assert most - least < 0.003 * pot
    assert found.loss.chips == pytest.approx(sum(losses) / 2.0, abs=0.0015 * pot)
    assert found.bounds[0].chips <= found.loss.chips <= found.bounds[1].chips
    # Some of these first streets are bad ones.
    assert found.bounds[0].chips > 0.003 * pot or (name, net) == ("turn", "check-down")


@pytest.mark.parametrize("name", NAMES)
def test_the_first_street_of_an_exact_solution_loses_nothing(name: str) -> None:
    exact = errai.solve(subject(name), TARGET, threads=1)
    found = cost(exact, game=exact, threads=1)
    assert found.bounds[0].chips < 1e-9
    assert found.loss.pot_percent < 0.1


def test_over_an_oracle_it_loses_what_is_left_to_learn() -> None:
    of = subject("leduc.nolimit")
    found = errai.solve(of, leaf_values=NetLeafValues(Oracle(of, 1, 1e-3), parts=1), max_iterations=30, threads=1)
    assert cost(found, threads=1).loss.chips < 0.5 * cost_of("leduc.nolimit", "check-down").loss.chips


def test_it_is_told_what_is_solved_and_stops() -> None:
    solution = over("turn", "zero")
    told: list[str] = []
    cost(solution, "1%pot", threads=1, progress=lambda what, now: told.append(what))
    assert list(dict.fromkeys(told)) == ["the whole game", "player 0 locked", "player 1 locked"]
    assert cost_estimate(solution).entries > solution.tree.entries
    stop = StopToken()
    stop.set()
    with pytest.raises(StoppedError):
        cost(solution, threads=1, stop=stop)


def test_what_has_no_cost_is_refused() -> None:
    solution = over("turn", "zero")
    raked = errai.Spot.from_dict({**subject("turn").to_dict(), "rake": {"percent": 5, "cap": 10}})
    with pytest.raises(InputError, match="not raked"):
        cost(errai.solve(raked, max_iterations=5, threads=1))
    locked = errai.solve(subject("turn"), max_iterations=5, threads=1, locks={"": {"*": {"check": 1}}})
    with pytest.raises(InputError, match="nothing is locked"):
        cost(locked)
    other = errai.solve(subject("leduc.nolimit"), max_iterations=5, threads=1)
    with pytest.raises(InputError, match="same game and menu"):
        cost(solution, game=other)
