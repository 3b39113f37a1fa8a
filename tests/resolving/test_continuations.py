"""Multi-valued states: against a fixed continuation, against the extended game written out, and as a Below."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from drawn_arrays import random_reach, same_arrays
from leaf_doubles import FixedContinuation
from small_subjects import subject

import errai
from errai.cards.ranges import Range
from errai.engine.status import Status
from errai.engine.strategy import node_strategy
from errai.errors import InputError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.hand import CALL, PublicState, raise_to
from errai.judges.explicit_game import evaluate_profile
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, CHANCE, DECISION, LEAF
from errai.kernels.protocol import Arrays
from errai.resolving.continuations import (
    BLUEPRINT,
    CONTINUATIONS,
    Continuation,
    ContinuationLeafValues,
    Continuations,
)
from errai.resolving.pair_values import Hands, PairValues, drawn_boards, run_out_count
from errai.strategies.blind import ALWAYS
from errai.strategies.buckets import by_strength
from errai.strategies.given import read_strategy
from errai.strategies.solution import SolutionStrategy
from errai.strategies.strategy import Deals, Decision, live_hands
from errai.tree.betting_tree import BettingTree
from errai.tree.public_tree import PublicTree, build_public_tree


def blueprint(name: str) -> SolutionStrategy:
    """A coarse solution, in which every action is taken with some hand."""
    return SolutionStrategy(errai.solve(subject(name), max_iterations=4, precision="float64"))


def arrays_of(whole: PublicTree, strategy: SolutionStrategy, bends: tuple[Continuation, Continuation]) -> Arrays:
    """A strategy on all boards of a tree, biased below the first street."""
    found = whole.arrays.zeros(np.float64)
    for s, level in enumerate(whole.deal.streets):
        for p, hands in enumerate(level.hands):
            decisions = [Decision.at(whole.betting, int(n)) for n in whole.betting.decision_nodes(s, p)]
            if not decisions:
                continue
            cards = whole.root.hands[hands.hand].astype(np.uint8)
            rows = strategy.rows(decisions, Deals(s, level.boards, hands.start, hands.hand, cards))
            if bends[p].favours is not None:
                first = 0
                for decision in decisions:
                    for kind in decision.kinds:
                        rows[first] *= 10.0 if kind == bends[p].favours else 1.0
                        first += 1
            blocks = [rows[:, hands.start[b] : hands.start[b + 1]].ravel() for b in range(len(level.boards))]
            found[s][p][...] = np.concatenate(blocks)
    return found


@pytest.mark.parametrize(
    ("name", "favours"),
    [
        *(("leduc.nolimit", favours) for favours in (None, *ActionKind)),
        ("leduc", ActionKind.CALL),
        ("rhode-island-short", ActionKind.RAISE),
        ("two-cards-short", ActionKind.FOLD),
        ("turn", ActionKind.RAISE),
        ("turn", None),
    ],
)
def test_a_single_continuation_is_the_fixed_one(name: str, favours: ActionKind | None) -> None:
    trunk, whole = build_public_tree(subject(name), last_street=0), build_public_tree(subject(name))
    strategy, reach = blueprint(name), random_reach(trunk)
    chosen = BLUEPRINT if favours is None else Continuation("biased", favours)
    below = ContinuationLeafValues(Continuations(strategy, subject(name), continuations=[chosen], run_outs=None))
    fixed = FixedContinuation(whole, make_kernel("cpu", whole.arrays), arrays_of(whole, strategy, (chosen, chosen)))
    for p in (0, 1):
        expected = fixed.values(trunk, reach, p)
        for mine, theirs in zip(below.values(trunk, reach, p), expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-11 * np.abs(theirs).max())


@pytest.mark.parametrize("chooser", [0, 1])
def test_each_continuation_is_worth_what_it_is_against_the_blueprint(chooser: int) -> None:
    name = "leduc.nolimit"
    trunk, whole = build_public_tree(subject(name), last_street=0), build_public_tree(subject(name))
    strategy, reach = blueprint(name), random_reach(trunk)
    below = ContinuationLeafValues(Continuations(strategy, subject(name), chooser=chooser))
    worth = []
    for chosen in CONTINUATIONS:
        bends = (chosen, BLUEPRINT) if chooser == 0 else (BLUEPRINT, chosen)
        fixed = FixedContinuation(whole, make_kernel("cpu", whole.arrays), arrays_of(whole, strategy, bends))
        worth.append([fixed.values(trunk, reach, p)[0] for p in (0, 1)])
    measured = below.measure(trunk, reach)
    mine, theirs = (np.stack([w[p] for w in worth]) for p in (chooser, 1 - chooser))
    np.testing.assert_allclose(measured.best[chooser][0], mine.max(axis=0), atol=1e-9)
    # Nothing has been learnt, so all four are chosen evenly.
    np.testing.assert_allclose(measured.values[chooser][0], mine.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(measured.values[1 - chooser][0], theirs.mean(axis=0), atol=1e-9)
    np.testing.assert_array_equal(measured.best[1 - chooser][0], measured.values[1 - chooser][0])
    assert (mine.argmax(axis=0) > 0).any()


# --- the extended game ---------------------------------------------------------------------------------------------


class Extended:
    """A game of two streets with a choice, or two in turn, at the end of the first one, written out as one betting
    tree.

    Its second street occurs once for every pair of continuations.  If two players choose, ``second`` sees what the
    other one has chosen, so only the other one's best response is that of a game in which the choices are hidden.
    """

    def __init__(self, whole: BettingTree, counts: tuple[int, int], second: int) -> None:
        self.second = second
        self.whole = whole
        self.counts = counts
        first = whole.street_nodes(0)
        nodes: list[dict[str, object]] = [self._copy(n) for n in first]
        self.choice: dict[int, tuple[int, int]] = {}
        """Nodes of a choice: which exit they stand at, and who chooses."""
        self.stands: dict[int, tuple[int, int, int]] = {}
        """Nodes of the second street: the node of the whole tree, and both choices."""
        exits = [n for n in first if whole.kind[n] == CHANCE]
        ends = []
        for number, exit_ in enumerate(exits):
            ends += self._choose(nodes, exit_, number)
        street_two = len(nodes)
        entering: list[tuple[int, int, int, int]] = []
        for node, exit_, a, b in ends:
            nodes[node]["first_child"], nodes[node]["num_children"] = len(nodes), 1
            entering.append((len(nodes), int(whole.first_child[exit_]), a, b))
            nodes.append({**self._copy(int(whole.first_child[exit_])), "parent": node})
        for node, at, a, b in entering:
            self.stands[node] = at, a, b
            children = whole.children(at)
            if len(children):
                nodes[node]["first_child"] = len(nodes)
            for child in children:
                entering.append((len(nodes), child, a, b))
                nodes.append({**self._copy(child), "parent": node})
        column = {key: np.array([n[key] for n in nodes]) for key in nodes[0] if key != "action"}
        rows, row_start = np.zeros((2, 2), np.int32), np.full(len(nodes), -1, np.int32)
        for n in np.flatnonzero(column["kind"] == DECISION):
            street, actor = int(n >= street_two), int(column["actor"][n])
            row_start[n] = rows[street, actor]
            rows[street, actor] += int(column["num_children"][n])
        self.betting = BettingTree(
            num_streets=2,
            first_round=whole.first_round,
            street_start=np.array([0, street_two, len(nodes)], np.int32),
            street=(np.arange(len(nodes)) >= street_two).astype(np.int8),
            row_start=row_start,
            rows=rows,
            all_in_total=whole.all_in_total,
            action=tuple(str(n["action"]) for n in nodes),
            **column,
        )

    def _copy(self, n: int) -> dict[str, object]:
        names = ("kind", "actor", "parent", "first_child", "num_children", "action_kind", "action_total")
        found = {name: int(getattr(self.whole, name)[n]) for name in names}
        return {**found, "contributions": self.whole.contributions[n], "action": self.whole.action[n]}

    def _choose(self, nodes: list[dict[str, object]], exit_: int, number: int) -> list[tuple[int, int, int, int]]:
        """Put the choices at an exit; returns (node, exit, choice of player 0, of player 1) for all ends."""
        ends, open_ = [], [(exit_, 0, 0)]
        for p in (1 - self.second, self.second):
            if self.counts[p] == 1:
                continue
            below = []
            for node, a, b in open_:
                self.choice[node] = number, p
                nodes[node] |= {"kind": DECISION, "actor": p, "first_child": len(nodes), "num_children": self.counts[p]}
                for k in range(self.counts[p]):
                    below.append((len(nodes), k if p == 0 else a, k if p == 1 else b))
                    nodes.append({**self._copy(exit_), "parent": node, "action": f"continuation {k}"})
            open_ = below
        for node, a, b in open_:
            nodes[node] |= {"kind": CHANCE, "actor": -1}
            ends.append((node, exit_, a, b))
        return ends


@pytest.mark.parametrize(("name", "chooser"), [("leduc", 0), ("leduc", 1), ("leduc.nolimit", 1), ("leduc", "both")])
def test_the_certificate_is_that_of_the_extended_game(name: str, chooser: int | str) -> None:
    game, strategy = subject(name), blueprint(name)
    whole = build_public_tree(game)
    offered = CONTINUATIONS if chooser != "both" else (BLUEPRINT, CONTINUATIONS[3])
    below = ContinuationLeafValues(Continuations(strategy, game, chooser=chooser, continuations=offered))
    solution = errai.solve(game, depth=0, leaf_values=below, max_iterations=25, precision="float64")
    counts = (1 if chooser == 1 else len(offered), 1 if chooser == 0 else len(offered))
    trunk = solution.tree
    leaves = trunk.arrays.streets[0].num_leaves
    shares = [below.choices(trunk, p).reshape(counts[p], leaves, -1) for p in (0, 1)]
    class_of = []
    for hands in trunk.deal.streets[0].hands:
        found = np.empty(len(trunk.root.hands), np.int64)
        found[hands.member] = np.repeat(np.arange(len(hands.hand)), np.diff(hands.member_start))
        class_of.append(found)

    def played(extended: Extended, node: int, board: tuple[int, ...], hand: int) -> np.ndarray:
        player = int(extended.betting.actor[node])
        if node in extended.choice:
            return shares[player][:, extended.choice[node][0], class_of[player][hand]]
        if node not in extended.stands:
            return node_strategy(trunk, solution.strategy, 0, 0, node)[:, class_of[player][hand]]
        at, *chosen = extended.stands[node]
        decision = Decision.at(whole.betting, at)
        held, cards = np.array([hand], np.int32), np.array([[hand]], np.uint8)
        rows = strategy.rows([decision], Deals(1, np.array([board], np.int8), np.array([0, 1]), held, cards))[:, 0]
        bend = offered[chosen[player]]
        weights = rows * np.where(np.array(decision.kinds) == bend.favours, 10.0, 1.0)
        return weights / weights.sum()

    for second in (1, 0) if chooser == "both" else (0,):
        extended = Extended(whole.betting, counts, second)
        judged = evaluate_profile(
            extended.betting,
            game,
            (partial(played, extended),) * 2,
            locked=lambda node, board, hand: node in extended.stands,  # noqa: B023
        )
        assert judged.value == pytest.approx(solution.values.chips[0], abs=1e-9 * trunk.initial_pot)
        for p in (1 - second,) if chooser == "both" else (0, 1):
            assert judged.gains[p] == pytest.approx(solution.exploitability.by_player[p], abs=1e-9 * trunk.initial_pot)
            assert judged.gains[p] > 1e-4 * trunk.initial_pot


# --- sampled boards --------------------------------------------------------------------------------------------------


def test_few_boards_are_all_taken_and_many_are_drawn_evenly() -> None:
    assert len(drawn_boards(52, (0, 1, 2, 3), (1,), 49, 0)) == 48
    everything = drawn_boards(6, (0,), (2, 1), None, 0)
    assert len(everything) == len(set(everything)) == run_out_count(5, (2, 1)) == 30
    drawn = drawn_boards(52, (0, 17, 33), (1, 1), 98, 5)
    assert drawn == sorted(drawn) == drawn_boards(52, (0, 17, 33), (1, 1), 98, 5)
    assert drawn != drawn_boards(52, (0, 17, 33), (1, 1), 98, 6)
    for street in (0, 1):
        cards, times = np.unique([run_out[street][0] for run_out in drawn], return_counts=True)
        assert len(cards) == 49
        assert set(times) == {2}
    assert all(len({0, 17, 33, *a, *b}) == 5 for a, b in drawn)


def test_sampled_boards_are_right_in_the_mean_and_cancel_in_each_sample() -> None:
    name, samples = "rhode-island-short", 16
    game, strategy = subject(name), blueprint(name)
    trunk = build_public_tree(game, last_street=0)
    reach = random_reach(trunk)
    exact = ContinuationLeafValues(Continuations(strategy, game, run_outs=None))
    expected = [exact.values(trunk, reach, p)[0] for p in (0, 1)]
    sizes = [np.tile(s, trunk.arrays.streets[0].num_leaves) for s in trunk.class_sizes]
    found = np.empty((samples, 2, len(expected[0])))
    for seed in range(samples):
        below = ContinuationLeafValues(Continuations(strategy, game, run_outs=30, seed=seed))
        found[seed] = [below.values(trunk, reach, p)[0] for p in (0, 1)]
        won = sum(float((sizes[p] * reach[p][0]) @ found[seed, p]) for p in (0, 1))
        assert abs(won) < 1e-9 * trunk.initial_pot
    error = found.std(axis=0) / np.sqrt(samples)
    assert (error > 0).any()
    off = np.abs(found.mean(axis=0) - expected)
    assert (off < 5.0 * error + 1e-9).all()


def test_what_is_left_to_a_showdown_is_exact_though_boards_are_drawn() -> None:
    """All-ins, and lines on which both players only check, have their exact value over all boards."""
    game = subject("rhode-island-short")
    checks = ALWAYS["always-call"]
    trunk = build_public_tree(game, last_street=0)
    reach = random_reach(trunk)
    exact, drawn = (ContinuationLeafValues(Continuations(checks, game, run_outs=n)) for n in (None, 30))
    for p in (0, 1):
        np.testing.assert_allclose(drawn.values(trunk, reach, p)[0], exact.values(trunk, reach, p)[0], atol=1e-9)


def test_too_few_boards_are_refused() -> None:
    game = subject("leduc")
    hands = np.arange(6)
    with pytest.raises(InputError, match="draw more"):
        PairValues(game, by_strength(game, 3), 0, (), (hands, hands), ([BLUEPRINT], [BLUEPRINT]), [((2,),)], np.float64)


# --- learning, checkpoints, Below ------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["dcfr-foresight", "cfr+", "pcfr+"])
def test_the_cut_game_is_solved(algorithm: str) -> None:
    game = subject("leduc.nolimit")
    below = ContinuationLeafValues(Continuations(blueprint("leduc.nolimit"), game))
    solution = errai.solve(game, "0.01%pot", depth=0, leaf_values=below, algorithm=algorithm, precision="float64")
    assert solution.status is Status.TARGET_MET


def test_a_run_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    game, strategy = subject("leduc"), blueprint("leduc")

    def run(iterations: int, path: Path | None) -> errai.Solution:
        below = ContinuationLeafValues(Continuations(strategy, game, chooser="both"))
        return errai.solve(game, depth=0, leaf_values=below, max_iterations=iterations, checkpoint=path)

    whole = run(20, None)
    run(9, tmp_path / "run.errai")
    again = run(20, tmp_path / "run.errai")
    assert same_arrays(whole.strategy, again.strategy)
    assert whole.exploitability.chips == again.exploitability.chips


@pytest.mark.parametrize("chooser", ["opponent", "both", 0, 1])
def test_values_on_a_new_street_are_those_of_the_best_choice(chooser: str | int) -> None:
    name = "leduc.nolimit"
    game, strategy = subject(name), blueprint(name)
    whole = build_public_tree(game)
    below = Continuations(strategy, game, chooser=chooser)
    state = PublicState.start(game).after(CALL).after(CALL).dealt((3,))
    generator = np.random.default_rng(2)
    weights = generator.uniform(0.2, 1.0, (2, 6))
    weights[:, 3] = 0.0
    ranges = (weights[0], weights[1])
    entry = whole.betting.after_chance(whole.betting.find("check check"))
    board = [b[0] for b in whole.deal.streets[1].boards.tolist()].index(2)  # the rank of card 3
    lookahead = errai.lookahead(game, state, ranges, None)

    def exact(bends: tuple[Continuation, Continuation], player: int) -> np.ndarray:
        """The same from a solve that is told what to play: values of the rest's own tree."""
        rest = build_public_tree(lookahead, alike=False)
        assert rest.betting.num_nodes == len([n for n in range(whole.betting.num_nodes) if below_of(n)])
        source = rest.arrays.zeros(np.float64)
        names = {" ".join(whole.betting.path(n))[12:]: n for n in range(whole.betting.num_nodes) if below_of(n)}
        street = rest.arrays.streets[0]
        for n in np.flatnonzero(street.kind == DECISION):
            p = int(street.actor[n])
            decision = Decision.at(whole.betting, names[" ".join(rest.betting.path(int(n)))])
            hands = rest.deal.streets[0].hands[p].hand
            deals = Deals(
                1, np.array([[3]], np.int8), np.array([0, len(hands)]), hands, hands[:, None].astype(np.uint8)
            )
            rows = strategy.rows([decision], deals)
            rows *= np.where(np.array(decision.kinds) == bends[p].favours, 10.0, 1.0)[:, None]
            first = int(street.row[n])
            source[0][p].reshape(street.num_rows[p], -1)[first : first + len(rows)] = rows
        values = make_kernel("reference", rest.arrays).root_values(source, player)
        found = np.zeros(6)
        held = rest.deal.streets[0].hands[player]
        found[held.member] = np.repeat(values, np.diff(held.member_start))
        return found

    def below_of(n: int) -> bool:
        while n >= 0 and n != entry:
            n = int(whole.betting.parent[n])
        return n == entry

    assert board >= 0
    for player in (0, 1):
        found = below.values(state, ranges, player)
        who = player if chooser == "opponent" else chooser
        if who == player:
            expected = np.max([exact(_seats(player, c), player) for c in CONTINUATIONS], axis=0)
            np.testing.assert_allclose(found, expected, atol=1e-9)
        elif who == "both":
            # Each is held to what the other leaves him: no less than the best answer to the even mixture's worst.
            other = below.values(state, ranges, 1 - player)
            total = float(ranges[player] @ found + ranges[1 - player] @ other)
            assert 0.0 <= total < 1e-3 * lookahead.state.pot_chips * whole.pair_weight
        else:
            chosen = np.argmax([exact(_seats(1 - player, c), 1 - player) for c in CONTINUATIONS], axis=0)
            expected = np.zeros(6)
            for k, c in enumerate(CONTINUATIONS):
                cut = [w.copy() for w in ranges]
                cut[1 - player][chosen != k] = 0.0
                if cut[1 - player].any():
                    expected += _of(below, state, (cut[0], cut[1]), player, c)
            np.testing.assert_allclose(found, expected, atol=1e-9)
        np.testing.assert_allclose(
            below.values(state, (3.0 * ranges[0], 3.0 * ranges[1]), player), 3.0 * found, rtol=1e-9, atol=1e-9
        )


