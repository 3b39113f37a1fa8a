"""Convert hand histories, show them, or measure the people in them.

Read hand histories: PHH, PokerStars and GGPoker text, and logs of the ACPC dealer. The format is recognised by the
content. Every hand of a file is read in its own format, or refused and named with its line and the reason, as is text
that belongs to no hand.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.arena.histories import FORMATS, READ_FORMATS, WRITTEN_FORMATS
from errai.cli.arguments import Arguments, Options, described_verb
from errai.cli.inputs import load_whole_game, output_path
from errai.cli.output import OK, SHORT, harmless, note, write_json
from errai.console import counted
from errai.errors import ErraiError, FileAccessError, HistoryError, InputError
from errai.store.atomic import make_folder, write_file

if TYPE_CHECKING:
    from errai.arena.histories.table_hand import TableHand
    from errai.arena.people import Study
    from errai.games.hand import PlayedHand

MOST_NAMED = 10
"""The largest number of omitted hands that are named one by one; with --json all of them are."""

CONVERT = """Write hands in another format.

Write hands in another format, to a file, to a folder, or to standard output:

    errai histories convert match.log --to phh -o match.phhs
    errai histories convert *.txt --to csv -o tables/

A PLACE that ends in a slash is a folder; it is created if it does not exist. If a file cannot be read, the others are
still converted, and it is named at the end. Exit code 3 means that files, hands or other text were refused.
"""
SHOW = """Print hands in words.

Print hands in words: cards, actions, pot and result.
"""

MEASURE = """Measure people who played an agent, from recorded hands.

