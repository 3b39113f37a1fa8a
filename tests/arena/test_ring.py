"""Matches of three: exact values, the competition's protocol, its log, and what is refused."""

from __future__ import annotations

import asyncio
import io
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from acpc_peers import answering, take_part

import errai
from errai.agents.agent import Agent, MatchStart
from errai.agents.reader import read_agent
from errai.agents.written_out import WrittenOutAgent
from errai.arena.acpc.dealer import MatchSetting, Table
from errai.arena.acpc.log import read_log
from errai.arena.acpc.text import matchstate_line, read_matchstate
from errai.arena.ring import RingResult, play_ring_match
from errai.engine.status import Outcome
from errai.errors import AgentError, HistoryError, MatchError, ProtocolError, StrategyError
from errai.games.hand import Action, Deal, Observation, raise_to
from errai.games.ring import RingGame, RingHand
from errai.running.stopping import StopToken

KUHN = errai.load_ring_game("kuhn3")
LEDUC = errai.load_ring_game("leduc3")
PURE = ("always-call", "always-raise", "always-fold")


def made(names: tuple[str, ...], game: Any = KUHN) -> list[Any]:
    return [lambda name=name: read_agent(name, game) for name in names]


def plan_of(game: Any, player: int, name: str) -> np.ndarray:
    """The plan of an agent that always does the same where it can."""
    chosen = np.zeros(game.decisions[player].num_sequences)
    wanted = {"always-call": ("call", "check"), "always-fold": ("fold", "check"), "always-raise": ("bet", "call")}[name]
    for number, actions in enumerate(game.actions[player]):
        at = next(i for want in wanted for i, action in enumerate(actions) if action.split()[0] == want)
        chosen[game.sequences_of(player, number)[at]] = 1.0
    return np.asarray(game.decisions[player].plan_of(chosen))


@pytest.mark.parametrize("names", [PURE, ("always-fold", "always-raise", "always-fold")])
def test_all_deals_together_are_worth_the_exact_value(names: tuple[str, ...]) -> None:
    game = errai.extensive_game(KUHN)
    exact, played = np.zeros(3), np.zeros(3)
    for order in permutations(range(3)):
        plans = [plan_of(game, seat, names[player]) for seat, player in enumerate(order)]
        exact[list(order)] += game.values(plans)
        agents = [read_agent(names[player], KUHN) for player in order]
        for cards in permutations(range(4), 3):
            hand = RingHand(KUHN, Deal(tuple((card,) for card in cards), ()))  # type: ignore[arg-type]
            while not hand.is_over:
                hand.act(agents[hand.actor].act(hand.observation(hand.actor)))
            played[list(order)] += np.array(hand.net_chips()) / 24
    np.testing.assert_allclose(played, exact, atol=1e-12)
    assert np.abs(exact).max() > 0.1


def test_a_duplicate_match_of_blind_agents_has_the_exact_value() -> None:
    game = errai.extensive_game(KUHN)
    exact = np.zeros(3)
    for order in permutations(range(3)):
        exact[list(order)] += game.values([plan_of(game, seat, PURE[p]) for seat, p in enumerate(order)])
    result = play_ring_match(KUHN, made(PURE), 600, seed=4)
    assert (result.hands, result.orders, result.players) == (3600, 6, PURE)
    # Who ignores the cards has no luck left once every seat has been dealt them.
    np.testing.assert_allclose(result.deals, np.tile(exact / 6, (600, 1)), atol=1e-12)
    assert sum(result.mean_chips) == pytest.approx(0.0, abs=1e-12)
    # One order for each deal has the same mean within its luck.
    plain = play_ring_match(KUHN, made(PURE), 3600, seed=4, duplicate=False)
    for value, interval in zip(exact / 6, plain.intervals, strict=True):
        assert interval is not None
        reach = 2.0 * (interval.high - interval.low)
        assert interval.low - reach <= value <= interval.high + reach


def test_a_match_is_the_same_again_and_agents_of_a_name_are_told_apart() -> None:
    one, two = (play_ring_match(KUHN, made(("uniform", "uniform", "always-call")), 50, seed=9) for _ in range(2))
    assert np.array_equal(one.deals, two.deals)
    assert one.players == ("uniform", "uniform (2)", "always-call")


