"""The content of a hand history, and the replay of one hand, which checks all its statements.

A hand is a :class:`errai.games.hand.PlayedHand`, at a table of any size a
:class:`~errai.arena.histories.table_hand.TableHand`.  Everything else that formats hold is in its ``details``, by the
names that PHH has for it if it has one (``year``, ``month``, ``day``, ``time``, ``table``, ``seats``, ``currency``,
``currency_symbol``, ``event``, ...; lists by seat: PHH's p1 is seat 0, the big blind, and p2 seat 1), and otherwise by
names that begin with an underscore:

``_chips_per_unit``  chips that are one unit of the history's money; 100 where it counts in cents
``_blinds``          the blinds that were due, if a stack was too short to post them
``_dealt``           seats whose cards the history shows at the deal, if not those of all known hands
``_partly_known``    pairs of a seat and the cards of its hand that were seen at the deal, or at some time, if that is
                     not the whole hand; ``hole`` has None for a hand of which a card was never seen
``_shown``           what happened at the showdown, in order: pairs of the seat and True if it showed its hand, False if
                     it mucked, or else the cards that it showed of a hand (none if the history does not say them)
``_comments``        pairs of the place of a comment (after ``deal 0``, ``action 3``, ``show 0``, ...) and its text
``_rake``            the rake, in units of the history's money; ``net_chips`` are before it
``_fees``            parts of the rake by their names, such as a jackpot
``_boards``          at a table: the boards after the first, where it was run several times
``_button``          at a table: the seat of the button, if it lies before an empty chair
``_prefix``          letters before the number of the hand
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeVar

from errai.arena.histories.settlement import Amounts, Collected, pot_of, settle, uncalled
from errai.arena.histories.table_hand import TableHand
from errai.errors import CardParseError, CardsError, ErraiError, HistoryError, IllegalActionError
from errai.games.hand import Action, PlayedHand, PublicState, opening_state

Cards = tuple[int, ...]

Playable = TypeVar("Playable")
Played = TypeVar("Played")

Shown = tuple[tuple[int, bool | Cards], ...]
"""Seats at the showdown, in order, and whether they showed their cards, or which of them."""


@dataclass(frozen=True)
class HandFile:
    """The content of a file of hand histories."""

    read: tuple[PlayedHand, ...]
    """All hands that were read, in their order."""
    faults: tuple[HistoryError, ...]
    """One error for every hand that was refused, and for every stretch of text that belongs to no hand; each names the
    file and the line.  ``read`` and ``faults`` together are all that is in the file."""
    format: str
    """The formats that were read, separated by commas."""

    @property
    def hands(self) -> tuple[PlayedHand, ...]:
        """The hands of two players that Errai's games can play."""
        return tuple(hand for hand in self.read if not isinstance(hand, TableHand))

    @property
    def tables(self) -> tuple[TableHand, ...]:
        """The other hands: more players, antes, straddles, or boards that were run twice."""
        return tuple(hand for hand in self.read if isinstance(hand, TableHand))


@dataclass(frozen=True)
class Written:
    """The documents of written hands."""

    documents: dict[str, str | bytes]
    """Contents by the proposed names of their files; all are texts, or all are bytes."""
    written: int
    """Number of hands in them."""
    faults: tuple[HistoryError, ...] = ()
    """Errors for hands that the format cannot hold."""


def texts_of(hands: Iterable[PlayedHand], write: Callable[[PlayedHand], str]) -> tuple[list[str], list[HistoryError]]:
    """Return the texts of all hands that can be written, and errors for the others."""
    texts, faults = [], []
    for hand in hands:
        try:
            texts.append(write(hand))
        except ErraiError as error:
            message = getattr(error, "message", str(error))
            faults.append(error if isinstance(error, HistoryError) else HistoryError(f"Hand {hand.number}: {message}"))
    return texts, faults


def first_that_fits(games: Iterable[Playable], play: Callable[[Playable], Played]) -> Played:
    """Return the hand by the first of the games that allow it.  Raises the :class:`HistoryError` of the last one."""
    *others, last = games
    for game in others:
        with suppress(HistoryError):
            return play(game)
    return play(last)


@contextmanager
def _refusals() -> Generator[None]:
    """Turn what the cards and the rules refuse into a :class:`HistoryError`."""
    try:
        yield
    except (CardParseError, CardsError, IllegalActionError) as error:
        raise HistoryError(str(error)) from error


