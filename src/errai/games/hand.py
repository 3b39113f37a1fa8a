"""A hand while it is played: its cards, what both players see, and how it ends.

A hand is one of a game or of a spot.  In a spot the cards come from the ranges, betting begins on the spot's street,
and half of the pot counts as put in by each player, so that winnings sum to 0 as in a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from errai.cards.hands import hand_cards
from errai.cards.strength import strength
from errai.errors import CardsError, IllegalActionError, InputError
from errai.games.betting import ActionKind, BettingState
from errai.games.game import Subject, amount_text

if TYPE_CHECKING:
    from errai.cards.run_outs import RunOuts

Hole = tuple[tuple[int, ...], tuple[int, ...]]
"""The private cards of seat 0 and 1."""

REMEMBERED_LINES = 50_000
"""The most betting lines that are kept for the hands of a match: about 50 MB."""


class Action(NamedTuple):
    """An action of a player."""

    kind: ActionKind
    total: int = 0
    """Raises: the chips, or parts of a chip, that the player will have put in over the whole hand (in a spot: since it
    began); else 0."""


FOLD = Action(ActionKind.FOLD)
CALL = Action(ActionKind.CALL)
"""Check or call."""


def raise_to(total: int) -> Action:
    """Return a bet or raise to a total over the whole hand."""
    return Action(ActionKind.RAISE, total)


def line_text(actions: Iterable[Action], unit: int = 1) -> str:
    """Return actions in words, such as ``call raise to 300``."""
    return " ".join(
        f"raise to {amount_text(a.total, unit)}" if a.kind == ActionKind.RAISE else a.kind.name.lower() for a in actions
    )


def run_outs_of(subject: Subject) -> RunOuts:
    """Return showdown chances for the cards of a game or spot; all callers share one object."""
    from errai.cards.run_outs import RunOuts

    game = subject.rules
    return RunOuts.of(game.deck, game.num_hole_cards, game.board_cards_in(game.num_rounds - 1), game.ranking)


def check_is_played(subject: object) -> None:
    """Raise :class:`InputError` unless hands of two players are played in a subject: a game or a spot."""
    if not isinstance(subject, Subject) or subject.state is not None:
        raise InputError(
            f"A hand is played in a game or a spot, not in {subject!r:.80}; make one by errai.load_game or "
            "errai.load_spot. A lookahead is only the rest of a hand."
        )


@dataclass(frozen=True, slots=True)
class Deal:
    """All cards of one hand, whether or not play gets to see them."""

    hole: Hole
    board: tuple[int, ...]
    """The board in the order in which it is dealt; a spot's own cards first."""
    better: int | None = field(default=None, compare=False)
    """Who would win a showdown: 1 for seat 0, -1 for seat 1, 0 for a tie; None if it has not been computed."""


