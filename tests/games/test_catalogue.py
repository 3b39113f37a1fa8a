"""The games that come with Errai."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from errai.errors import UnknownGameError
from errai.games.catalogue import ALIASES, catalogue, load_game


def test_all_games_are_there() -> None:
    assert catalogue() == (
        "court.limit",
        "holdem-2-1",
        "holdem-2-1.big-bet",
        "holdem-2-4",
        "holdem-2-4.big-bet",
        "holdem.limit.2p",
        "holdem.nolimit.2p",
        "kuhn",
        "leduc",
        "leduc.nolimit",
        "rhode-island",
        "royal.limit",
    )


@pytest.mark.parametrize("name", catalogue())
def test_games_have_name_and_title(name: str) -> None:
    game = load_game(name)
    assert game.name == name
    assert game.title


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases(alias: str, name: str) -> None:
    assert load_game(alias).name == name
    assert load_game(alias.upper()) == load_game(name)


@pytest.mark.parametrize("name", ["holdem-2-1", "holdem-2-4"])
def test_two_rounds_with_big_bets_differ_in_the_raise_on_the_flop_alone(name: str) -> None:
    plain, big = load_game(name), load_game(f"{name}.big-bet")
    assert (plain.raise_sizes, big.raise_sizes) == ((10, 10), (10, 20))
    assert replace(big, name=name, title=plain.title, raise_sizes=(10, 10)) == plain


def test_a_path_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = load_game("kuhn").to_text().replace("raiseSize = 1", "raiseSize = 2")
    (tmp_path / "kuhn").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_game("kuhn").raise_sizes == (1,)
    assert load_game("./kuhn").raise_sizes == (2,)
    assert load_game(tmp_path / "kuhn").raise_sizes == (2,)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kuhm", "did you mean kuhn"),
        ("holdem.nolimt.2p", "did you mean holdem.nolimit.2p"),
        ("chess", "known are: court.limit, "),
        ("missing.game", "There is no file 'missing.game'"),
        ("a\0b", "no game and no file"),
        ("x" * 10_000, "no game and no file"),
    ],
)
def test_unknown_names(name: str, words: str) -> None:
    with pytest.raises(UnknownGameError) as caught:
        load_game(name)
    assert words in str(caught.value)
