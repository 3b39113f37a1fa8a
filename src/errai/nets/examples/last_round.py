"""Exact values of positions of a small game's last round, hundreds at a time.

The last round of a small game has a handful of lines and hands, so building the tree of one position takes longer than
solving it.  Positions with the same chips in the pot have the same betting tree, so they are stacked into one
(:mod:`errai.kernels.batch`), and every call into the kernel is an iteration of all of them.

Boards and ranges are those of :mod:`errai.nets.examples.situations`; hands that are the same up to a renaming of suits
get the mean of their weights, because a player has no reason to play them differently.  Two thirds of the pots are
those to which the game's own bets of the pot and all-in lead; the others hold any number of chips, because an opponent
may bet any amount.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights
from errai.engine.schedules import DEFAULT, find_schedule
from errai.errors import InputError, StoppedError, UnsupportedGameError
from errai.games.game import Game
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.lookahead import lookahead
from errai.games.sizing import BetMenu
from errai.kernels.backends import make_kernel
from errai.kernels.batch import stack
from errai.kernels.layout import BEST, FIXED, LEAF
from errai.kernels.protocol import State
from errai.nets.examples.dataset import Examples, joined
from errai.nets.examples.situations import Stratum, situations
from errai.nets.positions import Floats, Positions
from errai.running.stopping import StopToken, stops
from errai.strategies.strategy import live_hands
from errai.tree.betting_tree import DEFAULT_SIZES
from errai.tree.public_tree import PublicTree, plan_public_tree

TOGETHER = 400
"""Number of positions with the same pot."""

ITERATIONS = 500
"""Iterations of their solve: half of no-limit Leduc's positions with 5.5 pots to bet then have an exploitability below
0.01 % of the pot, and all below 0.3 %."""

OWN_POTS = 2.0 / 3.0
"""Share of the positions whose pots result from the game's own betting."""


def last_round_examples(
    game: Game,
    positions: int,
    seed: int,
    *,
    menu: str = DEFAULT_SIZES,
    iterations: int = ITERATIONS,
    threads: int = 1,
    stop: StopToken | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Examples:
    """Draw positions at the beginning of a game's last round, and solve them to the end.

    A thousand positions of no-limit Leduc take half a second of one processor.  The same arguments give the same
    examples.

    The menu has bets and raises as :func:`errai.solve` takes them, and ``progress`` is called with the number of
    positions solved so far and in all.  Raises :class:`InputError` if there is no position to solve,
    :class:`UnsupportedGameError` for limit games and games without a round before their last, and
    :class:`StoppedError` if ``stop`` was set.
    """
    if min(positions, iterations) < 1:
        raise InputError(f"positions and iterations must be at least 1, not {positions} and {iterations}.")
    if game.limit or game.num_rounds < 2:
        raise UnsupportedGameError(
            f"Positions are made of no-limit games with two rounds or more; {game.name} is none."
        )
    bets = BetMenu.parse(game.num_rounds, menu)
    own = pots(game, bets)
    least, most = max(game.blinds), min(game.stacks)
    found: list[Examples] = []
    for first in range(0, positions, TOGETHER):
        if stops(stop):
            raise StoppedError(f"Stopped with {first:,} of {positions:,} positions solved.")
        draw = np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=(first, 1))))
        put_in = int(draw.choice(own)) if draw.random() < OWN_POTS else int(draw.integers(2 * least, most))
        left = (most - put_in) / (2.0 * put_in)
        indices = range(first, min(first + TOGETHER, positions))
        drawn = situations(game, game.num_rounds - 1, seed, indices, (Stratum("", left, left, 1.0),))
        found.append(_solved(game, put_in, drawn, bets, iterations, threads))
        if progress is not None:
            progress(indices.stop, positions)
    return joined(found)


def pots(game: Game, menu: BetMenu) -> list[int]:
    """Return what each player may have put in when the last round begins, by a menu's bets and without all-ins."""
    whole = plan_public_tree(lookahead(game, depth=game.num_rounds - 2, menu=menu), last_street=game.num_rounds - 2)
    put_in = whole.betting.contributions[whole.betting.kind == LEAF, 0]
    return sorted({int(chips) for chips in put_in if chips < whole.betting.all_in_total})


