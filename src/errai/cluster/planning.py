"""What solving a game too large for one machine takes: subgames, bytes, time and money.

No board is built.  Counts are exact.  Rates are measured on this machine or given, and assumptions are marked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.cluster.machines import STATE_BYTES_PER_ENTRY, Rate, Workers, measure, rate_of
from errai.cluster.partition import RowsBelow, rows_below
from errai.engine.units import Target, Units
from errai.errors import InputError, SolverOptionError
from errai.games.game import Game
from errai.games.streets import street_title
from errai.solutions.subjects import menu_of
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_root import deal_root, deal_size
from errai.tree.public_tree import TreePlan, plan_public_tree

SLOPE = 2.0
"""Assumption: exploitability falls with this power of the number of iterations.  Discounted variants on spots had 2 to
2.5 (docs/log.md)."""

YEAR = 365.25 * 86_400.0


@dataclass(frozen=True)
class Cut:
    """One way to cut a game.  Sizes count information sets up to suits, and entries: their actions."""

    street: int
    """The street whose boards distinguish subgames."""
    by: str
    """What distinguishes subgames: ``board``; ``line and board``, at the start of the street; or ``line, board and
    line``, at the end of the street before the next card, so that the street's betting belongs to the trunk."""
    factors: tuple[int, ...]
    """The numbers of lines into the street, of its boards and of lines on it, as far as they are distinguished.  Their
    product is the number of subgames.  If lines continue in different numbers of ways, all lines through the street
    are one factor."""
    trunk_information_sets: int
    trunk_entries: int
    below_information_sets: int
    """Information sets of all subgames together."""
    below_entries: int
    largest_information_sets: int
    """Information sets of the largest subgame."""
    largest_entries: int

    @property
    def subgames(self) -> int:
        """Number of subgames."""
        return int(np.prod(self.factors, dtype=object))

    @property
    def average_information_sets(self) -> float:
        """Average information sets of a subgame."""
        return self.below_information_sets / self.subgames

    @property
    def average_entries(self) -> float:
        """Average entries of a subgame."""
        return self.below_entries / self.subgames


