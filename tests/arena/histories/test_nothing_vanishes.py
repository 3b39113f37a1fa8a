"""Every hand of a file is read, or refused by its line: files made of good hands, and what damage does to them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_hands import random_hand

from errai.arena.histories.formats import read_text, write_hands
from errai.arena.histories.record import HandFile
from errai.games.catalogue import load_game
from errai.games.hand import PlayedHand

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Text:
    """One good hand as text."""

    format: str
    text: str
    hand: PlayedHand | None
    """None for a format that is refused by name."""


def good(format: str, number: int) -> Text:
    hand = random_hand(load_game("holdem.nolimit.2p"), 11, number)
    (text,) = write_hands([hand], format).documents.values()
    if format == "acpc":
        text = text[text.index("STATE:") : text.index("\nSCORE:")]
    (read,) = read_text(text, format).hands
    return Text(format, text.strip("\n"), read)


OTHERS = {
    "ftp": (CASES / "ps_then_ftp.txt").read_text().partition("\n\n\n")[2],
    "party": "***** Hand History for Game 123 *****\n$5 USD NL Texas Hold'em - Saturday\nTable X (Real Money)\n",
    "winamax": 'Winamax Poker - CashGame - HandId: #1-2-3 - Holdem no limit (0.5€/1€) - 2024/01/06\nTable: "X" 2-max\n',
    "bovada": "Bovada Hand #3 TBL#5 HOLDEM No Limit - 2024-01-06 10:07:05\nSeat 1: Dealer ($5 in chips)\n",
}
GG_TEXT = (CASES / "gg.txt").read_text().strip("\n")
GG = Text("ggpoker", GG_TEXT, read_text(GG_TEXT).hands[0])
GOOD = [good(format, number) for format, number in zip(("pokerstars", "phh", "acpc"), (2, 3, 4), strict=True)]
TABLES = []
for name, number in (("ps_cash_six", 12), ("ps_tournament", 4)):
    whole = (CASES / f"{name}.txt").read_text().split("\n\n\n")[number].strip("\n")
    (table,) = read_text(whole).tables
    TABLES.append(Text(name, whole, table))
OTHER = [Text(name, text.strip("\n"), None) for name, text in OTHERS.items()]
NEXT = {format: good(format, 7) for format in ("pokerstars", "phh", "acpc")}


def numbered(text: Text, number: int) -> str:
    return f"[{number}]\n{text.text}" if text.format == "phh" else text.text


def check_lines(read: HandFile, text: str) -> None:
    count = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    assert all(fault.line is not None and 1 <= fault.line <= count for fault in read.faults)


SEPARATORS = {
    "none": "\n", "blank": "\n\n\n", "spaces": "\n   \n  ", "returns": "\r\r", "crlf": "\r\n\r\n", "mark": "\n\ufeff",
    "stars": "\n*** ", "row": "\n*********** # 2 **************\n", "tabs": "\n\t\n\t", "comment": "\n# a comment\n",
}  # fmt: skip


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("with_number", [False, True])
def test_every_pair_of_formats_in_one_file(separator, with_number):
    for first, second in itertools.product([*GOOD, GG, *OTHER], repeat=2):
        if separator == "stars" and second.format in ("phh", "acpc"):
            continue  # They have no such decoration; a file with it is among the damaged ones.
        if second.format == first.format and second.format in NEXT:
            second = NEXT[second.format]
        texts = [numbered(part, i) if with_number else part.text for i, part in enumerate((first, second), 1)]
        text = SEPARATORS[separator].join(texts)
        read = read_text(text)
        expected = [part.hand for part in (first, second) if part.hand is not None]
        assert list(read.hands) == expected, (first.format, second.format)
        assert len(read.faults) == 2 - len(expected), (first.format, second.format, read.faults)
        check_lines(read, text)
        for only in ("pokerstars", "phh", "acpc", "ggpoker"):
            asked = read_text(text, only)
            assert len(asked.hands) == sum(part.format == only for part in (first, second))
            assert len(asked.hands) + len(asked.faults) == 2


def damaged(text: str) -> list[tuple[str, str]]:
    """A text with each of its lines removed, doubled, moved, or cut at several places, also with what follows it."""
    lines = text.split("\n")
    found = []
    for i, line in enumerate(lines):
        without = [*lines[:i], *lines[i + 1 :]]
        found.append((f"removed {i}", "\n".join(without)))
        found.append((f"doubled {i}", "\n".join([*lines[: i + 1], line, *lines[i + 1 :]])))
        found += [
            (f"moved {i} to {to}", "\n".join([*without[:to], line, *without[to:]]))
            for to in {0, len(without) // 2, len(without)}
        ]
        for at in {1, len(line) // 2, max(len(line) - 3, 0)}:
            found.append((f"cut {i} at {at}", "\n".join([*lines[:i], line[:at], *lines[i + 1 :]])))
            found.append((f"stopped in {i} at {at}", "\n".join([*lines[:i], line[:at]])))
    return found


@pytest.mark.parametrize("glue", ["\n\n", ""], ids=["on lines of their own", "glued"])
@pytest.mark.parametrize("neighbour", ["pokerstars", "phh", "acpc"])
@pytest.mark.parametrize("part", [*GOOD, *TABLES], ids=lambda part: part.format)
def test_damage_costs_one_hand_and_is_named(part, neighbour, glue):
    before, after = good("acpc" if neighbour == "acpc" else neighbour, 8), good(neighbour, 9)
    for what, text in damaged(part.text):
        if glue == "" and not what.startswith("stopped"):
            continue
        if not text:
            continue  # Nothing is left of it.
        whole = f"{numbered(before, 1)}\n\n{numbered(Text(part.format, text, None), 2)}{glue}"
        whole += after.text if glue == "" else numbered(after, 3)
        read = read_text(whole)
        check_lines(read, whole)
        # The neighbours are what they were, and the damaged hand is there or named.
        kept = list(read.read)
        assert before.hand in kept, (what, read.faults)
        assert after.hand in kept, (what, read.faults)
        assert len(kept) + len(read.faults) >= 3, (what, read.faults)
        # A line of a log is a hand, and two lines are two.
        assert len(kept) <= 3 + (part.format == "acpc" and what.startswith("doubled")), what
        if len(kept) == 3 and what.startswith("cut") and not read.faults:
            # A line that was cut and still is a whole line says no other bets and no other result.
            (other,) = [hand for hand in kept if hand not in (before.hand, after.hand)]
            assert part.hand is not None
            assert same_bets(other, part.hand), what


def same_bets(one: PlayedHand, other: PlayedHand) -> bool:
    return (one.actions, one.board, one.net_chips) == (other.actions, other.board, other.net_chips)


@settings(max_examples=150, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_bytes_between_hands_are_named(data):
    text = data.draw(st.binary(max_size=80)).decode("utf-8", errors="replace")
    part = data.draw(st.sampled_from(GOOD))
    after = data.draw(st.sampled_from(sorted(NEXT.values(), key=lambda text: text.format)))
    whole = f"{part.text}\n{text}\n{numbered(after, 2)}"
    read = read_text(whole)
    check_lines(read, whole)
    # What stands behind a hand in PHH is in its table, and refuses it.
    assert after.hand in read.hands
    assert part.hand in read.hands or read.faults
    if sum(sign.isalnum() for sign in text) > 8 and "#" not in text and "=" not in text:
        assert read.faults
