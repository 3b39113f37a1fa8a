"""Distances of hands against SciPy, the slow reference and published figures."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from plain_features import reference_features
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance
from small_subjects import subject

from errai.abstraction import distance
from errai.abstraction.distance import hand_distance
from errai.abstraction.plan import FeatureKind
from errai.errors import CardsError, InputError
from errai.games.catalogue import load_game

HOLDEM = load_game("holdem.limit.2p")
SMALL = subject("rhode-island-short")
BINS = 9


def cards(text: str) -> tuple[int, ...]:
    return HOLDEM.deck.parse_cards(text)


def test_two_hands_of_ganzfried_and_sandholm() -> None:
    """Figures 1 and 2 of their paper (2014): E[HS] is almost the same, and the earth mover's distance is 0.559."""
    first, second = (cards("TcQd"), cards("7h9hQh")), (cards("5c9d"), cards("3d5d7d"))
    found = hand_distance(HOLDEM, first[0], second[0], first[1], "histogram", second_board=second[1])
    assert found.distance == pytest.approx(0.559, abs=5e-4)
    assert found.unit == "bins"
    means = hand_distance(HOLDEM, first[0], second[0], first[1], "ehs", second_board=second[1])
    assert means.distance == pytest.approx(0.682621 - 0.679172, abs=1e-6)


def pairs() -> list[tuple[int, int, tuple[int, ...]]]:
    """Two hands of one card each, and a board that has neither, in every round."""
    rng = np.random.default_rng(3)
    found = []
    for size in (0, 1, 2):
        for _ in range(4):
            drawn = rng.permutation(SMALL.deck.num_cards)[: 2 + size].tolist()
            found.append((drawn[0], drawn[1], tuple(drawn[2:])))
    return found


@pytest.mark.parametrize(("first", "second", "board"), pairs())
def test_every_feature_against_scipy(first: int, second: int, board: tuple[int, ...]) -> None:
    cluster = (np.arange(SMALL.deck.num_cards) // SMALL.num_suits % 3).astype(np.int8)
    one, other = (reference_features(SMALL, [hand], board, BINS, cluster) for hand in (first, second))
    places = np.arange(BINS)
    expected = {
        "ehs": wasserstein_distance([one.mean], [other.mean]),
        "ehs2": wasserstein_distance([one.square], [other.square]),
        "nested": wasserstein_distance([one.mean], [other.mean]) + wasserstein_distance([one.square], [other.square]),
        "histogram": wasserstein_distance(places, places, one.histogram, other.histogram),
        "ochs": np.linalg.norm(one.ochs - other.ochs),
    }
    if board:  # From the round before the last on the next hands lie on a line.
        expected["potential"] = expected["histogram"]
    for kind, wanted in expected.items():
        found = hand_distance(SMALL, [first], [second], board, kind, bins=BINS, clusters=cluster)
        assert found.features == kind
        assert found.distance == pytest.approx(wanted, abs=1e-6)
        again = hand_distance(SMALL, [second], [first], board, kind, bins=BINS, clusters=cluster)
        assert again.distance == pytest.approx(found.distance, abs=1e-12)
        assert hand_distance(SMALL, [first], [first], board, kind, bins=BINS, clusters=cluster).distance == 0.0


@pytest.mark.parametrize(("first", "second", "board"), [pair for pair in pairs() if not pair[2]])
def test_potential_against_a_linear_program(first: int, second: int, board: tuple[int, ...]) -> None:
    """The transport of one hand's next boards to the other's, with SciPy's distances between histograms."""

    def after(hand: int) -> np.ndarray:
        left = [card for card in range(SMALL.deck.num_cards) if card not in (hand, *board)]
        return np.stack([reference_features(SMALL, [hand], [*board, card], BINS).histogram for card in left])

    one, other = after(first), after(second)
    count, places = len(one), np.arange(BINS)
    cost = np.array([[wasserstein_distance(places, places, a, b) for b in other] for a in one])
    sums = np.concatenate([np.kron(np.eye(count), np.ones(count)), np.kron(np.ones(count), np.eye(count))])
    solved = linprog(cost.ravel(), A_eq=sums, b_eq=np.full(2 * count, 1.0 / count))
    found = hand_distance(SMALL, [first], [second], board, "potential", bins=BINS)
    assert found.distance == pytest.approx(solved.fun, abs=1e-9)
    assert found.first.shape == (count, BINS)


def test_potential_sees_what_the_histogram_does_not() -> None:
    """It is never below the distance of histograms: a pairing of next boards moves the histograms, too."""
    board = cards("7h9h2d")
    for first, second in combinations(("AhKh", "QsQc", "8h6h", "AcAd"), 2):
        near, far = (
            hand_distance(HOLDEM, cards(first), cards(second), board, kind).distance
            for kind in ("histogram", "potential")
        )
        assert far >= near - 1e-9
    assert far > near + 0.1


def test_clusters_of_opponents_are_made_where_none_are_given() -> None:
    found = hand_distance(SMALL, [0], [11], (), "ochs", opponents=3)
    assert len(found.first) == 3
    assert found.distance == pytest.approx(np.linalg.norm(found.first - found.second), abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("AhKd", "Qs", "7h9h2d", "ehs"), "has 2 cards, not 1"),
        (("AhKdQd", "QsQc", "7h9h2d", "ehs"), "has 2 cards, not 3"),
        (("AhKd", "QsQc", "7h9h", "ehs"), "No round of"),
        (("AhKd", "QsQc", "7hAh2d", "ehs"), "twice"),
        (("AhKd", "QsQc", "7h9h2d", "strength"), "no features 'strength'"),
        (("AhKd", "QsQc", "", "potential"), "19,600 boards"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises((CardsError, InputError), match=message):
        hand_distance(HOLDEM, *map(cards, arguments[:3]), arguments[3])


def test_boards_are_of_one_round_and_bins_at_least_one() -> None:
    with pytest.raises(CardsError, match="give two of one round"):
        hand_distance(HOLDEM, cards("AhKd"), cards("QsQc"), cards("7h9h2d"), second_board=())
    with pytest.raises(InputError, match="bins must be at least 1"):
        hand_distance(HOLDEM, cards("AhKd"), cards("QsQc"), cards("7h9h2d"), bins=0)
    assert set(distance.UNITS) == set(FeatureKind)
