"""The catalogue: games that come with Errai, by name.

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

[2-1] and [2-4] hold'em are in the literature without the size of their raises.  Those of the catalogue raise by 10 in
both rounds, as the whole game does; in the code that was published with Cepheus they raise by 10 before the flop and by
20 on it.  Sizes in information sets are the same, values and exploitabilities are not: figures of the group of that
code, such as 25 against 103 mbb for CFR-BR against CFR in [2-4], belong to ``holdem-2-1.big-bet`` and
``holdem-2-4.big-bet``.

The files lie beside this module and are ordinary GAMEDEF files.  Other names that are understood stand in
``ALIASES``.
"""

from __future__ import annotations

import difflib
import os
from importlib.resources import files
from pathlib import Path

from errai.errors import UnknownGameError
from errai.games.game import Game
from errai.games.gamedef import parse_game, read_game

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

_SUFFIX = ".game"


def catalogue() -> tuple[str, ...]:
    """Return the names of all games in the catalogue, sorted.

    Examples
    --------
    >>> import errai
    >>> "leduc" in errai.catalogue()
    True
    """
    folder = files("errai.games").joinpath("catalogue")
    return tuple(sorted(entry.name.removesuffix(_SUFFIX) for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)))


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
    text = str(name_or_path)
    name = text.strip().lower()
    name = ALIASES.get(name, name)
    names = catalogue()
    if name in names:
        resource = files("errai.games").joinpath("catalogue", name + _SUFFIX)
        return parse_game(resource.read_text(encoding="utf-8"), name, source=name + _SUFFIX)
    if os.path.isfile(text):
        return read_game(text)
    if text.endswith(_SUFFIX) or "/" in text:
        raise UnknownGameError(f"There is no file {text!r}; check the path, or choose from {', '.join(names)}.")
    near = [ALIASES.get(match, match) for match in difflib.get_close_matches(name, (*names, *ALIASES), n=3)]
    hint = f"did you mean {' or '.join(dict.fromkeys(near))}?" if near else f"known are: {', '.join(names)}."
    raise UnknownGameError(f"There is no game and no file named {text!r}; {hint}")
