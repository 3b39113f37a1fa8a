"""Re-solving while playing: ranges, values, bets that no tree has, time limits, and what cannot be played."""

from __future__ import annotations

import pickle
import time
from dataclasses import replace

import numpy as np
import pytest
from random_hands import short_stacks
from small_subjects import TURN, spot_text, subject
from stopwatch import Stopwatch

import errai
from errai.agents.agent import MatchStart
from errai.agents.reader import read_agent
from errai.agents.resolver import FLOOR, GADGETS, ResolverAgent, ResolverOptions
from errai.agents.solved import SolvedAgent
from errai.cards.hands import hand_cards
from errai.errors import StrategyError
from errai.games.game import Game, Rake
from errai.games.hand import CALL, FOLD, Hand, Observation, PlayedHand, PublicState, Shuffle, raise_to
from errai.games.lookahead import Lookahead
from errai.games.spot import Spot, parse_spot
from errai.resolving.budget import LEAST_RUN_OUTS, least_seconds
from errai.solutions.solution import Solution
from errai.strategies.strategy import live_hands

CARDS = "Kd7h2c9sJc"
QUICK = ResolverOptions(street="river", seconds=60.0, iterations=60)


@pytest.fixture(scope="module")
def turn() -> Solution:
    return errai.solve(subject("turn"), "0.02%pot")


def calls_to(game: Game, street: int) -> PublicState:
    state, cards = PublicState.start(game), game.deck.parse_cards(CARDS)
    while state.betting.round < street or state.cards_due:
        state = state.dealt(cards) if state.cards_due else state.after(CALL)
    return state


def made(text: str, played: Game | Spot) -> ResolverAgent:
    found = read_agent(text, played)
    assert isinstance(found, ResolverAgent)
    return found


# --- the same game ---------------------------------------------------------------------------------------------------


def test_ranges_are_those_of_the_solution(turn: Solution) -> None:
    """Bayes' rule along the line gives the ranges of a solution's node."""
    agent = ResolverAgent(SolvedAgent(turn), turn.subject, QUICK)
    state = PublicState.start(turn.subject).after(raise_to(100)).after(CALL)
    state = state.with_cards(turn.deck.parse_cards("3d"))
    start = agent.start(state)
    assert start.state == state
    expected = turn.at("bet 100 call / 3d").ranges
    for p in (0, 1):
        in_spot = live_hands(state) & (np.asarray(turn.subject.ranges[p].weights) > 0)
        scaled = np.maximum(expected[p] / expected[p].max(), FLOOR)
        assert start.ranges[p] == pytest.approx(np.where(in_spot, scaled, 0.0), abs=1e-6)


def test_a_river_solved_again_is_worth_what_it_is_in_the_solution(turn: Solution) -> None:
    options = ResolverOptions(street="river", seconds=60.0, target="0.02%pot")
    agent = ResolverAgent(SolvedAgent(turn), turn.subject, options)
    state = PublicState.start(turn.subject).after(raise_to(100)).after(CALL)
    state = state.with_cards(turn.deck.parse_cards("3d"))
    node = turn.at("bet 100 call / 3d")
    hands = hand_cards(52, 2)
    fits = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    pairs = node.ranges[0] * (fits @ node.ranges[1])
    # What a node is worth counts from the node itself, a lookahead from the beginning of the hand.
    expected = float(pairs @ np.nan_to_num(node.ev[0])) / float(pairs.sum()) - 150
    assert node.pot_chips == 300
    assert agent.solution(state).values.chips[0] == pytest.approx(expected, abs=0.003 * 300)


@pytest.mark.parametrize(
    ("gadget", "again", "stack", "most"), [("resolve", "decision", 100, 0.1), ("unsafe", "street", 200, 0.4)]
)
def test_rivers_solved_again_lose_little(gadget: str, again: str, stack: int, most: float) -> None:
    """The first solve has no guarantee against an opponent who deviates before the river, so its loss is measured.

    Solved at every decision without a gadget, the first of these loses 4.6 % of the pot.
    """
    turn = errai.solve(parse_spot(TURN.replace("stack = 200", f"stack = {stack}")), "0.02%pot")
    options = ResolverOptions(
        street="river", seconds=60.0, target="0.02%pot", gadget=gadget, again=again, iterations=2_000, threads=1
    )  # type: ignore[arg-type]
    agent = ResolverAgent(SolvedAgent(turn), turn.subject, options)
    found = errai.exploitability(turn.subject, agent, suits_alike=True)
    assert agent.player.solves > 40
    assert agent.player.out_of_time == 0
    assert found.pot_percent < turn.exploitability.pot_percent + most


