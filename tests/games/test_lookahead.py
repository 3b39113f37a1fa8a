"""Lookaheads: the rest of a game from any public state has a tree of its own, with the numbers of the whole hand."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import TURN

import errai
from errai.cards.hands import fitting_weights
from errai.errors import InputError, SolverOptionError
from errai.games.hand import CALL, FOLD, PublicState, raise_to
from errai.games.spot import parse_spot
from errai.tree.betting_tree import build_betting_tree
from errai.tree.public_tree import build_public_tree, plan_public_tree


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc.nolimit"])
def test_from_the_beginning_it_is_the_game(name: str) -> None:
    game = errai.load_game(name)
    whole, found = build_public_tree(game), build_public_tree(errai.lookahead(game, depth=None))
    assert found.betting.action == whole.betting.action
    np.testing.assert_array_equal(found.betting.contributions, whole.betting.contributions)
    mine = errai.solve(errai.lookahead(game, depth=None), max_iterations=50)
    theirs = errai.solve(game, max_iterations=50)
    assert mine.exploitability == theirs.exploitability
    assert mine.values == theirs.values


def test_from_the_beginning_of_a_spot_it_is_the_spot() -> None:
    spot = parse_spot(TURN)
    mine = errai.solve(errai.lookahead(spot, depth=None), max_iterations=60)
    theirs = errai.solve(spot, max_iterations=60)
    assert mine.exploitability == theirs.exploitability
    # Net chips over the hand, where a spot says shares of the pot.
    assert np.add(mine.values.chips, spot.pot / 2) == pytest.approx(theirs.values.chips, abs=1e-9)
    assert mine.root.stacks_chips == theirs.root.stacks_chips
    assert mine.at("bet 100").pot_chips == theirs.at("bet 100").pot_chips


LINES = [
    ("leduc", (CALL,), ()),
    ("leduc", (CALL, raise_to(3), CALL), (2,)),
    ("leduc", (raise_to(3), raise_to(5), CALL), (2,)),
    ("leduc.nolimit", (CALL, raise_to(1200)), ()),
    ("rhode-island", (CALL, CALL), (7,)),
]


@pytest.mark.parametrize(("name", "line", "cards"), LINES)
def test_below_a_state_the_bets_are_those_of_the_whole_tree(name: str, line: tuple, cards: tuple) -> None:
    game = errai.load_game(name)
    state = PublicState.start(game)
    for action in line:
        state = state.after(action)
    state = state.with_cards(cards)
    whole, part = build_betting_tree(game), plan_public_tree(errai.lookahead(game, state, depth=None)).betting
    node = 0
    for action in line:
        node = next(
            c
            for c in whole.children(whole.after_chance(node))
            if (whole.action_kind[c], whole.action_total[c] if action.total else 0) == (action.kind, action.total)
        )
    pairs = [(whole.after_chance(node), 0)]
    while pairs:
        there, here = pairs.pop()
        assert (whole.kind[there], whole.actor[there]) == (part.kind[here], part.actor[here])
        assert there == whole.after_chance(node) or whole.action[there] == part.action[here]
        assert whole.contributions[there].tolist() == part.contributions[here].tolist()
        pairs += list(zip(whole.children(there), part.children(here), strict=True))


def test_the_middle_of_a_street_with_the_bets_and_the_ranges_of_an_equilibrium_is_worth_what_it_was() -> None:
    spot = parse_spot(TURN)
    solved = errai.solve(spot, "0.002%pot", precision="float64")
    node = solved.at("bet 100")
    state = PublicState.start(spot).after(raise_to(100))
    part = errai.solve(errai.lookahead(spot, state, node.ranges, None), "0.002%pot", precision="float64")
    assert part.root.actions == node.actions
    met = node.ranges[1] * fitting_weights(solved.tree.root.hands, node.ranges[0])
    worth = np.nansum(met * np.nan_to_num(node.ev[1])) / np.nansum(met)
    # A node of a spot counts what is won of the pot from there on; a lookahead net chips over the hand.
    assert part.values.chips[1] + spot.pot / 2 == pytest.approx(worth, abs=0.05)


def test_where_it_is_cut() -> None:
    game = errai.load_game("rhode-island")
    state = PublicState.start(game).after(CALL).after(CALL).with_cards((7,))
    assert errai.lookahead(game).depth == 0
    assert errai.lookahead(game, state).depth == 1
    assert errai.lookahead(game, state, depth=None).depth is None
    assert errai.lookahead(game, state.after(CALL).after(CALL).with_cards((9,))).depth is None
    with pytest.raises(SolverOptionError, match="there are round 1"):
        errai.lookahead(game, state, depth=0)
    cut = errai.lookahead(game, state)
    assert errai.estimate(cut).boards == (1,)
    with pytest.raises(SolverOptionError, match="needs both"):
        errai.solve(cut, max_iterations=1)
    with pytest.raises(SolverOptionError, match="has its own depth"):
        errai.solve(cut, depth=1, max_iterations=1)
    zero = errai.solve(cut, max_iterations=5, leaf_values=lambda leaves: np.zeros(leaves.reach.shape[1:]))
    assert "round 1" in zero.title


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"state": PublicState.start(errai.load_game("kuhn"))}, "another game"),
        ({"state": PublicState.start(errai.load_game("leduc")).after(CALL).after(CALL)}, "No player acts"),
        ({"state": PublicState.start(errai.load_game("leduc")).after(raise_to(3)).after(FOLD)}, "No player acts"),
        ({"ranges": (np.ones(6), np.ones(5))}, "shape"),
        ({"ranges": (np.ones(6),)}, "two ranges"),
        ({"ranges": (np.ones(6), np.zeros(6))}, "no hand"),
        ({"ranges": (np.ones(6), np.full(6, np.nan))}, "finite number"),
        ({"ranges": ("AA", "KK")}, "for hold'em"),
        ({"menu": "50%"}, "limit game"),
    ],
)
def test_what_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        errai.lookahead(errai.load_game("leduc"), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("scales", [(1e-7, 1.0), (1.0, 1e-7), (1e-9, 1e-3)])
def test_weights_may_be_of_any_scale(scales: tuple[float, float]) -> None:
    game = errai.load_game("leduc")
    state = PublicState.start(game).after(CALL)
    drawn = np.random.default_rng(8).uniform(0.2, 1.0, (2, 6))
    plain = errai.solve(errai.lookahead(game, state, tuple(drawn), None), "0.001chips")
    scaled = tuple(weights * scale for weights, scale in zip(drawn, scales, strict=True))
    found = errai.solve(errai.lookahead(game, state, scaled, None), "0.001chips")
    assert found.status == "target met"
    assert found.values.chips == pytest.approx(plain.values.chips, abs=0.002)
