"""Betting trees: shape, counts, navigation."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from stopwatch import Stopwatch

from errai.errors import LineError, TreeTooLargeError, UnsupportedGameError
from errai.games.betting import ActionKind, BettingState
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.sizing import BetMenu
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree


def decisions(tree: BettingTree) -> list[int]:
    return [sum(len(tree.decision_nodes(street, player)) for player in range(2)) for street in range(tree.num_streets)]


def information_sets(tree: BettingTree, game: Game) -> int:
    """Decision nodes times the (hand, board) pairs of their street, cards dealt in rounds."""
    total, cards, deals = 0, game.num_suits * game.num_ranks, 1
    deals = comb(cards, game.num_hole_cards)
    left = cards - game.num_hole_cards
    for street, nodes in enumerate(decisions(tree)):
        deals *= comb(left, game.num_board_cards[street])
        left -= game.num_board_cards[street]
        total += nodes * deals
    return total


@pytest.fixture(params=["kuhn", "leduc", "leduc.nolimit", "rhode-island", "holdem-2-4", "holdem.limit.2p"])
def game(request: pytest.FixtureRequest) -> Game:
    return load_game(request.param)


@pytest.fixture
def tree(game: Game) -> BettingTree:
    return build_betting_tree(game)


def test_nodes_stand_street_by_street_and_breadth_first(tree: BettingTree) -> None:
    n = tree.num_nodes
    assert tree.street_start[0] == 0
    assert tree.street_start[-1] == n
    assert (np.diff(tree.street) >= 0).all()
    for street in range(tree.num_streets):
        assert (tree.street[list(tree.street_nodes(street))] == street).all()
    assert (tree.parent[1:] < np.arange(1, n)).all()
    for node in range(n):
        children = tree.children(node)
        assert (tree.parent[list(children)] == node).all()
        if tree.kind[node] in (NodeKind.FOLD, NodeKind.SHOWDOWN, NodeKind.LEAF):
            assert len(children) == 0
    # Breadth first: inside a street, the children of earlier nodes come earlier.
    inner = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.first_child >= 0))
    for street in range(tree.num_streets):
        first = tree.first_child[inner[tree.street[inner] == street]]
        assert (np.diff(first) > 0).all()


def test_entries_of_a_street_stand_in_the_order_of_their_chance_nodes(tree: BettingTree) -> None:
    for street in range(tree.num_streets - 1):
        nodes = np.array(tree.street_nodes(street))
        chance = nodes[tree.kind[nodes] == NodeKind.CHANCE]
        entries = tree.street_start[street + 1] + np.arange(len(chance))
        np.testing.assert_array_equal(tree.first_child[chance], entries)
        np.testing.assert_array_equal(tree.parent[entries], chance)
        assert (tree.num_children[chance] == 1).all()


def test_rows_number_the_actions_of_each_player_on_each_street(tree: BettingTree) -> None:
    for street in range(tree.num_streets):
        for player in range(2):
            row = 0
            for node in tree.decision_nodes(street, player):
                assert tree.row_start[node] == row
                row += len(tree.actions(int(node)))
            assert tree.num_rows(street, player) == row
    assert (tree.row_start[tree.kind != NodeKind.DECISION] == -1).all()


def test_showdowns_are_level_and_folders_have_less_in(tree: BettingTree) -> None:
    showdowns = tree.kind == NodeKind.SHOWDOWN
    np.testing.assert_array_equal(tree.contributions[showdowns, 0], tree.contributions[showdowns, 1])
    for node in np.flatnonzero(tree.kind == NodeKind.FOLD):
        folder = int(tree.actor[node])
        assert tree.contributions[node, folder] < tree.contributions[node, 1 - folder]


def test_every_line_is_a_hand_of_the_state_machine(tree: BettingTree, game: Game) -> None:
    states = {0: BettingState.start(game)}
    for node in range(tree.num_nodes):
        state = states.pop(node)
        assert tuple(tree.contributions[node]) == state.spent
        if tree.kind[node] == NodeKind.CHANCE:
            states[int(tree.first_child[node])] = state
        elif tree.kind[node] == NodeKind.DECISION:
            assert state.actor == tree.actor[node]
            for child in tree.children(node):
                kind = ActionKind(int(tree.action_kind[child]))
                total = int(tree.action_total[child]) if kind == ActionKind.RAISE else 0
                states[child] = state.apply(kind, total)
        elif tree.kind[node] == NodeKind.SHOWDOWN:
            assert state.showdown
        else:
            assert state.folded == tree.actor[node]


@pytest.mark.parametrize(
    ("name", "nodes", "infosets"),
    [
        ("kuhn", [4], 12),
        ("leduc", [6, 30], 936),
        ("rhode-island", [8, 56, 392], 52_128_128),
        ("holdem-2-1", [4, 12], None),
        ("holdem.limit.2p", [8, 70, 630, 5670], 319_365_922_522_608),
    ],
)
def test_counts_are_the_published_ones(name: str, nodes: list[int], infosets: int | None) -> None:
    game = load_game(name)
    tree = build_betting_tree(game)
    assert decisions(tree) == nodes
    if infosets is not None:
        assert information_sets(tree, game) == infosets


def test_two_round_holdem_has_the_known_size_up_to_suits() -> None:
    # 169 and 1,286,792 classes of (hand, board).
    preflop, flop = decisions(build_betting_tree(load_game("holdem-2-1")))
    assert preflop * 169 + flop * 1_286_792 == 15_442_180


def test_the_last_street_of_limit_holdem_is_reached_by_7_9_9_continuations() -> None:
    tree = build_betting_tree(load_game("holdem.limit.2p"))
    entries = [1]
    for street in range(3):
        nodes = np.array(tree.street_nodes(street))
        entries.append(int((tree.kind[nodes] == NodeKind.CHANCE).sum()))
    assert entries == [1, 7, 63, 567]


def test_kuhn_in_full() -> None:
    assert build_betting_tree(load_game("kuhn")).describe().splitlines() == [
        "root: player 0 to act, pot 2",
        "  check: player 1 to act, pot 2",
        "    check: showdown, pot 2",
        "    bet 1: player 0 to act, pot 3",
        "      fold: fold, pot 3",
        "      call: showdown, pot 4",
        "  bet 1: player 1 to act, pot 3",
        "    fold: fold, pot 3",
        "    call: showdown, pot 4",
    ]


def test_labels_count_the_street_alone() -> None:
    leduc = build_betting_tree(load_game("leduc"))
    assert leduc.actions(leduc.find("bet 2")) == ("fold", "call", "raise 4")
    assert leduc.actions(leduc.find("bet 2 raise 4 call bet 4")) == ("fold", "call", "raise 8")
    nolimit = build_betting_tree(load_game("leduc.nolimit"))
    assert nolimit.actions(0) == ("check", "bet 200", "bet 1100")
    assert nolimit.actions(nolimit.find("bet 200 call")) == ()
    after = nolimit.after_chance(nolimit.find("bet 200 call"))
    assert nolimit.actions(after) == ("check", "bet 600", "bet 900")


def test_the_first_raise_over_blinds_is_a_raise() -> None:
    tree = build_betting_tree(load_game("holdem.nolimit.2p"), BetMenu.parse(4, "50%", "3x, a"), last_street=0)
    assert tree.actions(0) == ("fold", "call", "raise 300", "raise 20000")
    assert tree.actions(tree.find("call")) == ("check", "raise 300", "raise 20000")
    limit = build_betting_tree(load_game("holdem.limit.2p"))
    assert limit.actions(0) == ("fold", "call", "raise 20")


def test_all_in_calls_run_out_the_board() -> None:
    tree = build_betting_tree(load_game("leduc.nolimit"))
    node = tree.find("all-in call")
    assert tree.kind[node] == NodeKind.CHANCE
    entry = tree.after_chance(node)
    assert tree.kind[entry] == NodeKind.SHOWDOWN
    assert tree.street[entry] == 1
    assert tree.contributions[entry].tolist() == [1200, 1200]
    deep = build_betting_tree(load_game("holdem.nolimit.2p"))
    node = deep.find("all-in call")
    kinds = []
    while len(deep.children(node)):
        kinds.append(NodeKind(int(deep.kind[node])))
        node = deep.children(node)[0]
    assert kinds == [NodeKind.CHANCE] * 3
    assert deep.kind[node] == NodeKind.SHOWDOWN
    assert deep.street[node] == 3


def test_a_tree_may_end_at_an_earlier_street() -> None:
    game = load_game("holdem.limit.2p")
    tree = build_betting_tree(game, last_street=1)
    assert tree.num_streets == 2
    assert decisions(tree) == [8, 70]
    assert (tree.kind == NodeKind.LEAF).sum() == 63
    assert not (tree.kind == NodeKind.SHOWDOWN).any()
    whole = build_betting_tree(game, last_street=9)
    assert whole.num_nodes == build_betting_tree(game).num_nodes


def test_the_shorter_stack_is_all_that_counts() -> None:
    game = load_game("leduc.nolimit")
    uneven = replace(game, stacks=(1200, 5000))
    assert build_betting_tree(uneven).action == build_betting_tree(game).action


def test_a_blind_may_put_a_player_all_in() -> None:
    game = load_game("holdem.nolimit.2p")
    short = replace(game, stacks=(100, 20000))
    tree = build_betting_tree(short)
    assert tree.actions(0) == ("fold", "call")
    assert tree.contributions[tree.after_chance(tree.find("call"))].tolist() == [100, 100]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("check bet 200 call", ("check", "bet 200", "call")),
        ("k b200 c", ("check", "bet 200", "call")),
        ("Check, BET 1100 / Fold", ("check", "bet 1100", "fold")),
        ("check-all-in-call", ("check", "bet 1100", "call")),
        ("check allin", ("check", "bet 1100")),
        ("bet 200 raise call", None),
        ("b200 r800 a", ("bet 200", "raise 800", "raise 1100")),
        ("bet 200 b800 f", ("bet 200", "raise 800", "fold")),
        ("check check check", ("check", "check", "check")),
        ("", ()),
    ],
)
def test_lines_are_found(line: str, path: tuple[str, ...] | None) -> None:
    tree = build_betting_tree(load_game("leduc.nolimit"))
    if path is None:
        with pytest.raises(LineError, match="ambiguous"):
            tree.find(line)
    else:
        assert tree.path(tree.find(line)) == path


def test_a_unique_bet_needs_no_amount() -> None:
    tree = build_betting_tree(load_game("leduc"))
    assert tree.path(tree.find("bet raise call check bet")) == ("bet 2", "raise 4", "call", "check", "bet 4")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bet 150", r"actions there are: check, bet 200 \(100%\), bet 1100 \(550%\)"),
        ("fold", "actions there are: check"),
        ("bet", "choose one of"),
        ("bet 200 fold call", "hand is over"),
        ("check 200", "not possible"),
    ],
)
def test_a_line_that_is_not_there_lists_what_is(line: str, message: str) -> None:
    tree = build_betting_tree(load_game("leduc.nolimit"))
    with pytest.raises(LineError, match=message):
        tree.find(line)


def test_a_line_past_the_edge_says_so() -> None:
    tree = build_betting_tree(load_game("leduc"), last_street=0)
    with pytest.raises(LineError, match="tree ends"):
        tree.find("check check bet")


def test_limit_games_take_no_menu() -> None:
    with pytest.raises(UnsupportedGameError, match="limit"):
        build_betting_tree(load_game("leduc"), BetMenu.parse(2, "a"))


def test_a_tree_too_large_is_refused_before_it_fills_memory() -> None:
    with pytest.raises(TreeTooLargeError, match="1,000 nodes"):
        build_betting_tree(load_game("holdem.limit.2p"), max_nodes=1_000)
    menu = BetMenu.parse(4, "20%, 40%, 60%, 80%, 100%", "50%, 100%")
    with pytest.raises(TreeTooLargeError, match="raise caps"):
        build_betting_tree(load_game("holdem.nolimit.2p"), menu, max_nodes=20_000)


def test_long_descriptions_are_cut() -> None:
    text = build_betting_tree(load_game("holdem.limit.2p")).describe(max_nodes=10)
    assert len(text.splitlines()) == 11
    assert "17,221 nodes in all" in text


@pytest.mark.slow
def test_a_hundred_thousand_nodes_take_seconds() -> None:
    menu = BetMenu.parse(4, "40%, 100%, 250%, a", "60%, 150%, a")
    with Stopwatch() as took:
        tree = build_betting_tree(load_game("holdem.nolimit.2p"), menu)
    assert tree.num_nodes > 100_000
    assert took.seconds / tree.num_nodes < 1e-4
