"""What can be solved: the common face of a game, a spot and a lookahead."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck

if TYPE_CHECKING:
    from errai.games.game import Game
    from errai.games.hand import PublicState
    from errai.games.sizing import BetMenu

UNLIMITED_CHIPS = 2**31 - 1
"""The stack of a player who can never run out of chips, as in ACPC."""


@dataclass(frozen=True)
class Rake:
    """A share of every pot, up to a cap.

    The pot that is raked is the one that is won: a bet that was not called is returned first.  The rake is not rounded
    to whole chips.
    """

    percent: float
    """Per cent of the pot, above 0 and at most 100."""
    cap: float | None = None
    """The most chips that are taken of one hand; None for no cap."""
    no_flop_no_drop: bool = False
    """Whether nothing is taken of a hand that ends before the flop is dealt."""

    def chips(self, pots: NDArray[np.float64], before_the_flop: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return float64[n]: the rake of pots (float64[n], without uncalled bets) of hands that end here."""
        taken = np.asarray(pots, dtype=np.float64) * (self.percent / 100.0)
        if self.cap is not None:
            taken = np.minimum(taken, self.cap)
        return np.where(before_the_flop, 0.0, taken) if self.no_flop_no_drop else taken


class Subject(ABC):
    """A game from its first action, a spot from its board, or a lookahead from its public state.

    Code that solves, measures or shows asks for these attributes, and never which of the three it has.
    """

    state: PublicState | None
    """The state at which a lookahead begins; None if betting begins with the blinds or on a spot's board."""
    menu: BetMenu | None
    """Its own bet sizes; None in limit games, and in games, which are given a menu."""
    depth: int | None
    """The round of the game after which a lookahead is cut; None if it goes to the end."""
    rake: Rake | None
    """The share of the pot that the house takes, if any."""
    unit: int
    """Into how many parts a chip is divided; the rules count parts."""

    if TYPE_CHECKING:
        # At run time these are fields of the dataclasses, which cannot take the place of a property.

        @property
        @abstractmethod
        def title(self) -> str:
            """A title of one line; may be empty."""

        @property
        @abstractmethod
        def board(self) -> tuple[int, ...]:
            """Cards on the table, in the order in which they were dealt."""

        @property
        @abstractmethod
        def stacks(self) -> tuple[float, float]:
            """Chips that each player has before the betting that the rules know."""

        @property
        @abstractmethod
        def big_blind(self) -> float | None:
            """Chips of the big blind; None if a spot does not name it."""

    @property
    @abstractmethod
    def rules(self) -> Game:
        """The rules of the betting and the cards."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The title, or else what tells it from others: the name of a game or the board of a spot."""

    @abstractmethod
    def digest(self) -> str:
        """Return the SHA-256 of all that matters to play, in hexadecimal."""

    @property
    def deck(self) -> Deck:
        """The deck that it is played with."""
        return self.rules.deck

    @property
    def first_round(self) -> int:
        """The round of the game with which play begins."""
        return 0

    @property
    def dead_chips(self) -> float:
        """What each player put in before the betting that the rules know: half of a spot's pot."""
        return 0.0

    @property
    def initial_pot_chips(self) -> float:
        """Chips in the middle when play begins: the blinds, or a spot's pot."""
        begun = (0, 0) if self.first_round else self.rules.blinds
        spent = begun if self.state is None else self.state.betting.spent
        return 2.0 * self.dead_chips + sum(spent) / self.unit

    @property
    def given_weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """float64[H] by seat: the weights of all hands of the deck; None if every hand has weight 1, as in games."""
        return None

    @property
    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """float64[H] by seat: the weights of all hands of the deck."""
        every = np.ones(comb(self.rules.deck.num_cards, self.rules.num_hole_cards))
        return self.given_weights or (every, every)

    @property
    def seats(self) -> tuple[str, str]:
        """What the players are called."""
        return "player 0", "player 1"

    @property
    def whole_game(self) -> Game | None:
        """The game, if it is one from its first action with every hand: what other programs know by its rules."""
        return None

    @property
    def values_are_net(self) -> bool:
        """Whether values are net chips over the whole hand; in spots they are shares of the pot."""
        return True

    @property
    def zero_sum(self) -> bool:
        """Whether the players win only from each other: not if the pot is raked."""
        return self.rake is None

    @property
    def caller_is_out_of_position(self) -> bool:
        """Whether the player who acts first on this street closed the previous one by calling a bet."""
        return False

    @property
    def stacks_chips(self) -> NDArray[np.float64]:
        """float64[2]: the chips that each player can put in; infinite in games without a limit on stacks."""
        stacks = np.asarray(self.stacks, dtype=np.float64)
        return np.where(stacks >= UNLIMITED_CHIPS, np.inf, stacks)

    def without_cut(self) -> Subject:
        """Return the same to the end of the game; only a lookahead has a cut of its own."""
        return self
