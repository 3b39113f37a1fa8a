"""Bet sizes of lookaheads: many at the first actions, few at later ones.

Source: Moravčík et al., "DeepStack: expert-level artificial intelligence in heads-up no-limit poker" (Science 356,
2017), supplement, table 4: the sizes at the first, the second and every later action of a lookahead, by round.
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
"""By round of hold'em: sizes of the first, the second and all later actions; all-in is added to each."""


def deepstack_menu(state: PublicState, all_in_pots: float | None = None) -> BetMenu | None:
    """Return DeepStack's sizes for a lookahead from a state; None in limit games.

    Games with fewer rounds take the sizes of hold'em's last rounds.

    Parameters
    ----------
    state:
        The root of the lookahead; its round determines the sizes.
    all_in_pots:
        All-in is offered if it is at most so many pots, counted after the bet faced has been called; None offers it
        everywhere, as DeepStack does.
    """
    game = state.betting.game
    if game.limit:
        return None
    rounds_left = min(game.num_rounds - state.betting.round, len(DEEPSTACK))
    return sparse_menu(game.num_rounds, *DEEPSTACK[-rounds_left], all_in_pots=all_in_pots)


ALL_IN_POTS = 15.0
"""Larger all-ins are offered only after one was made: with an all-in of a hundred pots, a limped turn takes three times
as many iterations."""


def coarser_and_coarser(state: PublicState) -> Iterator[BetMenu]:
    """Yield menus for a lookahead from a state of a no-limit game, finer ones first.

    First DeepStack's sizes with all-ins of at most ``ALL_IN_POTS``; then the same without half the pot; the pot at
    every action with all-ins of at most three pots; at most two bets and raises a street; at most one.  A tree without
    bets is not offered, because a player who uses it loses to the blueprint that would be played instead (docs/log.md).
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
    """Return a menu with these sizes at the first, second, ... action of a tree, the last ones at all later actions.

    Parameters
    ----------
    num_rounds:
        Rounds of the game.
    sizes:
        Sizes as :meth:`StreetMenu.parse` reads them.
    all_in_pots:
        As for :func:`deepstack_menu`.

    Raises
    ------
    SizingError
        If a size cannot be read.
    """
    end = "" if all_in_pots is not None else ", a"
    menus = [StreetMenu.parse(text + end) for text in sizes]
    later = menus.pop()
    streets = dict.fromkeys(range(num_rounds), (later, later))
    return BetMenu(streets, add_all_in=all_in_pots or 0.0, early=tuple(menus))
