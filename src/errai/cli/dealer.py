"""Deal a match to programs that connect over the ACPC protocol.

Deal a match between two programs that speak the protocol of the Annual Computer Poker Competition, such as

    errai dealer holdem.nolimit.2p --ports 18374,18791 --hands 3000 --seed 7 --log match.log
    errai agent always-call --game holdem.nolimit.2p --connect localhost:18374

The first line of standard output is the two ports.  The cards depend on the seed only: with --duplicate the match is
played a second time with the positions exchanged, and both programs connect again.  An illegal action is replaced by a
legal one and noted in the log; a player who disconnects or exceeds a time limit forfeits.
"""

from __future__ import annotations

import contextlib
import math
import statistics
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from errai.cli.arguments import Arguments, Options, natural_number
from errai.cli.inputs import given, load_subject, output_path, ring_game
from errai.cli.output import OK, SHORT, fields, note, write_facts, write_json
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.arena.acpc.dealer import MatchResult, MatchSetting
    from errai.games.hand import PlayedHand


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("game GAME", "a game of the catalogue (see `errai games`), or a .game file")
    add("--hands N", "hands", default=3000)
    add.seed("the cards' seed")
    add("--ports P1,P2", "a port for each player (default: free ones)", _ports, default=())
    add("--host ADDRESS", "where to listen (default: 127.0.0.1, this machine only)", default="127.0.0.1")
    add("--names A,B", "the players' names, in the order of the ports (default: A,B and so on)")
    add("--log FILE", "write a log in the competition's format here, line by line")
    exchange = add.one_of()
    exchange("--duplicate", "play a second match with the same cards and exchanged positions")
    exchange("--exchanged", "play the second half of a duplicate match only")
    add("--action-seconds S", "time limit for one action (default: 600)")
    add("--hand-seconds S", "time limit of a player for a whole hand (default: 600)")
    add("--match-seconds S", "time limit of a player for the whole match (default: 7 a hand)")
    add("--connect-seconds S", "time limit for both players to connect (default: none)")
    add("--invalid-actions N", "a player who makes more forfeits (default: no limit)", natural_number)
    add.json()


def run(options: Options) -> int:
    """Deal one match, or both halves of a duplicate match."""
    import asyncio

    from errai.arena.acpc.dealer import Limits, MatchSetting, Table
    from errai.arena.acpc.log import LogFile
    from errai.arena.acpc.text import protocol_game
    from errai.cli.signals import interrupted_by_signals

    limits = given(options, "action_seconds", "hand_seconds", "match_seconds", "connect_seconds", "invalid_actions")
    game = protocol_game(cast(Any, ring_game(options.game) or load_subject(options.game)))
    names = "ABCDEFGHIJ"[: game.num_players] if options.names is None else options.names.split(",")
    if len(names) != game.num_players:
        number, example = ("two", "Alice,Bob") if game.num_players == 2 else (str(game.num_players), "Alice,Bob,Carol")
        raise InputError(f"--names {options.names!r} are not {number} names; write them as {example}.")
    players, ports = tuple(name.strip() for name in names), options.ports
    if ports and len(ports) != game.num_players:
        raise InputError(f"--ports has {len(ports)} ports; {game.label} needs {game.num_players}.")
    if len(players) != 2 and (options.duplicate or options.exchanged):
        raise InputError("--duplicate and --exchanged are for two players; deal three in another order of --names.")
    log, orders = output_path(options.log), (False, True) if options.duplicate else (options.exchanged,)
    halves: list[_Half] = []
    # A signal ends the current match.  The result so far is reported below and is in the log.
    with contextlib.suppress(KeyboardInterrupt), interrupted_by_signals():
        for exchanged in orders:
            setting = MatchSetting(game, options.hands, options.seed, players, exchanged, Limits(**limits))
            path = log.with_name(f"{log.stem}.exchanged{log.suffix}") if log is not None and halves else log
            half = _Half(setting, path)
            with contextlib.ExitStack() as files:
                file = None if path is None else files.enter_context(contextlib.closing(LogFile(path)))
                table = Table(setting, file, half.add)
                half.result = table.result
                halves.append(half)
                with half.view:
                    ports = asyncio.run(_deal(table, half, options, ports))
            if half.result.hands < options.hands:
                break
    document = _document(options, halves)
    if options.json:
        write_json(document)
    else:
        _print(document)
    return OK if len(halves) == len(orders) and all(h.result.hands == options.hands for h in halves) else SHORT


