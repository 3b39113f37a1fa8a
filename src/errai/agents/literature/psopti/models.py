"""The models of PsOpti: three rounds after the flop for each pot or each line, and the round before the flop.

After the flop the models have at most three bets in a round, where the game has four.  Before the flop the game's own
betting is kept, so seven lines lead to a flop, with four different pots.

How pairs of buckets change from round to round is counted over boards.  Both players' hands are dealt from one deck and
share the board, so their buckets are dependent; what is counted is pairs of hands without a common card, as a product
of a matrix of such pairs with a one-hot table of hands and labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.agents.literature.psopti.bucket_game import BucketGame, BucketSolution, Floats, Tables
from errai.agents.literature.psopti.buckets import HandBuckets
from errai.cards import _cards
from errai.cards.strength import strengths_on_boards
from errai.errors import UnsupportedGameError
from errai.games.betting import ActionKind
from errai.games.game import Game
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree

Report = Callable[[str, int, int], None]
"""Called with what is counted, how many boards are done, and how many there are."""

RAISES = 3
"""Bets and raises in a round after the flop, one fewer than the game has."""


def require_hold_em(game: Game) -> None:
    """Raise :class:`UnsupportedGameError` unless a game is limit hold'em of four rounds with two hole cards."""
    if not (game.limit and game.num_rounds == 4 and game.num_hole_cards == 2 and game.num_board_cards[0] == 0):
        raise UnsupportedGameError(f"PsOpti plays limit hold'em with four rounds; '{game.name}' is another game.")


def before_flop(game: Game) -> BettingTree:
    """Return the betting before the flop; lines that lead to a flop end in LEAF nodes."""
    return build_betting_tree(game, last_street=0)


def lines_to_flop(tree: BettingTree) -> list[int]:
    """Return the nodes with which the lines to the flop end in the betting before the flop."""
    return np.flatnonzero((tree.street == 0) & np.isin(tree.kind, (NodeKind.LEAF, NodeKind.CHANCE))).tolist()


def after_flop(game: Game, chips: int) -> BettingTree:
    """Return the betting from the flop on, with at most three bets a round; each player has put in ``chips`` before."""
    return build_betting_tree(
        replace(
            game,
            name=f"{game.name} from the flop",
            num_rounds=3,
            blinds=(chips, chips),
            raise_sizes=game.raise_sizes[1:],
            first_player=game.first_player[1:],
            max_raises=tuple(min(RAISES, most) for most in game.max_raises[1:]),
            num_board_cards=game.num_board_cards[1:],
        )
    )


def pair_counts(deals: DealIndexer, label: NDArray[np.integer], count: int) -> Floats:
    """Return float64[count, count]: ordered pairs of hands without a common card, by both labels; -1 is no label."""
    labels = _one_hot(label, count)
    return np.asarray(labels.T @ (_fitting(deals) @ labels))


def margins(deals: DealIndexer, label: NDArray[np.integer], count: int, strength: NDArray[np.int32]) -> Floats:
    """Return :func:`pair_counts` that the first hand wins, minus those that it loses, by the ``strength`` int32[H]."""
    labels = _one_hot(label, count)
    return np.asarray(labels.T @ (_ahead(deals, strength[None]) @ labels))


def _one_hot(label: NDArray[np.integer], count: int) -> Floats:
    return np.asarray((label[:, None] == np.arange(count)).astype(np.float64))


def _ahead(deals: DealIndexer, strengths: NDArray[np.int32]) -> Floats:
    """Return float64[H, H]: the boards on which a hand wins minus those on which it loses, from int32[B, H]."""
    found = np.zeros((deals.num_hands, deals.num_hands), dtype=np.int32)
    _cards.count_ahead(np.ascontiguousarray(strengths), deals.hands, found)
    return found.astype(np.float64)


