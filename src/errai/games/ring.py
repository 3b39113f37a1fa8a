"""Ring games: poker of three players and more, with the rules of the ACPC dealer.

The two-player engine knows nothing of this module.  A :class:`RingGame` is no :class:`~errai.games.game.Subject`, so
whatever solves or measures two players refuses it at its border.  A hand of it is played, logged and settled like one
of two players, and small ones are solved in extensive form (:mod:`errai.extensive`).

The rules go on from those of :mod:`errai.games.betting`.  A player is *acting* who has not folded and has chips left:

- After each action the next acting player has the turn, and a round closes when all acting players have acted since
  its last raise.  ``first_player`` of the next round, or the next acting player after that one, begins it.
- With at most one acting player no more raises are legal, and when the round closes betting is over.
- Whoever goes all-in for less than a full raise reopens the betting for everybody, as at the ACPC's dealer.  (Rooms
  usually let those who have acted already call or fold only.)
- Each layer of the chips that players have put in is a pot for those who put in that much and have not folded.  A tie
  divides it exactly; winnings need not be whole chips.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errai.cards.strength import strength
from errai.errors import GameDefinitionError, IllegalActionError, InputError
from errai.games.betting import NOBODY, ActionKind, Legal
from errai.games.catalogue import load_rules
from errai.games.game import UNCAPPED_RAISES, GameRules
from errai.games.hand import Deal, Hand, Lines, PublicState, Shuffle, still_in

FEWEST, MOST = 3, 10
"""The numbers of players of a ring game; the largest is that of the ACPC's format."""


@dataclass(frozen=True)
class RingGame(GameRules):
    """The rules of a poker game of three to ten players; parameters and errors are those of :class:`GameRules`."""

    board = ()

    def __post_init__(self) -> None:
        if not FEWEST <= self.num_players <= MOST:
            raise GameDefinitionError(
                f"A ring game has {FEWEST} to {MOST} players, not {self.num_players}; errai.load_game loads games for "
                "two.",
                key="numPlayers",
            )
        super().__post_init__()

    @property
    def rules(self) -> RingGame:
        """The game itself, as games of two players have it."""
        return self

    def opening(self) -> RingState:
        """Return the state with which a hand begins: the blinds are posted."""
        return RingState.start(self)


def load_ring_game(name_or_path: str | Path) -> RingGame:
    """Load a game of three players or more by its catalogue name, an alias of it, or the path of a GAMEDEF file.

    Raises
    ------
    UnknownGameError
        If there is neither.
    GameDefinitionError, UnsupportedGameError
        If the file is not a usable GAMEDEF, or the game is for two players.

    Examples
    --------
    >>> import errai
    >>> errai.load_ring_game("kuhn3").title
    'Kuhn poker for three'
    """
    return load_rules(name_or_path, _ring_game)


def _ring_game(players: int, **rules: Any) -> RingGame:
    if players >= FEWEST and len(rules["blinds"]) != players:
        raise GameDefinitionError(
            f"blind needs one value for each of the {players} players, but has {len(rules['blinds'])}.", key="blind"
        )
    return RingGame(**rules)