def _seats(player: int, chosen: Continuation) -> tuple[Continuation, Continuation]:
    return (chosen, BLUEPRINT) if player == 0 else (BLUEPRINT, chosen)


def _of(
    below: Continuations, state: PublicState, ranges: tuple[np.ndarray, np.ndarray], player: int, chosen: Continuation
) -> np.ndarray:
    """Values where the other player plays one continuation and nothing else."""
    alone = Continuations(below.strategy, below.subject, continuations=[BLUEPRINT, chosen], chooser=1 - player)
    live = np.delete(np.arange(6), 3)
    worth = alone.matrices([state], 1, (3,), Hands.alone(live), (1 - player,))
    shares = np.zeros((2, 5))
    shares[1] = 1.0
    found = np.zeros(6)
    found[live] = worth.worth(player, ranges[1 - player][live][None, :], shares)[0]
    return found


def test_a_gadget_stands_above_and_continuations_below() -> None:
    """The opponent may refuse and may choose: no hand of the opponent gets much more than in a near equilibrium."""
    game = subject("leduc.nolimit")
    solved = errai.solve(game, "0.02%pot", precision="float64")
    state, ones = PublicState.start(game).after(raise_to(300)), np.ones(6)
    kept = solved.at("bet 200").counterfactual(0, best=True)
    lookahead = errai.lookahead(game, state, (ones, ones))
    below = Continuations(SolutionStrategy(solved), game).leaf_values(lookahead)
    again = errai.solve(lookahead, "0.02%pot", leaf_values=below, opponent_values=kept, opponent=0)
    assert again.status is Status.TARGET_MET
    assert below.choosers == (0,)
    gained = again.root.counterfactual(0, best=True) - kept
    assert gained.max() < 0.01 * lookahead.state.pot_chips * ones.sum()


