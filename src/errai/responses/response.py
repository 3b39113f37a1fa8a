"""The best response to a strategy in a whole game, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np

from errai.engine.request import check_subject, checked
from errai.engine.status import Outcome
from errai.engine.units import Measurement, Units
from errai.errors import InputError, SolverOptionError
from errai.games.game import Game
from errai.options import ResponseOptions, takes
from errai.own_code import whole_number
from errai.responses.sampling import FEWEST_DRAWS, CheckDown, draw_units, estimate
from errai.responses.suits import merges_suits
from errai.responses.work import ResponseProgress, ResponseTask, Results, work
from errai.running.stopping import StopToken
from errai.solutions.subjects import menu_of
from errai.strategies.given import Given, given_strategy


@dataclass(frozen=True)
class BestResponse:
    """What best responses win from a strategy.

    A responder in seat p plays against the strategy in the other seat.  The strategy's own value cancels in the mean of
    both seats, so that this mean is its exploitability.
    """

    game: str
    strategy: str
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
        strategy=task.strategy.description,
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
