"""The distance of two hands: the earth mover's distance of their features.

Each feature is a distribution.  The earth mover's distance of two distributions is the least work that turns one into
the other, where work is mass times the distance that it is moved (Rubner, Tomasi & Guibas 2000; Johanson et al. 2013).

- ``ehs`` and ``ehs2`` are a single number, so their distance is the difference of the numbers.
- ``nested`` combines the two, and the distance is the sum of both.
- ``ochs`` is a point with a coordinate for each cluster of opponents.  The distance is Euclidean, as in k-means.
- ``histogram`` is the histogram of hand strength over the final boards.  Neighbouring bins have the distance 1, so the
  distance is the sum of the differences of the cumulative histograms.
- ``potential`` is a distribution over the boards of the next round, which are equally likely.  The distance of two
  boards is that of the hands' histograms on them, and the best way to pair the boards of one hand with those of the
  other is found exactly, as an assignment.  Clustering uses groups of the next round's hands and an approximation
  (:mod:`errai.abstraction.kmeans`), but here nothing is merged.  From the round before the last on, this is the
  distance of histograms, because the next round's hands are on a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.building import opponent_clusters
from errai.abstraction.deals import DealIndexer, round_name
from errai.abstraction.features import Wanted, hand_features
from errai.abstraction.kmeans import earth_movers_distance
from errai.abstraction.plan import FeatureKind
from errai.errors import CardsError, InputError, needs_extra
from errai.games.game import Game

MOST_NEXT_BOARDS = 2_000
"""The largest number of boards of the next round that are paired for ``potential``; the assignment has this size."""

UNITS = {
    FeatureKind.EHS: "E[HS]",
    FeatureKind.EHS2: "E[HS²]",
    FeatureKind.NESTED: "E[HS²] and E[HS]",
    FeatureKind.HISTOGRAM: "bins",
    FeatureKind.POTENTIAL: "bins",
    FeatureKind.OCHS: "probability to win",
}
"""The units of the distances."""


@dataclass(frozen=True, eq=False)
class HandDistance:
    """The distance of two hands, and their features."""

    features: FeatureKind
    distance: float
    unit: str
    """The unit of the distance, from :data:`UNITS`.

    A number of bins divided by the number of all bins is hand strength.
    """
    first: NDArray[np.float64]
    """float64[d]: E[HS], E[HS²], both (E[HS²] first), the probability of winning against each cluster, or the shares of
    the bins.

    For ``potential``, before the second to last round, float64[C, bins]: a histogram for each next board.
    """
    second: NDArray[np.float64]
    """The same for the second hand."""


def hand_distance(
    game: Game,
    first: Sequence[int],
    second: Sequence[int],
    board: Sequence[int] = (),
    features: FeatureKind | str = FeatureKind.HISTOGRAM,
    *,
    second_board: Sequence[int] | None = None,
    bins: int = 50,
    opponents: int = 8,
    clusters: NDArray[np.int8] | None = None,
    seed: int = 0,
    threads: int = 1,
) -> HandDistance:
    """Compute the earth mover's distance of two hands on a board, or on a board each.

    Parameters
    ----------
    game:
        The rules; hands have ``game.num_hole_cards`` cards.
    first, second:
        The card numbers of each hand.  The hands may share cards, because they are never held at once.
    board:
        The card numbers on the table, for one of the rounds.
    features:
        A name of :class:`~errai.abstraction.plan.FeatureKind`; the module says how each is measured.
    second_board:
        The second hand's board, of the same round; by default the same one.
    bins:
        Number of bins of the histograms of ``histogram`` and ``potential``.
    opponents, seed:
        For ``ochs``: the number of clusters of opponents' hands, and the seed of k-means.
    clusters:
        For ``ochs``: int8[H], the cluster of each hand, equal for suit-equivalent hands, from
        :func:`~errai.abstraction.building.opponent_clusters`, which takes most of the time.  By default they are
        computed with the two parameters above.
    threads:
        Number of threads that compute the features.

    Returns
    -------
    HandDistance

    Raises
    ------
    CardsError
        The cards are not a hand, or not a board of a round, or a hand and its board share a card.
    InputError
        The features do not exist; a number of bins or clusters is out of bounds; or ``potential`` would have to pair
        more than :data:`MOST_NEXT_BOARDS` boards, as before the flop in hold'em.

    Examples
    --------
    >>> import errai
    >>> game = errai.load_game("holdem.limit.2p")
    >>> cards = game.deck.parse_cards
    >>> found = hand_distance(
    ...     game, cards("TcQd"), cards("5c9d"), cards("7h9hQh"), "histogram", second_board=cards("3d5d7d")
    ... )
    >>> round(found.distance, 3), found.unit
    (0.559, 'bins')
    """
    try:
        kind = FeatureKind(features)
    except ValueError:
        raise InputError(f"There are no features {features!r}; choose one of {', '.join(FeatureKind)}.") from None
    deals = DealIndexer(game)
    boards = (tuple(board), tuple(board if second_board is None else second_board))
    rows = [_row(deals, hand, at) for hand, at in zip((first, second), boards, strict=True)]
    if len(boards[0]) != len(boards[1]):
        raise CardsError(f"The boards have {len(boards[0])} and {len(boards[1])} cards; give two of one round.")
    round_index = deals.board_cards.index(len(boards[0]))
    if kind in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL):
        wanted = Wanted(moments=False, bins=bins)
        if not wanted.bins:
            raise InputError("bins must be at least 1, not 0.")
        if kind is FeatureKind.POTENTIAL and round_index < deals.num_rounds - 2:
            pairs = zip(rows, boards, strict=True)
            spread = [_after(deals, round_index, row, at, wanted, threads) for row, at in pairs]
            return HandDistance(kind, _assigned(*spread), UNITS[kind], *spread)
        one, other = hand_features(deals, rows, wanted, threads=threads).histogram([0, 1])
        return HandDistance(kind, float(earth_movers_distance(one, other)), UNITS[kind], one, other)
    ochs = kind is FeatureKind.OCHS
    if ochs and clusters is None:
        clusters = opponent_clusters(deals, opponents, seed=seed, threads=threads)
    wanted = Wanted(moments=not ochs, cluster=clusters if ochs else None)
    found = hand_features(deals, rows, wanted, threads=threads)
    points = {
        FeatureKind.EHS: found.mean[:, None],
        FeatureKind.EHS2: found.square[:, None],
        FeatureKind.NESTED: np.stack([found.square, found.mean], axis=1),
        FeatureKind.OCHS: found.ochs,
    }[kind].astype(np.float64)
    apart = points[0] - points[1]
    distance = np.linalg.norm(apart) if ochs else np.abs(apart).sum()
    return HandDistance(kind, float(distance), UNITS[kind], *points)


def _row(deals: DealIndexer, hand: Sequence[int], board: tuple[int, ...]) -> list[int]:
    """Return the cards of a hand and its board, after checking them."""
    if len(hand) != deals.game.num_hole_cards:
        raise CardsError(f"A hand of {deals.game.name} has {deals.game.num_hole_cards} cards, not {len(hand)}.")
    if len(board) not in deals.board_cards:
        sizes = ", ".join(str(count) for count in dict.fromkeys(deals.board_cards))
        raise CardsError(f"No round of {deals.game.name} has a board of {len(board)} cards; its boards have {sizes}.")
    row = [*map(int, hand), *map(int, board)]
    if len(set(row)) != len(row) or not all(0 <= card < deals.deck.num_cards for card in row):
        raise CardsError(
            f"The hand and the board {row} hold a card twice, or one outside the deck of {deals.deck.num_cards} cards."
        )
    return row


def _after(
    deals: DealIndexer, round_index: int, row: list[int], board: tuple[int, ...], wanted: Wanted, threads: int
) -> NDArray[np.float64]:
    """Return float64[C, bins]: the histograms of a hand on every board of the next round."""
    hand = row[: deals.game.num_hole_cards]
    following = deals.next_cards(np.array(board, dtype=np.int16), round_index)
    following = following[~np.isin(following[:, len(board) :], hand).any(axis=1)]
    if len(following) > MOST_NEXT_BOARDS:
        raise InputError(
            f"{len(following):,} boards may follow on the {round_name(round_index)}, and `potential` pairs at most "
            f"{MOST_NEXT_BOARDS:,}; use the features histogram there."
        )
    rows = np.concatenate([np.broadcast_to(np.array(hand), (len(following), len(hand))), following], axis=1)
    return hand_features(deals, rows, wanted, threads=threads).histogram(np.arange(len(rows)))


def _assigned(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the earth mover's distance of equally likely histograms, float64[C, bins] each."""
    with needs_extra("scipy", "The earth mover's distance"):
        from scipy.optimize import linear_sum_assignment

    cumulative = np.cumsum(first, axis=1), np.cumsum(second, axis=1)
    cost = np.stack([np.abs(cumulative[1] - one).sum(axis=1) for one in cumulative[0]])
    pairs = linear_sum_assignment(cost)
    return float(cost[pairs].mean())
