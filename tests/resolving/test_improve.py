"""The self-improver: exact losses to an opponent with other bets night by night, its file, and what it refuses."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import errai
from errai.agents.improved import ImprovedAgent
from errai.agents.reader import read_agent
from errai.arena.histories.formats import read_hands
from errai.arena.match import play_match
from errai.errors import DamagedFileError, ErraiError, ForeignFileError, InputError, MismatchError
from errai.games.hand import CALL, PlayedHand, PublicState, raise_to
from errai.nets.below.values_below import NetsBelow
from errai.nets.network import load_net
from errai.resolving.improve import improve, missed_bets
from errai.resolving.improved import Improved, load_improved, read_improved
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.store.container import open_container, write_container
from errai.strategies.strategy import live_hands

LEDUC = errai.load_game("leduc.nolimit")
MENU = "50%, 100%, a"
"""The bets of the opponent; the strategy lacks half the pot."""


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("improve") / "base.errai"
    errai.solve(LEDUC, "1mbb", menu="100%, a").save(path)
    return path


@pytest.fixture(scope="module")
def hands(solution: Path) -> tuple[PlayedHand, ...]:
    opponent = errai.solve(LEDUC, max_iterations=3, menu=MENU)
    path = solution.parent / "opponent.errai"
    opponent.save(path)
    log = solution.parent / "night.log"
    play_match(LEDUC, (f"solution:{solution}", f"solution:{path}"), hands=2_500, seed=1, log=log)
    return read_hands(log, game=LEDUC).hands


def lost(improved: Improved) -> float:
    return errai.exploitability(LEDUC, ImprovedAgent(improved), menu=MENU).chips


def test_each_night_loses_less_to_the_bets_that_it_lacked(solution: Path, hands: tuple[PlayedHand, ...]) -> None:
    improved = read_improved(solution, LEDUC)
    losses, missed = [lost(improved)], [missed_bets(improved, hands)]
    for _ in range(3):
        improved, added = improve(improved, hands)
        assert [bet.total for bet in added] == [bet.total for bet in missed[-1][:3]]
        losses.append(lost(improved))
        missed.append(missed_bets(improved, hands))
    assert losses[0] > 15.0
    assert all(after < before for before, after in pairwise(losses))
    assert losses[-1] < 8.0
    in_tree = errai.exploitability(LEDUC, ImprovedAgent(improved)).chips
    assert in_tree < 0.2  # against the bets that it had it is what it was
    with pytest.raises(InputError, match="At least 1"):
        improve(improved, hands, most=0)


def test_a_bet_is_counted_where_it_was_made(solution: Path, hands: tuple[PlayedHand, ...]) -> None:
    improved = read_improved(solution, LEDUC)
    first = missed_bets(improved, hands)[0]
    assert first.worth == max(bet.worth for bet in missed_bets(improved, hands))
    lines = [(hand, state, action) for hand in hands for state, action in hand.moments()]
    assert first.count == sum(s.line == first.line and a.total == first.total for _, s, a in lines)
    assert first.to_dict()["total"] == first.total
    after, _ = improve(improved, hands, most=1)
    assert first.total not in {bet.total for bet in missed_bets(after, hands) if bet.line == first.line}
    state = PublicState.start(LEDUC)
    for action in first.line:
        state = state.after(action)
    assert after.has_bet(state, first.action)
    assert not improved.has_bet(state, first.action)


def test_a_file_holds_the_branches(solution: Path, hands: tuple[PlayedHand, ...], tmp_path: Path) -> None:
    improved, _ = improve(read_improved(solution, LEDUC), hands)
    path = tmp_path / "better.errai"
    improved.save(path)
    read = load_improved(path)
    assert lost(read) == pytest.approx(lost(improved), abs=1e-4)
    assert read_improved(path, LEDUC).name == improved.name
    agent = read_agent(f"improved:{path}", LEDUC)
    state = PublicState.start(LEDUC).after(CALL).after(raise_to(200))
    assert agent.strategy(state).probabilities[live_hands(state)].sum(axis=1) == pytest.approx(1.0)  # type: ignore[attr-defined]

    other = solution.parent / "other.errai"
    errai.solve(LEDUC, "50mbb", menu="100%, a").save(other)
    with pytest.raises(MismatchError, match="make them again"):
        load_improved(path, errai.load_solution(other))
    with pytest.raises(ForeignFileError):
        load_improved(solution)
    container = open_container(path)
    arrays = {key: np.array(container.arrays[key]) for key in container.arrays}
    write_container(path, "improved strategy", container.metadata, {**arrays, "0/0": -arrays["0/0"]})
    with pytest.raises(DamagedFileError, match="does not fit its tree"):
        load_improved(path)


def test_it_ends_early_with_whole_branches(solution: Path, hands: tuple[PlayedHand, ...]) -> None:
    improved = read_improved(solution, LEDUC)
    stop = StopToken()
    after, added = improve(improved, hands, stop=stop, progress=lambda bet, done, total: stop.set())
    assert (after.branches, added) == ((), [])
    after, added = improve(improved, hands, seconds=0.0)
    assert (after.branches, added) == ((), [])
    kuhn = errai.load_game("kuhn")
    with pytest.raises(InputError, match="is of"):
        missed_bets(Improved(errai.solve(kuhn, "1mbb"), kuhn), hands)


def test_holdem_is_improved_before_the_flop() -> None:
    """The answer to a raise that the blueprint lacks is solved over the auxiliary network."""
    holdem = errai.load_game("holdem.nolimit.2p")
    state = PublicState.start(holdem).after(raise_to(250))
    line = ((raise_to(250), raise_to(750), CALL), (), (), ())
    played = PlayedHand(holdem, 0, ((0, 1), (2, 3)), (), line[:1], ("a", "b"), (0.0, 0.0))
    known = read_improved("blueprint-nl", holdem)
    below = NetsBelow(load_net("preflop"), averaged=True)
    after, added = improve(known, [played] * 2, below=below, target="5%pot")
    assert [(bet.total, bet.count) for bet in added] == [(250, 2)]
    choices = ImprovedAgent(after).strategy(state)
    assert choices.probabilities[live_hands(state)].sum(axis=1) == pytest.approx(1.0)
    aces = choices.probabilities[1325]
    assert aces[0] < 0.02
    assert choices.probabilities[:, 0].mean() > 0.05
    flop = state.after(CALL).dealt((3, 17, 30))
    there = partial(ImprovedAgent(after).strategy, flop)
    assert np.array_equal(there().probabilities, ImprovedAgent(known).strategy(flop).probabilities)


def test_agents_by_name(solution: Path) -> None:
    holdem = errai.load_game("holdem.nolimit.2p")
    libratus = read_agent("libratus:seconds=1,threads=1:blueprint-nl", holdem)
    assert libratus.options.again == "off-tree"  # type: ignore[attr-defined]
    assert libratus.blueprint.name == "blueprint-nl"  # type: ignore[attr-defined]
    for text, message in (
        ("improved", "FILE"),
        ("improved:none.errai", "no file"),
        (f"improved:{solution}", "of the kind .solution."),
    ):
        with pytest.raises(ErraiError, match=message):
            read_agent(text, LEDUC)
    assert isinstance(errai.load_solution(solution), Solution)
