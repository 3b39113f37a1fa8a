"""Betting: the state machine of one hand's bets, with the rules of the ACPC dealer.

The rules, for two players:

- Players 0 and 1 post their blinds; ``first_player`` of the round acts first.  Reverse blinds (the dealer posts the
  small blind, acts first before the flop and last after it) and their opposite differ only in these numbers.
- A round closes when both players have acted since the last raise and have put in the same amount.  Before the first
  raise both may act, so the big blind may raise after a call.
- Folding is legal only when facing a bet.
- Limit: a raise goes ``raise_sizes[round]`` above the amount to call, or all-in if the stack is too short.
- No-limit: a raise is named by the total that the player will have put in over the whole hand.  The smallest raise
  exceeds the bet by at least the last raise of this round and at least the big blind (one chip without blinds); a
  player with less may go all-in for less, which does not lower the minimum.  The largest raise is the player's stack.
- At most ``max_raises[round]`` bets and raises are allowed in a round (the blinds are not counted).
- A player may not raise an opponent who is all-in.  When a player is all-in and called, betting is over.

With unequal stacks a raise may go to the raiser's own stack although the part above the shorter stack can never be
called; :attr:`BettingState.stake_chips` leaves that part out.  If the blinds leave one player nothing to decide (no
player can bet and that player has matched), the dealer still waits for a check; here betting is over, which changes no
chips.  Limit raises are legal only with more chips than the amount to call, which the dealer does not check.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from errai.errors import IllegalActionError, InputError
from errai.games.game import UNCAPPED_RAISES, Game

NOBODY = -1
"""The value of ``actor`` when betting is over, and of ``folded`` when no player has folded."""


class ActionKind(IntEnum):
    """The kind of an action."""

    FOLD = 0
    CALL = 1
    """Check or call."""
    RAISE = 2
    """Bet or raise."""


class Legal(NamedTuple):
    """The legal actions of a state."""

    fold: bool
    call: bool
    raise_range: tuple[int, int] | None
    """Smallest and largest total over the hand that a raise may go to, both included; None if none is legal."""


_NOTHING = Legal(False, False, None)


class BettingState(NamedTuple):
    """The state of the betting in one hand; it never changes, :meth:`apply` returns the next one.

    Parameters
    ----------
    game:
        The rules.
    round:
        The round from 0; if betting is over, the one in which it ended.
    actor:
        The player who acts, or ``NOBODY`` when betting is over.
    spent:
        Chips that each player has put in over the whole hand.
    round_start:
        The value of ``spent`` at the start of this round.
    raises:
        Bets and raises in this round.
    min_raise_total:
        No-limit: the total over the hand of the smallest full raise; 0 in limit games.
    folded:
        The player who has folded, or ``NOBODY``.
    acted:
        Number of players who have acted since the last raise of this round, including the raiser.
    showdown:
        True if betting is over and no player has folded.  Board cards may then still have to be dealt.
    """

    game: Game
    round: int
    actor: int
    spent: tuple[int, int]
    round_start: tuple[int, int]
    raises: int
    min_raise_total: int
    folded: int
    acted: int
    showdown: bool

    @classmethod
    def start(cls, game: Game) -> BettingState:
        """Return the state after the blinds are posted."""
        return cls.start_at(game, 0, game.blinds)

    @classmethod
    def start_at(cls, game: Game, round: int, spent: tuple[int, int]) -> BettingState:
        """Return the state at the start of a round with given chips already in, for spots.

        Unequal amounts are treated like blinds: the player who has put in less faces a bet, and the minimum raise is
        the big blind.

        Raises
        ------
        InputError
            If the game has no such round, or a player has put in a negative amount or more than the stack.
        """
        if not 0 <= round < game.num_rounds:
            raise InputError(f"{game.name} has no round {round}; use 0 to {game.num_rounds - 1}.")
        for player, (chips, stack) in enumerate(zip(spent, game.stacks, strict=True)):
            if not 0 <= chips <= stack:
                raise InputError(f"Player {player} cannot have put in {chips} chips; use 0 to the stack of {stack}.")
        least = 0 if game.limit else max(spent) + game.min_bet
        first = game.first_player[round]
        has_chips = [spent[player] < game.stacks[player] for player in (0, 1)]
        may_act = (p for p in (first, 1 - first) if has_chips[p] and (has_chips[1 - p] or spent[p] < spent[1 - p]))
        actor = next(may_act, NOBODY)
        return cls(game, round, actor, spent, spent, 0, least, NOBODY, 0, actor == NOBODY)

    @property
    def is_over(self) -> bool:
        """True if no action is left."""
        return self.actor < 0

    @property
    def pot(self) -> int:
        """Chips that both players have put in, including an uncalled bet."""
        return self.spent[0] + self.spent[1]

    @property
    def stake_chips(self) -> int:
        """Chips that the loser would lose to the winner if the hand ended now."""
        return min(self.spent)

    def before_bets(self, seat: int) -> int:
        """Return the chips that a player had in before the first bet of this street: antes too, but no blinds."""
        blinds = self.game.blinds
        return 0 if self.round == 0 and blinds[0] != blinds[1] else self.round_start[seat]

    def on_street(self, seat: int) -> int:
        """Return the chips that a player has bet on this street, blinds among them."""
        return self.spent[seat] - self.before_bets(seat)

    @property
    def to_call_chips(self) -> int:
        """Chips that a call costs the actor; 0 for a check and when betting is over."""
        if self.actor < 0:
            return 0
        spent, actor = self.spent, self.actor
        return min(max(spent), self.game.stacks[actor]) - spent[actor]

    def before_street(self, player: int) -> int:
        """Return the chips that a player had in before this round; the blinds are bets of the first one."""
        return self.round_start[player] if self.round else 0

    def legal(self) -> Legal:
        """Return the legal actions; none when betting is over."""
        actor = self.actor
        if actor < 0:
            return _NOTHING
        return Legal(self.spent[actor] < self.spent[1 - actor], True, self._raise_range())

    def _raise_range(self) -> tuple[int, int] | None:
        game, actor, spent = self.game, self.actor, self.spent
        cap = game.max_raises[self.round]
        # 255 means uncapped.  Limit games keep it as a number: without stacks it alone ends the betting.
        if self.raises >= cap and (game.limit or cap != UNCAPPED_RAISES):
            return None
        stack, to_match = game.stacks[actor], max(spent)
        if stack <= to_match or spent[1 - actor] >= game.stacks[1 - actor]:
            return None
        if game.limit:
            total = min(to_match + game.raise_sizes[self.round], stack)
            return total, total
        return min(self.min_raise_total, stack), stack

    def apply(self, kind: ActionKind, total: int = 0) -> BettingState:
        """Return the state after an action of the actor.

        Parameters
        ----------
        kind:
            The kind of the action.
        total:
            For a no-limit raise: the chips the actor will have put in over the whole hand.  A limit raise has only one
            size, which may be given or left out.

        Raises
        ------
        IllegalActionError
            If the action is not legal here.
        """
        if self.actor < 0:
            raise IllegalActionError("Betting is over; no player can act any more.")
        if kind == ActionKind.CALL:
            return self._call()
        if kind == ActionKind.RAISE:
            return self._raise(total)
        if kind != ActionKind.FOLD:
            raise IllegalActionError(f"{kind!r} is not a kind of action; use FOLD, CALL or RAISE.")
        if self.spent[self.actor] >= self.spent[1 - self.actor]:
            raise IllegalActionError("Folding is legal only when facing a bet; check instead.")
        return self._replace(actor=NOBODY, folded=self.actor)

    def _call(self) -> BettingState:
        game, actor, spent, round = self.game, self.actor, self.spent, self.round
        other = 1 - actor
        stack = game.stacks[actor]
        own, others = spent[actor], spent[other]
        if own < others:
            own = min(others, stack)
            spent = (own, others) if actor == 0 else (others, own)
        acted = self.acted + 1
        if own < stack and others < game.stacks[other]:
            if acted < 2:
                return self._replace(actor=other, spent=spent, acted=acted)
            if round + 1 < game.num_rounds:
                least = 0 if game.limit else others + game.min_bet
                first = game.first_player[round + 1]
                return BettingState(game, round + 1, first, spent, spent, 0, least, NOBODY, 0, False)
        return self._replace(actor=NOBODY, spent=spent, acted=acted, showdown=True)

    def _raise(self, total: int) -> BettingState:
        game, actor, spent = self.game, self.actor, self.spent
        allowed = self._raise_range()
        if allowed is None:
            raise IllegalActionError(
                f"No raise is legal here after {self.raises} raises with {spent[0]} and {spent[1]} chips in; "
                "call or fold."
            )
        least, most = allowed
        if game.limit and total == 0:
            total = most
        if not least <= total <= most:
            raise IllegalActionError(
                f"A raise to {total} is not legal; give a total over the hand from {least} to {most} chips."
            )
        min_raise_total = 0 if game.limit else max(self.min_raise_total, 2 * total - max(spent))
        spent = (total, spent[1]) if actor == 0 else (spent[0], total)
        begun, raises = self.round_start, self.raises + 1
        return BettingState(game, self.round, 1 - actor, spent, begun, raises, min_raise_total, NOBODY, 1, False)
