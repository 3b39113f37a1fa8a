"""Lookaheads: the rest of a game at a public state, which may be cut after a street."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards
from errai.cards.ranges import Range
from errai.errors import InputError, SolverOptionError
from errai.games.betting import ActionKind
from errai.games.game import Game, Subject
from errai.games.hand import PublicState, line_text
from errai.games.library import read_hands
from errai.games.sizing import BetMenu
from errai.games.streets import street_name
from errai.own_code import described, numbers_of


@dataclass(frozen=True, eq=False)
class Lookahead(Subject):
    """A public state with both players' ranges there; it is solved like a game or a spot.  Made by :func:`lookahead`.

    The root may be any state at which a player acts, also in the middle of a street.  Values are net chips over the
    whole hand (half of a spot's pot counts as put in by each), as in games.
    """

    state: PublicState
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[H] by seat, over all hands of the deck in hand-index order; 0 for hands that hold a card of the board."""
    menu: BetMenu | None
    """Bet sizes from here on; None in limit games."""
    depth: int | None
    """The round of the game after which it is cut; None if it goes to the end."""

    rake = None

    @property
    def rules(self) -> Game:
        """The rules."""
        return self.state.subject.rules

    game = rules

    @property
    def label(self) -> str:
        return self.title

    @property
    def given_weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.ranges

    @property
    def seats(self) -> tuple[str, str]:
        return self.state.subject.seats

    @property
    def first_round(self) -> int:
        return self.state.betting.round

    @property
    def board(self) -> tuple[int, ...]:
        """Cards on the table."""
        return self.state.board

    @property
    def stacks(self) -> tuple[float, float]:
        """Chips of both players at the start of the hand, blinds included."""
        first, second = self.game.stacks
        return (first, second) if self.unit == 1 else (first / self.unit, second / self.unit)

    @property
    def big_blind(self) -> float | None:
        """Chips of the big blind; None if the spot does not name it."""
        return self.state.subject.big_blind

    @property
    def dead_chips(self) -> float:
        return self.state.dead_chips

    @property
    def title(self) -> str:
        """A title of one line."""
        line = " / ".join(line_text(actions, self.unit) for actions in self.state.actions)
        board = self.game.deck.cards_text(self.board) or "before the board"
        return f"{board} after '{line}'" if line else board

    @property
    def caller_is_out_of_position(self) -> bool:
        done = self.state.actions[:-1]
        last = done[-1] if done else ()
        if len(last) < 2 or last[-1].kind != ActionKind.CALL or last[-2].kind != ActionKind.RAISE:
            return False
        first = self.game.first_player
        caller = first[self.first_round - 1] if len(last) % 2 else 1 - first[self.first_round - 1]
        return caller == first[self.first_round]

    def without_cut(self) -> Lookahead:
        return replace(self, depth=None)

    def digest(self) -> str:
        digest = hashlib.sha256()
        facts = self.state.subject.digest(), self.state.actions, self.board, self.menu, self.depth
        digest.update(repr(facts).encode())
        for weights in self.ranges:
            digest.update(np.ascontiguousarray(weights, dtype="<f8").tobytes())
        return digest.hexdigest()


def lookahead(
    game: Subject,
    state: PublicState | None = None,
    ranges: Sequence[Range | NDArray[np.float64] | str] | None = None,
    depth: str | int | None = "street",
    *,
    menu: BetMenu | str | None = None,
) -> Lookahead:
    """Return the rest of a game at a public state, to be solved.

    Parameters
    ----------
    game:
        The rules, or a spot.
    state:
        A state at which a player acts, on any street and after any bets; by default the start of the game.
    ranges:
        Both players' ranges there, by seat: weights float64[H] over all hands of the deck in hand-index order, a
        :class:`errai.Range`, or its text; by default every hand with weight 1, or the spot's ranges.  Weights may have
        any scale; those of hands that hold a card of the board are not read.
    depth:
        ``"street"`` to cut after the current street; the name of a street or the number of a round of the game to cut
        after that one; None for no cut.  The last street always ends in showdowns.
    menu:
        Bet sizes of a no-limit game from here on; by default the spot's own, or the pot and all-in.

    Raises
    ------
    InputError
        If the state is of another game, or no player acts there; if a range has another size, a negative weight, or no
        possible hand.
    SolverOptionError
        If there is no such street.

    Examples
    --------
    >>> import errai
    >>> from errai.games.hand import CALL, PublicState
    >>> leduc = errai.load_game("leduc")
    >>> rest = errai.lookahead(leduc, PublicState.start(leduc).after(CALL), depth=None)
    >>> rest.title
    "before the board after 'call'"
    >>> errai.solve(rest, "1mbb").root.actions
    ('check', 'bet 2')
    """
    rules = game.rules
    state = PublicState.start(game) if state is None else state
    if state.subject.rules.digest() != rules.digest():
        raise InputError("The state is of another game than the one given; begin with PublicState.start(game).")
    if not game.zero_sum:
        raise InputError("A lookahead cannot have a rake; remove the rake from the spot.")
    if state.actor < 0:
        raise InputError("No player acts at this state; deal the cards that come next, or give a state before the end.")
    ranges = game.weights if ranges is None else ranges
    if len(ranges) != 2:
        raise InputError(f"A lookahead has two ranges, not {len(ranges)}.")
    round_ = state.betting.round
    if rules.limit and menu is not None:
        raise InputError("The bets of a limit game are fixed; leave out the menu.")
    if not rules.limit and menu is None:
        menu = game.menu or "100%, a"
    if isinstance(menu, str):
        menu = BetMenu.parse(rules.num_rounds, menu)
    if depth == "street":
        depth = round_ if round_ < rules.num_rounds - 1 else None
    return Lookahead(
        state=state,
        ranges=(_weights(ranges[0], rules, state, 0), _weights(ranges[1], rules, state, 1)),
        menu=menu,
        depth=None if depth is None else cut_after(rules, round_, depth),
    )


def follows(state: PublicState, start: PublicState) -> bool:
    """Return whether a public state is another one or comes after it: its line and its board begin with the other's."""
    return (
        state.line[: len(start.line)] == start.line
        and state.board[: len(start.board)] == start.board
        and (state.subject is start.subject or state.subject.digest() == start.subject.digest())
    )


def last_street(subject: Subject, depth: str | int | None) -> int | None:
    """Return the last street of a tree that is cut after ``depth``, counted from its root; None if it is not cut.

    Raises :class:`SolverOptionError` like :func:`errai.games.streets.cut_after`, and if a lookahead has a depth of its
    own.
    """
    if subject.state is not None:
        if depth is not None:
            raise SolverOptionError("A lookahead has its own depth; give it there: errai.lookahead(..., depth=...).")
        depth = subject.depth
    if depth is None:
        return None
    return cut_after(subject.rules, subject.first_round, depth) - subject.first_round


def _weights(given: Any, rules: Game, state: PublicState, player: int) -> NDArray[np.float64]:
    """Return float64[H]: a player's range, without hands that hold a card of the board."""
    if isinstance(given, str):
        given = read_hands(given)
    if isinstance(given, Range):
        if rules.deck != FULL_DECK or rules.num_hole_cards != 2:
            raise InputError("A Range is for hold'em; give the weights of this game's hands as an array.")
        given = given.weights
    hands = hand_cards(rules.deck.num_cards, rules.num_hole_cards)
    possible = np.asarray(~np.isin(hands, state.board).any(axis=1))
    given = numbers_of(given, f"The weights of player {player}'s range", (len(hands),), low=0.0, read=possible)
    weights = np.where(possible, given, 0.0)
    if not weights.any():
        raise InputError(f"The range of player {player} holds no hand that is possible on this board.")
    weights.flags.writeable = False
    return weights


def cut_after(game: Game, first_round: int, depth: str | int) -> int:
    """Return the round after which a tree is cut that begins with ``first_round``.

    ``depth`` is the name of a street, or the number of a round of the game from 0.  Raises :class:`SolverOptionError`
    if there is no such round, or if no card comes after it.
    """
    choices = range(first_round, game.num_rounds - 1)
    names = [street_name(game, number) for number in choices]
    if isinstance(depth, str) and depth in names:
        return choices[names.index(depth)]
    if type(depth) is int and depth in choices:
        return depth
    offered = f"there are {', '.join(names)}" if names else "there is none here"
    raise SolverOptionError(f"{described(depth)} is not a street after which the tree can be cut; {offered}.")
