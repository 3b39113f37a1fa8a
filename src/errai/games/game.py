"""The rules of a game, with checks that they are possible."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
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
    A Game that exists is valid: the constructor checks what :func:`~errai.games.catalogue.parse_game` checks.

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
        for key, message in _faults(self):
            raise GameDefinitionError(message, key=key)
        hole, board = self.num_hole_cards, sum(self.num_board_cards)
        if hole + board > MAX_STRENGTH_CARDS:
            raise UnsupportedGameError(
                f"The game {self.name!r} has {hole} hole and {board} board cards; only hands of up to "
                f"{MAX_STRENGTH_CARDS} cards in all can be ranked."
            )

    @property
    def deck(self) -> Deck:
        return Deck(self.num_ranks, self.num_suits)

    @property
    def rules(self) -> Game:
        return self

    @property
    def whole_game(self) -> Game:
        return self

    @property
    def label(self) -> str:
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
        lines = ["GAMEDEF", "limit" if self.limit else "nolimit", "numPlayers = 2", *written, "END GAMEDEF"]
        return ranking + "\n".join(lines) + "\n"


def _faults(game: Game) -> Iterator[tuple[str, str]]:
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
    chips = f"1 to {UNLIMITED_CHIPS} chips"
    for key, values, low, high, allowed in (
        ("blind", game.blinds, 0, UNLIMITED_CHIPS, f"0 to {UNLIMITED_CHIPS} chips"),
        ("stack", game.stacks, 1, UNLIMITED_CHIPS, chips),
        ("firstPlayer", tuple(player + 1 for player in game.first_player), 1, 2, "1 or 2"),
        ("raiseSize", game.raise_sizes, 1, UNLIMITED_CHIPS, chips),
        ("maxRaises", game.max_raises, 0, UNCAPPED_RAISES, "0 to 254, or 255 for no cap"),
        ("numBoardCards", game.num_board_cards, 0, MAX_SUITS * MAX_RANKS, "whole numbers from 0"),
    ):
        needed, of = (2, "players") if key in ("blind", "stack") else (game.num_rounds, "rounds")
        if len(values) != needed and (game.limit or key != "raiseSize"):
            yield key, f"{key} needs one value for each of the {needed} {of}, but has {len(values)}."
        for value in values:
            if not low <= value <= high:
                yield key, f"{key} has {value}; use {allowed}."
    for player, (blind, stack) in enumerate(zip(game.blinds, game.stacks, strict=True), start=1):
        if blind > stack:
            yield "blind", f"The blind of player {player} is {blind}; use 0 to the stack of {stack}."
    if "\n" in game.title or "\r" in game.title or game.title != game.title.strip():
        yield "title", "The title must be one line without space around it."
    hole, board = game.num_hole_cards, sum(game.num_board_cards)
    needed, deck = 2 * hole + board, game.num_suits * game.num_ranks
    if needed > deck:
        yield (
            "numBoardCards",
            f"Two hands of {hole} and {board} board cards need {needed} cards, but the deck has {deck}; "
            "deal fewer cards or add suits or ranks.",
        )
    if game.ranking is HandRanking.THREE_CARD and hole + board != _THREE_CARDS:
        yield (
            "ranking",
            f"The three-card ranking needs three cards, hand and board together, not {hole + board}; "
            "use ranking = standard or deal three.",
        )