def test_a_solution_plays_what_it_says(tmp_path: Path) -> None:
    solution = errai.solve(KUHN, "1mbb")
    agent = WrittenOutAgent(solution, KUHN)
    agent.start_match(MatchStart(KUHN, 1))  # type: ignore[arg-type]
    counted: dict[str, int] = {}
    for number in range(2000):
        hand = RingHand(KUHN, Deal(((1,), (0,), (3,)), ()), number)  # type: ignore[arg-type]
        action = agent.act(hand.observation(0))  # type: ignore[arg-type]
        counted[action.kind.name] = counted.get(action.kind.name, 0) + 1
    said = solution.strategy_at(0, KUHN.deck.cards_text((1,)))
    assert counted.get("RAISE", 0) / 2000 == pytest.approx(said["bet 1"], abs=0.04)
    solution.save(tmp_path / "kuhn3.errai")
    text = f"solution:{tmp_path / 'kuhn3.errai'}"
    result = play_ring_match(KUHN, made((text, "uniform", "always-call")), 100, seed=2)
    assert result.mean_chips[0] > 0.0
    with pytest.raises(StrategyError, match="The solution is of Kuhn poker for three"):
        read_agent(text, LEDUC)  # type: ignore[arg-type]


def test_a_solution_of_two_rounds_finds_its_board() -> None:
    """Of a board with cards of one round out of order too."""
    game = RingGame(
        name="tiny3",
        limit=True,
        num_rounds=2,
        blinds=(1, 1, 1),
        stacks=(9, 9, 9),
        raise_sizes=(1, 1),
        first_player=(0, 0),
        max_raises=(1, 0),
        num_suits=1,
        num_ranks=5,
        num_hole_cards=1,
        num_board_cards=(0, 2),
    )
    agent = WrittenOutAgent(errai.solve(game, max_iterations=5), game)
    agent.start_match(MatchStart(game, 1))  # type: ignore[arg-type]
    hand = RingHand(game, Deal(((0,), (1,), (2,)), (4, 3)))  # type: ignore[arg-type]
    while not hand.is_over:
        hand.act(agent.act(hand.observation(hand.actor)))  # type: ignore[arg-type]
    assert hand.state.board in ((4, 3), ())


def test_lines_of_three_players_are_read_as_they_are_written() -> None:
    game = errai.load_ring_game("holdem.nolimit.3p")
    deck = game.deck
    hole = tuple(tuple(deck.parse_cards(text)) for text in ("AcAd", "KcKd", "QcQd"))
    hand = RingHand(game, Deal(hole, tuple(deck.parse_cards("2h3h4h5s9s"))), 7)  # type: ignore[arg-type]
    assert matchstate_line(hand.observation(2)) == "MATCHSTATE:2:7::||QcQd"
    for action in (raise_to(300), Action(1), Action(1), Action(1), raise_to(600), Action(0), Action(1)):
        hand.act(action)
    assert matchstate_line(hand.observation(0)) == "MATCHSTATE:0:7:r300cc/cr600fc/:AcAd||/2h3h4h/5s"
    for action in (Action(1), Action(1), raise_to(900), Action(1)):
        hand.act(action)
    # The cards of those who have not folded are shown at the end; the button has folded, and sees its own.
    assert matchstate_line(hand.observation(1)).endswith(":AcAd|KcKd|/2h3h4h/5s/9s")
    assert matchstate_line(hand.observation(2)).endswith(":AcAd|KcKd|QcQd/2h3h4h/5s/9s")
    for seat in range(3):
        line = matchstate_line(hand.observation(seat))
        again: Any = read_matchstate(line, game)  # type: ignore[arg-type]
        assert matchstate_line(again) == line
        assert again.state.net_chips(again.hole) == hand.net_chips() == (1200.0, -900.0, -300.0)
    for wrong, message in (
        ("MATCHSTATE:3:7::||QcQd", "The position must be 0 to 2"),
        ("MATCHSTATE:2:7::|QcQd", r"Expected a \| between the cards of 3 players"),
        ("MATCHSTATE:2:7:f:||QcQd", None),
        ("MATCHSTATE:2:7:fff:||QcQd", "Betting is over"),
        ("MATCHSTATE:1:7::||QcQd", "own cards are missing"),
        ("MATCHSTATE:2:7::AcAd||AcQd", "A card comes twice"),
    ):
        if message is None:
            read_matchstate(wrong, game)  # type: ignore[arg-type]
            continue
        with pytest.raises(ProtocolError, match=message):
            read_matchstate(wrong, game)  # type: ignore[arg-type]