def test_a_spot_that_begins_on_the_street_is_solved_as_a_whole() -> None:
    spot = subject("turn")
    agent = made("resolver:target=0.1%pot,seconds=60,again=off-tree", spot)
    found = errai.exploitability(spot, agent, suits_alike=True)
    # Once for who acts first, and once for each first action that the other seat answers; nothing behind that.
    assert agent.player.solves == 3
    assert found.pot_percent <= 0.2


# --- whole games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["holdem.limit.2p", "holdem.nolimit.2p"])
def test_the_river_of_a_game(name: str) -> None:
    game = errai.load_game(name)
    agent = made("resolver:from=river,seconds=60,target=0.5%pot:by-strength:5", game)
    agent.start_match(MatchStart(game, 1))
    state = calls_to(game, 3)
    choices = agent.strategy(state)
    live = live_hands(state)
    assert choices.probabilities[live].sum(axis=1) == pytest.approx(np.ones(live.sum()), abs=1e-6)
    assert not choices.probabilities[~live].any()
    assert agent.solution(state).exploitability.pot_percent <= 0.5
    for action in choices.actions:
        state.after(action)
    solves = agent.player.solves
    assert agent.strategy(state) is choices
    assert agent.player.solves == solves
    # Before the street the blueprint plays.
    before = calls_to(game, 2)
    assert (agent.strategy(before).probabilities == agent.blueprint.strategy(before).probabilities).all()
    assert agent.start(state).ranges[0].max() == 1.0


def test_the_blueprints_of_the_package_stand_where_none_is_named() -> None:
    for name, blueprint in (("holdem.limit.2p", "blueprint"), ("holdem.nolimit.2p", "blueprint-nl")):
        agent = made("resolver", errai.load_game(name))
        assert agent.blueprint.name == blueprint
        assert agent.options == ResolverOptions()


def test_the_nuts_are_never_folded() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    agent = made("resolver:from=river,seconds=60,target=2%pot:always-call", game)
    agent.start_match(MatchStart(game, 7))
    for total in (201, 300, 4_000, 20_000):
        state = calls_to(game, 3).after(raise_to(total))
        assert agent.act(Observation(state, state.actor, game.deck.parse_cards("QdTd"), 3)) != FOLD
        row = agent.strategy(state).probabilities[live_hands(state)]
        assert row[:, 0].mean() > 0.2  # others fold


def test_a_bet_that_no_tree_has_is_solved_with() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    state = calls_to(game, 3)
    odd = state.after(raise_to(271))
    agent = made("resolver:from=river,seconds=60,target=2%pot,again=off-tree:always-call", game)
    agent.strategy(state)
    assert "bet 171" not in agent.solution(state).root.actions
    agent.strategy(odd)
    assert "bet 171" in agent.solution(odd).root.actions
    assert agent.player.solves == 2
    again = made("resolver:from=river,seconds=60,target=2%pot,again=decision:always-call", game)
    raised = odd.after(raise_to(271 + 613))
    again.strategy(raised)
    root = again.solution(raised)
    assert root.subject.state == raised  # type: ignore[union-attr]
    # A shove of a hundred pots is in no menu either.
    shove = state.after(raise_to(20_000))
    assert set(again.strategy(shove).actions) == {FOLD, CALL}


def test_unequal_stacks_stay_legal() -> None:
    spot = parse_spot(
        'board = "Kd 7h 2c 9s Jc"\npot = 100\nstacks = [300, 80]\n[ranges]\noop = "QQ+,76s"\nip = "KQs,22"\n'
        '[bets]\nbet = "50%, a"\nraise = "a"\n'
    )
    agent = made("resolver:from=river,seconds=60", spot)
    state = PublicState.start(spot)
    for action in agent.strategy(state).actions:
        after = state.after(action)
        if after.actor >= 0:
            for answer in agent.strategy(after).actions:
                after.after(answer)
    assert errai.exploitability(spot, agent, suits_alike=True).pot_percent <= 0.7


