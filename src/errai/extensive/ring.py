"""Ring games as games in extensive form: every real hand and board is dealt, and in no-limit every bet can be made."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import Any, NamedTuple

from errai.cards.strength import strength
from errai.errors import TreeTooLargeError
from errai.extensive.histories import CHANCE
from errai.extensive.walk import Rules
from errai.games.betting import NOBODY
from errai.games.hand import CALL, FOLD, Action, raise_to
from errai.games.ring import RingBetting, RingGame

Cards = tuple[int, ...]


class Line:
    """A line of bets, the same for all cards; what follows is computed once."""

    def __init__(self, betting: RingBetting, words: tuple[str, ...] = ("",)) -> None:
        self.betting = betting
        self.words = words
        """The actions of each round that has begun."""
        self.text = " / ".join(filter(None, words))
        self.actor = betting.actor
        game = betting.game
        self.board_cards = 0
        """How many cards of the board are dealt before the next action, or the showdown."""
        if self.actor != NOBODY or betting.showdown:
            self.board_cards = game.board_cards_in(game.num_rounds - 1 if betting.showdown else betting.round)
        self.payoffs: dict[tuple[int, ...], tuple[float, ...]] = {}
        self._after: dict[str, Line] = {}

    @cached_property
    def actions(self) -> dict[str, Action]:
        """The legal actions by name: 'check', or 'raise 4' with the player's chips of the round."""
        betting, game = self.betting, self.betting.game
        legal = betting.legal()
        actions = {"fold": FOLD} if legal.fold else {}
        actions["call" if betting.to_call_chips else "check"] = CALL
        # Blinds are the first bets of their round; antes, which all post, are not.
        begun = 0 if betting.round == 0 and len(set(game.blinds)) > 1 else max(betting.round_start)
        verb = "raise" if max(betting.spent) > begun else "bet"
        low, high = legal.raise_range or (1, 0)
        return actions | {f"{verb} {total - begun}": raise_to(total) for total in range(low, high + 1)}

    def after(self, name: str) -> Line:
        """Return the line after an action by its name."""
        if name not in self._after:
            action = self.actions[name]
            betting = self.betting.apply(action.kind, action.total)
            words = (*self.words[:-1], f"{self.words[-1]} {name}".strip())
            self._after[name] = Line(betting, words if betting.round == self.betting.round else (*words, ""))
        return self._after[name]

    def information(self, hand: Cards, board: Cards) -> str:
        """Return the name of the information set of the player who acts, with a hand on a board."""
        text = self.betting.game.deck.cards_text
        shown = f" on {text(board)}" if board else ""
        return f"{text(hand)}{shown}{f': {self.text}' if self.text else ''}"


class Seated(NamedTuple):
    """A state: a line of bets and the cards; there are no hands before they are dealt."""

    line: Line
    board: Cards
    hands: tuple[Cards, ...]


class RingRules(Rules):
    """Rules of a ring game.  Raises :class:`TreeTooLargeError` if its deals alone are more than ``max_histories``."""

    def __init__(self, game: RingGame, max_histories: int) -> None:
        self.game = game
        self.title = game.label
        self.source = {"ring": game.to_text(), "name": game.name, "digest": game.digest()}
        self.num_players = game.num_players
        self._cards = range(game.deck.num_cards)
        self._boards = [game.board_cards_in(r) for r in range(game.num_rounds)]
        self._strengths: dict[tuple[Cards, Cards], int] = {}
        hole = game.num_hole_cards
        deals = prod(comb(len(self._cards) - p * hole, hole) for p in range(self.num_players))
        if deals > max_histories:
            raise TreeTooLargeError(
                f"{self.title} can be dealt in {deals:,} ways, more than {max_histories:,}; take a smaller game."
            )

    def start(self) -> Seated:
        return Seated(Line(RingBetting.start(self.game)), (), ())

    def player(self, state: Seated) -> int | None:
        if not state.hands or state.line.board_cards > len(state.board):
            return CHANCE
        return None if state.line.actor == NOBODY else state.line.actor

    def actions(self, state: Seated) -> Iterable[Any]:
        if not state.hands:
            deals = list(self._deals((), self._cards))
            return [(hands, 1.0 / len(deals)) for hands in deals]
        known = len(state.board)
        if state.line.board_cards > known:
            # The cards of one round at a time, also where no more bets are made.
            due = next(cards for cards in self._boards if cards > known) - known
            taken = {*state.board, *(card for hand in state.hands for card in hand)}
            free = [card for card in self._cards if card not in taken]
            return [(cards, 1.0 / comb(len(free), due)) for cards in combinations(free, due)]
        return state.line.actions

    def _deals(self, dealt: tuple[Cards, ...], free: Iterable[int]) -> Iterator[tuple[Cards, ...]]:
        if len(dealt) == self.num_players:
            yield dealt
            return
        left = list(free)
        for hand in combinations(left, self.game.num_hole_cards):
            yield from self._deals((*dealt, hand), (card for card in left if card not in hand))

    def chance_text(self, action: Any) -> str:
        """Return a move of chance in words: the hands of all players, or cards of the board."""
        text = self.game.deck.cards_text
        return " ".join(map(text, action)) if isinstance(action[0], tuple) else text(action)

    def after(self, state: Seated, action: Any) -> Seated:
        line, board, hands = state
        if not hands:
            return Seated(line, board, action)
        if line.board_cards > len(board):
            return Seated(line, (*board, *action), hands)
        return Seated(line.after(action), board, hands)

    def information(self, state: Seated) -> Hashable:
        line, board, hands = state
        return line.information(hands[line.actor], board)

    def payoffs(self, state: Seated) -> Sequence[float]:
        line, board, hands = state
        strengths = (0,) * self.num_players
        if line.betting.showdown:
            strengths = tuple(self._strength(hand, board) for hand in hands)
        if strengths not in line.payoffs:
            line.payoffs[strengths] = line.betting.net_chips(strengths)
        return line.payoffs[strengths]

    def _strength(self, hand: Cards, board: Cards) -> int:
        if (hand, board) not in self._strengths:
            self._strengths[hand, board] = int(strength([*hand, *board], self.game.deck, self.game.ranking))
        return self._strengths[hand, board]
