"""Streets by name and by number, and where a tree may be cut."""

from __future__ import annotations

from errai.errors import SolverOptionError
from errai.games.game import Game
from errai.games.spot_tables import STREETS
from errai.own_code import described


def street_name(game: Game, number: int) -> str:
    """Return the name of a round: ``flop`` and so on in games with hold'em's four, else ``round 1``, counted from 0."""
    return STREETS[number] if game.num_rounds == len(STREETS) else f"round {number}"


def cut_after(game: Game, first_round: int, depth: str | int) -> int:
    """Return the round after which a tree is cut that begins with ``first_round``.

    ``depth`` is the name of a street, or the number of a round of the game from 0.  Raises :class:`SolverOptionError`
    if there is no such round, or if no card comes after it.
    """
    choices = range(first_round, game.num_rounds - 1)
    names = [street_name(game, number) for number in choices]
    if isinstance(depth, str) and depth in names:
        return choices[names.index(depth)]
    if type(depth) is int and depth in choices:
        return depth
    offered = f"there are {', '.join(names)}" if names else "there is none here"
    raise SolverOptionError(f"{described(depth)} is not a street after which the tree can be cut; {offered}.")
