"""Selective sampling: the values of calling and raising, from playing out the rest of the hand many times.

Billings, Peña, Schaeffer & Szafron, "Using probabilistic knowledge and simulation to play poker" (AAAI 1999); Billings
et al. (2002), section 5.5.  In each trial the opponent's hand is drawn by the weights of the model, and the cards to
come are drawn.  The trial is played out twice, once after a call and once after a raise.  Both players draw their later
actions from probability triples: the player from the betting formula, the opponent from the model.  Both play-outs
share their cards and random numbers, which reduces the variance of their difference.

Trials share boards: from the cards on the table a few turns are drawn and from each of these a few rivers
(``BRANCHES``), so that the potential of every hand on each turn is known from the rivers that were drawn there.  Boards
that the opponent's likely hands block get less weight, so that each pair of a hand and a board keeps its probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import strength_now
from errai.agents.literature.poki.betting import BetLines, triples
from errai.agents.literature.poki.evaluation import Board, Evaluation, mean_gain, sharing
from errai.agents.literature.poki.opponent import OpponentModel, places
from errai.cards.strength import strengths_on_boards
from errai.tree.betting_tree import NodeKind

BRANCHES: dict[int, tuple[int, ...]] = {0: (), 1: (48,), 2: (14, 10), 3: (8, 4, 4)}
"""By the number of later rounds: how many boards of each are drawn from every board of the round before."""

CALL, RAISE = 1, 2

_TRIALS_AT_ONCE = 1_000


@dataclass(frozen=True, eq=False)
class DecisionPoint:
    """What the player knows at the decision."""

    deals: DealIndexer
    lines: BetLines
    node: int
    board: Board | None
    """None before the flop."""
    hand: int
    evaluation: Evaluation | None
    """Evaluation of the hand on the board; None before the flop."""
    income: NDArray[np.float64]
    """float64[2, 1326]: income rates by seat."""


@dataclass(frozen=True, eq=False)
class _Level:
    """Boards of one later round; B boards, H hands, C boards of the next round from each."""

    boards: NDArray[np.int16]
    """int16[B, m]"""
    strengths: NDArray[np.int32]
    """int32[B, H], -1 where a hand is blocked."""
    parent: NDArray[np.intp]
    """intp[B]: the board of the level before."""


def simulate(point: DecisionPoint, model: OpponentModel, trials: int, rng: np.random.Generator) -> dict[int, float]:
    """Return the chips that a call, and a raise if it is legal, win over the whole hand on average.

    They come by action: 1 call, 2 raise.  The rest of the hand is played ``trials`` times for each.
    """
    lines, start, mine = point.lines, point.node, point.hand
    player, street = int(lines.tree.actor[start]), int(lines.tree.street[start])
    levels = _draw_levels(point, rng)
    if levels:
        final = levels[-1].strengths
    else:
        assert point.board is not None
        final = point.board.now[None]
    which = rng.permutation(trials) % len(final)
    hands, importance = _draw_hands(final, model.weights, which, rng)
    better = np.sign(final[which, mine] - final[which, hands])
    known, place = _values(point, model, levels, which, hands)
    last_to_act = point.deals.game.first_player[-1] != player
    starts = [action for action in (CALL, RAISE) if lines.child[start, action] >= 0]
    nodes = np.repeat(lines.child[start, starts], trials)
    trial = np.tile(np.arange(trials), len(starts))
    while True:
        acting = np.flatnonzero(lines.tree.kind[nodes] == NodeKind.DECISION)
        if not len(acting):
            break
        drawn = rng.random(trials)[trial[acting]]
        here, whose = nodes[acting], trial[acting]
        level = lines.tree.street[here] - street
        chances = np.empty((len(acting), 3))
        own = lines.tree.actor[here] == player
        a, b = np.flatnonzero(own), np.flatnonzero(~own)
        if len(a):
            here_known = Evaluation(*(part[level[a], whose[a]] for part in known))
            income = np.full(len(a), point.income[player, mine])
            chances[a] = triples(lines, here[a], here_known, income, last_to_act=last_to_act)
        if len(b):
            chances[b] = model.triples(place[level[b], whose[b]], here[b])
        action = (drawn >= chances[:, 0]).astype(np.intp) + (drawn >= chances[:, 0] + chances[:, 1])
        # Rounding must not turn a number just below 1 into an action with probability 0.
        action = np.where(chances[np.arange(len(action)), action] > 0.0, action, CALL)
        nodes[acting] = lines.child[here, action]
    won = lines.net_chips(nodes, player, better[trial]) * importance[trial]
    mean = won.reshape(len(starts), trials).sum(axis=1) / importance.sum()
    return dict(zip(starts, mean.tolist(), strict=True))


def _draw_levels(point: DecisionPoint, rng: np.random.Generator) -> list[_Level]:
    """Draw the boards of the later rounds."""
    deals = point.deals
    known = point.board.cards if point.board is not None else ()
    boards = np.array([known], dtype=np.int16).reshape(1, len(known))
    first = deals.board_cards.index(len(known)) + 1
    held = deals.hands[point.hand]
    found = []
    for round, branches in zip(range(first, deals.num_rounds), BRANCHES[deals.num_rounds - first], strict=True):
        new = deals.board_cards[round] - boards.shape[1]
        free = np.ones((len(boards), deals.deck.num_cards), dtype=np.bool_)
        free[:, held] = False
        np.put_along_axis(free, boards.astype(np.intp), False, axis=1)
        left = int(free[0].sum())
        count = min(branches, left // new)
        # The cards with the smallest random numbers are dealt; different boards get different cards.
        order = np.where(free, rng.random(free.shape), 2.0).argsort(axis=1)[:, : count * new]
        parent = np.repeat(np.arange(len(boards)), count)
        boards = np.concatenate([boards[parent], order.reshape(-1, new).astype(np.int16)], axis=1)
        found.append(_Level(boards, strengths_on_boards(boards, deals.hands, deals.deck), parent))
    return found


def _draw_hands(
    final: NDArray[np.int32], weights: NDArray[np.float64], which: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Draw a hand of the opponent for each trial, given its final board, and return the weight of the trial too."""
    summed = np.cumsum(np.where(final >= 0, weights, 0.0), axis=1)
    total = summed[:, -1].copy()
    summed /= np.maximum(total, 1e-300)[:, None]
    # One list for all boards: the shares of board b lie between b and b + 1.
    summed += np.arange(len(final))[:, None]
    aim = which + np.minimum(rng.random(len(which)), 1.0 - 1e-12)
    hands = np.searchsorted(summed.ravel(), aim, "right") - which * weights.size
    return np.clip(hands, 0, weights.size - 1), total[which]


