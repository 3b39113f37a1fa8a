"""The table in the terminal: cards that look like cards, in every kind of terminal."""

from __future__ import annotations

import io
import re
from itertools import product

import pytest
from rich.console import Console

from errai.pictures.play import DOWN, HintAction, SeatView, TableView
from errai.pictures.table import bars_terminal, card_lines, table_terminal

ANSI = re.compile(r"\x1b\[[0-9;]*m")
RANKS, SUITS = "23456789TJQKA", "cdhs"


def console(width: int = 80, colours: bool = False, encoding: str = "utf-8") -> Console:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return Console(
        file=stream, width=width, force_terminal=colours, color_system="truecolor" if colours else None, emoji=False
    )


def hint(**probabilities: float) -> list[HintAction]:
    """Return actions without a size."""
    return [HintAction(label, probability, False, None) for label, probability in probabilities.items()]


def text_of(renderable, where: Console) -> str:
    where.print(renderable)
    where.file.flush()
    return where.file.buffer.getvalue().decode(where.encoding)


def table(**changes) -> TableView:
    values = {
        "title": "Hold'em, hand 3",
        "seats": (
            SeatView("Polaris", (DOWN, DOWN), 19_700.0, 300.0, dealer=True),
            SeatView("you", ("Th", "As"), 19_900.0, 100.0, acts=True, note="two pair"),
        ),
        "board": ("Qs", "Jh", "2c"),
        "board_places": 5,
        "pot_chips": 600.0,
        "line": (("pre-flop", "you raise to 300; Polaris calls 200"), ("flop", "you check; Polaris bets 200")),
    }
    return TableView(**{**values, **changes})


def test_everything_is_on_the_table():
    where = console()
    text = text_of(table_terminal(table(), where), where)
    for part in (
        "Hold'em, hand 3",
        "Polaris (D)",
        "19,700 behind",
        "bet 300",
        "pot 600",
        "you ◀",
        "two pair",
        "bet 100",
    ):
        assert part in text
    assert "you (D)" not in text
    assert "Polaris (D) ◀" not in text
    assert re.search(r"pre-flop +you raise to 300; Polaris calls 200", text)
    assert text.count("░░░") == 4
    assert text.count("┌╌ ╌┐") == 2
    assert "│10 │ │A  │" in text
    assert "│  ♥│ │  ♠│" in text


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("plain", [False, True])
def test_every_card_differs_from_every_other_without_its_colours(colours, plain):
    seen = set()
    for rank, suit in product(RANKS, SUITS):
        lines = tuple(line.plain for line in card_lines([rank + suit], 0, colours, plain))
        assert len(lines) == 4
        assert {len(line) for line in lines} == {5}
        assert ("10" if rank == "T" else rank) in lines[1]
        assert (suit if plain else dict(zip(SUITS, "♣♦♥♠", strict=True))[suit]) in lines[2]
        seen.add(lines)
    assert len(seen) == 52


def test_four_colours():
    drawn = {suit: card_lines(["A" + suit], 0, True, False) for suit in SUITS}
    styles = {
        suit: {str(style) for line in lines for style in (line.style, *(span.style for span in line.spans))}
        for suit, lines in drawn.items()
    }
    inks = {suit: found - set.union(*(styles[s] for s in SUITS if s != suit)) for suit, found in styles.items()}
    assert all(len(ink) == 1 for ink in inks.values())


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("plain", [False, True])
def test_lines_fit_and_frames_close(width, colours, plain):
    long = (("pre-flop", "; ".join(["you raise to 300"] * 12)),)
    crowded = SeatView(
        "a name that is much too long for any table in the world", ("Th", "As"), 1e6, 3e5, True, True, "x"
    )
    for view in (
        table(),
        table(line=long),
        table(seats=(crowded, crowded)),
        table(board_places=0, board=()),
        table(title="x" * 99),
    ):
        where = console(width, colours)
        lines = ANSI.sub("", text_of(table_terminal(view, where, plain=plain), where)).rstrip("\n").split("\n")
        assert {len(line) for line in lines} == {min(width, 88)}
        # Nobody's name or title pushes anything to another line.
        assert len([line for line in lines if "pot " in line]) == 1
        assert sum("(D)" in line for line in lines) == sum(seat.dealer for seat in view.seats)
        assert "".join(lines).isascii() or not plain


def test_plain_is_ascii_and_follows_the_terminal():
    where = console()
    assert text_of(table_terminal(table(), where, plain=True), where).isascii()
    latin = console(encoding="latin-1")
    assert text_of(table_terminal(table(), latin), latin).isascii()
    bars = console(encoding="ascii")
    assert text_of(bars_terminal("with your hand", hint(fold=0.5, call=0.5), bars), bars).isascii()


def test_one_card_and_no_board():
    where = console()
    view = table(
        seats=(SeatView("uniform", (DOWN,), None), SeatView("you", ("Ks",), None, acts=True)),
        board=(),
        board_places=0,
        pot_chips=2.0,
        line=(),
    )
    text = text_of(table_terminal(view, where), where)
    assert "behind" not in text
    assert "bet" not in text
    assert text.count("│K  │") == 1
    assert "╌" not in text


@pytest.mark.parametrize("colours", [False, True])
def test_bars(colours):
    where = console(colours=colours)
    actions = [HintAction("raise to 900", 0.25, True, 200.0), HintAction("raise to 300", 0.5, False, 60.0)]
    shares = [*actions, *hint(call=0.0, fold=0.25)]
    lines = ANSI.sub("", text_of(bars_terminal("with your hand", shares, where), where)).rstrip("\n").split("\n")
    assert lines[0] == "with your hand"
    letters = [{"A"}, {"R"}, set(), {"F"}]
    for (label, share, *_), line, letter in zip(shares, lines[1:], letters, strict=True):
        assert label in line
        assert f"{100 * share:.1f}%" in line
        bar = line.split("% ")[1]
        assert len(bar) == 40
        assert set(bar) - {"·"} == letter
        assert 40 - bar.count("·") == round(40 * share)
