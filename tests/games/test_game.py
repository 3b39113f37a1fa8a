"""Reading, writing and refusing game definitions."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errai.cards.strength import HandRanking
from errai.errors import GameDefinitionError, UnknownGameError, UnsupportedGameError
from errai.games.catalogue import catalogue, load_game, parse_game, read_game
from errai.games.game import UNCAPPED_RAISES, UNLIMITED_CHIPS, Game
from errai.games.text_files import is_one_line

LIMIT = """GAMEDEF
limit
numPlayers = 2
numRounds = 2
blind = 10 5
raiseSize = 10 20
firstPlayer = 2 1
maxRaises = 3 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3
END GAMEDEF
"""


def test_limit_definition_is_read() -> None:
    game = parse_game(LIMIT, "two-rounds")
    assert game == Game(
        name="two-rounds",
        limit=True,
        num_rounds=2,
        blinds=(10, 5),
        stacks=(UNLIMITED_CHIPS, UNLIMITED_CHIPS),
        raise_sizes=(10, 20),
        first_player=(1, 0),
        max_raises=(3, 4),
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3),
    )
    assert game.big_blind == 10
    assert game.deck.num_cards == 52
    assert [game.board_cards_in(index) for index in (0, 1)] == [0, 3]


def test_dialect_of_the_dealer_is_read() -> None:
    """Letter case, '=', space, order, comments and the frame do not matter."""
    text = (
        "# a comment\n\n  NUMHOLECARDS 2\nnumboardcards=0 3\nNumRanks = 13 # in each suit\r\nnumSuits= =4\n"
        "MAXRAISES=3 4\nfirstplayer 2  1\nraisesize\t10 20\nBLIND=10 5\nnumrounds = 2\nnumPlayers = 2\n"
    )
    assert parse_game(text) == parse_game(LIMIT)
    assert parse_game(LIMIT + "anything may follow") == parse_game(LIMIT)


def test_defaults_of_the_dealer() -> None:
    lines = [line for line in LIMIT.splitlines() if not line.startswith(("firstPlayer", "maxRaises"))]
    game = parse_game("\n".join(lines))
    assert game.first_player == (0, 0)
    assert game.max_raises == (UNCAPPED_RAISES, UNCAPPED_RAISES)
    assert game.stacks == (UNLIMITED_CHIPS, UNLIMITED_CHIPS)


def test_settings_in_comments() -> None:
    game = load_game("rhode-island")
    assert game.ranking is HandRanking.THREE_CARD
    assert game.title == "Rhode Island hold'em"
    rules = game.to_text().split("\n", 2)[2]
    assert parse_game("#ERRAI: Ranking = Three-Card\n" + rules).digest() == game.digest()


@pytest.mark.parametrize("name", catalogue())
def test_canonical_text_round_trips(name: str) -> None:
    game = load_game(name)
    assert parse_game(game.to_text(), name) == game


def test_digest_is_of_the_rules_alone() -> None:
    game = load_game("leduc")
    assert dataclasses.replace(game, name="other", title="Other").digest() == game.digest()
    assert dataclasses.replace(game, raise_sizes=(2, 5)).digest() != game.digest()
    assert dataclasses.replace(load_game("rhode-island"), ranking=HandRanking.STANDARD).digest() != (
        load_game("rhode-island").digest()
    )


WRONG = [
    # (what to replace in LIMIT, by what, line of the error, words that the message must have)
    ("blind = 10 5", "blind = 10", 5, "needs one value for each of the 2 players"),
    ("blind = 10 5", "blind = 10 5 5", 5, "has 3"),
    ("blind = 10 5", "blind = 10 -5", 5, "'-5'"),
    ("blind = 10 5", "blind = 10 5.0", 5, "'5.0'"),
    ("blind = 10 5", "blind = 10 ٥", 5, "whole number"),
    ("blind = 10 5", "blind = 10 99999999999999999999999999", 5, "at most 2147483647"),
    ("blind = 10 5", "blind = 3000000000 5", 5, "at most 2147483647"),
    ("blind = 10 5", "blind =", 5, "has no value"),
    ("blind = 10 5", "blinds = 10 5", 5, "did you mean blind?"),
    ("blind = 10 5", "stack = 100 4\nblind = 10 5", 6, "0 to the stack of 4"),
    ("blind = 10 5", "stack = 0 100\nblind = 0 5", 5, "stack has 0; use 1 to"),
    ("blind = 10 5", "blind = 10 5\nBlind 10 5", 6, "is given here and in line 5"),
    ("raiseSize = 10 20", "raiseSize = 10", 6, "each of the 2 rounds"),
    ("raiseSize = 10 20", "raiseSize = 10 0", 6, "use 1 to"),
    ("raiseSize = 10 20", "raiseSize = 10 20 20", 6, "but has 3"),
    ("firstPlayer = 2 1", "firstPlayer = 2", 7, "each of the 2 rounds"),
    ("firstPlayer = 2 1", "firstPlayer = 3 1", 7, "use 1 or 2"),
    ("firstPlayer = 2 1", "firstPlayer = 0 1", 7, "use 1 or 2"),
    ("maxRaises = 3 4", "maxRaises = 3 256", 8, "at most 255"),
    ("maxRaises = 3 4", "maxRases = 3 4", 8, "did you mean maxRaises?"),
    ("numSuits = 4", "numSuits = 5", 9, "1 to 4"),
    ("numRanks = 13", "numRanks = 0", 10, "1 to 13"),
    ("numRanks = 13", "numRanks = 1", 12, "the deck has 4"),
    ("numHoleCards = 2", "numHoleCards = 0", 11, "at least 1"),
    ("numHoleCards = 2", "numHoleCards = 2 2", 11, "exactly one value"),
    ("numBoardCards = 0 3", "numBoardCards = 0 49", 12, "need 53 cards"),
    ("numRounds = 2", "numRounds = 0", 4, "1 to 64"),
    ("numRounds = 2", "numRounds = 3", 7, "each of the 3 rounds"),
    ("numPlayers = 2", "numPlayers = 1", 3, "2 to 10"),
    ("numPlayers = 2", "players: two", 3, "'players'"),
    ("limit\n", "limit 5\n", 2, "takes no values"),
    ("limit\n", "limit\nnolimit\n", 3, "both limit and nolimit"),
    ("limit\n", "nolimit\n", 6, "no meaning with nolimit"),
    ("limit\n", "# errai: ranking = omaha\nlimit\n", 2, "standard, three-card"),
    ("limit\n", "# errai: ranking = three-card\nlimit\n", 2, "needs three cards"),
    ("limit\n", "# errai: colour = red\nlimit\n", 2, "unknown"),
    ("limit\n", "# errai: title = a\n# errai: title = b\nlimit\n", 3, "in line 2"),
    ("limit\n", "GAMEDEF\nlimit\n", 2, "given twice"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), WRONG)
def test_wrong_definition_names_line_and_remedy(old: str, new: str, line: int, words: str) -> None:
    assert LIMIT.count(old) >= 1
    with pytest.raises(GameDefinitionError) as caught:
        parse_game(LIMIT.replace(old, new, 1), source="wrong.game")
    assert caught.value.line == line
    assert caught.value.source == "wrong.game"
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"wrong.game, line {line}: ")


@pytest.mark.parametrize(
    "key",
    [
        "numPlayers",
        "numRounds",
        "blind",
        "raiseSize",
        "numSuits",
        "numRanks",
        "numHoleCards",
        "numBoardCards",
    ],
)
def test_missing_key_is_named(key: str) -> None:
    text = "".join(line for line in LIMIT.splitlines(keepends=True) if not line.startswith(key))
    with pytest.raises(GameDefinitionError, match=f"The key {key} is missing; add a line"):
        parse_game(text)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "GAMEDEF\nEND GAMEDEF\n"])
def test_text_without_a_definition(text: str) -> None:
    with pytest.raises(GameDefinitionError, match="There is no GAMEDEF"):
        parse_game(text)


def test_three_players_are_unsupported() -> None:
    with pytest.raises(UnsupportedGameError, match="for 3 players"):
        parse_game(LIMIT.replace("numPlayers = 2", "numPlayers = 3").replace("10 5", "5 10 0"))


def test_more_cards_than_can_be_ranked_are_unsupported() -> None:
    with pytest.raises(UnsupportedGameError, match="up to 7"):
        parse_game(LIMIT.replace("numHoleCards = 2", "numHoleCards = 5"))


def test_a_game_built_in_code_is_checked_too() -> None:
    game = load_game("holdem.nolimit.2p")
    for change in (
        {"blinds": (100, 20_001)},
        {"stacks": (20_000,)},
        {"first_player": (2, 0, 0, 0)},
        {"max_raises": (3, 4, 4, -1)},
        {"num_board_cards": (0, 3, 1, -1)},
        {"raise_sizes": (1, 1, 1, 1)},
        {"title": "two\nlines"},
    ):
        with pytest.raises(GameDefinitionError):
            dataclasses.replace(game, **change)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.game"
    path.write_bytes(b"\xef\xbb\xbf" + LIMIT.replace("\n", "\r\n").encode())
    assert read_game(path) == parse_game(LIMIT, "mine")
    path.write_bytes(LIMIT.encode() + b"\n# caf\xe9\n")
    with pytest.raises(GameDefinitionError, match="line 15: The file is not UTF-8"):
        read_game(path)
    path.write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(GameDefinitionError, match="larger than"):
        read_game(path)
    for missing in (tmp_path / "none.game", tmp_path, "\0"):
        with pytest.raises(UnknownGameError, match="cannot be read"):
            read_game(missing)


@st.composite
def games(draw: st.DrawFn) -> Game:
    limit = draw(st.booleans())
    rounds = draw(st.integers(1, 5))

    def per_round(values: st.SearchStrategy[int]) -> tuple[int, ...]:
        return tuple(draw(st.lists(values, min_size=rounds, max_size=rounds)))

    stack = st.just(UNLIMITED_CHIPS) | st.integers(1, 30_000)
    stacks = (draw(stack), draw(stack))
    suits, ranks = draw(st.integers(2, 4)), draw(st.integers(4, 13))
    hole = draw(st.integers(1, 2))
    room = min(7 - hole, suits * ranks - 2 * hole)
    board = []
    for _ in range(rounds):
        board.append(draw(st.integers(0, room)))
        room -= board[-1]
    three = hole + sum(board) == 3 and draw(st.booleans())
    return Game(
        name="drawn",
        limit=limit,
        num_rounds=rounds,
        blinds=(draw(st.integers(0, stacks[0])), draw(st.integers(0, stacks[1]))),
        stacks=stacks,
        raise_sizes=per_round(st.integers(1, 1000)) if limit else (),
        first_player=per_round(st.integers(0, 1)),
        max_raises=per_round(st.integers(0, UNCAPPED_RAISES)),
        num_suits=suits,
        num_ranks=ranks,
        num_hole_cards=hole,
        num_board_cards=tuple(board),
        ranking=HandRanking.THREE_CARD if three else HandRanking.STANDARD,
        title="".join(letter for letter in draw(st.text(max_size=20)) if is_one_line(letter)).strip(),
    )


@given(games())
@settings(max_examples=150)
def test_every_game_round_trips(game: Game) -> None:
    text = game.to_text()
    assert parse_game(text, "drawn") == game
    assert parse_game(text, "drawn").to_text() == text


PIECES = (
    "GAMEDEF", "END GAMEDEF", "limit", "nolimit", "numPlayers", "numRounds", "blind", "stack", "raiseSize",
    "firstPlayer", "maxRaises", "numSuits", "numRanks", "numHoleCards", "numBoardCards", "=", "#", "# errai:",
    "# errai: ranking = three-card", "# errai: title =", "0", "1", "2", "4", "7", "64", "255", "256", "-1",
    "1e9", "2147483647", "2147483648", "9" * 5000, "\n", "\r", "\r\n", "\t", " ", "\0", "\u2028", "ſ", "İ",
    "٣", "½", "\ud800",
)  # fmt: skip


def spoil(text: str, rng: random.Random) -> str:
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        place = rng.randrange(len(text) + 1)
        end = min(len(text), place + rng.choice((0, 1, 1, 2, 10, 40)))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:place] + text[end:]
        elif kind == 1:
            text = text[:place] + rng.choice(PIECES) + text[end:]
        elif kind == 2:
            text = text[:place] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) + text[end:]
        elif kind == 3:
            text = text[:end] + text[place:]
        else:
            lines = text.split("\n")
            rng.shuffle(lines)
            text = "\n".join(lines[: rng.randrange(len(lines)) + 1])
    return text


def fuzz(wrong_inputs: int, tmp_path: Path) -> None:
    """Read spoilt texts and bytes until so many have been refused; only typed errors may occur."""
    rng = random.Random(20261121)
    good = [LIMIT, *(load_game(name).to_text() for name in catalogue())]
    path = tmp_path / "fuzz.game"
    refused = 0
    while refused < wrong_inputs:
        shape = rng.randrange(10)
        try:
            if shape == 0:
                path.write_bytes(rng.randbytes(rng.randrange(200)))
                game = read_game(path)
            elif shape == 1:
                data = bytearray(rng.choice(good).encode())
                data[rng.randrange(len(data))] = rng.randrange(256)
                path.write_bytes(data)
                game = read_game(path)
            elif shape == 2:
                game = parse_game(" ".join(rng.choices(PIECES, k=rng.randrange(40))))
            else:
                game = parse_game(spoil(rng.choice(good), rng))
        except (GameDefinitionError, UnsupportedGameError):
            refused += 1
        else:
            assert parse_game(game.to_text(), game.name) == game


def test_fuzz(tmp_path: Path) -> None:
    fuzz(2_000, tmp_path)


@pytest.mark.slow
def test_fuzz_long(tmp_path: Path) -> None:
    fuzz(100_000, tmp_path)
