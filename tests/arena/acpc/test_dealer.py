"""Matches over TCP within one process: complete ones, illegal answers, and players who leave or fall silent."""

import asyncio
import contextlib
import io
from dataclasses import replace

import pytest
from acpc_peers import HELLO, answering, calling, take_part

from errai.agents.agent import MatchStart
from errai.agents.reader import read_agent
from errai.arena.acpc.dealer import Limits, MatchSetting, Table
from errai.arena.acpc.log import Score, read_log
from errai.arena.play import play_hand
from errai.engine.status import Outcome
from errai.errors import DiskSpaceError, MatchError
from errai.games.catalogue import load_game
from errai.games.hand import Shuffle

LEDUC, LIMIT, NOLIMIT = (load_game(name) for name in ("leduc", "holdem.limit.2p", "holdem.nolimit.2p"))
PATIENT = Limits(connect_seconds=30, action_seconds=30)


def deal(setting, *players, log=None):
    """Play one match; ``players`` are coroutine functions of a port."""

    async def match():
        table = Table(setting, log)
        ports = await table.open()
        seated = [asyncio.ensure_future(player(port)) for player, port in zip(players, ports, strict=False)]
        result = await table.play()
        return result, await asyncio.gather(*seated)

    return asyncio.run(match())


def playing(answer, hello=HELLO):
    return lambda port: take_part(port, answer, hello)


@pytest.mark.parametrize("game", [LEDUC, LIMIT, NOLIMIT], ids=lambda game: game.name)
def test_a_match_over_tcp_is_the_match_in_process(game):
    log = io.StringIO()
    setting = MatchSetting(game, 40, 7, ("Ann", "Bob"), limits=PATIENT)
    result, _ = deal(
        setting, playing(answering("uniform", game, 1)), playing(answering("always-raise", game, 2)), log=log
    )
    agents = [read_agent(name, game) for name in ("uniform", "always-raise")]
    for seed, agent in enumerate(agents, 1):
        agent.start_match(MatchStart(game, seed))
    won = [0.0, 0.0]
    hands = []
    for number in range(40):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        hand = play_hand(game, (agents[order[0]], agents[order[1]]), Shuffle(game).numbered(7, number), number)
        hands.append(replace(hand, players=(("Ann", "Bob")[order[0]], ("Ann", "Bob")[order[1]])))
        for position in (0, 1):
            won[order[position]] += hand.net_chips[position]
    assert result.status is Outcome.DONE
    assert [player.net_chips for player in result.players] == won
    read = read_log(log.getvalue().splitlines(), game)
    assert (read.hands, read.problems) == (hands, [])
    assert read.score == Score((won[0], won[1]), ("Ann", "Bob"))


def test_both_players_are_told_every_state_and_no_hidden_card():
    _, (first, second) = deal(
        MatchSetting(NOLIMIT, 20, 3), playing(answering("uniform", NOLIMIT)), playing(answering("uniform", NOLIMIT))
    )
    assert len(first) == len(second)
    assert [line.split(":")[2:4] for line in first] == [line.split(":")[2:4] for line in second]
    for line in first + second:
        _, position, _, betting, cards = line.split(":")
        private = cards.split("/")[0].split("|")
        showdown = betting.count("/") == 3 and betting.endswith(("c", "/", "c///")) and all(private)
        assert all(private) == showdown
        assert private[int(position)]


def test_exchanged_positions_have_the_same_cards():
    logs = []
    for exchanged in (False, True):
        log = io.StringIO()
        setting = MatchSetting(NOLIMIT, 10, 5, exchanged=exchanged)
        deal(setting, playing(answering("always-call", NOLIMIT)), playing(answering("always-call", NOLIMIT)), log=log)
        logs.append(read_log(log.getvalue().splitlines(), NOLIMIT).hands)
    for one, other in zip(*logs, strict=True):
        assert (one.hole, one.board, one.net_chips) == (other.hole, other.board, other.net_chips)
        assert one.players == other.players[::-1]
    assert len({hand.hole for hand in logs[0]}) == 10


def test_a_player_who_answers_everything_is_heard_only_when_asked():
    result, _ = deal(MatchSetting(NOLIMIT, 10, 5), playing(calling), playing(answering("always-call", NOLIMIT)))
    assert result.status is Outcome.DONE
    assert result.players[0].invalid_actions == 0
    assert result.players[0].stray_lines > 0
    assert result.players[0].net_chips == -result.players[1].net_chips


