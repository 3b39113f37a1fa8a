"""Methods that sample: every sample with its probability is plain CFR, and they come as near as OpenSpiel's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import exploitability, external_sampling_mccfr, outcome_sampling_mccfr

import errai
from errai.engine.schedules import find_schedule
from errai.errors import SolverOptionError, TreeTooLargeError
from errai.extensive import ExtensiveGame, RegretMinimisation, load_extensive
from errai.extensive.histories import CHANCE, END
from errai.extensive.sampling import SAMPLES, ChanceSampling, ExternalSampling, MonteCarlo, OutcomeSampling

ALL = (ChanceSampling, ExternalSampling, OutcomeSampling)


@cache
def kept(name: str) -> ExtensiveGame:
    what: Any = errai.load_ring_game(name) if name == "kuhn3" else errai.load_game(name)
    return errai.extensive_game(what, histories=True)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "kuhn3"])
def test_histories_are_the_game(name: str) -> None:
    """What uniform play wins, summed over the ends of the tree, and the shape of the tree."""
    game = kept(name)
    tree = game.histories
    assert tree is not None
    assert tree.parent[0] == -1
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()
    assert (np.diff(tree.depth) >= 0).all()
    reach = np.ones(len(tree))
    uniform = [d.uniform() for d in game.decisions]
    for node in range(1, len(tree)):
        parent = tree.parent[node]
        mover = tree.player[parent]
        assert tree.first_child[parent] <= node < tree.first_child[parent] + tree.num_children[parent]
        p = tree.chance[node] if mover == CHANCE else uniform[mover][tree.sequence[node]]
        reach[node] = reach[parent] * p
        if mover >= 0:
            number = tree.information[parent]
            at = node - tree.first_child[parent]
            assert tree.sequence[node] == game.sequences_of(int(mover), int(number))[at]
            assert tree.labels[node] == game.actions[mover][number][at]
    ends = tree.player == END
    assert reach[ends].sum() == pytest.approx(1.0)
    plans = [d.plan_of(u) for d, u in zip(game.decisions, uniform, strict=True)]
    np.testing.assert_allclose(reach[ends] @ tree.payoffs[ends], game.values(plans), atol=1e-12)
    assert errai.extensive_game(errai.load_game("kuhn")).histories is None


def samples(run: MonteCarlo, player: int, before: list[Any]) -> Iterator[tuple[float, list[Any], list[Any]]]:
    """Yield every sample: its probability, the regrets and the sums after it."""
    script, wide = list[int](), list[int]()
    while True:
        at, probability = 0, 1.0
        wide.clear()

        def draw(probabilities: Sequence[float]) -> int:
            nonlocal at, probability
            if at == len(script):
                script.append(0)
            wide.append(len(probabilities))
            chosen = script[at]
            probability *= probabilities[chosen]
            at += 1
            return chosen

        run.draw = draw  # type: ignore[method-assign]
        run.regrets = [list(regrets) for regrets in before]
        run.sums = [[0.0] * len(regrets) for regrets in before]
        run.sample(player)
        yield probability, run.regrets, run.sums
        del script[at:]
        while script and script[-1] == wide[len(script) - 1] - 1:
            script.pop()
        if not script:
            return
        script[-1] += 1


@pytest.mark.parametrize("name", ["kuhn", "kuhn3"])
@pytest.mark.parametrize("kind", ALL)
def test_all_samples_together_are_plain_cfr(kind: type[MonteCarlo], name: str) -> None:
    game, rng = kept(name), np.random.default_rng(6)
    before = [rng.random(d.num_sequences) + 0.1 for d in game.decisions]
    behaviour = [d.behaviour_of(regrets) for d, regrets in zip(game.decisions, before, strict=True)]
    exact = RegretMinimisation(game, find_schedule("cfr", simultaneous=True))
    exact._now = behaviour
    plans = exact._plans = [d.plan_of(b) for d, b in zip(game.decisions, behaviour, strict=True)]
    plans = list(plans)
    exact.step()
    # Every sample that could be drawn, of player 0, and of the last one in the smaller game.
    for player in (0, game.num_players - 1) if name == "kuhn" else (0,):
        run = kind(game)
        total, learnt, summed = 0.0, np.zeros(len(before[player])), np.zeros(len(before[player]))
        for probability, regrets, sums in samples(run, player, [b.tolist() for b in before]):
            total += probability
            learnt += probability * (np.array(regrets[player]) - before[player])
            summed += probability * np.array(sums[player])
        assert total == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(learnt[1:], exact.regrets[player][1:], atol=1e-12)
        if kind is not ExternalSampling:
            # The average is weighted by the own reach, the same for all actions of a set.
            plan = plans[player]
            for block in game.decisions[player].blocks:
                here, wanted = block.of(summed), block.of(plan)
                np.testing.assert_allclose(here / here.sum(axis=0), wanted / wanted.sum(axis=0), atol=1e-12)


@pytest.mark.parametrize("kind", ALL)
def test_they_come_to_an_equilibrium(kind: type[MonteCarlo]) -> None:
    run = kind(kept("kuhn"), seed=1)
    for _ in range(150):
        run.step()
    found = [d.plan_of(b) for d, b in zip(run.game.decisions, run.average, strict=True)]
    assert sum(run.game.gains(found)) / 2 < (0.06 if kind is OutcomeSampling else 0.03)


def test_they_come_as_near_as_those_of_openspiel() -> None:
    """External and outcome sampling after the same number of samples; the paper's order of the two."""
    game, theirs = pyspiel.load_game("kuhn_poker"), []
    for solver in (external_sampling_mccfr.ExternalSamplingSolver, outcome_sampling_mccfr.OutcomeSamplingSolver):
        np.random.seed(1)  # OpenSpiel draws from the global generator.
        found = solver(game)
        for _ in range(30 * SAMPLES):
            found.iteration()
        theirs.append(exploitability.exploitability(game, found.average_policy()))
    ours = []
    for kind in (ExternalSampling, OutcomeSampling):
        ends = []
        for seed in range(4):
            run = kind(kept("kuhn"), seed=seed)
            for _ in range(30):
                run.step()
            plans = [d.plan_of(b) for d, b in zip(run.game.decisions, run.average, strict=True)]
            ends.append(sum(run.game.gains(plans)) / 2)
        ours.append(float(np.median(ends)))
    assert ours[0] < ours[1]
    for mine, other in zip(ours, theirs, strict=True):
        assert other / 4 < mine < 4 * other


