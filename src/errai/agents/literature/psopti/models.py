"""The models of PsOpti: three rounds after the flop for each pot or each line, and the round before the flop.

After the flop the models have at most three bets in a round, where the game has four.  Before the flop the game's own
betting is kept, so seven lines lead to a flop, with four different pots.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.psopti.bucket_game import BucketGame, Floats
from errai.agents.literature.psopti.equilibrium import BucketSolution, Tables
from errai.agents.literature.psopti.transitions import Counts, as_probabilities
from errai.errors import UnsupportedGameError
from errai.games.betting import ActionKind
from errai.games.game import Game
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree

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


def flop_game(game: Game, chips: int, counts: Counts, reach: tuple[Floats, Floats] | None = None) -> BucketGame:
    """Return the three-round model.

    Parameters
    ----------
    chips:
        What each player has put in before the flop.
    reach:
        float64[C] per player: the probability with which each class of hands is played into this line; None for hands
        as they are dealt.
    """
    weights = (np.ones(len(counts.start)),) * 2 if reach is None else reach
    start = np.einsum("i,j,ijkl->kl", *weights, counts.start)
    moves = (as_probabilities(counts.moves[0]), as_probabilities(counts.moves[1]))
    return BucketGame(after_flop(game, chips), start / start.sum(), moves, counts.showdown)


def class_pairs(counts: Counts) -> Floats:
    """Return float64[C, C]: the probability of each pair of both players' classes."""
    pairs = counts.start.sum(axis=(2, 3))
    return np.asarray(pairs / pairs.sum())


def class_values(counts: Counts, values: Floats) -> Floats:
    """Return float64[C, C]: values of pairs of classes, from a model's values of pairs of buckets, float64[K, L]."""
    pairs = counts.start.sum(axis=(2, 3))
    worth = np.einsum("ijkl,kl->ij", counts.start, values)
    return np.asarray(np.divide(worth, pairs, out=np.zeros_like(worth), where=pairs > 0))


def preflop_game(game: Game, counts: Counts, leaves: dict[int, Floats]) -> BucketGame:
    """Return the model before the flop: classes of hands, with the values of each line to the flop in chips."""
    pairs = class_pairs(counts)
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


def smallest_reach(reach: tuple[Floats, Floats], least: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Mix a little of every hand into a reach, so that a model has a strategy for lines that are hardly ever played."""
    first, second = ((1.0 - least) * each / max(float(each.max()), 1e-300) + least for each in reach)
    return first, second
