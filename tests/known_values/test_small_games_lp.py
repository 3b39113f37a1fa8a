"""Published values of small games, from matrix games and the sequence form; OpenSpiel checks the results."""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest
from regret_matching import RegretMatching

from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.spot import parse_spot
from errai.judges.explicit_game import Behaviour, evaluate_profile, uniform_strategy
from errai.judges.sequence_form import SequenceForm, SequenceFormSolution, sequence_form_lp
from errai.tree.betting_tree import BettingTree, build_betting_tree

OPENSPIEL = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    # fcpa: fold, call, pot, all-in.
    "leduc.nolimit": "universal_poker(betting=nolimit,numPlayers=2,numRounds=2,blind=100 100,stack=1200 1200,"
    "firstPlayer=1 1,numSuits=2,numRanks=3,numHoleCards=1,numBoardCards=0 1,bettingAbstraction=fcpa)",
}


def solve(name: str) -> tuple[Game, BettingTree, SequenceFormSolution]:
    game = load_game(name)
    betting = build_betting_tree(game)
    return game, betting, sequence_form_lp(betting, game)


def node_at(betting: BettingTree, *actions: str) -> int:
    node = 0
    for action in actions:
        node = betting.children(node)[betting.actions(node).index(action)]
    return node


def openspiel_policy(
    game: pyspiel.Game, betting: BettingTree, strategies: tuple[Behaviour, Behaviour]
) -> dict[str, list[tuple[int, float]]]:
    """The strategies by OpenSpiel's information states; both number cards by rank, then suit."""
    policy = {}

    def walk(state: pyspiel.State, node: int, hands: tuple[int, ...], board: tuple[int, ...]) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for card, _ in state.chance_outcomes():
                if len(hands) < 2:
                    walk(state.child(card), node, (*hands, card), board)
                else:
                    walk(state.child(card), betting.children(node)[0], hands, (*board, card))
            return
        player, actions, children = state.current_player(), state.legal_actions(), betting.children(node)
        assert (player, len(actions)) == (betting.actor[node], len(children))
        chosen = strategies[player][node, board, hands[player]]
        policy[state.information_state_string(player)] = [
            (action, float(p)) for action, p in zip(actions, np.asarray(chosen), strict=True)
        ]
        for action, child in zip(actions, children, strict=True):
            walk(state.child(action), child, hands, board)

    walk(game.new_initial_state(), 0, (), ())
    return policy


def test_the_lectures_trace_of_regret_matching() -> None:
    # Rock, paper, scissors; I play rock and then paper, the opponent paper and then scissors.
    payoffs = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    learner = RegretMatching(3)
    learner.observe(payoffs[:, 1], played=0)
    assert learner.cumulative_regrets.tolist() == [0, 1, 2]
    assert learner.play().tolist() == [0, 1 / 3, 2 / 3]
    learner.observe(payoffs[:, 2], played=1)
    assert learner.cumulative_regrets.tolist() == [2, 1, 3]
    assert learner.play().tolist() == [1 / 3, 1 / 6, 1 / 2]
    assert learner.average == pytest.approx([1 / 6, 3 / 12, 7 / 12], abs=1e-15)


def test_kuhn() -> None:
    """Kuhn (1950): -1/18, 12 information sets, a family of equilibria for player 0 and one for player 1."""
    _, betting, solution = solve("kuhn")
    assert solution.value == pytest.approx(-1 / 18, abs=1e-12)
    assert solution.duality_gap == pytest.approx(0, abs=1e-12)
    assert sum(solution.form.num_information_sets) == 12

    jack, queen, king = 0, 1, 2
    first, second = solution.strategies
    assert betting.actions(0) == ("check", "bet 1")
    alpha = first[0, (), jack][1]
    assert -1e-9 <= alpha <= 1 / 3 + 1e-9
    assert first[0, (), queen][1] == pytest.approx(0, abs=1e-9)
    assert first[0, (), king][1] == pytest.approx(3 * alpha, abs=1e-9)
    raised = node_at(betting, "check", "bet 1")
    assert betting.actions(raised) == ("fold", "call")
    assert first[raised, (), queen][1] == pytest.approx(alpha + 1 / 3, abs=1e-9)

    checked, bet = node_at(betting, "check"), node_at(betting, "bet 1")
    assert [second[checked, (), h][1] for h in range(3)] == pytest.approx([1 / 3, 0, 1], abs=1e-9)
    assert [second[bet, (), h][1] for h in range(3)] == pytest.approx([0, 1 / 3, 1], abs=1e-9)


@pytest.mark.parametrize("alpha", [0, 0.1, 1 / 3])
def test_the_equilibrium_family_of_kuhn(alpha: float) -> None:
    game, betting, solution = solve("kuhn")
    raised = node_at(betting, "check", "bet 1")
    calls = (0, alpha + 1 / 3, 1)
    bets = (alpha, 0, 3 * alpha)
    first = {(0, (), h): (1 - bets[h], bets[h]) for h in range(3)}
    first |= {(raised, (), h): (1 - calls[h], calls[h]) for h in range(3)}
    result = evaluate_profile(betting, game, (first, solution.strategies[1]))
    assert result.value == pytest.approx(-1 / 18, abs=1e-12)
    assert result.exploitability == pytest.approx(0, abs=1e-12)