def played_over_tcp(game: Any, agents: tuple[str, ...], hands: int) -> tuple[Any, str, list[list[str]]]:
    log = io.StringIO()
    table = Table(MatchSetting(game, hands, 5, ("A", "B", "C")), log)

    async def play() -> list[list[str]]:
        ports = await table.open()
        seats = [
            take_part(port, answering(agent, game, n))
            for n, (port, agent) in enumerate(zip(ports, agents, strict=True))
        ]
        _, *lines = await asyncio.gather(table.play(), *seats)
        return lines

    lines = asyncio.run(play())
    return table.result, log.getvalue(), lines


@pytest.mark.parametrize("game", [KUHN, LEDUC, errai.load_ring_game("holdem.nolimit.3p")], ids=lambda game: game.name)
def test_a_dealer_of_three_and_its_log(game: RingGame) -> None:
    result, text, lines = played_over_tcp(game, ("uniform", "always-call", "fold=0.1,call=0.5,raise=0.4"), 12)
    assert result.status is Outcome.DONE
    log = read_log(text.splitlines(), game)  # type: ignore[arg-type]
    assert log.problems == []
    assert len(log.hands) == 12
    # Positions move on: A is the first, the third and the second to be dealt to.
    assert [hand.players for hand in log.hands[:3]] == [("A", "B", "C"), ("B", "C", "A"), ("C", "A", "B")]
    assert log.score is not None
    for player, chips in zip(log.score.players, log.score.net_chips, strict=True):
        assert log.net_chips()[player] == pytest.approx(chips, abs=1e-3)
    assert sum(log.score.net_chips) == pytest.approx(0.0, abs=1e-3)
    # Nobody was told the cards of others before a showdown.
    for seat, received in enumerate(lines):
        for line in (line for line in received if line.startswith("MATCHSTATE")):
            seen: Any = read_matchstate(line, game)  # type: ignore[arg-type]
            others = [cards for p, cards in enumerate(seen.hole) if p != seen.seat and cards is not None]
            assert not others or seen.state.betting.showdown, (seat, line)


def test_a_log_that_is_wrong_is_said_to_be() -> None:
    line = "STATE:3:crcf:Ks|Js|Qs:-1|-2|3:A|B|C"
    assert read_log([line], KUHN).problems == []  # type: ignore[arg-type]
    for wrong, message in (
        (line.replace("-2|3", "-1|2"), "by the rules they won -1|-2|3"),
        (line.replace("-1|-2|3", "-1|-2|4"), "does not sum to 0"),
        (line.replace(":A|B|C", ":A|B"), "names of 3 players"),
        (line.replace("-1|-2|3:A|B|C", "-1|1:A|B"), "2 players sat at the table; the game is for 3"),
        (line.replace("crcf", "crc"), "not over"),
    ):
        problems = read_log([wrong], KUHN).problems  # type: ignore[arg-type]
        assert len(problems) == 1, wrong
        assert isinstance(problems[0], HistoryError)
        assert message in str(problems[0])
    two = read_log([line], errai.load_game("kuhn")).problems
    assert "3 players sat at the table; only hands of two players can be read" in str(two[0])


class Broken(Agent):
    name = "broken"

    def act(self, observation: Observation) -> Action:
        return raise_to(77)


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(MatchError, match="is for 3 players, not 2"):
        play_ring_match(KUHN, made(("uniform", "uniform")), 1)
    with pytest.raises(MatchError, match="deals"):
        play_ring_match(KUHN, made(PURE), 0)
    with pytest.raises(AgentError, match="broken, hand 0: A raise to 77 is not legal"):
        play_ring_match(KUHN, [Broken, *made(PURE[:2])], 3)
    with pytest.raises(StrategyError, match="'deepstack' plays games of two players"):
        read_agent("deepstack", KUHN)  # type: ignore[arg-type]
    with pytest.raises(MatchError, match="is for 3 players, not 2"):
        MatchSetting(KUHN, 1, 0)  # type: ignore[arg-type]
    stop = StopToken()
    stop.set()
    stopped: RingResult = play_ring_match(KUHN, made(PURE), 5, stop=stop)
    assert (stopped.status, stopped.hands) == (Outcome.INTERRUPTED, 0)