class Shuffle:
    """Draws deals of a game, where all are equally likely, or of a spot, by the weights of the ranges."""

    def __init__(self, subject: Subject) -> None:
        check_is_played(subject)
        self.subject = subject
        game = subject.rules
        self._cards, self._hole = game.deck.num_cards, game.num_hole_cards
        self._board = game.board_cards_in(game.num_rounds - 1)
        self._dealt: tuple[int, ...] = ()
        self._ranges: list[tuple[np.ndarray, np.ndarray]] = []
        if subject.given_weights is not None:
            self._dealt = subject.board
            hands = hand_cards(self._cards, self._hole)
            for held in subject.given_weights:
                weights = np.where(np.isin(hands, self._dealt).any(axis=1), 0.0, held)
                live = np.flatnonzero(weights)
                self._ranges.append((live, np.cumsum(weights[live]) / weights[live].sum()))

    def numbered(self, seed: int, number: int, of_a_board: int = 1) -> Deal:
        """Return the deal with a number: it depends only on the number and the seed, so it can be drawn again.

        ``of_a_board`` deals with following numbers have the same board; each by itself is as likely as any other.
        """
        if of_a_board == 1:
            return self.deal(np.random.default_rng([seed, number]))
        board = self.numbered(seed, number // of_a_board).board
        return self.deal(np.random.default_rng([seed, number, 1]), board)

    def deal(self, rng: np.random.Generator, board: tuple[int, ...] | None = None) -> Deal:
        """Draw one deal, with a board that was drawn before if it is given."""
        held = self._dealt if board is None else board
        if not self._ranges:
            new = 0 if board is not None else self._board
            drawn = rng.permutation(np.setdiff1d(np.arange(self._cards), held))[: 2 * self._hole + new].tolist()
            k = self._hole
            return Deal((tuple(drawn[:k]), tuple(drawn[k : 2 * k])), held + tuple(drawn[2 * k :]))
        hands = hand_cards(self._cards, self._hole)
        while True:
            # Pairs of hands that share a card are drawn again, so that pairs follow the product of the weights.
            pair = [live[np.searchsorted(share, rng.random(), "right")] for live, share in self._ranges]
            first, second = (tuple(hands[h].tolist()) for h in pair)
            if not set(first) & set(second) and not {*first, *second} & set(held):
                break
        used = {*held, *first, *second}
        left = [card for card in range(self._cards) if card not in used]
        return Deal((first, second), held + tuple(rng.permutation(left)[: self._board - len(held)].tolist()))


@dataclass(frozen=True, slots=True)
class PublicState:
    """What both players see at some moment of a hand.

    Examples
    --------
    >>> import errai
    >>> from errai.games.hand import CALL, PublicState
    >>> start = PublicState.start(errai.load_game("leduc"))
    >>> start.actor, len(start.legal_actions), start.pot_chips
    (0, 2, 2.0)
    >>> start.after(CALL).after(CALL).cards_due
    1
    """

    subject: Subject
    betting: BettingState
    actions: tuple[tuple[Action, ...], ...]
    """The actions of each round that has begun, from the subject's first round.  Raises have their total in limit games
    too."""
    board: tuple[int, ...]
    """The cards on the table, in the order in which they were dealt."""

    @classmethod
    def start(cls, subject: Subject) -> PublicState:
        """Return the state with which a game, a spot or a lookahead begins; in a game, the blinds are posted.

        Raises :class:`InputError` for anything else.
        """
        if isinstance(subject, Subject) and subject.state is not None:
            return subject.state
        check_is_played(subject)
        first, rules = subject.first_round, subject.rules
        betting = BettingState.start_at(rules, first, (0, 0) if first else rules.blinds)
        return cls(subject, betting, ((),), subject.board)

    @property
    def first_round(self) -> int:
        """The round of the game with which play begins."""
        return self.subject.first_round

    @property
    def line(self) -> tuple[Action, ...]:
        """All actions so far."""
        return tuple(chain.from_iterable(self.actions))

    def steps(self) -> Iterator[tuple[PublicState, Action]]:
        """Yield every action of the line with the state before it, in which no cards are dealt; see :meth:`ahead`."""
        before = self.start(self.subject)
        for action in self.line:
            yield before, action
            before = before.ahead(action)

    @property
    def actor(self) -> int:
        """The seat that acts, or -1 if betting is over or cards must be dealt first."""
        return -1 if self.cards_due else self.betting.actor

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self.betting.is_over and not self.cards_due

    @property
    def cards_due(self) -> int:
        """Number of board cards that must be dealt before a player acts, or before the showdown."""
        betting, game = self.betting, self.betting.game
        if betting.actor < 0 and not betting.showdown:
            return 0
        return game.board_cards_in(game.num_rounds - 1 if betting.showdown else betting.round) - len(self.board)

    @property
    def pot_chips(self) -> float:
        """Chips in the middle, including a spot's pot."""
        return (self.betting.pot + 2 * self.dead_parts) / self.subject.unit

    @property
    def dead_chips(self) -> float:
        """Half of a spot's pot: what each player put in before the spot."""
        return self.subject.dead_chips

    @property
    def dead_parts(self) -> float:
        """``dead_chips`` in parts of a chip, as bets are counted: a whole number, or half of one."""
        return round(2 * self.dead_chips * self.subject.unit) / 2

    @property
    def stake_chips(self) -> float:
        """Chips that the loser would lose to the winner if the hand ended now, with half of a spot's pot."""
        return (self.betting.stake_chips + self.dead_parts) / self.subject.unit

    @property
    def called_pot(self) -> float:
        """Parts of a chip in the middle once the bet faced has been called."""
        return 2 * (max(self.betting.spent) + self.dead_parts)

    def percent_of_pot(self, action: Action) -> float | None:
        """Return a bet or raise in per cent of the pot, as in a menu of sizes.

        It is None for other actions and in limit games.  Of a raise it is what goes beyond the bet faced, and the pot
        is as it would be once that had been called.
        """
        if action.kind != ActionKind.RAISE or self.betting.game.limit:
            return None
        return 100.0 * (action.total - max(self.betting.spent)) / max(self.called_pot, 1.0)

    def raise_totals(self, shares: Iterable[float]) -> list[int]:
        """Return the totals of raises that are shares of the pot after a call, made legal, in their order.

        A bet that is too small or too large for the rules becomes the smallest or greatest legal one.  There are none
        where no raise is legal.
        """
        allowed = self.betting.legal().raise_range
        if allowed is None:
            return []
        faced, pot = max(self.betting.spent), self.called_pot
        return list(dict.fromkeys(min(max(faced + round(share * pot), allowed[0]), allowed[1]) for share in shares))

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """The actor's legal actions: fold, call, and the smallest and greatest raise."""
        if self.actor < 0:
            return ()
        legal = self.betting.legal()
        raises = map(raise_to, dict.fromkeys(legal.raise_range or ()))
        return (*([FOLD] if legal.fold else []), CALL, *raises)

    def after(self, action: Action) -> PublicState:
        """Return the state after an action of the actor.

        Raises :class:`IllegalActionError` if the rules do not allow it, or if cards must be dealt first.
        """
        if self.cards_due:
            raise IllegalActionError(f"{self.cards_due} board cards must be dealt before a player acts.")
        return self.ahead(action)

    def ahead(self, action: Action) -> PublicState:
        """Return the state after an action without dealing cards, to follow betting lines alone; see :meth:`after`."""
        before = self.betting
        betting = before.apply(action.kind, action.total)
        if action.kind == ActionKind.RAISE:
            action = raise_to(betting.spent[before.actor])
        actions = (*self.actions[:-1], (*self.actions[-1], action))
        if betting.round != before.round:
            actions = (*actions, ())
        return type(self)(self.subject, betting, actions, self.board)

    def with_cards(self, cards: tuple[int, ...]) -> PublicState:
        """Return the state after board cards have been dealt.

        Raises :class:`CardsError` if they are too many, or one is on the table already.
        """
        if len(cards) > self.cards_due or set(cards) & set(self.board) or len(set(cards)) != len(cards):
            raise CardsError(
                f"{self.subject.deck.cards_text(cards)} cannot be dealt: {self.cards_due} cards come next, and the "
                f"board is {self.subject.deck.cards_text(self.board) or 'empty'}."
            )
        return replace(self, board=self.board + tuple(cards))

    def dealt(self, board: tuple[int, ...]) -> PublicState:
        """Return the state after the next cards, taken from a board as far as it goes; see :meth:`with_cards`."""
        due = self.cards_due
        return self.with_cards(board[len(self.board) : len(self.board) + due]) if due else self

    def net_chips(self, hole: Hole) -> tuple[float, float]:
        """Return what each seat has won when the hand is over, given the private cards; the sum is 0."""
        betting, stake = self.betting, self.stake_chips
        if betting.folded >= 0:
            won = stake if betting.folded == 1 else -stake
        else:
            first, second = showdown(self.subject, self.board, hole)
            won = stake * ((first > second) - (first < second))
        return won, -won


def opening_state(subject: Any) -> PublicState:
    """Return the state with which hands of a game, a spot, a lookahead or a ring game begin."""
    opening = getattr(subject, "opening", None)
    return PublicState.start(subject) if opening is None else cast(PublicState, opening())


def still_in(state: PublicState) -> list[int]:
    """Return the seats that have not folded, of two players or more."""
    folded: Any = state.betting.folded
    if isinstance(folded, int):
        return [seat for seat in (0, 1) if seat != folded]
    return [seat for seat, out in enumerate(folded) if not out]


def seats_of_two(state: PublicState) -> tuple[int, int]:
    """Return the two seats that have not folded, that of the player who acts first."""
    first, second = still_in(state)
    return (first, second) if state.actor == first else (second, first)


def showdown(subject: Subject, board: tuple[int, ...], hole: Hole) -> tuple[int, int]:
    """Return the strengths of both seats' hands on a complete board; greater is better."""
    game = subject.rules
    first, second = strength([[*cards, *board] for cards in hole], game.deck, game.ranking).tolist()
    return first, second


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat sees: the public state and its own cards."""

    state: PublicState
    seat: int
    """The position in this hand: 0 or 1 as in the game's blinds."""
    cards: tuple[int, ...]
    """The seat's own private cards."""
    hand_number: int
    opponent_cards: tuple[int, ...] | None = None
    """The opponent's private cards, once they have been shown."""

    @property
    def my_turn(self) -> bool:
        """Whether the seat has to act."""
        return self.state.actor == self.seat

    @property
    def hole(self) -> tuple[tuple[int, ...] | None, ...]:
        """The private cards by seat as far as the seat knows them."""
        seen = self.cards, self.opponent_cards
        return seen if self.seat == 0 else seen[::-1]


@dataclass(frozen=True)
class PlayedHand:
    """A hand that was played, as far as it is known."""

    subject: Subject
    number: int
    hole: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    """Private cards by seat; None if they were never shown."""
    board: tuple[int, ...]
    """The board cards that were dealt."""
    actions: tuple[tuple[Action, ...], ...]
    """The actions of each round that began."""
    players: tuple[str, str]
    """Names by seat."""
    net_chips: tuple[float, float]
    """What each seat won; the sum is 0."""
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Further data of a hand history, such as the table and the date; see :mod:`errai.arena.histories.record`."""

    def moments(self) -> Iterator[tuple[PublicState, Action]]:
        """Yield every decision of the hand with the action that was taken."""
        state = opening_state(self.subject).dealt(self.board)
        for action in chain.from_iterable(self.actions):
            yield state, action
            state = state.after(action).dealt(self.board)

    def final_state(self) -> PublicState:
        """Return the state at the end of the hand, or as far as it is known."""
        state = opening_state(self.subject).dealt(self.board)
        for action in chain.from_iterable(self.actions):
            state = state.after(action).dealt(self.board)
        return state


class Line:
    """A betting line, whatever the cards; the line after each action is computed once and kept."""

    __slots__ = ("actions", "betting", "cards", "next", "opening")

    def __init__(self, state: PublicState) -> None:
        self.betting = state.betting
        self.actions = state.actions
        self.cards = len(state.board) + state.cards_due
        """Number of board cards on the table after the next ones are dealt."""
        self.next: dict[Action, Line] = {}
        self.opening = state if not state.cards_due and len(state.board) == len(state.subject.board) else None
        """The state itself if no card has been dealt, because it is then the same for all hands."""


class Lines:
    """The betting lines of a game or spot as far as they have been played; the hands of a match share them.

    They depend on the rules alone, so sharing them only saves time.
    """

    def __init__(self, subject: Subject) -> None:
        self.first = Line(opening_state(subject))
        self._known = 1

    def after(self, line: Line, state: PublicState, action: Action) -> Line:
        """Return the line after an action at a state of ``line``; raises :class:`IllegalActionError`."""
        found = Line(state.after(action))
        # In no-limit games any amount may be bet, so the number of lines that are kept is limited.
        if self._known < REMEMBERED_LINES:
            self._known += 1
            line.next[action] = found
        return found


class Hand:
    """A hand while it is played; the only object in this module that changes.

    Parameters
    ----------
    lines:
        Betting lines that the hands of a match share; by default the hand has its own.
    """

    _public: type[PublicState] = PublicState

    def __init__(self, subject: Subject, deal: Deal, number: int = 0, lines: Lines | None = None) -> None:
        self.subject = subject
        self.deal = deal
        self.number = number
        self._lines = Lines(subject) if lines is None else lines
        self._line = self._lines.first
        self.state = self._state()

    @property
    def actor(self) -> int:
        """The seat that acts, or -1 when the hand is over."""
        return self._line.betting.actor

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self._line.betting.is_over

    def act(self, action: Action) -> None:
        """Apply an action of the actor, and deal the cards that come next.

        Raises :class:`IllegalActionError` if the rules do not allow it; nothing has changed then.
        """
        line = self._line.next.get(action)
        self._line = self._lines.after(self._line, self.state, action) if line is None else line
        self.state = self._state()

    def _state(self) -> PublicState:
        line = self._line
        if line.opening is not None:
            return line.opening
        return self._public(self.subject, line.betting, line.actions, self.deal.board[: line.cards])

    def observation(self, seat: int) -> Observation:
        """Return what a seat sees now; after a showdown it sees the opponent's cards."""
        shown = self.deal.hole[1 - seat] if self.is_over and self.state.betting.showdown else None
        return Observation(self.state, seat, self.deal.hole[seat], self.number, shown)

    def net_chips(self) -> tuple[float, float]:
        """Return what each seat has won when the hand is over."""
        state, better = self.state, self.deal.better
        if better is None or state.betting.folded >= 0:
            return state.net_chips(self.deal.hole)
        won = state.stake_chips * better
        return won, -won

    def played(self, players: tuple[str, str]) -> PlayedHand:
        """Return the record of the hand, with all private cards."""
        state = self.state
        return PlayedHand(
            self.subject, self.number, self.deal.hole, state.board, state.actions, players, self.net_chips()
        )