class RingBetting(NamedTuple):
    """The state of the betting in one hand; it never changes, :meth:`apply` returns the next one."""

    game: GameRules
    round: int
    """The round from 0; if betting is over, the one in which it ended."""
    actor: int
    """The player who acts, or ``NOBODY`` when betting is over."""
    spent: tuple[int, ...]
    """Chips that each player has put in over the whole hand."""
    round_start: tuple[int, ...]
    """The value of ``spent`` at the start of this round."""
    raises: int
    """Bets and raises in this round."""
    min_raise_total: int
    """No-limit: the total over the hand of the smallest full raise; 0 in limit games."""
    folded: tuple[bool, ...]
    """Who has folded."""
    acted: tuple[bool, ...]
    """Who has acted since the last raise of this round, the raiser included."""
    showdown: bool
    """True if betting is over and two players or more have not folded."""
    due: int = 0
    """The bet before the first round that a player was too short to post in full, which all others must match."""

    @classmethod
    def start(cls, game: GameRules) -> RingBetting:
        """Return the state after the blinds are posted."""
        nobody = (False,) * game.num_players
        least = 0 if game.limit else max(game.blinds) + game.min_bet
        state = cls(game, 0, NOBODY, game.blinds, game.blinds, 0, least, nobody, nobody, False)
        return state._turn(game.first_player[0])

    @property
    def is_over(self) -> bool:
        """True if no action is left."""
        return self.actor < 0

    @property
    def pot(self) -> int:
        """Chips that all players have put in, including an uncalled bet."""
        return sum(self.spent)

    @property
    def to_call_chips(self) -> int:
        """Chips that a call costs the actor; 0 for a check and when betting is over."""
        if self.actor < 0:
            return 0
        return min(self.to_match, self.game.stacks[self.actor]) - self.spent[self.actor]

    @property
    def to_match(self) -> int:
        """What a player must have put in over the hand to stay in it without going all-in."""
        most = max(self.spent)
        # Nobody is left to whom one who acts alone could owe more than the others have put in.
        return most if most >= self.due or sum(map(self.is_acting, range(len(self.spent)))) <= 1 else self.due

    def before_bets(self, seat: int) -> int:
        """Return the chips that a player had in before the first bet of this street: antes too, but no blinds."""
        return 0 if self.round == 0 and len({*self.game.blinds}) > 1 else self.round_start[seat]

    def on_street(self, seat: int) -> int:
        """Return the chips that a player has bet on this street, blinds among them."""
        return self.spent[seat] - self.before_bets(seat)

    def before_street(self, player: int) -> int:
        """Return the chips that a player put in before this round; blinds belong to the first."""
        return self.round_start[player] if self.round else 0

    def is_acting(self, player: int) -> bool:
        """Whether a player has not folded and has chips left."""
        return not self.folded[player] and self.spent[player] < self.game.stacks[player]

    def legal(self) -> Legal:
        """Return the legal actions; none when betting is over."""
        if self.actor < 0:
            return Legal(False, False, None)
        return Legal(self.spent[self.actor] < self.to_match, True, self._raise_range())

    def _raise_range(self) -> tuple[int, int] | None:
        game, to_match, stack = self.game, self.to_match, self.game.stacks[self.actor]
        cap = game.max_raises[self.round]
        if self.raises >= cap and (game.limit or cap != UNCAPPED_RAISES):
            return None
        if stack <= to_match or sum(map(self.is_acting, range(game.num_players))) <= 1:
            return None
        if game.limit:
            total = min(to_match + game.raise_sizes[self.round], stack)
            return total, total
        return min(self.min_raise_total, stack), stack

    def apply(self, kind: ActionKind, total: int = 0) -> RingBetting:
        """Return the state after an action of the actor; ``total`` is as in :meth:`BettingState.apply`.

        Raises :class:`IllegalActionError` if the action is not legal here.
        """
        if self.actor < 0:
            raise IllegalActionError("Betting is over; no player can act any more.")
        actor, spent = self.actor, self.spent
        if kind == ActionKind.FOLD:
            if spent[actor] >= self.to_match:
                raise IllegalActionError("Folding is legal only when facing a bet; check instead.")
            return self.without_actor()
        acted = _with(self.acted, actor, True)
        if kind == ActionKind.CALL:
            return self._replace(spent=_with(spent, actor, spent[actor] + self.to_call_chips), acted=acted)._turn(
                actor + 1
            )
        if kind != ActionKind.RAISE:
            raise IllegalActionError(f"{kind!r} is not a kind of action; use FOLD, CALL or RAISE.")
        allowed = self._raise_range()
        if allowed is None:
            raise IllegalActionError(
                f"No raise is legal here after {self.raises} raises with {', '.join(map(str, spent))} chips in; call "
                "or fold."
            )
        least, most = allowed
        if self.game.limit and total == 0:
            total = most
        if not least <= total <= most:
            raise IllegalActionError(
                f"A raise to {total} is not legal; give a total over the hand from {least} to {most} chips."
            )
        return self._replace(
            spent=_with(spent, actor, total),
            raises=self.raises + 1,
            min_raise_total=0 if self.game.limit else max(self.min_raise_total, 2 * total - self.to_match),
            acted=_with((False,) * len(spent), actor, True),
        )._turn(actor + 1)

    def without_actor(self) -> RingBetting:
        """Return the state after the actor has folded."""
        return self._replace(folded=_with(self.folded, self.actor, True))._turn(self.actor + 1)

    def _turn(self, first: int) -> RingBetting:
        """Return the state in which the next player acts, from ``first`` on; the next round, or the end."""
        game, players = self.game, self.game.num_players
        if sum(self.folded) == players - 1:
            return self._replace(actor=NOBODY)
        acting = [p % players for p in range(first, first + players) if self.is_acting(p % players)]
        due = [p for p in acting if not self.acted[p]]
        # One who is left with chips alone, and has matched all bets, has nothing to decide.
        if due and (len(acting) > 1 or self.spent[due[0]] < max(self.spent)):
            return self._replace(actor=due[0])
        if len(acting) <= 1 or self.round + 1 == game.num_rounds:
            return self._replace(actor=NOBODY, showdown=True)
        next_round = self._replace(
            round=self.round + 1,
            round_start=self.spent,
            raises=0,
            min_raise_total=0 if game.limit else max(self.spent) + game.min_bet,
            acted=(False,) * players,
        )
        return next_round._turn(game.first_player[self.round + 1])

    def net_chips(self, strengths: tuple[int, ...]) -> tuple[float, ...]:
        """Return what each player has won when betting is over; greater strengths of hands are better.

        ``strengths`` has one number per player; those of players who have folded are not read.
        """
        won = [Fraction(-chips) for chips in self.spent]
        below = 0
        for level in sorted(set(self.spent)):
            paid = [p for p, chips in enumerate(self.spent) if chips >= level]
            # Whoever has put in most has not folded, so somebody is left to win every layer.
            left = [p for p in paid if not self.folded[p]]
            best = max(strengths[p] for p in left)
            winners = [p for p in left if strengths[p] == best]
            for p in winners:
                won[p] += Fraction((level - below) * len(paid), len(winners))
            below = level
        return tuple(map(float, won))


