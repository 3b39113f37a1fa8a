"""The texts of the Annual Computer Poker Competition: lines of bets, and cards.

``cr250c/kr500c`` is call, raise to 250, call; next round.  A check and a call are both ``c``, a no-limit
raise is ``r`` and the total that the player has put in over the whole hand, a limit raise is ``r`` alone, a fold ``f``;
rounds are separated by ``/``, and when both players are all-in the rounds without actions have their slash too.
Source: the competition's protocol specification, version 2.0.0.
"""

from __future__ import annotations

from functools import lru_cache

from errai.cards.deck import Deck
from errai.errors import CardParseError, CardsError, IllegalActionError, ProtocolError
from errai.games.betting import ActionKind
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to

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
    letter = text[position : position + 1]
    if letter == "f":
        return FOLD, position + 1
    if letter == "c":
        return CALL, position + 1
    if letter != "r":
        found = repr(letter) if letter else "the end of the text"
        raise ProtocolError(f"Expected an action, f, c or r, found {found}.", column=position + 1)
    end = position + 1
    while end < len(text) and text[end] in "0123456789":
        end += 1
    digits = text[position + 1 : end]
    if limit:
        if digits:
            raise ProtocolError("A raise has no amount in a limit game.", column=position + 2)
        return raise_to(0), end
    if not digits or len(digits) > MAX_DIGITS:
        raise ProtocolError("A raise needs the total it goes to, as in r250.", column=position + 2)
    return raise_to(int(digits)), end


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

    Raises
    ------
    ProtocolError
        Something in the text is not an action or not legal; ``column`` says where.
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
