"""Let an agent play at a dealer of the ACPC protocol.

Play at a dealer of the Annual Computer Poker Competition's protocol: `errai dealer`, or any other:

    errai agent solution:leduc.errai --game leduc --connect localhost:18374

The dealer does not say which game it deals; --game must be the same one.  The agent's random draws depend on --seed and
the number of the hand.

Against a program on the web it plays no-limit hold'em, and the hands are checked by the rules:

    errai agent blueprint-nl --connect slumbot --hands 10000 --log slumbot.log
    GTOWIZARD_API_KEY=... errai agent deepstack --connect gtowizard --hands 10000 --log gtowizard.log

https://... instead of `slumbot` is another server of slumbot.com's protocol, and gtowizard+https://... one of GTO
Wizard's.  A match whose log exists is resumed; with as many hands as the log has, the result is computed from it alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from errai.cli.arguments import Arguments, Options
from errai.cli.inputs import load_subject, ring_game
from errai.cli.output import OK, SHORT, fields, note, write_facts, write_json

if TYPE_CHECKING:
    from errai.arena.acpc.client import PlayerTally
    from errai.arena.online.match import Program


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add(
        "agent AGENT",
        "always-call, uniform, a mixture, solution:FILE, store:FOLDER, python:package.module:Class, or acpc:command "
        "line",
    )
    add("--connect PLACE", "HOST:PORT where the dealer listens for this player, or a program on the web", required=True)
    add("--game GAME", "the game: of the catalogue, or a .game file; not with a program on the web")
    add.seed("the agent's seed")
    add("--matches N", "connect N times, once for a match", default=1)
    add("--connect-seconds S", "how long to try to connect if no dealer listens yet (default: 30)", default=30.0)
    add("--silence-seconds S", "how long a dealer may be silent before that is an error (default: no limit)")
    add("--hands N", "against a program on the web: the hands of the match (default: 100)")
    add("--log FILE", "against a program on the web: write every hand to this log, and resume from it")
    add("--check", "with --log: compute AIVAT of the log's hands again, and say whether the log's figures are right")
    add.json()


def run(options: Options) -> int:
    """Play one match or several; ``docs/acpc.md`` lists the fields of the document."""
    from errai.arena.acpc.client import ProtocolPlayer, play_at_dealer, read_address, read_entrant
    from errai.arena.acpc.text import protocol_game
    from errai.engine.progress_view import BarView
    from errai.errors import InputError

    if options.connect.lower().startswith(("slumbot", "gtowizard", "http://", "https://")):
        return _online(options)
    if options.game is None or options.hands is not None or options.log is not None or options.check:
        raise InputError("At a dealer --game is needed, and --hands, --log and --check are not known to it.")
    host, port = read_address(options.connect)
    game = protocol_game(cast(Any, ring_game(options.game) or load_subject(options.game)))
    agent = read_entrant(options.agent, game)
    tallies: list[PlayerTally] = []
    stopped = False
    try:
        for _ in range(options.matches):
            with BarView(f"{agent.name} at {options.connect}", beginning="connecting") as view:
                player = ProtocolPlayer(agent, game, options.seed)
                tallies.append(player.tally)
                limits = fields(options, "connect_seconds silence_seconds")

                def progress(tally: PlayerTally, view: BarView = view) -> None:
                    view.show(0.0, f"{tally.hands} hands, {tally.net_chips:+.12g} chips")

                play_at_dealer(player, host, port, on_hand=progress, **limits)
    except KeyboardInterrupt:
        stopped = True
        note("Stopped.")
    finally:
        agent.close()
    matches = []
    for tally in tallies:
        known = tally.hands and game.big_blind
        rate = 1000.0 * tally.net_chips / tally.hands / game.big_blind if known else None
        match = fields(tally, "hands net_chips unknown_results bad_lines", broken_off=tally.broken_off or None)
        matches.append(match | {"mbb_per_hand": rate})
        facts = [
            ("hands", str(tally.hands)),
            ("won", f"{tally.net_chips:+.12g} chips{'' if rate is None else f' ({rate:+.1f} mbb per hand)'}"),
            ("unknown", f"{tally.unknown_results} showdowns" if tally.unknown_results else ""),
        ]
        if not options.json:
            write_facts(agent.name, facts)
        if tally.bad_lines:
            note(f"{tally.bad_lines} lines of the dealer could not be read, the last one {tally.last_bad_line}")
        if tally.broken_off and not stopped:
            note(f"{tally.broken_off} The winnings are counted up to then; the match may not be over.")
    if options.json:
        write_json(fields(options, "game seed", agent=agent.name, stopped=stopped, matches=matches))
    whole = len(tallies) == options.matches and not any(tally.broken_off for tally in tallies)
    return OK if whole and not stopped else SHORT


def _program(options: Options) -> Program:
    """Return the program on the web; raises :class:`InputError`."""
    import os

    from errai.arena.online import gtowizard, slumbot

    limits = {} if options.silence_seconds is None else {"timeout_seconds": options.silence_seconds}
    name, _, address = options.connect.partition("+")
    if name.lower() == "gtowizard":
        key = os.environ.get(gtowizard.KEY_VARIABLE, "")
        return gtowizard.GtoWizard(key, address or gtowizard.ADDRESS, **limits)
    return slumbot.Slumbot(slumbot.ADDRESS if options.connect.lower() == "slumbot" else options.connect, **limits)


def _online(options: Options) -> int:
    """Play against a program on the web."""
    from pathlib import Path

    from errai.arena.acpc.client import read_entrant
    from errai.arena.online.match import GAME, OnlineResult, play_online
    from errai.cli.match import bb_per_100
    from errai.engine.progress_view import BarView
    from errai.errors import InputError, MatchError
    from errai.games.catalogue import load_game

    if options.game is not None or options.matches != 1:
        raise InputError(f"Against a program on the web one match of {GAME} is played; leave --game and --matches out.")
    if options.check and options.log is None:
        raise InputError("--check needs --log.")
    program, wanted = _program(options), 100 if options.hands is None else options.hands
    game = load_game(GAME)
    seen: list[OnlineResult] = []
    agent, stopped = read_entrant(options.agent, game), ""
    try:
        with BarView(f"{agent.name} at {options.connect}", beginning="connecting") as view:

            def progress(result: OnlineResult) -> None:
                seen[:] = [result]
                chips = result.chips.total_chips
                view.show(len(result.hands) / max(wanted, 1), f"{len(result.hands):,} hands, {chips:+.12g} chips")

            log = None if options.log is None else Path(options.log)
            play = {"log": log, "seed": options.seed, "check": options.check, "on_hand": progress}
            seen[:] = [play_online(agent, program, wanted, **play)]
    except KeyboardInterrupt:
        stopped = "Stopped."
    except MatchError as error:
        if not seen:
            raise
        stopped = str(error)
    finally:
        agent.close()
    if stopped:
        note(f"{stopped} The same command with --log goes on." if options.log else stopped)
    if not seen:
        return SHORT
    result, rates = seen[0], 1000.0 / game.big_blind
    averages = {"won": result.chips, "without_luck": result.without_luck, "by_the_server": result.by_the_server}
    far = sum(abs(difference) > 0.01 for difference in result.differences)
    thinking = sorted(result.thinking_seconds)
    if options.json:
        found = {
            name: None
            if average is None
            else {
                "chips": average.total_chips,
                "mbb_per_hand": rates * average.chips_a_hand,
                "half_width_mbb": None if average.half_width_chips is None else rates * average.half_width_chips,
            }
            for name, average in averages.items()
        }
        write_json(
            fields(result, "agent address broken_off")
            | {"hands": len(result.hands), "seed": options.seed, "stopped": bool(stopped), **found}
            | ({"checked": len(result.differences), "wrong": far} if options.check else {})
        )
    else:
        facts = [("hands", f"{len(result.hands):,}")]
        for name, average in averages.items():
            if average is not None:
                width = average.half_width_chips
                sure = "" if width is None else f" +- {rates * width:.1f}"
                rate = rates * average.chips_a_hand
                label = {"without_luck": "by AIVAT", "by_the_server": "by its AIVAT"}.get(name, name)
                facts.append((label, f"{rate:+.1f}{sure} mbb per hand ({bb_per_100(rate)})"))
        if options.check:
            facts.append(("checked", f"AIVAT of {len(result.differences):,} hands; {far:,} differ from the log"))
        facts.append(("broken off", f"{result.broken_off} hands" if result.broken_off else ""))
        if thinking:
            quantiles = [thinking[min(int(share * len(thinking)), len(thinking) - 1)] for share in (0.5, 0.95)]
            facts.append(("a decision", "median {:.3g} s, 95 % below {:.3g} s".format(*quantiles)))
        write_facts(result.agent, facts)
    return SHORT if stopped or far else OK
