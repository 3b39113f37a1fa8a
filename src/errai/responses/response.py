"""The best response to a strategy in a whole game: exact, or estimated from boards drawn at random.

What a drawn board of the second street adds to the trunk's leaves, divided by the probability of drawing it, is an
unbiased estimate of what all boards add.  The responder also chooses on the first street from such estimates, which
takes care; see :class:`Sample`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import sqrt
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import share_a_card
from errai.cards.pair_table import pair_table
from errai.engine.request import check_subject, checked
from errai.engine.status import Outcome
from errai.engine.student import student_quantile
from errai.engine.units import Measurement, Units
from errai.errors import InputError, SolverOptionError
from errai.games.betting import ActionKind
from errai.games.game import Game, Subject
from errai.games.hand import PublicState
from errai.options import ResponseOptions, takes
from errai.own_code import whole_number
from errai.responses.general import GeneralWalk, merges_suits
from errai.responses.pieces import Piece
from errai.responses.strategy import Responses, as_played, responses_to
from errai.responses.work import Pair, ResponseProgress, ResponseTask, Results, work
from errai.running.stopping import StopToken
from errai.solutions.subjects import menu_of
from errai.strategies.blind import ALWAYS
from errai.strategies.given import Given, given_strategy
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.strategy import Choices
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
    spread = float(numbers.std(ddof=1)) / sqrt(len(numbers))
    return student_quantile(len(numbers) - 1, (1.0 + CONFIDENCE) / 2.0) * spread


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
        margins[share_a_card(cards, cards)] = 0.0
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


@dataclass(frozen=True)
class BestResponse:
    """What best responses win from a strategy.

    A responder in seat p plays against the strategy in the other seat.  The strategy's own value cancels in the mean of
    both seats, so that this mean is its exploitability.
    """

    game: str
    against: str
    """A description of the strategy that is responded to."""
    method: Literal["merged lines", "every line"]
    """``merged lines``: the short cut for strategies that ignore their cards; ``every line``: the general path."""
    status: Outcome
    """``done``, or ``interrupted``: then there are no numbers yet."""
    exact: bool
    """Whether every board was used; if not, the numbers are estimates from boards drawn at random."""
    by_seat_chips: tuple[float, float] | None
    """What the responder wins per hand in seat 0 and in seat 1.  Estimates are cross-fitted: they are
    unbiased for the responses that were found, so on average they are at most what best responses win."""
    exploitability: Measurement | None
    """The mean of both seats."""
    plugged_in: Measurement | None
    """Estimates only: responses evaluated on the boards that chose them; on average at least the exploitability."""
    interval: tuple[Measurement, Measurement] | None
    """Estimates only: 95 % confidence, from below the first estimate to above the second."""
    boards_done: int
    boards_total: int
    """Boards of the second street, up to suits: how many are finished, and how many there are in the game or, when
    sampling, among those drawn."""
    draws: int | None
    seconds: float
    suits_alike: bool
    """Whether only one of the boards and hands that differ by suits alone was queried."""
    states: int | None
    """Public states at which the strategy was queried, in either seat: those that it can reach.  None for the short
    cut, which queries lines."""
    make: Callable[[], Responses] | None = field(default=None, repr=False, compare=False)
    """Computes the responses themselves, for :meth:`strategy`."""

    @cached_property
    def responses(self) -> Responses:
        """In each seat the best response; computed when it is first asked for, and held in memory.

        Raises :class:`TreeTooLargeError` if it does not fit there.
        """
        assert self.make is not None
        return self.make()

    @cached_property
    def played(self) -> TreeStrategy:
        """The best responses as a :class:`~errai.strategies.strategy.Strategy`, for agents, mixtures and measuring."""
        return as_played(self.responses)

    def strategy(self, state: PublicState) -> Choices:
        """Return the best response of every hand for the player who acts at a public state.

        It is the one to the strategy in the other seat: of several best actions the first.  So a best response is a
        :class:`~errai.strategies.strategy.Strategy` itself, and whatever takes a strategy takes it.
        """
        return self.played.strategy(state)

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` if the response is one in another game."""
        self.played.require(subject)

    @property
    def by_seat_mbb(self) -> tuple[float, float] | None:
        """What the responder wins per hand in either seat, in thousandths of a big blind."""
        if self.by_seat_chips is None or self.exploitability is None:
            return None
        first, second = (self.exploitability.units.mbb(chips) for chips in self.by_seat_chips)
        return None if first is None or second is None else (first, second)


