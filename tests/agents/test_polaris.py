"""Polaris: the estimates are unbiased, and the best member of the team gets the hands."""

import numpy as np
import pytest

from errai.agents.agent import MatchStart
from errai.agents.given import as_agent
from errai.agents.literature.polaris import Polaris
from errai.agents.reader import read_agent
from errai.arena.luck.values import exact_value
from errai.arena.match import play_match
from errai.arena.play import deals_of_block, play_hand
from errai.errors import StrategyError, UnsupportedGameError
from errai.games.catalogue import load_game

TEAM = ("uniform", "by-strength:3", "fold=0.1,call=0.3,raise=0.6")


class Noted(Polaris):
    """Keeps the estimates of every hand."""

    def estimates(self, observation, net_chips, chosen):
        found = super().estimates(observation, net_chips, chosen)
        self.all = [*getattr(self, "all", []), found]
        return found


def play(name, opponent, hands, **options):
    game = load_game(name)
    team = Noted(game, tuple(as_agent(text, game) for text in TEAM), **options)
    other = as_agent(opponent, game)
    for agent in (team, other):
        agent.start_match(MatchStart(game, 7))
    for number in range(hands):
        if number % 1000 == 0:
            deals = deals_of_block(game, 3, number // 1000)
        pair = (team, other) if number % 2 == 0 else (other, team)
        play_hand(game, pair, deals[number % 1000], number)
    return team


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_estimates_of_all_members_are_unbiased(name):
    team = play(name, "fold=0.2,call=0.6,raise=0.2", 3000)
    estimates = np.array(team.all)
    game = team.subject
    for member, text in enumerate(TEAM):
        true = exact_value(game, (as_agent(text, game), as_agent("fold=0.2,call=0.6,raise=0.2", game)))
        # The hands that Polaris never acted in are worth the same to all, and are not among the estimates.
        mean = estimates[:, member].sum() / 3000
        rest = (3000 - len(estimates)) / 3000
        error = estimates[:, member].std() / np.sqrt(len(estimates)) + 1e-9
        assert abs(mean - true) < 4 * error + rest * float(max(game.blinds) + 2)


def test_every_hand_is_counted_for_one_member():
    team = play("leduc", "always-call", 400)
    assert team.hands == len(team.all)
    assert team.played.sum() == team.hands


def test_the_best_member_gets_most_hands():
    team = play("leduc", "fold=0.6,call=0.4,raise=0.0", 3000, explore=0.5)
    game = team.subject
    values = [exact_value(game, (as_agent(text, game), as_agent("fold=0.6,call=0.4,raise=0.0", game))) for text in TEAM]
    best = int(np.argmax(values))
    assert int(np.argmax(team.played)) == best
    assert team.played[best] > 0.7 * team.hands
    assert (team.played > 0).all()


def test_a_match_by_name():
    game = load_game("leduc")
    result = play_match(game, ("polaris:explore=2:uniform+by-strength:4", "always-call"), hands=400, duplicate=True)
    assert result.players[0] == "polaris:explore=2:uniform+by-strength:4"
    assert result.hands == 400


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("polaris:uniform", "at least two members"),
        ("polaris:uniform+vexbot", "no strategy for every hand"),
        ("polaris:explore=-1:uniform+always-call", "is not an option"),
        ("polaris:uniform+nobody", "is not a strategy|names no agent"),
    ],
)
def test_teams_that_cannot_be(name, said):
    with pytest.raises(StrategyError, match=said):
        read_agent(name, load_game("leduc"))


def test_spots_are_refused():
    from small_subjects import SHORT_TURN

    from errai.games.spot import parse_spot

    spot = parse_spot(SHORT_TURN)
    with pytest.raises(UnsupportedGameError):
        read_agent("polaris:uniform+always-call", spot)
