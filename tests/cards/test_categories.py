"""Categories of hands against a second evaluator, against definitions hand by hand, and against the next cards."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import phevaluator
import pytest

from errai.cards.categories import DRAWS, MADE_HANDS, draws, made_hands
from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards, hand_index
from errai.errors import CardsError

HANDS = hand_cards(52, 2)
BEST_RANKS = (7462, 6185, 3325, 2467, 1609, 1599, 322, 166, 10)
"""The weakest hand of each category in phevaluator's order, in which 1 is the strongest: high card, pair, ..."""
PAIRS = ("overpair", "top pair", "pocket pair under top pair", "second pair", "third pair", "weak pair")
FIXED = {
    "straight flush": 8,
    "quads": 7,
    "full house": 6,
    "flush": 5,
    "straight": 4,
    "set": 3,
    "trips": 3,
    "two pair": 2,
}


def category_of(strength: int) -> int:
    """The category of phevaluator's number, from 0 for a high card to 8 for a straight flush."""
    return max(code for code, weakest in enumerate(BEST_RANKS) if strength <= weakest)


def of_board_alone(board: tuple[int, ...]) -> int:
    """The category of the board's own pairs and triples."""
    counts = sorted(np.bincount([card // 4 for card in board]).tolist(), reverse=True)
    return 3 if counts[0] == 3 else 2 if counts[:2] == [2, 2] else 1 if counts[0] == 2 else 0


def implied(name: str, board: tuple[int, ...]) -> int:
    """The category at the showdown of a hand of this name."""
    if name in FIXED:
        return FIXED[name]
    return min(of_board_alone(board) + 1, 2) if name in PAIRS else of_board_alone(board)


def random_boards(rng: np.random.Generator, size: int, count: int) -> list[tuple[int, ...]]:
    return [tuple(rng.choice(52, size, replace=False).tolist()) for _ in range(count)]


def awkward_boards() -> list[tuple[int, ...]]:
    """Boards that random ones seldom are: paired, of three and four of a kind, of one suit, of five in a row."""
    texts = (
        "KhKd7c", "7h7d7c", "KhKd7c7s", "KhKd7c7s2h", "7h7d7c7s2h", "7h7d7cKsKh", "2h2d3cKsQh", "AhKhQhJhTh",
        "5h6d7c8s", "5h6d7c8s9h", "2h5h9hKh", "2h5h9hKhQh", "AhAdKcKsQh", "7h7d7cKs2h", "As2d3c", "As2d3c4h",
        "QhQd7c7sKh", "2h2d3c3sAh",
    )  # fmt: skip
    return [FULL_DECK.parse_cards(text) for text in texts]


@pytest.mark.parametrize(("size", "count"), [(3, 12), (4, 12), (5, 12)])
def test_the_rank_of_every_hand_is_that_of_a_second_evaluator(size: int, count: int) -> None:
    rng = np.random.default_rng(size)
    boards = random_boards(rng, size, count) + [board for board in awkward_boards() if len(board) == size]
    for board in boards:
        made = made_hands(board)
        for hand, name in zip(HANDS.tolist(), made.tolist(), strict=True):
            if set(hand) & set(board):
                assert name == -1
            else:
                other = category_of(phevaluator.evaluate_cards(*board, *hand))
                assert implied(MADE_HANDS[name], board) == other, (board, hand, MADE_HANDS[name])


@pytest.mark.slow
def test_the_rank_of_every_hand_is_that_of_a_second_evaluator_on_thousands_of_boards() -> None:
    rng = np.random.default_rng(11)
    for size in (3, 4, 5):
        for board in random_boards(rng, size, 1000):
            made = made_hands(board)
            expected = [
                category_of(phevaluator.evaluate_cards(*board, *hand)) if not set(hand) & set(board) else -1
                for hand in HANDS.tolist()
            ]
            implied_here = {place: implied(MADE_HANDS[place], board) for place in set(made.tolist()) - {-1}} | {-1: -1}
            assert [implied_here[place] for place in made.tolist()] == expected


@pytest.mark.parametrize(
    ("board", "hands"),
    [
        (
            "Kh8d3c",
            {
                "KsKc": "set", "8s8c": "set", "K8s": None, "Ks8h": "two pair", "AhAd": "overpair", "KdQs": "top pair",
                "TsTh": "pocket pair under top pair", "8hAs": "second pair", "3hAs": "third pair", "7s7h": "weak pair",
                "2s2h": "weak pair", "AsQs": "ace high", "QsJs": "nothing",
            },
        ),
        ("Qh8d3c", {"KsJs": "king high", "KsAs": "ace high"}),
        # The pair of the board belongs to everybody.
        ("KhKd7c", {"KsQs": "trips", "AsAh": "overpair", "7sAs": "second pair", "9s9h": "pocket pair under top pair",
                    "5s5h": "weak pair", "AsQs": "ace high", "7s7h": "full house", "KsKc": "quads"}),
        ("7h7d7c", {"AsKs": "ace high", "KsQs": "king high", "QsJs": "nothing", "2s2h": "full house", "7s2h": "quads"}),
        # A pair that two pairs of the board beat adds nothing.
        ("KhKd7c7s2h", {"5s5h": "nothing", "2s3s": "nothing", "As2d": "ace high", "9s9h": "pocket pair under top pair",
                        "AhAd": "overpair"}),
        ("KhKd7c2s", {"7h2h": "second pair"}),
        ("2h2dKc7s", {"Kh7h": "two pair", "As3s": "ace high"}),
        ("AhJd8c5s", {"5hKs": "weak pair", "8hKs": "third pair"}),
        # Hands of five cards count where they lie.
        ("AhKhQhJhTh", {"2s3d": "straight flush"}),
        ("5h6d7c8s9h", {"2s3d": "straight", "TsJd": "straight"}),
        ("2h5h9hKhQh", {"AsAd": "flush", "Ah3d": "flush"}),
        ("7h7d7c7s2h", {"AsKs": "quads"}),
        ("As2d3c", {"4h5h": "straight", "4hAd": "top pair"}),
    ],
)  # fmt: skip
def test_hands_have_the_names_that_players_give_them(board: str, hands: dict[str, str | None]) -> None:
    made = made_hands(FULL_DECK.parse_cards(board))
    for hand, name in hands.items():
        if name is not None:
            assert MADE_HANDS[made[hand_index(FULL_DECK.parse_cards(hand))]] == name, hand


def has_flush(cards: tuple[int, ...]) -> bool:
    return int(np.bincount([card % 4 for card in cards], minlength=4).max()) >= 5


def best_straight(cards: tuple[int, ...]) -> int:
    """The highest rank of the best straight among some cards, -1 if there is none."""
    ranks = {card // 4 for card in cards} | ({-1} if any(card // 4 == 12 for card in cards) else set())
    return max((top for top in range(3, 13) if {top - i for i in range(5)} <= ranks), default=-1)


def made_rank(board: tuple[int, ...], hand: list[int]) -> int:
    return category_of(phevaluator.evaluate_cards(*board, *hand))


def test_draws_are_the_hands_for_which_so_many_next_cards_help() -> None:
    rng = np.random.default_rng(5)
    boards = random_boards(rng, 3, 6) + random_boards(rng, 4, 6)
    boards += [board for board in awkward_boards() if len(board) < 5]
    seen = set()
    for board in boards:
        has = dict(zip(DRAWS, draws(board), strict=True))
        for index in rng.choice(len(HANDS), 150, replace=False).tolist():
            hand = HANDS[index].tolist()
            if set(hand) & set(board):
                assert not any(has[name][index] for name in DRAWS)
                continue
            rank = made_rank(board, hand)
            flushes = straights = either = overs = 0
            for card in set(range(52)) - set(board) - set(hand):
                after, all_cards = (*board, card), (*board, card, *hand)
                flush = rank < 5 and has_flush(all_cards) and not has_flush(after)
                straight = rank < 4 and best_straight(all_cards) > best_straight(after)
                flushes, straights, either = flushes + flush, straights + straight, either + (flush or straight)
                higher = card // 4 > max(board) // 4 and card // 4 in (hand[0] // 4, hand[1] // 4)
                overs += higher
            straight_draws = [has[name][index] for name in ("open-ended", "double gutshot", "gutshot")]
            assert has["flush draw"][index] == (flushes == 9) == (flushes > 0)
            assert (has["open-ended"] | has["double gutshot"])[index] == (straights >= 8)
            assert has["gutshot"][index] == (straights == 4)
            assert sum(straight_draws) == (straights > 0)
            assert has["combo draw"][index] == (flushes > 0 and straights > 0)
            if has["combo draw"][index]:
                assert either == (12 if straights == 4 else straights + 7)
            below = MADE_HANDS[made_hands(board)[index]] in ("ace high", "king high", "nothing")
            assert has["overcards"][index] == (overs == 6 and below)
            seen.update(name for name in DRAWS if has[name][index])
    assert seen == set(DRAWS)


def test_a_nut_flush_draw_makes_a_flush_that_no_other_flush_beats() -> None:
    rng = np.random.default_rng(8)
    met = 0
    for text in ("9h4hKc", "AhTh5d", "9h4h2h", "Kd8d4c2d", "AsKsQd"):
        board = FULL_DECK.parse_cards(text)
        has = dict(zip(DRAWS, draws(board), strict=True))
        assert (has["nut flush draw"] <= has["flush draw"]).all()
        drawing = np.flatnonzero(has["flush draw"])
        for index in rng.choice(drawing, 8, replace=False).tolist():
            hand = HANDS[index].tolist()
            suit = next(s for s in range(4) if sum(card % 4 == s for card in (*hand, *board)) == 4)
            beaten = False
            for card in set(range(suit, 52, 4)) - set(board) - set(hand):
                after = (*board, card)
                own = flush_ranks((*after, *hand), suit)
                left = [c for c in range(suit, 52, 4) if c not in after and c not in hand]
                beaten |= any(flush_ranks((*after, *other), suit) > own for other in combinations(left, 2))
                beaten |= any(flush_ranks((*after, c), suit) > own for c in left)
            assert has["nut flush draw"][index] == (not beaten)
            met += not beaten
    assert met


def flush_ranks(cards: tuple[int, ...], suit: int) -> list[int]:
    return sorted((card // 4 for card in cards if card % 4 == suit), reverse=True)[:5]


def test_a_backdoor_flush_draw_needs_both_cards_that_come() -> None:
    board = FULL_DECK.parse_cards("9h4hKc")
    has = dict(zip(DRAWS, draws(board), strict=True))
    for text, expected in (("AhQd", True), ("AcQc", True), ("AhQh", False), ("AsQs", False), ("As9s", False)):
        hand = FULL_DECK.parse_cards(text)
        rest = sorted(set(range(52)) - set(board) - set(hand))
        count = sum(map(has_flush, ((*board, *hand, *two) for two in combinations(rest, 2))))
        one = any(has_flush((*board, *hand, card)) for card in rest)
        assert has["backdoor flush draw"][hand_index(hand)] is np.bool_(expected)
        assert (count == 45 and not one) is expected


def test_open_ended_and_double_gutshots_are_told_apart() -> None:
    has = dict(zip(DRAWS, draws(FULL_DECK.parse_cards("9h8d2c")), strict=True))
    straights = ("open-ended", "double gutshot", "gutshot")
    rows = {text: hand_index(FULL_DECK.parse_cards(text)) for text in ("Ts7s", "JsTs", "6s5s", "QsTs", "As3s")}
    names = {text: [name for name in straights if has[name][row]] for text, row in rows.items()}
    assert names == {
        "Ts7s": ["open-ended"],
        "JsTs": ["open-ended"],
        "6s5s": ["gutshot"],
        "QsTs": ["gutshot"],
        "As3s": [],
    }
    double = dict(zip(DRAWS, draws(FULL_DECK.parse_cards("Th8d6c")), strict=True))
    assert double["double gutshot"][hand_index(FULL_DECK.parse_cards("9s5s"))] == np.False_
    assert double["double gutshot"][hand_index(FULL_DECK.parse_cards("Qs9s"))] == np.True_
    assert double["double gutshot"][hand_index(FULL_DECK.parse_cards("7s4s"))] == np.True_
    # What the board will have without the hand is no draw of the hand.
    board = FULL_DECK.parse_cards("5h6d7c8s")
    assert not draws(board)[DRAWS.index("open-ended"), hand_index(FULL_DECK.parse_cards("KdQs"))]


def test_the_river_has_no_draws_and_other_boards_no_categories() -> None:
    assert not draws(FULL_DECK.parse_cards("2h5h9hKhQd")).any()
    for board in ("", "KhKd", "KhKd7c7s2h3h"):
        with pytest.raises(CardsError, match="3 to 5 cards"):
            made_hands(FULL_DECK.parse_cards(board))
    with pytest.raises(CardsError, match="twice"):
        draws((5, 5, 9))