@pytest.mark.parametrize(
    ("end", "counter"), [(b":r1\r\n", "moved_raises"), (b":zz\n", "invalid_actions"), (b"\r\n", "invalid_actions")]
)
def test_illegal_answers_are_replaced_counted_and_noted(end, counter):
    log = io.StringIO()
    result, _ = deal(
        MatchSetting(NOLIMIT, 6, 5, limits=PATIENT),
        playing(lambda line: line.encode() + end),
        playing(answering("always-call", NOLIMIT)),
        log=log,
    )
    assert result.status is Outcome.DONE
    assert getattr(result.players[0], counter) > 0
    assert result.players[1].invalid_actions == result.players[1].moved_raises == 0
    read = read_log(log.getvalue().splitlines(), NOLIMIT)
    assert len(read.hands) == 6
    assert not read.problems
    assert sum("A:" in comment for comment in read.comments) >= getattr(result.players[0], counter)


def test_too_many_illegal_answers_forfeit():
    limits = replace(PATIENT, invalid_actions=3)
    result, _ = deal(
        MatchSetting(NOLIMIT, 50, 5, limits=limits),
        playing(lambda line: line.encode() + b":zz\n"),
        playing(answering("always-call", NOLIMIT)),
    )
    assert (result.status, result.forfeited_by) == (Outcome.FORFEITED, ("A",))
    assert result.players[0].invalid_actions == 4


def test_comments_are_passed_over():
    plain = answering("always-call", NOLIMIT)
    result, _ = deal(
        MatchSetting(NOLIMIT, 5, 5, limits=PATIENT),
        playing(lambda line: b"# thinking\r\n; still\n" + plain(line), b"#GUI\r\n" + HELLO),
        playing(answering("always-call", NOLIMIT)),
    )
    assert result.status is Outcome.DONE
    assert result.players[0].stray_lines == 0


@pytest.mark.parametrize(
    "hello", [b"VERSION:1.0.0\r\n", b"VERSION:2.1.0\r\n", b"HELLO\n", b"\n", b"\xff" * 20000 + b"\n"]
)
def test_other_versions_are_refused(hello):
    result, _ = deal(
        MatchSetting(NOLIMIT, 5, 5, limits=PATIENT), playing(calling, hello), playing(answering("uniform", NOLIMIT))
    )
    assert (result.status, result.forfeited_by) == (Outcome.FORFEITED, ("A",))
    assert "instead of VERSION:2.0.0" in result.reason


def test_players_who_never_come_forfeit():
    log = io.StringIO()
    setting = MatchSetting(NOLIMIT, 5, 5, limits=Limits(connect_seconds=0.05))
    result, _ = deal(setting, log=log)
    assert (result.status, result.forfeited_by) == (Outcome.FORFEITED, ("A", "B"))
    assert "did not connect" in log.getvalue()


@pytest.mark.parametrize(
    "limits", [Limits(action_seconds=0.3), Limits(hand_seconds=0.3), Limits(match_seconds=0.3)], ids=str
)
def test_each_time_limit_forfeits_in_time(limits):
    slow = 0.1 if limits.action_seconds > 1 else 1.0

    async def dawdle(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HELLO)
        answer = answering("always-call", NOLIMIT)
        with contextlib.suppress(ConnectionError):  # The dealer does not wait for an answer that comes too late.
            while line := (await reader.readline()).decode().rstrip("\r\n"):
                if reply := answer(line):
                    await asyncio.sleep(slow)
                    writer.write(reply)
        writer.close()

    result, _ = deal(MatchSetting(NOLIMIT, 30, 5, limits=limits), dawdle, playing(answering("always-call", NOLIMIT)))
    assert (result.status, result.forfeited_by) == (Outcome.FORFEITED, ("A",))
    assert "no answer in time" in result.reason
    assert result.hands == 0 if limits.match_seconds is None else result.hands < 30
    assert result.seconds < 5


