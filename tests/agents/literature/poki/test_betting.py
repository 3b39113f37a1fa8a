"""The betting formula: its legal actions, and its thresholds."""

from __future__ import annotations

import numpy as np
import pytest

from errai.agents.literature.poki.betting import (
    MAKE1,
    MAKE2,
    MAKE4,
    BetLines,
    bet_lines,
    require_playable,
    semi_bluff_odds,
    triples,
)
from errai.agents.literature.poki.evaluation import Evaluation
from errai.errors import StrategyError
from errai.games.betting import ActionKind, BettingState
from errai.games.catalogue import load_game
from errai.games.game import Subject
from errai.tree.betting_tree import NodeKind

GAME = load_game("holdem.limit.2p")
LINES = bet_lines(GAME)


def node(line: str, lines: BetLines = LINES) -> int:
    """The node after actions written f, c and r."""
    found = 0
    for letter in line:
        found = int(lines.child[found, "fcr".index(letter)])
    return found


def worth(strength: float, positive: float = 0.0) -> Evaluation:
    return Evaluation(np.array([strength]), np.array([positive]), np.zeros(1))


def mixture(line: str, hand: Evaluation, *, income: float = 0.0, last_to_act: bool = True) -> list[float]:
    return triples(LINES, np.array([node(line)]), hand, np.array([income]), last_to_act=last_to_act)[0].tolist()


def test_lines_are_those_of_the_rules() -> None:
    """Every line of fewer than eight actions, against the state machine."""
    todo = [(0, BettingState.start(GAME))]
    seen = 0
    while todo:
        here, state = todo.pop()
        seen += 1
        assert (LINES.tree.kind[here] == NodeKind.DECISION) == (state.actor >= 0)
        assert tuple(LINES.tree.contributions[here]) == state.spent
        if state.actor < 0:
            assert (LINES.tree.kind[here] == NodeKind.FOLD) == (state.folded >= 0)
            assert (LINES.tree.kind[here] == NodeKind.SHOWDOWN) == state.showdown
            continue
        legal = state.legal()
        assert LINES.tree.actor[here] == state.actor
        assert LINES.to_call[here] == state.to_call_chips
        assert LINES.bets[here] == state.raises + (state.round == 0)
        assert LINES.can_raise[here] == (legal.raise_range is not None)
        assert (LINES.child[here, 0] >= 0) == legal.fold
        if state.round < 2:
            todo.extend(
                (int(LINES.child[here, kind]), state.apply(ActionKind(kind)))
                for kind in range(3)
                if LINES.child[here, kind] >= 0
            )
    assert seen > 200


def test_what_is_won_at_the_ends() -> None:
    ends = np.array([node("f"), node("rf"), node("cccccccc"), node("rccrcccc")])
    assert LINES.net_chips(ends, 0, np.array([1, 1, 1, -1])).tolist() == [5.0, -10.0, 10.0, -30.0]
    assert LINES.net_chips(ends, 1, np.array([-1, -1, 0, 1])).tolist() == [-5.0, 10.0, 0.0, 30.0]


def test_all_triples_are_legal_mixtures() -> None:
    nodes = np.flatnonzero(LINES.tree.kind == NodeKind.DECISION)
    rng = np.random.default_rng(0)
    hands = Evaluation(*rng.random((3, len(nodes))))
    found = triples(LINES, nodes, hands, rng.uniform(-0.4, 0.7, len(nodes)), last_to_act=True)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(np.ones(len(nodes)))
    assert (found[LINES.to_call[nodes] == 0, 0] == 0).all()
    assert (found[~LINES.can_raise[nodes], 2] == 0).all()


def test_thresholds_after_the_flop() -> None:
    flop = "cc"
    assert mixture(flop, worth(MAKE1)) == [0, 0.5, 0.5]
    assert mixture(flop, worth(MAKE1 + 0.1)) == [0, 0, 1]
    assert mixture(flop, worth(MAKE1 - 0.1)) == [0, 1, 0]
    assert mixture(flop + "r", worth(MAKE2)) == [0, 0.5, 0.5]
    assert mixture(flop + "rr", worth(MAKE2 + 0.05)) == [0, 1, 0]
    assert mixture(flop + "rr", worth(MAKE4)) == pytest.approx([0, 0.5, 0.5])
    assert mixture(flop + "rrrr", worth(1.0)) == [0, 1, 0], "four bets are all"


def test_odds_of_a_semi_bluff() -> None:
    assert semi_bluff_odds(np.array([40.0]), np.array([10.0])) == [0.25]


def test_draws_call_and_semi_bluff() -> None:
    # 20 chips in, the bet 10: a bet and the call of a raise cost a third, a call of a bet a quarter.
    assert mixture("cc", worth(0.1, 0.38))[2] == 1.0
    assert mixture("cc", worth(0.1, 0.28))[2] == 0.0
    assert mixture("ccr", worth(0.1, 0.30)) == [0, 1, 0]
    assert mixture("ccr", worth(0.1, 0.20))[0] == 1.0
    # On the last round nothing can improve any more.
    assert mixture("ccccccr", worth(0.10))[0] == 1.0
    assert mixture("ccccccr", worth(0.45)) == [0, 1, 0]


def test_rules_before_the_flop() -> None:
    # The small blind: folds rags, calls half a bet with little, raises with much.
    assert mixture("", worth(0), income=-0.35) == [1, 0, 0]
    assert mixture("", worth(0), income=-0.20) == [0, 1, 0]
    assert mixture("", worth(0), income=0.10) == [0, 0, 1]
    # The big blind: checks for nothing, and raises again only with the best.
    assert mixture("c", worth(0), income=-0.35, last_to_act=False) == [0, 1, 0]
    assert mixture("r", worth(0), income=0.10, last_to_act=False) == [0, 1, 0]
    assert mixture("r", worth(0), income=0.40, last_to_act=False) == [0, 0, 1]
    # The last to act is looser.
    early, late = (mixture("r", worth(0), income=-0.2, last_to_act=last)[0] for last in (False, True))
    assert early > late


@pytest.mark.parametrize("name", ["holdem.nolimit.2p", "leduc", "rhode-island", "kuhn", "royal.limit"])
def test_other_games_are_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(StrategyError, match=r"limit hold'em game"):
        require_playable(load_game(name))


def test_spots_are_refused(turn_spot: Subject) -> None:
    with pytest.raises(StrategyError, match="whole games"):
        require_playable(turn_spot)
