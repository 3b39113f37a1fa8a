"""Values of AIVAT that follow strategies until the street ends, and equity from there on."""

from __future__ import annotations

import numpy as np
import pytest
from whole_games import RandomMixture, every_hand

from errai.agents.agent import StrategicAgent
from errai.agents.reader import read_agent
from errai.arena.luck.estimators import Aivat, read_values
from errai.arena.luck.values import Equity, ExactValues, PrivateDeals, StreetValues
from errai.errors import MatchError
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.hand import CALL, PublicState, raise_to


def strategic(name: str, game: Game) -> StrategicAgent:
    agent = read_agent(name, game)
    assert isinstance(agent, StrategicAgent)
    return agent


def test_on_a_last_street_they_are_the_exact_values() -> None:
    kuhn, leduc = load_game("kuhn"), load_game("leduc")
    after = PublicState.start(leduc).after(raise_to(0)).after(CALL)
    for game, states in (
        (kuhn, [PublicState.start(kuhn), PublicState.start(kuhn).after(CALL)]),
        (leduc, [after.with_cards((card,)) for card in (0, 3)]),
    ):
        pair = strategic("by-strength", game), strategic("uniform", game)
        exact, street = ExactValues(game, pair), StreetValues(game, pair, "x")
        deals = PrivateDeals(game)
        first, second = deals.possible(0), deals.possible(1)
        together = deals.disjoint(first, second)
        for state in states:
            for card in state.board:
                together &= deals.free_of(first, (card,))[:, None] & deals.free_of(second, (card,))
            a, b = (values.pairs(state, first, second) for values in (exact, street))
            np.testing.assert_allclose(b[together], a[together], atol=1e-12)


def test_before_the_last_street_they_are_betting_and_then_equity() -> None:
    """By hand: in Leduc the first player checks, the second bets, and the first calls the bet."""
    leduc = load_game("leduc")
    caller, raiser = strategic("always-call", leduc), strategic("always-raise", leduc)
    values = StreetValues(leduc, (caller, raiser), "x")
    start = PublicState.start(leduc)
    hands = PrivateDeals(leduc).possible(0)
    checked = start.after(CALL)
    choices = raiser.strategy(checked)
    called = checked.after(choices.actions[int(choices.probabilities[0].argmax())]).after(CALL)
    assert called.cards_due
    equity = Equity(leduc).pairs(called, hands, hands)
    np.testing.assert_allclose(values.pairs(start, hands, hands), equity, atol=1e-12)
    # The luck of the public card is that of the betting which it begins: here another bet, called, and the showdown.
    mean = np.zeros_like(equity)
    for card in range(6):
        free = (hands != card)[:, None] & (hands != card)
        mean += np.where(free, values.pairs(called.with_cards((card,)), hands, hands), 0.0) / 4.0
    together = ~np.eye(6, dtype=np.bool_)
    np.testing.assert_allclose(values.over_cards(called, hands, hands)[together], mean[together], atol=1e-12)


@pytest.mark.parametrize(("name", "never"), [("leduc", 0.6), ("leduc.nolimit", 0.8)])
@pytest.mark.parametrize("values", ["street:by-strength", "street:always-call"])
def test_estimates_are_unbiased_whatever_the_strategies(name: str, never: float, values: str) -> None:
    """Over all hands of a game between two strategies that do little, with their true probabilities."""
    game = load_game(name)
    agents = RandomMixture(1, never), RandomMixture(2, never)
    estimator = Aivat(game, agents, read_values(values, game))
    hands = [(p, hand.net_chips[0], estimator.estimate(hand, 0)) for p, hand in every_hand(game, agents)]
    assert sum(p * estimate for p, _, estimate in hands) == pytest.approx(sum(p * chips for p, chips, _ in hands))
    if name == "leduc":  # With so few actions of so many sizes in the other game, these values help little.
        assert sum(p * estimate**2 for p, _, estimate in hands) < sum(p * chips**2 for p, chips, _ in hands)


def test_the_grammar_of_values() -> None:
    leduc = load_game("leduc")
    assert read_values("street:uniform", leduc).name == "values of street:uniform"  # type: ignore[union-attr]
    with pytest.raises(MatchError, match="does not give its strategy"):
        read_values("street:random-bets", load_game("holdem.nolimit.2p"))
