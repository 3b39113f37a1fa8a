"""Let an agent play at a dealer of the ACPC protocol.

Play at a dealer of the Annual Computer Poker Competition's protocol: `errai dealer`, or any other:

    errai agent solution:leduc.errai --game leduc --connect localhost:18374

The dealer does not say which game it deals; --game must be the same one.  The agent's random draws depend on --seed and
the number of the hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from errai.cli.arguments import Arguments, Options
from errai.cli.inputs import load_subject, ring_game
from errai.cli.output import OK, SHORT, fields, note, write_facts, write_json

if TYPE_CHECKING:
    from errai.arena.acpc.client import PlayerTally


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add(
        "agent AGENT",
        "always-call, uniform, a mixture, solution:FILE, store:FOLDER, python:package.module:Class, or acpc:command "
        "line",
    )
    add("--connect HOST:PORT", "where the dealer listens for this player", required=True)
    add("--game GAME", "the game: of the catalogue, or a .game file", required=True)
    add.seed("the agent's seed")
    add("--matches N", "connect N times, once for a match", default=1)
    add("--connect-seconds S", "how long to try to connect if no dealer listens yet (default: 30)", default=30.0)
    add("--silence-seconds S", "how long a dealer may be silent before that is an error (default: no limit)")
    add.json()


def run(options: Options) -> int:
    """Play one match or several; ``docs/acpc.md`` lists the fields of the document."""
    from errai.arena.acpc.client import ProtocolPlayer, play_at_dealer, read_address, read_entrant
    from errai.arena.acpc.text import protocol_game
    from errai.engine.progress_view import BarView

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
