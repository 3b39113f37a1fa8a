r"""Locks relative to a solution: a player who folds 25 points more, never raises, or plays as was observed.

The change is the least one.  Let hand :math:`h` of a decision, whose weight is :math:`w(h)`, take action :math:`a` with
the probability :math:`p(a|h)` in the solution.  Of all strategies :math:`q` with which a set of actions :math:`S` is
taken with a total frequency :math:`t`, the one with the least relative entropy to the solution,

.. math:: \sum_h w(h) \sum_a q(a|h) \log \frac{q(a|h)}{p(a|h)},

multiplies the odds of :math:`S` by one and the same factor :math:`e^\lambda` for every hand:

.. math:: q(a|h) = \frac{p(a|h)\, e^{\lambda [a \in S]}}{\sum_b p(b|h)\, e^{\lambda [b \in S]}},
   \qquad \sum_h w(h) \sum_{a \in S} q(a|h) = t \sum_h w(h).

So the proportions inside :math:`S` and outside it stay as they are for every hand, hands that mix move most, and a hand
that always or never takes :math:`S` in the solution goes on doing so.  The total frequency grows with :math:`\lambda`,
which is found by bisection.  Where the frequencies of several sets are given, each set has a factor of its own.  They
are found in turn, which is coordinate ascent on the concave dual of the problem.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from errai.engine.student import beta_quantile
from errai.errors import LineError, LockError
from errai.games.lock_file import EVERY_HAND, LockTables
from errai.own_code import described, number_of, whole_number
from errai.solutions.convergence import dealt_chance
from errai.solutions.line_patterns import decisions
from errai.solutions.node import SolutionNode
from errai.solutions.node_board import classes_of
from errai.solutions.solution import Profile
from errai.solutions.strategy_locks import MOST_DECIMALS, decision_lock, rounded, solution_locks
from errai.tree.locks import Lock, NodeLocks, named_hands

Floats = NDArray[np.float64]
Change = Literal["more", "less", "never", "always", "to"]

EXACT = 1e-11
"""How far a total frequency may be from what it is to be, before the strategies are rounded."""

MOST_SWEEPS = 2_000
"""How often the factors of three and more sets of actions are adjusted in turn."""

MOST_SHIFT = 700.0
"""The greatest shift of log-odds; the exponential of a greater one is not a number any more."""

RESIDUE = 1e-4
"""Smaller probabilities count as 0: they are what the first iterations of a solve leave in an average.