Measure the people who played an agent of known strategy in recorded hands: what each of them won, in chips and by
AIVAT, which takes out most of the luck without bias, with the 95 % interval and the t-test against 0. The p-values are
corrected for the number of players by Holm's method.

    errai histories measure hands.phh --known blueprint --by-player
    errai histories measure sessions/*.phhs --known blueprint-nl --results people/
    errai standings people/ --tiers-equal 5 --at-least 500 --measure aivat

AIVAT needs the cards of a player in all of the player's hands, also in those that were folded; chips need none.
"""


def add_arguments(add: Arguments) -> None:
    """Declare the verbs within this one, and their arguments."""
    verbs = add.verbs()
    convert = described_verb(verbs, "convert", CONVERT, run_convert)
    convert("files FILE", "files of hand histories", nargs="+")
    convert("--to", "the format to write (default: by the name after -o)", choices=WRITTEN_FORMATS)
    convert("-o --output PLACE", "a file, or a folder: an existing one, or a name that ends in / (default: stdout)")
    add_reading_options(convert)
    show = described_verb(verbs, "show", SHOW, run_show)
    show("files FILE", "files of hand histories", nargs="+")
    show("--hand N", "only the hand of this number; repeatable", int, action="append")
    add_reading_options(show)
    measure = described_verb(verbs, "measure", MEASURE, run_measure)
    measure("files FILE", "files or folders of hand histories", nargs="+")
    measure("--known AGENT", "the agent whose strategy is known, as for `errai match`", required=True)
    measure("--agent NAME", "the agent's name in the hands (default: the player who is in all of them)")
    measure("--by-player", "a row for each player, not only for all together")
    measure("--results FOLDER", "save each player's result for `errai standings`")
    add_reading_options(measure)


def add_reading_options(add: Arguments) -> None:
    """Add ``--from`` and ``--game`` to a verb that reads histories, and ``--json``."""
    add(
        "--from",
        "read only this format, and refuse hands in others (default: each hand in its own format)",
        dest="from_format",
        choices=READ_FORMATS,
    )
    add("--game GAME", "the game of a dealer's log, which does not state it (default: by its comments)")
    add.json()


@dataclass(frozen=True)
class ReadFiles:
    """What was read from all files of a command."""

    read: tuple[PlayedHand, ...]
    """All hands that were read, in their order."""
    faults: tuple[HistoryError, ...]
    """Hands that were refused, and text that belongs to no hand."""
    unread: tuple[ErraiError, ...]
    """Files that could not be read; each message names the file."""
    format: str
    """The formats that were recognised, separated by commas."""

    def for_two(self, what: str) -> ReadFiles:
        """Return the same with the hands that are not of two players refused; ``what`` says what needs two."""
        from errai.arena.histories.table_hand import TableHand

        refused = [
            HistoryError(f"Hand {hand.number} has {hand.beyond_two}; {what} takes hands of two players with blinds.")
            for hand in self.read
            if isinstance(hand, TableHand)
        ]
        kept = tuple(hand for hand in self.read if not isinstance(hand, TableHand))
        return replace(self, read=kept, faults=(*self.faults, *refused))

    @property
    def is_complete(self) -> bool:
        """Whether every file and every hand was read."""
        return not self.faults and not self.unread

    def note_faults(self) -> None:
        """Name the hands and files that were left out, on standard error."""
        if self.faults:
            read, refused = len(self.read), len(self.faults)
            total = f"Read {read:,} of {read + refused:,} hands and refused {refused:,}"
            note_faults(self.faults, f"{total}; text that belongs to no hand counts as a refused one.")
            if not read and "acpc" in self.format:
                note("A dealer's log that does not name its game is read as hold'em; --game names another.")
        for error in self.unread:
            note(str(error))
        if self.unread:
            note(f"{were(len(self.unread), 'file')} not read.")

    def fault_fields(self) -> dict[str, Any]:
        """Return the hands and files that were left out, for JSON."""
        return {
            "in": len(self.read) + len(self.faults),
            "read": len(self.read),
            "not_read": fault_dicts(self.faults),
            "files_not_read": [str(error) for error in self.unread],
        }


def read_files(options: Options) -> ReadFiles:
    """Read all files of the options; those that cannot be read are left out, and it is an error if none can."""
    from errai.arena.histories.formats import read_hands

    game = None if options.game is None else load_whole_game(options.game, "a dealer's log has hands of a game")
    found, unread = [], list[ErraiError]()
    for path in options.files:
        try:
            found.append(read_hands(path, options.from_format, game=game))
        except (HistoryError, FileAccessError) as error:
            unread.append(error)
    if not found:
        for unreadable in unread[:-1]:
            note(str(unreadable))
        raise unread[-1]
    hands = tuple(hand for file in found for hand in file.read)
    faults = tuple(fault for file in found for fault in file.faults)
    return ReadFiles(hands, faults, tuple(unread), ", ".join(dict.fromkeys(file.format for file in found)))


def files_in(paths: Sequence[str]) -> list[str]:
    """Return files, and those in folders and their folders, in the order of their names.

    Raises :class:`FileAccessError` for a path that does not exist, and for a folder without files.
    """
    found = []
    for path in map(Path, paths):
        inside = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        if not inside or not path.exists():
            raise FileAccessError(f"There are no files in {path}." if path.is_dir() else f"There is no file {path}.")
        found += [str(one) for one in inside]
    return found


def were(count: int, what: str) -> str:
    """Return a number of things with the verb that follows: ``1 hand was``, ``8 hands were``."""
    return f"{counted(count, what)} {'was' if count == 1 else 'were'}"


def note_faults(faults: tuple[HistoryError, ...], total: str) -> None:
    """Name hands that were left out, on standard error, and then say ``total``."""
    for fault in faults[:MOST_NAMED]:
        note(str(fault))
    if faults:
        rest = f" The first {MOST_NAMED} are named above; --json names all." if len(faults) > MOST_NAMED else ""
        note(total + rest)


def run_convert(options: Options) -> int:
    """Convert the hands, and report which were left out."""
    from errai.arena.histories.formats import write_hands
    from errai.arena.histories.record import Written

    place = None if options.output is None else Path(options.output)
    is_folder = place is not None and (place.is_dir() or options.output.endswith(("/", os.sep)))
    to = _target_format(options.to, place, is_folder)
    read = read_files(options)
    if place is not None and is_folder:
        make_folder(place)
    stem = Path(options.files[0]).stem if len(options.files) == 1 else "hands"
    written = write_hands(read.read, to, stem=stem) if read.read else Written({}, 0)
    paths = _place(written.documents, place, is_folder, options)
    if options.json:
        document = {
            "from": read.format,
            "to": to,
            "written": written.written,
            "files": [str(path) for path in paths],
            **read.fault_fields(),
            "not_written": fault_dicts(written.faults),
        }
        write_json(document)
    else:
        if paths:
            note(f"Wrote {counted(written.written, 'hand')} to {', '.join(map(str, paths))}.")
        note_faults(written.faults, f"{were(len(written.faults), 'hand')} not written: {to} cannot hold them.")
        read.note_faults()
    return OK if read.is_complete and not written.faults else SHORT


def _target_format(given: str | None, place: Path | None, is_folder: bool) -> str:
    """Return the format to write.  Raises :class:`InputError` if the options do not give or contradict it."""
    from errai.arena.histories.formats import suffix_format

    if given is None and (place is None or is_folder):
        raise InputError(f"Give the format to write with --to: {', '.join(WRITTEN_FORMATS)}.")
    to = given or suffix_format(Path(str(place)))
    if FORMATS[to].in_tables and not is_folder:
        raise InputError(f"{to.capitalize()} output is two files; give a folder with -o, a name that ends in a slash.")
    if place is not None and is_folder and place.exists() and not place.is_dir():
        raise InputError(f"{str(place)!r} is a file; give the name of a folder, or omit the slash.")
    if place is not None and not is_folder:
        output_path(str(place))
    return to


def _place(documents: Mapping[str, str | bytes], place: Path | None, is_folder: bool, options: Options) -> list[Path]:
    """Write the documents to the place given and return their paths; standard output gets the first document."""
    if not documents:
        return []
    if place is None:
        if not options.json:
            sys.stdout.write(str(next(iter(documents.values()))))
        return []
    if not is_folder:
        if len(documents) > 1 and not all(name.endswith(".csv") for name in documents):
            raise InputError(
                f"The hands are of {len(documents)} games, and an ACPC log holds one game; give a folder with -o, a "
                "name that ends in a slash, to get one log for each game."
            )
        documents = {"": next(iter(documents.values()))}
    paths = {place / name: text for name, text in documents.items()}
    for path, text in paths.items():
        write_file(path, text)
    return list(paths)


def fault_dicts(faults: tuple[HistoryError, ...]) -> list[dict[str, Any]]:
    """Return the hands that were left out, for JSON."""
    return [{"file": fault.source, "line": fault.line, "reason": fault.message} for fault in faults]


# --- show ------------------------------------------------------------------------------------------------------------


def run_show(options: Options) -> int:
    """Print hands."""
    read = read_files(options)
    hands = [hand for hand in read.read if options.hand is None or hand.number in options.hand]
    if options.hand is not None and not hands:
        raise InputError(f"There is no hand {', '.join(str(number) for number in options.hand)} in the files.")
    if options.json:
        from errai.arena.histories.table_hand import TableHand
        from errai.arena.histories.tables import decision_rows, hand_rows, table_row

        rows = [
            {
                **(table_row(hand) if isinstance(hand, TableHand) else next(hand_rows([hand]))),
                "decisions": list(decision_rows([hand])),
            }
            for hand in hands
        ]
        write_json({"hands": rows, **read.fault_fields()})
    else:
        sys.stdout.write("\n\n".join(harmless(hand_for_people(hand)) for hand in hands) + "\n" if hands else "")
        read.note_faults()
    return OK if read.is_complete else SHORT


def hand_for_people(hand: PlayedHand) -> str:
    """Return a hand as lines of text: the players, each street with its cards, pot and actions, and the result."""
    from errai.arena.histories.record import Told
    from errai.arena.histories.table_hand import TableHand
    from errai.games.game import UNLIMITED_CHIPS
    from errai.games.hand import opening_state
    from errai.games.streets import street_title
    from errai.pictures.nodes import chips_text
    from errai.pictures.play import action_words, said

    deck, subject, told = hand.subject.deck, hand.subject, Told(hand)
    table = hand if isinstance(hand, TableHand) else None
    is_spot = table is None and subject.whole_game is None
    title = (subject.title or "spot") if is_spot else subject.rules.name
    lines = [f"Hand {hand.number}, {title}"]
    stacks = subject.stacks if table is None else map(table.rules.whole_stack, told.seats)
    for seat, chips in enumerate(stacks):
        held = told.cards_text(seat)
        cards = "unknown cards" if held is None else " ".join(held[i : i + 2] for i in range(0, len(held), 2))
        stack = "" if chips >= UNLIMITED_CHIPS else f", {chips_text(chips)} chips"
        place = "" if table is None else f" ({table.positions[seat]})"
        posts = "" if table is None else _posts(table, seat)
        lines.append(f"  {hand.players[seat]}{place}: {cards}{stack}{posts}")
    street, state = None, opening_state(subject)
    for state, action in hand.moments():
        if state.betting.round != street:
            street = state.betting.round
            board = " ".join(deck.card_text(card) for card in state.board)
            name = street_title(state.betting.game, street)
            lines.append(f"  {name}{f' [{board}]' if board else ''}, pot {chips_text(state.pot_chips)}")
        lines.append(f"    {said(hand.players[state.actor], action_words(state.betting, action))}")
    final = hand.final_state()
    if len(final.board) > len(state.board):
        lines.append(f"  board {' '.join(deck.card_text(card) for card in final.board)}")
    if table is not None:
        lines += _table_result(table)
        return "\n".join(lines)
    won, pot = hand.net_chips[0], 2 * final.stake_chips
    if won == 0:
        lines.append(f"  The pot of {chips_text(pot)} is split.")
    else:
        winner = hand.players[0 if won > 0 else 1]
        how = "at the showdown" if final.betting.showdown else "without a showdown"
        lines.append(f"  {winner} wins the pot of {chips_text(pot)} {how}: {chips_text(abs(won))} net.")
    if rake := told.rake:
        lines.append(f"  The rake of {chips_text(float(rake))} is not subtracted here.")
    return "\n".join(lines)


def _posts(hand: TableHand, seat: int) -> str:
    """Return what a seat posted, after a comma."""
    from errai.pictures.nodes import chips_text

    rules = hand.rules
    ante = f", ante {chips_text(rules.antes[seat])}" if rules.antes[seat] else ""
    return f"{ante}, {rules.roles[seat]} {chips_text(rules.blinds[seat])}" if rules.roles[seat] else ante


def _table_result(hand: TableHand) -> list[str]:
    """Return who won at a table, and from where on two players were left."""
    from errai.arena.histories.record import Told
    from errai.games.streets import street_title
    from errai.pictures.nodes import chips_text

    deck, pots, told = hand.subject.deck, hand.pots(), Told(hand)
    lines = [f"  board {' '.join(map(deck.card_text, board))}, run again" for board in hand.boards[1:]]
    how = "at the showdown" if told.final.betting.showdown else "without a showdown"
    for name, net, put in zip(hand.players, hand.net_chips, pots.put, strict=True):
        if net + put > 0:
            lines.append(
                f"  {name} wins {chips_text(net + put)} of {chips_text(pots.total)} {how}: {chips_text(net)} net."
            )
    if len(pots.pots) > 1:
        lines.append(f"  There were {len(pots.pots)} pots: {', '.join(chips_text(chips) for chips, _ in pots.pots)}.")
    if told.rake:
        lines.append(f"  The rake of {chips_text(float(told.rake))} is not subtracted here.")
    if (left := hand.two_left) is None:
        lines.append("  No street after the first began with two players who could bet.")
    else:
        first, other = (f"{hand.players[seat]} ({hand.positions[seat]})" for seat in left.seats)
        street = street_title(left.state.betting.game, left.state.betting.round)  # type: ignore[arg-type]
        lines.append(
            f"  Two players are left on the {street}: {first} acts first against {other}, pot "
            f"{chips_text(left.pot_chips)}, effective stack {chips_text(left.effective_chips)}."
        )
    return lines


# --- measure ---------------------------------------------------------------------------------------------------------


def run_measure(options: Options) -> int:
    """Measure the people in the hands."""
    from errai.agents.reader import read_agent
    from errai.arena.people import measure_people

    options.files = files_in(options.files)
    read = read_files(options).for_two("a study")
    if not read.read:
        raise InputError("There is no hand of two players in the files.")
    subject = read.read[0].subject
    folder = None if options.results is None else Path(options.results)
    study = measure_people(read.read, read_agent(options.known, subject), subject, agent=options.agent)
    if folder is not None:
        make_folder(folder)
        for result in study.results():
            result.save(folder)
    if options.json:
        write_json({**study.document(), **read.fault_fields()})
        return OK if read.is_complete else SHORT
    _write_study(study, options.by_player)
    for misfit in study.misfits:
        note(str(misfit))
    note_faults(study.left_out, f"{were(len(study.left_out), 'hand')} left out of the study.")
    read.note_faults()
    if folder is not None:
        note(f"Wrote {counted(len(study.players), 'result')} to {folder}; rank them: errai standings {folder}")
    return OK if read.is_complete else SHORT


def _write_study(study: Study, by_player: bool) -> None:
    """Write a table with a row for each player, or one for all."""
    from errai.cli.output import columns
    from errai.console import console

    unit, scale = study.unit
    table = columns("player", right=("hands", unit, "± 95 %", "bb/100", "p", "corrected", "chips", "s"))
    for player in (*(study.players if by_player else ()), study.together):
        won, interval, p = player.best, player.best.interval, player.best.p_value
        table.add_row(
            player.name,
            f"{len(won.chips):,}",
            f"{won.mean * scale:+,.4g}" + ("" if player.aivat is not None else " *"),
            "" if interval is None else f"{(interval.high - interval.low) / 2 * scale:,.3g}",
            f"{won.mean * scale / 10:+,.3g}" if unit == "mbb/g" else "",
            "" if p is None else f"{p:.2g}",
            "" if player.corrected_p_value is None else f"{player.corrected_p_value:.2g}",
            f"{player.chips.mean * scale:+,.4g}",
            "" if player.seconds is None else f"{player.seconds:.1f}",
        )
    sys.stdout.write(f"{study.subject.title or study.subject.rules.name}: people against {study.agent}\n")
    console().print(table)
    without = [player for player in study.players if player.aivat is None]
    if without:
        hands = sum(player.unknown_cards for player in without)
        why = (
            f"their cards are not known in {counted(hands, 'hand')}" if hands else "the agent does not say its strategy"
        )
        note(f"* {counted(len(without), 'player')} measured in chips alone: {why}.")