@takes(ResponseOptions)
def best_response(
    game: Game,
    strategy: Given,
    *,
    suits_alike: bool | None = None,
    stop: StopToken | None = None,
    progress: Callable[[ResponseProgress], Any] | None = None,
    planned: Callable[[int], None] | None = None,
    **options: Unpack[ResponseOptions],
) -> BestResponse:
    """Compute what best responses to a strategy win, in both seats, without holding the strategy in memory.

    The method is the accelerated best response of Johanson, Waugh, Bowling & Zinkevich (2011): a walk over the public
    tree with a vector of all hands.  Boards are taken up to suits, one board of the second street at a time, and the
    strategy is queried on that board.  For strategies that ignore their cards a short cut gives the same numbers in
    minutes.

    Parameters
    ----------
    game:
        The rules.
    strategy:
        The strategy of both seats: whatever :func:`~errai.strategies.given.given_strategy` accepts.
    suits_alike:
        True queries only one of the boards and hands that differ by suits alone, which is right for a strategy that is
        symmetric in the suits.  False queries all of them, which is right for every strategy and takes up to 24 times
        as long with four suits.  By default Errai's own strategies, which are symmetric, are queried once.  Other
        strategies are queried for everything in games of up to 10 million strategy entries; in larger games they are
        queried once, and some queries are repeated with the suits renamed to check the symmetry.
    stop:
        A token that any thread may set.  The work then ends at once; the status is ``interrupted``, there are no
        numbers yet, and the checkpoint has every finished board.
    progress:
        Called after every board.
    planned:
        Called before the work begins with about how many bytes a process needs, without the strategy's own tables.
    {options}

    Raises
    ------
    InputError
        If the subject is no game or an option is out of bounds.  Its subclass :class:`StrategyError` is raised if the
        strategy cannot be used, and :class:`SuitsError` if it turns out not to be symmetric in the suits.
    TreeTooLargeError
        If there are too many betting lines to list.
    ArtefactError
        If a file cannot be used.

    Examples
    --------
    >>> import errai
    >>> found = errai.best_response(errai.load_game("leduc"), "always-call")
    >>> [round(chips, 4) for chips in found.by_seat_chips]
    [1.4667, 1.4667]
    >>> found.exact, round(found.exploitability.mbb, 1)
    (True, 1466.7)
    """
    asked: ResponseOptions = checked(options, ResponseOptions)
    flops, checkpoint = asked["flops"], asked["checkpoint"]
    check_subject(game, "What a strategy is measured in")
    if game.whole_game is None:
        raise InputError(
            "This best response is for whole games, not for spots or lookaheads; errai.exploitability measures any "
            "strategy in these, and `errai verify` recomputes the exploitability of a spot's solution."
        )
    given, menu = given_strategy(strategy, game, asked["menu"])
    merges = merges_suits(given, game, menu_of(game, menu), suits_alike)
    task = ResponseTask(game, given, menu, asked["general"], *merges, stop)
    if flops is not None:
        check_flops(game, flops)
    results = Results(task, None if checkpoint is None else Path(checkpoint))
    units = Units.of(game, task.trunk.tree.initial_pot)
    draws: list[int] | None = None
    wanted: list[int] = []
    complete = True
    if planned is not None:
        planned(task.memory_bytes)
    if task.units is not None:
        if asked["resume"]:
            results.resume()
        if flops is not None:
            draws = draw_units(task.units.multiplicity, flops, asked["seed"])
        wanted = list(range(len(task.units))) if draws is None else list(dict.fromkeys(draws))
        often = asked["checkpoint_seconds"]
        complete = work(results, wanted, processes=asked["processes"], progress=progress, checkpoint_seconds=often)
    by_seat = plugged_in = interval = None
    if complete and draws is not None:
        known = None if task.merges else CheckDown(task)
        controls = () if known is None else (known.unit, known.total)
        sample = estimate(task, draws, results.values, *controls)
        by_seat = sample.crossed
        plugged_in = Measurement(sum(sample.plugged_in) / 2.0, units)
        interval = (Measurement(sample.interval[0], units), Measurement(sample.interval[1], units))
    elif complete:
        found = []
        for p in (0, 1):
            leaf_values = np.zeros((task.trunk.lines.num_leaves, task.trunk.boards.size(p)))
            for unit in wanted:
                leaf_values += results.values[unit][p]
            found.append(task.trunk.respond(p, leaf_values)[0])
        by_seat = found[0], found[1]
    return BestResponse(
        game=game.name,
        against=task.strategy.description,
        make=partial(responses_to, given, game, menu, suits_alike),
        method="merged lines" if task.merges else "every line",
        status=Outcome.DONE if complete else Outcome.INTERRUPTED,
        exact=draws is None,
        by_seat_chips=by_seat,
        exploitability=None if by_seat is None else Measurement(sum(by_seat) / 2.0, units),
        plugged_in=plugged_in,
        interval=interval,
        boards_done=sum(u in results.values for u in wanted),
        boards_total=len(wanted),
        draws=flops,
        seconds=results.elapsed,
        suits_alike=task.suits_alike,
        states=None
        if task.merges
        else sum(map(len, task.trunk.decisions)) + sum(results.states.get(u, 0) for u in wanted),
    )


def check_flops(game: Game, flops: int) -> None:
    """Raise :class:`SolverOptionError` if there are no flops to draw, or too few would be drawn for an interval."""
    flops = whole_number(flops, "The number of flops", 1, error=SolverOptionError)
    if game.num_rounds == 1:
        raise SolverOptionError(f"'{game.name}' deals no board, so there are no flops to draw; leave out --flops.")
    if flops < FEWEST_DRAWS:
        raise SolverOptionError(f"{flops} flops are too few for an interval; draw at least {FEWEST_DRAWS}.")
