"""A network below a tree: chips, seats and boards against closed forms and brute force, and solves over an oracle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from asked_nets import Linear, Oracle
from numpy.typing import NDArray
from small_subjects import spot_text, subject

import errai
from errai.cards.hands import fitting_weights
from errai.engine.leaf_values import LeafValues, Pair
from errai.errors import FileAccessError, InputError, StoppedError
from errai.games.catalogue import load_game
from errai.games.game import Game, Subject
from errai.games.hand import CALL, raise_to
from errai.games.lookahead import last_street
from errai.games.spot import Spot, parse_spot
from errai.kernels.backends import make_kernel
from errai.kernels.layout import LEAF
from errai.nets.below.leaves import NetLeafValues
from errai.nets.below.values_below import NetsBelow
from errai.nets.networks.matchups import matchups
from errai.nets.positions import BoardValues
from errai.nets.predictors import find_predictor
from errai.resolving.below import ExactBelow
from errai.resolving.oracle import ExactLeafValues
from errai.running.stopping import StopToken
from errai.tree.public_tree import PublicTree, plan_public_tree

FLOP = spot_text("Ks 9s 4d", "QQ, AKs:0.5, 87s, T9o", "44, KJs, AKo:0.25", bet="100%, a")


def trunk_of(of: Subject, *, isomorphism: bool = True) -> PublicTree:
    last = 0 if of.depth is None else last_street(of, None)
    return plan_public_tree(of, last_street=last, isomorphism=isomorphism).build()


def mixed_reach(tree: PublicTree, seed: int) -> Pair:
    """The reach of a random strategy at the leaves; some hands never get to some of them."""
    rng = np.random.default_rng(seed)
    source = tree.arrays.zeros(np.float64)
    for pair in source:
        for array in pair:
            array[...] = rng.uniform(0.0, 1.0, array.size) * (rng.random(array.size) < 0.8)
    return make_kernel("cpu", tree.arrays).leaf_reach(source, tied=False)


def by_hand(tree: PublicTree, player: int, arrays: list[NDArray[np.float64]], board: int = 0) -> NDArray[np.float64]:
    """float64[lines, H]: a leaf array of the last street for every hand of a board."""
    hands = tree.deal.streets[-1].hands[player]
    lines = tree.arrays.streets[-1].num_leaves
    first, end = int(hands.start[board]), int(hands.start[board + 1])
    block = arrays[-1][lines * first : lines * end].reshape(lines, -1)
    found = np.zeros((lines, len(tree.root.hands)))
    for i in range(first, end):
        members = hands.member[hands.member_start[i] : hands.member_start[i + 1]]
        found[:, members] = block[:, i - first, None]
    return found


def live(tree: PublicTree, player: int) -> NDArray[np.bool_]:
    return tree.root.weights[player] > 0.0


def chips(tree: PublicTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pots and stacks at the leaves, from the line of bets."""
    betting = tree.betting
    put_in = betting.contributions[betting.kind == LEAF]
    assert (put_in[:, 0] == put_in[:, 1]).all()
    return put_in.sum(axis=1), betting.all_in_total + tree.subject.dead_chips - put_in[:, 0]


@pytest.mark.parametrize("isomorphism", [True, False])
@pytest.mark.parametrize("name", ["flop", "turn", "leduc.nolimit"])
def test_checked_down_it_is_the_showdown_over_all_boards(name: str, isomorphism: bool) -> None:
    """The mean over the next card of the chance to win after it is the chance before it: the divisor is exact."""
    of = parse_spot(FLOP) if name == "flop" else subject(name)
    tree = trunk_of(of, isomorphism=isomorphism)
    game, first = (of.game, of.first_round) if isinstance(of, Spot) else (of, 0)
    assert not hasattr(game, "game")
    reach, pots = mixed_reach(tree, 1), chips(tree)[0]
    values = NetLeafValues(find_predictor("check-down", game, first + 1))
    known = matchups(game, tree.root.board)
    for p in (0, 1):
        brought = by_hand(tree, 1 - p, reach[1 - p])[:, known.hands]
        expected = np.zeros((len(pots), len(tree.root.hands)))
        expected[:, known.hands] = pots[:, None] * known.check_down(brought.astype(np.float32))
        expected[:, ~live(tree, p)] = 0.0
        found = by_hand(tree, p, values.values(tree, reach, p))
        assert np.abs(found - expected).max() < 2e-6 * np.abs(expected).max()
        assert np.abs(expected).max() > 1.0