def _solved(game: Game, put_in: int, drawn: Positions, menu: BetMenu, iterations: int, threads: int) -> Examples:
    """Positions of one pot with their values."""
    boards, which = np.unique(drawn.boards, axis=0, return_inverse=True)
    which = which.reshape(-1)
    trees = [_tree(game, put_in, tuple(board.tolist()), menu) for board in boards]
    batch = stack([trees[board].arrays for board in which])
    seats = game.first_player[-1], 1 - game.first_player[-1]
    members = [[_members(tree, seat) for seat in seats] for tree in trees]
    held = [[_means(members[board][p], drawn.ranges[i, p]) for i, board in enumerate(which)] for p in (0, 1)]
    by_seat = {seat: np.concatenate(held[p]) for p, seat in enumerate(seats)}
    reach = by_seat[0], by_seat[1]
    kernel, schedule = make_kernel("cpu", batch.arrays, threads), find_schedule(DEFAULT)
    state = State.zeros(batch.arrays, np.float64, predictive=schedule.predictive, simultaneous=False)
    ones = np.ones_like(reach[0]), np.ones_like(reach[1])
    for row in schedule.coefficients(1, iterations):
        for seat in (0, 1):
            # A hand's own reach weights only its average strategy; with reach 1, hands without weight have one too.
            entering = (ones[0], reach[1]) if seat == 0 else (reach[0], ones[1])
            kernel.update(state, seat, row[None], weighted=schedule.weighted, reach=entering)
    pot = 2.0 * put_in
    ranges, values = np.zeros((2, *drawn.ranges.shape))
    gains, met = np.zeros((2, len(which)))
    for p, seat in enumerate(seats):
        followed, best = (
            batch.split(kernel.root_values(state.sums, seat, role=role, reach=reach) / pot, seat)
            for role in (FIXED, BEST)
        )
        for i, board in enumerate(which):
            of_classes = members[board][p]
            ranges[i, p] = held[p][i] @ of_classes
            values[i, p] = followed[i] @ of_classes
            gains[i] += (best[i] - followed[i]) @ of_classes @ ranges[i, p]
    for i, board in enumerate(which):
        met[i] = ranges[i, 0] @ fitting_weights(trees[board].root.hands, ranges[i, 1])
    left = (min(game.stacks) - put_in) / pot
    return Examples(
        Positions(drawn.boards, ranges.astype(np.float32), np.full(len(which), left, dtype=np.float32)),
        values.astype(np.float32),
        np.divide(gains, 2.0 * met, out=np.zeros_like(gains), where=met > 0.0).astype(np.float32),
        np.zeros(len(which), dtype=np.int8),
    )


def _tree(game: Game, put_in: int, board: tuple[int, ...], menu: BetMenu) -> PublicTree:
    """Return the rest of the game on a board of the last round, after each player has put in this many chips."""
    state = PublicState.start(game)
    if put_in > max(game.blinds):
        state = state.after(raise_to(put_in))
    while state.betting.round < game.num_rounds - 1 or state.cards_due:
        state = state.dealt(board) if state.cards_due else state.after(CALL)
    live = live_hands(state).astype(np.float64)
    return plan_public_tree(lookahead(game, state, (live, live), None, menu=menu)).build()


def _members(tree: PublicTree, seat: int) -> NDArray[np.float64]:
    """float64[C, H]: 1 for the hands of each class at the root of a tree."""
    hands = tree.deal.streets[0].hands[seat]
    found = np.zeros((int(hands.start[-1]), len(tree.root.hands)))
    found[np.repeat(np.arange(len(found)), np.diff(hands.member_start)), hands.member] = 1.0
    return found


def _means(members: NDArray[np.float64], weights: Floats) -> NDArray[np.float64]:
    """float64[C]: the mean weight of the hands of each class."""
    return np.asarray(members @ weights / members.sum(axis=1))