def _values(
    point: DecisionPoint,
    model: OpponentModel,
    levels: list[_Level],
    which: NDArray[np.intp],
    hands: NDArray[np.intp],
) -> tuple[Evaluation, NDArray[np.float64]]:
    """Return the evaluation of the player's hand, and the rank of the opponent's hand, on each level of each trial.

    Each number of the evaluation is float64[1 + levels, trials], and so are the ranks.
    """
    trials = len(which)
    strength, positive, negative = (np.zeros((1 + len(levels), trials)) for _ in range(3))
    place = np.empty((1 + len(levels), trials))
    opponent = 1 - int(point.lines.tree.actor[point.node])
    now = point.board.values if point.board is not None else point.income[opponent]
    place[0] = places(now, model.weights)[hands]
    if point.evaluation is not None:
        for part, number in zip((strength, positive, negative), point.evaluation, strict=True):
            part[0] = number
    possible = np.where(sharing(point.deals, point.hand), 0.0, model.weights)
    after: tuple[NDArray[Any], NDArray[Any]] | None = None
    at = which
    boards_of: list[NDArray[np.intp]] = []
    for level in reversed(levels):
        boards_of.append(at)
        at = level.parent[at]
    # Go from the last level to the first, because the boards after a board determine the potential of its hands.
    for i, (level, board) in enumerate(zip(reversed(levels), boards_of, strict=True)):
        row = len(levels) - i
        weights = np.where(level.strengths >= 0, possible, 0.0)
        mine, total = level.strengths[:, point.hand, None], weights.sum(axis=1)
        ahead = (weights * (level.strengths < mine)).sum(axis=1)
        ahead += 0.5 * (weights * (level.strengths == mine)).sum(axis=1)
        own = np.where(total > 0.0, ahead / np.maximum(total, 1e-300), 0.5)
        strength[row] = own[board]
        is_final = after is None
        # If the first level is the final board, only the order of the hands is needed.
        ranked: NDArray[Any] = level.strengths
        uniform = None if is_final and row == 1 else strength_now(point.deals, level.boards)
        if after is not None:
            below_uniform, below_own = after
            change = below_own.reshape(len(own), -1) - own[:, None]
            gain, loss = np.maximum(change, 0.0).mean(axis=1), np.maximum(-change, 0.0).mean(axis=1)
            positive[row] = (gain / np.maximum(1.0 - own, 1e-9))[board]
            negative[row] = (loss / np.maximum(own, 1e-9))[board]
            assert uniform is not None
            ranked = uniform + np.nan_to_num(mean_gain(uniform, below_uniform.reshape(len(own), -1, uniform.shape[1])))
        place[row] = _places(ranked, weights, board, hands)
        after = None if uniform is None else (uniform, own)
    return Evaluation(strength, positive, negative), place


def _places(
    values: NDArray[Any], weights: NDArray[np.float64], board: NDArray[np.intp], hands: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return float64[trials]: the rank of each trial's hand on its board, as :func:`places` does for all hands."""
    # Float32 halves memory and time; strengths are whole numbers that 32 bits hold exactly.
    values, weights = values.astype(np.float32), weights.astype(np.float32)
    found = np.empty(len(hands))
    for first in range(0, len(hands), _TRIALS_AT_ONCE):
        part = slice(first, first + _TRIALS_AT_ONCE)
        rows, of = values[board[part]], weights[board[part]]
        held = np.take_along_axis(rows, hands[part, None], axis=1)
        share, with_ties = np.empty_like(rows), np.empty_like(rows)
        with np.errstate(invalid="ignore"):
            np.less(rows, held, out=share)
            np.less_equal(rows, held, out=with_ties)
        share += with_ties
        weighted = np.einsum("ij,ij->i", share, of, dtype=np.float32).astype(np.float64)
        found[part] = np.minimum(weighted / (2.0 * np.maximum(of.sum(axis=1), 1e-30)), 1.0)
    return found
