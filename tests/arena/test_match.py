"""Matches: against exact values, resumed, in several processes, with agents that learn or fail."""

from __future__ import annotations

import errno
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from small_subjects import subject

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.agents.reader import read_agent
from errai.agents.solved import SolvedAgent
from errai.arena.acpc import log as match_log
from errai.arena.acpc.log import LogFile, log_name
from errai.arena.acpc.text import read_betting
from errai.arena.luck.values import exact_value, seat_value
from errai.arena.match import BrokenMatchError, MatchProgress, MatchResult, luck_estimator, play_match
from errai.arena.play import MatchSetup, Tables, agent_seed
from errai.arena.results import read_result
from errai.errors import (
    DamagedFileError,
    DiskSpaceError,
    ForeignFileError,
    InputError,
    MatchError,
    MismatchError,
    RunInUseError,
    StrategyError,
)
from errai.games.catalogue import load_game
from errai.games.game import Subject
from errai.games.hand import CALL, FOLD, Action, Observation, PlayedHand, PublicState, raise_to
from errai.running.stopping import StopToken
from errai.solving.solve import solve
from errai.store.checkpoint import load_checkpoint

LEDUC = load_game("leduc")


def makers(game: Subject, *texts: str) -> tuple[Any, Any]:
    first, second = texts
    return partial(read_agent, first, game), partial(read_agent, second, game)


def saved(result: MatchResult, folder: Path) -> bytes:
    return result.save(folder / "x.match.json").read_bytes()


# --- what comes out is right ---


@pytest.mark.parametrize("duplicate", [False, True])
@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("kuhn", "by-strength", "uniform"), ("leduc", "uniform", "always-raise"), ("leduc.nolimit", "uniform", "uniform")],
)
def test_the_mean_is_the_exact_value(name: str, first: str, second: str, duplicate: bool) -> None:
    game = load_game(name)
    pair = makers(game, first, second)
    agents = pair[0](), pair[1]()
    assert isinstance(agents[0], StrategicAgent)
    assert isinstance(agents[1], StrategicAgent)
    result = play_match(game, pair, hands=4_000, duplicate=duplicate, seed=4)
    chips = result.measures[0]
    exact = exact_value(game, (agents[0], agents[1]))
    assert abs(chips.mean_chips - exact) < 3.5 * chips.standard_error_chips
    assert chips.interval is not None
    for seat in (0, 1):
        seated = agents if seat == 0 else (agents[1], agents[0])
        value = seat_value(game, seated) * (1 if seat == 0 else -1)
        at = chips.by_seat[seat]
        assert at.hands.n == 2_000
        assert abs(at.hands.mean - value) < 3.5 * at.hands.standard_error
    assert result.hands == 4_000
    assert sum(ending.hands for ending in result.endings) == 4_000
    assert sum(ending.total_chips for ending in result.endings) == pytest.approx(chips.mean_chips * 4_000)


def test_names_functions_and_solutions_play(tmp_path: Path) -> None:
    """A function of public states wins what the agent wins that draws from the same strategy."""
    game = load_game("leduc")

    def uniform(state: PublicState) -> np.ndarray:
        return np.full(len(state.legal_actions), 1.0 / len(state.legal_actions))

    solution = solve(game, "5mbb")
    path = tmp_path / "leduc.errai"
    solution.save(path)
    by_function = play_match(game, (uniform, solution), hands=400, duplicate=True)
    by_name = play_match(game, ("uniform", f"solution:{path}"), hands=400, duplicate=True)
    assert by_function.measures[0].mean_chips == by_name.measures[0].mean_chips != 0.0


def test_solutions_against_each_other_win_the_value_of_the_game_by_seat() -> None:
    agent = SolvedAgent(solve(LEDUC, "1mbb", threads=1))
    result = play_match(LEDUC, (agent, agent), hands=4_000, duplicate=True, seed=1)
    chips = result.measures[0]
    assert chips.interval is not None
    assert abs(chips.mean_chips) < 3.5 * chips.standard_error_chips
    first = chips.by_seat[0]
    assert abs(first.hands.mean - -0.085606) < 3.5 * first.hands.standard_error + 0.002
    # Both are called the same, but not in results.
    assert result.players[1] == f"{result.players[0]} (2)"