def test_a_blueprint_that_never_gets_there_leaves_every_hand() -> None:
    game = errai.load_game("holdem.limit.2p")
    agent = made("resolver:from=river,seconds=60,target=5%pot:always-raise", game)
    state = calls_to(game, 3)
    assert agent.start(state).ranges[0] == pytest.approx(live_hands(state).astype(float))
    assert agent.strategy(state).probabilities[live_hands(state)].sum(axis=1) == pytest.approx(1.0, abs=1e-6)


# --- from the flop on ------------------------------------------------------------------------------------------------

FLOP = spot_text("Qs 7s 2d", "QQ,AQs,T9s,54s", "77,AQo,JTs,A5s:0.5", bet="50%, a", stack=[250, 250])


def test_a_flop_is_cut_and_what_comes_later_is_solved_to_the_end() -> None:
    spot = parse_spot(FLOP)
    text = "resolver:from=flop,seconds=60,target=0.3%pot,iterations=300:by-strength:5"
    agent = made(text, spot)
    flop = PublicState.start(spot)
    turn = flop.after(raise_to(50)).after(CALL).dealt((*flop.board, spot.game.deck.parse_card("Ac")))
    river = turn.after(CALL).after(CALL).dealt((*turn.board, spot.game.deck.parse_card("9h")))
    depths = []
    for state in (flop, flop.after(CALL), flop.after(raise_to(37)), turn, turn.after(CALL), river, river.after(CALL)):
        choices = agent.strategy(state)
        live = live_hands(state)
        assert choices.probabilities[live].sum(axis=1) == pytest.approx(np.ones(live.sum()), abs=1e-6)
        for action in choices.actions:
            state.after(action)
        solved = agent.solution(state)
        assert isinstance(solved.subject, Lookahead)
        depths.append(solved.subject.depth)
        assert solved.exploitability.pot_percent <= 0.5
    assert depths == [1, 1, 1, None, None, None, None]
    assert (agent.player.out_of_time, agent.budget.cut_short) == (0, 0)
    # On the turn the opponent is held to what the blueprint's continuations give him there.
    situation = agent.player.situation(turn, 0)
    assert situation.values is not None
    below = agent.player.settings.below
    assert below is not None
    expected = below.values(turn, situation.ranges, 1)
    assert situation.values == pytest.approx(expected, rel=1e-9, abs=1e-9)
    # Twice the same is the same.
    again = made(text, spot)
    np.testing.assert_array_equal(again.strategy(river).probabilities, agent.strategy(river).probabilities)


# --- anybody, anything, in time --------------------------------------------------------------------------------------


def play(game: Game, text: str, hands: int, other: str = "random-bets", seed: int = 5) -> tuple[list[PlayedHand], list]:
    """Hands of an agent in both seats, with the seconds of its decisions."""
    agent, opponent = made(text, game), read_agent(other, game)
    for a in (agent, opponent):
        a.start_match(MatchStart(game, seed))
    found, seconds = [], []
    for number in range(hands):
        hand = Hand(game, Shuffle(game).numbered(seed, number), number)
        seats = (agent, opponent) if number % 2 == 0 else (opponent, agent)
        while not hand.state.is_over:
            who = seats[hand.actor]
            with Stopwatch() as took:
                action = who.act(hand.observation(hand.actor))
            if who is agent:
                seconds.append(took.seconds)
            hand.act(action)  # raises IllegalActionError for what the rules do not allow
        found.append(hand.played(("one", "other")))
    return found, [agent, seconds]