def cuts(plan: TreePlan) -> tuple[Cut, ...]:
    """Return every cut of a game after its first street, the coarsest first.

    The largest subgame is exact too: it lies on a board of different ranks and as many suits as possible, which has the
    fewest symmetries and therefore the most hands that differ up to suits.
    """
    betting, found = plan.betting, []
    for street in range(1, betting.num_streets):
        first, lines = _decided(betting, street)
        if not len(first):
            continue
        # Cards of as many ranks and suits as there are, which few symmetries leave in place.
        root, deck = plan.root, plan.root.deck
        ranks, suits, cards = deck.num_ranks, deck.num_suits, sum(root.new_cards[:street])
        board = tuple(sorted((i % ranks) * suits + (i + i // ranks) % suits for i in range(cards)))
        there = deal_root(deck, root.hands.shape[1], root.new_cards[street:], board=board, ranking=root.ranking)
        hands, boards = np.array(deal_size(there).classes, dtype=np.int64), plan.deal_size.boards[street]
        together = RowsBelow(lines.actions.sum(axis=0), lines.decisions.sum(axis=0))
        found.append(_cut(plan, street, street, "board", (boards,), hands, together))
        found.append(_cut(plan, street, street, "line and board", (len(first), boards), hands, lines))
        after, further = _decided(betting, street + 1)
        if len(after):
            node = after
            while not np.isin(node, first).all():
                node = np.where(np.isin(node, first), node, betting.parent[node])
            # Whether every line into the street continues to the next street in equally many ways.
            times = np.unique(node, return_counts=True)[1]
            evenly = len(times) == len(first) and bool((times == times[0]).all())
            split = (len(first), boards, len(after) // len(first)) if evenly else (len(after), boards)
            found.append(_cut(plan, street, street + 1, "line, board and line", split, hands[1:], further))
    return tuple(found)


def _decided(betting: BettingTree, street: int) -> tuple[NDArray[np.int64], RowsBelow]:
    """Return the lines that enter a street and have a decision below: their first nodes, and what is below them."""
    if street == betting.num_streets:
        nothing = np.zeros((0, 0, 2), np.int64)
        return np.zeros(0, np.int64), RowsBelow(nothing, nothing)
    below = rows_below(betting, street)
    decided = below.decisions.any(axis=(1, 2))
    first = np.flatnonzero(decided) + int(betting.street_start[street])
    return first, RowsBelow(below.actions[decided], below.decisions[decided])


def _cut(
    plan: TreePlan,
    street: int,
    first: int,
    by: str,
    factors: tuple[int, ...],
    hands: NDArray[np.int64],
    lines: RowsBelow,
) -> Cut:
    """Compute a cut at the boards of ``street``, whose subgames begin with the betting of street ``first``.

    ``hands``, int64[streets from the first on, 2], are those on and below the board with the fewest symmetries.
    """
    sizes = [0, 0], [0, 0]
    for s, classes in enumerate(plan.deal_size.classes):
        for p in (0, 1):
            sizes[s >= first][0] += len(plan.betting.decision_nodes(s, p)) * classes[p]
            sizes[s >= first][1] += plan.betting.num_rows(s, p) * classes[p]
    largest = [int((counts * hands).sum(axis=(-2, -1)).max()) for counts in (lines.decisions, lines.actions)]
    return Cut(street, by, factors, *sizes[0], *sizes[1], *largest)


@dataclass(frozen=True)
class PublishedRun:
    """A run that was published."""

    title: str
    exploitability_mbb: float
    iterations: int
    seconds_per_iteration: float
    cores: int
    disk_bytes: float
    information_sets: int
    core_years: float
    """The published number."""

    @property
    def seconds(self) -> float:
        """Seconds of all iterations."""
        return self.iterations * self.seconds_per_iteration

    @property
    def bytes_per_information_set(self) -> float:
        """Compressed bytes on disk per information set."""
        return self.disk_bytes / self.information_sets

    @property
    def rate(self) -> float:
        """Information sets per second of one core."""
        return self.information_sets / self.seconds_per_iteration / self.cores


CEPHEUS = PublishedRun(
    title="Cepheus (Bowling et al. 2015)",
    exploitability_mbb=0.986,
    iterations=1_579,
    seconds_per_iteration=61 * 60.0,
    cores=4_776,
    disk_bytes=10.9e12,
    information_sets=13_803_249_787_132,
    core_years=900.0,
)
"""Heads-up limit hold'em, CFR+, 199 machines of 24 cores at work."""

CEPHEUS_BYTES = 0.79
"""Compressed bytes per information set of Cepheus: ``CEPHEUS.bytes_per_information_set``, rounded as it is quoted."""


@dataclass(frozen=True)
class ClusterPlan:
    """The plan of a solve on many machines; all information sets are counted up to suits."""

    title: str
    information_sets: int
    entries: int
    """Pairs of information set and action."""
    cuts: tuple[Cut, ...]
    street_names: tuple[str, ...]
    target: Target
    target_mbb: float | None
    iterations: int
    iterations_note: str
    """Where the number of iterations comes from."""
    workers: Workers
    rate: Rate
    bytes_per_information_set: float
    bytes_note: str
    memory_per_worker: int | None
    price: float | None
    """Price of one worker for an hour."""

    @property
    def state_bytes(self) -> int:
        """Bytes of regrets and averages in 16 bits, if all of them were in memory at once."""
        return STATE_BYTES_PER_ENTRY * self.entries

    @property
    def disk_bytes(self) -> float:
        """Compressed bytes of regrets and averages."""
        return self.bytes_per_information_set * self.information_sets

    @property
    def seconds_per_iteration(self) -> float:
        """Seconds to update both players everywhere, with all workers busy."""
        return self.information_sets / (self.rate.per_second * self.workers.units)

    @property
    def seconds(self) -> float:
        """Seconds of all iterations."""
        return self.iterations * self.seconds_per_iteration

    @property
    def unit_years(self) -> float:
        """Core-years, or GPU-years."""
        return self.seconds * self.workers.units / YEAR

    @property
    def cost(self) -> float | None:
        """Price of the solve; None without a price per hour."""
        return None if self.price is None else self.price * self.workers.count * self.seconds / 3600.0

    @property
    def memory_bytes(self) -> int | None:
        """Memory of all workers together; None if it is not known."""
        return None if self.memory_per_worker is None else self.memory_per_worker * self.workers.count

    @property
    def fits_in_memory(self) -> bool | None:
        """Whether the compressed state fits into all workers' memory; None if that is not known."""
        return None if self.memory_bytes is None else self.disk_bytes <= self.memory_bytes

    def largest_fits(self, cut: Cut) -> bool | None:
        """Return whether a worker's memory holds the largest subgame of a cut; None if that is not known."""
        if self.memory_per_worker is None:
            return None
        return STATE_BYTES_PER_ENTRY * cut.largest_entries <= self.memory_per_worker


def plan_cluster(
    game: Game,
    target: str = "1mbb",
    *,
    menu: str | None = None,
    workers: str = "local",
    rate: float | None = None,
    bytes_per_information_set: float | None = None,
    iterations: int | None = None,
    price: float | None = None,
    memory_per_worker: int | None = None,
    cut: str | None = None,
) -> ClusterPlan:
    """Plan the solve of a game that may be far too large for one machine.

    Only the betting tree is built; boards and hands are counted.

    Parameters
    ----------
    game:
        A game, from :func:`errai.load_game`.
    target, menu:
        As for :func:`errai.solve`.
    workers:
        ``local``, ``200x24cores`` (machines x cores of each), or ``48xh200``.
    rate:
        Information sets up to suits per second of one core (or GPU), with both players updated.  Without it the rate of
        this machine is measured, which takes about a second; for GPUs it is scaled by memory bandwidth, and marked so.
    bytes_per_information_set:
        Compressed bytes on disk; by default Cepheus's 0.79.
    iterations:
        Number of iterations; by default Cepheus's, scaled to the target with the power ``SLOPE``, which is an
        assumption.
    price:
        Price of one worker for an hour.
    memory_per_worker:
        Bytes; by default the published memory of a GPU, or what is free here.
    cut:
        Only the cuts at this street: ``flop``, ``turn``, ``river``, or the number of the round from 2.

    Raises
    ------
    InputError, SolverOptionError, TargetError, TreeTooLargeError, UnsupportedGameError
        If something about the request is wrong, or the betting tree is too large; nothing has been measured.
    """
    if game.whole_game is None:
        raise InputError("A plan needs a whole game; `errai estimate` shows what a spot needs.")
    numbers = {
        "rate": rate,
        "bytes_per_information_set": bytes_per_information_set,
        "iterations": iterations,
        "price": price,
        "memory_per_worker": memory_per_worker,
    }
    for name, value in numbers.items():
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise SolverOptionError(f"{name} must be above 0, not {value}.")
    crew = Workers.parse(workers)
    tree = plan_public_tree(game, menu=menu_of(game, menu))
    names = tuple(street_title(game, s) for s in range(tree.betting.num_streets))
    found = cuts(tree)
    if cut is not None:
        offered = {name: s for s, name in enumerate(names) if s > 0} | {str(s + 1): s for s in range(1, len(names))}
        street = offered.get(cut.strip().lower())
        if street is None:
            raise SolverOptionError(f"There is no cut at {cut!r}; choose one of {', '.join(offered) or 'none'}.")
        found = tuple(c for c in found if c.street == street)
    units = Units.of(game, tree.betting.initial_pot)
    goal = Target.parse(target, units)
    goal_mbb = units.mbb(goal.chips)
    number, iterations_note = _iterations(iterations, goal_mbb)
    per_set = tree.entries / tree.canonical_information_sets
    speed = rate_of(crew, per_set, rate, measure() if rate is None else None)
    given = bytes_per_information_set is not None
    return ClusterPlan(
        title=game.label,
        information_sets=tree.canonical_information_sets,
        entries=tree.entries,
        cuts=found,
        street_names=names,
        target=goal,
        target_mbb=goal_mbb,
        iterations=number,
        iterations_note=iterations_note,
        workers=crew,
        rate=speed,
        bytes_per_information_set=bytes_per_information_set if bytes_per_information_set is not None else CEPHEUS_BYTES,
        bytes_note="given" if given else "ASSUMED: Cepheus's, on limit hold'em with its compression",
        memory_per_worker=crew.memory_bytes if memory_per_worker is None else memory_per_worker,
        price=price,
    )


def _iterations(given: int | None, target_mbb: float | None) -> tuple[int, str]:
    """Return the number of iterations, and where it comes from."""
    if given is not None:
        return given, "given"
    base = f"Cepheus's {CEPHEUS.iterations:,} of CFR+ for {CEPHEUS.exploitability_mbb} mbb in limit hold'em"
    if target_mbb is None:
        return CEPHEUS.iterations, f"ASSUMED: {base}"
    number = math.ceil(CEPHEUS.iterations * (CEPHEUS.exploitability_mbb / target_mbb) ** (1 / SLOPE) - 1e-9)
    carried = f", if exploitability falls with their {SLOPE:g}nd power" if number != CEPHEUS.iterations else ""
    return number, f"ASSUMED: {base}{carried}"
