"""Simulated means against exact ones, where these can be had by enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from errai.abstraction.deals import DealIndexer
from errai.agents.agent import number_of_hand
from errai.agents.literature.poki.betting import bet_lines, triples
from errai.agents.literature.poki.evaluation import Board, Evaluation, income_rates, sharing
from errai.agents.literature.poki.opponent import Modelling, OpponentModel, places
from errai.agents.literature.poki.simulation import CALL, RAISE, DecisionPoint, _draw_levels, simulate
from errai.cards.deck import FULL_DECK
from errai.games.catalogue import load_game
from errai.tree.betting_tree import NodeKind

GAME = load_game("holdem.limit.2p")
DEALS, LINES = DealIndexer(GAME), bet_lines(GAME)
RATES = income_rates()


def node(line: str) -> int:
    found = 0
    for letter in line:
        found = int(LINES.child[found, "fcr".index(letter)])
    return found


def asked(line: str, board: str, hand: str, seed: int | None = None) -> tuple[DecisionPoint, OpponentModel]:
    """A situation, and a model with drawn weights."""
    model = OpponentModel(LINES, Modelling.SPECIFIC)
    index = number_of_hand(FULL_DECK.parse_cards(hand))
    table = Board(DEALS, FULL_DECK.parse_cards(board)) if board else None
    possible = ~sharing(DEALS, index) & (True if table is None else table.now >= 0)
    model.new_hand(possible)
    if seed is not None:
        model.weights = np.where(possible, np.random.default_rng(seed).random(1326) ** 4, 0.0)
    here = node(line)
    evaluation = table.evaluate(index, model.weights) if table is not None else None
    return DecisionPoint(DEALS, LINES, here, table, index, evaluation, RATES), model


def test_a_call_that_ends_the_hand() -> None:
    """On the river the mean of a call is known: the share of the opponent's hands that lose, times the stake."""
    situation, model = asked("ccccccr", "9d6c2dKsAh", "KhTd", seed=1)
    found = simulate(situation, model, 40_000, np.random.default_rng(0))
    stake = 10.0 + 20.0
    strength = situation.evaluation.strength if situation.evaluation else 0.0
    exact = stake * (2 * strength - 1)
    assert found[CALL] == pytest.approx(exact, abs=4 * stake / 200)


def test_river_raises_by_enumeration() -> None:
    """All hands of the opponent and all lines from the river's first bet, weighed by the same triples."""
    situation, model = asked("cccccc", "9d6c2dKsAh", "KhTd", seed=2)
    assert situation.board is not None
    assert situation.evaluation is not None
    board, evaluation, player = situation.board, situation.evaluation, int(LINES.tree.actor[situation.node])
    place = places(board.values, model.weights)
    better = np.sign(board.now[situation.hand] - board.now)
    known, income = Evaluation(*(np.array([x]) for x in evaluation)), RATES[player, [situation.hand]]
    last = GAME.first_player[-1] != player

    def value(here: int) -> np.ndarray:
        """float64[1326]: the player's mean net chips against each hand."""
        nodes = np.full(1326, here)
        if LINES.tree.kind[here] != NodeKind.DECISION:
            return LINES.net_chips(nodes, player, better)
        if LINES.tree.actor[here] == player:
            chances = np.repeat(triples(LINES, nodes[:1], known, income, last_to_act=last), 1326, axis=0)
        else:
            chances = model.triples(place, nodes)
        return sum(
            chances[:, kind] * value(int(LINES.child[here, kind])) for kind in range(3) if LINES.child[here, kind] >= 0
        )

    found = simulate(situation, model, 40_000, np.random.default_rng(0))
    for action in (CALL, RAISE):
        exact = model.weights @ value(int(LINES.child[situation.node, action])) / model.weights.sum()
        assert found[action] == pytest.approx(exact, abs=0.6), action


@pytest.mark.parametrize(("line", "board"), [("cc", "AsKsQs"), ("cccc", "AsKsQs2d")])
def test_the_best_hand_against_one_who_does_not_look(line: str, board: str) -> None:
    """A royal flush raises at every turn; against blind actions its mean is a sum over the lines of bets alone."""
    situation, model = asked(line, board, "JsTs")
    model.blind_odds = np.where(np.arange(11) == 10, 0.0, -np.inf)
    assert model.blind_share == 1.0
    player = int(LINES.tree.actor[situation.node])

    def value(here: int) -> float:
        if LINES.tree.kind[here] != NodeKind.DECISION:
            return float(LINES.net_chips(np.array([here]), player, np.array([1]))[0])
        if LINES.tree.actor[here] == player:
            return value(int(LINES.child[here, 2 if LINES.can_raise[here] else 1]))
        chances = model.triples(np.array([0.5]), np.array([here]))[0]
        return sum(chances[kind] * value(int(LINES.child[here, kind])) for kind in range(3) if chances[kind] > 0)

    found = simulate(situation, model, 6_000, np.random.default_rng(3))
    for action in (CALL, RAISE):
        assert found[action] == pytest.approx(value(int(LINES.child[situation.node, action])), abs=4.0)


def test_one_who_always_folds_is_raised() -> None:
    situation, model = asked("cc", "9d6c2d", "4h3s")
    model.frequencies[0] = 1.0
    model.blind_odds = np.where(np.arange(11) == 10, 0.0, -np.inf)
    found = simulate(situation, model, 200, np.random.default_rng(0))
    assert found[RAISE] == 10.0
    assert found[RAISE] > found[CALL]


def test_boards_to_come_hold_no_card_twice() -> None:
    for line, board, sizes in (("cc", "9d6c2d", [14, 140]), ("cccc", "9d6c2dKs", [46]), ("", "", [8, 32, 128])):
        situation, _ = asked(line, board, "KhTd")
        levels = _draw_levels(situation, np.random.default_rng(0))
        assert [len(level.boards) for level in levels] == sizes
        known = set(FULL_DECK.parse_cards("KhTd"))
        before = np.array([FULL_DECK.parse_cards(board)] if board else [[]], dtype=np.int16).reshape(1, -1)
        for level in levels:
            assert (level.boards[:, : before.shape[1]] == before[level.parent]).all()
            for row in level.boards.tolist():
                assert len(set(row)) == len(row)
                assert not known & set(row)
            before = level.boards
        # All cards that may come after one board are different ones.
        assert len(np.unique(np.sort(levels[-1].boards, axis=1), axis=0)) >= 0.9 * len(levels[-1].boards)


def test_the_same_numbers_give_the_same_means() -> None:
    situation, model = asked("", "", "KhTd")
    means = [simulate(situation, model, 100, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert means[0] == means[1] != means[2]
    assert set(means[0]) == {CALL, RAISE}


def test_hands_are_drawn_as_their_weights_say() -> None:
    """Against two hands, one certain to win and one to lose, a call on the turn with no raise after it."""
    situation, model = asked("ccccccr", "9d6c2dKsAh", "KhTd")
    strong, weak = (number_of_hand(FULL_DECK.parse_cards(text)) for text in ("AcAd", "4c3c"))
    model.weights[:] = 0.0
    model.weights[[strong, weak]] = 0.25, 1.0
    found = simulate(situation, model, 20_000, np.random.default_rng(0))
    assert found[CALL] == pytest.approx(30.0 * (0.8 - 0.2), abs=1.0)