@pytest.mark.parametrize(
    ("name", "blueprint", "hands"),
    [
        ("holdem.nolimit.2p", "", 15),
        ("holdem.nolimit.2p", ":always-fold", 12),
        ("holdem.nolimit.2p", ":uniform", 12),
        ("holdem.limit.2p", ":by-strength:5", 15),
    ],
)
def test_against_any_bets_it_is_legal_and_in_time(name: str, blueprint: str, hands: int) -> None:
    game = errai.load_game(name)
    seconds = 0.3
    played, (agent, took) = play(game, f"resolver:seconds={seconds}{blueprint}", hands)
    assert all(sum(hand.net_chips) == 0 for hand in played)
    assert agent.player.solves + agent.player.out_of_time > 0
    assert max(took) <= 1.1 * seconds + 0.3
    assert np.quantile(took, 0.9) <= 1.1 * seconds + 0.05


@pytest.mark.parametrize("seed", range(6))
def test_short_and_unequal_stacks(seed: int) -> None:
    game = short_stacks(errai.load_game("holdem.nolimit.2p"), seed)
    rest = (":by-strength:5", ",gadget=unsafe,again=street:always-call")[seed % 2]
    played, (agent, _) = play(game, f"resolver:seconds=0.3{rest}", 10, seed=seed)
    assert all(sum(hand.net_chips) == 0 for hand in played)
    assert agent.player.out_of_time == 0 or agent.player.solves


@pytest.mark.parametrize("name", ["holdem.nolimit.2p", "holdem.limit.2p"])
def test_the_same_seed_plays_the_same_hands(name: str) -> None:
    game = errai.load_game(name)
    text = "resolver:from=river,seconds=60,iterations=40:by-strength:5"
    first, (agent, _) = play(game, text, 14)
    second, _ = play(game, text, 14)
    assert agent.budget.cut_short == 0
    assert agent.player.solves > 3
    assert [hand.actions for hand in first] == [hand.actions for hand in second]
    assert [hand.net_chips for hand in first] == [hand.net_chips for hand in second]


def test_what_was_seen_before_does_not_change_what_is_played() -> None:
    """A hand is the same whether or not others were played before it: the agent only caches."""
    game = errai.load_game("holdem.nolimit.2p")
    state = calls_to(game, 3).after(raise_to(333))
    fresh, used = (made("resolver:from=river,seconds=60,iterations=30:by-strength:5", game) for _ in (0, 1))
    for before in (calls_to(game, 3), calls_to(game, 3).after(CALL), calls_to(game, 3).after(raise_to(500))):
        used.strategy(before)
    np.testing.assert_array_equal(fresh.strategy(state).probabilities, used.strategy(state).probabilities)


@pytest.mark.parametrize("gadget", GADGETS)
def test_every_gadget_plays(gadget: str) -> None:
    game = errai.load_game("holdem.nolimit.2p")
    text = f"resolver:from=river,seconds=60,iterations=25,menu=100%+a,gadget={gadget}:always-call"
    found, (agent, _) = play(game, text, 8, "call=0.8,raise=0.2", seed=3)
    assert agent.player.out_of_time == 0
    assert agent.player.solves > 3
    assert all(sum(hand.net_chips) == 0 for hand in found)


def test_what_was_solved_ahead_is_what_would_have_been_solved() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    options = "from=river,iterations=60,menu=100%,threads=1,seconds=200"
    ahead, plain = made(f"resolver:ahead=yes,{options}", game), made(f"resolver:{options}", game)
    river = calls_to(game, 3)
    ahead.watch(Observation(river, 1 - river.actor, (0, 1), 0))
    assert ahead._thinking is not None
    ahead._thinking.join()
    checked = river.after(CALL)
    solves = ahead.player.solves
    assert solves >= 3  # A check, and two bets that are legal at least.
    assert np.array_equal(ahead.strategy(checked).probabilities, plain.strategy(checked).probabilities)
    assert ahead.player.solves == solves
    # An agent without the option, or whose turn it is, does nothing.
    plain.watch(Observation(river, 1 - river.actor, (0, 1), 0))
    ahead.watch(Observation(river, river.actor, (0, 1), 0))
    assert plain._thinking is None
    assert ahead._thinking is None


