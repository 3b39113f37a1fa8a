"""Rankings of a pool of players: the two events of the Annual Computer Poker Competition, with significance.

Total bankroll ranks players by their mean winnings against all others.  Instant run-off repeatedly removes the player
with the worst bankroll among those that are left, so that a player is not ranked high for exploiting weak players only.

The significance of a rank is computed by the bootstrap, as in the competition: the pairs of hands of all matches are
resampled, and the share of samples in which one player is ranked above another is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errai.arena.intervals import RESAMPLES, Histogram, bootstrap_means
from errai.arena.results import CHIPS, SUFFIX, MatchResult, read_result
from errai.errors import MatchError

SIGNIFICANT = 0.95
"""Share of the samples in which one player has to be above the other to be significantly better."""


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

    def mean(self, i: int, j: int) -> float:
        """Return the mean winnings of i against j per hand, in the pool's unit; NaN if they did not play."""
        found = self.pairs.get((min(i, j), max(i, j)))
        return float("nan") if found is None else found.mean * self.scale * (1 if i < j else -1) + 0.0  # no -0

    def standard_error(self, i: int, j: int) -> float:
        """Of that mean."""
        found = self.pairs.get((min(i, j), max(i, j)))
        return float("nan") if found is None else found.standard_error * self.scale

    def table(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return float64[P, P]: means and standard errors, row against column."""
        size = range(len(self.players))
        means = np.array([[self.mean(i, j) if i != j else np.nan for j in size] for i in size])
        errors = np.array([[self.standard_error(i, j) if i != j else np.nan for j in size] for i in size])
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

    Raises
    ------
    MatchError
        There is no match, the matches are of different games, or one lacks the measure.
    ArtefactError
        A file cannot be read.
    """
    files = [file for place in places for file in (sorted(place.rglob(f"*{SUFFIX}")) if place.is_dir() else [place])]
    if not files:
        raise MatchError(f"There are no results of matches; `errai match ... --results FOLDER` writes files *{SUFFIX}.")
    return make_pool([(str(file), read_result(file)) for file in files], measure)


def make_pool(results: Sequence[tuple[str, MatchResult]], measure: str = CHIPS) -> Pool:
    """Make a pool of matches, each with the name of its file for messages.  Errors as :func:`read_pool`."""
    first_file, first = results[0]
    held: dict[tuple[str, str], list[tuple[Histogram, Histogram]]] = {}
    hands: dict[tuple[str, str], int] = {}
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
            a, b, even, odd = b, a, _negated(even), _negated(odd)
        held.setdefault((a, b), []).append((even, odd))
        hands[a, b] = hands.get((a, b), 0) + result.hands
    players = tuple(sorted({name for pair in held for name in pair}))
    place = {name: i for i, name in enumerate(players)}
    unit, scale = first.unit
    halves = {
        (place[a], place[b]): (Histogram.union(*(e for e, _ in found)), Histogram.union(*(o for _, o in found)))
        for (a, b), found in held.items()
    }
    return Pool(
        first.title,
        unit,
        scale,
        players,
        measure,
        {pair: Histogram.union(*both) for pair, both in halves.items()},
        halves,
        {(place[a], place[b]): n for (a, b), n in hands.items()},
    )


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
        ranks.append(
            Rank(
                leader + 1,
                pool.players[player],
                float(scores[player]),
                float(low[player]),
                float(high[player]),
                follower,
            )
        )
    return Standing(event, tuple(ranks), above)


def _means(pool: Pool) -> NDArray[np.float64]:
    """Return float64[P, P], 0 on the diagonal, in the pool's unit."""
    size = len(pool.players)
    for i in range(size):
        for j in range(i + 1, size):
            if (i, j) not in pool.pairs:
                raise MatchError(
                    f"{pool.players[i]} and {pool.players[j]} have not met; standings need a match of every pair."
                )
    means = np.zeros((size, size))
    for (i, j), found in pool.pairs.items():
        means[i, j] = found.mean * pool.scale
        means[j, i] = -means[i, j]
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


def _negated(histogram: Histogram) -> Histogram:
    return Histogram(-histogram.values[::-1], histogram.counts[::-1])
