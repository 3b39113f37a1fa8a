"""What estimators need, and their messages where they cannot measure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from whole_games import RandomMixture, every_hand

from errai.agents.agent import Agent, MatchStart
from errai.agents.reader import read_agent
from errai.arena.luck.estimators import KINDS, Aivat, ImportanceSampling, make_estimator, read_values
from errai.arena.play import play_hand
from errai.errors import MatchError
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Deal, Observation, PlayedHand, Shuffle, raise_to

LEDUC = load_game("leduc")


class Person(Agent):
    name = "a person"

    def act(self, observation: Observation):
        return CALL


def played(first: str, second: str, seed: int = 1, game=LEDUC) -> tuple[tuple[Agent, Agent], PlayedHand]:
    agents = read_agent(first, game), read_agent(second, game)
    for agent in agents:
        agent.start_match(MatchStart(game, seed))
    return agents, play_hand(game, agents, Shuffle(game).deal(np.random.default_rng(seed)), 7)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_estimator_measures_a_hand(kind: str) -> None:
    agents, hand = played("uniform", "by-strength:3")
    estimator = make_estimator(kind, LEDUC, agents)
    assert np.isfinite(estimator.estimate(hand, 0))
    assert estimator.name


def test_whose_strategy_is_known_is_named() -> None:
    agents, _ = played("uniform", "by-strength:3")
    assert make_estimator("aivat", LEDUC, agents).name == "AIVAT (both strategies known, equity)"
    with_person = (Person(), agents[1])
    assert make_estimator("aivat", LEDUC, with_person).name == "AIVAT (the second strategy known, equity)"
    assert make_estimator("aivat", LEDUC, (Person(), Person())).name == "AIVAT (none known, equity)"
    assert "the second" in make_estimator("importance", LEDUC, with_person).name


def test_agents_that_must_be_known_and_are_not_are_refused() -> None:
    agents, _ = played("uniform", "by-strength:3")
    with pytest.raises(MatchError, match="a person does not give its strategy"):
        make_estimator("aivat", LEDUC, (Person(), agents[1]), known="first")
    with pytest.raises(MatchError, match="Neither a person nor a person"):
        make_estimator("importance", LEDUC, (Person(), Person()))
    with pytest.raises(MatchError, match="no exact values"):
        read_values("agents", LEDUC, (Person(), agents[1]))
    with pytest.raises(MatchError, match="choose one of chips, aivat"):
        make_estimator("luck", LEDUC, agents)
    with pytest.raises(MatchError, match="does not use values"):
        make_estimator("importance", LEDUC, agents, read_values("equity", LEDUC))
    with pytest.raises(MatchError, match="one of all, first, second, none"):
        make_estimator("aivat", LEDUC, agents, known="third")
    with pytest.raises(MatchError, match="imagined is 'second', but only"):
        Aivat(LEDUC, agents, known="first", imagined="second")
    with pytest.raises(MatchError, match="uniform can be measured from the hands of"):
        ImportanceSampling(LEDUC, agents, known="second", instead=agents[0])


def test_an_agent_that_did_what_it_never_does_is_named_with_hand_and_decision() -> None:
    agents, hand = played("always-call", "always-call")
    raised = replace(hand, actions=((raise_to(3), CALL), hand.actions[1]))
    for estimator in (Aivat(LEDUC, agents), ImportanceSampling(LEDUC, agents)):
        with pytest.raises(MatchError, match=r"Hand 7, decision 1 \(the first\): always-call, it did with .. what"):
            estimator.estimate(raised, 0)
    shy = replace(hand, actions=(hand.actions[0], (CALL, raise_to(5), FOLD)))
    with pytest.raises(MatchError, match=r"Hand 7, decision 4 \(cc/c\)"):
        Aivat(LEDUC, agents).estimate(shy, 0)
    hidden = replace(raised, hole=(None, None))
    with pytest.raises(MatchError, match="decision 1"):
        Aivat(LEDUC, agents).estimate(hidden, 0)


def test_an_agent_that_never_does_it_with_these_cards_only_is_caught_too() -> None:
    never = RandomMixture(3, never=0.5)
    always = RandomMixture(4)
    estimator = Aivat(LEDUC, (never, always))
    refused = sum(1 for _ in every_hand(LEDUC, (RandomMixture(5, 0.6), RandomMixture(6, 0.6))))
    caught = 0
    for _, hand in every_hand(LEDUC, (RandomMixture(5, 0.6), RandomMixture(6, 0.6))):
        try:
            estimator.estimate(hand, 0)
        except MatchError:
            caught += 1
    assert 0 < caught < refused


def test_cards_are_needed_only_of_agents_that_are_not_imagined() -> None:
    agents, hand = played("uniform", "by-strength:3")
    both = Aivat(LEDUC, agents)
    assert both.estimate(replace(hand, hole=(None, None)), 0) == both.estimate(hand, 0)
    first = Aivat(LEDUC, agents, known="first")
    hidden = replace(hand, hole=(None, hand.hole[1]))
    assert first.estimate(hidden, 0) == first.estimate(hand, 0)
    with pytest.raises(MatchError, match=r"Hand 7: the cards of .* were not shown"):
        first.estimate(replace(hand, hole=(hand.hole[0], None)), 0)


def test_what_the_board_would_have_been_after_all_in_changes_nothing() -> None:
    game = load_game("leduc.nolimit")
    agents = read_agent("uniform", game), read_agent("uniform", game)
    most = game.stacks[0]
    actions = ((raise_to(most), CALL),)
    found = set()
    for card in (0, 1, 4):
        deal = Deal(((2,), (3,)), (card,))
        hand = PlayedHand(game, 0, deal.hole, deal.board, actions, ("a", "b"), (0.0, 0.0))
        found.add(Aivat(game, agents).estimate(hand, 0))
    assert len(found) == 1


def test_a_hand_that_ends_in_the_middle_is_refused() -> None:
    agents, hand = played("always-call", "always-call")
    for broken in (replace(hand, actions=((CALL,),)), replace(hand, board=())):
        with pytest.raises(MatchError, match="ends in the middle"):
            Aivat(LEDUC, agents).estimate(broken, 0)


def test_seats_change_and_the_sum_of_both_agents_stays_zero() -> None:
    agents, hand = played("uniform", "by-strength:3")
    for make in (Aivat, ImportanceSampling):
        mine = make(LEDUC, agents).estimate(hand, 0)
        theirs = make(LEDUC, agents[::-1]).estimate(hand, 1)
        assert mine == pytest.approx(-theirs, abs=1e-12)


@pytest.mark.slow
def test_limit_holdem_is_measured_with_less_luck() -> None:
    # Slow for the table of pairs, which is counted on first use.
    game = load_game("holdem.limit.2p")
    agents = read_agent("by-strength:20", game), read_agent("uniform", game)
    shuffle, rng = Shuffle(game), np.random.default_rng(3)
    for agent in agents:
        agent.start_match(MatchStart(game, 5))
    hands = [play_hand(game, agents, shuffle.deal(rng), number) for number in range(300)]
    chips = np.array([hand.net_chips[0] for hand in hands])
    estimator = Aivat(game, agents)
    left = np.array([estimator.estimate(hand, 0) for hand in hands])
    assert left.std() < 0.65 * chips.std()
    assert abs(left.mean() - chips.mean()) < 4 * (left - chips).std() / len(hands) ** 0.5
