"""The texts of the Annual Computer Poker Competition: lines of bets, cards, and MATCHSTATE lines.

``cr250c/kr500c`` is call, raise to 250, call; next round.  A check and a call are both ``c``, a no-limit raise is ``r``
and the total that the player has put in over the whole hand, a limit raise is ``r`` alone, a fold ``f``; rounds are
separated by ``/``, and when both players are all-in the rounds without actions have their slash too.

``MATCHSTATE:1:7:cc/r250:|QsJd/8c8d5c`` tells the player in position 1, in hand 7, the betting so far, the cards that it
may see (those of position 0 before the ``|``), and the board.  The answer is the same line, a colon and an action.
Source: the competition's protocol specification, version 2.0.0; checked line by line against the logs and messages of
the competition's dealer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from errai.cards.deck import Deck
from errai.errors import CardParseError, CardsError, IllegalActionError, ProtocolError, UnsupportedGameError
from errai.games.betting import ActionKind
from errai.games.game import Game, GameRules, Subject
from errai.games.hand import CALL, FOLD, Action, Observation, PublicState, opening_state, raise_to
from errai.games.ring import RingObservation, RingState

MAX_HAND_NUMBER = 2**32 - 1
"""Hand numbers are unsigned 32-bit numbers in the competition's programs."""

Cards = tuple[int, ...]

_ACTION = re.compile(r"[fc]|r([0-9]*)")

MAX_DIGITS = 10
"""Digits of an amount; the format's chips are 32-bit numbers."""


def action_text(action: Action, *, limit: bool) -> str:
    """Return the text of an action: ``f``, ``c``, ``r`` or ``r250``."""
    if action.kind == ActionKind.RAISE:
        return "r" if limit else f"r{action.total}"
    return "f" if action.kind == ActionKind.FOLD else "c"


def betting_text(state: PublicState) -> str:
    """Return the text of all actions so far, with ``/`` between rounds; at a showdown of all rounds."""
    game = state.betting.game
    text = actions_text(state.actions, limit=game.limit)
    if state.betting.showdown:
        text += "/" * (game.num_rounds - state.first_round - len(state.actions))
    return text


def actions_text(actions: tuple[tuple[Action, ...], ...], *, limit: bool) -> str:
    """Return the actions of all rounds, rounds separated by ``/``."""
    return "/".join("".join(action_text(action, limit=limit) for action in done) for done in actions)


def read_action(text: str, position: int, *, limit: bool) -> tuple[Action, int]:
    """Read the action that begins at a position; returns it and the position after it.

    Raises :class:`ProtocolError` if no action begins there.
    """
    found = _ACTION.match(text, position)
    if found is None:
        there = repr(text[position]) if position < len(text) else "the end of the text"
        raise ProtocolError(f"Expected an action, f, c or r, found {there}.", column=position + 1)
    digits = found[1]
    if digits is None:
        return (FOLD if found[0] == "f" else CALL), found.end()
    if limit:
        if digits:
            raise ProtocolError("A raise has no amount in a limit game.", column=position + 2)
        return raise_to(0), found.end()
    if not 1 <= len(digits) <= MAX_DIGITS:
        raise ProtocolError("A raise needs the total it goes to, as in r250.", column=position + 2)
    return raise_to(int(digits)), found.end()


def read_betting(text: str, state: PublicState, cards: tuple[int, ...]) -> PublicState:
    """Play a line of bets from a state on.

    Parameters
    ----------
    text:
        Actions with ``/`` between rounds.  Slashes at the end may be left out.
    state:
        The state that the line begins with.
    cards:
        The board as far as it is known; its cards are dealt when they are due, and may run out.

    Raises :class:`ProtocolError` if something in the text is not an action or not legal; ``column`` says where.
    """
    limit, at = state.betting.game.limit, 0
    rounds = state.betting.game.num_rounds - state.first_round
    state = state.dealt(cards)
    for number, part in enumerate(text.split("/")):
        # Once both players are all-in, rounds without actions may follow; the competition writes their slashes.
        if number >= len(state.actions) and not state.betting.showdown:
            raise ProtocolError("A round ends here that is not over.", column=at)
        if number >= rounds:
            raise ProtocolError(f"There are only {rounds} rounds.", column=at)
        end = at + len(part)
        while at < end:
            if state.betting.is_over:
                raise ProtocolError("Betting is over, but an action follows.", column=at + 1)
            if number != len(state.actions) - 1:
                raise ProtocolError("The round is over; expected a /.", column=at + 1)
            if state.cards_due:
                raise ProtocolError("The board's cards for this round are missing.", column=at + 1)
            action, after = read_action(text, at, limit=limit)
            try:
                state = state.after(action).dealt(cards)
            except IllegalActionError as error:
                raise ProtocolError(str(error), column=at + 1) from error
            at = after
        at = end + 1
    return state


def board_text(board: tuple[int, ...], game: Game, rounds: int | None = None) -> str:
    """Return the text of a board, with ``/`` before the cards of every round after the first: ``/8c8d5c/6s``.

    ``rounds`` is how many rounds have begun; by default those whose cards have been dealt.
    """
    deck, parts, dealt = game.deck, [], 0
    for round in range(game.num_rounds if rounds is None else rounds):
        if rounds is None and round > 0 and dealt >= len(board):
            break
        until = game.board_cards_in(round)
        parts.append(deck.cards_text(board[dealt:until]))
        dealt = until
    return "/".join(parts)


