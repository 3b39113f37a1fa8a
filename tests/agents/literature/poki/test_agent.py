"""Poki in the arena: legal, repeatable, learning, and on the competition's protocol."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from errai.agents.agent import MatchStart
from errai.agents.literature.poki.agent import PokiAgent
from errai.agents.literature.poki.opponent import Modelling
from errai.agents.reader import read_agent
from errai.arena.acpc.client import ProtocolPlayer
from errai.arena.acpc.text import action_text, matchstate_line
from errai.arena.match import play_match
from errai.arena.play import play_hand
from errai.errors import StrategyError
from errai.games.catalogue import load_game
from errai.games.game import Game, Subject
from errai.games.hand import Action, Hand, Observation, PlayedHand, Shuffle

GAME = load_game("holdem.limit.2p")


def played(text: str, against: str, hands: int, seed: int = 1, game: Game = GAME) -> tuple[PokiAgent, list[PlayedHand]]:
    """Hands of a match, seats by turns; what the rules forbid raises."""
    agent, other = read_agent(text, game), read_agent(against, game)
    assert isinstance(agent, PokiAgent)
    agent.start_match(MatchStart(game, seed))
    other.start_match(MatchStart(game, 77))
    shuffle = Shuffle(game)
    found = []
    for number in range(hands):
        deal = shuffle.numbered(5, number)
        found.append(play_hand(game, (agent, other) if number % 2 == 0 else (other, agent), deal, number))
    return agent, found


def lines(hands: list[PlayedHand]) -> list[object]:
    return [hand.actions for hand in hands]


@pytest.mark.parametrize("text", ["poki-formula", "poki-formula:model=generic", "poki-formula:model=off"])
def test_the_formula_plays_by_the_rules(text: str) -> None:
    """Against one that does everything, so that all kinds of lines come."""
    agent, hands = played(text, "uniform", 120)
    assert agent.name == text
    kinds = {action.kind for hand in hands for done in hand.actions for action in done}
    assert len(kinds) == 3
    assert any(len(hand.board) == 5 for hand in hands)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["poki-formula", "poki:trials=20"])
def test_thousands_of_hands_by_the_rules(text: str) -> None:
    played(text, "uniform", 4000 if text == "poki-formula" else 1000)


@pytest.mark.parametrize("options", ["trials=30", "trials=30,model=off,preflop=formula"])
def test_the_simulation_plays_by_the_rules_and_again_the_same(options: str) -> None:
    _, first = played(f"poki:{options}", "uniform", 12)
    _, again = played(f"poki:{options}", "uniform", 12)
    assert lines(first) == lines(again)
    _, other = played(f"poki:{options}", "uniform", 12, seed=2)
    assert lines(first) != lines(other)


@pytest.mark.parametrize("name", ["holdem-2-1", "holdem-2-4"])
@pytest.mark.parametrize("text", ["poki-formula", "poki:trials=20"])
def test_shorter_games_are_played_too(name: str, text: str) -> None:
    played(text, "uniform", 15, game=load_game(name))


def test_a_match_of_two_is_the_same_again() -> None:
    def result() -> object:
        texts = ("poki-formula", "poki-formula:model=generic")
        first, second = (partial(read_agent, text, GAME) for text in texts)
        return play_match(GAME, (first, second), hands=40, duplicate=True, seed=3).measures[0].mean_chips

    assert result() == result()


def test_only_who_models_the_match_learns() -> None:
    for text, learns in (("poki", True), ("poki:model=generic", False), ("poki-formula:model=off", False)):
        assert read_agent(text, GAME).learns is learns


def test_one_who_only_calls_is_known_soon() -> None:
    agent, _ = played("poki-formula", "always-call", 40)
    assert agent.model.frequencies[0, :, 1].max() < 0.01
    assert agent.model.frequencies[1, 0, 1] < 0.01
    agent.start_match(MatchStart(GAME, 1))
    assert agent.model.frequencies[0, 0, 1] > 0.1, "a new match is a new opponent"


def test_a_raise_of_one_who_always_raises_says_nothing() -> None:
    agent, _ = played("poki-formula", "always-raise", 80)
    weights = agent.model.weights
    assert weights[weights > 0].min() > 0.7


def test_other_options_and_games_are_refused_with_a_sentence(turn_spot: Subject) -> None:
    for text in (
        "poki:trials=0",
        "poki:trials=many",
        "poki:model=all",
        "poki:preflop=never",
        "poki:depth=3",
        "poki:trials=3,trials=4",
        "poki-formula:trials=5",
    ):
        with pytest.raises(StrategyError, match=r"\.$"):
            read_agent(text, GAME)
    for subject in (load_game("leduc"), load_game("holdem.nolimit.2p"), turn_spot):
        with pytest.raises(StrategyError, match=r"\.$"):
            read_agent("poki", subject)
    agent = read_agent("poki-formula", GAME)
    with pytest.raises(StrategyError, match="other rules"):
        agent.start_match(MatchStart(load_game("holdem-2-1"), 1))


def watched(hand: Hand, agents: tuple[object, object], seat: int) -> list[tuple[Observation, Action | None]]:
    """Play a hand; what a seat saw whenever something happened, and what it did."""
    seen: list[tuple[Observation, Action | None]] = []
    while hand.actor >= 0:
        here = hand.observation(seat)
        action = agents[hand.actor].act(hand.observation(hand.actor))  # type: ignore[attr-defined]
        seen.append((here, action if hand.actor == seat else None))
        hand.act(action)
    for each in (0, 1):
        agents[each].end_hand(hand.observation(each), hand.net_chips()[each])  # type: ignore[attr-defined]
    return [*seen, (hand.observation(seat), None)]


def test_the_competition_s_protocol_gets_the_same_answers() -> None:
    ours, other = read_agent("poki:trials=20", GAME), read_agent("uniform", GAME)
    ours.start_match(MatchStart(GAME, 9))
    other.start_match(MatchStart(GAME, 8))
    player = ProtocolPlayer(read_agent("poki:trials=20", GAME), GAME, 9)
    shuffle, answers = Shuffle(GAME), 0
    for number in range(10):
        seat = number % 2
        agents = (ours, other) if seat == 0 else (other, ours)
        for seen, action in watched(Hand(GAME, shuffle.numbered(4, number), number), agents, seat):
            line = matchstate_line(seen)
            answer = player.answer(line)
            if action is not None:
                # A line that comes twice is answered the same way.
                assert player.answer(line) == answer
                assert answer is not None
                assert answer.rpartition(":")[2] == action_text(action, limit=True)
                answers += 1
    assert answers > 10
    assert player.tally.hands == 10


def test_a_hand_may_be_joined_in_the_middle() -> None:
    """Draws depend on the seed, the hand and the observation, not on earlier calls."""
    ours, other = read_agent("poki-formula:model=generic", GAME), read_agent("uniform", GAME)
    ours.start_match(MatchStart(GAME, 9))
    other.start_match(MatchStart(GAME, 8))
    for number in range(15):
        for seen, action in watched(Hand(GAME, Shuffle(GAME).numbered(4, number), number), (ours, other), 0):
            if action is not None:
                late = read_agent("poki-formula:model=generic", GAME)
                late.start_match(MatchStart(GAME, 9))
                assert late.act(seen) == action


def test_weights_leave_no_known_card() -> None:
    agent = read_agent("poki-formula", GAME)
    assert isinstance(agent, PokiAgent)
    other = read_agent("uniform", GAME)
    for each in (agent, other):
        each.start_match(MatchStart(GAME, 3))
    cards = agent.deals.hands
    for number in range(20):
        hand = Hand(GAME, Shuffle(GAME).numbered(6, number), number)
        while hand.actor >= 0:
            observation = hand.observation(hand.actor)
            action = (agent, other)[hand.actor].act(observation)
            if hand.actor == 0:
                known = (*observation.cards, *observation.state.board)
                blocked = np.isin(cards, known).any(axis=1)
                assert (agent.model.weights[blocked] == 0).all()
                assert (agent.model.weights[~blocked] > 0).all()
            hand.act(action)


def test_modelling_is_what_was_asked_for() -> None:
    agent = read_agent("poki-formula:model=generic", GAME)
    assert isinstance(agent, PokiAgent)
    assert agent.model.modelling is Modelling.GENERIC