class Replay:
    """One hand of a history, replayed action by action.

    Everything impossible is a :class:`HistoryError`: an action that the rules do not allow or that is out of turn, a
    card that comes twice, a hand that is not over.

    Parameters
    ----------
    subject:
        The game, or the spot.
    amounts:
        How the history's money converts to chips.
    blinds:
        The blinds that were due; None in a spot.
    """

    def __init__(self, subject: Any, amounts: Amounts, blinds: tuple[int, int] | None) -> None:
        self.subject, self.amounts, self.blinds = subject, amounts, blinds
        self.bets = amounts.divided(subject.rules.unit)
        """How the history's money converts to what bets are counted in."""
        self.state = opening_state(subject)
        self.seats = range(subject.rules.num_players)
        self.names: Sequence[str] = [f"p{seat + 1}" for seat in self.seats]
        """What the seats are called in messages."""
        self.hole: list[Cards | None] = [None for _ in self.seats]
        """The cards of all hands as far as they are known."""
        self.at_deal: list[Cards] = [() for _ in self.seats]
        """The cards that the history shows at the deal."""
        self.shown: list[tuple[int, bool | Cards]] = []
        """As ``_shown`` of the details, except that a hand that was shown is given by its cards."""
        self.comments: list[tuple[str, str]] = []
        """As ``_comments`` of the details."""

    def hold(self, seat: int, cards: Cards) -> None:
        """Note that a seat holds cards; they may come one by one or repeatedly."""
        count = self.subject.rules.num_hole_cards
        held = self.hole[seat] or ()
        new = tuple(card for card in cards if card not in held)
        if not new:
            return
        if len(held) + len(new) > count or len(set(new)) != len(new):
            text = self.subject.deck.cards_text(held + new)
            raise HistoryError(f"{self.names[seat]} cannot hold {text}; a hand here is {count} cards.")
        self._free(new, self._taken())
        self.hole[seat] = held + new

    def hold_at_deal(self, seat: int, cards: Cards) -> None:
        """Note that the history shows cards of a seat at the deal."""
        self.hold(seat, cards)
        self.at_deal[seat] += tuple(card for card in cards if card not in self.at_deal[seat])

    def show(self, seat: int, cards: Cards) -> None:
        """Note that a seat showed cards of its hand; without cards, that the history does not say what it did."""
        self.hold(seat, cards)
        self.shown.append((seat, cards))

    def read_cards(self, text: str) -> Cards:
        """Read cards of the deck.  Raises :class:`HistoryError` for anything else."""
        with _refusals():
            return self.subject.deck.parse_cards(text)

    def deal(self, cards: tuple[int, ...]) -> None:
        """Deal board cards."""
        self._free(cards, self._taken() - {*self.state.board})
        with _refusals():
            self.state = self.state.with_cards(cards)

    def act(self, seat: int, action: Action) -> None:
        """Apply the action of a seat."""
        state = self.state
        if state.betting.is_over:
            raise HistoryError("Betting is over, but an action follows.")
        if state.cards_due:
            raise HistoryError(f"{state.cards_due} board cards have to be dealt before the next action.")
        if state.actor != seat:
            raise HistoryError(f"{self.names[seat]} acts here, but it is the turn of {self.names[state.actor]}.")
        with _refusals():
            self.state = state.after(action)

    def finish(
        self,
        number: int,
        players: tuple[str, ...],
        details: Mapping[str, Any],
        *,
        stated: tuple[float, ...] | None = None,
        collected: Sequence[Collected] = (),
        rake: Decimal | None = None,
    ) -> PlayedHand:
        """Return the hand, which must be over; its rake is ``_rake`` of its details.

        Parameters
        ----------
        number, players, details:
            As in :class:`PlayedHand`.  What was dealt, shown and commented is added to the details.
        stated:
            What the history says that the seats won, before rake.
        collected:
            What the history says that the seats took from the pot, after rake.
        rake:
            The rake that the history states, in chips; None where it states none, and ``collected`` decides.

        Raises
        ------
        HistoryError
            The hand is not over, its winner is unknown, or a statement of the history contradicts the rules.
        """
        self.check_is_over()
        state, amounts = self.state, self.amounts
        hole = self._whole(0), self._whole(1)
        shown = self.shown_of(hole)
        net: tuple[float, float] | None = result_of(state, hole, shown)
        if net is None:
            net = None if stated is None else (stated[0], stated[1])
        elif stated is not None and abs(stated[0] - net[0]) > 1e-9:
            raise HistoryError(f"p1 won {net[0]:g} chips by the rules, but {stated[0]:g} by the history.")
        net, rake = settle(state, net, collected, rake, amounts)
        if net is None:
            raise HistoryError("The winner is unknown: not all cards were shown.")
        found = self.described(details, rake, hole, shown)
        hand = PlayedHand(self.subject, number, hole, state.board, state.actions, (players[0], players[1]), net, found)
        return hand if shown == default_shown(hand, state) else replace(hand, details={**found, "_shown": shown})

    def pots(self) -> tuple[int, tuple[int, ...]]:
        """Return the chips that were contested, and what each seat got back of a bet that nobody called."""
        return int(pot_of(self.state)), uncalled(self.state)

    @property
    def boards(self) -> tuple[Cards, ...]:
        """All boards; more than one where the hand was run several times."""
        return (self.state.board,)

    def check_is_over(self) -> None:
        """Raise :class:`HistoryError` if the hand is not over."""
        if not self.state.betting.is_over:
            raise HistoryError("The hand is not over.")
        if self.state.cards_due:
            raise HistoryError(f"{self.state.cards_due} board cards of the showdown are missing.")

    def shown_of(self, hole: Sequence[Cards | None]) -> Shown:
        """Return ``_shown`` of the details, given the hands that are known."""
        return tuple(
            (seat, True if isinstance(cards, tuple) and cards and set(cards) == set(hole[seat] or ()) else cards)
            for seat, cards in self.shown
        )

    def described(
        self, details: Mapping[str, Any], rake: Decimal, hole: Sequence[Cards | None], shown: Shown
    ) -> dict[str, Any]:
        """Return the details of the hand with what was dealt, commented and taken for rake."""
        amounts = self.amounts
        found = {**details, "_rake": amounts.value(rake)} if rake else dict(details)
        if amounts.chips_per_unit != 1:
            found["_chips_per_unit"] = amounts.chips_per_unit
        if self.blinds is not None and self.blinds != self.subject.rules.blinds:
            found["_blinds"] = self.blinds
        if self.comments:
            found["_comments"] = tuple(self.comments)
        known = [seat for seat in self.seats if hole[seat] is not None]
        dealt = [seat for seat in known if set(self.at_deal[seat]) == set(hole[seat] or ())]
        if dealt != known:
            found.setdefault("_dealt", tuple(dealt))
        if partly := tuple((seat, cards) for seat in self.seats if (cards := self._part(seat, shown))):
            found["_partly_known"] = partly
        return found

    def _whole(self, seat: int) -> Cards | None:
        """Return the hand of a seat; None if a card of it is not known."""
        cards = self.hole[seat]
        return cards if cards is not None and len(cards) == self.subject.rules.num_hole_cards else None

    def _part(self, seat: int, shown: Shown) -> Cards:
        """Return the cards of a seat for ``_partly_known`` of the details."""
        if self._whole(seat) is not None:
            # A hand that was not shown is written whole where it was dealt.
            part = self.at_deal[seat]
            return part if (seat, True) in shown and len(part) < len(self.hole[seat] or ()) else ()
        seen = {card for other, cards in shown if other == seat and isinstance(cards, tuple) for card in cards}
        return tuple(card for card in self.hole[seat] or () if card in self.at_deal[seat] or card not in seen)

    def _taken(self) -> set[int]:
        """Return all cards that are on the table or in a known hand."""
        return {*self.state.board, *(card for hand in self.hole for card in hand or ())}

    def _free(self, cards: Cards, taken: set[int]) -> None:
        if taken & set(cards):
            raise HistoryError(f"{self.subject.deck.cards_text(tuple(taken & set(cards)))} is dealt twice.")


