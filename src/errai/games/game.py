"""What can be solved: the common face of a game, a spot and a lookahead; and the rules of a game, which are checked."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import MAX_RANKS, MAX_SUITS, Deck
from errai.cards.strength import HandRanking
from errai.errors import GameDefinitionError, UnsupportedGameError
from errai.games.text_files import is_one_line

if TYPE_CHECKING:
    from errai.games.hand import PublicState
    from errai.games.sizing import BetMenu

UNLIMITED_CHIPS = 2**31 - 1
"""The stack of a player who can never run out of chips, as in ACPC."""

UNCAPPED_RAISES = 255
"""The value of ``max_raises`` that means no cap, as in ACPC."""

MAX_STRENGTH_CARDS = 7
"""The most private and board cards together that can be ranked."""

MAX_ROUNDS = 64
"""The most rounds of a game; the dealer's own bound is 4."""

_THREE_CARDS = 3


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


def amount_text(parts: float, unit: int, separator: str = "") -> str:
    """Write parts of a chip in chips, with no more decimals than it takes: 120, 2.5.

    ``unit`` is into how many parts a chip is divided, and ``separator`` is written between thousands.
    """
    return f"{parts / unit:{separator}.4f}".rstrip("0").rstrip(".")


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
    def unit(self) -> int:
        """Into how many parts a chip is divided; the rules and the bets of a hand count parts."""
        return self.rules.unit

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
        """What the players are called: by their blinds where these differ."""
        blinds = self.rules.blinds
        if len(blinds) != 2 or blinds[0] == blinds[1]:
            return "player 0", "player 1"
        return ("big blind", "small blind") if blinds[0] > blinds[1] else ("small blind", "big blind")

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


@dataclass(frozen=True)
class GameRules:
    """The rules of a poker game, which are checked: an object that exists is valid.

    Players are numbered from 0, all amounts are whole parts of a chip, which in games are chips, and tuples have one
    entry per player or per round.

    Parameters
    ----------
    name:
        Name of the game, by default that in the catalogue; not part of the rules.
    limit:
        True for fixed raise sizes, False for no-limit betting.
    num_rounds:
        Number of betting rounds.
    blinds:
        Chips each player posts before the first round (an ante where all are equal).
    stacks:
        Chips each player starts with, the blind included; ``UNLIMITED_CHIPS`` for no limit.
    raise_sizes:
        Limit games: chips by which a bet or raise goes above the amount to call, per round.  Empty in
        no-limit.
    first_player:
        The player who acts first, per round.
    max_raises:
        Bets and raises allowed, per round; ``UNCAPPED_RAISES`` for no cap.
    num_suits, num_ranks:
        The deck.
    num_hole_cards:
        Private cards of each player.
    num_board_cards:
        New board cards, per round.
    ranking:
        The ranking of hands.
    title:
        A title of one line; not part of the rules.
    unit:
        Into how many parts a chip is divided: more than one in spots whose chips have decimals.

    Raises
    ------
    GameDefinitionError
        If the values contradict each other or the format's bounds.
    UnsupportedGameError
        If hole and board cards are together more than can be ranked.
    """

    name: str
    limit: bool
    num_rounds: int
    blinds: tuple[int, ...]
    stacks: tuple[int, ...]
    raise_sizes: tuple[int, ...]
    first_player: tuple[int, ...]
    max_raises: tuple[int, ...]
    num_suits: int
    num_ranks: int
    num_hole_cards: int
    num_board_cards: tuple[int, ...]
    ranking: HandRanking = HandRanking.STANDARD
    title: str = ""
    unit: int = 1

    def __post_init__(self) -> None:
        for key, message in _faults(self):
            raise GameDefinitionError(message, key=key)
        hole, board = self.num_hole_cards, sum(self.num_board_cards)
        if hole + board > MAX_STRENGTH_CARDS:
            raise UnsupportedGameError(
                f"The game {self.name!r} has {hole} hole and {board} board cards; only hands of up to "
                f"{MAX_STRENGTH_CARDS} cards in all can be ranked."
            )

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.blinds)

    @property
    def deck(self) -> Deck:
        """The deck that it is played with."""
        return Deck(self.num_ranks, self.num_suits)

    @property
    def label(self) -> str:
        """The title, or else the name."""
        return self.title or self.name

    @property
    def big_blind(self) -> int:
        """The largest blind in chips, the unit of mbb; 0 if nobody posts anything."""
        return max(self.blinds)

    @property
    def min_bet(self) -> int:
        """The smallest no-limit bet in chips: the big blind, or one chip without blinds."""
        return max(1, *self.blinds)

    def board_cards_in(self, round_index: int) -> int:
        """Return the number of board cards that lie open in a round."""
        return sum(self.num_board_cards[: round_index + 1])

    def to_text(self) -> str:
        """Write the game as a canonical GAMEDEF: fixed order of keys, and no key that says the default."""
        title = f"# errai: title = {self.title}\n" if self.title else ""
        return title + self._rules_text()

    def digest(self) -> str:
        """SHA-256 of the rules in hexadecimal; name and title do not matter."""
        return hashlib.sha256(self._rules_text().encode()).hexdigest()

    def _rules_text(self) -> str:
        ranking = "" if self.ranking is HandRanking.STANDARD else f"# errai: ranking = {self.ranking.value}\n"
        # Keys without values have the default.
        rows = {
            "numRounds": (self.num_rounds,),
            "stack": self.stacks if min(self.stacks) < UNLIMITED_CHIPS else (),
            "blind": self.blinds,
            "raiseSize": self.raise_sizes,
            "firstPlayer": [player + 1 for player in self.first_player] if any(self.first_player) else (),
            "maxRaises": self.max_raises if min(self.max_raises) != UNCAPPED_RAISES else (),
            "numSuits": (self.num_suits,),
            "numRanks": (self.num_ranks,),
            "numHoleCards": (self.num_hole_cards,),
            "numBoardCards": self.num_board_cards,
        }
        written = [f"{key} = {' '.join(map(str, values))}" for key, values in rows.items() if values]
        kind, players = "limit" if self.limit else "nolimit", f"numPlayers = {self.num_players}"
        return ranking + "\n".join(["GAMEDEF", kind, players, *written, "END GAMEDEF"]) + "\n"