@lru_cache(maxsize=1)
def _fitting(deals: DealIndexer) -> Floats:
    """Return float64[H, H]: 1 for hands without a common card."""
    held = np.zeros((deals.num_hands, deals.deck.num_cards))
    np.put_along_axis(held, deals.hands.astype(np.intp), 1.0, axis=1)
    return np.asarray((held @ held.T == 0).astype(np.float64))


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts from which the models are made."""

    start: Floats
    """float64[C, C, K, K]: pairs of hand classes before the flop, with the buckets on the flop."""
    moves: tuple[Floats, Floats]
    """Counts, float64[K, K, K', K'], from the flop to the turn, and from the turn to the river."""
    showdown: Floats
    """float64[K, K] on the river: the probability of winning minus that of losing, by both buckets."""


def count_moves(
    buckets: HandBuckets,
    hand_class: NDArray[np.integer],
    *,
    flops: int | None = None,
    turns: int = 4,
    seed: int = 0,
    report: Report | None = None,
) -> Counts:
    """Count pairs of buckets over all flops up to suits, or some of them, and over turns drawn for each with a river.

    ``hand_class``, integers[H], is the class before the flop, 0 to C - 1.
    """
    deals = buckets.deals
    boards, multiplicity = deals.boards(1)
    rng = np.random.default_rng(seed)
    chosen = np.arange(len(boards))
    if flops is not None and flops < len(boards):
        chosen = np.sort(rng.choice(len(boards), size=flops, replace=False))
    classes = int(hand_class.max()) + 1
    flop, turn, river = (cuts.num_buckets for cuts in buckets.cuts)
    start = np.zeros((classes * flop, classes * flop))
    first = np.zeros((flop * turn, flop * turn))
    second = np.zeros((turn * river, turn * river))
    won, met = np.zeros((river, river)), np.zeros((river, river))
    for number, which in enumerate(chosen.tolist()):
        if report is not None:
            report("flops", number, len(chosen))
        weight = float(multiplicity[which])
        board = tuple(boards[which].tolist())
        flop_bucket = buckets.on(board).astype(np.int64)
        start += weight * pair_counts(
            deals, np.where(flop_bucket >= 0, hand_class * flop + flop_bucket, -1), len(start)
        )
        rest = np.setdiff1d(np.arange(deals.deck.num_cards), board)
        for _ in range(turns):
            fourth, fifth = rng.choice(rest, size=2, replace=False).tolist()
            turn_bucket = buckets.on((*board, fourth)).astype(np.int64)
            river_bucket = buckets.on((*board, fourth, fifth)).astype(np.int64)
            first += weight * pair_counts(
                deals, np.where(turn_bucket >= 0, flop_bucket * turn + turn_bucket, -1), len(first)
            )
            second += weight * pair_counts(
                deals, np.where(river_bucket >= 0, turn_bucket * river + river_bucket, -1), len(second)
            )
            final = np.array([[*board, fourth, fifth]], dtype=np.int16)
            strength = strengths_on_boards(final, deals.hands, deals.deck, deals.game.ranking)[0]
            won += weight * margins(deals, river_bucket, river, strength)
            met += weight * pair_counts(deals, river_bucket, river)
    return Counts(
        start.reshape(classes, flop, classes, flop).transpose(0, 2, 1, 3),
        (
            first.reshape(flop, turn, flop, turn).transpose(0, 2, 1, 3),
            second.reshape(turn, river, turn, river).transpose(0, 2, 1, 3),
        ),
        np.divide(won, met, out=np.zeros_like(won), where=met > 0),
    )


def as_probabilities(counts: Floats) -> Floats:
    """Turn counts float64[K, L, K', L'] into probabilities of the next pair; they are uniform for a pair never seen."""
    total = counts.sum(axis=(2, 3), keepdims=True)
    even = 1.0 / (counts.shape[2] * counts.shape[3])
    found = np.where(total > 0, counts / np.where(total > 0, total, 1.0), even)
    return np.asarray(found / found.sum(axis=(2, 3), keepdims=True))


def all_in_margins(
    deals: DealIndexer,
    hand_class: NDArray[np.integer],
    *,
    boards: int,
    seed: int = 0,
    report: Report | None = None,
) -> Floats:
    """Return float64[C, C]: wins minus losses without bets after the flop, as a share of the drawn boards."""
    rng = np.random.default_rng(seed)
    drawn = np.stack([rng.permutation(deals.deck.num_cards)[: deals.final] for _ in range(boards)]).astype(np.int16)
    if report is not None:
        report("run-outs", boards, boards)
    strengths = strengths_on_boards(drawn, deals.hands, deals.deck, deals.game.ranking)
    live = (strengths >= 0).astype(np.float64)
    labels = _one_hot(hand_class, int(hand_class.max()) + 1)
    won = labels.T @ (_ahead(deals, strengths) @ labels)
    met = labels.T @ ((live.T @ live * _fitting(deals)) @ labels)
    return np.divide(won, met, out=np.zeros_like(won), where=met > 0)


def flop_game(game: Game, chips: int, counts: Counts, reach: tuple[Floats, Floats] | None = None) -> BucketGame:
    """Return the three-round model after each player has put in ``chips`` before the flop.

    ``reach``, float64[C] per player, is the probability with which each class of hands is played into this line; None
    for hands as they are dealt.
    """
    weights = (np.ones(len(counts.start)),) * 2 if reach is None else reach
    start = np.einsum("i,j,ijkl->kl", *weights, counts.start)
    moves = (as_probabilities(counts.moves[0]), as_probabilities(counts.moves[1]))
    return BucketGame(after_flop(game, chips), start / start.sum(), moves, counts.showdown)


def class_values(counts: Counts, values: Floats) -> Floats:
    """Return float64[C, C]: values of pairs of classes, from a model's values of pairs of buckets, float64[K, L]."""
    pairs = counts.start.sum(axis=(2, 3))
    worth = np.einsum("ijkl,kl->ij", counts.start, values)
    return np.asarray(np.divide(worth, pairs, out=np.zeros_like(worth), where=pairs > 0))


def preflop_game(game: Game, counts: Counts, leaves: dict[int, Floats]) -> BucketGame:
    """Return the model before the flop: classes of hands, with the values of each line to the flop in chips."""
    pairs = counts.start.sum(axis=(2, 3))
    pairs /= pairs.sum()
    return BucketGame(before_flop(game), pairs, (), np.zeros_like(pairs), leaves)


def reach_of_lines(solution: BucketSolution) -> dict[int, tuple[Floats, Floats]]:
    """Return for each line to the flop and player float64[C]: how often the player plays each class into it."""
    form = solution.form
    plans = [form.plan(p, solution.tables) for p in (0, 1)]
    return {
        node: (plans[0][form.leading[0][node]], plans[1][form.leading[1][node]])
        for node in lines_to_flop(form.game.betting)
    }


def always_call(tree: BettingTree, classes: int) -> Tables:
    """Return tables of the betting before the flop in which both players only call, as in PsOpti0."""
    tables: Tables = [[np.zeros((tree.num_rows(0, p), classes)) for p in (0, 1)]]
    for p in (0, 1):
        for node in tree.decision_nodes(0, p).tolist():
            kinds = [int(tree.action_kind[child]) for child in tree.children(node)]
            tables[0][p][int(tree.row_start[node]) + kinds.index(ActionKind.CALL)] = 1.0
    return tables


def smallest_reach(reach: tuple[Floats, Floats], least: float) -> tuple[Floats, Floats]:
    """Mix a little of every hand into a reach, so that a model has a strategy for lines that are hardly ever played."""
    first, second = ((1.0 - least) * each / max(float(each.max()), 1e-300) + least for each in reach)
    return first, second