def test_what_is_solved_ahead_ends_when_it_is_the_agents_turn() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    options = "from=river,iterations=400,menu=50%+100%,threads=1,seconds=200,target=0.0001%pot"
    ahead, plain = made(f"resolver:ahead=yes,{options}", game), made(f"resolver:{options}", game)
    river = calls_to(game, 3)
    ahead.watch(Observation(river, 1 - river.actor, (0, 1), 0))
    time.sleep(0.1)
    bet = river.after(raise_to(317))
    assert np.array_equal(ahead.strategy(bet).probabilities, plain.strategy(bet).probabilities)
    # The solve that had begun left nothing behind, and is made anew where it is needed.
    assert (ahead.player.solves, ahead.player.out_of_time, ahead.unsafe) == (1, 0, 0)
    checked = river.after(CALL)
    assert np.array_equal(ahead.strategy(checked).probabilities, plain.strategy(checked).probabilities)
    ahead.watch(Observation(river, 1 - river.actor, (0, 1), 0))
    ahead.close()
    assert ahead._thinking is None


def test_without_time_the_blueprint_plays() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    agent = made("resolver:seconds=0.001:by-strength:5", game)
    state = calls_to(game, 2)
    choices = agent.strategy(state)
    assert agent.player.out_of_time == agent.unsolved == 1
    assert (choices.probabilities == agent.blueprint.strategy(state).probabilities).all()


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("resolver:from=preflop:always-call", "from=flop.turn.river"),
        ("resolver:speed=9:always-call", "not an option"),
        ("resolver:iterations=x:always-call", "not an option"),
        ("resolver:seconds=-1:always-call", "not an option"),
        ("resolver:gadget=guess:always-call", "gadget"),
        ("resolver:gadget=reach:always-call", "not an option"),
        ("resolver:gadget=unsafe,mixing=0.5:always-call", "Only the gadget resolve"),
        ("resolver:menu=50%:always-call", "fixed"),
        ("resolver:nobody", "names no agent"),
        ("resolver:random-bets", "no strategy for every hand"),
    ],
)
def test_what_cannot_be_made_says_so(text: str, what: str) -> None:
    with pytest.raises(StrategyError, match=what):
        read_agent(text, errai.load_game("holdem.limit.2p"))


def test_other_games_and_raked_spots_are_refused() -> None:
    for name in ("leduc", "holdem-2-1", "royal.limit"):
        with pytest.raises(StrategyError, match="52 cards"):
            read_agent("resolver:uniform", errai.load_game(name))
    with pytest.raises(StrategyError, match="rake"):
        read_agent("resolver", replace(subject("turn"), rake=Rake(5.0, 3.0)))
    with pytest.raises(StrategyError, match="begins before the river"):
        read_agent("resolver:from=river", subject("turn"))


def test_a_flop_takes_time_and_a_blueprint() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    least = least_seconds()
    with pytest.raises(StrategyError, match=f"at least {least} seconds, not 3"):
        read_agent("resolver:from=flop", game)
    assert made(f"resolver:from=flop,seconds={least}", game).budget.run_outs >= LEAST_RUN_OUTS
    with pytest.raises(StrategyError, match="needs a blueprint"):
        read_agent(f"resolver:from=flop,seconds={least}", parse_spot(FLOP))


@pytest.mark.parametrize("options", ["from=turn", "from=flop,seconds=60"])
def test_it_goes_to_other_processes(options: str) -> None:
    game = errai.load_game("holdem.limit.2p")
    agent = pickle.loads(pickle.dumps(made(f"resolver:{options},iterations=5:by-strength:5", game)))
    assert agent.player.settings.depth(calls_to(game, 1)) == ("street" if "flop" in options else None)
    state = calls_to(game, 3)
    expected = made(f"resolver:{options},iterations=5:by-strength:5", game)
    assert agent.budget.menu(state) == expected.budget.menu(state)
    assert not agent.budget.counting.is_set()


def test_options_reach_the_solver() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    agent = made("resolver:from=river,iterations=3,menu=33%+a,target=0.001%pot,gadget=unsafe:always-call", game)
    found = agent.solution(calls_to(game, 3))
    assert found.iterations == 3
    assert found.root.actions == ("check", "bet 100", "bet 19900")
    assert agent.options.gadget == "unsafe"
    assert (agent.budget.iterations, agent.budget.target) == (3, "0.001%pot")
