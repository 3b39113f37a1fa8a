"""Sessions: a player and an agent play by the rules, and a session is resumed after any interruption."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_subjects import subject

from errai.agents.agent import Agent, MatchStart
from errai.agents.reader import read_agent
from errai.arena.histories.formats import read_hands, read_text
from errai.arena.play import play_hand
from errai.arena.session import Average, Seating, Session, luck_estimator
from errai.arena.session_file import load_session, save_history, save_session
from errai.errors import (
    AgentError,
    ArtefactError,
    DamagedFileError,
    FileAccessError,
    ForeignFileError,
    IllegalActionError,
    MatchError,
    MismatchError,
    StrategyError,
)
from errai.games.hand import CALL, FOLD, Action, Deal, Hand, Observation, Shuffle, raise_to
from errai.store.document import checksum

GAMES = ("kuhn", "leduc", "leduc.nolimit", "rhode-island", "holdem.limit.2p", "holdem.nolimit.2p", "turn")


def choose(session: Session) -> Action:
    """A scripted player: any legal action, which depends only on the state of the hand."""
    hand = session.hand
    state = hand.state
    return random.Random(f"{hand.number} {state.actions} {state.board}").choice(state.legal_actions)


def advance(session: Session) -> None:
    """One step: a deal, an action, or the end of a hand."""
    if session.hand is None:
        session.deal()
    elif session.hand.state.is_over:
        session.finish()
    elif session.players_turn:
        session.act(choose(session))
    else:
        session.opponent_acts()


def play(session: Session, hands: int) -> Session:
    while len(session.hands) < hands:
        advance(session)
    return session


def new(name: str, **settings) -> Session:
    game = subject(name)
    return Session(game, read_agent(settings.pop("against", "uniform"), game), **{"seed": 7, **settings})


@pytest.mark.parametrize("name", GAMES)
def test_hands_are_those_of_the_rules(name):
    session = play(new(name), 60)
    assert {played.net_chips[0] + played.net_chips[1] for played in session.hands} == {0.0}
    for number, played in enumerate(session.hands):
        assert played.number == number
        assert played.players[session.seat_in(number)] == "you"
        # The record alone gives the same end.
        state = played.final_state()
        assert state.is_over
        assert state.net_chips(played.hole) == played.net_chips
    assert len({played.hole for played in session.hands}) > 1


def test_the_opponent_may_think_while_the_player_thinks():
    watched = []

    class Watching(Agent):
        def act(self, observation):
            return CALL

        def watch(self, observation):
            assert observation.state.actor == 1 - observation.seat
            watched.append((observation.hand_number, observation.state.line))

    session = Session(subject("leduc"), Watching(), seed=7)
    turns = []
    while len(session.hands) < 20:
        if session.hand is not None and session.players_turn:
            turns.append((session.hand.number, session.hand.state.line))
        advance(session)
    assert watched == turns


@pytest.mark.parametrize("name", ["leduc", "holdem.nolimit.2p", "turn"])
def test_a_session_is_a_match_of_two_agents(name):
    """The opponent draws in a session what it draws in a match of the same seed, on the same deals."""
    game = subject(name)
    session = play(new(name), 40)

    class Scripted(Agent):
        name = "you"

        def act(self, observation: Observation) -> Action:
            state = observation.state
            seeded = random.Random(f"{observation.hand_number} {state.actions} {state.board}")
            return seeded.choice(state.legal_actions)

    opponent = read_agent("uniform", game)
    for played in session.hands:
        deal = Shuffle(game).deal(np.random.default_rng((7, played.number)))
        opponent.start_match(MatchStart(game, 7))
        agents = (Scripted(), opponent) if session.seat_in(played.number) == 0 else (opponent, Scripted())
        again = play_hand(game, agents, deal, played.number)
        # Spots are equal only to themselves.
        assert replace(again, subject=session.subject) == played


@pytest.mark.parametrize(("name", "first"), [("kuhn", 0), ("holdem.limit.2p", 1), ("turn", 0)])
def test_seats(name, first):
    for seating, seats in (("first", [first] * 4), ("second", [1 - first] * 4), ("alternate", [first, 1 - first] * 2)):
        session = play(new(name, seating=Seating(seating)), 4)
        assert [session.seat_in(n) for n in range(4)] == seats
        for number in range(4):
            begins = Hand(session.subject, Deal(session.hands[number].hole, ()), 0).state.actor
            assert (begins == session.seat_in(number)) is (seats[number] == first)


@pytest.mark.parametrize("name", GAMES)
def test_resumed_after_every_step_is_uninterrupted(name, tmp_path):
    path = tmp_path / "session.json"
    whole = play(new(name, player="Niamh"), 4)
    session = new(name, player="Niamh")
    begun_in_mid_hand = 0
    while len(session.hands) < 4:
        advance(session)
        save_session(session, path)
        begun_in_mid_hand += session.hand is not None and bool(session.hand.state.line)
        game = subject(name)
        session = load_session(path, game, read_agent("uniform", game))
    assert begun_in_mid_hand > 3
    assert session.player == "Niamh"
    assert [(h.hole, h.board, h.actions, h.net_chips) for h in session.hands] == [
        (h.hole, h.board, h.actions, h.net_chips) for h in whole.hands
    ]
    save_session(whole, tmp_path / "whole.json")
    assert without_clock(path) == without_clock(tmp_path / "whole.json")


def without_clock(path: Path) -> dict[str, Any]:
    """The session in a file without how long the decisions took."""
    found = json.loads(path.read_text())["session"]
    return {**found, "hands": [{**hand, "seconds": len(hand["seconds"])} for hand in found["hands"]]}


def test_the_players_decisions_are_timed(tmp_path, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("errai.arena.session.time.monotonic", lambda: clock[0])
    session = new("leduc")
    session.deal()
    decisions = 0
    while not session.hand.state.is_over:
        if session.players_turn:
            clock[0] += 2.5
            decisions += 1
            session.act(CALL)
        else:
            clock[0] += 60.0
            session.opponent_acts(CALL)
    session.finish()
    assert session.seconds == [[2.5] * decisions]
    seat = session.seat_in(0)
    assert session.seen(0).details == {"_seconds": [[2.5] * decisions, []] if seat == 0 else [[], [2.5] * decisions]}
    save_session(session, tmp_path / "s.json")
    game = subject("leduc")
    assert load_session(tmp_path / "s.json", game, read_agent("uniform", game)).seconds == session.seconds
    save_history([session.seen(0)], tmp_path / "s.phhs")
    (hand,) = read_hands(tmp_path / "s.phhs").hands
    assert hand.details["_seconds"] == session.seen(0).details["_seconds"]
    # Sessions of before have no seconds; a hand that is replayed has none that are known.
    content = json.loads((tmp_path / "s.json").read_text())
    del content["session"]["hands"][0]["seconds"]
    content["sha256"] = checksum(content["session"])
    (tmp_path / "s.json").write_text(json.dumps(content))
    old = load_session(tmp_path / "s.json", game, read_agent("uniform", game))
    assert old.seen(0).details == {}


def test_opponents_that_learn_are_told_of_every_hand(tmp_path):
    class Learner(Agent):
        name = "learner"

        def __init__(self) -> None:
            self.told = []

        def act(self, observation: Observation) -> Action:
            state = observation.state
            return state.legal_actions[0] if observation.hand_number % 2 else CALL

        def end_hand(self, observation: Observation, net_chips: float) -> None:
            self.told.append((observation.hand_number, observation.cards, observation.opponent_cards, net_chips))

    first, second = Learner(), Learner()
    session = play(Session(subject("leduc"), first, seed=1), 20)
    save_session(session, tmp_path / "s.json")
    load_session(tmp_path / "s.json", subject("leduc"), second)
    assert first.told == second.told
    assert sum(net for *_, net in first.told) == -session.score().chips.total_chips
    # Cards of the other are seen after showdowns alone.
    shown = [played.final_state().betting.showdown for played in session.hands]
    assert [cards is not None for _, _, cards, _ in first.told] == shown
    assert True in shown
    assert False in shown


def test_what_the_player_has_seen():
    session = play(new("leduc"), 30)
    folded = 0
    for number, played in enumerate(session.hands):
        seat, seen = session.seat_in(number), session.seen(number)
        assert replace(session.seen(number, opened=True), details={}) == played
        if played.final_state().betting.showdown:
            assert replace(seen, details={}) == played
        else:
            folded += 1
            assert seen.hole[1 - seat] is None
            assert replace(seen, details={}) == replace(played, hole=seen.hole)
            assert seen.hole[seat] == played.hole[seat]
    assert 0 < folded < 30


def test_only_who_is_to_act_may():
    session = new("leduc")
    for wrong in (session.opponent_acts, session.finish, lambda: session.act(CALL)):
        with pytest.raises(MatchError):
            wrong()
    session.deal()
    assert session.players_turn
    with pytest.raises(MatchError, match="not over"):
        session.deal()
    with pytest.raises(MatchError):
        session.opponent_acts()
    before = session.hand.state
    for illegal in (FOLD, raise_to(17)):
        with pytest.raises(IllegalActionError):
            session.act(illegal)
    assert session.hand.state is before
    session.act(CALL)
    with pytest.raises(MatchError):
        session.act(CALL)


def test_an_opponent_that_breaks_the_rules_is_named():
    class Cheat(Agent):
        name = "cheat"

        def act(self, observation: Observation) -> Action:
            return raise_to(10_000)

    session = Session(subject("leduc"), Cheat(), seed=0)
    session.deal()
    session.act(CALL)
    state = session.hand.state
    with pytest.raises(AgentError, match="cheat, hand 1"):
        session.opponent_acts()
    assert session.hand.state is state


def test_an_opponent_of_another_game():
    with pytest.raises(StrategyError):
        Session(subject("leduc"), read_agent("by-strength:3", subject("holdem.limit.2p")), seed=0)


# --- the score -----------------------------------------------------------------------------------------------------


def test_averages():
    chips = [float(x) for x in np.random.default_rng(3).normal(2.0, 5.0, 400)]
    average = Average.of(chips)
    assert average.chips_a_hand == pytest.approx(np.mean(chips))
    assert average.half_width_chips == pytest.approx(1.96 * np.std(chips, ddof=1) / 20, rel=1e-4)
    assert Average.of(chips[:29]).half_width_chips is None
    assert Average.of(chips[:30]).half_width_chips is not None
    assert Average.of([]).chips_a_hand == 0.0


def test_intervals_cover():
    """Of 100 parts of a session of Kuhn without folds and bets, whose value is 0, about 95 % cover it."""
    session = new("kuhn", against="always-call", seed=11)
    while len(session.hands) < 100 * 30:
        hand = session.deal()
        while not hand.state.is_over:
            if session.players_turn:
                session.act(CALL)
            else:
                session.opponent_acts()
        session.finish()
    chips = np.array([played.net_chips[session.seat_in(played.number)] for played in session.hands]).reshape(100, 30)
    covered = 0
    for hands in chips:
        average = Average.of(hands.tolist())
        covered += abs(average.chips_a_hand) <= average.half_width_chips
    assert 0.89 <= covered / 100 <= 0.99


class Halved:
    """An estimator whose answers can be told from chips."""

    name = "half"

    def __init__(self) -> None:
        self.asked = 0

    def estimate(self, hand, seat: int) -> float:
        self.asked += 1
        return hand.net_chips[seat] / 2


def test_the_score_without_luck(tmp_path):
    estimator = Halved()
    session = play(new("leduc", estimator=estimator), 35)
    score = session.score()
    assert estimator.asked == 35
    assert score.measure == "half"
    assert score.chips.total_chips == sum(h.net_chips[session.seat_in(h.number)] for h in session.hands)
    assert score.without_luck.total_chips == score.chips.total_chips / 2
    assert score.without_luck.half_width_chips == pytest.approx(score.chips.half_width_chips / 2)
    save_session(session, tmp_path / "s.json")
    game = subject("leduc")
    again = load_session(tmp_path / "s.json", game, read_agent("uniform", game), estimator=estimator)
    assert again.score() == score
    assert estimator.asked == 35
    without = load_session(tmp_path / "s.json", game, read_agent("uniform", game))
    assert without.score().without_luck is None


def test_sessions_that_began_without_an_estimator_are_measured_later(tmp_path):
    session = play(new("leduc"), 5)
    assert session.score().without_luck is None
    save_session(session, tmp_path / "s.json")
    game = subject("leduc")
    again = load_session(tmp_path / "s.json", game, read_agent("uniform", game), estimator=Halved())
    assert again.score().without_luck.total_chips == session.score().chips.total_chips / 2


def test_an_estimator_that_cannot_measure_is_no_obstacle():
    class Broken:
        name = "broken"

        def estimate(self, hand, seat: int) -> float:
            raise StrategyError("There is no value for this hand.")

    session = play(new("leduc", estimator=Broken()), 3)
    assert session.score().without_luck is None
    assert session.score().chips.hands == 3


def test_estimators_are_made_where_they_can_be(monkeypatch):
    game = subject("leduc")
    asked = []

    def make_estimator(kind, subject, agents, values=None):
        asked.append((kind, subject, agents[1]))
        if agents[1].name == "uniform":
            return Halved()
        raise StrategyError("No.")

    monkeypatch.setattr("errai.arena.luck.make_estimator", make_estimator)
    uniform = read_agent("uniform", game)
    assert luck_estimator(game, uniform).name == "half"
    assert asked == [("aivat", game, uniform)]
    assert luck_estimator(game, read_agent("always-call", game)) is None

    class Silent(Agent):
        def act(self, observation: Observation) -> Action:
            return CALL

    assert luck_estimator(game, Silent()) is None
    assert len(asked) == 2


# --- the file ------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    session = play(new("leduc"), 3)
    while session.hand is None or not session.hand.state.line:
        advance(session)
    path = tmp_path / "session.json"
    save_session(session, path)
    return session, path


def reload(path) -> Session:
    game = subject("leduc")
    return load_session(path, game, read_agent("uniform", game))


def same(one: Session, other: Session) -> bool:
    return one.hands == other.hands and one.hand.state.actions == other.hand.state.actions and one.seed == other.seed


def test_truncated_and_altered_files(saved):
    session, path = saved
    whole = path.read_bytes()
    rng = random.Random(1)
    texts = [whole[:length] for length in range(0, len(whole) - 1, 23)]
    for _ in range(150):
        at = rng.randrange(len(whole))
        texts.append(whole[:at] + bytes([rng.randrange(256)]) + whole[at + 1 :])
    refused = 0
    for text in texts:
        path.write_bytes(text)
        try:
            again = reload(path)
        except ArtefactError:
            refused += 1
        else:
            # White space between the parts of the file says nothing.
            assert same(again, session)
    assert refused > 0.8 * len(texts)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["hands"][0].update(won=body["hands"][0]["won"] + 1),
        lambda body: body["hands"][1].update(cards="Ks|Kh/As"),
        lambda body: body["hands"][0].update(actions="c"),
        lambda body: body["hands"][0].update(actions=""),
        lambda body: body["hands"][0].update(actions="ff"),
        lambda body: body["hands"][0].update(actions="rrrr"),
        lambda body: body["hands"][0].update(actions="c/c/c/c"),
        lambda body: body["hands"][2].update(actions="?"),
        lambda body: body.update(in_progress="x"),
        lambda body: body.update(in_progress="f"),
        lambda body: body.update(seed=8),
        lambda body: body.update(seed=-1),
        lambda body: body.update(seed=True),
        lambda body: body.update(seed="7"),
        lambda body: body.update(seating="second"),
        lambda body: body.update(seating="upside down"),
        lambda body: body.update(hands=None),
        lambda body: body["hands"].append([]),
        lambda body: body["hands"][0].update(without_luck="much"),
        lambda body: body["hands"][0].update(seconds=["long"]),
        lambda body: body["hands"][0].update(seconds=3.0),
        lambda body: body.pop("in_progress"),
        lambda body: body.pop("player"),
    ],
)
def test_files_that_say_what_cannot_have_happened(saved, change):
    """The checksum is right, but the hands are not what seed and rules give."""
    _, path = saved
    content = json.loads(path.read_text())
    change(content["session"])
    content["sha256"] = checksum(content["session"])
    path.write_text(json.dumps(content))
    with pytest.raises(DamagedFileError):
        reload(path)


def test_foreign_files(saved, tmp_path):
    _, path = saved
    with pytest.raises(MismatchError, match="Leduc"):
        load_session(path, subject("kuhn"), read_agent("uniform", subject("kuhn")))
    with pytest.raises(MismatchError, match="uniform"):
        load_session(path, subject("leduc"), read_agent("always-call", subject("leduc")))
    for text in ("", "[]", "null", "{}", "hello", '{"format": "errai solution"}', "[" * 100_000, "1" * 5000):
        path.write_text(text)
        with pytest.raises(ForeignFileError):
            reload(path)
    path.write_text('{"format": "errai session", "version": 2, "session": {}}')
    with pytest.raises(ForeignFileError, match="version 2"):
        reload(path)
    for missing in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(FileAccessError):
            reload(missing)


def test_a_file_that_cannot_be_written_leaves_the_old_one(saved, tmp_path):
    session, path = saved
    before = path.read_bytes()
    with pytest.raises(FileAccessError):
        save_session(session, tmp_path / "no folder" / "s.json")
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["session.json"]


def test_histories_hold_what_was_seen(tmp_path):
    """Nothing that the player has seen is lost."""
    for name in GAMES:
        session = play(new(name), 8)
        seen = [session.seen(number) for number in range(8)]
        save_history(seen, tmp_path / "h.phhs")
        found = read_text((tmp_path / "h.phhs").read_text(), "phh")
        assert not found.faults
        assert [(h.hole, h.board, h.actions, h.players, h.net_chips) for h in found.hands] == [
            (h.hole, h.board, h.actions, h.players, h.net_chips) for h in seen
        ]


def test_aivat_in_a_session():
    """The same mean as the chips, with less spread."""
    game = subject("leduc")
    uniform = read_agent("uniform", game)
    session = play(Session(game, uniform, seed=3, estimator=luck_estimator(game, uniform)), 300)
    score = session.score()
    assert score.measure.startswith("AIVAT")
    width = score.chips.half_width_chips + score.without_luck.half_width_chips
    assert abs(score.chips.chips_a_hand - score.without_luck.chips_a_hand) < 1.5 * width
    assert score.without_luck.half_width_chips < 0.9 * score.chips.half_width_chips