def test_duplicate_play_takes_luck_out() -> None:
    game = load_game("holdem.limit.2p")
    pair = makers(game, "always-call", "always-raise")
    plain, duplicate = (play_match(game, pair, hands=1_000, duplicate=d) for d in (False, True))
    assert plain.measures[0].standard_error_chips > 0
    # The same cards in both seats, and nobody ever folds: every pair is even.
    assert duplicate.measures[0].mean_chips == 0
    assert duplicate.measures[0].standard_error_chips == 0
    assert duplicate.measures[0].std_chips > 10


def test_spots_are_played(tmp_path: Path) -> None:
    spot = subject("turn")
    agent = SolvedAgent(solve(spot, max_iterations=20, threads=1))
    result = play_match(spot, (agent, read_agent("always-call", spot)), hands=400, duplicate=True)
    chips = result.measures[0]
    assert result.big_blind_chips is None
    assert result.unit == ("chips/hand", 1.0)
    assert result.mbb(1.0) is None
    # Half of the pot of 100 and stacks of 200: nobody wins or loses more than 250.
    assert all(abs(seat.hands.values).max() <= 250 for seat in chips.by_seat)
    assert chips.mean_chips > 0
    result.save(tmp_path)


def test_seats_alternate_and_pairs_exchange_them() -> None:
    class Watching(Agent):
        name = "watching"

        def __init__(self) -> None:
            self.seen: list[tuple[int, int, tuple[int, ...]]] = []

        def act(self, observation: Observation) -> Action:
            self.seen.append((observation.hand_number, observation.seat, observation.cards))
            return CALL

    watching, caller = Watching(), read_agent("always-call", LEDUC)
    play_match(LEDUC, (watching, caller), hands=20, duplicate=True, seed=8)
    seats = {number: seat for number, seat, _ in watching.seen}
    assert seats == {number: (number + (number >= 10)) % 2 for number in range(20)}
    cards = {number: held for number, _, held in watching.seen}
    again = Watching()
    play_match(LEDUC, (caller, again), hands=20, duplicate=True, seed=8)
    theirs = {number: held for number, _, held in again.seen}
    # Where the first agent sat the second one sits at the other table.
    assert [cards[n] for n in range(10)] == [theirs[n + 10] for n in range(10)]


def test_agents_draw_differently_from_each_other_and_from_table_to_table() -> None:
    assert len({agent_seed(s, t, p) for s in range(3) for t in (0, 1) for p in (0, 1)}) == 12
    assert all(0 <= agent_seed(s, 0, 0) < 2**63 for s in range(100))
    result = play_match(LEDUC, makers(LEDUC, "uniform", "uniform"), hands=400, duplicate=True)
    assert result.measures[0].standard_error_chips > 0


# --- the same however it is played ---


def test_processes_resuming_and_stops_change_no_byte(tmp_path: Path) -> None:
    game = load_game("holdem.limit.2p")
    pair = makers(game, "uniform", "fold=0.1,call=0.6,raise=0.3")
    settings: dict[str, Any] = {"hands": 900, "duplicate": True, "seed": 6}
    whole = saved(play_match(game, pair, log=tmp_path / "whole.log", **settings), tmp_path)
    both = saved(play_match(game, pair, processes=2, log=tmp_path / "both.log", **settings), tmp_path)
    assert both == whole
    log = (tmp_path / "whole.log").read_bytes()
    assert (tmp_path / "both.log").read_bytes() == log

    stop = StopToken()

    def progress(now: MatchProgress) -> None:
        if now.hands >= 400:
            stop.set()

    place = {"checkpoint": tmp_path / "check", "log": tmp_path / "resumed.log"}
    part = play_match(game, pair, stop=stop, progress=progress, checkpoint_seconds=0, **place, **settings)
    assert part.status == "interrupted"
    assert 400 <= part.hands < 900
    # What a killed process wrote after its last checkpoint goes.
    with place["log"].open("ab") as stream:
        stream.write(b"STATE:torn")
    rest = play_match(game, pair, resume=True, processes=2, **place, **settings)
    assert rest.status == "done"
    assert saved(rest, tmp_path) == whole
    assert place["log"].read_bytes() == log
    # Once more from the end: nothing is left to play.
    assert saved(play_match(game, pair, resume=True, **place, **settings), tmp_path) == whole
    assert place["log"].read_bytes() == log


class OutOfTime(Agent):
    """Calls; as if it had had no time in every hand."""

    name = "out of time"

    def __init__(self) -> None:
        self.hands: set[int] = set()

    @property
    def unsolved(self) -> int:
        return len(self.hands)

    def act(self, observation: Observation) -> Action:
        self.hands.add(observation.hand_number)
        return CALL