class Deserter:
    """Plays calls until a moment, and then goes or falls silent there, also in the middle of a line."""

    def __init__(self, moment, how, game):
        self.moment, self.how, self.answer = moment, how, answering("always-call", game)

    async def __call__(self, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        before = {"before the version": b"", "within the version": HELLO[:9]}.get(self.moment, HELLO)
        writer.write(before)
        turns = 0
        try:
            if before == HELLO and self.moment != "after the version":
                wanted, half = self.moment
                while line := (await reader.readline()).decode().rstrip("\r\n"):
                    reply = self.answer(line)
                    if reply and turns == wanted:
                        writer.write(reply[: len(reply) // 2] if half else b"")
                        break
                    turns += bool(reply)
                    writer.write(reply)
            await writer.drain()
            if self.how == "silence":
                # What is still sent is read, as a program does that hangs behind its input.
                while await reader.read(4096):
                    pass
            elif self.how == "reset":
                writer.transport.abort()
        except ConnectionError:
            pass
        finally:
            writer.close()


MOMENTS = ["before the version", "within the version", "after the version"]
MOMENTS += [(turn, half) for turn in range(6) for half in (False, True)]


@pytest.mark.parametrize("how", ["close", "reset", "silence"])
@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_leaving_at_any_moment_forfeits_and_other_matches_go_on(moment, how):
    """Four actions a hand in this game: the moments reach into the second hand."""
    log = io.StringIO()
    # Short only where it is waited for; a busy machine may keep the honest player waiting as well.
    limits = Limits(connect_seconds=0.4, action_seconds=0.4) if how == "silence" else PATIENT

    async def both():
        left, other = Table(MatchSetting(LIMIT, 20, 1, limits=limits), log), Table(MatchSetting(LIMIT, 3, 2))
        ports, other_ports = await left.open(), await other.open()
        peers = [
            take_part(ports[0], answering("always-call", LIMIT)),
            Deserter(moment, how, LIMIT)(ports[1]),
            *(take_part(port, answering("uniform", LIMIT)) for port in other_ports),
        ]
        results = await asyncio.gather(left.play(), other.play(), *peers)
        return results[:2]

    result, untouched = asyncio.run(asyncio.wait_for(both(), 20))
    assert untouched.status is Outcome.DONE
    assert (result.status, result.forfeited_by) == (Outcome.FORFEITED, ("B",))
    assert result.players[0].net_chips + result.players[1].net_chips == 0
    read = read_log(log.getvalue().splitlines(), LIMIT)
    assert (len(read.hands), read.problems, read.score) == (result.hands, [], None)
    assert read.net_chips().get("A", 0.0) == result.players[0].net_chips
    assert any(comment.startswith("FORFEIT by B") for comment in read.comments)
    # Seven states of calls and checks, four of them one's own, are a hand.
    assert result.hands == (1 if isinstance(moment, tuple) and moment[0] >= 4 else 0)


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("moment", MOMENTS[:3], ids=str)
@pytest.mark.parametrize("player", [0, 1])
def test_a_player_who_leaves_before_the_opponent_has_come_forfeits_at_once(player, moment, how):
    """Without a limit for connecting the dealer would wait for the opponent for ever."""
    log = io.StringIO()

    async def match():
        table = Table(MatchSetting(LIMIT, 20, 1), log)
        ports = await table.open()
        result, _ = await asyncio.gather(table.play(), Deserter(moment, how, LIMIT)(ports[player]))
        return result

    result = asyncio.run(asyncio.wait_for(match(), 20))
    name = "AB"[player]
    assert (result.status, result.forfeited_by, result.hands) == (Outcome.FORFEITED, (name,), 0)
    assert name in result.reason
    assert f"FORFEIT by {name}" in log.getvalue()


def test_a_player_who_waits_until_the_deadline_does_not_forfeit():
    setting = MatchSetting(LIMIT, 20, 1, limits=Limits(connect_seconds=0.4))
    result, _ = deal(setting, playing(answering("always-call", LIMIT)))
    assert (result.status, result.forfeited_by) == (Outcome.FORFEITED, ("B",))
    assert result.reason == "B did not connect"


def test_a_flood_of_lines_neither_stops_others_nor_counts_as_an_answer():
    async def flood(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HELLO)
        try:
            for _ in range(40):
                writer.write(b"x" * 30000 + b"\n" + b"rubbish\n" * 2000)
                await writer.drain()
            while await reader.read(65536):
                pass
        except ConnectionError:
            pass
        writer.close()

    async def both():
        first = Table(MatchSetting(LIMIT, 20, 1, limits=Limits(action_seconds=1.0)))
        second = Table(MatchSetting(LIMIT, 20, 2, limits=PATIENT))
        ports, others = await first.open(), await second.open()
        return await asyncio.gather(
            first.play(),
            second.play(),
            take_part(ports[0], answering("always-call", LIMIT)),
            flood(ports[1]),
            *(take_part(port, answering("uniform", LIMIT)) for port in others),
        )

    first, second = asyncio.run(asyncio.wait_for(both(), 30))[:2]
    assert (first.forfeited_by, second.status) == (("B",), Outcome.DONE)
    assert first.players[1].stray_lines > 100


def test_a_match_stopped_from_outside_leaves_a_log_and_a_result():
    log = io.StringIO()

    async def stopped():
        table = Table(MatchSetting(LIMIT, 10**6, 1), log, on_hand=lambda hand: hand.number == 9 and task.cancel())
        ports = await table.open()
        peers = [asyncio.ensure_future(take_part(port, answering("always-call", LIMIT))) for port in ports]
        task = asyncio.ensure_future(table.play())
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.gather(*peers)
        return table.result

    result = asyncio.run(stopped())
    read = read_log(log.getvalue().splitlines(), LIMIT)
    assert result.status is Outcome.INTERRUPTED
    assert result.hands == len(read.hands) >= 10
    assert read.comments[-1].startswith("STOPPED")


def test_only_the_first_who_connects_has_the_seat():
    async def match():
        table = Table(MatchSetting(LIMIT, 2, 1, limits=PATIENT))
        ports = await table.open()
        first = asyncio.ensure_future(take_part(ports[0], answering("always-call", LIMIT)))
        await asyncio.sleep(0.05)
        playing = asyncio.ensure_future(table.play())
        # Whoever comes later is turned away: at once, or as soon as the port is closed.
        late = await take_part(ports[0], calling) if not first.done() else []
        second = asyncio.ensure_future(take_part(ports[1], answering("always-call", LIMIT)))
        await asyncio.gather(first, second)
        return await playing, late

    result, late = asyncio.run(match())
    assert result.status is Outcome.DONE
    assert late == []


def test_a_port_in_use_is_said():
    async def twice():
        first, second = (Table(MatchSetting(LIMIT, 1, 1)) for _ in range(2))
        ports = await first.open()
        try:
            with pytest.raises(MatchError, match=f"Port {ports[0]}"):
                await second.open(ports=ports)
        finally:
            first.close()

    asyncio.run(twice())


def matches_at_once(count, hands):
    async def all_of_them():
        tables = [Table(MatchSetting(LEDUC, hands, seed, limits=PATIENT)) for seed in range(count)]
        ports = [port for table in tables for port in await table.open()]
        peers = [take_part(port, answering("uniform", LEDUC, i)) for i, port in enumerate(ports)]
        return (await asyncio.gather(*(table.play() for table in tables), *peers))[:count]

    return asyncio.run(all_of_them())


def test_a_hundred_matches_in_one_process():
    results = matches_at_once(100, 5)
    assert [(r.status, r.hands) for r in results] == [(Outcome.DONE, 5)] * 100
    assert all(r.players[0].net_chips == -r.players[1].net_chips for r in results)
    assert len({r.players[0].net_chips for r in results}) > 1


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"hands": 0}, "hands"),
        ({"seed": -1}, "seed"),
        ({"players": ("A", "A")}, "different names"),
        ({"players": ("A|", "B")}, "name"),
    ],
)
def test_matches_that_cannot_be_held_are_refused(change, word):
    with pytest.raises(MatchError, match=word):
        MatchSetting(**{"game": LIMIT, "hands": 5, "seed": 0, **change})


