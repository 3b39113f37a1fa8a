"""The size of a solve, computed before anything large is allocated."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Unpack, cast

import numpy as np

from errai.data import shipped_file
from errai.engine.request import asked_schedule, check_subject, checked, default_target
from errai.engine.resources import RunPlan, allowed_memory, default_threads, new_state, plan_run
from errai.engine.schedules import Schedule
from errai.engine.status import Status
from errai.engine.units import Target, Units
from errai.errors import InputError, TreeTooLargeError
from errai.games.game import Subject
from errai.games.lookahead import last_street
from errai.games.spot import Spot, parse_spot
from errai.kernels.backends import make_kernel
from errai.options import DEFAULT, EstimateOptions, Precision, takes
from errai.own_code import number_of
from errai.solutions.subjects import menu_of
from errai.tree.betting_tree import MAX_NODES
from errai.tree.public_tree import TreePlan, build_public_tree, plan_public_tree

HEADER_BYTES = 4096
"""About the size of a file without its arrays."""


@dataclass(frozen=True)
class Estimate:
    """What a solve needs."""

    title: str
    nodes: int
    """Betting nodes, without cards."""
    boards: tuple[int, ...]
    """Boards per street, merged as :func:`solve` merges them."""
    information_sets: int
    """Exact number of information sets, as :attr:`errai.Solution.information_sets` counts them."""
    canonical_information_sets: int
    """Those that are left after the solver has merged equivalent ones."""
    entries: int
    """Pairs of information set and action: the numbers that are stored and iterated over."""
    precision: Precision
    """The precision that would be used, also where ``auto`` is asked for."""
    memory_bytes: int
    """Peak memory of the arrays of a solve."""
    disk_bytes: int
    """Size of the solution file."""
    checkpoint_bytes: int
    """Size of one checkpoint."""
    seconds_per_iteration: float
    """Estimated from a speed that was just measured on this machine."""
    iterations: int | None
    """About how many iterations reach the target: those of a small turn spot, a third more, and more still where the
    first decision has many actions; None for a target that the small spot does not reach in ``MOST_ITERATIONS``."""

    @property
    def seconds(self) -> float | None:
        """About how long a solve to the target takes, without building the tree; None if that is not known."""
        return None if self.iterations is None else self.iterations * self.seconds_per_iteration


@dataclass(frozen=True)
class Price:
    """What a player loses who may bet only the sizes of a menu while the opponent may bet all of the finest one.

    In per cent of the pot, over both players of some measured spots, which begin on the turn.  Each number is proved to
    a fifth of a per cent.  The one flop that was measured lies within these numbers, above the mean.
    """

    spots: int
    mean: float
    least: float
    greatest: float


@dataclass(frozen=True)
class Fit:
    """A menu of bet sizes, and what a spot needs with it."""

    bet: str
    """Sizes of bets on every street, as in the table [bets] of a spot."""
    raise_: str
    """Sizes of raises."""
    estimate: Estimate | None
    """None for a betting tree that is too large to be built."""
    fits: bool
    price: Price | None = None
    """What the menu cost where that was measured; None for the finest, which the others are compared with."""


MENUS = (
    ("60%", ""),
    ("60%", "a"),
    ("33%, 75%", "a"),
    ("33%, 75%", "60%, a"),
    ("33%, 75%, 125%", "60%, a"),
    ("25%, 50%, 75%, 125%, a", "50%, a"),
    ("25%, 50%, 75%, 100%, 150%, a", "50%, 100%, a"),
)
"""Menus from coarse to fine, bets and raises, among which :func:`fits` chooses."""

PRICES_FILE = shipped_file("menu-prices.json")
"""What coarse menus cost a player in some spots on the turn; ``benchmarks/menu_prices.py`` measures it."""

MOST_ITERATIONS = 2_000
MEASURED_SECONDS = 0.1
"""How long the speed is measured: on a busy machine eight estimates in a row said 13 to 19 s with this, and 10 to 23 s
with a fifth of it."""

MORE, POWER = 4.0 / 3.0, 0.8
"""By how much more iterations a spot is said to take than the small one: ``MORE * (actions / 2) ** POWER``, where the
first decision has so many actions; the small spot has two.  To .5 % of the pot this says about 60, 80, 100 and 140 for
2, 3, 4 and 6 actions; thirty spots and menus took 18 to 57, 60 to 101, 45 to 121 and 100 to 140."""


@takes(EstimateOptions)
def estimate(subject: Subject, target: str | None = None, **options: Unpack[EstimateOptions]) -> Estimate:
    """Compute the exact size of the tree, and about how much memory, disk and time a solve takes.

    Only the betting tree is built; boards and hands are counted.  The speed is measured on a small turn spot.  The
    parameters are those of :func:`solve`; they matter where the precision depends on them.

    Raises
    ------
    InputError, TreeTooLargeError
        As for :func:`solve`, except that too little memory is not an error.

    Examples
    --------
    >>> import errai
    >>> needs = errai.estimate(errai.load_spot("examples/turn.toml"), "0.3%pot")
    >>> needs.nodes, needs.canonical_information_sets, needs.entries
    (206, 569432, 1356376)
    >>> needs.precision
    'fixed16'
    """
    run = planned_run(subject, target, **options)
    return estimate_of(run, target_share(run, target))


def target_share(run: RunPlan, target: str | None) -> float:
    """Return a target, by default that of :func:`solve`, as a share of the pot."""
    return _goal(run.tree, target).chips / run.tree.betting.initial_pot


def fits(
    spot: Spot,
    target: str | None = None,
    *,
    seconds: float | None = None,
    **options: Unpack[EstimateOptions],
) -> list[Fit]:
    """Estimate a spot with :data:`MENUS` in the place of its own bets, from coarse to fine, and say which fit.

    Parameters
    ----------
    spot:
        A spot; its thresholds and everything but its bets stay.
    target:
        As for :func:`errai.solve`.
    seconds:
        Seconds that it may take to the target.
    options:
        As for :func:`estimate`; ``memory`` are the bytes that a solve may take, by default what is free.

    Raises
    ------
    InputError
        It is no spot, or one of a limit game.
    """
    if not isinstance(spot, Spot) or spot.rules.limit:
        raise InputError("Menus are fitted to spots of no-limit games; whole games are fitted by --menu.")
    if seconds is not None:
        number_of(seconds, "The time in seconds", low=0.0)
    allowed = allowed_memory(options.get("memory"))
    table, found = spot.to_dict(), []
    for (bet, raise_), price in zip(MENUS, (*prices(), None), strict=True):
        other = Spot.from_dict({**table, "bets": {"bet": bet, "raise": raise_}})
        try:
            needs = estimate(other, target, **options)
        except TreeTooLargeError:
            found.append(Fit(bet, raise_, None, fits=False, price=price))
            continue
        has_room = allowed is None or needs.memory_bytes <= allowed
        has_time = seconds is None or (needs.seconds is not None and needs.seconds <= seconds)
        found.append(Fit(bet, raise_, needs, has_room and has_time, price))
    return found


@lru_cache(maxsize=1)
def prices() -> tuple[Price, ...]:
    """Return what each of :data:`MENUS` but the finest cost where it was measured."""
    spots = json.loads(PRICES_FILE.read_text(encoding="utf-8"))["spots"]
    # The middle of the interval in which each number is proved to lie: [spots, menus, players].
    found = np.array([spot["prices"] for spot in spots]).mean(axis=-1)
    return tuple(
        Price(len(spots), float(costs.mean()), float(costs.min()), float(costs.max()))
        for costs in found.transpose(1, 0, 2).reshape(found.shape[1], -1)
    )


def estimate_of(run: RunPlan, target: float | None = None) -> Estimate:
    """Return what a planned run needs; the speed is measured.  ``target`` is a share of the pot."""
    tree = run.tree
    return Estimate(
        title=tree.subject.label,
        nodes=tree.betting.num_nodes,
        boards=tree.deal_size.boards,
        information_sets=tree.information_sets,
        canonical_information_sets=tree.canonical_information_sets,
        entries=tree.entries,
        precision=cast(Precision, run.precision),
        memory_bytes=run.memory_bytes,
        disk_bytes=run.finished_bytes + HEADER_BYTES,
        checkpoint_bytes=run.state_bytes + HEADER_BYTES,
        # A program that estimates while its user types must not take the processor from what runs beside it.
        seconds_per_iteration=tree.entries
        * _seconds_per_entry(run.schedule, run.precision, run.threads, int(time.monotonic() / 60.0)),
        iterations=_iterations(run.schedule, target, len(tree.betting.actions(0))),
    )


def planned_run(
    subject: Subject,
    target: str | None = None,
    *,
    max_nodes: int = MAX_NODES,
    **options: Unpack[EstimateOptions],
) -> RunPlan:
    """Return the plan of a solve, as for :func:`estimate`; a betting tree of more than ``max_nodes`` is too large."""
    check_subject(subject)
    asked: EstimateOptions = cast(Any, checked(options, EstimateOptions))
    tree = plan_public_tree(
        subject,
        menu=menu_of(subject, asked["menu"]),
        last_street=last_street(subject, asked["depth"]),
        max_nodes=max_nodes,
        alike=None,
        run_out=None,
        locks=asked["locks"],
    )
    algorithm = DEFAULT if asked["algorithm"] is None else asked["algorithm"]
    return plan_run(
        tree,
        asked_schedule(algorithm, asked["updates"]),
        asked["precision"],
        target_chips=_goal(tree, target).chips,
        threads=asked["threads"] or default_threads(),
        memory=asked["memory"],
    )


def _goal(tree: TreePlan, target: str | None) -> Target:
    """Return the target of a solve, by default that of :func:`solve`."""
    text = default_target(tree.subject) if target is None else target
    return Target.parse(text, Units.of(tree.subject, tree.betting.initial_pot))


_RATE_SPOT = """
board = "Ks 7h 4d 2c"
pot = 100
stack = 250
[ranges]
oop = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
ip = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
[bets.turn]
bet = "50%"
raise = "100%"
[bets.river]
bet = "50%"
raise = "100%"
"""


def _iterations(schedule: Schedule, share: float | None, actions: int) -> int | None:
    """Return about how many iterations reach an exploitability, a share of the pot, with so many first actions."""
    small = _of_small_spot(schedule, share)
    return None if small is None else round(MORE * (max(actions, 2) / 2.0) ** POWER * small)


@lru_cache(maxsize=32)
def _of_small_spot(schedule: Schedule, share: float | None) -> int | None:
    """Return how many iterations the small spot takes to an exploitability, a share of the pot; None if too many."""
    if share is None or not share > 0.0:
        return None
    from errai.solving.solve import solve

    spot = parse_spot(_RATE_SPOT)
    found = solve(spot, f"{100.0 * share:.12g}%pot", algorithm=schedule, max_iterations=MOST_ITERATIONS, threads=1)
    return found.iterations if found.status == Status.TARGET_MET else None


@lru_cache(maxsize=32)
def _seconds_per_entry(schedule: Schedule, precision: str, threads: int, minute: int) -> float:
    """Measure for a moment, once a minute, how long an iteration takes per strategy entry."""
    tree = build_public_tree(parse_spot(_RATE_SPOT))
    kernel = make_kernel("cpu", tree.arrays, threads)
    state = new_state(tree.arrays, precision, schedule)
    table = schedule.coefficients(1, 10)
    kernel.iterate(state, table, weighted=schedule.weighted)
    started, tables = time.perf_counter(), 0
    while tables == 0 or time.perf_counter() - started < MEASURED_SECONDS:
        kernel.iterate(state, table, weighted=schedule.weighted)
        tables += 1
    return (time.perf_counter() - started) / (10.0 * tables) / tree.entries
