"""Games by name or from a file: the catalogue of games that come with Errai, and the GAMEDEF format.

=====================  =======================================================================================
kuhn                   three cards, one bet
leduc                  Leduc hold'em: antes 1, bets 2 and 4, two bets a round
leduc.nolimit          DeepStack's Leduc: antes 100, stacks 1,200, every bet size
rhode-island           Rhode Island hold'em: antes 5, bets 10, 20, 20, three bets a round, three-card hands
royal.limit            limit hold'em with the 20 cards from ten to ace
holdem-2-1             limit hold'em's first two rounds, one raise a round, raises of 10
holdem-2-4             limit hold'em's first two rounds, four bets a round (the big blind is the first), raises of 10
holdem-2-1.big-bet     the same with raises of 20 on the flop
holdem-2-4.big-bet     the same with raises of 20 on the flop
holdem.limit.2p        heads-up limit hold'em as in the ACPC: blinds 10 and 5, bets 10, 10, 20, 20
holdem.nolimit.2p      heads-up no-limit hold'em as in the ACPC: blinds 100 and 50, stacks 20,000
=====================  =======================================================================================

Ring games, which :func:`errai.load_ring_game` loads:

=====================  =======================================================================================
kuhn3                  Kuhn poker for three (Szafron, Gibson and Sturtevant 2013): four cards, one bet
leduc3                 Leduc hold'em for three: four ranks, antes 1, bets 2 and 4, two bets a round
holdem.limit.3p        limit hold'em for three as in the ACPC: blinds 5 and 10, bets 10, 10, 20, 20
holdem.nolimit.3p      no-limit hold'em for three as in the ACPC: blinds 50 and 100, stacks 20,000
=====================  =======================================================================================

[2-1] and [2-4] hold'em are in the literature without the size of their raises.  Those of the catalogue raise by 10 in
both rounds, as the whole game does; in the code that was published with Cepheus they raise by 10 before the flop and by
20 on it.  Sizes in information sets are the same, values and exploitabilities are not: figures of the group of that
code, such as 25 against 103 mbb for CFR-BR against CFR in [2-4], belong to ``holdem-2-1.big-bet`` and
``holdem-2-4.big-bet``.

The files lie beside this module.  Other names that are understood stand in ``ALIASES``.

GAMEDEF is the format of the Annual Computer Poker Competition (ACPC): lines of ``key = values``, which ``Game.to_text``
writes.  Keys and their meaning are those of the competition's dealer (``game.c``); letter case does not matter, ``=``
is optional, and lines that start with ``#`` are comments::

    GAMEDEF
    limit                          # or: nolimit
    numPlayers = 2
    numRounds = 2
    blind = 1 1                    # chips posted by player 1 and player 2
    stack = 100 100                # optional; absent means without limit
    raiseSize = 2 4                # limit only: chips of a bet or raise, per round
    firstPlayer = 1 1              # optional: who acts first, 1 or 2, per round
    maxRaises = 2 2                # optional: bets and raises allowed, per round; 255 means no cap
    numSuits = 2
    numRanks = 3
    numHoleCards = 1
    numBoardCards = 0 1            # new board cards, per round
    END GAMEDEF

The dealer skips what it does not know and fills in what is missing.  Here an unknown key, a key given twice, a list of
the wrong length or two keys that contradict each other are errors, because a misspelt ``firstPlayer`` would silently
define another game.  Only the dealer's own defaults for whole keys are kept: limit betting, unlimited stacks, player 1
first, no cap on raises.

Two settings for which the format has no key are written in comments, so that the competition's programs can still read
the file: ``# errai: title = ...`` and ``# errai: ranking = standard`` (or ``three-card``).
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from errai.cards.strength import HandRanking
from errai.errors import GameDefinitionError, UnknownGameError, UnsupportedGameError
from errai.games.game import UNCAPPED_RAISES, UNLIMITED_CHIPS, Game, GameRules
from errai.games.text_files import decoded, read_content, shown

ALIASES = {
    "kuhn.limit.2p": "kuhn",
    "leduc.limit": "leduc",
    "leduc.limit.2p": "leduc",
    "leduc-nolimit": "leduc.nolimit",
    "nolimit-leduc": "leduc.nolimit",
    "rhode_island": "rhode-island",
    "royal": "royal.limit",
    "[2-1]": "holdem-2-1",
    "[2-4]": "holdem-2-4",
    "holdem.limit": "holdem.limit.2p",
    "holdem.limit.2p.reverse_blinds": "holdem.limit.2p",
    "holdem.nolimit": "holdem.nolimit.2p",
    "holdem.nolimit.2p.reverse_blinds": "holdem.nolimit.2p",
}
"""Other names of catalogue games."""

RING_ALIASES = {"kuhn.limit.3p": "kuhn3", "leduc.limit.3p": "leduc3"}
"""Other names of ring games."""

R = TypeVar("R", bound=GameRules)
Build = Callable[..., R]
"""Makes a game of the number of players and the fields of :class:`GameRules`."""

_FOLDER = Path(__file__).with_suffix("")
_RING_FOLDER = _FOLDER / "ring"
_SUFFIX = ".game"
_MAX_FILE_BYTES = 1 << 20


def catalogue() -> tuple[str, ...]:
    """Return the names of all games in the catalogue, sorted.

    Examples
    --------
    >>> import errai
    >>> "leduc" in errai.catalogue()
    True
    """
    return _names(_FOLDER)


def ring_catalogue() -> tuple[str, ...]:
    """Return the names of all games of three players and more in the catalogue, sorted."""
    return _names(_RING_FOLDER)


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob(f"*{_SUFFIX}")))


def load_game(name_or_path: str | Path) -> Game:
    """Load a game by its catalogue name, an alias of it, or the path of a GAMEDEF file.

    Letter case does not matter in names.  A name wins over a file of the same name; write ``./kuhn`` for the
    file.

    Raises
    ------
    UnknownGameError
        If there is neither; the message lists names that are close.
    GameDefinitionError, UnsupportedGameError
        If the file is not a usable GAMEDEF.

    Examples
    --------
    >>> import errai
    >>> game = errai.load_game("leduc")
    >>> game.title, game.num_rounds, game.limit
    ("Leduc hold'em", 2, True)
    >>> errai.load_game("holdem")
    Traceback (most recent call last):
        ...
    errai.errors.UnknownGameError: There is no game and no file named 'holdem'; did you mean ...
    """
    return load_rules(name_or_path, _game_of_two, _FOLDER)


def load_rules(name_or_path: str | Path, build: Build[R], folder: Path = _RING_FOLDER) -> R:
    """Load a game as :func:`load_game` does, made by ``build``; ``folder`` has the games that names choose from."""
    text = str(name_or_path)
    name = text.strip().lower()
    aliases = ALIASES | RING_ALIASES
    name = aliases.get(name, name)
    names = _names(folder)
    if name in names:
        path = folder / f"{name}{_SUFFIX}"
        return _Reader(name, path.name).read(path.read_text(encoding="utf-8"), build)
    other = _FOLDER if folder == _RING_FOLDER else _RING_FOLDER
    if name in _names(other):
        path = other / f"{name}{_SUFFIX}"
        return _Reader(name, path.name).read(path.read_text(encoding="utf-8"), build)
    if os.path.isfile(text):
        return _read_file(text, build)
    if text.endswith(_SUFFIX) or "/" in text:
        raise UnknownGameError(f"There is no file {text!r}; check the path, or choose from {', '.join(names)}.")
    near = [aliases.get(match, match) for match in difflib.get_close_matches(name, (*names, *aliases), n=3)]
    hint = f"did you mean {' or '.join(dict.fromkeys(near))}?" if near else f"known are: {', '.join(names)}."
    raise UnknownGameError(f"There is no game and no file named {text!r}; {hint}")


def parse_game(text: str, name: str = "game", *, source: str | None = None) -> Game:
    """Read a GAMEDEF.

    Parameters
    ----------
    text:
        The GAMEDEF.  The lines ``GAMEDEF`` and ``END GAMEDEF`` may both be missing; nothing after the latter is read.
    name:
        Name of the game.
    source:
        Name of the file for messages.

    Raises
    ------
    GameDefinitionError
        If the text is not a consistent GAMEDEF; the message has the line and the remedy.
    UnsupportedGameError
        If the game has more than two players, or more cards than can be ranked.
    """
    return _Reader(name, source).read(text, _game_of_two)


def read_game(path: str | Path) -> Game:
    """Read a GAMEDEF file; the game's name is the file's name without ``.game``.

    Raises
    ------
    UnknownGameError
        If the file cannot be opened.
    GameDefinitionError, UnsupportedGameError
        As :func:`parse_game`.
    """
    return _read_file(path, _game_of_two)


def _read_file(path: str | Path, build: Build[R]) -> R:
    path = Path(path)
    content = read_content(path, _MAX_FILE_BYTES, UnknownGameError, GameDefinitionError)
    text = decoded(content, "The file", GameDefinitionError, str(path))
    return _Reader(path.name.removesuffix(".game"), str(path)).read(text, build)


def _game_of_two(players: int, **rules: Any) -> Game:
    if players != 2:
        raise UnsupportedGameError(
            f"The game {rules['name']!r} is for {players} players, and games for two are asked for here; "
            "errai.load_ring_game loads it, and errai.extensive_game writes it out if it is small."
        )
    return Game(**rules)


# --- reading ------------------------------------------------------------------------------------------------

_BOUNDS = {
    **dict.fromkeys(("limit", "nolimit"), 0),
    **dict.fromkeys(("numPlayers", "numRounds"), 255),
    **dict.fromkeys(("stack", "blind", "raiseSize"), UNLIMITED_CHIPS),
    **dict.fromkeys(("firstPlayer", "maxRaises", "numSuits", "numRanks", "numHoleCards", "numBoardCards"), 255),
}
"""Keys in the spelling of the format, with the largest value that the dealer can hold."""

_KEYS = {key.lower(): key for key in _BOUNDS}
_FLAGS = ("limit", "nolimit")
_MAX_PLAYERS = 10
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_WORD = re.compile(r"[A-Za-z]+")
_NUMBER = re.compile(r"[0-9]+\Z")
_EXTENSION = re.compile(r"#\s*errai\s*:(.*)\Z", re.IGNORECASE | re.DOTALL)
# A number longer than this is above every bound; it need not be converted to say so.
_MAX_DIGITS = 20


class _Reader:
    """Collects the keys of one GAMEDEF with their lines and builds the game."""

    def __init__(self, name: str, source: str | None) -> None:
        self._name = name
        self._source = source
        self._values: dict[str, tuple[int, ...]] = {}
        self._settings: dict[str, Any] = {}
        self._lines: dict[str, int] = {}
        self._line = 0

    def read(self, text: str, build: Build[R]) -> R:
        """Read all lines, then check and build."""
        begun = 0
        for self._line, raw in enumerate(_LINE_BREAK.split(text), start=1):
            line = raw.strip()
            if line.startswith("#"):
                self._read_comment(line)
                continue
            line = line.partition("#")[0].strip()
            words = line.lower().split()
            if not words:
                continue
            if words[:2] == ["end", "gamedef"]:
                break
            if words[0] == "gamedef":
                if begun or self._values:
                    raise self._error("GAMEDEF is given twice or after the first key; begin the text with it, once.")
                begun = self._line
                continue
            self._read_key(line)
        else:
            if begun:
                raise self._error(
                    f"The GAMEDEF that begins in line {begun} does not end; add the line END GAMEDEF, or get the whole "
                    "file if it was cut off."
                )
        return self._build(build)

    def _error(self, message: str, key: str | None = None) -> GameDefinitionError:
        line = self._line if key is None else self._lines.get(key)
        return GameDefinitionError(message, line=line, source=self._source, key=key)

    def _read_comment(self, line: str) -> None:
        match = _EXTENSION.match(line)
        if match is None:
            return
        key, equals, value = match.group(1).partition("=")
        key, value = key.strip().lower(), value.strip()
        if not equals or key not in ("title", "ranking"):
            raise self._error(
                f"The setting {shown(match.group(1).strip())} is unknown; "
                "write '# errai: title = ...' or '# errai: ranking = ...'."
            )
        if key in self._lines:
            raise self._error(f"The setting {key} is given here and in line {self._lines[key]}; keep one.")
        self._lines[key] = self._line
        if key == "title":
            self._settings[key] = value
        else:
            try:
                self._settings[key] = HandRanking(value.lower())
            except ValueError:
                known = ", ".join(ranking.value for ranking in HandRanking)
                raise self._error(f"The ranking {shown(value)} is unknown; choose one of: {known}.") from None

    def _read_key(self, line: str) -> None:
        match = _WORD.match(line)
        word = match.group() if match else line.split()[0]
        lower = word.lower()
        # "blinds = 50 100" and "stacks = ..." are what people write; the dealer would misread them.
        if lower not in _KEYS:
            near = difflib.get_close_matches(lower, _KEYS, n=1)
            hint = f"did you mean {_KEYS[near[0]]}?" if near else f"known are: {', '.join(_BOUNDS)}"
            raise self._error(f"The key {shown(word)} is unknown; {hint}")
        key = _KEYS[lower]
        if key in self._lines:
            raise self._error(f"{key} is given here and in line {self._lines[key]}; keep one of them.")
        self._lines[key] = self._line
        items = line[len(word) :].replace("=", " ").split()
        if key in _FLAGS:
            if items:
                raise self._error(f"{key} takes no values; remove {shown(items[0])}.")
        elif not items:
            raise self._error(f"{key} has no value; write it as '{key} = 1'.")
        bound = _BOUNDS[key]
        for item in items:
            if not _NUMBER.match(item):
                raise self._error(f"{key} has {shown(item)} where a whole number from 0 to {bound} was expected.")
            if len(item) > _MAX_DIGITS or int(item) > bound:
                raise self._error(f"{key} has {shown(item)}, more than the format allows; use at most {bound}.")
        self._values[key] = tuple(map(int, items))

    def _list(self, key: str, default: tuple[int, ...] | None = None) -> tuple[Any, ...]:
        values = self._values.get(key, default)
        if values is None:
            raise GameDefinitionError(f"The key {key} is missing; add a line '{key} = ...'.", source=self._source)
        return values

    def _single(self, key: str) -> int:
        values = self._list(key)
        if len(values) != 1:
            raise self._error(f"{key} needs exactly one value, but has {len(values)}.", key)
        return int(values[0])

    def _build(self, build: Build[R]) -> R:
        if not self._values:
            raise GameDefinitionError(
                "There is no GAMEDEF in this text; it needs at least numPlayers, numRounds, blind, numSuits, "
                "numRanks, numHoleCards and numBoardCards.",
                source=self._source,
            )
        if "limit" in self._values and "nolimit" in self._values:
            later = max(_FLAGS, key=lambda flag: self._lines[flag])
            raise self._error("The text has both limit and nolimit; keep one of them.", later)
        players, rounds, limit = self._single("numPlayers"), self._single("numRounds"), "nolimit" not in self._values
        if not 2 <= players <= _MAX_PLAYERS:
            raise self._error(f"numPlayers is {players}; a GAMEDEF is for 2 to {_MAX_PLAYERS} players.", "numPlayers")
        try:
            return build(
                players,
                name=self._name,
                limit=limit,
                num_rounds=rounds,
                blinds=self._list("blind"),
                stacks=self._list("stack", (UNLIMITED_CHIPS,) * players),
                raise_sizes=self._list("raiseSize") if limit else self._values.get("raiseSize", ()),
                first_player=tuple(player - 1 for player in self._list("firstPlayer", (1,) * rounds)),
                max_raises=self._list("maxRaises", (UNCAPPED_RAISES,) * rounds),
                num_suits=self._single("numSuits"),
                num_ranks=self._single("numRanks"),
                num_hole_cards=self._single("numHoleCards"),
                num_board_cards=self._list("numBoardCards"),
                **self._settings,
            )
        except GameDefinitionError as error:
            if error.key is None:
                raise
            raise self._error(error.message, error.key) from None
