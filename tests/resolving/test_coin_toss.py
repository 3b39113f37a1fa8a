"""Coin Toss (Brown and Sandholm 2017) with every gadget: the published numbers, and what follows by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from coin_toss import SALE, WINS, coin_toss_subgame, guesses, whole_game

from errai.judges.matrix import solve_matrix_game
from errai.resolving.gadgets import find_method
from errai.resolving.gadgets.adjusted import Distributional
from errai.resolving.subgame import Subgame

BLUEPRINT = (0.5, 0.25, 0.25)
"""Player 1 gives heads nothing and tails a half: forfeiting is a gift to both sides."""


def guess(name: str, subgame: Subgame | None = None) -> np.ndarray:
    return guesses(coin_toss_subgame(BLUEPRINT) if subgame is None else subgame, find_method(name))


def test_the_setting() -> None:
    subgame = coin_toss_subgame(BLUEPRINT)
    assert subgame.values.tolist() == [0.0, 0.5, 0.0]
    assert subgame.gifts is not None
    assert subgame.gifts.tolist() == [0.5, 0.0, 0.0]
    assert subgame.against.tolist() == [1.0, 1.0, 0.0]
    # Selling heads and playing tails wins half a chip, twice as often as not.
    assert whole_game(np.array(BLUEPRINT)) == pytest.approx(0.5)


def test_unsafe_believes_that_it_is_heads() -> None:
    """Three quarters of heads play and half of tails: so it is heads three times out of five, and always guessed."""
    found = guess("unsafe")
    assert found == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)
    assert whole_game(found) == pytest.approx(0.75, abs=1e-3)  # more than the blueprint loses


def test_maxmargin_guesses_heads_five_times_out_of_eight() -> None:
    found = guess("maxmargin")
    assert found == pytest.approx([5 / 8, 3 / 8, 0.0], abs=1e-3)
    # Both sides get a quarter less than before; selling heads is still better, and the whole game is worth 3/8.
    assert np.array([0.0, 0.5]) - found @ np.array(WINS)[:, :2] == pytest.approx([0.25, 0.25], abs=2e-3)
    assert whole_game(found) == pytest.approx(3 / 8, abs=1e-3)


@pytest.mark.parametrize("name", ["resolve", "conservative"])
def test_resolve_takes_nothing_worse_than_the_blueprint(name: str) -> None:
    """Heads get at most nothing from half the guesses at heads on, tails at most a half up to three quarters."""
    found = guess(name)
    assert 0.5 - 1e-3 <= found[0] <= 0.75 + 1e-3
    assert found @ np.array(WINS)[:, 0] <= 1e-3
    assert found @ np.array(WINS)[:, 1] <= 0.5 + 1e-3
    assert whole_game(found) <= whole_game(np.array(BLUEPRINT)) + 1e-3


def test_the_aggressive_mixture_goes_to_the_end_that_pays_against_the_estimate() -> None:
    """Guessing heads gains from nine tenths that are mostly heads what tails can take from one tenth, and more."""
    found = guess("aggressive")
    # A guess of heads more wins 2 x .9 x (.6 - .4) = .36 of what is forced; tails that choose take at most 2 x .05.
    assert found == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)


def test_reach_gives_heads_back_what_selling_would_have_won() -> None:
    """Heads may get a half now, and so may tails: both get nothing, and the value of the whole game is a quarter."""
    found = guess("reach")
    assert found == pytest.approx([0.5, 0.5, 0.0], abs=1e-3)
    assert whole_game(found) == pytest.approx(0.25, abs=1e-3)
    assert whole_game(found) < whole_game(guess("maxmargin")) - 0.1
    # Reach over re-solving keeps both to a half: anything from a quarter of guesses at heads to three quarters.
    assert 0.25 - 1e-3 <= guess("reach-resolve")[0] <= 0.75 + 1e-3


def test_reach_guesses_tails_three_times_out_of_four() -> None:
    """The published quarter and three quarters, where playing leads to either of two such subgames at even chance.

    Player 1 guesses evenly in both, so heads, sold at a half, gives away half a chip by playing; if only one subgame is
    re-solved, that is a whole chip there.  No hand gains: heads, which would get .5 there and nothing in the other
    subgame, still sells.
    """
    subgame = coin_toss_subgame((0.5, 0.5, 0.0))
    assert subgame.gifts is not None
    found = guess("reach", replace(subgame, gifts=2.0 * subgame.gifts))
    assert found == pytest.approx([0.25, 0.75, 0.0], abs=1e-3)
    assert 0.5 * found @ np.array(WINS)[:, 0] + 0.5 * 0.0 <= 0.5 + 1e-3
    assert guess("maxmargin", subgame) == pytest.approx([0.5, 0.5, 0.0], abs=1e-3)


def test_estimates_of_an_equilibrium_give_it() -> None:
    """In equilibrium both sides get by playing what they are sold for; a quarter of guesses at heads does that."""
    subgame = replace(coin_toss_subgame(BLUEPRINT), estimated=np.array([0.5, -0.5, 0.0]))
    found = guess("estimated", subgame)
    assert found == pytest.approx([0.25, 0.75, 0.0], abs=1e-3)
    assert whole_game(found) == pytest.approx(0.0, abs=2e-3)


@pytest.mark.parametrize("width", [0.0, 0.05, 0.2])
def test_distributional_is_the_matrix_game_of_its_draws(width: float) -> None:
    """Every draw of either side's alternative is a hand of its own that follows or refuses: a matrix game by guesses.

    Player 1's mixture minimises the mean over sides and draws of the better of both, which a linear program over
    guesses finds as well as the plans of player 0 do: here by a search over the one number that a mixture has.
    """
    estimated = np.array([0.1, 0.2, 0.0])
    subgame = replace(coin_toss_subgame(BLUEPRINT), estimated=estimated)
    method = Distributional(width=width, draws=4)
    gadget = method.gadget(subgame)
    drawn = np.atleast_2d(gadget.values)[:, :2]
    assert drawn.mean(axis=0) == pytest.approx(estimated[:2])
    heads = np.linspace(0.0, 1.0, 2001)
    playing = np.stack([1.0 - 2.0 * heads, 2.0 * heads - 1.0], axis=1)
    lost = np.maximum(playing[:, None], drawn[None]).mean(axis=(1, 2))
    found = guesses(subgame, method)
    mine = np.maximum(found @ np.array(WINS)[:, :2], drawn).mean()
    assert mine == pytest.approx(lost.min(), abs=1e-3)


@pytest.mark.parametrize("name", ["resolve", "conservative", "maxmargin", "reach", "reach-resolve"])
def test_no_safe_method_makes_the_whole_game_worse(name: str) -> None:
    """Over blueprints of every kind, the ones that an equilibrium has nothing to do with among them."""
    generator = np.random.default_rng(3)
    for _ in range(6):
        blueprint = generator.dirichlet(np.ones(3))
        after = whole_game(guesses(coin_toss_subgame(tuple(blueprint.tolist())), find_method(name), 1_000))
        assert after <= whole_game(blueprint) + 2e-3


def test_the_game_is_worth_nothing() -> None:
    plans = [(h, t) for h in (0, 1) for t in (0, 1)]
    wins = np.array([[0.5 * (SALE[0], w[0])[h] + 0.5 * (SALE[1], w[1])[t] for w in WINS] for h, t in plans])
    assert solve_matrix_game(wins).value == pytest.approx(0.0, abs=1e-9)
