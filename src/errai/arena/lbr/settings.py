"""The actions of a local best response: for each round, whether it may fold and which bets it may make.

The settings of table 3 in the supplementary material of Moravcik et al., "DeepStack" (2017), have a menu for each
round:

===========  =========  =========  =========  =========  ======================================
name         pre-flop   flop       turn       river      always-fold loses (mbb/g)
===========  =========  =========  =========  =========  ======================================
fc4          F,C        F,C        F,C        F,C        250
fcpa         C          C          F,C,P,A    F,C,P,A    750
56bets       C          C          56 bets    56 bets    750
2r56bets     C          56 bets    F,C        F,C        750
===========  =========  =========  =========  =========  ======================================

F is folding, C checking and calling, P a bet of the pot, A all-in.  The 56 bets, in addition to folding and calling,
are 0.05 x 1.15^k pots for k from 0 to 54, the last being 94.8 pots, and all-in.  The names, and the first and last of
the bets, are those of the runs whose logs the authors published.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from errai.errors import MatchError
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to

FIFTY_FIVE = tuple(0.05 * 1.15**k for k in range(55))
"""Bets as fractions of the pot after a call, from a twentieth to 94.8 pots: the 56 bets without all-in."""

MAX_SHARE = 1_000.0
"""Greatest bet of a menu, in pots."""


@dataclass(frozen=True)
class Menu:
    """The actions of one round; checking and calling are always allowed."""

    text: str
    fold: bool = False
    shares: tuple[float, ...] = ()
    """Bets as fractions of the pot after a call."""
    least: bool = False
    """Whether the smallest legal raise, in limit games the only one, is allowed."""
    all_in: bool = False

    @property
    def calls_only(self) -> bool:
        """Whether checking and calling are the only actions."""
        return not (self.fold or self.shares or self.least or self.all_in)

    def actions(self, state: PublicState) -> tuple[Action, ...]:
        """Return the menu's actions that are legal at a state: fold, call, and raises ascending.

        A bet that is too small or too large for the rules becomes the smallest or greatest legal one; in limit games
        all bets become the one raise.
        """
        legal = state.betting.legal()
        found = [FOLD] if self.fold and legal.fold else []
        found.append(CALL)
        if legal.raise_range is not None and not self.calls_only:
            least, most = legal.raise_range
            totals = set(state.raise_totals(self.shares))
            totals.update([least] if self.least else [], [most] if self.all_in else [])
            found.extend(raise_to(total) for total in sorted(totals))
        return tuple(found)


@dataclass(frozen=True)
class Setting:
    """The menus of all rounds of a game."""

    name: str
    menus: tuple[Menu, ...]

    def menu(self, state: PublicState) -> Menu:
        """Return the menu of the current round of a state.

        The last menus are for the last rounds, so that a game with fewer rounds does not use the first ones.
        """
        rounds = state.betting.game.num_rounds
        return self.menus[len(self.menus) - rounds + state.betting.round]


NAMED = {
    "fc4": ("fc/fc/fc/fc", "folds or calls, never bets (DeepStack's table 3)"),
    "fcpa": ("c/c/fcpa/fcpa", "calls to the turn; then fold, call, pot, all-in (DeepStack's table 3)"),
    "56bets": ("c/c/56bets/56bets", "calls to the turn; then fold, call, 56 bets, all-in (DeepStack's table 3)"),
    "2r56bets": ("c/56bets/fc/fc", "56 bets on the flop alone; then folds or calls (DeepStack's table 3)"),
    "limit": ("fcr/fcr/fcr/fcr", "fold, call, and the smallest raise, in every round: for limit games"),
    "fcpa4": ("fcpa/fcpa/fcpa/fcpa", "fold, call, pot, all-in, in every round"),
    "56bets4": ("56bets/56bets/56bets/56bets", "fold, call, 56 bets, all-in, in every round"),
}
"""Settings with names: the menus of four rounds, and a description."""

_LETTERS = re.compile(r"[fcpar]+")
_PERCENT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)%")


def read_setting(text: str, rounds: int = 4) -> Setting:
    """Read a setting for a game with a number of rounds.

    Parameters
    ----------
    text:
        A name of ``NAMED``, or the menus of the rounds between slashes, such as ``c/fc/fcpa/fc+50%+150%+a``: letters
        ``f`` fold, ``c`` call, ``p`` the pot, ``a`` all-in, ``r`` the smallest raise; shares of the pot; and
        ``56bets``.

    Raises :class:`MatchError` if the text is not a setting, or has fewer menus than the game has rounds.
    """
    name = text.strip().lower()
    if name not in NAMED and "/" not in name and rounds > 1:
        raise MatchError(
            f"There is no setting {text!r}; choose one of {', '.join(NAMED)}, or write the menu of every round, such "
            f"as '{'/'.join(['c'] * (rounds - 1) + ['fcpa'])}'."
        )
    menus = tuple(_menu(part) for part in (NAMED[name][0] if name in NAMED else name).split("/"))
    if len(menus) < rounds or (name not in NAMED and len(menus) != rounds):
        raise MatchError(f"The setting {text!r} has menus for {len(menus)} rounds; the game has {rounds}.")
    return Setting(name, menus)


def _menu(text: str) -> Menu:
    letters, shares = set[str](), list[float]()
    for part in text.split("+"):
        word = part.strip()
        if word == "56bets":
            letters.update("fa")
            shares.extend(FIFTY_FIVE)
        elif percent := _PERCENT.fullmatch(word):
            share = float(percent[1]) / 100.0
            if not 0.0 < share <= MAX_SHARE:
                raise MatchError(
                    f"{word!r} is not a bet; use more than 0% and at most {100 * MAX_SHARE:.0f}% of the pot."
                )
            shares.append(share)
        elif _LETTERS.fullmatch(word):
            letters.update(word)
            shares.extend([1.0] if "p" in word else [])
        else:
            raise MatchError(
                f"{text!r} is not a menu of a round; write letters (f fold, c call, p pot, a all-in, r smallest "
                "raise), shares such as 50%, or 56bets, with + between them."
            )
    return Menu(text.strip(), "f" in letters, tuple(sorted(set(shares))), "r" in letters, "a" in letters)