Without this bound, chance would decide which of the hands that never take an action begin to.
"""

MOST_FLOOR = 0.1

COSTLY = 0.1
"""With a floor, an action counts as taken by a factor of e more seldom for each such fraction of the pot that it costs.
"""

PSEUDO_HANDS = 20
"""The weight of the solution against what was observed, in hands."""

_AMOUNT = re.compile(r"(?P<action>.*\S)\s+(?P<sign>[x+-]?)\s*(?P<number>\d+\.?\d*|\.\d+)(?P<percent>%?)", re.DOTALL)


@dataclass(frozen=True)
class Shift:
    """One common shift at one or several decisions."""

    line: str
    """The line that leads there, with its wildcards."""
    decisions: int
    """How many decisions there are, each on its own cards."""
    hands: int
    """How many hands are locked to a new strategy at one of them, at most."""
    actions: tuple[str, ...]
    """The sets of actions whose frequencies were changed, as they were named; the last may be ``*``, all others."""
    before: tuple[float, ...]
    """How often each is taken in the solution, over all pairs of hands that get there with the hands in question."""
    after: tuple[float, ...]
    """The same with the locks."""
    log_odds: tuple[float, ...]
    """The shift of the log-odds of each set against the last; infinite for what is never or always done."""
    seen: tuple[float, ...] = ()
    """How often each set was observed; empty where nothing was."""
    intervals: tuple[tuple[float, float], ...] = ()
    """For each set the 95 % interval of its frequency, given what was observed and the weight of the solution."""


@dataclass(frozen=True, eq=False)
class RelativeLocks:
    """Locks relative to a solution; made by :func:`relative_locks` and :func:`observed_locks`."""

    locks: NodeLocks
    shifts: tuple[Shift, ...]

    @property
    def tables(self) -> dict[str, dict[str, Any]]:
        """A table for each line of play, as :func:`errai.solve` and :func:`errai.save_locks` take them."""
        return self.locks.to_dict()


def relative_locks(
    solution: Profile,
    line: str,
    change: Change,
    what: str,
    *,
    player: int | None = None,
    hands: str | None = None,
    equity: tuple[float, float] | None = None,
    rest: bool = False,
    each: bool = False,
    floor: float = 0.0,
    decimals: int = 6,
) -> RelativeLocks:
    """Return locks with which a player does something more or less often than in a solution.

    The frequency of the action is changed to what is wanted by the least change of the hands' strategies in relative
    entropy, which shifts the log-odds of the action by the same number for every hand (docs/spots.md).

    Parameters
    ----------
    solution:
        The solution that the change starts from.
    line:
        The line that leads to the decisions, with wildcards as :func:`errai.solutions.line_patterns.decisions` takes
        them.  All decisions together reach the total frequency.  Those without the action are left alone.
    change, what:
        ``"more", "fold +25%"`` adds 25 points of per cent to the frequency, ``"more", "fold x1.25"`` multiplies it;
        ``"less"`` likewise with ``"fold -25%"`` and ``"fold x0.8"``.  ``"to", "fold 60%"`` says the frequency itself,
        and ``"never", "raise"`` and ``"always", "raise"`` need no number.  Actions are written as in lines; ``bet`` and
        ``raise`` are all their sizes.  A hand that does nothing else than what it is never to do takes the best of its
        other actions by the EV in the solution.
    player:
        0 or 1, if the line leads to decisions of both.
    hands:
        Only these hands are changed, and their frequency is what is meant; written as in locks.
    equity:
        Only hands whose equity against the other player's range there, from 0 to 1, is at least the first and less than
        the second of these numbers; 1 as the second includes 1.
    rest:
        Whether the other hands are locked to what they do in the solution.  Without it they are solved.
    each:
        Whether each decision reaches the frequency by itself, with a shift of its own.  Decisions that differ by suits
        alone share one.
    floor:
        A probability up to 0.1: an action that a hand takes less often counts as taken so often before it is changed
        if it costs nothing, and by a factor of e less for each 10 % of the pot that it costs by the EV in the solution.
        With 0 a hand never begins to do what it does in less than 0.01 % of the cases in the solution.
    decimals:
        Decimals of the frequencies in the locks, 1 to 12.

    Raises
    ------
    LineError
        No decision fits the line, or decisions of both players do.
    LockError
        The change cannot be read, no hand is left to change, or no strategy of this kind has the frequency.
    InputError
        A number is out of bounds.

    Examples
    --------
    >>> import errai
    >>> kuhn = errai.solve(errai.load_game("kuhn"), "0.001mbb")
    >>> found = relative_locks(kuhn, "check bet", "to", "fold 50%")
    >>> round(found.shifts[0].after[0], 5)
    0.5
    >>> relative_locks(kuhn, "bet", "never", "call").tables
    {'bet 1': {'Qs,Ks,As': {'fold': 1.0}}}
    """
    asked = _Asked.of(change, what)
    settings = _Settings(solution, line, (asked.action, EVERY_HAND), player, hands, equity, rest, each, floor, decimals)
    return settings.changed(lambda before: asked.target(float(before[0])))


def observed_locks(
    solution: Profile,
    counts: Mapping[str, Mapping[str, float]] | LockTables,
    *,
    pseudo_hands: float = PSEUDO_HANDS,
    **settings: Any,
) -> RelativeLocks:
    """Return locks with which a player acts as was observed, as far as the observations are to be trusted.

    Where an action was taken :math:`k` times out of :math:`n`, and is taken with the frequency :math:`f` in the
    solution, its frequency becomes :math:`(k + mf) / (n + m)` with :math:`m` pseudo-hands.  That is the mean of what
    is known of it after a Dirichlet distribution around the solution, of the weight of :math:`m` hands, has met the
    counts; the interval of the frequency is the one that has 95 % of that.

    Parameters
    ----------
    solution:
        The solution that the change starts from.
    counts:
        By line, how often each action was seen: ``{"check bet *": {"fold": 31, "*": 11}}``.  ``*`` stands for all
        other actions together.
    pseudo_hands:
        How many hands the solution counts for, above 0: the more, the less the observations are trusted.
    settings:
        ``player``, ``hands``, ``equity``, ``rest``, ``each``, ``floor`` and ``decimals``, as for
        :func:`relative_locks`.

    Raises
    ------
    LineError, LockError, InputError
        As :func:`relative_locks`; and if the counts are no counts, or do not say how often all actions were seen.

    Examples
    --------
    >>> import errai
    >>> kuhn = errai.solve(errai.load_game("kuhn"), "0.001mbb")
    >>> found = observed_locks(kuhn, {"check bet": {"fold": 12, "call": 0}}, pseudo_hands=12)
    >>> (shift,) = found.shifts
    >>> abs(shift.after[0] - (12 + 12 * shift.before[0]) / 24) < 1e-5
    True
    """
    given = counts if isinstance(counts, LockTables) else LockTables(counts)
    trust = number_of(pseudo_hands, "The number of pseudo-hands", low=1e-6, high=1e12)
    if not isinstance(given.tables, Mapping) or not given.tables:
        raise given.error("Nothing was observed: a table of counts for each line of play was expected.", ())
    shifts: list[Shift] = []
    every: NodeLocks | None = None
    for line, table in given.tables.items():
        numbers = _counts(given, line, table)
        # All others come last, whatever their place in the table.
        actions = sorted(table, key=lambda action: action == EVERY_HAND)
        seen = np.array([numbers[action] for action in actions])
        one = _Settings(solution, line, tuple(actions), **settings)

        def shrunk(before: Floats, seen: Floats = seen) -> Floats:
            return np.asarray((seen + trust * before) / (seen.sum() + trust))

        found = one.changed(shrunk)
        every = found.locks if every is None else every.with_others(found.locks)
        shifts += [
            replace(shift, seen=tuple(seen.tolist()), intervals=_intervals(seen, trust * np.array(shift.before)))
            for shift in found.shifts
        ]
    assert every is not None
    return RelativeLocks(every, tuple(shifts))


def _intervals(seen: Floats, prior: Floats) -> tuple[tuple[float, float], ...]:
    """Return the 95 % interval of every frequency of a Dirichlet distribution, after counts were observed."""
    weights = seen + prior
    return tuple(beta_interval(float(one), float(weights.sum() - one)) for one in weights)


def beta_interval(first: float, second: float) -> tuple[float, float]:
    """Return the interval that has the middle 95 % of a beta distribution; its parameters may be 0."""
    if first <= 0.0 or second <= 0.0:
        return (float(first > 0.0),) * 2
    return beta_quantile(first, second, 0.025), beta_quantile(first, second, 0.975)


def _counts(given: LockTables, line: str, table: Any) -> dict[str, float]:
    """Return how often each action was seen on a line, after checking it."""
    for key in (line, *(table if isinstance(table, Mapping) else ())):
        if not isinstance(key, str):
            raise given.error(f"Lines and actions that were observed are texts, not {described(key)}.", ())
    where = f"Observed on the line '{line}'" if line.strip() else "Observed at the first decision"
    if not isinstance(table, Mapping) or not table:
        raise given.error(f"{where}: how often each action was seen was expected.", (line,))
    found = {}
    for action, count in table.items():
        what = f"{where}: the count of '{action}'"
        try:
            found[action] = float(number_of(count, what, low=0.0, high=1e12, error=LockError))
        except LockError as error:
            raise given.error(error.message, (line, action)) from None
    if sum(found.values()) <= 0.0:
        raise given.error(f"{where}: no action was seen at all.", (line,))
    return found


@dataclass(frozen=True)
class _Asked:
    """A change of the frequency of some actions."""

    change: Change
    action: str
    sign: str = ""
    number: float = 0.0
    """A frequency or a difference of two, or the factor after ``x``."""

    @classmethod
    def of(cls, change: Change, what: str) -> _Asked:
        """Read a change.  Raises :class:`LockError`."""
        if not isinstance(what, str):
            raise LockError(f"An action, and how much, is a text such as 'fold +25%', not {described(what)}.")
        if change in ("never", "always"):
            if not what.strip():
                raise LockError(f"An action that is {change} taken was expected, such as 'raise'.")
            return cls(change, what.strip())
        examples = {"more": "'fold +25%' or 'fold x1.25'", "less": "'bet -10%' or 'bet x0.8'", "to": "'fold 60%'"}
        if change not in examples:
            raise LockError(f"'{change}' is no change; choose more, less, to, never or always.")
        match = _AMOUNT.fullmatch(what.strip())
        if match is None or (match["sign"] == "x") == bool(match["percent"]):
            raise LockError(f"'{what}' cannot be read; write an action and an amount, such as {examples[change]}.")
        sign, number = match["sign"], float(match["number"])
        wrong = {"more": "-", "less": "+", "to": "+-x"}[change]
        if (sign and sign in wrong) or (sign == "x" and (number < 1.0) != (change == "less")):
            raise LockError(f"'{what}' does not fit '{change}'; write an amount such as {examples[change]}.")
        return cls(change, match["action"].strip(), sign, number if sign == "x" else number / 100.0)

    def target(self, before: float) -> Floats:
        """Return the frequencies of the action and of all others.  Raises :class:`LockError` if there are none such."""
        if self.change in ("never", "always"):
            target = float(self.change == "always")
        elif self.change == "to":
            target = self.number
        elif self.sign == "x":
            target = before * self.number
        else:
            target = before + (self.number if self.change == "more" else -self.number)
        if not -1e-12 <= target <= 1.0 + 1e-12:
            raise LockError(
                f"'{self.action}' is taken {100 * before:.4g} % of the time in the solution, so the change leads to "
                f"{100 * target:.4g} %; frequencies are from 0 to 100 %."
            )
        target = min(max(target, 0.0), 1.0)
        return np.array([target, 1.0 - target])


@dataclass(eq=False)
class _Orbit:
    """Decisions that differ by suits alone, whose hands have the same strategies and are changed alike."""

    first: SolutionNode
    group: NDArray[np.int64]
    """int64[A]: the set to which each action belongs."""
    classes: NDArray[np.int64]
    """int64[C]: a hand of every class at the first of the decisions."""
    allowed: NDArray[np.bool_]
    """bool[C]: whether hands of the class have an equity that is to be changed."""
    strategies: Floats
    """float64[C, A]."""
    weight: Floats
    """float64[C]: of all pairs of hands that get there with a hand that is changed, times the chance of the cards."""
    members: list[tuple[SolutionNode, NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]] = field(
        default_factory=list
    )
    """Every decision with the class of its hands, which of them can be held, and which are changed."""

    def shares(self, groups: int) -> Floats:
        """Return float64[C, G]: how often a hand of each class takes each set of actions."""
        return np.stack([self.strategies[:, self.group == g].sum(axis=1) for g in range(groups)], axis=1)

    def worth(self) -> Floats:
        """Return float64[C, A]: the EV of each action in the solution, in pots; NaN where it is not known.

        It is rounded, so that actions that are worth the same up to rounding are worth the same here.
        """
        return np.asarray(np.round(self.first.action_ev[self.classes] / self.first.pot_chips, 9))

    def changed(self, factors: Floats) -> Floats:
        """Return the strategies with the probabilities of every set of actions multiplied by a factor.

        A hand of which nothing is left takes the best of the actions that it may take.
        """
        found = self.strategies * factors[self.group]
        total = found.sum(axis=1)
        (stuck,) = np.nonzero(total <= 0.0)
        if len(stuck):
            worth = np.where(factors[self.group] > 0.0, np.nan_to_num(self.worth()[stuck]), -np.inf)
            found[stuck, worth.argmax(axis=1)] = 1.0
            total = found.sum(axis=1)
        return np.asarray(found / total[:, None])


@dataclass(frozen=True, eq=False)
class _Settings:
    solution: Profile
    line: str
    actions: tuple[str, ...]
    player: int | None = None
    hands: str | None = None
    equity: tuple[float, float] | None = None
    rest: bool = False
    each: bool = False
    floor: float = 0.0
    decimals: int = 6

    def __post_init__(self) -> None:
        whole_number(self.decimals, "The number of decimals", 1, MOST_DECIMALS)
        number_of(self.floor, "The floor of probabilities", low=0.0, high=MOST_FLOOR)
        if self.player not in (None, 0, 1):
            raise LineError(f"The player is 0 or 1, not {self.player!r}.")
        if self.equity is not None:
            if np.shape(self.equity) != (2,):
                raise LockError(f"An interval of equities is two numbers, not {described(self.equity)}.")
            low, high = (number_of(end, "An end of the interval of equities", low=0.0, high=1.0) for end in self.equity)
            if low >= high:
                raise LockError(f"The interval of equities from {100 * low:g} to {100 * high:g} % is empty.")

    def changed(self, target_of: Any) -> RelativeLocks:
        """Return the locks with which each set of actions has the frequency that ``target_of`` makes of its own."""
        orbits = self.orbits()
        locks: list[Lock] = []
        shifts = []
        for some in [[orbit] for orbit in orbits] if self.each else [orbits]:
            shift = self.shifted(some, target_of, locks)
            shifts.append(shift)
        return RelativeLocks(solution_locks(self.solution, locks), tuple(shifts))

    def shifted(self, orbits: list[_Orbit], target_of: Any, locks: list[Lock]) -> Shift:
        """Change some decisions by one shift; their locks are appended to ``locks``."""
        count = len(self.actions)
        weight = np.concatenate([orbit.weight for orbit in orbits])
        shares = np.concatenate([orbit.shares(count) for orbit in orbits])
        total = float(weight.sum())
        before = weight @ shares / total if total > 0.0 else np.full(count, np.nan)
        target = target_of(before)
        if np.isnan(target).any():
            raise LockError(
                f"The solution never gets to the line '{self.line}' with these hands, so there is no frequency to "
                "change; only 'never' and 'always' are possible."
            )
        changing = [self._before(orbit) for orbit in orbits]
        mixed = np.concatenate([orbit.shares(count) for orbit in changing])
        factors = _factors(mixed, weight / total if total > 0.0 else weight, target, self.actions)
        after, hands = np.zeros(count), 0
        for orbit in changing:
            strategies = rounded(orbit.changed(factors), self.decimals)
            after += orbit.weight @ np.stack(
                [strategies[:, orbit.group == g].sum(axis=1) for g in range(count)], axis=1
            )
            kept = rounded(orbit.first.where.strategy(orbit.first.node).T, self.decimals)
            for node, class_of, held, chosen in orbit.members:
                locked = held if self.rest else chosen
                own = np.where(chosen[:, None], strategies[class_of], kept[class_of])
                locks.append(decision_lock(node, locked, own))
                hands = max(hands, int(chosen.sum()))
        with np.errstate(divide="ignore"):
            logs = np.log(factors) - np.log(factors[-1]) if factors[-1] > 0.0 else np.where(factors > 0.0, np.inf, 0.0)
        return Shift(
            self.line if not self.each else orbits[0].first.line,
            sum(len(orbit.members) for orbit in orbits),
            hands,
            self.actions,
            tuple(before.tolist()),
            tuple((after / total).tolist()) if total > 0.0 else tuple(target.tolist()),
            tuple(logs.tolist()),
        )

    def _before(self, orbit: _Orbit) -> _Orbit:
        """Return the decisions with the strategies that are changed: without residues, or raised to the floor."""
        if self.floor > 0.0:
            worth = orbit.worth()
            cost = np.nan_to_num(worth.max(axis=1, keepdims=True) - worth)
            found = np.maximum(orbit.strategies, self.floor * np.exp(-cost / COSTLY))
        else:
            found = np.where(orbit.strategies < RESIDUE, 0.0, orbit.strategies)
        return replace(orbit, strategies=found / found.sum(axis=1, keepdims=True))

    def orbits(self) -> list[_Orbit]:
        """Return the decisions at which something is to be changed.  Raises :class:`LockError` if there is none."""
        nodes = decisions(self.solution, self.line, self.player)
        root = self.solution.tree.root
        every = np.ones(len(root.hands), dtype=bool)
        named = every if self.hands is None else named_hands(self.hands, root.deck, root.hands)
        found: dict[Hashable, _Orbit] = {}
        with_action = False
        for node in nodes:
            group = self._groups(node)
            if group is None:
                continue
            with_action = True
            assert node.player is not None
            class_of = classes_of(node.where, node.player, node.to_representative, root.hands)
            held = (class_of >= 0) & (self.solution.root_ranges[node.player] > 0.0)
            if not (held if self.rest else held & named).any():
                continue
            key = node.node, node.street, node.where.key
            if key not in found:
                found[key] = self._orbit(node, group, class_of)
            orbit = found[key]
            chosen = held & named & orbit.allowed[class_of]
            orbit.members.append((node, class_of, held, chosen))
            pairs = node.pair_weights[node.player] * dealt_chance(node)
            orbit.weight += np.bincount(class_of[chosen], pairs[chosen], minlength=len(orbit.weight))
        if not with_action:
            offered = ", ".join(dict.fromkeys(action for node in nodes for action in node.actions))
            raise LockError(
                f"'{self.actions[0]}' is not possible at the end of the line '{self.line}'; the actions there are: "
                f"{offered}."
            )
        for orbit in found.values():
            orbit.members = [member for member in orbit.members if self.rest or member[3].any()]
        if not any(member[3].any() for orbit in found.values() for member in orbit.members):
            raise LockError(f"There is none of these hands to change at the end of the line '{self.line}'.")
        return [orbit for orbit in found.values() if orbit.members]

    def _orbit(self, node: SolutionNode, group: NDArray[np.int64], class_of: NDArray[np.int64]) -> _Orbit:
        strategies = node.where.strategy(node.node).T
        classes = np.zeros(len(strategies), dtype=np.int64)
        live = np.flatnonzero(class_of >= 0)
        classes[class_of[live[::-1]]] = live[::-1]
        allowed = np.ones(len(strategies), dtype=bool)
        if self.equity is not None:
            if node.why_no_equity:
                raise LockError(node.why_no_equity)
            assert node.player is not None
            # Rounded, so that hands whose equities are equal up to rounding are treated alike.
            own = np.round(node.equity[node.player][classes], 9)
            low, high = self.equity
            allowed = (own >= low) & ((own < high) | (high >= 1.0))
        return _Orbit(node, group, classes, allowed, np.asarray(strategies), np.zeros(len(strategies)))

    def _groups(self, node: SolutionNode) -> NDArray[np.int64] | None:
        """Return int64[A]: the set to which each action belongs; None if a node has none of the named actions."""
        betting = node.solution.tree.betting
        found = np.full(len(node.actions), -1)
        for number, text in enumerate(self.actions):
            if text == EVERY_HAND:
                continue
            for position in betting.matching(node.node, text.removesuffix("*").strip()):
                if found[position] >= 0:
                    raise LockError(
                        f"'{node.actions[position]}' after '{node.line}' is named twice, by "
                        f"'{self.actions[found[position]]}' and by '{text}'."
                    )
                found[position] = number
        if (found < 0).all():
            return None
        if EVERY_HAND in self.actions:
            found[found < 0] = self.actions.index(EVERY_HAND)
        elif (found < 0).any():
            action = node.actions[int((found < 0).argmax())]
            raise LockError(
                f"Nothing is said about '{action}', which is possible after '{node.line}'; name it, or '*' for all "
                "other actions."
            )
        return found


# --- the factors -----------------------------------------------------------------------------------------------------


def _factors(shares: Floats, weight: Floats, target: Floats, actions: Sequence[str]) -> Floats:
    """Return float64[G]: the factors of the sets of actions, with which they have their target frequencies.

    Parameters
    ----------
    shares:
        float64[R, G]: how often each hand takes each set; rows sum to 1.
    weight:
        float64[R], summing to 1.
    target:
        float64[G], summing to 1.

    Raises
    ------
    LockError
        No factors lead there.
    """
    if len(target) == 2 and target.min() <= 0.0:
        return np.asarray(target > 0.0, dtype=np.float64)
    factors = np.ones(len(target))
    if np.abs(weight @ shares - target).max() <= EXACT:
        return factors
    _check_reachable(shares, weight, target, actions)
    for _ in range(MOST_SWEEPS):
        for g in range(len(target) - 1):
            factors[g] = _factor(shares, weight, factors, g, float(target[g]))
        parts = shares * factors
        total = parts.sum(axis=1, keepdims=True)
        if np.abs(weight @ (parts / np.where(total > 0.0, total, 1.0)) - target).max() <= EXACT:
            return factors
    raise LockError(
        "The frequencies "
        + ", ".join(f"{a} {100 * t:.4g} %" for a, t in zip(actions, target, strict=True))
        + " cannot "
        "be reached by these hands; with a floor of probabilities they can."
    )


def _factor(shares: Floats, weight: Floats, factors: Floats, g: int, target: float) -> float:
    """Return the factor of one set with which it has its target frequency, the others staying as they are."""
    own = shares[:, g]
    rest = np.delete(shares, g, axis=1) @ np.delete(factors, g)
    moved = (own > 0.0) & (weight > 0.0)
    own, rest, weight = own[moved], rest[moved], weight[moved]
    low, high = -MOST_SHIFT, MOST_SHIFT
    while high - low > 1e-14 * max(1.0, abs(low), abs(high)):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if weight @ (own / (own + rest * math.exp(-middle))) < target:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2.0)


def _check_reachable(shares: Floats, weight: Floats, target: Floats, actions: Sequence[str]) -> None:
    """Raise :class:`LockError` if some sets together are wanted more often than hands take them at all."""
    count = len(target)
    taken = shares > 0.0
    for size in range(1, count):
        for some in combinations(range(count), size):
            inside = list(some)
            most = float(weight[taken[:, inside].any(axis=1)].sum())
            wanted = float(target[inside].sum())
            others = [g for g in range(count) if g not in inside]
            mixes = (taken[:, inside].any(axis=1) & taken[:, others].any(axis=1) & (weight > 0.0)).any()
            if wanted < most - EXACT or (wanted <= most + EXACT and not mixes):
                continue
            names = " or ".join(f"'{actions[g]}'" for g in inside if actions[g] != EVERY_HAND)
            if not names:
                names = "anything but " + " or ".join(f"'{actions[g]}'" for g in others)
            raise LockError(
                f"Hands that take {names} at all in the solution are {100 * most:.4g} % of those that get there, so it "
                f"cannot be done {100 * wanted:.4g} % of the time; hands that never do it do not begin to. A floor of "
                "probabilities, such as 0.01, lets them."
            )