@pytest.mark.parametrize("isomorphism", [True, False])
@pytest.mark.parametrize("name", ["flop", "turn", "leduc.nolimit"])
def test_stacks_and_who_acts_first(name: str, isomorphism: bool) -> None:
    of = parse_spot(FLOP) if name == "flop" else subject(name)
    game, first = (of.game, of.first_round) if isinstance(of, Spot) else (of, 0)
    tree = trunk_of(of, isomorphism=isomorphism)
    reach, (pots, stacks) = mixed_reach(tree, 2), chips(tree)
    net = Linear(game, first + 1)
    values = NetLeafValues(net, threads=2)
    not_all_in = stacks > 0.0
    assert not_all_in.any()
    for p in (0, 1):
        sign = 1.0 if p == game.first_player[first + 1] else -1.0
        found = by_hand(tree, p, values.values(tree, reach, p))
        for leaf in np.flatnonzero(not_all_in):
            brought = by_hand(tree, 1 - p, reach[1 - p])[leaf]
            expected = sign * (stacks + net.edge * pots)[leaf] * fitting_weights(tree.root.hands, brought)
            expected[~live(tree, p)] = 0.0
            assert found[leaf] == pytest.approx(expected, rel=1e-5, abs=1e-5 * np.abs(expected).max())
    assert values.asked == 1


def test_boards_that_suits_make_equal_are_asked_about_once() -> None:
    spot = parse_spot(FLOP)
    asked = []
    for isomorphism in (True, False):
        net = Linear(spot.game, 2)
        tree = trunk_of(spot, isomorphism=isomorphism)
        NetLeafValues(net).values(tree, mixed_reach(tree, 3), 0)
        asked.append(net.positions / (chips(tree)[1] > 0.0).sum())
    # Hearts and clubs are exchanged without changing the board or a range.
    assert asked == [36, 49]


def test_before_the_flop_all_in_is_known_and_boards_are_weighed() -> None:
    """A tree whose root has no board, and a next street of several cards."""
    game = replace(load_game("leduc.nolimit"), num_ranks=4, num_suits=2, num_board_cards=(0, 2), name="two-cards")
    tree = trunk_of(game)
    reach, (pots, stacks) = mixed_reach(tree, 4), chips(tree)
    found = NetLeafValues(Linear(game, 1)).values(tree, reach, 1)
    brought = by_hand(tree, 0, reach[0])
    known = matchups(game, ())
    sign = 1.0 if game.first_player[1] == 1 else -1.0
    for leaf in range(len(pots)):
        expected = sign * (stacks + 0.25 * pots)[leaf] * fitting_weights(tree.root.hands, brought[leaf])
        if stacks[leaf] == 0.0:
            expected = pots[leaf] * known.check_down(brought[leaf].astype(np.float32))
        assert by_hand(tree, 1, found)[leaf] == pytest.approx(expected, rel=1e-5, abs=1e-6 * np.abs(expected).max())
    assert (stacks == 0.0).any()
    assert (stacks > 0.0).any()


@pytest.mark.parametrize("name", ["leduc.nolimit", "turn"])
def test_an_oracle_says_what_exact_solves_say(name: str) -> None:
    """For one reach; each is a solution, and a leaf's total value is the same in every solution."""
    of = subject(name)
    tree = trunk_of(of)
    reach, pots = mixed_reach(tree, 5), chips(tree)[0]
    first = of.first_round if isinstance(of, Spot) else 0
    over_net = NetLeafValues(Oracle(of, first + 1, 3e-4))
    exact = ExactLeafValues(accuracy=3e-4, max_iterations=20_000)
    for p in (0, 1):
        own, other = (by_hand(tree, q, reach[q]) for q in (p, 1 - p))
        one, two = (by_hand(tree, p, values.values(tree, reach, p)) for values in (over_net, exact))
        met = np.array([a @ fitting_weights(tree.root.hands, b) for a, b in zip(own, other, strict=True)])
        worth, known = ((own * values).sum(axis=1)[met > 0.0] for values in (one, two))
        assert (np.abs(worth - known) < 7e-4 * (met * pots)[met > 0.0]).all()


def test_a_solve_over_an_oracle_finds_the_value_of_the_whole_game() -> None:
    """It comes down slowly, since what exact solves say has kinks; see :mod:`errai.resolving.oracle`."""
    game = subject("leduc.nolimit")
    assert not isinstance(game, Spot)
    whole = errai.solve(game, "0.02%pot", threads=1)
    gaps = []
    for iterations in (15, 60):
        leaves = NetLeafValues(Oracle(game, 1, 1e-3), every=0)
        found = errai.solve(game, depth=0, leaf_values=leaves, max_iterations=iterations, threads=1)
        gaps.append(found.exploitability.chips / whole.initial_pot_chips)
        assert found.values.chips == pytest.approx(whole.values.chips, abs=found.exploitability.nash_conv)
    assert gaps[1] < 0.05
    assert gaps[1] < 0.7 * gaps[0]


