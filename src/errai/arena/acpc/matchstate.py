"""MATCHSTATE lines: the messages of the dealer to a player, and the player's answers.

``MATCHSTATE:1:7:cc/r250:|QsJd/8c8d5c`` tells the player in position 1, in hand 7, the betting so far, the cards that it
may see (those of position 0 before the ``|``), and the board.  The answer is the same line, a colon and an action.
Source: the competition's protocol specification, version 2.0.0; checked line by line against the logs and messages of
the competition's dealer.
"""

from __future__ import annotations

from errai.arena.acpc_text import betting_text, board_text, read_betting, read_cards
from errai.errors import ProtocolError, UnsupportedGameError
from errai.games.game import Game
from errai.games.hand import Observation, PublicState
from errai.games.subject import Subject

MAX_HAND_NUMBER = 2**32 - 1
"""Hand numbers are unsigned 32-bit numbers in the competition's programs."""

Cards = tuple[int, ...]


def protocol_game(subject: Subject) -> Game:
    """Return the game.  Raises :class:`UnsupportedGameError` for a spot, which the protocol cannot express."""
    if subject.whole_game is None:
        raise UnsupportedGameError(
            "The protocol of the Annual Computer Poker Competition is for whole games; a spot cannot be played over it."
        )
    return subject.whole_game


def cards_field(state: PublicState, hole: tuple[Cards | None, Cards | None]) -> str:
    """Return the last field of a line: private cards by position, None if they stay hidden, and the board."""
    game = protocol_game(state.subject)
    first, second = (game.deck.cards_text(cards or ()) for cards in hole)
    betting = state.betting
    rounds = game.num_rounds if betting.showdown else betting.round + 1
    return f"{first}|{second}{board_text(state.board, game, rounds)}"


def matchstate_line(observation: Observation) -> str:
    """Return the line that tells a player a state, without the line break."""
    state, seat = observation.state, observation.seat
    hole = (observation.cards, observation.opponent_cards)
    cards = cards_field(state, hole if seat == 0 else (hole[1], hole[0]))
    return f"MATCHSTATE:{seat}:{observation.hand_number}:{betting_text(state)}:{cards}"


def read_matchstate(text: str, game: Game) -> Observation:
    """Read the line that tells a player a state, with or without the line break.

    Raises
    ------
    ProtocolError
        The line is not a MATCHSTATE line, or the rules of the game do not allow its state; the error has the column.
    """
    fields = text.rstrip("\r\n").split(":")
    if fields[0] != "MATCHSTATE" or len(fields) != 5:
        raise ProtocolError("A line MATCHSTATE:position:hand:betting:cards was expected.", column=1)
    _, position, number, betting, cards = fields
    if position not in ("0", "1"):
        raise ProtocolError("The position must be 0 or 1.", column=12)
    column = 14
    hand = read_hand_number(number, column)
    column += len(number) + 1
    state, hole = read_state(betting, cards, game, column)
    seat = int(position)
    own = hole[seat]
    if own is None:
        raise ProtocolError("The player's own cards are missing.", column=column + len(betting) + 1)
    return Observation(state, seat, own, hand, hole[1 - seat])


def read_hand_number(text: str, column: int) -> int:
    """Read the number of a hand.  Raises :class:`ProtocolError`."""
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= MAX_HAND_NUMBER):
        raise ProtocolError(f"The number of a hand, 0 to {MAX_HAND_NUMBER}, was expected.", column=column)
    return int(text)


def read_state(
    betting: str, cards: str, game: Game, column: int = 1
) -> tuple[PublicState, tuple[Cards | None, Cards | None]]:
    """Read the fields of the betting and of the cards, which follow one another in a line.

    Returns the public state and the private cards by position, None if they are not shown.  Raises
    :class:`ProtocolError` with columns that count from that of the first field.
    """
    cards_column = column + len(betting) + 1
    hole, board = _read_cards(cards, game, cards_column)
    try:
        state = read_betting(betting, PublicState.start(game), board)
    except ProtocolError as error:
        raise ProtocolError(error.message, column=column + (error.column or 1) - 1) from error
    if state.cards_due or len(state.board) != len(board):
        raise ProtocolError(
            f"The board has {len(board)} cards; after this betting it must have {len(state.board) + state.cards_due}.",
            column=cards_column,
        )
    return state, hole


def _read_cards(text: str, game: Game, column: int) -> tuple[tuple[Cards | None, Cards | None], Cards]:
    """Read private cards and the board."""
    first, bar, rest = text.partition("|")
    if not bar:
        raise ProtocolError("Expected a | between the cards of both players.", column=column + len(text))
    groups = rest.split("/")
    # Board cards of the first round, which few games have, follow the private cards without a separator.
    open_at = max(len(groups[0]) - 2 * game.board_cards_in(0), 0)
    hole = (
        _read_hole(first, game, column),
        _read_hole(groups[0][:open_at], game, column + len(first) + 1),
    )
    groups[0] = groups[0][open_at:]
    if len(groups) > game.num_rounds:
        raise ProtocolError(f"The board has more than {game.num_rounds} rounds.", column=column)
    at, board = column + len(first) + 1 + open_at, ""
    for round, group in enumerate(groups):
        if len(group) != 2 * game.num_board_cards[round]:
            raise ProtocolError(f"Expected {game.num_board_cards[round]} board cards of this round.", column=at)
        board += group
        at += len(group) + 1
    # All cards are read together, so that no card can come twice.
    known = read_cards(board, game.deck, column)
    held = [card for cards in hole if cards is not None for card in cards]
    if len({*known, *held}) != len(known) + len(held):
        raise ProtocolError("A card comes twice.", column=column)
    return hole, known


def _read_hole(text: str, game: Game, column: int) -> Cards | None:
    if not text:
        return None
    cards = read_cards(text, game.deck, column)
    if len(cards) != game.num_hole_cards:
        raise ProtocolError(f"A player has {game.num_hole_cards} cards, not {len(cards)}.", column=column)
    return cards
