"""The content of a hand history, and the replay of one hand, which checks all its statements.

A hand is a :class:`errai.games.hand.PlayedHand`.  Everything else that formats hold is in its ``details``, by the names
that PHH has for it if it has one (``year``, ``month``, ``day``, ``time``, ``table``, ``seats``, ``currency``,
``currency_symbol``, ``event``, ...; lists by seat: PHH's p1 is seat 0, the big blind, and p2 seat 1), and otherwise by
names that begin with an underscore:

``_chips_per_unit``  chips that are one unit of the history's money; 100 where it counts in cents
``_blinds``          the blinds that were due, if a stack was too short to post them
``_dealt``           seats whose cards the history shows at the deal, if not those of all known hands
``_shown``           what happened at the showdown, in order: pairs of the seat and whether its cards were shown
``_comments``        pairs of the place of a comment (after ``deal 0``, ``action 3``, ``show 0``, ...) and its text
``_rake``            the rake, in units of the history's money; ``net_chips`` are before it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from errai.arena.histories.amounts import Amounts
from errai.arena.histories.settlement import Collected, settle
from errai.errors import CardsError, HistoryError, IllegalActionError
from errai.games.hand import Action, Hole, PlayedHand, PublicState, Subject, deck_of, rules_of

Shown = tuple[tuple[int, bool], ...]
"""Seats at the showdown, in order, and whether they showed their cards."""


@dataclass(frozen=True)
class HandFile:
    """The content of a file of hand histories."""

    hands: tuple[PlayedHand, ...]
    faults: tuple[HistoryError, ...]
    """Errors for hands that could not be read and were left out; each names the file and the line."""
    format: str
    """The format that was read."""


class Replay:
    """One hand of a history, replayed action by action.

    Everything impossible is a :class:`HistoryError`: an action that the rules do not allow or that is out of turn, a
    card that comes twice, a hand that is not over.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.state = PublicState.start(subject)
        self.hole: list[tuple[int, ...] | None] = [None, None]

    def hold(self, seat: int, cards: tuple[int, ...]) -> None:
        """Note that a seat holds cards; they may come one by one or repeatedly."""
        count = rules_of(self.subject).num_hole_cards
        held = self.hole[seat] or ()
        if set(cards) <= set(held):
            return
        if len(held) + len(cards) > count or len(set(held + cards)) != len(held) + len(cards):
            raise HistoryError(f"p{seat + 1} cannot hold {self._text(held + cards)}; a hand here is {count} cards.")
        self._free(cards, {*self.state.board, *(self.hole[1 - seat] or ())})
        self.hole[seat] = held + cards

    def deal(self, cards: tuple[int, ...]) -> None:
        """Deal board cards."""
        self._free(cards, {card for hand in self.hole for card in hand or ()})
        try:
            self.state = self.state.with_cards(cards)
        except CardsError as error:
            raise HistoryError(str(error)) from error

    def act(self, seat: int, action: Action) -> None:
        """Apply the action of a seat."""
        state = self.state
        if state.betting.is_over:
            raise HistoryError("Betting is over, but an action follows.")
        if state.cards_due:
            raise HistoryError(f"{state.cards_due} board cards have to be dealt before the next action.")
        if state.actor != seat:
            raise HistoryError(f"p{seat + 1} acts here, but it is p{state.actor + 1}'s turn.")
        try:
            self.state = state.after(action)
        except IllegalActionError as error:
            raise HistoryError(str(error)) from error

    def finish(
        self,
        number: int,
        players: tuple[str, str],
        details: Mapping[str, Any],
        *,
        shown: Shown = (),
        stated: tuple[float, float] | None = None,
        amounts: Amounts,
        collected: Sequence[Collected] = (),
        rake: Decimal | None = None,
    ) -> PlayedHand:
        """Return the hand, which must be over; its rake is ``_rake`` of its details.

        Parameters
        ----------
        number, players, details:
            As in :class:`PlayedHand`.
        shown:
            The seats that showed or mucked; they decide the hand if not all cards are known.
        stated:
            What the history says that the seats won, before rake.
        amounts:
            How the history's money converts to chips.
        collected:
            What the history says that the seats took from the pot, after rake.
        rake:
            The rake that the history states, in chips; None where it states none, and ``collected`` decides.

        Raises
        ------
        HistoryError
            The hand is not over, its winner is unknown, or a statement of the history contradicts the rules.
        """
        state = self.state
        if not state.betting.is_over:
            raise HistoryError("The hand is not over.")
        if state.cards_due:
            raise HistoryError(f"{state.cards_due} board cards of the showdown are missing.")
        for seat, cards in enumerate(self.hole):
            if cards is not None and len(cards) != rules_of(self.subject).num_hole_cards:
                raise HistoryError(
                    f"Only {self._text(cards)} of p{seat + 1}'s hand is known; leave it out or give all."
                )
        net = result_of(state, (self.hole[0], self.hole[1]), shown)
        if net is None:
            net = stated
        elif stated is not None and abs(stated[0] - net[0]) > 1e-9:
            raise HistoryError(f"p1 won {net[0]:g} chips by the rules, but {stated[0]:g} by the history.")
        net, rake = settle(state, net, collected, rake, amounts)
        if net is None:
            raise HistoryError("The winner is unknown: not all cards were shown.")
        hole = (self.hole[0], self.hole[1])
        found = {**details, "_rake": amounts.value(rake)} if rake else dict(details)
        return PlayedHand(self.subject, number, hole, state.board, state.actions, players, net, found)

    def _free(self, cards: tuple[int, ...], taken: set[int]) -> None:
        if taken & set(cards):
            raise HistoryError(f"{self._text(tuple(taken & set(cards)))} cannot be dealt: it has been dealt before.")

    def _text(self, cards: Sequence[int]) -> str:
        return deck_of(self.subject).cards_text(cards)