@pytest.mark.parametrize(("every", "parts", "threads"), [(0, 2, 1), (1, 1, 2), (2, 1, 1), (1, 2, 1), (1, 50, 2)])
def test_values_may_stay_for_some_iterations(every: int, parts: int, threads: int) -> None:
    spot = parse_spot(FLOP)
    leaves = NetLeafValues(find_predictor("check-down", spot.game, 2), every=every, parts=parts, threads=threads)
    found = errai.solve(spot, depth="flop", leaf_values=leaves, max_iterations=300, threads=1)
    exact = errai.solve(spot, depth="flop", leaf_values=_checked_down(spot), target="0.01%pot", threads=1)
    assert found.exploitability.chips < 0.006 * found.initial_pot_chips
    assert found.values.chips == pytest.approx(
        exact.values.chips, abs=found.exploitability.nash_conv + exact.exploitability.nash_conv
    )
    # One measurement more or less often is what the rest is.
    a_player = 300 // (every * parts) if every else 600
    assert a_player <= leaves.asked < a_player + 40


def _checked_down(spot: Spot) -> LeafValues:
    known = matchups(spot.game, spot.board)

    def won(leaves: errai.Leaves) -> NDArray[np.float64]:
        found = np.zeros(leaves.reach.shape[1:])
        brought = leaves.reach[1 - leaves.player][:, :, known.hands].astype(np.float32)
        found[:, :, known.hands] = leaves.pot_chips[:, None] * known.check_down(brought)
        return found

    return errai.engine.leaf_values.FunctionLeafValues(won)


def test_results_do_not_depend_on_threads() -> None:
    spot = parse_spot(FLOP)
    tree = trunk_of(spot)
    reach = mixed_reach(tree, 6)
    one, two = (NetLeafValues(Linear(spot.game, 2), threads=t).values(tree, reach, 0)[0] for t in (1, 2))
    assert np.array_equal(one, two)


def test_hands_that_nobody_brings_have_values() -> None:
    of = subject("turn")
    tree = trunk_of(of)
    reach = mixed_reach(tree, 7)
    for array in reach[0]:
        array[...] = 0.0
    assert isinstance(of, Spot)
    values = NetLeafValues(Linear(of.game, 3))
    assert (by_hand(tree, 0, values.values(tree, reach, 0))[:, live(tree, 0)] != 0.0).all()
    assert not by_hand(tree, 1, values.values(tree, reach, 1)).any()


