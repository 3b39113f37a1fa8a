"""Logs of matches over TCP, read by pokerkit: every pot and every payoff is equal."""

import asyncio
import io

import pytest
from acpc_peers import answering, take_part
from pokerkit import ChipsPushing, FixedLimitTexasHoldem, HandHistory, NoLimitTexasHoldem

from errai.arena.acpc.dealer import MatchSetting, Table
from errai.arena.acpc.log import read_log
from errai.games.catalogue import load_game

GAMES = {
    "holdem.limit.2p": (FixedLimitTexasHoldem((), True, 0, (5, 10), 10, 20), 10_000),
    "holdem.nolimit.2p": (NoLimitTexasHoldem((), True, 0, (50, 100), 100), 20_000),
}


def match_log(game, hands, agents, exchanged):
    """The log of a match over TCP."""
    log = io.StringIO()

    async def match():
        table = Table(MatchSetting(game, hands, 7, exchanged=exchanged), log)
        ports = await table.open()
        peers = (
            take_part(port, answering(agent, game, i))
            for i, (port, agent) in enumerate(zip(ports, agents, strict=True))
        )
        await asyncio.gather(table.play(), *peers)

    asyncio.run(match())
    return log.getvalue()


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_pokerkit_pays_out_what_the_log_says(name, exchanged):
    game, (peer, stack) = load_game(name), GAMES[name]
    text = match_log(game, 60, ("uniform", "fold=0.05,call=0.6,raise=0.35"), exchanged)
    hands = read_log(text.splitlines(), game).hands
    ends = set()
    for read, hand in zip(HandHistory.from_acpc_protocol(peer, stack, text, error_status=True), hands, strict=True):
        *_, state = read
        betting = hand.final_state().betting
        assert read.hand == hand.number
        assert tuple(read.players) == hand.players
        assert tuple(state.payoffs) == hand.net_chips
        # What a player who wins by a fold put in during the last round is no part of pokerkit's pot: it goes back.
        pushed = sum(sum(done.amounts) for done in state.operations if isinstance(done, ChipsPushing))
        before = betting.round_start[0] if betting.round else 0
        assert pushed == betting.stake_chips + (betting.stake_chips if betting.showdown else before)
        ends.add((betting.showdown, hand.net_chips[0] > 0))
    assert len(ends) == 4, "folds and showdowns, won and lost"