def test_kuhn_outside_the_family_can_be_exploited() -> None:
    game, betting, solution = solve("kuhn")
    first = dict(solution.strategies[0])
    first[0, (), 0] = np.array([0.5, 0.5])
    first[0, (), 2] = np.array([0.0, 1.0])
    assert evaluate_profile(betting, game, (first, solution.strategies[1])).exploitability > 0.01


def test_leduc() -> None:
    """Value to 12 digits and 936 information sets; both known from OpenSpiel as well."""
    game, betting, solution = solve("leduc")
    assert solution.value == pytest.approx(-0.085606424078, abs=1e-12)
    assert solution.duality_gap == pytest.approx(0, abs=1e-12)
    assert sum(solution.form.num_information_sets) == 936
    plain = evaluate_profile(betting, game, solution.strategies)
    assert plain.value == pytest.approx(solution.value, abs=1e-12)
    assert plain.exploitability == pytest.approx(0, abs=1e-12)


def test_uniform_play_in_leduc() -> None:
    game = load_game("leduc")
    betting = build_betting_tree(game)
    uniform = uniform_strategy(betting)
    plain = evaluate_profile(betting, game, (uniform, uniform))
    assert plain.exploitability == pytest.approx(2.373611, abs=5e-7)
    assert plain.nash_conv == 2 * plain.exploitability
    form = SequenceForm(betting, game)
    plans = form.plan(0, uniform), form.plan(1, uniform)
    assert form.exploitability(*plans) == pytest.approx(plain.exploitability, abs=1e-12)
    assert form.value(*plans) == pytest.approx(plain.value, abs=1e-12)

    openspiel = pyspiel.load_game("leduc_poker")
    expected = pyspiel.exploitability(openspiel, pyspiel.UniformRandomPolicy(openspiel))
    assert plain.exploitability == pytest.approx(expected, abs=1e-12)


def test_no_limit_leduc() -> None:
    """The value has no published source: this file and OpenSpiel's evaluation below agree on it."""
    game, betting, solution = solve("leduc.nolimit")
    assert solution.value == pytest.approx(-6.556422390518, abs=1e-9)
    assert solution.duality_gap == pytest.approx(0, abs=1e-9)
    plain = evaluate_profile(betting, game, solution.strategies)
    assert plain.value == pytest.approx(solution.value, abs=1e-9)
    assert plain.exploitability == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", OPENSPIEL)
def test_openspiel_finds_nothing_to_exploit(name: str) -> None:
    _, betting, solution = solve(name)
    game = pyspiel.load_game(OPENSPIEL[name])
    policy = openspiel_policy(game, betting, solution.strategies)
    assert len(policy) == sum(solution.form.num_information_sets)
    assert pyspiel.exploitability(game, policy) == pytest.approx(0, abs=1e-9)
    returns = pyspiel.expected_returns(game.new_initial_state(), pyspiel.TabularPolicy(policy), -1, False)
    assert returns[0] == pytest.approx(solution.value, abs=1e-9)


@pytest.mark.parametrize(("pot", "bet"), [(100, 50), (100, 100), (60, 150)])
def test_the_polar_river_spot(pot: int, bet: int) -> None:
    """Nuts or air against a bluff-catcher: bluffs to value bets as b to P + b, calls P / (P + b)."""
    spot = parse_spot(
        f"""
        board = "Qs Jh 2c 8d 3s"
        pot = {pot}
        stack = {bet}
        [ranges]
        oop = "QhQd:0.4, 6c5c"
        ip = "AdKd"
        [bets]
        bet = "a"
        raise = ""
        """
    )
    betting = build_betting_tree(spot)
    solution = sequence_form_lp(betting, spot.game, board=spot.board, ranges=spot.ranges)
    deck = spot.game.deck
    value, air, catcher = (hand_number(deck.parse_cards(text)) for text in ("QhQd", "6c5c", "AdKd"))
    first, second = solution.strategies
    bets = 1 if betting.actions(0)[1].startswith("bet") else 0
    facing = betting.children(0)[bets]
    assert betting.actions(facing) == ("fold", "call")
    assert first[0, spot.board, value][bets] == pytest.approx(1, abs=1e-9)
    bluffs = first[0, spot.board, air][bets] / 0.4
    assert bluffs == pytest.approx(bet / (pot + bet), abs=1e-9)
    assert second[facing, spot.board, catcher][1] == pytest.approx(pot / (pot + bet), abs=1e-9)
    share = pot * (0.4 / 1.4) * (pot + 2 * bet) / (pot + bet)
    assert solution.value + pot / 2 == pytest.approx(share, abs=1e-9)


def hand_number(cards: tuple[int, ...]) -> int:
    low, high = sorted(cards)
    return high * (high - 1) // 2 + low