def _with(values: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    return (*values[:at], value, *values[at + 1 :])


@dataclass(frozen=True, slots=True)
class RingState(PublicState):
    """What all players see at some moment of a hand; as :class:`PublicState`, with a :class:`RingBetting`."""

    subject: RingGame  # type: ignore[assignment]
    betting: RingBetting  # type: ignore[assignment]

    @classmethod
    def start(cls, subject: RingGame) -> RingState:  # type: ignore[override]
        """Return the state with which a hand begins: the blinds are posted."""
        return cls(subject, RingBetting.start(subject), ((),), ())

    @property
    def first_round(self) -> int:
        return 0

    @property
    def dead_chips(self) -> float:
        return 0.0

    def net_chips(self, hole: tuple[tuple[int, ...] | None, ...]) -> tuple[float, ...]:  # type: ignore[override]
        """Return what each seat has won when the hand is over, given the private cards; the sum is 0."""
        game, strengths = self.subject, [0] * self.subject.num_players
        if self.betting.showdown:
            # The cards of those who have folded need not be known.
            left = still_in(self)
            shown = strength([[*(hole[p] or ()), *self.board] for p in left], game.deck, game.ranking)
            for p, number in zip(left, shown.tolist(), strict=True):
                strengths[p] = number
        return self.betting.net_chips(tuple(strengths))


@dataclass(frozen=True, slots=True)
class RingObservation:
    """What one seat sees: the public state and its own cards."""

    state: RingState
    seat: int
    """The position in this hand, as in the game's blinds."""
    cards: tuple[int, ...]
    """The seat's own private cards."""
    hand_number: int
    shown: tuple[tuple[int, ...] | None, ...] = ()
    """By seat the private cards once they have been shown; empty before the end."""

    @property
    def my_turn(self) -> bool:
        """Whether the seat has to act."""
        return self.state.actor == self.seat

    @property
    def hole(self) -> tuple[tuple[int, ...] | None, ...]:
        """The private cards by seat as far as the seat knows them."""
        known = self.shown or (None,) * self.state.subject.num_players
        return (*known[: self.seat], self.cards, *known[self.seat + 1 :])


class RingHand(Hand):
    """A hand of a ring game while it is played; ``lines`` are shared by the hands of a match."""

    _public = RingState

    def __init__(self, game: RingGame, deal: Deal, number: int = 0, lines: Lines | None = None) -> None:
        if not isinstance(game, RingGame):
            raise InputError(f"A hand of a ring game is of a RingGame, not of {game!r:.80}.")
        super().__init__(game, deal, number, lines)  # type: ignore[arg-type]

    def observation(self, seat: int) -> RingObservation:  # type: ignore[override]
        """Return what a seat sees now; after a showdown it sees the cards of all who have not folded."""
        shown: tuple[tuple[int, ...] | None, ...] = ()
        betting: Any = self.state.betting
        if self.is_over and betting.showdown:
            shown = tuple(None if out else own for out, own in zip(betting.folded, self.deal.hole, strict=True))
        return RingObservation(self.state, seat, self.deal.hole[seat], self.number, shown)  # type: ignore[arg-type]

    def net_chips(self) -> tuple[float, ...]:  # type: ignore[override]
        """Return what each seat has won when the hand is over."""
        return self.state.net_chips(self.deal.hole)


def numbered_hand(game: Any, seed: int, number: int, lines: Lines | None = None) -> Hand:
    """Return the hand with a number of a match of two players or more; its cards depend on the seed and the number."""
    if isinstance(game, RingGame):
        return RingHand(game, ring_deal(game, seed, number), number, lines)
    return Hand(game, Shuffle(game).numbered(seed, number), number, lines)


def ring_deal(game: RingGame, seed: int, number: int) -> Deal:
    """Return the deal with a number: it depends only on the number and the seed, so it can be drawn again."""
    hole, players = game.num_hole_cards, game.num_players
    count = players * hole + game.board_cards_in(game.num_rounds - 1)
    drawn = np.random.default_rng([seed, number]).permutation(game.deck.num_cards)[:count].tolist()
    hands = tuple(tuple(drawn[p * hole : (p + 1) * hole]) for p in range(players))
    return Deal(hands, tuple(drawn[players * hole :]))  # type: ignore[arg-type]