def test_states_without_time_are_counted_resumed_or_not(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"hands": 400, "duplicate": True}
    pair = OutOfTime, partial(read_agent, "uniform", LEDUC)
    whole = play_match(LEDUC, pair, **settings)
    # It acts in every hand, since nobody folds before both have acted.
    assert whole.unsolved == (400, 0)
    assert play_match(LEDUC, pair, processes=2, **settings).unsolved == (400, 0)
    stop = StopToken()
    check = {"checkpoint": tmp_path / "check", "checkpoint_seconds": 0}
    part = play_match(LEDUC, pair, stop=stop, progress=lambda now: stop.set(), **check, **settings)
    assert 0 < part.unsolved[0] == part.hands < 400
    rest = play_match(LEDUC, pair, resume=True, **check, **settings)
    assert saved(rest, tmp_path) == saved(whole, tmp_path)
    assert read_result(tmp_path / "x.match.json").unsolved == (400, 0)
    document = whole.document()
    for wrong in ([1], [1, 2, 3], [-1, 0], 5):
        (tmp_path / "y.match.json").write_text(json.dumps({**document, "unsolved": wrong}))
        with pytest.raises(DamagedFileError):
            read_result(tmp_path / "y.match.json")


def test_a_shorter_match_is_the_beginning_of_a_longer_one(tmp_path: Path) -> None:
    pair = makers(LEDUC, "uniform", "always-raise")

    stop = StopToken()
    part = play_match(LEDUC, pair, hands=5_000, stop=stop, progress=lambda now: stop.set())
    short = play_match(LEDUC, pair, hands=part.hands)
    assert 0 < part.hands < 5_000
    assert part.measures[0].mean_chips == short.measures[0].mean_chips
    assert part.measures[0].interval == short.measures[0].interval


class Impatient(Agent):
    """Does something in the middle of the pair of hands after 100 and 36 others."""

    name = "impatient"

    def __init__(self, then: Callable[[], None]) -> None:
        self.then = then

    def act(self, observation: Observation) -> Action:
        if observation.hand_number == 1_000 + 136:
            self.then()
        return CALL


def test_a_stop_in_the_middle_of_a_hand_keeps_whole_pairs(tmp_path: Path) -> None:
    stop = StopToken()
    pair = (Impatient(stop.set), read_agent("uniform", LEDUC))
    files = {"checkpoint": tmp_path / "c", "log": tmp_path / "log"}
    result = play_match(LEDUC, pair, hands=2_000, duplicate=True, stop=stop, **files)
    assert result.status == "interrupted"
    assert result.hands == 2 * 137
    assert load_checkpoint(tmp_path / "c").arrays["values"].shape == (1, 2, 137)
    assert (tmp_path / "log").read_text().count("\n") == 2 * 137


def test_a_keyboard_interrupt_comes_through_and_leaves_a_match_that_goes_on(tmp_path: Path) -> None:
    def give_up() -> None:
        raise KeyboardInterrupt

    files = {"checkpoint": tmp_path / "c", "log": tmp_path / "log"}
    settings: dict[str, Any] = {"hands": 2_000, "duplicate": True}
    other = read_agent("uniform", LEDUC)
    with pytest.raises(KeyboardInterrupt):
        play_match(LEDUC, (Impatient(give_up), other), **files, **settings)
    measures, tables, deals = load_checkpoint(tmp_path / "c").arrays["values"].shape
    assert (measures, tables) == (1, 2)
    assert 0 < deals < 1_000
    rest = play_match(LEDUC, (Impatient(lambda: None), other), resume=True, **files, **settings)
    whole = play_match(LEDUC, (Impatient(lambda: None), other), log=tmp_path / "whole", **settings)
    assert saved(rest, tmp_path) == saved(whole, tmp_path)
    assert (tmp_path / "log").read_bytes() == (tmp_path / "whole").read_bytes()


