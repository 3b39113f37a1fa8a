"""Menus that depend on the way from the root: sizes of the first actions, and the bets of a line that was played."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_hands import random_action
from small_subjects import TURN

import errai
from errai.errors import SpotValueError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.sizing import BetMenu, StreetMenu
from errai.games.spot import parse_spot
from errai.resolving.budget import deepstack_menu, sparse_menu
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree

HOLDEM = load_game("holdem.nolimit.2p")
SIZES = ("a", "100%", "100%, a", "50%, 100%, a", "33%, 75% | 2.5x, a", "e", "150c | 60%")


def state_after(game: Game, seed: int, actions: int) -> PublicState:
    """A state of a random hand at which a player acts, before the last bets close the hand."""
    rng = random.Random(seed)
    deck = list(range(game.deck.num_cards))
    rng.shuffle(deck)
    state = PublicState.start(game)
    for _ in range(actions):
        after = state.after(random_action(state, rng)).dealt(tuple(deck))
        if after.actor < 0:
            break
        state = after
    return state


def played(state: PublicState, seed: int, actions: int) -> tuple[tuple[int | None, ...], list[tuple[ActionKind, int]]]:
    """A random line from a state, as menus and as trees have it, streets and all."""
    rng = random.Random(seed)
    deck = [card for card in range(52) if card not in state.board]
    rng.shuffle(deck)
    board = (*state.board, *deck)
    line: list[int | None] = []
    way: list[tuple[ActionKind, int]] = []
    shorter = min(state.betting.game.stacks)
    for _ in range(actions):
        if state.actor < 0:
            break
        action = random_action(state, rng)
        raises = action.kind == ActionKind.RAISE
        line.append(action.total if raises else None)
        way.append((action.kind, min(action.total, shorter) if raises else 0))
        state = state.after(action).dealt(board)
    return tuple(line), way


def tree_of(state: PublicState, menu: BetMenu, depth: str | None = None) -> BettingTree:
    part = errai.lookahead(state.subject, state, depth=depth, menu=menu)
    return build_betting_tree(part)


def follow(tree: BettingTree, node: int, kind: ActionKind, total: int) -> int | None:
    for child in tree.children(tree.after_chance(node)):
        if tree.action_kind[child] == kind and (kind != ActionKind.RAISE or tree.action_total[child] == total):
            return child
    return None


def same(one: BettingTree, other: BettingTree) -> bool:
    return one.action == other.action and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("kind", "actor", "parent", "street", "contributions", "action_total", "row_start")
    )


def capped(menu: BetMenu) -> BetMenu:
    """The same with few raises, so that trees stay small."""
    return replace(menu, raise_caps=dict.fromkeys(range(4), 2))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 9), st.sampled_from(SIZES), st.sampled_from([0.0, 2.0]))
def test_without_a_way_from_the_root_trees_are_what_they_were(
    seed: int, actions: int, sizes: str, threshold: float
) -> None:
    state = state_after(HOLDEM, seed, actions)
    menu = capped(BetMenu.parse(4, sizes, add_all_in=threshold))
    plain = tree_of(state, menu)
    street = menu.streets[0][0]
    assert same(plain, tree_of(state, replace(menu, early=(street, street, street))))
    assert same(plain, tree_of(state, menu.with_line([None] * 5)))
    assert same(plain, tree_of(state, menu.with_line([10**9] if state.betting.legal().raise_range is None else [])))
    assert menu.is_by_street
    assert menu.with_line([None]).is_by_street


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 9), st.lists(st.sampled_from(SIZES), min_size=1, max_size=4))
def test_every_action_takes_the_sizes_of_its_place(seed: int, actions: int, sizes: list[str]) -> None:
    state = state_after(HOLDEM, seed, actions)
    tree = tree_of(state, capped(sparse_menu(4, *sizes, all_in_pots=0.0)))
    # The root stands in all trees; what it offers is what the tree with these sizes everywhere offers.
    flat = tree_of(state, capped(BetMenu.parse(4, sizes[0])), "street")
    assert [tree.action[c] for c in tree.children(0)] == [flat.action[c] for c in flat.children(0)]
    # Further down, a tree with these sizes everywhere is asked from the very state.
    rng = random.Random(seed)
    node, here, place = 0, state, 0
    deck = tuple(card for card in range(52) if card not in state.board)
    while tree.kind[tree.after_chance(node)] == NodeKind.DECISION:
        node = tree.after_chance(node)
        here = here.dealt((*here.board, *deck[len(here.board) : len(here.board) + 5]))
        menu = capped(BetMenu.parse(4, sizes[min(place, len(sizes) - 1)]))
        asked = tree_of(here, menu, "street")
        assert [tree.action[c] for c in tree.children(node)] == [asked.action[c] for c in asked.children(0)]
        child = rng.choice(tree.children(node))
        if tree.action_kind[child] == ActionKind.FOLD:
            break
        total = int(tree.action_total[child])
        here = here.after(raise_to(total) if tree.action_kind[child] == ActionKind.RAISE else CALL)
        node, place = child, place + 1


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 8), st.integers(0, 10**6), st.integers(1, 6), st.sampled_from(SIZES))
def test_a_line_that_was_played_stands_in_the_tree_and_widens_nothing_else(
    seed: int, actions: int, other: int, length: int, sizes: str
) -> None:
    game = replace(HOLDEM, stacks=(20_000, 3_000 + seed % 20_000))
    state = state_after(game, seed, actions)
    line, way = played(state, other, length)
    menu = capped(sparse_menu(4, sizes, "100%, a"))
    plain, wide = tree_of(state, menu), tree_of(state, menu.with_line(line))
    node = 0
    on_line = {0}
    for kind, total in way:
        found = follow(wide, node, kind, total)
        assert found is not None, (line, wide.path(node))
        node = found
        on_line |= {node, wide.after_chance(node)}
    pairs = [(0, 0)]
    while pairs:
        old, new = (tree.after_chance(node) for tree, node in zip((plain, wide), pairs.pop(), strict=True))
        assert (plain.kind[old], plain.actor[old]) == (wide.kind[new], wide.actor[new])
        theirs = {plain.action[c]: c for c in plain.children(old)}
        mine = {wide.action[c]: c for c in wide.children(new)}
        assert set(theirs) <= set(mine)
        added = set(mine) - set(theirs)
        assert len(added) <= (new in on_line)
        assert all(mine[action] in on_line for action in added)
        pairs += [(theirs[action], mine[action]) for action in theirs]


def test_a_played_limp_stands_where_the_menu_has_none() -> None:
    menu = capped(BetMenu.parse(4, "100%", limp=False))
    start = PublicState.start(HOLDEM)
    assert follow(tree_of(start, menu), 0, ActionKind.CALL, 0) is None
    assert follow(tree_of(start, menu.with_line([None, 700])), 0, ActionKind.CALL, 0) is not None


def test_bets_that_cannot_be_are_left_out() -> None:
    menu = capped(BetMenu.parse(4, "100%"))
    start = PublicState.start(HOLDEM)
    assert same(tree_of(start, menu), tree_of(start, menu.with_line([101])))
    assert "raise 20000" in tree_of(start, menu.with_line([10**6])).action


def test_caps_and_merging_do_not_touch_what_was_played() -> None:
    menu = BetMenu.parse(4, "50%, 100%", merging=0.5, raise_caps=dict.fromkeys(range(4), 1))
    start = state_after(HOLDEM, 0, 0)
    tree = tree_of(start, menu.with_line([317, 951, 2001]))
    assert tree.path(tree.find("raise 317 raise 951 raise 2001 call"))
    assert [a for a in tree.action if a.startswith("raise 9")] == ["raise 951"]


# --- DeepStack's table -----------------------------------------------------------------------------------------------

FIRST_SECOND_LATER = [
    ("", ["fold", "call", "50%", "100%", "a"], ["fold", "call", "50%", "100%", "200%", "a"]),
    ("2c7dQh", ["check", "50%", "100%", "a"], ["fold", "call", "100%", "a"]),
    ("2c7dQhKs", ["check", "50%", "100%", "a"], ["fold", "call", "100%", "a"]),
    ("2c7dQhKs4d", ["check", "50%", "100%", "200%", "a"], ["fold", "call", "50%", "100%", "200%", "a"]),
]


@pytest.mark.parametrize(("board", "first", "second"), FIRST_SECOND_LATER)
def test_deepstacks_sizes(board: str, first: list[str], second: list[str]) -> None:
    cards = HOLDEM.deck.parse_cards(board)
    state = PublicState.start(HOLDEM).dealt(cards)
    while len(state.board) < len(cards):
        state = state.after(CALL).dealt(cards)
    menu = deepstack_menu(state)
    tree = tree_of(state, replace(menu, raise_caps={0: 4, 1: 3, 2: 3, 3: 3}))
    assert len(tree.children(0)) == len(first)
    pot = next(c for c in tree.children(0) if tree.action_kind[c] == ActionKind.RAISE)
    assert len(tree.children(pot)) == len(second)
    third = next(c for c in tree.children(pot) if tree.action_kind[c] == ActionKind.RAISE)
    assert len(tree.children(third)) == 4
    # 200 in the middle after a limp, 300 after the call before the flop.
    bets = [int(tree.action_total[c]) for c in tree.children(0) if tree.action_kind[c] == ActionKind.RAISE]
    expected = {"50%": 200, "100%": 300, "200%": 500, "a": 20_000}
    assert bets == [expected[size] for size in first if size in expected]


def test_no_all_in_above_so_many_pots_unless_it_was_played() -> None:
    state = PublicState.start(HOLDEM).after(CALL).after(CALL).dealt(HOLDEM.deck.parse_cards("2c7dQh"))
    sparse = deepstack_menu(state, 15.0)
    tree = tree_of(state, sparse)
    assert "bet 19900" in tree_of(state, deepstack_menu(state)).action
    assert "bet 19900" not in [tree.action[c] for c in tree.children(0)]
    faced = tree_of(state, sparse.with_line([20_000]))
    assert tree.num_nodes + 3 <= faced.num_nodes <= tree.num_nodes + 6
    shove = follow(faced, 0, ActionKind.RAISE, 20_000)
    assert shove is not None
    assert [faced.action[c] for c in faced.children(shove)] == ["fold", "call"]
    # Behind a bet of the pot and a raise the rest is less than fifteen pots.
    assert any(a.startswith("raise 199") for a in tree.action)


def test_limit_games_have_no_menu_and_short_games_take_the_last_rounds() -> None:
    assert deepstack_menu(PublicState.start(load_game("leduc"))) is None
    leduc = load_game("leduc.nolimit")
    assert deepstack_menu(PublicState.start(leduc)).early == sparse_menu(2, "50%, 100%", "100%", "100%").early
    whole = build_betting_tree(leduc, deepstack_menu(PublicState.start(leduc)))
    assert whole.num_nodes > 20


def test_a_spot_file_has_one_menu_a_street() -> None:
    spot = parse_spot(TURN)
    for menu in (spot.menu.with_line([100]), replace(spot.menu, early=(StreetMenu(),))):
        with pytest.raises(SpotValueError, match="lookahead"):
            replace(spot, menu=menu).to_dict()
        assert errai.lookahead(spot, menu=menu).digest() != errai.lookahead(spot).digest()