def result_of(
    state: PublicState, hole: tuple[tuple[int, ...] | None, tuple[int, ...] | None], shown: Shown
) -> tuple[float, float] | None:
    """Return the winnings by actions, cards and mucking; None if these do not decide them."""
    first, second = hole
    if not state.betting.showdown:
        return state.net_chips(((), ()))
    if first is not None and second is not None:
        return state.net_chips((first, second))
    mucked = [seat for seat in (0, 1) if (seat, False) in shown]
    if len(mucked) == 1 and hole[1 - mucked[0]] is not None:
        stake = state.stake_chips
        return (-stake, stake) if mucked[0] == 0 else (stake, -stake)
    return None


def default_shown(hand: PlayedHand, state: PublicState) -> Shown:
    """Return the default order of a showdown: all known hands are shown, the last raiser's first.

    A player who lost with unknown cards has mucked them; one who won with unknown cards did neither.
    """
    if not state.betting.showdown:
        return ()
    first = 0
    for at, action in hand.moments():
        # Without a raise in the last round with an action, it is the player who acted first in it.
        if action.total or not at.actions[-1]:
            first = at.actor
    both = ((seat, hand.hole[seat] is not None) for seat in (first, 1 - first))
    return tuple((seat, known) for seat, known in both if known or hand.net_chips[seat] < 0)