def test_a_seed_gives_the_same_solution_again_and_is_recorded(tmp_path: Path) -> None:
    game = kept("kuhn3")
    one, two, other = (
        errai.solve(game, algorithm="outcome-sampling", max_iterations=5, seed=seed) for seed in (7, 7, 8)
    )
    assert one.gains == two.gains != other.gains
    one.save(tmp_path / "sampled.errai")
    assert load_extensive(tmp_path / "sampled.errai").settings["seed"] == 7
    # The histories are kept if what is solved is no game in extensive form yet.
    assert errai.solve(errai.load_game("kuhn"), algorithm="external-sampling", max_iterations=1).gradients > 0


def test_what_cannot_be_sampled_is_refused() -> None:
    with pytest.raises(SolverOptionError, match="has not kept its histories"):
        errai.solve(errai.extensive_game(errai.load_game("kuhn")), algorithm="outcome-sampling", max_iterations=1)
    with pytest.raises(SolverOptionError, match="seed"):
        errai.solve(kept("kuhn"), algorithm="outcome-sampling", max_iterations=1, seed=-1)
    with pytest.raises(SolverOptionError, match="exploration"):
        OutcomeSampling(kept("kuhn"), exploration=0.0)
    with pytest.raises(TreeTooLargeError):
        errai.extensive_game(errai.load_game("rhode-island"), histories=True)
