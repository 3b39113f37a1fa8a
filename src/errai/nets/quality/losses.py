"""Losses of estimated values against the exact values of positions, in DeepStack's unit, and single hands beside them.

The unit is what one player has put in, half of the pot, so that values in pots count twice.  The loss is the Huber loss
with delta 1: half of the square of an error up to 1, and linear with the same slope beyond.  It is the mean over all
hands that the board leaves, with or without weight, and over both players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import strength_now
from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_text
from errai.errors import InputError, StoppedError
from errai.games.game import Game
from errai.nets.examples.situations import STRATA, Stratum, draws_needed, split_in_halves, stratum_of
from errai.nets.examples.targets import solve_position
from errai.nets.networks.matchups import matchups
from errai.nets.positions import Floats, Predictor, said_by, values_on
from errai.running.stopping import StopToken

UNIT = 2.0
"""A value of one pot in DeepStack's unit."""

NO_WEIGHT = 1e-6
"""Hands whose compatible weight in the opponent's range is below this have no value."""


def position_losses(found: Floats, values: Floats, weights: Floats | None = None) -> NDArray[np.float64]:
    """float64[N]: the mean loss of each position's hands, from float32[N, P, L] in pots.

    ``weights``, float32[N, P, L], are those of the hands, summing to 1 for each player; None for equal weights.
    """
    errors = np.abs(UNIT * (found - values))
    each = np.where(errors < 1.0, 0.5 * errors * errors, errors - 0.5)
    if weights is not None:
        each = each * weights * each.shape[-1]
    return np.asarray(each.mean(axis=(1, 2), dtype=np.float64))


@dataclass(frozen=True)
class StratumLoss:
    """The mean loss of the positions of a stratum."""

    name: str
    positions: int
    loss: float


def losses_by_stratum(
    losses: NDArray[np.float64], stacks: NDArray[np.floating], strata: Sequence[Stratum] = STRATA
) -> list[StratumLoss]:
    """Means of the N positions' losses over strata of the stack in pots; strata without positions are left out."""
    numbers = stratum_of(stacks, strata)
    here = [(stratum.name, numbers == number) for number, stratum in enumerate(strata)]
    return [StratumLoss(name, int(of.sum()), float(losses[of].mean())) for name, of in here if of.any()]


@dataclass(frozen=True, eq=False)
class Beside:
    """One position.  Axes: P = 2 players, the first to act first; L hands that the board leaves."""

    board: tuple[int, ...]
    stack: float
    """The stack in pots."""
    hands: NDArray[np.int64]
    """int64[L]: their indices among all hands of the deck."""
    ranges: Floats
    """float32[P, L], each summing to 1."""
    said: Floats
    """float32[P, L]: the network's counterfactual values in pots."""
    exact: Floats
    """float32[P, L]: the values of the solve, in pots."""
    fitting: Floats
    """float32[P, L]: the opponent's weight that shares no card with the hand."""
    error: float
    """Exploitability of the solve in pots."""
    seconds: float
    """Seconds of the solve."""

    @property
    def huber(self) -> float:
        """The network's loss over all hands, in DeepStack's unit."""
        return float(position_losses(self.said[None], self.exact[None])[0])

    @property
    def correlation(self) -> float:
        """Correlation of the network's values with the exact ones, over all hands of both players.

        Means are taken for each player separately, so it compares hands and not seats; NaN where values are constant.
        """
        each = [values - values.mean(axis=1, keepdims=True) for values in (self.said, self.exact)]
        products = [float((a * b).sum()) for a, b in ((each[0], each[1]), (each[0], each[0]), (each[1], each[1]))]
        spread = products[1] * products[2]
        return products[0] / spread**0.5 if spread > 0.0 else float("nan")

    def evs(self, values: Floats) -> Floats:
        """float32[P, L]: EVs of the hands in pots against the opponent's range; NaN where no hand is compatible."""
        fits = self.fitting > NO_WEIGHT
        return np.where(fits, values / np.where(fits, self.fitting, 1.0), np.nan).astype(np.float32)


def ranges_on(game: Game, board: tuple[int, ...], seed: int) -> Floats:
    """float32[P, H]: ranges drawn as :mod:`errai.nets.examples.situations` draws them, on a board that is given.

    Each sums to 1.
    """
    deals = DealIndexer(game)
    strengths = strength_now(deals, np.array([board], dtype=np.int16))[0]
    order = np.argsort(strengths, kind="stable")[: int(np.isfinite(strengths).sum())]
    draws = np.random.default_rng(seed).random((2, 2, draws_needed(len(order))))
    found = np.zeros((2, deals.num_hands), dtype=np.float32)
    found[:, order] = split_in_halves(len(order), draws)
    return found


def beside(
    net: Predictor,
    game: Game,
    board: tuple[int, ...],
    stack: float,
    ranges: Floats,
    *,
    accuracy: float | None = None,
    stop: StopToken | None = None,
) -> Beside:
    """Evaluate a network on a position of no-limit hold'em, and solve the position.

    Parameters
    ----------
    net:
        A network for the round to which the board belongs.
    board:
        Four or five cards: solves of flops take hours.
    stack:
        What each player can still bet, in pots, above 0.
    ranges:
        float[P, H] over all hands of the deck, of any scale; dead hands are not read.
    accuracy, stop:
        As for :func:`errai.nets.examples.targets.solve_position`.

    Raises :class:`InputError` if the board is not one of the network's round, or the ranges have no compatible hands,
    and :class:`StoppedError` if the token was set before the end.
    """
    if game.deck != FULL_DECK or not 4 <= len(board) <= 5:
        raise InputError(
            f"The position must be one of hold'em with four or five board cards, not {len(board)} of {game.name}."
        )
    if len(board) != game.board_cards_in(net.round):
        raise InputError(f"{net.name} is for boards of {game.board_cards_in(net.round)} cards, not {len(board)}.")
    if not stack > 0.0:
        raise InputError(f"The stack must be above 0 pots, not {stack:g}.")
    on = values_on(net, board, game.deck, game.num_hole_cards)
    held = np.asarray(ranges, dtype=np.float64)[:, on.hands]
    sums = held.sum(axis=1, keepdims=True)
    if not (sums > 0.0).all():
        raise InputError("A range holds no hand that is possible on this board.")
    shares = (held / sums).astype(np.float32)

    def place(position: int, player: int, hand: int) -> str:
        return f"for {hand_text(game.deck, int(on.hands[hand]), game.num_hole_cards)} of player {player}"

    target = solve_position(board, stack, ranges, accuracy=accuracy, stop=stop)
    if target is None:
        raise StoppedError("The comparison was stopped before the position was solved; run it again.")
    return Beside(
        board=board,
        stack=stack,
        hands=on.hands,
        ranges=shares,
        said=said_by(on, shares[None], np.array([stack], dtype=np.float32), f"The values of {net.name!r}", place)[0],
        exact=target.values[:, on.hands],
        fitting=matchups(game, board).fitting(shares[::-1]),
        error=target.error,
        seconds=target.seconds,
    )
