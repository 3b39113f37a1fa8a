"""Studies with people: simulated players of known skill are found in the right order, with the stated error rates."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from errai.agents.agent import MatchStart
from errai.agents.given import as_agent
from errai.arena.histories.phh import phhs_text
from errai.arena.luck.values import exact_value
from errai.arena.people import measure_people
from errai.arena.play import deals_of_block, play_hand
from errai.arena.standings import equal_tiers, make_pool, met_by_all
from errai.cli.main import main
from errai.errors import MatchError
from errai.games.catalogue import load_game

GAME = load_game("leduc")
BOT = "by-strength:4"


def played(person: str, name: str, hands: int, seed: int):
    """Hands of a simulated person against the bot, as a history has them."""
    agents = [as_agent(person, GAME), as_agent(BOT, GAME)]
    for place, agent in enumerate(agents):
        agent.start_match(MatchStart(GAME, seed * 2 + place))
    found = []
    for number, deal in enumerate(deals_of_block(GAME, seed, 0)[:hands]):
        seat = number % 2
        hand = play_hand(GAME, tuple(agents if seat == 0 else agents[::-1]), deal, number)
        found.append(replace(hand, players=(name, "bot") if seat == 0 else ("bot", name)))
    return found


@cache
def skill(person: str) -> float:
    """What a person wins from the bot, exactly, chips a hand."""
    return exact_value(GAME, (as_agent(person, GAME), as_agent(BOT, GAME)))


@pytest.fixture(scope="module")
def study():
    """Fifteen people of different skill, 300 hands each, and fifteen who play just as the bot does."""
    people = [f"fold={share:.3f},call={0.95 - share:.3f},raise=0.05" for share in np.linspace(0.0, 0.9, 15)]
    hands, skills = [], {}
    for number, person in enumerate([*people, *[BOT] * 15]):
        name = f"person {number}"
        skills[name] = skill(person)
        hands += played(person, name, 300, number)
    return measure_people(hands, as_agent(BOT, GAME), GAME, agent="bot"), skills


def test_intervals_hold_the_true_skill_and_aivat_has_less_luck(study):
    found, skills = study
    assert len(found.players) == 30
    for measure, least in (("chips", 25), ("aivat", 25)):
        held = [skills[p.name] in getattr(p, measure).interval for p in found.players]
        assert sum(held) >= least  # 28.5 are to be expected; fewer than 25 come once in 60 times
    off = [(p.aivat.mean - skills[p.name]) / (p.aivat.std / np.sqrt(300)) for p in found.players]
    assert abs(np.mean(off)) < 4 / np.sqrt(30)
    less = [p.aivat.std / p.chips.std for p in found.players]
    assert np.mean(less) < 0.8


def test_the_order_is_found_and_equals_are_not_called_better_or_worse(study):
    found, skills = study
    differ = [p for p in found.players if abs(skills[p.name]) > 0.3]
    order = [skills[p.name] for p in differ]
    assert np.corrcoef(np.argsort(np.argsort(order)), -np.arange(len(order)))[0, 1] > 0.9
    same = [p for p in found.players if skills[p.name] == pytest.approx(0.0, abs=1e-9)]
    assert len(same) == 15
    assert all(p.corrected_p_value > 0.05 for p in same)
    assert sum(p.corrected_p_value < 0.05 for p in differ) > len(differ) / 2
    assert not found.misfits


def test_the_results_are_ranked_in_equal_tiers(study):
    found, skills = study
    pool = make_pool([(r.players[0], r) for r in found.results()], "aivat")
    assert met_by_all(pool) == "bot"
    tiers, too_few = equal_tiers(pool, "bot", 4, least=300)
    assert (len(tiers), too_few) == (4, 0)
    assert [len(tier.players) for tier in tiers] == [8, 8, 7, 7]
    means = [np.mean([skills[name] for name in tier.players]) for tier in tiers]
    assert means == sorted(means, reverse=True)
    # The half that ranked does not measure: a tier's mean is that of its players, without the luck of being ranked.
    for tier, mean in zip(tiers, means, strict=True):
        half = (tier.interval.high - tier.interval.low) / 2 / pool.scale
        assert abs(tier.mean / pool.scale - mean) < 2 * half
    with pytest.raises(MatchError, match="Only 0 of 30"):
        equal_tiers(pool, "bot", 4, least=301)


def test_another_strategy_than_the_one_that_played_is_noticed():
    hands = played("uniform", "Ann", 900, 3)
    found = measure_people(hands, as_agent("fold=0.02,call=0.9,raise=0.08", GAME), GAME, agent="bot")
    assert any("bot does not play the strategy" in str(misfit) for misfit in found.misfits)


def test_without_a_players_cards_the_chips_alone_are_measured():
    hands = played("uniform", "Ann", 40, 3)
    seat = hands[7].players.index("Ann")
    hands[7] = replace(hands[7], hole=(None, hands[7].hole[1]) if seat == 0 else (hands[7].hole[0], None))
    hidden = [
        replace(hand, hole=tuple(c if n == "Ann" else None for c, n in zip(hand.hole, hand.players, strict=True)))
        for hand in hands
    ]
    found = measure_people(hidden, as_agent(BOT, GAME), GAME, agent="bot")
    assert (found.agent, found.players[0].unknown_cards, found.players[0].aivat) == ("bot", 1, None)
    del hidden[7]
    assert measure_people(hidden, as_agent(BOT, GAME), GAME, agent="bot").players[0].aivat is not None


def test_the_verb(tmp_path, capsys):
    file = tmp_path / "hands.phhs"
    hands = [*played("uniform", "Ann", 60, 1), *played("always-call", "Bob", 60, 2)]
    hands = [replace(hand, number=i, details={"_seconds": [[1.5], [2.5]]}) for i, hand in enumerate(hands)]
    file.write_text(phhs_text(hands))
    words = ["histories", "measure", str(file), "--known", BOT, "--agent", "bot"]
    assert main([*words, "--json", "--results", str(tmp_path / "people")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {p["player"]: p["hands"] for p in document["players"]} == {"Ann": 60, "Bob": 60}
    assert document["all"]["aivat"]["standard_deviation"] < document["all"]["chips"]["standard_deviation"]
    assert document["players"][0]["seconds_a_decision"] in (1.5, 2.0, 2.5)
    assert main([*words, "--by-player"]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("Ann", "Bob", "all", "corrected"))
    places = [str(tmp_path / "people"), "--tiers-equal", "2", "--at-least", "60", "--measure", "aivat"]
    assert main(["standings", *places, "--report", str(tmp_path / "report")]) == 0
    assert "tiers against bot" in capsys.readouterr().out
    assert main(["standings", *places[:2], "3"]) == 1
    assert main(["histories", "measure", str(file), "--known", BOT, "--agent", "nobody"]) == 1
    assert "None of the hands was played by nobody" in capsys.readouterr().err
    assert main(["histories", "measure", str(file), "--known", "nothing"]) == 2
