"""Best responses board by board against the exact exploitability on the whole tree, and the short cut against both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import errai
from errai.engine.certificate import StrategyProfile
from errai.engine.units import Units
from errai.errors import InputError, SolverOptionError, StrategyError
from errai.games.spot import parse_spot
from errai.kernels.backends import make_kernel
from errai.responses import general, pieces
from errai.responses.pieces import Boards
from errai.responses.response import best_response
from errai.responses.work import PROCESS_BYTES, ResponseTask
from errai.strategies.blind import ALWAYS, Mixture, Uniform
from errai.strategies.buckets import BucketStrategy, by_strength
from errai.strategies.given import read_strategy
from errai.strategies.strategy import Decision
from errai.tree.public_tree import CLASS_BYTES, PublicTree, build_public_tree

SMALL = ("kuhn", "leduc", "rhode-island", "leduc.nolimit")
BLIND = (*ALWAYS.values(), Uniform(), Mixture(0.1, 0.4, 0.5))


def by_rank(game) -> BucketStrategy:
    """A mixture for each rank of the lowest card."""
    ranks, suits = game.deck.num_ranks, game.deck.num_suits
    tables = np.random.default_rng(5).dirichlet([1, 1, 1], size=ranks)

    def table(decision: Decision):
        return np.stack([Mixture(*row).mix(decision) for row in tables / tables.sum(axis=1, keepdims=True)], axis=1)

    return BucketStrategy(lambda deals: deals.cards[:, 0] // suits, table, "by rank")


def on_tree(tree: PublicTree, strategy) -> list:
    """The arrays of a strategy on a whole tree."""
    cards = tree.root.hands.astype(np.uint8)
    result = []
    for s, level in enumerate(tree.deal.streets):
        boards, pair = Boards.of(s, level, cards), []
        for p in (0, 1):
            deals, rows = boards.deals(p), tree.betting.num_rows(s, p)
            decisions = [Decision.at(tree.betting, int(n)) for n in tree.betting.decision_nodes(s, p)]
            table = np.broadcast_to(strategy.rows(decisions, deals), (rows, len(deals.hand)))
            pair.append(general.blocks_of(table, deals.start))
        result.append(pair)
    return result


@pytest.fixture(scope="module")
def trees():
    """Public trees of the small games with their kernels."""
    made = {}
    for name in SMALL:
        tree = build_public_tree(errai.load_game(name))
        made[name] = tree, make_kernel("cpu", tree.arrays)
    return made


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("strategy", BLIND, ids=lambda s: s.description)
@pytest.mark.parametrize("whole", [False, True], ids=["short cut", "general"])
def test_blind_strategies_on_the_whole_tree(trees, name, strategy, whole) -> None:
    tree, kernel = trees[name]
    profile = StrategyProfile(tree, kernel, on_tree(tree, strategy))
    expected = profile.certificate(Units.of(tree.subject, tree.initial_pot))[0]
    result = best_response(tree.subject, strategy, general=whole, processes=1)
    assert result.method == ("every line" if whole else "merged lines")
    assert result.exact
    assert result.exploitability.chips == pytest.approx(expected.chips, abs=1e-9 * tree.initial_pot)
    # Counted from the strategy's own value, gains are what each seat's responder wins more.
    assert sum(result.by_seat_chips) == pytest.approx(sum(expected.by_player), abs=1e-9 * tree.initial_pot)
    assert result.by_seat_mbb == tuple(1000 * c / tree.subject.big_blind for c in result.by_seat_chips)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("make", [by_rank, lambda game: by_strength(game, 5)], ids=["by rank", "by strength"])
def test_buckets_on_the_whole_tree(trees, name, make) -> None:
    tree, kernel = trees[name]
    strategy = make(tree.subject)
    profile = StrategyProfile(tree, kernel, on_tree(tree, strategy))
    expected = profile.certificate(Units.of(tree.subject, tree.initial_pot))[0]
    result = best_response(tree.subject, strategy, processes=1)
    assert result.exploitability.chips == pytest.approx(expected.chips, abs=1e-9 * tree.initial_pot)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["by-strength", "call=0.5,raise=0.5"])
def test_two_rounds_of_holdem_on_the_whole_tree(strategy) -> None:
    """All 1,755 flops, a few seconds each."""
    game = errai.load_game("holdem-2-1")
    tree = build_public_tree(game)
    read = read_strategy(strategy, game)
    units = Units.of(game, tree.initial_pot)
    expected = StrategyProfile(tree, make_kernel("cpu", tree.arrays), on_tree(tree, read)).certificate(units)[0]
    result = best_response(game, read)
    assert result.exploitability.chips == pytest.approx(expected.chips, abs=1e-9 * tree.initial_pot)


@pytest.mark.parametrize(("name", "menu"), [("leduc", None), ("rhode-island", None), ("leduc.nolimit", "50%, a")])
@pytest.mark.parametrize("precision", ["float32", "fixed16"])
def test_solutions_have_the_exploitability_of_their_certificate(name, menu, precision) -> None:
    game = errai.load_game(name)
    solution = errai.solve(game, menu=menu, max_iterations=30, threads=1, precision=precision)
    result = best_response(game, solution, processes=1)
    assert result.exploitability.chips == pytest.approx(
        solution.exploitability.chips, abs=1e-9 * solution.initial_pot_chips
    )
    value = solution.values.chips[0]
    gains = result.by_seat_chips[0] - value, result.by_seat_chips[1] + value
    assert gains == pytest.approx(solution.exploitability.by_player, abs=1e-9 * solution.initial_pot_chips)


def test_a_solution_of_other_rules_is_refused() -> None:
    solution = errai.solve(errai.load_game("leduc"), max_iterations=2, threads=1)
    with pytest.raises(StrategyError, match="other rules"):
        best_response(errai.load_game("kuhn"), solution)
    nolimit = errai.solve(errai.load_game("leduc.nolimit"), menu="a", max_iterations=2, threads=1)
    with pytest.raises(StrategyError, match="other bet sizes"):
        best_response(errai.load_game("leduc.nolimit"), nolimit, menu="50%, a")


@pytest.mark.parametrize("strategy", [ALWAYS["always-call"], Mixture(0.2, 0.3, 0.5)], ids=lambda s: s.description)
def test_the_short_cut_on_boards_of_four_streets(strategy) -> None:
    game = errai.load_game("royal.limit")
    short, general_ = ResponseTask(game, strategy), ResponseTask(game, strategy, general=True)
    for unit in (0, 11):
        for merged, every in zip(short.values(unit), general_.values(unit), strict=True):
            assert np.abs(merged).max() > 0
            assert np.abs(merged - every).max() <= 1e-9 * np.abs(every).max()


def test_pieces_and_calls_do_not_change_what_comes_out(monkeypatch) -> None:
    game = errai.load_game("rhode-island")
    strategy = by_strength(game, 4)
    expected = ResponseTask(game, strategy).values(3)
    monkeypatch.setattr(pieces, "NODES_OF_A_PIECE", 40)
    monkeypatch.setattr(general, "ENTRIES_IN_MEMORY", 5_000)
    for whole, cut in zip(expected, ResponseTask(game, strategy).values(3), strict=True):
        assert np.allclose(whole, cut, rtol=0, atol=1e-12 * np.abs(whole).max())


def test_answers_in_float64(trees) -> None:
    tree, _ = trees["leduc"]

    class Wide:
        description = "wide"

        def rows(self, decisions, deals):
            weights = np.abs(np.sin(1.0 + deals.hand)) * np.ones((sum(len(d.actions) for d in decisions), 1))
            counts = [len(d.actions) for d in decisions]
            share = np.concatenate([np.arange(1, n + 1) / (n * (n + 1) / 2) for n in counts])[:, None]
            uniform = np.repeat(1.0 / np.array(counts), counts)[:, None]
            return weights * share + (1 - weights) * uniform

    # Suits must not matter on a tree that merges them, so they are kept apart here.
    apart = build_public_tree(tree.subject, isomorphism=False)
    profile = StrategyProfile(apart, make_kernel("cpu", apart.arrays), on_tree(apart, ByRank(Wide())))
    expected = profile.certificate(Units.of(tree.subject, 1))[0]
    result = best_response(tree.subject, ByRank(Wide()), processes=1)
    assert result.exploitability.chips == pytest.approx(expected.chips, abs=1e-9 * tree.initial_pot)


class ByRank:
    """Another strategy, queried by the rank of a hand instead of the hand."""

    def __init__(self, inner) -> None:
        self.inner = inner
        self.description = f"{inner.description} by rank"

    def rows(self, decisions, deals):
        return self.inner.rows(decisions, replace(deals, hand=deals.cards[:, 0] // 2))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda rows, hands: np.zeros((rows + 1, hands)), "shape"),
        (lambda rows, hands: np.zeros((rows, 2)), "shape"),
        (lambda rows, hands: np.zeros(rows), "shape"),
        (lambda rows, hands: np.full((rows, hands), -0.5), "returned -0.5 as the probability to"),
        (lambda rows, hands: np.full((rows, hands), np.nan), "returned nan as the probability to"),
        (lambda rows, hands: np.full((rows, hands), 0.4), "sum to 0.8, not to 1"),
    ],
)
def test_answers_that_are_none(answer, message) -> None:
    class Wrong:
        description = "wrong"

        def rows(self, decisions, deals):
            return answer(sum(len(d.actions) for d in decisions), len(deals.hand))

    with pytest.raises(StrategyError, match=message):
        best_response(errai.load_game("leduc"), Wrong())


def test_what_cannot_be_responded_in() -> None:
    spot = parse_spot(
        'board = "Qs Jh 2c 8d 3s"\npot = 100\nstack = 300\n[ranges]\noop = "AA"\nip = "KK"\n'
        '[bets]\nbet = "a"\nraise = ""\n'
    )
    with pytest.raises(InputError, match="not for spots"):
        best_response(spot, "always-call")
    with pytest.raises(SolverOptionError, match="deals no board"):
        best_response(errai.load_game("kuhn"), "always-call", flops=10)
    with pytest.raises(SolverOptionError, match="at least 4"):
        best_response(errai.load_game("leduc"), "always-call", flops=3)


# --- the pieces of the short cut --------------------------------------------------------------------------------


def test_how_far_lines_merge() -> None:
    task = ResponseTask(errai.load_game("holdem.limit.2p"), Mixture(0, 0.5, 0.5))
    merged = task._merged.merged
    assert [s.lines.num_entries for s in merged[0].streets] == [4, 8, 16]
    call = ResponseTask(errai.load_game("holdem.limit.2p"), ALWAYS["always-call"])
    assert [s.lines.num_entries for s in call._merged.merged[0].streets] == [2, 3, 5]


@pytest.mark.parametrize("name", ["rhode-island", "royal.limit"])
def test_the_memory_that_is_stated_is_for_the_largest_unit(name) -> None:
    game = errai.load_game(name)
    apart, alike = (ResponseTask(game, Uniform(), suits_alike=merged) for merged in (False, True))
    stated = (apart.memory_bytes - PROCESS_BYTES) // CLASS_BYTES
    # With suits apart every unit has as many hands on as many boards; suits only ever merge some.
    assert [sum(boards.size(0) for boards in apart.units.below(unit)) for unit in (0, 7)] == [stated, stated]
    assert max(sum(boards.size(0) for boards in alike.units.below(unit)) for unit in range(8)) <= stated
    assert alike.memory_bytes == apart.memory_bytes


def test_full_holdem_is_said_to_take_a_third_of_a_gibibyte() -> None:
    assert ResponseTask(errai.load_game("holdem.limit.2p"), Uniform()).memory_bytes == pytest.approx(
        320 * 2**20, rel=0.05
    )