SCRIPT = """
import sys
from functools import partial
from pathlib import Path
from errai.agents.reader import read_agent
from errai.arena.match import play_match
from errai.cli.signals import stopped_by_signals
from errai.games.catalogue import load_game
if __name__ == "__main__":
    game = load_game("leduc")
    pair = tuple(partial(read_agent, text, game) for text in ("by-strength", "uniform"))
    def tell(now):
        print(now.hands, flush=True)
    settings = {"processes": int(sys.argv[1]), "checkpoint": Path(sys.argv[2]), "progress": tell}
    with stopped_by_signals() as stop:
        result = play_match(game, pair, hands=10**7, stop=stop, **settings)
    print(result.status, result.hands, flush=True)
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_a_real_ctrl_c_ends_a_match_and_all_its_processes(processes: int, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(script), str(processes), str(tmp_path / "check")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip().isdigit()
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    status, hands = rest.split()[-2:]
    assert process.returncode == 0
    assert status == "interrupted"
    assert load_checkpoint(tmp_path / "check").arrays["endings"].shape == (1, int(hands))


def test_checkpoints_of_other_matches_are_refused(tmp_path: Path) -> None:
    pair = makers(LEDUC, "uniform", "always-call")
    check = tmp_path / "check"
    play_match(LEDUC, pair, hands=100, checkpoint=check)
    for other in ({"seed": 1}, {"hands": 200}, {"duplicate": True}):
        with pytest.raises(MismatchError):
            play_match(LEDUC, pair, **{"hands": 100, "checkpoint": check, "resume": True, **other})
    with pytest.raises(MismatchError):
        play_match(LEDUC, makers(LEDUC, "uniform", "always-raise"), hands=100, checkpoint=check, resume=True)
    (tmp_path / "text").write_text("no checkpoint")
    with pytest.raises((ForeignFileError, DamagedFileError)):
        play_match(LEDUC, pair, hands=100, checkpoint=tmp_path / "text", resume=True)
    with pytest.raises(MatchError, match="checkpoint"):
        play_match(LEDUC, pair, hands=100, resume=True)


@pytest.mark.parametrize(
    "settings", [{"hands": 0}, {"hands": 10**10}, {"hands": 3, "duplicate": True}, {"hands": 2, "seed": -1}]
)
def test_matches_that_cannot_be_held_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(MatchError):
        play_match(LEDUC, makers(LEDUC, "uniform", "uniform"), **settings)


def test_agents_that_do_not_pickle_are_named_before_processes_start() -> None:
    class Local(Agent):
        def act(self, observation: Observation) -> Action:
            return CALL

    with pytest.raises(InputError, match="other processes"):
        play_match(LEDUC, (Local(), Local()), hands=5_000, processes=2)


def test_an_agent_of_another_game_is_refused_before_the_first_hand() -> None:
    agent = SolvedAgent(solve(load_game("kuhn"), max_iterations=5, threads=1))
    with pytest.raises(StrategyError, match="other rules"):
        play_match(LEDUC, (agent, agent), hands=10)


# --- agents that learn, and that fail ---


class Learner(Agent):
    """Calls, and counts the hands that it hears of."""

    learns = True
    made: ClassVar[list[Learner]] = []

    def __init__(self) -> None:
        self.name = "learner"
        self.heard: list[int] = []
        self.start: MatchStart | None = None
        self.closed = False
        Learner.made.append(self)

    def start_match(self, start: MatchStart) -> None:
        self.start = start

    def act(self, observation: Observation) -> Action:
        return CALL

    def end_hand(self, observation: Observation, net_chips: float) -> None:
        self.heard.append(observation.hand_number)

    def close(self) -> None:
        self.closed = True


def test_agents_that_learn_sit_at_each_table_anew_and_hear_their_own_hands_in_order() -> None:
    Learner.made = []
    result = play_match(LEDUC, (Learner, partial(read_agent, "uniform", LEDUC)), hands=60, duplicate=True, processes=2)
    first, second = Learner.made
    assert first.heard == list(range(30))
    assert second.heard == list(range(30, 60))
    assert first.start is not None
    assert second.start is not None
    assert first.start.hands == second.start.hands == 30
    assert first.start.seed != second.start.seed
    assert first.closed
    assert second.closed
    assert result.hands == 60


def test_what_a_learner_would_need_is_said() -> None:
    caller = read_agent("always-call", LEDUC)
    with pytest.raises(MatchError, match="learner learns, so duplicate play needs it twice"):
        play_match(LEDUC, (Learner(), caller), hands=10, duplicate=True)
    with pytest.raises(MatchError, match="learner learns from the hands"):
        play_match(LEDUC, (Learner, caller), hands=10, checkpoint=Path("never"))
    assert play_match(LEDUC, (Learner(), caller), hands=10).hands == 10


class Breaking(Agent):
    """Plays until a hand, then does something wrong."""

    def __init__(self, at: int, answer: Action | None) -> None:
        self.name = "breaking"
        self.at = at
        self.answer = answer

    def act(self, observation: Observation) -> Action:
        if observation.hand_number < self.at:
            return CALL
        if self.answer is None:
            raise RuntimeError("gone")
        return self.answer


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("answer", [None, raise_to(10**6)])
def test_a_failing_agent_ends_the_match_and_leaves_the_hands_before(
    answer: Action | None, processes: int, tmp_path: Path
) -> None:
    caller = read_agent("always-call", LEDUC)
    with pytest.raises(BrokenMatchError, match="breaking, hand 333: ") as caught:
        play_match(
            LEDUC, (caller, Breaking(333, answer)), hands=1_000, processes=processes, checkpoint=tmp_path / "c", seed=2
        )
    result = caught.value.result
    assert result.status == "failed"
    assert result.hands == 333
    assert "hand 333" in result.error
    alone = play_match(LEDUC, (caller, Breaking(10**6, answer)), hands=333, seed=2)
    assert result.measures[0].mean_chips == alone.measures[0].mean_chips
    # With a sound agent of the same name the match goes on from there.
    rest = play_match(
        LEDUC, (caller, Breaking(10**6, answer)), hands=1_000, checkpoint=tmp_path / "c", resume=True, seed=2
    )
    assert rest.hands == 1_000


# --- other measures, and the log ---


class NoLuck:
    """A double of an estimator: the exact value with a little noise that has mean 0."""

    name = "a double"

    def __init__(self, subject: Subject, agents: tuple[Agent, Agent]) -> None:
        self.names = [agent.name for agent in agents]

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """Half of what was won; the hand is whole."""
        assert hand.players[seat] == self.names[0]
        assert hand.final_state().is_over
        return hand.net_chips[seat] / 2


@pytest.mark.parametrize("processes", [1, 2])
def test_other_measures_see_every_hand_whole(processes: int) -> None:
    pair = makers(LEDUC, "uniform", "always-raise")
    result = play_match(LEDUC, pair, hands=600, duplicate=True, estimators={"double": NoLuck}, processes=processes)
    chips, double = result.measures
    assert double.name == "double"
    assert "a double" in double.method
    assert double.mean_chips == pytest.approx(chips.mean_chips / 2)
    assert double.standard_error_chips == pytest.approx(chips.standard_error_chips / 2)
    assert result.measure("double") is double
    assert result.measure("none") is None


def test_a_hand_that_cannot_be_measured_keeps_those_before() -> None:
    class Strict(NoLuck):
        def estimate(self, hand: PlayedHand, seat: int) -> float:
            if hand.number == 12:
                raise StrategyError("no such hand.")
            return 0.0

    with pytest.raises(BrokenMatchError, match=r"Deal 12 could not be measured: no such hand\.") as caught:
        play_match(LEDUC, makers(LEDUC, "uniform", "uniform"), hands=50, estimators={"strict": Strict})
    assert caught.value.result.hands == 12


def test_luck_estimators_are_asked_for_by_kind_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def read_values(text: str, subject: Subject, agents: tuple[Agent, Agent]) -> str:
        return f"values of {text}"

    def make_estimator(
        kind: str, subject: Subject, agents: tuple[Agent, Agent], values: object = None, **_: object
    ) -> NoLuck:
        asked.append((kind, values))
        return NoLuck(subject, agents)

    monkeypatch.setattr("errai.arena.luck.read_values", read_values)
    monkeypatch.setattr("errai.arena.luck.make_estimator", make_estimator)
    estimators = {"aivat": luck_estimator("aivat", "equity"), "importance": luck_estimator("importance")}
    result = play_match(LEDUC, makers(LEDUC, "uniform", "always-call"), hands=10, estimators=estimators)
    assert asked == [("aivat", "values of equity"), ("importance", None)]
    assert [m.name for m in result.measures] == ["chips", "aivat", "importance"]


@pytest.mark.parametrize("name", ["leduc", "holdem.nolimit.2p", "holdem.limit.2p"])
def test_the_log_can_be_played_again(name: str, tmp_path: Path) -> None:
    game = load_game(name)
    pair = makers(game, "uniform", "fold=0.1,call=0.4,raise=0.5")
    result = play_match(game, pair, hands=200, duplicate=True, log=tmp_path / "log", seed=3)
    *lines, score = (tmp_path / "log").read_text().splitlines()
    names = [log_name(player) for player in result.players]
    total = dict.fromkeys(names, 0.0)
    numbers = set()
    for line in lines:
        kind, number, betting, cards, chips, seated = line.split(":")
        assert kind == "STATE"
        numbers.add(int(number))
        first, *board = cards.split("/")
        hole = tuple(game.deck.parse_cards(part) for part in first.split("|"))
        shown = game.deck.parse_cards("".join(board))
        state = read_betting(betting, PublicState.start(game), shown)
        assert state.is_over
        net = [float(part) for part in chips.split("|")]
        assert net == list(state.net_chips((hole[0], hole[1])))
        for player, won in zip(seated.split("|"), net, strict=True):
            total[player] += won
    assert numbers == set(range(200))
    assert score == f"SCORE:{total[names[0]]:g}|{total[names[1]]:g}:{names[0]}|{names[1]}"
    assert result.measures[0].mean_chips == pytest.approx(total[names[0]] / 200)


def test_logs_are_of_whole_games(tmp_path: Path) -> None:
    spot = subject("turn")
    with pytest.raises(MatchError, match="spot"):
        play_match(spot, makers(spot, "uniform", "uniform"), hands=2, log=tmp_path / "log")


def test_a_log_that_is_gone_cannot_be_gone_on_with(tmp_path: Path) -> None:
    pair = makers(LEDUC, "uniform", "uniform")
    place: dict[str, Any] = {"checkpoint": tmp_path / "c", "log": tmp_path / "log"}
    play_match(LEDUC, pair, hands=10, **place)
    place["log"].unlink()
    with pytest.raises(MatchError, match="start the match again"):
        play_match(LEDUC, pair, hands=10, resume=True, **place)


@pytest.mark.parametrize("damage", [lambda text: text[:50], lambda text: text.replace("\n", " ", 1)])
def test_a_log_that_has_lost_hands_cannot_be_gone_on_with(damage: Any, tmp_path: Path) -> None:
    pair = makers(LEDUC, "uniform", "uniform")
    place: dict[str, Any] = {"checkpoint": tmp_path / "c", "log": tmp_path / "log"}
    play_match(LEDUC, pair, hands=10, **place)
    place["log"].write_text(damage(place["log"].read_text()))
    with pytest.raises(MatchError, match="start the match again"):
        play_match(LEDUC, pair, hands=10, resume=True, **place)


@pytest.mark.parametrize("failing", [1, 2, 4, 6])
def test_a_write_that_fails_loses_no_hand(failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full after half of what is written, and has room again when the match goes on."""
    pair = makers(LEDUC, "uniform", "uniform")
    play_match(LEDUC, pair, hands=300, log=tmp_path / "whole")
    place: dict[str, Any] = {"checkpoint": tmp_path / "c", "log": tmp_path / "log"}
    calls, write = itertools.count(1), os.write

    def full(file: int, data: memoryview) -> int:
        if next(calls) == failing:
            write(file, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(match_log.os, "write", full)
        with pytest.raises(DiskSpaceError, match="log cannot be written: the disk is full"):
            play_match(LEDUC, pair, hands=300, **place)
    assert load_checkpoint(place["checkpoint"]).metadata["log_bytes"] == place["log"].stat().st_size
    play_match(LEDUC, pair, hands=300, resume=True, **place)
    assert place["log"].read_bytes() == (tmp_path / "whole").read_bytes()


def test_two_matches_do_not_write_to_one_log(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log")
    log.write("a line\n")
    with pytest.raises(RunInUseError, match="Another process writes"):
        play_match(LEDUC, makers(LEDUC, "uniform", "uniform"), hands=10, log=tmp_path / "log")
    log.close()
    assert (tmp_path / "log").read_text() == "a line\n"


@pytest.mark.parametrize("name", ["a:b|c", "solution:x y.errai", "\n", "", "é"])
def test_names_fit_the_fields_of_a_log(name: str) -> None:
    found = log_name(name)
    assert found
    assert not set(found) & set(":| \n")


def test_tables_share_agents_that_do_not_learn() -> None:
    tables = Tables(MatchSetup(LEDUC, makers(LEDUC, "uniform", "always-call"), 10, True, 0))
    assert tables.agents[0][0] is tables.agents[1][0]
    assert tables.learning == []
    assert tables.setup.seats(3).tolist() == [[0, 1, 0], [1, 0, 1]]
    chunk = tables.play(0, 10)
    assert chunk.values.shape == (1, 2, 10)
    assert np.isfinite(chunk.values).all()
    assert FOLD.total == 0
