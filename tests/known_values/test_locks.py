"""Node locking against a linear program that keeps what is locked, and a plain walk over real boards and hands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from real_play import plain
from small_subjects import SHORT_TURN, WEIGHTED_RIVER

import errai
from errai.games.game import Game
from errai.games.spot import Spot, parse_spot
from errai.judges.sequence_form import SequenceFormSolution, sequence_form_lp
from errai.kernels.layout import FIXED
from errai.solutions.solution import Solution

LOCKS: dict[str, tuple[str, dict[str, Any]]] = {
    "kuhn": ("kuhn", {"": {"A": {"bet": 1}, "Q": {"check": 0.5, "b": 0.5}}, "k b": {"*": {"fold": 0.25, "c": 0.75}}}),
    "leduc, a hand of one suit": ("leduc", {"": {"Ks": {"bet": 1}}, "bet": {"A": {"call": 1}}}),
    "leduc, on one card": ("leduc", {"k k / Kh": {"Qs, A": {"bet 4": 0.5, "check": 0.5}, "Ks": {"check": 1}}}),
    "leduc, whatever comes": ("leduc", {"check check / *": {"check": 1}, "k k / * / check": {"K": {"bet 4": 1}}}),
    "river, some hands": (WEIGHTED_RIVER, {"": {"AA, KcKd": {"check": 1}, "54s": {"bet 50": 0.7, "bet 300": 0.3}}}),
    "river, a whole decision": (WEIGHTED_RIVER, {"check": {"check": 0.75, "bet 50": 0.25}}),
    "river, hands of one suit": (WEIGHTED_RIVER, {"bet 50": {"AhJh, 6c5c": {"raise 300": 1}, "JJ": {"call": 1}}}),
    "turn, on one card": (SHORT_TURN, {"k k / 7c": {"QQ": {"bet 100": 1}}, "k k / 7c / k": {"AhKh": {"check": 1}}}),
    "turn, whatever comes": (
        SHORT_TURN.replace("stack = 200", "stack = 100"),
        {"check": {"22": {"bet": 1}}, "k k / *": {"T9s": {"b100": 0.5, "check": 0.5}}},
    ),
}


def solved(name: str, target: str | None = None, **options: Any) -> Solution:
    text, locks = LOCKS[name]
    subject: Game | Spot = parse_spot(text) if "board" in text else errai.load_game(text)
    return errai.solve(subject, target, locks=locks, precision="float64", **options)


def locked_behaviour(solution: Solution) -> dict[tuple[int, tuple[int, ...], int], np.ndarray]:
    """The locked strategy, by betting node, real board and hand, with at most one card to come."""
    tree = solution.tree
    assert tree.locks is not None
    unseen = [card for card in range(tree.root.deck.num_cards) if card not in tree.root.board]
    kept = {}
    for s, dealt in enumerate([[()], [((card,),) for card in unseen]][: tree.betting.num_streets]):
        for cards in dealt:
            for node in tree.betting.street_nodes(s):
                lock = tree.locks.at(node, cards)
                for hand in np.flatnonzero(lock.role == FIXED) if lock is not None else []:
                    kept[node, (*solution.board, *(card for new in cards for card in new)), int(hand)] = lock.strategy[
                        :, hand
                    ]
    return kept


def linear_program(solution: Solution) -> SequenceFormSolution:
    options: dict[str, Any] = {"locked": locked_behaviour(solution)}
    subject = solution.subject
    if isinstance(subject, Spot):
        options |= {"board": subject.board, "ranges": subject.ranges}
        subject = subject.game
    return sequence_form_lp(solution.tree.betting, subject, **options)


def net(solution: Solution) -> float:
    return solution.values.chips[0] - (solution.subject.pot / 2 if isinstance(solution.subject, Spot) else 0.0)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("name", LOCKS)
def test_gains_keep_what_is_locked(name: str, backend: str) -> None:
    """Best responses that keep the locks, against a walk over real hands without classes."""
    if backend == "reference" and name.startswith("turn"):
        pytest.skip("slow; other games hold the two backends together")
    solution = solved(name, max_iterations=8, backend=backend)
    kept = locked_behaviour(solution)
    found = plain(solution, locked=lambda node, board, hand: (node, board, hand) in kept)
    assert solution.exploitability.by_player == pytest.approx(found.gains, abs=1e-9)
    assert net(solution) == pytest.approx(found.value, abs=1e-9)
    free = plain(solution)
    assert found.exploitability < free.exploitability - 1e-4
    # Whatever is locked, the value of the game lies between what either player can make sure of.
    exact = linear_program(solution)
    assert exact.duality_gap < 1e-9 * solution.initial_pot_chips
    gains = solution.exploitability.by_player
    assert net(solution) - gains[1] - 1e-9 <= exact.value <= net(solution) + gains[0] + 1e-9


@pytest.mark.parametrize("name", [name for name in LOCKS if name != "turn, whatever comes"])
def test_the_rest_is_an_equilibrium_of_what_is_left(name: str) -> None:
    solution = solved(name, "0.00002%pot")
    assert solution.status == "target met"
    assert net(solution) == pytest.approx(linear_program(solution).value, abs=1e-6 * solution.initial_pot_chips)


@pytest.mark.parametrize("encoding", ["float64", "float32", "uint16"])
@pytest.mark.parametrize("name", ["kuhn", "leduc, on one card", "river, some hands", "turn, whatever comes"])
def test_what_is_locked_keeps_its_bits(name: str, encoding: str) -> None:
    solution = solved(name, max_iterations=3, encoding=encoding)
    one = 65535 if encoding == "uint16" else 1
    betting, deal, arrays = solution.tree.betting, solution.tree.deal.streets, solution.tree.arrays.streets
    # Boards that stand for an orbit are real ones.
    known = len(solution.board)
    boards = [{tuple(cards[known:]): b for b, cards in enumerate(street.boards.tolist())} for street in deal]
    seen = 0
    for (node, board, hand), given in locked_behaviour(solution).items():
        s, player = int(betting.street[node]), int(betting.actor[node])
        hands, rows = deal[s].hands[player], arrays[s].num_rows[player]
        if board[known:] not in boards[s]:
            continue
        first, last = hands.start[boards[s][board[known:]] :][:2]
        place = np.flatnonzero(hands.hand[first:last] == hand)
        if not len(place):  # Another hand stands for its class.
            continue
        block = solution.strategy[s][player][rows * first : rows * last].reshape(rows, -1)
        row = int(arrays[s].row[node - betting.street_start[s]])
        expected = np.rint(given * one) if encoding == "uint16" else given
        assert (block[row : row + len(given), place[0]] == expected.astype(block.dtype)).all()
        seen += 1
    assert seen >= 3


@pytest.mark.parametrize("name", ["leduc, a hand of one suit", "leduc, on one card", "turn, on one card"])
def test_suits_that_locks_tell_apart_are_apart(name: str) -> None:
    """Suits are merged as far as locks allow; that the game is the same then, the walk over real hands says above."""
    solution = solved(name, max_iterations=1)
    free = errai.solve(solution.subject, max_iterations=1)
    assert len(free.tree.root.symmetries) > len(solution.tree.root.symmetries)


def test_every_card_by_name_is_as_good_as_any_card() -> None:
    game = errai.load_game("leduc")
    any_card = {"check check / *": {"A": {"bet 4": 1}}}
    named = {f"check check / {game.deck.card_text(c)}": {"A": {"bet 4": 1}} for c in range(game.deck.num_cards)}
    options: dict[str, Any] = {"max_iterations": 20}
    first, second = (errai.solve(game, locks=locks, **options) for locks in (any_card, named))
    assert len(first.tree.root.symmetries) == len(second.tree.root.symmetries) == 8
    for mine, theirs in zip(first.strategy, second.strategy, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            assert np.array_equal(a, b)
    assert first.tree.locks is not None
    assert list(first.tree.locks.to_dict()) == ["check check / * /"]


def test_hands_that_respond_best_gain_nothing() -> None:
    """With its first decision locked to the best answer a player can gain at the second one only."""
    locks = {"": "best"}
    solution = errai.solve(errai.load_game("kuhn"), max_iterations=4000, locks=locks)
    assert solution.values.chips[0] == pytest.approx(-1 / 18, abs=5e-3)
    assert solution.exploitability.chips < 5e-3
    assert solution.tree.values_cancel is False