@dataclass(frozen=True)
class Game(GameRules, Subject):
    """The rules of a two-player poker game, players 0 and 1; parameters and errors are those of :class:`GameRules`."""

    blinds: tuple[int, int]
    stacks: tuple[int, int]

    state = None
    board = ()
    menu = None
    depth = None
    rake = None

    @property
    def num_players(self) -> int:
        return 2

    @property
    def rules(self) -> Game:
        return self

    @property
    def whole_game(self) -> Game:
        return self


def _faults(game: GameRules) -> Iterator[tuple[str, str]]:
    """Yield the GAMEDEF keys whose values contradict others or the format's bounds, with the reason and the remedy."""
    for key, value, most in (
        ("numRounds", game.num_rounds, MAX_ROUNDS),
        ("numSuits", game.num_suits, MAX_SUITS),
        ("numRanks", game.num_ranks, MAX_RANKS),
    ):
        if not 1 <= value <= most:
            yield key, f"{key} is {value}; use 1 to {most}."
    if game.num_hole_cards < 1:
        yield "numHoleCards", f"numHoleCards is {game.num_hole_cards}; use at least 1."
    if game.raise_sizes and not game.limit:
        yield "raiseSize", "raiseSize has no meaning with nolimit; remove one of the two."
    chips, players = f"1 to {UNLIMITED_CHIPS} chips", game.num_players
    seats = "1 or 2" if players == 2 else f"1 to {players}"
    for key, values, low, high, allowed in (
        ("blind", game.blinds, 0, UNLIMITED_CHIPS, f"0 to {UNLIMITED_CHIPS} chips"),
        ("stack", game.stacks, 1, UNLIMITED_CHIPS, chips),
        ("firstPlayer", tuple(player + 1 for player in game.first_player), 1, players, seats),
        ("raiseSize", game.raise_sizes, 1, UNLIMITED_CHIPS, chips),
        ("maxRaises", game.max_raises, 0, UNCAPPED_RAISES, "0 to 254, or 255 for no cap"),
        ("numBoardCards", game.num_board_cards, 0, MAX_SUITS * MAX_RANKS, "whole numbers from 0"),
    ):
        needed, of = (players, "players") if key in ("blind", "stack") else (game.num_rounds, "rounds")
        if len(values) != needed and (game.limit or key != "raiseSize"):
            yield key, f"{key} needs one value for each of the {needed} {of}, but has {len(values)}."
        for value in values:
            if not low <= value <= high:
                yield key, f"{key} has {value}; use {allowed}."
    for player, (blind, stack) in enumerate(zip(game.blinds, game.stacks, strict=True), start=1):
        if blind > stack:
            yield "blind", f"The blind of player {player} is {blind}; use 0 to the stack of {stack}."
    if not is_one_line(game.title) or game.title != game.title.strip():
        yield "title", "The title must be one line without control characters and without space around it."
    hole, board = game.num_hole_cards, sum(game.num_board_cards)
    needed, deck = players * hole + board, game.num_suits * game.num_ranks
    if needed > deck:
        yield (
            "numBoardCards",
            f"{'Two' if players == 2 else players} hands of {hole} and {board} board cards need {needed} cards, but "
            f"the deck has {deck}; deal fewer cards or add suits or ranks.",
        )
    if game.ranking is HandRanking.THREE_CARD and hole + board != _THREE_CARDS:
        yield (
            "ranking",
            f"The three-card ranking needs three cards, hand and board together, not {hole + board}; "
            "use ranking = standard or deal three.",
        )
