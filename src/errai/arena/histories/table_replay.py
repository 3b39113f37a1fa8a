"""The replay of a hand at a table, and what its history says of the end held against its actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from errai.arena.histories.record import Replay
from errai.arena.histories.settlement import ROOM, Amounts, Collected, StatementError, check_rake, check_usual
from errai.arena.histories.table_hand import Cards, Pots, TableHand, TableRules, TableState
from errai.errors import HistoryError


class TableReplay(Replay):
    """One hand of a history at a table; see :class:`Replay`."""

    def __init__(self, rules: TableRules, amounts: Amounts) -> None:
        super().__init__(rules, amounts, None)
        self.more: list[Cards] = []
        """Boards after the first, from their first card on."""

    def run(self, number: int, street: int, cards: Cards) -> None:
        """Deal cards of a further board: ``number`` counts the boards from 0, ``street`` the cards before these."""
        if not self.state.betting.is_over or number < 1 or number > len(self.more) + 1:
            raise HistoryError("A further board is dealt where the players cannot have agreed on one.")
        if number > len(self.more) and street == self.shared:
            self.more.append(self.state.board[:street])
        elif number > len(self.more):
            raise HistoryError(f"A further board begins after the {self.shared} cards that all boards share.")
        if len(self.more[number - 1]) != street:
            raise HistoryError(f"Board {number + 1} has {len(self.more[number - 1])} cards, not {street}, here.")
        if len(cards) != (1 if street else 3):
            raise HistoryError(f"{self.subject.deck.cards_text(cards)} is not one street of a board.")
        self._free(cards, self._taken())
        self.more[number - 1] += cards

    @property
    def shared(self) -> int:
        """The number of board cards that were on the table when the betting ended."""
        return self.at_table.subject.board_cards_in(self.state.betting.round)

    @property
    def boards(self) -> tuple[Cards, ...]:
        return self.state.board, *self.more

    def _taken(self) -> set[int]:
        return super()._taken() | {card for board in self.more for card in board}

    def pots(self) -> tuple[int, tuple[int, ...]]:
        found = Pots.of(self.at_table)
        return found.total, found.back

    @property
    def at_table(self) -> TableState:
        """The state."""
        assert isinstance(self.state, TableState)
        return self.state

    def finish(
        self,
        number: int,
        players: tuple[str, ...],
        details: Mapping[str, Any],
        *,
        stated: tuple[float, ...] | None = None,
        collected: Sequence[Collected] = (),
        rake: Decimal | None = None,
    ) -> TableHand:
        """Return the hand; parameters and errors are those of :meth:`Replay.finish`."""
        self.check_is_over()
        state, rules = self.at_table, self.at_table.subject
        assert isinstance(rules, TableRules)
        if any(len(board) != len(state.board) for board in self.boards):
            raise HistoryError("A board that was run has not all of its cards.")
        seats = range(len(players))
        hole = tuple(map(self._whole, seats))
        shown = self.shown_of(hole)
        pots = Pots.of(state)
        mucked = {seat for seat, cards in shown if cards is False}
        gross = pots.won(hole, self.boards, mucked, rules)
        if stated is not None:
            if gross is None:
                gross = [
                    Fraction(won).limit_denominator(10**6) + put for won, put in zip(stated, pots.put, strict=True)
                ]
                if min(gross) < 0 or any(gross[seat] and state.betting.folded[seat] for seat in seats):
                    raise HistoryError("A player who folded, or nobody, won by the amounts in _net.")
            elif any(abs(won - put - net) > 1e-6 for won, put, net in zip(gross, pots.put, stated, strict=True)):
                raise HistoryError("_net does not fit the actions and the cards.")
        gross, rake = self._settle(pots, gross, collected, rake)
        net = tuple(float(won - put) for won, put in zip(gross, pots.put, strict=True))
        found = self.described({**details}, rake, hole, shown)
        if self.more:
            found["_boards"] = tuple(self.more)
        for one in collected:
            if one.field == ROOM:
                # The odd chips of a tie follow from nothing else.
                found["winnings"] = [self.amounts.value(chips) for chips in one.stated]
        if shown:
            found["_shown"] = shown
        return TableHand(self.subject, number, hole, state.board, state.actions, players, net, found)

    def _settle(
        self, pots: Pots, gross: list[Fraction] | None, collected: Sequence[Collected], rake: Decimal | None
    ) -> tuple[list[Fraction], Decimal]:
        """Compare what a history states of the end with the actions; return what the seats won, and the rake.

        Raises :class:`StatementError` for what does not fit.
        """
        value, total = self.amounts.value, Decimal(pots.total)
        check_rake(rake, total, self.amounts)
        blinds = [chips for chips in self.at_table.betting.game.blinds if chips]
        for one in collected:
            # Rooms divide a tie to the chip, live tables to the smallest chip that is in play.
            odd = (1 if one.field == ROOM else max(1, min(blinds, default=1))) * len(pots.pots) * len(self.boards)
            fitting = [
                (taken, own)
                for taken, own in _readings(one, pots)
                if rake in (None, taken) and _fits(pots, gross, own, taken, odd)
            ]
            if not fitting:
                said = " and ".join(str(value(chips)) for chips in one.stated)
                by = zip(self.names, gross or (), strict=False)
                won = " and ".join(f"{value(float(chips))} by {name}" for name, chips in by if chips)
                raise StatementError(
                    f"{one.field}: {said} does not fit the actions and the rules, by which the pot is {value(total)}"
                    f"{f', won as {won}' if won else ''}{'' if rake is None else f', less a rake of {value(rake)}'}.",
                    one.field,
                )
            taken, own = min(fitting, key=lambda found: found[0])
            if rake is None:
                check_usual(taken, total, self.subject.big_blind, one.field, self.amounts)
            rake = taken
            if gross is None:
                paid = Fraction(sum(own))
                gross = [Fraction(chips) * pots.total / paid for chips in own]
        if gross is None:
            raise HistoryError("The winner is unknown: not all cards were shown.")
        return gross, rake or Decimal(0)


def _readings(one: Collected, pots: Pots) -> list[tuple[Decimal, list[Decimal]]]:
    """Return the ways to read a statement: the rake, and what each seat then took from the pots."""
    found = []
    for with_back in (False, True):
        if one.includes_uncalled in (None, with_back):
            back = pots.back if with_back else (0,) * len(pots.back)
            own = [paid - left - returned for paid, left, returned in zip(one.stated, one.before, back, strict=True)]
            found.append((pots.total - sum(own, Decimal(0)), own))
    return found


def _fits(pots: Pots, gross: list[Fraction] | None, own: list[Decimal], taken: Decimal, odd: int) -> bool:
    """Return whether what each seat is said to have taken from the pots can be true."""
    if taken < 0 or min(own) < 0 or not any(own):
        return False
    if gross is None:
        most = [sum(chips for chips, left in pots.pots if seat in left) for seat in range(len(own))]
        return all(chips <= limit for chips, limit in zip(own, most, strict=True))
    for seat, (chips, won) in enumerate(zip(map(Fraction, own), gross, strict=True)):
        if (not won and chips) or not won - Fraction(taken) - odd <= chips <= won + odd:
            return False
        if any(won == other and abs(chips - Fraction(own[i])) > odd for i, other in enumerate(gross[:seat])):
            return False
    return True