def test_a_player_who_is_held_to_one_continuation_is_exploited_more() -> None:
    """The paper's point: over a blueprint close to equilibrium, a first round that was solved with the blueprint's
    values alone loses far more than one that was solved against an opponent who chooses.
    """
    game = subject("leduc.nolimit")
    solved = errai.solve(game, "0.02%pot", precision="float64")
    whole, strategy = build_public_tree(game), SolutionStrategy(solved)
    kernel, given = make_kernel("cpu", whole.arrays), arrays_of(whole, strategy, (BLUEPRINT, BLUEPRINT))
    lost = {}
    for offered in ((BLUEPRINT,), CONTINUATIONS):
        lost[len(offered)] = 0.0
        for p in (0, 1):
            below = ContinuationLeafValues(Continuations(strategy, game, continuations=offered, chooser=1 - p))
            trunk = errai.solve(game, "0.02%pot", depth=0, leaf_values=below, precision="float64")
            spliced = [list(pair) for pair in given]
            spliced[0][p] = trunk.strategy[0][p].astype(np.float64)
            answer = whole.chips(kernel.root_values(spliced, 1 - p, role=BEST), 1 - p)
            lost[len(offered)] += (solved.values.chips[p] + answer) / 2.0
    assert 0.0 < lost[4] < 0.4 * lost[1]
    assert lost[1] > 2.0