async def _deal(table: Any, half: _Half, options: Options, ports: tuple[int, ...]) -> tuple[int, ...]:
    found: tuple[int, ...] = await table.open(options.host, ports)
    half.ports = found
    places = zip(half.setting.players, found, strict=True)
    note(f"Waiting for {' and for '.join(f'{name} at {options.host}:{port}' for name, port in places)}.")
    if not options.json and not (half.setting.exchanged and options.duplicate):
        sys.stdout.write(f"{' '.join(map(str, found))}\n")
        sys.stdout.flush()
    await table.play()
    return found


class _Half:
    """One match: its progress bar while it is played, and its figures at the end."""

    def __init__(self, setting: MatchSetting, log: Path | None) -> None:
        from errai.engine.progress_view import BarView

        self.setting = setting
        self.log = log
        self.ports: tuple[int, ...] = ()
        self.result: MatchResult
        self.first_player_chips: list[float] = []
        title = f"{' - '.join(setting.players)}{', exchanged' if setting.exchanged else ''}"
        self.view = BarView(title, beginning="waiting for the players")

    def add(self, hand: PlayedHand) -> None:
        """Record a hand; the dealer calls this after every hand."""
        first, done, hands = self.setting.players[0], self.result.hands, self.setting.hands
        self.first_player_chips.append(hand.net_chips[hand.players.index(first)])
        won = self.result.players[0].net_chips
        self.view.show(done / hands, f"{done} of {hands} hands, {first} {won:+.12g} chips")


def _ports(text: str) -> tuple[int, ...]:
    """Read two ports or more, for argparse."""
    parts = text.split(",")
    if len(parts) < 2 or not all(p.strip().isdecimal() and int(p.strip()[:6]) <= 65535 for p in parts):
        raise ArgumentTypeError(f"{text!r} are not two ports; write them as 18374,18791")
    ports = tuple(map(int, parts))
    if any(port and ports.count(port) > 1 for port in ports):
        raise ArgumentTypeError("both players have the same port; give each its own")
    return ports


def _rate(samples: list[float], big_blind: int) -> dict[str, float] | None:
    """Return the first player's mean winnings per hand in mbb, with the half width of the 95 % interval."""
    if len(samples) < 2 or not big_blind:
        return None
    scale = 1000.0 / big_blind
    width = 1.96 * statistics.stdev(samples) / math.sqrt(len(samples))
    return {"mbb_per_hand": statistics.fmean(samples) * scale, "interval_mbb": width * scale}


def _document(options: Options, halves: list[_Half]) -> dict[str, Any]:
    """Return the document of ``--json``; ``docs/acpc.md`` lists the fields."""
    pairs, big_blind = None, halves[0].setting.game.big_blind
    if len(halves) == 2:
        played = zip(halves[0].first_player_chips, halves[1].first_player_chips, strict=False)
        pairs = _rate([(first + second) / 2 for first, second in played], big_blind)
    matches = [
        fields(
            half.result,
            "hands seconds",
            exchanged=half.setting.exchanged,
            status=half.result.status.value,
            reason=half.result.reason or None,
            forfeited_by=list(half.result.forfeited_by),
            log=None if half.log is None else str(half.log),
            first_player=_rate(half.first_player_chips, big_blind),
            players=[
                fields(player, "name net_chips seconds invalid_actions moved_raises stray_lines")
                for player in half.result.players
            ],
        )
        for half in halves
    ]
    return fields(options, "game seed hands host", ports=list(halves[0].ports), matches=matches, duplicate=pairs)


def _print(document: dict[str, Any]) -> None:
    for match in document["matches"]:
        speed = f" ({match['hands'] / match['seconds']:.0f} hands/s)" if match["seconds"] > 0 else ""
        facts = [
            ("status", match["status"] + (f": {match['reason']}" if match["reason"] else "")),
            ("hands", f"{match['hands']} of {document['hands']} in {match['seconds']:.1f} s{speed}"),
        ]
        for player in match["players"]:
            names = {"invalid_actions": "invalid actions", "moved_raises": "raises moved", "stray_lines": "stray lines"}
            counted = [f"{player[key]} {name}" for key, name in names.items() if player[key]]
            facts.append((player["name"], ", ".join([f"{player['net_chips']:+.12g} chips", *counted])))
        facts.append(("rate", _rate_text(match["first_player"], match["players"][0]["name"])))
        facts.append(("log", match["log"] or ""))
        write_facts("match" + (", positions exchanged" if match["exchanged"] else ""), facts)
    if document["duplicate"] is not None:
        first = document["matches"][0]["players"][0]["name"]
        write_facts("duplicate", [("rate", _rate_text(document["duplicate"], first))])


def _rate_text(rate: dict[str, float] | None, name: str) -> str:
    if rate is None:
        return ""
    return f"{name} {rate['mbb_per_hand']:+.1f} +- {rate['interval_mbb']:.1f} mbb per hand (95 %)"
