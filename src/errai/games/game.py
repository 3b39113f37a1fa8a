"""The rules of a game, with checks that they are possible."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from errai.cards.deck import MAX_RANKS, MAX_SUITS, Deck
from errai.cards.strength import HandRanking
from errai.errors import GameDefinitionError, UnsupportedGameError
from errai.games.subject import UNLIMITED_CHIPS, Subject

UNCAPPED_RAISES = 255
"""The value of ``max_raises`` that means no cap, as in ACPC."""

MAX_STRENGTH_CARDS = 7
"""The most private and board cards together that can be ranked."""

MAX_ROUNDS = 64
"""The most rounds of a game; the dealer's own bound is 4."""

_THREE_CARDS = 3


@dataclass(frozen=True)
class Game(Subject):
    """The rules of a two-player poker game.

    Players are 0 and 1, all amounts are whole chips, and tuples have one entry per player or per round.
    A Game that exists is valid: the constructor checks what :func:`~errai.games.gamedef.parse_game` checks.

    Parameters
    ----------
    name:
        Name of the game, by default that in the catalogue; not part of the rules.
    limit:
        True for fixed raise sizes, False for no-limit betting.
    num_rounds:
        Number of betting rounds.
    blinds:
        Chips each player posts before the first round (an ante where both are equal).
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
    blinds: tuple[int, int]
    stacks: tuple[int, int]
    raise_sizes: tuple[int, ...]
    first_player: tuple[int, ...]
    max_raises: tuple[int, ...]
    num_suits: int
    num_ranks: int
    num_hole_cards: int
    num_board_cards: tuple[int, ...]
    ranking: HandRanking = HandRanking.STANDARD
    title: str = ""

    state = None
    board = ()
    menu = None
    depth = None
    rake = None
    unit = 1

    def __post_init__(self) -> None:
        _check_rules(self)

    @property
    def deck(self) -> Deck:
        """The deck that the game is played with."""
        return Deck(self.num_ranks, self.num_suits)

    @property
    def rules(self) -> Game:
        """The game itself."""
        return self

    @property
    def whole_game(self) -> Game:
        """The game itself."""
        return self

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
        lines = []
        if self.ranking is not HandRanking.STANDARD:
            lines.append(f"# errai: ranking = {self.ranking.value}")
        lines += ["GAMEDEF", "limit" if self.limit else "nolimit", "numPlayers = 2"]

        def put(key: str, *values: int) -> None:
            lines.append(f"{key} = " + " ".join(str(value) for value in values))

        put("numRounds", self.num_rounds)
        if min(self.stacks) < UNLIMITED_CHIPS:
            put("stack", *self.stacks)
        put("blind", *self.blinds)
        if self.limit:
            put("raiseSize", *self.raise_sizes)
        if any(self.first_player):
            put("firstPlayer", *(player + 1 for player in self.first_player))
        if any(cap != UNCAPPED_RAISES for cap in self.max_raises):
            put("maxRaises", *self.max_raises)
        put("numSuits", self.num_suits)
        put("numRanks", self.num_ranks)
        put("numHoleCards", self.num_hole_cards)
        put("numBoardCards", *self.num_board_cards)
        lines.append("END GAMEDEF")
        return "\n".join(lines) + "\n"


def _check_rules(game: Game) -> None:
    """Refuse rules that contradict themselves or the format's bounds.

    Raises
    ------
    GameDefinitionError
        With the GAMEDEF key at fault, the reason and the remedy.
    UnsupportedGameError
        If hole and board cards are together more than can be ranked.
    """
    _check_shapes(game)
    _check_betting(game)
    _check_cards(game)


def _fault(key: str, message: str) -> GameDefinitionError:
    return GameDefinitionError(message, key=key)


def _check_shapes(game: Game) -> None:
    if not 1 <= game.num_rounds <= MAX_ROUNDS:
        raise _fault("numRounds", f"numRounds is {game.num_rounds}; use 1 to {MAX_ROUNDS}.")
    for key, values, count in (
        ("blind", game.blinds, 2),
        ("stack", game.stacks, 2),
        ("raiseSize", game.raise_sizes, game.num_rounds if game.limit else 0),
        ("firstPlayer", game.first_player, game.num_rounds),
        ("maxRaises", game.max_raises, game.num_rounds),
        ("numBoardCards", game.num_board_cards, game.num_rounds),
    ):
        if len(values) != count:
            raise _fault(key, f"{key} needs {count} values, but has {len(values)}.")
    if "\n" in game.title or "\r" in game.title or game.title != game.title.strip():
        raise _fault("title", "The title must be one line without space around it.")


def _check_betting(game: Game) -> None:
    for player, (blind, stack) in enumerate(zip(game.blinds, game.stacks, strict=True), start=1):
        if not 1 <= stack <= UNLIMITED_CHIPS:
            raise _fault("stack", f"The stack of player {player} is {stack}; use 1 to {UNLIMITED_CHIPS} chips.")
        if not 0 <= blind <= stack:
            raise _fault("blind", f"The blind of player {player} is {blind}; use 0 to the stack of {stack}.")
    for player in set(game.first_player) - {0, 1}:
        raise _fault("firstPlayer", f"firstPlayer has {player + 1}; use 1 or 2.")
    for cap in game.max_raises:
        if not 0 <= cap <= UNCAPPED_RAISES:
            raise _fault("maxRaises", f"maxRaises has {cap}; use 0 to 254, or 255 for no cap.")
    for size in game.raise_sizes:
        if not 1 <= size <= UNLIMITED_CHIPS:
            raise _fault("raiseSize", f"raiseSize has {size}; use 1 to {UNLIMITED_CHIPS} chips.")


def _check_cards(game: Game) -> None:
    if not 1 <= game.num_suits <= MAX_SUITS:
        raise _fault("numSuits", f"numSuits is {game.num_suits}; use 1 to {MAX_SUITS}.")
    if not 1 <= game.num_ranks <= MAX_RANKS:
        raise _fault("numRanks", f"numRanks is {game.num_ranks}; use 1 to {MAX_RANKS}.")
    if game.num_hole_cards < 1:
        raise _fault("numHoleCards", f"numHoleCards is {game.num_hole_cards}; use at least 1.")
    if min(game.num_board_cards) < 0:
        raise _fault("numBoardCards", f"numBoardCards has {min(game.num_board_cards)}; use whole numbers from 0.")
    hole, board = game.num_hole_cards, sum(game.num_board_cards)
    needed, deck = 2 * hole + board, game.num_suits * game.num_ranks
    if needed > deck:
        raise _fault(
            "numBoardCards",
            f"Two hands of {hole} and {board} board cards need {needed} cards, but the deck has {deck}; "
            "deal fewer cards or add suits or ranks.",
        )
    if game.ranking is HandRanking.THREE_CARD and hole + board != _THREE_CARDS:
        raise _fault(
            "ranking",
            f"The three-card ranking needs three cards, hand and board together, not {hole + board}; "
            "use ranking = standard or deal three.",
        )
    if hole + board > MAX_STRENGTH_CARDS:
        raise UnsupportedGameError(
            f"The game {game.name!r} has {hole} hole and {board} board cards; only hands of up to "
            f"{MAX_STRENGTH_CARDS} cards in all can be ranked."
        )