def test_bets_that_the_blueprint_lacks_are_played_on_in_real_chips() -> None:
    """The blueprint has the pot and all-in; the lookahead has other bets, and so other pots below them."""
    game = subject("leduc.nolimit")
    state = PublicState.start(game).after(raise_to(225))
    lookahead = errai.lookahead(game, state, menu="30%, 70%, 100%, a")
    below = Continuations(blueprint("leduc.nolimit"), game)
    solution = errai.solve(lookahead, "0.05%pot", leaf_values=below.leaf_values(lookahead))
    assert solution.status is Status.TARGET_MET
    street = solution.tree.arrays.streets[0]
    assert (street.kind == LEAF).sum() > 4
    assert (solution.tree.betting.action_total[solution.tree.betting.action_kind == 2] % 100 != 0).any()


def test_a_flop_of_no_limit_hold_em_over_the_blueprint_of_the_package() -> None:
    """Few hands, but all else as it is played: drawn boards, a bet before the flop that the blueprint lacks."""
    game = load_game("holdem.nolimit.2p")
    below = Continuations(read_strategy("blueprint-nl", game), game, chooser=1)
    flop = tuple(game.deck.parse_card(card) for card in ("Qs", "7s", "2d"))
    state = PublicState.start(game).after(raise_to(250)).after(CALL).dealt(flop)
    ranges = [Range.parse(text).weights for text in ("QQ, AQs, KQo, T9s, 54s", "77, AQo, QJs, JTs, 98s, A5s:0.5")]
    lookahead = errai.lookahead(game, state, ranges, menu="40%, a")
    values = below.leaf_values(lookahead)
    solution = errai.solve(lookahead, "0.3%pot", leaf_values=values)
    assert solution.status is Status.TARGET_MET
    assert values.choices(solution.tree, 1).max(axis=0).min() < 1.0
    turn = state.after(raise_to(250 + 200)).after(CALL).dealt((*flop, game.deck.parse_card("Ac")))
    dead = ~live_hands(turn)
    weights = tuple(np.where(dead, 0.0, r) for r in ranges)
    found = [below.values(turn, (weights[0], weights[1]), p) for p in (0, 1)]
    assert not any(f[dead].any() for f in found)
    pairs = errai.lookahead(game, turn, weights, None)
    won = [float(w @ f) for w, f in zip(weights, found, strict=True)]
    assert abs(won[0]) > 1.0
    assert sum(won) == pytest.approx(0.0, abs=1e-6 * abs(won[0]))
    assert abs(won[0]) < float(weights[0].sum() * weights[1].sum()) * pairs.state.pot_chips