@pytest.mark.parametrize("change", [{"action_seconds": 0}, {"connect_seconds": -1}, {"invalid_actions": -1}])
def test_limits_that_mean_nothing_are_refused(change):
    with pytest.raises(MatchError, match="must be"):
        Limits(**change)


@pytest.mark.parametrize("lines", range(9))
def test_a_hand_that_the_log_cannot_hold_is_none_of_the_result(lines):
    """On a full disk the result once had a hand more than the log, and a dealer without a header left ports open."""

    class Full(io.StringIO):
        def write(self, text):
            if self.getvalue().count("\n") >= lines:
                raise DiskSpaceError("log cannot be written: the disk is full.")
            return super().write(text)

    log, table = Full(), None

    async def match():
        nonlocal table
        table = Table(MatchSetting(load_game("kuhn"), 10, 1), log)
        ports = await table.open()
        players = [take_part(port, answering("always-call", table.setting.game), HELLO) for port in ports]
        ended = await asyncio.gather(table.play(), *players, return_exceptions=True)
        assert isinstance(ended[0], DiskSpaceError)
        for port in ports:
            with pytest.raises(OSError, match=r"refused|Connect call failed"):
                await asyncio.open_connection("127.0.0.1", port)

    asyncio.run(asyncio.wait_for(match(), 20))
    read = read_log(log.getvalue().splitlines(), table.setting.game)
    assert len(read.hands) == table.result.hands == max(lines - 4, 0)
    assert table.result.players[0].net_chips == read.net_chips().get("A", 0.0)
    assert (table.result.status, "disk is full" in table.result.reason) == (Outcome.INTERRUPTED, True)
