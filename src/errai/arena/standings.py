"""Rankings and skill tiers of a pool of players, with significance.

The rankings are the two events of the Annual Computer Poker Competition.  Total bankroll ranks players by their mean
winnings against all others.  Instant run-off repeatedly removes the player with the worst bankroll among those that are
left, so that a player is not ranked high for exploiting weak players only.

The significance of a rank is computed by the bootstrap, as in the competition: the pairs of hands of all matches are
resampled, and the share of samples in which one player is ranked above another is counted.

Skill tiers are groups of players that all played the same opponent.

If players were split by their results and the groups tested with the same results, pure luck would look like a
difference, because lucky players are ranked high.  So one half of the hands ranks the players and determines the
splits, and the other half, which is independent, tests each split and estimates the winnings of the tiers (rank and
test).

All splits are determined by the ranking half before anything is tested: a group is split where its two parts differ
most in standard errors, and each part again, down to single players.  Every split is then tested with the other half;
the p-values are corrected by Holm's method over all of them, and a split counts if it and those above it are
significant at 5 %.

Bowling, Burch, Johanson & Tammelin, "Heads-up limit hold'em poker is solved" (Communications of the ACM 60, 2017), show
people who played Cepheus in fifths of equal size (figure 6, those with at least 500 games; its footnote k says how).
:func:`equal_tiers` does that: one half of each player's hands ranks the players, and the other half measures the
fifths, so that those who were lucky in the first half are not measured by that luck.  How :func:`tiers_against` splits,
tests and corrects is our own choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errai.arena.intervals import RESAMPLES, Histogram, Interval, bootstrap_means, student_interval
from errai.arena.results import CHIPS, SUFFIX, MatchResult, read_result
from errai.engine.student import student_cdf
from errai.errors import MatchError

SIGNIFICANT = 0.95
"""Share of the samples in which one player has to be above the other to be significantly better."""

LEVEL = 0.05
"""Level at which a split into tiers is significant."""


@dataclass(frozen=True, eq=False)
class Pool:
    """Players and their results against each other."""

    title: str
    unit: str
    scale: float
    """Units per chip."""
    players: tuple[str, ...]
    measure: str
    pairs: dict[tuple[int, int], Histogram]
    """By (i, j), i < j: results of pairs of hands, chips a hand for player i."""
    halves: dict[tuple[int, int], tuple[Histogram, Histogram]]
    """The same in two halves."""
    hands: dict[tuple[int, int], int]

    def met(self, i: int, j: int) -> Histogram:
        """Return the results of i and j, chips a hand for the lower of both; an empty one if they did not play."""
        return self.pairs.get((min(i, j), max(i, j)), Histogram.of([]))

    def mean(self, i: int, j: int) -> float:
        """Return the mean winnings of i against j per hand, in the pool's unit; NaN if they did not play."""
        return self.met(i, j).mean * self.scale * (1 if i < j else -1) + 0.0  # no -0

    def standard_error(self, i: int, j: int) -> float:
        """Of that mean."""
        return self.met(i, j).standard_error * self.scale

    def table(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return float64[P, P]: means and standard errors, row against column."""
        size = range(len(self.players))
        means, errors = (np.array([[of(i, j) for j in size] for i in size]) for of in (self.mean, self.standard_error))
        return means, errors


@dataclass(frozen=True)
class Rank:
    """A player's place."""

    place: int
    """From 1; players whose results do not differ significantly share a place."""
    player: str
    score: float
    """Mean against all others, in the pool's unit; in a run-off, against those left in the round of its removal."""
    low: float
    high: float
    """The 95 % interval of that score (percentiles of the samples)."""
    above_next: float | None
    """Share of the samples in which the player is above the next one; None for the last."""


@dataclass(frozen=True, eq=False)
class Standing:
    """The ranks of one event, the best first."""

    event: str
    ranks: tuple[Rank, ...]
    above: NDArray[np.float64]
    """float64[P, P]: share of the samples in which the player of the row (in the order of the ranks) is above that of
    the column."""


def read_pool(places: Iterable[Path], measure: str = CHIPS) -> Pool:
    """Read the results of matches.

    Parameters
    ----------
    places:
        Files of matches, and folders with such files.
    measure:
        The measure by which players are ranked.

    Raises :class:`MatchError` if there is no match, the matches are of different games, or one lacks the measure, and
    :class:`ArtefactError` if a file cannot be read.
    """
    files = [file for place in places for file in (sorted(place.rglob(f"*{SUFFIX}")) if place.is_dir() else [place])]
    if not files:
        raise MatchError(f"There are no results of matches; `errai match ... --results FOLDER` writes files *{SUFFIX}.")
    return make_pool([(str(file), read_result(file)) for file in files], measure)


def make_pool(results: Sequence[tuple[str, MatchResult]], measure: str = CHIPS) -> Pool:
    """Make a pool of matches, each with the name of its file for messages.  Errors as :func:`read_pool`."""
    first_file, first = results[0]
    held: dict[tuple[str, str], list[tuple[Histogram, Histogram, int]]] = {}
    seen: dict[tuple[str, str, int, bool], str] = {}
    for file, result in results:
        if result.digest != first.digest:
            raise MatchError(
                f"{file} is of {result.title}, but {first_file} of {first.title}; give matches of one game."
            )
        a, b = result.players
        if a == b:
            raise MatchError(f"{file} is a match of {a} against itself.")
        again = (min(a, b), max(a, b), result.seed, result.duplicate)
        if again in seen:
            raise MatchError(
                f"{file} and {seen[again]} are the same match: players and seed are the same. Leave one out, or play "
                "with another seed."
            )
        seen[again] = file
        found = result.measure(measure)
        if found is None:
            names = ", ".join(m.name for m in result.measures)
            raise MatchError(f"{file} was not measured by {measure!r}; it has {names}.")
        if not result.hands:
            continue
        even, odd = found.pairs
        if a > b:
            a, b, even, odd = b, a, even.scaled(-1.0), odd.scaled(-1.0)
        held.setdefault((a, b), []).append((even, odd, result.hands))
    players = tuple(sorted({name for pair in held for name in pair}))
    place = {name: i for i, name in enumerate(players)}
    unit, scale = first.unit
    halves, hands = {}, {}
    for (a, b), parts in held.items():
        evens, odds, counts = zip(*parts, strict=True)
        halves[place[a], place[b]] = Histogram.union(*evens), Histogram.union(*odds)
        hands[place[a], place[b]] = sum(counts)
    pairs = {pair: Histogram.union(*both) for pair, both in halves.items()}
    return Pool(first.title, unit, scale, players, measure, pairs, halves, hands)


def bankroll(pool: Pool, *, seed: int = 0, resamples: int = RESAMPLES) -> Standing:
    """Rank players by their mean against all others; all opponents have equal weight, however many hands they played.

    Raises :class:`MatchError` if two players have not met.
    """
    means, samples = _means(pool), _samples(pool, seed, resamples)
    others = len(pool.players) - 1
    scores, drawn = means.sum(axis=1) / others, samples.sum(axis=2) / others
    return _standing("total bankroll", pool, np.argsort(-scores, kind="stable"), scores, drawn, drawn)


def run_off(pool: Pool, *, seed: int = 0, resamples: int = RESAMPLES) -> Standing:
    """Rank players by instant run-off: the player with the worst bankroll is removed until one is left.

    A player's score is its mean in the round of its removal; that of the winner is its mean in the last round.

    Raises :class:`MatchError` if two players have not met.
    """
    means, samples = _means(pool), _samples(pool, seed, resamples)
    left, scores = _run_off(np.concatenate([means[None], samples]))
    order = np.argsort(-left[0], kind="stable")
    return _standing("instant run-off", pool, order, scores[0], scores[1:], left[1:])


def _run_off(means: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return float64[B, P] twice: the round in which each player is removed, and their score there."""
    samples, size, _ = means.shape
    alive = np.ones((samples, size), dtype=np.bool_)
    gone, scores = np.zeros((samples, size)), np.zeros((samples, size))
    every = np.arange(samples)
    for round in range(size - 1):
        now = (means * alive[:, None, :]).sum(axis=2) / (size - 1 - round)
        worst = np.where(alive, now, np.inf).argmin(axis=1)
        gone[every, worst], scores[every, worst] = round, now[every, worst]
        alive[every, worst] = False
        if round == size - 2:
            winner = alive.argmax(axis=1)
            gone[every, winner], scores[every, winner] = size - 1, now[every, winner]
    return gone, scores


def _standing(
    event: str,
    pool: Pool,
    order: NDArray[np.intp],
    scores: NDArray[np.float64],
    drawn_scores: NDArray[np.float64],
    keys: NDArray[np.float64],
) -> Standing:
    """Ranks in an order; ``keys`` float64[B, P] order the players in each sample."""
    sorted_keys = keys[:, order]
    above = (sorted_keys[:, :, None] > sorted_keys[:, None, :]).mean(axis=0)
    low, high = np.quantile(drawn_scores, [0.025, 0.975], axis=0)
    ranks: list[Rank] = []
    leader = 0
    for i, player in enumerate(order.tolist()):
        # All players that the first of a place is not significantly above share that place.
        if above[leader, i] >= SIGNIFICANT:
            leader = i
        follower = float(above[i, i + 1]) if i + 1 < len(order) else None
        score, lowest, highest = (float(numbers[player]) for numbers in (scores, low, high))
        ranks.append(Rank(leader + 1, pool.players[player], score, lowest, highest, follower))
    return Standing(event, tuple(ranks), above)


def _means(pool: Pool) -> NDArray[np.float64]:
    """Return float64[P, P], 0 on the diagonal, in the pool's unit."""
    means, _ = pool.table()
    np.fill_diagonal(means, 0.0)
    for i, j in np.argwhere(np.isnan(means)).tolist():
        raise MatchError(f"{pool.players[i]} and {pool.players[j]} have not met; standings need a match of every pair.")
    return means


def _samples(pool: Pool, seed: int, resamples: int) -> NDArray[np.float64]:
    """Return float64[B, P, P]: the same with the pairs of every match resampled."""
    size = len(pool.players)
    samples = np.zeros((resamples, size, size))
    for (i, j), found in sorted(pool.pairs.items()):
        own_seed = int(np.random.default_rng([seed, i, j]).integers(2**62))
        samples[:, i, j] = bootstrap_means(found, own_seed, resamples) * pool.scale
        samples[:, j, i] = -samples[:, i, j]
    return samples


# --- tiers ---


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
    return split_into_tiers(_against(pool, opponent))


def _against(pool: Pool, opponent: str) -> list[Player]:
    """Return the results of all who played one opponent, in the pool's unit."""
    if opponent not in pool.players:
        raise MatchError(f"{opponent!r} is not among the players: {', '.join(pool.players)}.")
    one = pool.players.index(opponent)
    players = []
    for i, name in enumerate(pool.players):
        halves = pool.halves.get((min(i, one), max(i, one)))
        if i != one and halves is not None:
            sign = pool.scale if i < one else -pool.scale
            players.append(Player(name, halves[0].scaled(sign), halves[1].scaled(sign)))
    return players


def equal_tiers(pool: Pool, opponent: str, count: int, least: int = 0) -> tuple[tuple[Tier, ...], int]:
    """Group those who played one opponent into tiers of equally many players, ranked by one half of their hands.

    Parameters
    ----------
    pool:
        The results.
    opponent:
        The player whom all of them have met.
    count:
        The number of tiers; if it does not divide the number of players, the first ones have one more.
    least:
        Only players who played at least this number of hands against the opponent take part.

    Returns
    -------
    The tiers, the best first, with their means over the hands of the other half, all hands with equal weight, and how
    many players had too few hands.

    Raises :class:`MatchError` if there are fewer players than tiers, or no player has the opponent's name.
    """
    if count < 2:
        raise MatchError(f"Equal tiers are at least two, not {count}.")
    players = _against(pool, opponent)
    one = pool.players.index(opponent)
    hands = {player.name: pool.hands.get(_pair(pool.players.index(player.name), one), 0) for player in players}
    enough = [player for player in players if hands[player.name] >= max(least, 1)]
    enough = [player for player in enough if min(player.ranking.n, player.test.n) >= 2]
    if len(enough) < count:
        raise MatchError(
            f"Only {len(enough)} of {len(players)} players have played {opponent} in at least {max(least, 4)} hands; "
            f"{count} tiers need as many players."
        )
    ordered = sorted(enough, key=lambda player: (-player.ranking.mean, player.name))
    tiers = []
    for part in np.array_split(np.arange(len(ordered)), count):
        chosen = [ordered[i] for i in part]
        mean, error, n = _together([player.test for player in chosen])
        tiers.append(Tier(tuple(player.name for player in chosen), mean, student_interval(mean, error, n)))
    return tuple(tiers), len(players) - len(enough)


def met_by_all(pool: Pool) -> str:
    """Return the one player whom all others have met.  Raises :class:`MatchError` if there is none, or several."""
    every = range(len(pool.players))
    found = [name for j, name in enumerate(pool.players) if all(_pair(i, j) in pool.pairs for i in every if i != j)]
    if len(found) == 1:
        return found[0]
    raise MatchError("Name the player whose opponents are grouped with --tiers; the others have not all met just one.")


def _pair(i: int, j: int) -> tuple[int, int]:
    return min(i, j), max(i, j)


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
    tiers = []
    for begin, end in pairwise([0, *cuts, len(ordered)]):
        mean, error, n = _together([player.test for player in ordered[begin:end]])
        names = tuple(player.name for player in ordered[begin:end])
        tiers.append(Tier(names, mean, student_interval(mean, error, n)))
    return Tiers(tuple(tiers), tuple(splits))


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
    (a, a_error, a_n), (b, b_error, b_n) = (_together([p.test for p in side]) for side in (upper, lower))
    error = math.hypot(a_error, b_error)
    if error == 0.0:
        return a - b, 0.0 if a > b else 1.0
    freedom = error**4 / (a_error**4 / (a_n - 1) + b_error**4 / (b_n - 1))
    return a - b, student_cdf(freedom, -(a - b) / error)


def _together(parts: Sequence[Histogram]) -> tuple[float, float, int]:
    """Return mean, standard error and number of the results of several players, all hands with equal weight.

    Players of a group need not be equally strong: the error is that of the mean of these players, not of a population.
    """
    n = sum(part.n for part in parts)
    mean = sum(part.n * part.mean for part in parts) / n
    return mean, math.sqrt(sum((part.n * part.standard_error) ** 2 for part in parts)) / n, n
