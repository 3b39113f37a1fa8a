"""Bets off the tree: readings of a line, and the one strategy made of them, against a player who draws translations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from small_subjects import subject

from errai.abstraction.translation import MAPPINGS, Translation, pseudo_harmonic
from errai.agents.agent import MatchStart
from errai.agents.reader import read_agent
from errai.agents.solved import SolvedAgent
from errai.agents.strategies import StrategyAgent
from errai.arena.lbr.measure import lbr
from errai.arena.lbr.responder import enumerate_lbr
from errai.arena.lbr.settings import read_setting
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Deal, Hand, PublicState, raise_to
from errai.games.sizing import BetMenu
from errai.games.spot import parse_spot
from errai.solving.solve import solve
from errai.strategies.given import read_strategy
from errai.strategies.strategy import live_hands
from errai.strategies.tree_walk import OFF_TREE, TreeWalk, mixed_choices, read_translation
from errai.tree.betting_tree import build_betting_tree

GAME = load_game("leduc.nolimit")
MENU = BetMenu.parse(2, "50%, 100%, a")
NARROW = "100%, a"


@pytest.fixture(scope="module")
def solution():
    """No-limit Leduc with bets of the pot and all-in, solved a little, so that strategies are mixed."""
    return solve(GAME, max_iterations=30, threads=1, menu=NARROW)


def after(*actions, board=()):
    state = PublicState.start(GAME)
    for action in actions:
        state = state.after(action).dealt(tuple(board))
    return state


def labels(walk, readings):
    return [(walk.betting.path(reading.node), round(reading.chance, 9)) for reading in readings]


def test_a_bet_between_two_of_the_tree_has_a_reading_as_either():
    walk = TreeWalk(build_betting_tree(GAME, MENU), Translation.PSEUDO_HARMONIC)
    # Antes of 100 each: half of the pot is a bet of 100, to 200 in all, the pot one to 300.
    share = pseudo_harmonic(0.7, 0.5, 1.0)
    assert labels(walk, walk.readings(after(raise_to(240)))) == [
        (("bet 100",), round(share, 9)),
        (("bet 200",), round(1 - share, 9)),
    ]
    for total, label in ((200, "bet 100"), (300, "bet 200"), (1_200, "bet 1100")):
        assert labels(walk, walk.readings(after(raise_to(total)))) == [((label,), 1.0)]


def test_a_raise_is_read_where_the_tree_has_no_call():
    spot = parse_spot(
        'board = ""\nblinds = [1, 2]\nstack = 20\nranges = { oop = "random", ip = "random" }\n'
        'bets = { bet = "", raise = "a", preflop = { limp = false } }'
    )
    walk = TreeWalk(build_betting_tree(spot), Translation.PSEUDO_HARMONIC, small_bets=True)
    start = PublicState.start(spot)
    assert labels(walk, walk.readings(start.after(raise_to(7)))) == [(("raise 20",), 1.0)]
    # A limp is off the tree: whoever has no strategy for it goes on without folding or betting.
    assert walk.node(start.after(CALL)) == OFF_TREE


def test_a_bet_below_all_of_the_tree_may_be_taken_for_a_check():
    game = load_game("holdem.nolimit.2p")
    tree = build_betting_tree(game)
    flop = PublicState.start(game).ahead(raise_to(300)).ahead(CALL)  # 600 lie in the middle
    bet = "bet 600"
    small = flop.ahead(raise_to(400))
    plain, drawn = TreeWalk(tree, "pseudo-harmonic"), TreeWalk(tree, "pseudo-harmonic", small_bets=True)
    hard = TreeWalk(tree, small_bets=True)

    def last(walk, state):
        return [(path[-1], chance) for path, chance in labels(walk, walk.readings(state))]

    assert last(plain, small) == [(bet, 1.0)]
    share = round(pseudo_harmonic(1 / 6, 0.0, 1.0), 9)
    assert last(drawn, small) == [("check", share), (bet, round(1 - share, 9))]
    # Between nothing and the pot the border is a third of the pot.
    assert last(hard, flop.ahead(raise_to(499))) == [("check", 1.0)]
    assert last(hard, flop.ahead(raise_to(501))) == [(bet, 1.0)]
    # After a check another check would end the street, so there a small bet is a bet.
    assert last(drawn, flop.ahead(CALL).ahead(raise_to(400))) == [(bet, 1.0)]
    # What follows a check in the tree is a call or a raise in the hand.
    node = drawn.readings(small)[0].node
    assert drawn.actions(node, small) == [CALL, raise_to(1_200), raise_to(20_000)]


def test_bets_that_differ_by_rounding_are_the_same():
    walk = TreeWalk(build_betting_tree(GAME, BetMenu.parse(2, "55%, a")), "pseudo-harmonic")
    # A bet of 133 into 200 is read as 55 % or as all-in; all-in called, the tree is over.
    state = after(raise_to(233), CALL, board=(2,))
    assert len(walk.readings(state)) == 2
    # 55 % of the pot of 466 are 256.3 chips.
    assert len(walk.readings(state.after(raise_to(233 + 256)))) == 2
    assert len(walk.readings(state.after(raise_to(233 + 266)))) == 3


def test_the_likeliest_reading_is_that_of_the_hard_mapping():
    tree = build_betting_tree(GAME, BetMenu.parse(2, "50%, 200%, a"))
    drawn, hard = TreeWalk(tree, "pseudo-harmonic"), TreeWalk(tree, "nearest-pseudo-harmonic")
    for total in range(200, 1_200, 7):
        state = after(raise_to(total))
        assert drawn.node(state) == hard.node(state)
        assert len(hard.readings(state)) == 1


def test_only_the_likeliest_readings_are_kept(monkeypatch):
    state = after(raise_to(240), CALL, raise_to(240 + 300), board=(2,))
    tree = build_betting_tree(GAME, MENU)
    every = TreeWalk(tree, "pseudo-harmonic").readings(state)
    assert len(every) == 4
    assert sum(reading.chance for reading in every) == pytest.approx(1.0)
    monkeypatch.setattr("errai.strategies.tree_walk.MOST_READINGS", 3)
    kept = TreeWalk(tree, "pseudo-harmonic").readings(state)
    assert sorted(r.chance for r in kept) == sorted(r.chance for r in every)[1:]


# --- one strategy ---


def lines_with_odd_bets():
    """Lines in which seat 0 bets what the tree lacks, up to two times, and seat 1 answers."""
    first, second = (210, 250, 340, 520), (120, 330)
    for total in first:
        for answer in (CALL, raise_to(1_200)):
            yield (raise_to(total), answer), total
    for total, extra in itertools.product(first, second):
        yield (raise_to(total), CALL, raise_to(total + extra)), total
        yield (raise_to(total), CALL, raise_to(total + extra), CALL), total


@pytest.mark.parametrize("translation", ["pseudo-harmonic", "randomised-arithmetic"])
def test_it_plays_what_a_player_who_draws_and_remembers_plays(solution, translation):
    """Probability of a whole line: the product of the mixture's, against the mean over all draws, hand by hand.

    The other player draws the translation of every bet once and keeps it.  Both are functions of the line and the hand,
    and must be equal at every line (Kuhn's theorem).
    """
    agent = SolvedAgent(solution, translation=translation)
    walk, board, checked = agent.walk, (3,), 0
    for line, _ in lines_with_odd_bets():
        state, states = PublicState.start(GAME), []
        for action in line:
            states.append((state, action))
            state = state.after(action)
            if state.cards_due:
                state = state.with_cards(board)
        mixture = np.ones(6)
        for before, action in states:
            if before.actor == 1:
                choices = agent.strategy(before)
                column = choices.actions.index(action) if action in choices.actions else None
                mixture *= 0.0 if column is None else choices.probabilities[:, column]
        drawn = sum(chance * played for chance, played in every_draw(agent, walk, states))
        live = live_hands(state)
        np.testing.assert_allclose(mixture[live], drawn[live], atol=1e-12)
        checked += int((drawn > 1e-6).any() and len(walk.readings(states[-1][0])) > 1)
    assert checked >= 8


def every_draw(agent, walk, states):
    """(chance, float64[H] probability of seat 1's own actions) of every way to take the odd bets of seat 0."""
    ways = [(walk.betting.after_chance(0), 1.0, np.ones(6))]
    for before, action in states:
        going = []
        for node, chance, played in ways:
            tree = walk.betting
            on = node != OFF_TREE and (tree.actor[node], tree.street[node]) == (before.actor, before.betting.round)
            if not on:
                # A reading in which the tree is over, or somebody else acts, is played by calling.
                played = played * float(action == CALL) if before.actor == 1 else played
                going.append((OFF_TREE, chance, played))
                continue
            if before.actor == 0:
                shares = walk.translated(node, before, action)
                going += [(tree.after_chance(child), chance * p, played) for child, p in shares]
                continue
            rows = agent._all_rows(node, before)
            for i, made in enumerate(walk.actions(node, before)):
                if made == action:
                    child = walk.betting.after_chance(walk.betting.children(node)[i])
                    going.append((child, chance, played * rows[:, i]))
        ways = going
    return [(chance, played) for _, chance, played in ways]


def test_earlier_actions_of_its_own_tell_how_it_took_a_bet(solution):
    """With a hand that folds to the larger bet, a call shows that the bet was translated to the smaller one."""
    walk = TreeWalk(build_betting_tree(GAME, MENU), "pseudo-harmonic")
    state = after(raise_to(240), CALL, raise_to(600), board=(3,))

    def rows(node, at):
        found = np.zeros((6, len(walk.actions(node, at))))
        path = walk.betting.path(node)
        if path == ("bet 200",):
            found[:3, walk.actions(node, at).index(FOLD)] = 1.0
            found[3:, walk.actions(node, at).index(CALL)] = 1.0
        elif path == ("bet 100",):
            found[:, walk.actions(node, at).index(CALL)] = 1.0
        else:
            found[:, walk.actions(node, at).index(FOLD if path[0] == "bet 200" else CALL)] = 1.0
        return found

    choices = mixed_choices(walk, state, rows)
    share = pseudo_harmonic(0.7, 0.5, 1.0)
    folds = choices.probabilities[:, choices.actions.index(FOLD)]
    assert folds == pytest.approx([0, 0, 0, 1 - share, 1 - share, 1 - share])


def test_a_line_that_it_never_plays_has_a_strategy_too(solution):
    agent = SolvedAgent(solution)
    # Seat 1 raises to what is no bet of the tree, and is asked again later.
    state = after(raise_to(240), raise_to(555), CALL, raise_to(700), board=(3,))
    rows = agent.strategy(state).probabilities
    assert rows.sum(axis=1) == pytest.approx(live_hands(state).astype(float))


def test_strategy_and_act_are_one(solution):
    agent = SolvedAgent(solution)
    agent.start_match(MatchStart(GAME, 3))
    state = after(raise_to(240))
    choices = agent.strategy(state)
    counts = dict.fromkeys(choices.actions, 0)
    for number in range(4_000):
        hand = Hand(GAME, Deal(((0,), (3,)), (4,)), number)
        hand.act(raise_to(240))
        counts[agent.act(hand.observation(1))] += 1
    shares = np.array(list(counts.values())) / 4_000
    assert shares == pytest.approx(choices.probabilities[3], abs=0.03)
    again = SolvedAgent(solution)
    again.start_match(MatchStart(GAME, 3))
    hand = Hand(GAME, Deal(((0,), (3,)), (4,)), 17)
    hand.act(raise_to(240))
    assert agent.act(hand.observation(1)) == again.act(hand.observation(1))


def test_a_strategy_by_decisions_mixes_alike_for_one_hand_and_for_all():
    agent = StrategyAgent(read_strategy("by-strength:4", GAME), GAME, build_betting_tree(GAME, MENU))
    agent.start_match(MatchStart(GAME, 0))
    for line in ((raise_to(240),), (raise_to(210), CALL, raise_to(350)), (CALL, raise_to(250), raise_to(700))):
        state = after(*line, board=(4,))
        choices = agent.strategy(state)
        for hand in np.flatnonzero(live_hands(state)).tolist():
            actions, row = agent.with_hand(state, hand)
            assert actions == choices.actions
            assert row == pytest.approx(choices.probabilities[hand].tolist())


def test_lbr_draws_what_it_counts_exactly(solution):
    """Bets off the tree against a strategy that translates them at random: sampled hands agree with every deal."""
    setting = read_setting("fc+75%/fc+160%", 2)
    agent = SolvedAgent(solution)
    exact = sum(enumerate_lbr(agent, GAME, setting)) / 2.0
    found = lbr(GAME, agent, setting, hands=1_000, seed=1)
    half = (found.interval[1].chips - found.interval[0].chips) / 2.0
    assert abs(found.won.chips - exact) <= 1.5 * half
    assert half < 30.0


def test_off_the_tree_with_a_spots_ranges_every_hand_has_a_strategy():
    spot = subject("turn")
    agent = SolvedAgent(solve(spot, max_iterations=20, threads=1))
    state = PublicState.start(spot)
    for total in (30, 55, 90, 140, 199):
        bet = state.after(raise_to(total))
        rows = agent.strategy(bet).probabilities
        assert np.isin(rows.sum(axis=1).round(9), (0.0, 1.0)).all()
        called = bet.after(CALL)
        dealt = called.with_cards((0,)) if called.cards_due and not called.betting.is_over else None
        if dealt is not None:
            rows = agent.strategy(dealt.after(raise_to(200)) if total < 199 else dealt).probabilities
            assert np.isin(rows.sum(axis=1).round(9), (0.0, 1.0)).all()


# --- names ---


def test_names_of_translations(tmp_path, solution):
    for name in MAPPINGS:
        assert read_translation(name.value) is name
    with pytest.raises(StrategyError, match="no translation 'harmonic'"):
        read_translation("harmonic")
    with pytest.raises(StrategyError, match="'translation=harmonic' is not an option of solution"):
        read_agent("solution:translation=harmonic:x.errai", GAME)
    path = tmp_path / "leduc.errai"
    solution.save(path)
    drawn = read_agent(f"solution:{path}", GAME)
    hard = read_agent(f"solution:translation=nearest-pseudo-harmonic:{path}", GAME)
    assert drawn.walk.translation is Translation.PSEUDO_HARMONIC
    assert hard.walk.translation is Translation.NEAREST_PSEUDO_HARMONIC
    odd = after(raise_to(500))
    assert not np.allclose(drawn.strategy(odd).probabilities, 0)
    assert len(hard.walk.readings(odd)) == 1
    assert len(drawn.walk.readings(odd)) == 2
    assert all(a.kind != ActionKind.RAISE or a.total > 500 for a in drawn.strategy(odd).actions)