class TestNetsBelow:
    """Networks as continual re-solving uses them."""

    def test_values_on_a_new_street_are_those_below_the_leaf(self) -> None:
        """Averaged over the cards that may come, as a pair of hands meets them, they are the leaf's."""
        game = load_game("leduc.nolimit")
        below = NetsBelow(Linear(game, 1))
        rest = errai.lookahead(game)
        tree = trunk_of(rest)
        reach = mixed_reach(tree, 8)
        state = rest.state.after(raise_to(300)).after(CALL)  # the ante is 100
        line = [" ".join(tree.betting.path(int(node))) for node in np.flatnonzero(tree.betting.kind == LEAF)]
        leaf = line.index("bet 200 call")
        ranges = by_hand(tree, 0, reach[0])[leaf], by_hand(tree, 1, reach[1])[leaf]
        for p in (0, 1):
            at_leaf = by_hand(tree, p, below.leaf_values(rest).values(tree, reach, p))[leaf]
            summed = np.zeros(6)
            for card in range(6):
                on = state.dealt((card,))
                masked = tuple(np.where(np.arange(6) == card, 0.0, r) for r in ranges)
                summed += below.values(on, (masked[0], masked[1]), p)
            assert summed / 4.0 == pytest.approx(at_leaf, rel=1e-5)

    def test_values_are_the_exact_ones_over_an_oracle(self) -> None:
        game = load_game("leduc.nolimit")
        below, exact = NetsBelow(Oracle(game, 1, 1e-4)), ExactBelow(accuracy=1e-4, max_iterations=20_000)
        rng = np.random.default_rng(9)
        state = errai.lookahead(game).state.after(raise_to(300)).after(CALL).dealt((2,))
        ranges = tuple(rng.uniform(0.1, 1.0, 6) * (np.arange(6) != 2) for _ in range(2))
        for p in (0, 1):
            one, two = (b.values(state, (ranges[0], 3.0 * ranges[1]), p) for b in (below, exact))
            assert (ranges[p] * one).sum() == pytest.approx((ranges[p] * two).sum(), abs=1e-3 * 600 * 3.0 * 16)
            assert one[2] == 0.0

    def test_rounds_without_a_network_go_to_the_other(self) -> None:
        spot = parse_spot(FLOP)
        net = find_predictor("zero", spot.game, 2)
        other = ExactBelow()
        turn = errai.lookahead(spot, depth="turn")
        assert isinstance(NetsBelow(net, other).leaf_values(turn), ExactLeafValues)
        assert isinstance(NetsBelow(net, other).leaf_values(errai.lookahead(spot)), NetLeafValues)
        with pytest.raises(InputError, match="a network for round 3"):
            NetsBelow(net).leaf_values(turn)
        with pytest.raises(InputError, match="one for each round"):
            NetsBelow([net, net])

    @pytest.mark.parametrize("averaged", [False, True])
    def test_boards_are_prepared_once_however_often_the_time_is_over(self, averaged: bool) -> None:
        spot = parse_spot(FLOP)
        rest = errai.lookahead(spot)
        tree = trunk_of(rest)
        reach = mixed_reach(tree, 4)
        stop, net = StopToken(), Stops(spot.game)
        below = NetsBelow(net, averaged=averaged, threads=1)
        below.stop = net.stop = stop
        with pytest.raises(StoppedError, match="before the network linear had been prepared"):
            below.leaf_values(rest).values(tree, reach, 0)
        stopped = below.leaf_values(rest)
        assert isinstance(stopped, NetLeafValues)
        assert (len(net.boards), stopped.is_prepared(spot.board)) == (5, False)
        below.stop = net.stop = None
        found = [below.leaf_values(rest).values(tree, reach, p) for p in (0, 1)]
        boards = len(NetLeafValues(Linear(spot.game, 2)).boards_after(tree)[0].next)
        assert len(net.boards) == len(set(net.boards)) == boards > 5
        for p in (0, 1):
            expected = NetLeafValues(Linear(spot.game, 2), threads=1).values(tree, reach, p)
            assert np.array_equal(found[p][-1], expected[-1])
        # Another tree on the same board, and one on another.
        others = (
            errai.lookahead(parse_spot(FLOP.replace("100%", "33%"))),
            errai.lookahead(parse_spot(FLOP.replace("4d", "3d"))),
        )
        for other, more in zip(others, (0, boards), strict=True):
            leaf_values, before = below.leaf_values(other), len(net.boards)
            assert isinstance(leaf_values, NetLeafValues)
            assert leaf_values.is_prepared(other.state.board) == (more == 0)
            leaf_values.boards_after(trunk_of(other))
            assert len(net.boards) - before == more
            assert leaf_values.is_prepared(other.state.board)


class Stops(Linear):
    """A network that remembers for which boards it was prepared, and sets a token at the fifth."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, 2)
        self.boards: list[tuple[int, ...]] = []
        self.stop: StopToken | None = None

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        self.boards.append(tuple(sorted(board)))
        if self.stop is not None and len(self.boards) == 5:
            self.stop.set()
        return super().on(board, among)


def test_what_is_not_asked_well_is_refused() -> None:
    spot, limit = parse_spot(FLOP), subject("leduc")
    assert not isinstance(limit, Spot)
    with pytest.raises(InputError, match="round 3"):
        errai.solve(spot, depth="flop", leaf_values=NetLeafValues(find_predictor("zero", spot.game, 3)))
    raked = Spot.from_dict({**spot.to_dict(), "rake": {"percent": 5, "cap": 3}})
    with pytest.raises(InputError, match="rake"):
        errai.solve(raked, leaf_values=find_predictor("check-down", spot.game, 2), max_iterations=1, threads=1)
    with pytest.raises(InputError, match="no-limit"):
        errai.solve(limit, depth=0, leaf_values=NetLeafValues(find_predictor("zero", limit, 1)))
    with pytest.raises(InputError, match="every must be at least 0"):
        NetLeafValues(find_predictor("zero", spot.game, 2), every=-1)
    with pytest.raises(FileAccessError, match="There is no network and no file 'best'"):
        find_predictor("best", spot.game, 2)
    with pytest.raises(InputError, match="from 0 to 3"):
        find_predictor("zero", spot.game, 4)


def test_a_network_says_itself_where_a_tree_is_cut() -> None:
    spot = parse_spot(FLOP)
    net = find_predictor("check-down", spot.game, 2)
    found = errai.solve(spot, leaf_values=net, max_iterations=40, threads=1)
    assert found.depth == 1
    assert found.below is not None
    assert found.below.name == "check-down"
    assert found.verify(net)
    other = errai.solve(spot, leaf_values=NetLeafValues(net), depth="flop", max_iterations=40, threads=1)
    assert found.exploitability.chips == other.exploitability.chips
    ahead = errai.solve(errai.lookahead(spot), leaf_values=net, max_iterations=40, threads=1)
    assert ahead.exploitability.chips == pytest.approx(other.exploitability.chips)
