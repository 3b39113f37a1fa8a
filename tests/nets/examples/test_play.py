"""Positions met in play: hands of the package's blueprint against itself, and the ranges that Bayes' rule gives."""

from __future__ import annotations

import numpy as np
import pytest

from errai.cards.hands import hand_cards
from errai.errors import InputError
from errai.nets.examples.dataset import read_examples
from errai.nets.examples.generate import generate
from errai.nets.examples.play import shipped_play
from errai.nets.examples.recipe import BLUEPRINT, Recipe
from errai.nets.examples.situations import PARTS, STRATA, Stratum, stratum_of
from errai.resolving.values import ranges_at

TURN = 2


@pytest.fixture(scope="module")
def play():
    return shipped_play(BLUEPRINT, TURN)


@pytest.mark.parametrize("number", range(6))
def test_a_position_depends_on_its_number_alone(play, number):
    one, other = play.position(2, number, STRATA), play.position(2, number, STRATA)
    assert np.array_equal(one.ranges, other.ranges)
    assert np.array_equal(one.boards, other.boards)
    assert one.stacks[0] == other.stacks[0]
    assert stratum_of(one.stacks)[0] >= 0


def test_positions_are_where_streets_begin(play):
    rng = np.random.default_rng(1)
    seen = [state for state in (play._played(rng) for _ in range(200)) if state is not None]
    assert seen
    for state in seen:
        assert state.betting.round == TURN
        assert state.actions[-1] == ()
        assert len(state.board) == 4
        assert state.actor == play.game.first_player[TURN]
        assert state.betting.spent[0] == state.betting.spent[1] < 20_000


def test_ranges_are_by_the_order_of_acting_and_weigh_hands_by_the_line(play):
    """The first range is that of the player who acts first, and each is the product of the strategy's own
    probabilities.
    """
    rng = np.random.default_rng(5)
    state = next(state for state in iter(lambda: play._played(rng), 0) if state is not None)
    weights = [np.ones(1326), np.ones(1326)]
    before = type(state).start(play.game)
    for action in state.line:
        choices = play._strategy.strategy(before)
        weights[before.actor] = weights[before.actor] * choices.probabilities[:, choices.actions.index(action)]
        before = before.after(action).dealt(state.board)
    dead = np.isin(hand_cards(52, 2), state.board).any(axis=1)
    for p, expected in enumerate(ranges_at(play._strategy, state)):
        assert expected == pytest.approx(np.where(dead, 0.0, weights[p]))


def test_ranges_in_play_are_no_uniform_ones(play):
    """A player who has raised twice before the flop has better hands than one who has only called."""
    deep = (Stratum("once raised", 10.0, 40.0, 1.0),)
    found = [play.position(3, number, deep) for number in range(8)]
    held = np.concatenate([one.ranges for one in found])
    assert held.sum(axis=2) == pytest.approx(1.0, abs=1e-5)
    cards = hand_cards(52, 2) // 4
    aces = (cards == 12).all(axis=1)
    offsuit_rags = (cards == [0, 5]).all(axis=1) | (cards == [5, 0]).all(axis=1)
    per_hand = held.mean(axis=(0, 1))
    assert per_hand[aces].mean() > 3.0 * per_hand[offsuit_rags].mean()
    for one in found:
        parts = one.stacks[0] * PARTS
        assert parts == pytest.approx(round(float(parts)), abs=0.05)


def test_a_stratum_that_never_comes_is_an_error(play, monkeypatch):
    monkeypatch.setattr("errai.nets.examples.play.MOST_HANDS", 20)
    with pytest.raises(InputError, match="reached the street"):
        play.position(1, 0, (Stratum("far too deep", 1_000.0, 2_000.0, 1.0),))


def test_a_set_from_play(tmp_path):
    recipe = Recipe("holdem.nolimit.2p", 3, seed=9, source="play", strata=(Stratum("shallow", 0.3, 4.0, 1.0),))
    generate(recipe, tmp_path, positions=4)
    examples = read_examples(tmp_path)
    assert examples.sources.tolist() == [1] * 4
    made = recipe.positions([2])
    assert np.array_equal(examples.positions.ranges[2], made.ranges[0])
    assert np.array_equal(examples.positions.boards[2], made.boards[0])
    assert np.abs((examples.values * examples.positions.ranges).sum(axis=(1, 2))).max() < 2e-3  # what rounding leaves


def test_another_game_than_the_blueprints_is_refused():
    with pytest.raises(InputError, match="plays"):
        Recipe("holdem.limit.2p", 2, seed=1, source="play").positions([0])