def read_cards(text: str, deck: Deck, column: int = 1) -> tuple[int, ...]:
    """Read cards that are written together.  Raises :class:`ProtocolError` for anything else."""
    known = _card_numbers(deck)
    quick = [known.get(text[i : i + 2], -1) for i in range(0, len(text), 2)]
    if -1 not in quick and len(set(quick)) == len(quick):
        return tuple(quick)
    try:
        cards = deck.parse_cards(text)
    except (CardParseError, CardsError) as error:
        raise ProtocolError(str(error), column=column) from error
    if len(text) != 2 * len(cards):
        raise ProtocolError(f"{text!r} is not a list of cards such as 9s8h.", column=column)
    return cards


@lru_cache(maxsize=64)
def _card_numbers(deck: Deck) -> dict[str, int]:
    """Return the cards of a deck by their text."""
    return {deck.card_text(card): card for card in range(deck.num_cards)}


def protocol_game(subject: Subject) -> Game:
    """Return the game, which may be a ring game.

    Raises :class:`UnsupportedGameError` for a spot, which the protocol cannot express.
    """
    if isinstance(subject, GameRules):
        return cast(Game, subject)
    if subject.whole_game is None:
        raise UnsupportedGameError(
            "The protocol of the Annual Computer Poker Competition is for whole games; a spot cannot be played over it."
        )
    return subject.whole_game


def cards_field(state: PublicState, hole: tuple[Cards | None, ...]) -> str:
    """Return the last field of a line: private cards by position, None if they stay hidden, and the board."""
    game = protocol_game(state.subject)
    held = "|".join(game.deck.cards_text(cards or ()) for cards in hole)
    betting = state.betting
    rounds = game.num_rounds if betting.showdown else betting.round + 1
    return held + board_text(state.board, game, rounds)


def matchstate_line(observation: Observation) -> str:
    """Return the line that tells a player a state, without the line break."""
    state, seat = observation.state, observation.seat
    cards = cards_field(state, observation.hole)
    return f"MATCHSTATE:{seat}:{observation.hand_number}:{betting_text(state)}:{cards}"


def read_matchstate(text: str, game: Game) -> Observation:
    """Read the line that tells a player a state, with or without the line break.

    Raises :class:`ProtocolError` if the line is not a MATCHSTATE line, or the rules of the game do not allow its state;
    the error has the column.
    """
    fields = text.rstrip("\r\n").split(":")
    if fields[0] != "MATCHSTATE" or len(fields) != 5:
        raise ProtocolError("A line MATCHSTATE:position:hand:betting:cards was expected.", column=1)
    _, position, number, betting, cards = fields
    if position not in map(str, range(game.num_players)):
        seats = "0 or 1" if game.num_players == 2 else f"0 to {game.num_players - 1}"
        raise ProtocolError(f"The position must be {seats}.", column=12)
    hand, column = read_hand_number(number, 14), 15 + len(number)
    state, hole = read_state(betting, cards, game, column)
    seat = int(position)
    own = hole[seat]
    if own is None:
        raise ProtocolError("The player's own cards are missing.", column=column + len(betting) + 1)
    if isinstance(state, RingState):
        return cast(Observation, RingObservation(state, seat, own, hand, hole))
    return Observation(state, seat, own, hand, hole[1 - seat])


def read_hand_number(text: str, column: int) -> int:
    """Read the number of a hand.  Raises :class:`ProtocolError`."""
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= MAX_HAND_NUMBER):
        raise ProtocolError(f"The number of a hand, 0 to {MAX_HAND_NUMBER}, was expected.", column=column)
    return int(text)


def read_state(betting: str, cards: str, game: Game, column: int = 1) -> tuple[PublicState, tuple[Cards | None, ...]]:
    """Read the fields of the betting and of the cards, which follow one another in a line.

    Returns the public state and the private cards by position, None if they are not shown.  Raises
    :class:`ProtocolError` with columns that count from that of the first field.
    """
    cards_column = column + len(betting) + 1
    hole, board = _read_cards(cards, game, cards_column)
    try:
        state = read_betting(betting, opening_state(game), board)
    except ProtocolError as error:
        raise ProtocolError(error.message, column=column + (error.column or 1) - 1) from error
    if state.cards_due or len(state.board) != len(board):
        raise ProtocolError(
            f"The board has {len(board)} cards; after this betting it must have {len(state.board) + state.cards_due}.",
            column=cards_column,
        )
    return state, hole


def _read_cards(text: str, game: Game, column: int) -> tuple[tuple[Cards | None, ...], Cards]:
    """Read private cards and the board."""
    *others, rest = text.split("|", game.num_players - 1)
    if len(others) != game.num_players - 1:
        players = "both players" if game.num_players == 2 else f"{game.num_players} players"
        raise ProtocolError(f"Expected a | between the cards of {players}.", column=column + len(text))
    groups = rest.split("/")
    # Board cards of the first round, which few games have, follow the private cards without a separator.
    open_at = max(len(groups[0]) - 2 * game.board_cards_in(0), 0)
    found, last = [], column
    for cards in (*others, groups[0][:open_at]):
        found.append(_read_hole(cards, game, last))
        last += len(cards) + 1
    hole = tuple(found)
    groups[0] = groups[0][open_at:]
    if len(groups) > game.num_rounds:
        raise ProtocolError(f"The board has more than {game.num_rounds} rounds.", column=column)
    at, board = last - 1, ""
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
