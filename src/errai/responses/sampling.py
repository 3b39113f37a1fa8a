"""Estimate the sum over all boards of the second street from boards drawn at random.

Boards are drawn with replacement, each with the probability of the real boards that it represents.  What a draw adds to
the trunk's leaves, divided by that probability, is an unbiased estimate of what all boards add.  Because the responder
also chooses on the first street from such estimates, care is needed; see :class:`Sample`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from errai.cards.pair_table import pair_table
from errai.games.betting import ActionKind
from errai.responses.general import GeneralWalk
from errai.responses.pieces import Piece
from errai.responses.work import Pair, ResponseTask
from errai.strategies.blind import ALWAYS
from errai.tree.betting_tree import NodeKind
from errai.tree.street_lines import street_lines

FEWEST_DRAWS = 4
"""Each half of a sample needs two draws."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Sample:
    """Two estimates of what best responses win, and a confidence interval, in chips per hand.

    ``crossed`` chooses the responder's actions on the first street from one half of the draws and evaluates them on the
    other half, and the other way round.  It is unbiased for what these choices win, so on average it is at most the
    value of the best response.  ``plugged_in`` chooses and evaluates on all draws, so on average it is at least that
    value.
    """

    crossed: tuple[float, float]
    """By seat of the responder."""
    plugged_in: tuple[float, float]
    interval: tuple[float, float]
    """From below ``crossed`` to above ``plugged_in``; it covers the mean of both seats in about 95 % of samples."""


def draw_units(multiplicity: NDArray[np.int64], count: int, seed: int) -> list[int]:
    """Draw ``count`` units with replacement, each with the probability of the real boards it represents."""
    shares = multiplicity / multiplicity.sum()
    return list(map(int, np.random.default_rng(seed).choice(len(shares), size=count, p=shares)))


def estimate(
    task: ResponseTask,
    draws: Sequence[int],
    values: Mapping[int, Pair],
    controls: Callable[[int], Pair] | None = None,
    expected: Pair | None = None,
) -> Sample:
    """Compute both estimates and the interval from at least ``FEWEST_DRAWS`` draws; ``values`` are what units add.

    ``controls`` gives for a unit what it would add to a control variate, and ``expected`` the sum of that over all
    units: the luck of the draws, as far as the control variate shows it, is removed.  Each half of the draws estimates
    from the other half how much of the control to remove.
    """
    assert task.units is not None
    trunk, scale = task.trunk, task.units.multiplicity.sum() / task.units.multiplicity
    crossed, plugged_in = np.zeros((2, len(draws))), np.zeros((2, len(draws)))
    known = {} if controls is None else {unit: controls(unit) for unit in dict.fromkeys(draws)}
    chips: list[float] = []
    for p in (0, 1):
        drawn = np.stack([values[unit][p] * scale[unit] for unit in draws])
        luck = np.zeros_like(drawn)
        if known and expected is not None:
            luck = np.stack([known[unit][p] * scale[unit] for unit in draws]) - expected[p]
        every = drawn - share(drawn, luck)[:, None] * luck
        value, choices = trunk.respond(p, every.mean(axis=0))
        chips.append(value)
        for half in (0, 1):
            own, other = slice(half, None, 2), slice(1 - half, None, 2)
            # For the half that is evaluated, only coefficients estimated on the other half may be used.
            taken = share(drawn[other], luck[other])[:, None]
            chosen = trunk.respond(p, (drawn[other] - taken * luck[other]).mean(axis=0))[1]
            crossed[p, own] = [trunk.respond(p, one, chosen)[0] for one in drawn[own] - taken * luck[own]]
        plugged_in[p] = [trunk.respond(p, one, choices)[0] for one in every]
    low, high = crossed.mean(axis=0), plugged_in.mean(axis=0)
    return Sample(
        (float(crossed[0].mean()), float(crossed[1].mean())),
        (chips[0], chips[1]),
        (float(low.mean()) - _margin(low), (chips[0] + chips[1]) / 2.0 + _margin(high)),
    )


def share(values: NDArray[np.float64], controls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64[leaves]: the best coefficient of a control for each leaf, the slope of the values on the controls.

    ``values`` and ``controls`` are float64[draws, leaves, S].
    """
    apart = [array - array.mean(axis=0) for array in (values, controls)]
    both = (apart[0] * apart[1]).sum(axis=(0, 2))
    own = (apart[1] ** 2).sum(axis=(0, 2))
    return np.asarray(np.where(own > 0, both / np.where(own > 0, own, 1.0), 0.0))


def _margin(numbers: NDArray[np.float64]) -> float:
    """Return half the width of the confidence interval of a mean, by Student's t."""
    from scipy.stats import t

    spread = float(numbers.std(ddof=1)) / sqrt(len(numbers))
    return float(t.ppf((1.0 + CONFIDENCE) / 2.0, len(numbers) - 1)) * spread


class CheckDown:
    """Values of the trunk's leaves for a responder if no more bets are made, which serve as a control variate.

    What a responder wins below a board of the second street differs between boards mostly because of how well the hands
    fit the board.  These values show that effect, and are computed quickly for one board, and for all boards together
    from the table of all pairs of hands.
    """

    def __init__(self, task: ResponseTask) -> None:
        self.task = task
        self._piece = self._checked(task.trunk.lines.next_entries.tolist())

    def unit(self, unit: int) -> Pair:
        """Return what a unit adds to the leaves, like :meth:`errai.responses.work.ResponseTask.values`."""
        assert self.task.units is not None
        return self.task.collected(self.task.units.below(unit), self._walks)

    @cached_property
    def total(self) -> Pair:
        """Return what all units together add to the leaves."""
        trunk, game = self.task.trunk, self.task.game
        board = game.board_cards_in(game.num_rounds - 1)
        cards = trunk.tree.root.hands
        every = np.arange(len(cards))
        table = pair_table(game.deck, game.num_hole_cards, board, game.ranking)
        margins = table.margins(every, every) / table.boards
        margins[(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))] = 0.0
        last = self._piece
        while last.below:
            last = last.below[0][1]
        # The showdowns stand in the order of the trunk's leaves.
        stakes = last.lines.stakes
        found = []
        for p in (0, 1):
            theirs = trunk.tree.deal.streets[0].hands[1 - p]
            reach = np.zeros((trunk.lines.num_leaves, len(cards)))
            reach[:, theirs.member] = np.repeat(trunk.leaf_reach[1 - p], np.diff(theirs.member_start), axis=1)
            found.append(stakes[:, None] * (reach @ margins[trunk.boards.hand[p]].T))
        return found[0], found[1]

    @cached_property
    def _walks(self) -> list[GeneralWalk]:
        # There is no decision left, so any strategy will do.
        return [GeneralWalk(ALWAYS["always-call"], p, self._piece, self.task.game.deck.num_cards) for p in (0, 1)]

    def _checked(self, entries: list[int]) -> Piece:
        """Return the ends of a street that are reached from some entries by checks, and the pieces that follow."""
        betting = self.task.plan.betting
        ends = []
        for node in entries:
            while betting.kind[node] == NodeKind.DECISION:
                node = next(c for c in betting.children(node) if betting.action_kind[c] == ActionKind.CALL)
            ends.append(node)
        lines = street_lines(betting, ends, cut=True)
        below = ((slice(0, len(ends)), self._checked(lines.next_entries.tolist())),) if lines.num_leaves else ()
        return Piece(lines, ((), ()), below)