class Told:
    """What is told of a played hand besides its cards, bets and winnings: by its details, or else by default.

    Raises :class:`HistoryError` where ``_rake`` is no amount.
    """

    def __init__(self, hand: PlayedHand) -> None:
        self.seats = range(len(hand.players))
        details, held = hand.details, [seat for seat in self.seats if hand.hole[seat] is not None]
        self.hand = hand
        self.amounts = Amounts(details.get("_chips_per_unit", 1))
        """How the money of the history converts to chips."""
        self.bets = self.amounts.divided(hand.subject.rules.unit)
        """How it converts to what bets are counted in: parts of a chip where the chips of a spot have decimals."""
        self.rake = self.amounts.exact(details.get("_rake", 0))
        """The rake in chips, which need not be whole."""
        self.blinds: tuple[int, int] = tuple(details.get("_blinds", hand.subject.rules.blinds))
        """The blinds that were due, which are more than those posted where a stack was shorter than its blind."""
        self.big_blind = max(self.blinds) if "_blinds" in details else hand.subject.big_blind
        """The big blind, by which results are measured; None in a spot that names none."""
        self.dealt = [seat for seat in details.get("_dealt", held) if seat in held]
        """Seats whose cards are written at the deal."""
        self.parts = {seat: tuple(cards) for seat, cards in details.get("_partly_known", ())}
        """The cards of each seat of which only a part was known at the deal, or at all."""
        self.comments: dict[str, list[str]] = {}
        """The comments by the place that they follow."""
        for place, text in details.get("_comments", ()):
            self.comments.setdefault(place, []).append(text)

    @cached_property
    def final(self) -> PublicState:
        """The state at the end of the hand."""
        return self.hand.final_state()

    @cached_property
    def shown(self) -> Shown:
        """The seats that showed or mucked, in order."""
        given = self.hand.details.get("_shown", () if isinstance(self.hand, TableHand) else None)
        return default_shown(self.hand, self.final) if given is None else tuple((seat, cards) for seat, cards in given)

    @property
    def is_decided(self) -> bool:
        """Whether the actions, the cards and what was mucked say who won."""
        hand = self.hand
        if isinstance(hand, TableHand):
            mucked = {seat for seat, cards in self.shown if cards is False}
            return hand.pots().won(hand.hole, hand.boards, mucked, hand.rules) is not None
        return result_of(self.final, hand.hole, self.shown) is not None

    def cards_text(self, seat: int) -> str | None:
        """Return the hand of a seat as far as it is known, ``??`` for a card that is not; None if none of them is."""
        shown = (cards for other, cards in self.hand.details.get("_shown", ()) if other == seat and cards is not True)
        parts = (self.parts.get(seat, ()), *(cards or () for cards in shown))
        cards = self.hand.hole[seat] or tuple(dict.fromkeys(card for part in parts for card in part))
        return self.part_text(cards) if cards else None

    def part_text(self, cards: Cards) -> str:
        """Return the text of cards of a hand, with ``??`` for each card that is missing."""
        subject = self.hand.subject
        return subject.deck.cards_text(cards) + "??" * (subject.rules.num_hole_cards - len(cards))

    def course(self) -> Iterator[tuple[str, PublicState, Action | Cards | None]]:
        """Yield what happens after the deal, in order, each as the place of comments on it and the state before it.

        With it comes the action, or the board cards that are dealt, street by street; None is the end of the betting,
        where cards are shown.
        """
        hand, game = self.hand, self.hand.subject.rules
        ends = [game.board_cards_in(number) for number in range(game.num_rounds)]
        on_table = len(hand.subject.board)

        def boards(state: PublicState) -> Iterator[tuple[str, PublicState, Cards]]:
            nonlocal on_table
            for end in ends:
                if on_table < end <= len(state.board):
                    yield f"board {end}", state, hand.board[on_table:end]
                    on_table = end

        for number, (state, action) in enumerate(hand.moments()):
            yield from boards(state)
            yield f"action {number}", state, action
        yield "", self.final, None
        yield from boards(self.final)


_IDLE = re.compile(r"\s*+(?:#.*|\W*+\d*+\W*+)")
"""Lines that say nothing: empty ones, comments, and rows of signs with at most one number."""


def is_idle(line: str) -> bool:
    """Return whether a line says nothing."""
    return _IDLE.fullmatch(line) is not None


def unknown_text(lines: Sequence[str], line: int) -> HistoryError | None:
    """Return the error for lines that belong to no hand, the first of the number ``line``; None if they are idle."""
    found = [(number, text.strip()) for number, text in enumerate(lines, line) if not is_idle(text)]
    if not found:
        return None
    more = f", with the {len(found) - 1} lines after it" if len(found) > 1 else ""
    return HistoryError(f"This line belongs to no hand that can be read{more}: {found[0][1][:60]!r}.", line=found[0][0])
