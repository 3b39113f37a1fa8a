"""Skill tiers: groups of players that all played the same opponent.

If players were split by their results and the groups tested with the same results, pure luck would look like a
difference, because lucky players are ranked high.  So one half of the hands ranks the players and determines the
splits, and the other half, which is independent, tests each split and estimates the winnings of the tiers (rank and
test).

All splits are determined by the ranking half before anything is tested: a group is split where its two parts differ
most in standard errors, and each part again, down to single players.  Every split is then tested with the other half;
the p-values are corrected by Holm's method over all of them, and a split counts if it and those above it are
significant at 5 %.

Bowling, Burch, Johanson & Tammelin, "Heads-up limit hold'em poker is solved" (Communications of the ACM 60, 2017), show
such tiers of people who played Cepheus.  Its procedure is not described in detail, so the splitting rule, the test and
the correction are our own choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from errai.arena.intervals import Histogram, Interval, student_interval
from errai.arena.standings import Pool
from errai.errors import MatchError

LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Player:
    """A player's results against the common opponent, per hand in chips or any other unit."""

    name: str
    ranking: Histogram
    """The ranking half."""
    test: Histogram
    """The test half."""


@dataclass(frozen=True)
class Tier:
    """Players that do not differ significantly, the best first."""

    players: tuple[str, ...]
    mean: float
    """Computed from the test half over the hands of all its players."""
    interval: Interval | None


@dataclass(frozen=True)
class Split:
    """A split of a group by the ranking half, and its test by the test half."""

    upper: tuple[str, ...]
    lower: tuple[str, ...]
    difference: float
    """Of the means in the test half."""
    p_value: float
    """Corrected by Holm's method over all splits; one-sided."""
    significant: bool
    """Whether it and the splits above it are significant at 5 %."""


@dataclass(frozen=True)
class Tiers:
    """The tiers, the best first, and all tested splits, those of the largest groups first."""

    tiers: tuple[Tier, ...]
    splits: tuple[Split, ...]


@dataclass
class _Group:
    begin: int
    end: int
    at: int = 0
    parent: int = -1


def tiers_against(pool: Pool, opponent: str) -> Tiers:
    """Return the tiers of all players that played one opponent, in the pool's unit.

    Raises :class:`MatchError` if no player has that name, or fewer than two played it.
    """
    if opponent not in pool.players:
        raise MatchError(f"{opponent!r} is not among the players: {', '.join(pool.players)}.")
    one = pool.players.index(opponent)
    players = []
    for i, name in enumerate(pool.players):
        halves = pool.halves.get((min(i, one), max(i, one)))
        if i != one and halves is not None:
            sign = pool.scale if i < one else -pool.scale
            players.append(Player(name, _scaled(halves[0], sign), _scaled(halves[1], sign)))
    return split_into_tiers(players)


def split_into_tiers(players: Sequence[Player]) -> Tiers:
    """Rank with one half and test with the other; see the module's docstring.

    Raises :class:`MatchError` for fewer than two players, and if one has fewer than four results in a half.
    """
    if len(players) < 2:
        raise MatchError("Tiers need at least two players that have played the same opponent.")
    for player in players:
        if min(player.ranking.n, player.test.n) < 4:
            raise MatchError(f"{player.name} has too few results for tiers; at least 8 pairs of hands are needed.")
    ordered = sorted(players, key=lambda player: (-player.ranking.mean, player.name))
    groups = _groups(ordered)
    tested = [_test(ordered[g.begin : g.at], ordered[g.at : g.end]) for g in groups]
    corrected = holm([p for _, p in tested])
    accepted: list[bool] = []
    splits = []
    for group, (difference, _), p in zip(groups, tested, corrected, strict=True):
        accepted.append(p <= LEVEL and (group.parent < 0 or accepted[group.parent]))
        upper = tuple(player.name for player in ordered[group.begin : group.at])
        lower = tuple(player.name for player in ordered[group.at : group.end])
        splits.append(Split(upper, lower, difference, p, accepted[-1]))
    cuts = sorted(group.at for group, yes in zip(groups, accepted, strict=True) if yes)
    ends = [0, *cuts, len(ordered)]
    return Tiers(tuple(_tier(ordered[a:b]) for a, b in pairwise(ends)), tuple(splits))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's step-down correction: adjusted p-values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, most = [0.0] * len(p_values), 0.0
    for place, i in enumerate(order):
        most = max(most, min(1.0, (len(order) - place) * p_values[i]))
        adjusted[i] = most
    return adjusted


def _groups(ordered: Sequence[Player]) -> list[_Group]:
    """Return all splits by the ranking half; a group is split before its parts."""
    groups: list[_Group] = []
    waiting = [_Group(0, len(ordered))]
    while waiting:
        group = waiting.pop(0)
        if group.end - group.begin < 2:
            continue
        apart = [
            _distance([p.ranking for p in ordered[group.begin : at]], [p.ranking for p in ordered[at : group.end]])
            for at in range(group.begin + 1, group.end)
        ]
        group.at = group.begin + 1 + int(np.argmax(apart))
        groups.append(group)
        parent = len(groups) - 1
        waiting.append(_Group(group.begin, group.at, parent=parent))
        waiting.append(_Group(group.at, group.end, parent=parent))
    return groups


def _distance(upper: Sequence[Histogram], lower: Sequence[Histogram]) -> float:
    """Return the difference of two groups in its standard errors."""
    (a, a_error, _), (b, b_error, _) = _together(upper), _together(lower)
    error = math.hypot(a_error, b_error)
    return (a - b) / error if error > 0 else math.copysign(math.inf, a - b) if a != b else 0.0


def _test(upper: Sequence[Player], lower: Sequence[Player]) -> tuple[float, float]:
    """Return the difference of the means in the test half, and Welch's one-sided p-value."""
    from scipy.special import stdtr

    (a, a_error, a_n), (b, b_error, b_n) = (_together([p.test for p in side]) for side in (upper, lower))
    error = math.hypot(a_error, b_error)
    if error == 0.0:
        return a - b, 0.0 if a > b else 1.0
    freedom = error**4 / (a_error**4 / (a_n - 1) + b_error**4 / (b_n - 1))
    return a - b, float(stdtr(freedom, -(a - b) / error))


def _together(parts: Sequence[Histogram]) -> tuple[float, float, int]:
    """Return mean, standard error and number of the results of several players, all hands with equal weight.

    Players of a group need not be equally strong: the error is that of the mean of these players, not of a population.
    """
    n = sum(part.n for part in parts)
    mean = sum(part.n * part.mean for part in parts) / n
    return mean, math.sqrt(sum((part.n * part.standard_error) ** 2 for part in parts)) / n, n


def _tier(players: Sequence[Player]) -> Tier:
    mean, error, n = _together([player.test for player in players])
    return Tier(tuple(player.name for player in players), mean, student_interval(mean, error, n))


def _scaled(histogram: Histogram, factor: float) -> Histogram:
    values, counts = histogram.values * factor, histogram.counts
    return Histogram(values[::-1], counts[::-1]) if factor < 0 else Histogram(values, counts)
