"""One query for all boards that are equal up to a renaming of suits."""

from __future__ import annotations

import numpy as np

import errai
from errai.games.hand import CALL, PublicState, raise_to
from errai.strategies.strategy import Choices, live_hands
from errai.strategies.suits import SuitsAlike


def test_suits_are_renamed_and_nothing_else() -> None:
    """A strategy that is symmetric only up to rounding is queried on one of all isomorphic boards."""
    game = errai.load_game("holdem-2-1")
    asked: list[tuple[int, ...]] = []

    class ByCards:
        def strategy(self, state: PublicState) -> Choices:
            asked.append(state.board)
            live = live_hands(state)
            # What it does with a hand says which hand it is.
            share = np.arange(len(live)) / len(live)
            rows = np.stack([share, 1.0 - share], axis=1) * live[:, None]
            return Choices(state.legal_actions[:2], rows)

    alike = SuitsAlike(ByCards(), game)
    flop = PublicState.start(game).after(raise_to(20)).after(CALL)
    boards = [(0, 5, 10), (10, 0, 5), (1, 6, 11), (3, 4, 9)]  # 2c 3d 4h and the same with the suits renamed
    answers = [alike.strategy(flop.with_cards(board).after(raise_to(30))) for board in boards]
    assert len(set(asked)) == 1
    for board, answer in zip(boards, answers, strict=True):
        assert np.array_equal(answer.probabilities.sum(axis=1) > 0, live_hands(flop.with_cards(board)))
    image, hands = alike.representative((1, 6, 11))
    assert image == alike.representative((0, 5, 10))[0]
    assert sorted(hands.tolist()) == list(range(1326))
    again = ByCards().strategy(flop.with_cards(image).after(raise_to(30)))
    assert np.array_equal(answers[2].probabilities, again.probabilities[hands])
