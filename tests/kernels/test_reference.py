"""The reference backend against arithmetic done by hand and pair by pair: it is the definition, so it must be right."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from odd_trees import with_locks, with_matrices, with_odd_ends, with_rake
from small_subjects import RIVER_ALIKE, TURN_ALIKE, spot_text

from errai.engine.schedules import find_schedule
from errai.engine.strategy import board_block
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot
from errai.kernels.backends import backend_names, make_kernel
from errai.kernels.layout import BEST, DECISION, FIXED, FOLD, SHOWDOWN, TreeArrays
from errai.kernels.protocol import Arrays, State, matched
from errai.kernels.reference import ReferenceKernel
from errai.tree.public_tree import PublicTree, build_public_tree

RIVER = spot_text(
    "Qs Jh 2c 8d 3s", "QcQd:0.5, AcKc, 7c6c", "QcQh, JcJd, AcKd:0.25, AdKc", bet="a", raises="", stack=100
)


def kuhn() -> PublicTree:
    return build_public_tree(load_game("kuhn"))


def test_kuhn_with_both_players_uniform() -> None:
    """By hand: check-check wins 1; a called bet 2; a fold 1.  Uniform play: each action 1/2."""
    tree = kuhn()
    kernel = ReferenceKernel(tree.arrays)
    uniform = tree.arrays.zeros(np.float64)
    # Against each other card: check (1/2): check back (1/2) +-1, bet (1/2): fold -1 or call +-2, half each;
    # bet (1/2): fold (1/2) +1, call (1/2) +-2.
    win = 0.5 * (0.5 * 1 + 0.5 * (0.5 * -1 + 0.5 * 2)) + 0.5 * (0.5 * 1 + 0.5 * 2)
    lose = 0.5 * (0.5 * -1 + 0.5 * (0.5 * -1 + 0.5 * -2)) + 0.5 * (0.5 * 1 + 0.5 * -2)
    found = kernel.root_values(uniform, 0)
    np.testing.assert_allclose(found, [2 * lose, win + lose, 2 * win], atol=1e-15)
    assert tree.pair_weight == 6
    assert tree.chips(found, 0) == pytest.approx((3 * win + 3 * lose) / 6)
    # The best responses to uniform play, by hand as well: the king bets, the jack checks and folds.
    best = kernel.root_values(uniform, 0, role=BEST)
    assert best[2] == pytest.approx(2 * max(0.5 * 1 + 0.5 * 2, 0.5 * 1 + 0.5 * 2))
    assert best[0] == pytest.approx(2 * max(0.5 * -1 + 0.5 * -1, 0.5 * 1 + 0.5 * -2))


def test_the_first_iteration_on_kuhn_by_hand() -> None:
    tree = kuhn()
    kernel = ReferenceKernel(tree.arrays)
    state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
    kernel.iterate(state, find_schedule("cfr").coefficients(1, 1))
    regrets = board_block(tree, state.regrets, 0, 0, 0)
    check, bet = regrets[0], regrets[1]
    # Jack: checking is worth -1/2 + 1/2(-1/2 - 1) = -1.25 a card, betting 1/2 - 1 = -0.5; the mean is played.
    assert check[0] == pytest.approx(2 * (-1.25 + 0.5) / 2)
    assert bet[0] == pytest.approx(-check[0])
    # King: checking 1/2 + 1/2 (-1/2 + 1) = 0.75, betting 1/2 + 1 = 1.5.
    assert bet[2] == pytest.approx(2 * (1.5 - 0.75) / 2)
    sums = board_block(tree, state.sums, 0, 0, 0)
    # The first decision is reached with weight 1, the one after check and bet with the 1/2 of the own check.
    assert (sums[:2] == 0.5).all()
    assert (sums[2:] == 0.25).all()


@pytest.mark.parametrize("foresight", [0.5, 1.0])
def test_foresight_on_kuhn_by_hand(foresight: float) -> None:
    """A jack that has checked will fold to a bet from now on, and a king will call: that makes checking better."""
    tree = kuhn()
    state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
    schedule = find_schedule("cfr", foresight=foresight)
    ReferenceKernel(tree.arrays).iterate(state, schedule.coefficients(1, 1))
    check, bet, fold, call = board_block(tree, state.regrets, 0, 0, 0)
    # Under the next strategy checking is worth (-1 - 1)/2 with the jack and (1 + 2)/2 with the king.
    jack, king = -1.25 + foresight * 0.25, 0.75 + foresight * 0.75
    assert check[0] == pytest.approx(2 * (jack + 0.5) / 2)
    assert bet[0] == pytest.approx(-check[0])
    assert bet[2] == pytest.approx(2 * (1.5 - king) / 2)
    # The node's own regrets are against the strategy just played, as ever.
    assert (fold[0], call[0]) == pytest.approx((0.5, -0.5))


def test_foresight_sees_nothing_where_no_action_has_regret() -> None:
    tree = kuhn()
    states = []
    for foresight in (0.0, 1.0):
        state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
        # Negative factors below 0 and nothing above: after every update all regrets are at most 0.
        row = find_schedule("cfr", foresight=foresight).coefficients(1, 1).copy()
        row[0, 0] = 0.0
        ReferenceKernel(tree.arrays).iterate(state, np.repeat(row, 3, axis=0))
        states.append(state)
    for a, b in zip(states[0].regrets[0], states[1].regrets[0], strict=True):
        assert np.array_equal(a, b)


def test_unweighted_averages_do_not_know_the_own_reach() -> None:
    tree = kuhn()
    state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
    ReferenceKernel(tree.arrays).iterate(state, find_schedule("cfr").coefficients(1, 1), weighted=False)
    assert (state.sums[0][0] == 0.5).all()


def test_terminal_values_pair_by_pair() -> None:
    tree = build_public_tree(parse_spot(RIVER), isomorphism=False)
    street = tree.arrays.streets[0]
    kernel = ReferenceKernel(tree.arrays)
    generator = np.random.default_rng(1)
    for p in (0, 1):
        mine, theirs = street.hands[p], street.hands[1 - p]
        reach = generator.random((1, len(theirs.cards)))
        found = kernel.board_values(tree.arrays.zeros(np.float64), p, 0, 0, reach)
        check_down = next(int(n) for n in np.flatnonzero(street.kind == SHOWDOWN) if street.ends[n, p, 0] == 50)
        for i, cards in enumerate(mine.cards):
            total = 0.0
            for j, others in enumerate(theirs.cards):
                if not set(cards.tolist()) & set(others.tolist()):
                    total += np.sign(mine.rank[i] - theirs.rank[j]) * reach[0, j]
            # Both play uniformly: the opponent checks with half of what came.
            assert found[check_down, i] == pytest.approx(50 * total / 2, abs=1e-12)


def pair_by_pair(tree: TreeArrays, s: int, b: int, player: int, node: int, reach: np.ndarray) -> np.ndarray:
    """float64[H]: an end's value for each of the player's classes, from every real pair of hands."""
    street = tree.streets[s]
    mine, theirs = street.hands[player], street.hands[1 - player]
    win, tied, lose = street.ends[node, player]
    numbers = [np.arange(*h.start[b : b + 2]) for h in (mine, theirs)]
    before = sum(int(np.diff(mine.start)[x]) * int(np.diff(theirs.start)[x]) for x in range(b))
    found = np.zeros(len(numbers[0]))
    for i, own in enumerate(numbers[0]):
        held = set(mine.cards[own].tolist())
        for j, other in enumerate(numbers[1]):
            at = before + i * len(numbers[1]) + j
            members = theirs.member_cards[theirs.member_start[other] : theirs.member_start[other + 1]]
            fitting = sum(not held & set(member.tolist()) for member in members)
            if street.kind[node] == FOLD:
                found[i] += fitting * reach[j] * (lose if street.actor[node] == player else win)
            elif street.matrix is not None and street.matrix[node] >= 0:
                matrix = street.matrices[street.matrix[node]]
                margin, ties = matrix.margin[player][at], 0.0 if matrix.tie is None else matrix.tie[player][at]
                wins, losses = (fitting - ties + margin) / 2.0, (fitting - ties - margin) / 2.0
                found[i] += reach[j] * (wins * win + ties * tied + losses * lose)
            else:
                order = np.sign(mine.rank[own] - theirs.rank[other])
                found[i] += fitting * reach[j] * {1: win, 0: tied, -1: lose}[int(order)]
    return found


@pytest.mark.parametrize("name", ["kuhn", "leduc", "river", "river-alike", "turn-alike"])
@pytest.mark.parametrize(
    "odd", [lambda t: t, with_rake, with_odd_ends, lambda t: with_matrices(with_rake(t), tie=True)],
    ids=["plain", "rake", "odd ends", "matrices"],
)  # fmt: skip
def test_all_ends_pair_by_pair(name: str, odd: Callable[[TreeArrays], TreeArrays]) -> None:
    spots = {"river": RIVER, "river-alike": RIVER_ALIKE, "turn-alike": TURN_ALIKE}
    subject = parse_spot(spots[name]) if name in spots else load_game(name)
    tree = odd(build_public_tree(subject, alike=name.endswith("alike")).arrays)
    kernel, rng = ReferenceKernel(tree), np.random.default_rng(1)
    uniform = tree.zeros(np.float64)
    for s, street in enumerate(tree.streets):
        if not np.isin(street.kind, (FOLD, SHOWDOWN)).any():
            continue
        b = street.num_boards - 1
        for p in (0, 1):
            hands = np.diff(street.hands[1 - p].start)[b]
            reach = rng.random((street.num_entries, hands))
            found = kernel.board_values(uniform, p, s, b, reach)
            brought = np.zeros((len(street.kind), hands))
            for node, parent in enumerate(street.parent.tolist()):
                if parent < 0:
                    brought[node] = reach[node]
                else:
                    brought[node] = brought[parent] / (street.num_children[parent] if street.actor[parent] != p else 1)
                if street.kind[node] in (FOLD, SHOWDOWN):
                    expected = pair_by_pair(tree, s, b, p, node, brought[node])
                    np.testing.assert_allclose(found[node], expected, rtol=0, atol=1e-12 * np.abs(street.ends).max())


def told(tree: TreeArrays, strategy: Arrays, fixed: bool = True) -> Arrays:
    """A strategy in which locked hands do what their locks say."""
    found = [[a.copy() for a in pair] for pair in strategy]
    for s, street in enumerate(tree.streets):
        for p, locks in enumerate(street.locks):
            for at, number in enumerate([] if locks is None else locks.at.tolist()):
                if number < 0:
                    continue
                b, i = divmod(at, street.num_decisions(p))
                node = np.flatnonzero((street.kind == DECISION) & (street.actor == p))[i]
                role = locks.role[locks.role_start[number] : locks.role_start[number + 1]]
                given = locks.strategy[locks.strategy_start[number] : locks.strategy_start[number + 1]]
                first = street.num_rows[p] * int(street.hands[p].start[b]) + int(street.row[node]) * len(role)
                rows = found[s][p][first : first + given.size].reshape(-1, len(role))
                rows[...] = np.where(role == FIXED, given.reshape(rows.shape), rows)
    return found


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_hands_that_are_fixed_do_what_their_locks_say(name: str) -> None:
    plain = build_public_tree(load_game(name)).arrays
    locked = with_locks(plain, roles=(FIXED,))
    rng = np.random.default_rng(2)
    strategy = [[rng.random(a.shape) for a in pair] for pair in plain.zeros(np.float64)]
    for p in (0, 1):
        found = ReferenceKernel(locked).root_values(strategy, p)
        expected = ReferenceKernel(plain).root_values(told(locked, strategy), p)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    # In learning too: the first iteration's regrets of hands that are not locked are those of the strategy told.
    states = [State.zeros(tree, np.float64, predictive=False, simultaneous=False) for tree in (locked, plain)]
    states[1].regrets = told(locked, [[np.ones_like(a) for a in pair] for pair in states[1].regrets])
    row = find_schedule("cfr").coefficients(1, 1)[0]
    before = [[a.copy() for a in pair] for pair in states[1].regrets]
    for p in (0, 1):
        values = [
            ReferenceKernel(tree).update(state, p, row) for tree, state in zip((locked, plain), states, strict=True)
        ]
        if p == 0:
            np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-12)
            for s in range(len(plain.streets)):
                gained = states[1].regrets[s][0] - before[s][0]
                free = told(locked, [[np.full_like(a, -9.0) for a in pair] for pair in before])[s][0] == -9.0
                np.testing.assert_allclose(states[0].regrets[s][0][free], gained[free], rtol=0, atol=1e-12)
                assert not states[0].regrets[s][0][~free].any()


def test_hands_that_respond_best_take_the_best_of_all_pure_choices() -> None:
    plain = kuhn().arrays
    locked = with_locks(plain, roles=(BEST,), share=1.0)
    rng = np.random.default_rng(3)
    strategy = [[rng.random(a.shape) for a in pair] for pair in plain.zeros(np.float64)]
    street = locked.streets[0]
    for p in (0, 1):
        locks = street.locks[p]
        assert locks is not None
        nodes = np.flatnonzero((street.kind == DECISION) & (street.actor == p))
        best = np.full(3, -np.inf)
        for choices in product((0, 1), repeat=len(nodes)):
            tried = [[a.copy() for a in strategy[0]]]
            for node, choice, number in zip(nodes, choices, locks.at, strict=True):
                rows = tried[0][p].reshape(-1, 3)[street.row[node] : street.row[node] + 2]
                role = locks.role[locks.role_start[number] : locks.role_start[number + 1]]
                rows[:, role == BEST] = np.eye(2)[choice][:, None]
            best = np.maximum(best, ReferenceKernel(plain).root_values(tried, p))
        found = ReferenceKernel(locked).root_values(strategy, p)
        np.testing.assert_allclose(found, best, rtol=0, atol=1e-12)


def test_regret_matching() -> None:
    source = np.array([[1.0, -1.0, 0.0, 1e-9], [3.0, 2.0, 0.0, -5.0], [-4.0, 0.0, 0.0, -5.0]])
    np.testing.assert_allclose(matched(source), [[0.25, 0, 1 / 3, 1], [0.75, 1, 1 / 3, 0], [0, 0, 1 / 3, 0]])
    # What counts as a tie is not played; where nothing is left, everything is.
    np.testing.assert_allclose(matched(source, 1e-8)[:, 3], 1 / 3)
    assert matched(np.array([[65535], [0]], dtype=np.uint16)).tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize("name", [name for name in backend_names() if name != "cuda"])
def test_backends_are_made_by_name(name: str) -> None:
    kernel = make_kernel(name, kuhn().arrays)
    assert kernel.root_values(kuhn().arrays.zeros(np.float64), 0, role=BEST).shape == (3,)


def test_predictions_count_the_newest_regret_twice() -> None:
    tree = kuhn()
    schedule = find_schedule("pcfr+", simultaneous=True)
    state = State.zeros(tree.arrays, np.float64, predictive=True, simultaneous=True)
    ReferenceKernel(tree.arrays).iterate(state, schedule.coefficients(1, 1))
    plain = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=True)
    ReferenceKernel(tree.arrays).iterate(plain, find_schedule("cfr").coefficients(1, 1))
    assert state.predicted is not None
    for s, pair in enumerate(plain.regrets):
        for p, gain in enumerate(pair):
            np.testing.assert_allclose(state.regrets[s][p], np.maximum(gain, 0), atol=1e-15)
            np.testing.assert_allclose(state.predicted[s][p], np.maximum(gain, 0) + gain, atol=1e-15)
