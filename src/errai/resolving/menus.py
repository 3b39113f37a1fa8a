"""Bet sizes of lookaheads: fine where they are played, coarse behind that.

Source: Moravčík et al., "DeepStack: expert-level artificial intelligence in heads-up no-limit poker" (Science 356,
2017), supplement, table 4: what may be bet at the first, the second and every later action of a lookahead, by round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from errai.games.hand import PublicState
from errai.games.sizing import BetMenu, StreetMenu

DEEPSTACK = (
    ("50%, 100%", "50%, 100%, 200%", "100%"),
    ("50%, 100%", "100%", "100%"),
    ("50%, 100%", "100%", "100%"),
    ("50%, 100%, 200%", "50%, 100%, 200%", "100%"),
)
"""By round of hold'em: sizes of the first, the second and all later actions; each has all-in besides."""


def deepstack_menu(state: PublicState, all_in_pots: float | None = None) -> BetMenu | None:
    """DeepStack's sizes for a lookahead from a state; None in limit games.

    Games of fewer rounds take those of hold'em's last ones.

    Parameters
    ----------
    state:
        The root of the lookahead; its round decides.
    all_in_pots:
        All-in is offered where it is at most so many pots, counted once the bet faced has been called; None offers it
        everywhere, as DeepStack does.
    """
    game = state.betting.game
    if game.limit:
        return None
    rounds_left = min(game.num_rounds - state.betting.round, len(DEEPSTACK))
    return sparse_menu(game.num_rounds, *DEEPSTACK[-rounds_left], all_in_pots=all_in_pots)


ALL_IN_POTS = 15.0
"""Greater all-ins are not offered unless they were made: with one of a hundred pots a limped turn takes three times as
many iterations."""


def coarser_and_coarser(state: PublicState) -> Iterator[BetMenu]:
    """Menus for a lookahead from a state of a no-limit game, finer ones first.

    DeepStack's sizes with all-ins of at most ``ALL_IN_POTS``; the same without half the pot; the pot at every action
    with all-ins of at most three; then at most two bets and raises a street, and then one.  A tree in which nobody can
    bet is worse than no solve at all: who plays by it loses to the blueprint that he plays otherwise (docs/log.md).
    """
    game = state.betting.game
    rounds_left = min(game.num_rounds - state.betting.round, len(DEEPSTACK))
    finest = DEEPSTACK[-rounds_left]
    yield sparse_menu(game.num_rounds, *finest, all_in_pots=ALL_IN_POTS)
    yield sparse_menu(game.num_rounds, *(text.removeprefix("50%, ") for text in finest), all_in_pots=ALL_IN_POTS)
    pot = sparse_menu(game.num_rounds, "100%", all_in_pots=3.0)
    yield pot
    for cap in (2, 1):
        yield replace(pot, raise_caps=dict.fromkeys(range(game.num_rounds), cap))


def sparse_menu(num_rounds: int, *sizes: str, all_in_pots: float | None = None) -> BetMenu:
    """The menu with these sizes at the first, second, ... action of a tree; the last hold at all that follow.

    Parameters
    ----------
    num_rounds:
        Rounds of the game.
    sizes:
        As :meth:`StreetMenu.parse` reads them.
    all_in_pots:
        As in :func:`deepstack_menu`.

    Raises
    ------
    SizingError
        A size cannot be read.
    """
    end = "" if all_in_pots is not None else ", a"
    menus = [StreetMenu.parse(text + end) for text in sizes]
    later = menus.pop()
    streets = dict.fromkeys(range(num_rounds), (later, later))
    return BetMenu(streets, add_all_in=all_in_pots or 0.0, early=tuple(menus))