def test_what_was_counted_once_is_counted_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later on the street the same lines are below, also for a player whose range has changed."""
    game = subject("leduc.nolimit")
    below = Continuations(blueprint("leduc.nolimit"), game, chooser=1)
    state, ranges = PublicState.start(game), (np.ones(6), np.linspace(1.0, 2.0, 3).repeat(2))
    first = errai.lookahead(game, state, ranges)
    errai.solve(first, leaf_values=below.leaf_values(first), max_iterations=1)
    later = errai.lookahead(game, state.after(raise_to(300)), ranges)
    fresh = Continuations(below.strategy, game, chooser=1)
    expected = errai.solve(later, leaf_values=fresh.leaf_values(later), max_iterations=10)
    monkeypatch.setattr(PairValues, "matrices", None)
    found = errai.solve(later, leaf_values=below.leaf_values(later), max_iterations=10)
    assert found.exploitability.chips == expected.exploitability.chips


def test_what_is_refused() -> None:
    game, strategy = subject("leduc"), by_strength(subject("leduc"), 3)
    for settings, message in [
        ({"continuations": []}, "at least one"),
        ({"chooser": "nobody"}, "chooser must"),
        ({"chooser": 2}, "chooser must"),
        ({"run_outs": 0}, "at least 1"),
    ]:
        with pytest.raises(errai.ErraiError, match=message):
            Continuations(strategy, game, **settings)  # type: ignore[arg-type]
    with pytest.raises(errai.ErraiError, match="no strategy"):
        Continuations(7, game)  # type: ignore[arg-type]
    whole = build_public_tree(game)
    with pytest.raises(errai.ErraiError, match="no leaves"):
        ContinuationLeafValues(Continuations(strategy, game)).values(whole, ([], []), 0)