def result_of(
    state: PublicState, hole: tuple[tuple[int, ...] | None, tuple[int, ...] | None], shown: Shown
) -> tuple[float, float] | None:
    """The winnings by actions, cards and mucking; None if these do not decide them."""
    first, second = hole
    if not state.betting.showdown:
        return state.net_chips(((), ()))
    if first is not None and second is not None:
        return state.net_chips((first, second))
    mucked = [seat for seat in (0, 1) if (seat, False) in shown]
    if len(mucked) == 1 and hole[1 - mucked[0]] is not None:
        stake = state.betting.stake_chips + state.dead_chips
        return (-stake, stake) if mucked[0] == 0 else (stake, -stake)
    return None


def default_shown(hand: PlayedHand, state: PublicState) -> Shown:
    """The default order of a showdown: all known hands are shown, the last raiser's first.

    A player who lost with unknown cards has mucked them; one who won with unknown cards did neither.
    """
    if not state.betting.showdown:
        return ()
    first = _last_raiser(hand)
    both = ((seat, hand.hole[seat] is not None) for seat in (first, 1 - first))
    return tuple((seat, known) for seat, known in both if known or hand.net_chips[seat] < 0)


def shown_of(hand: PlayedHand, state: PublicState) -> Shown:
    """The seats that showed or mucked, by the details or by default."""
    if "_shown" in hand.details:
        return tuple((int(seat), bool(cards_shown)) for seat, cards_shown in hand.details["_shown"])
    return default_shown(hand, state)


def amounts_of(hand: PlayedHand) -> Amounts:
    """How the money of a hand's history converts to its chips."""
    return Amounts(hand.details.get("_chips_per_unit", 1))


def rake_of(hand: PlayedHand) -> Decimal:
    """The rake in chips, which need not be whole.  Raises :class:`HistoryError` where ``_rake`` is no amount."""
    return amounts_of(hand).exact(hand.details.get("_rake", 0))


def dealt_of(hand: PlayedHand) -> tuple[int, ...]:
    """Seats whose cards are written at the deal."""
    if "_dealt" in hand.details:
        return tuple(seat for seat in hand.details["_dealt"] if hand.hole[seat] is not None)
    return tuple(seat for seat in (0, 1) if hand.hole[seat] is not None)


def comments_of(hand: PlayedHand) -> dict[str, list[str]]:
    """The comments by the place that they follow."""
    found: dict[str, list[str]] = {}
    for place, text in hand.details.get("_comments", ()):
        found.setdefault(place, []).append(text)
    return found


def known_hole(hand: PlayedHand) -> Hole | None:
    """Both hands, or None if one is not known."""
    first, second = hand.hole
    return None if first is None or second is None else (first, second)


def _last_raiser(hand: PlayedHand) -> int:
    """The seat that raised last in the last round with an action, or that acted first in it if there was no raise."""
    raiser = first = 0
    for state, action in hand.moments():
        if not state.actions[-1]:
            first, raiser = state.actor, -1
        if action.total:
            raiser = state.actor
    return raiser if raiser >= 0 else first
