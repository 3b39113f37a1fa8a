"""Hands of hold'em at a table of two to ten players: antes, straddles, posts, side pots, boards that are run twice.

The two-player engine plays blinds and nothing else, so a hand that has more is a :class:`TableHand`.  The betting is
that of :mod:`errai.games.ring`; what a table adds to it is here.

- Seats are in the order of acting after the flop: seat 0 is left of the dealer, and the dealer comes last.  Between two
  players seat 0 is the big blind.
- Blinds, straddles and the posts of players who come back count as bets.  Antes do not: they lie in the pot before the
  first action.  An ante that all have posted is part of what each player put in, so who was too short to post it wins
  only that much from the others; any other ante, and the dead part of a post, belongs to the first pot.
- What a player put in beyond all others is an uncalled bet, which comes back.  The rest is divided into pots: each
  layer of chips is one for those who paid it and have not folded.  Where several boards are run, each board has an
  equal share of each pot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

from errai.arena.histories.holdem import rules_of_holdem
from errai.cards.strength import strength
from errai.errors import GameDefinitionError, HistoryError
from errai.games.betting import ActionKind
from errai.games.game import UNLIMITED_CHIPS, GameRules
from errai.games.hand import PlayedHand, seats_of_two, still_in
from errai.games.ring import MOST, RingBetting, RingState

Cards = tuple[int, ...]

SMALL_BLIND, BIG_BLIND, STRADDLE, POST = "small blind", "big blind", "straddle", "post"
"""What a seat posts as a bet."""

_LATE = ("BTN", "CO", "HJ", "LJ")


@dataclass(frozen=True)
class TableRules(GameRules):
    """The rules of one hand at a table; ``stacks`` are without the antes, ``blinds`` are what was posted as bets.

    Raises :class:`GameDefinitionError` where a seat posts what it does not have, or the big blind is missing.
    """

    antes: tuple[int, ...] = ()
    """Chips by seat that lie in the pot before the first action, the dead part of a post included."""
    due: tuple[int, ...] = ()
    """The bets by seat that should have been posted; a stack that is shorter posts all that it has."""
    roles: tuple[str, ...] = ()
    """What each seat posts as a bet, '' for nothing."""

    board = ()

    def __post_init__(self) -> None:
        if not 2 <= len(self.blinds) <= MOST:
            raise GameDefinitionError(f"A table has 2 to {MOST} players, not {len(self.blinds)}.")
        for ante, blind, stack in zip(self.antes, self.blinds, self.stacks, strict=True):
            if min(ante, blind, stack) < 0 or blind > stack or not 0 < ante + stack <= UNLIMITED_CHIPS:
                raise GameDefinitionError("A player posts more chips than the stack has, or has none.")
        # All else is checked as for other games; there, however, nobody begins without chips.
        plain = {field.name: getattr(self, field.name) for field in fields(GameRules)}
        GameRules(**plain | {"stacks": tuple(map(self.whole_stack, range(len(self.stacks))))})
        if self.roles.count(BIG_BLIND) != 1 or not self.big_blind:
            raise GameDefinitionError("Exactly one player posts the big blind.")

    @property
    def rules(self) -> TableRules:
        """The rules themselves, as games of two players have them."""
        return self

    @property
    def big_blind(self) -> int:
        """The big blind in chips, also where a straddle is larger."""
        return self.due[self.roles.index(BIG_BLIND)]

    @property
    def min_bet(self) -> int:
        return self.big_blind

    def whole_stack(self, seat: int) -> int:
        """Return the chips of a seat before it posted anything."""
        return min(self.stacks[seat] + self.antes[seat], UNLIMITED_CHIPS)

    def opening(self) -> TableState:
        """Return the state with which the hand begins: antes and blinds are posted."""
        return TableState.start(self)

    @classmethod
    def of(
        cls,
        stacks: Sequence[int],
        antes: Sequence[int],
        due: Sequence[int],
        roles: Sequence[str],
        bets: tuple[int, int] | None = None,
        max_raises: tuple[int, ...] = (),
    ) -> TableRules:
        """Return the rules of hold'em by what each seat has and has to post.

        Parameters
        ----------
        stacks:
            Chips by seat before anything is posted.
        antes:
            Antes by seat as they were posted.
        due, roles:
            As in :class:`TableRules`.
        bets, max_raises:
            As for :func:`errai.arena.histories.holdem.holdem`.

        Raises
        ------
        HistoryError
            Such a table is not possible.
        """
        left = tuple(s if s >= UNLIMITED_CHIPS else s - ante for s, ante in zip(stacks, antes, strict=True))
        players = len(left)
        # The last straddle is the last blind; without one it is the big blind.
        last = max(
            (seat for seat in range(players) if roles[seat] in (BIG_BLIND, STRADDLE)), key=due.__getitem__, default=0
        )
        try:
            return cls(
                **rules_of_holdem(bets, max_raises),
                name=f"{'limit' if bets else 'no-limit'} hold'em {'/'.join(map(str, bets or _stakes(due, roles)))}",
                blinds=tuple(map(min, due, left)),
                stacks=left,
                first_player=((last + 1) % players, 0, 0, 0),
                antes=tuple(antes),
                due=tuple(due),
                roles=tuple(roles),
            )
        except GameDefinitionError as error:
            raise HistoryError(f"The table of the hand is not possible: {error.message}") from error


def _stakes(due: Sequence[int], roles: Sequence[str]) -> list[int]:
    """Return the blinds, the smaller first."""
    return sorted(chips for chips, role in zip(due, roles, strict=True) if role in (SMALL_BLIND, BIG_BLIND))


class TableBetting(RingBetting):
    """The betting at a table, where players also fold without facing a bet: some do, and those who are away."""

    __slots__ = ()

    def apply(self, kind: ActionKind, total: int = 0) -> RingBetting:
        if kind == ActionKind.FOLD and self.actor >= 0 and not self.to_call_chips:
            return self.without_actor()
        return super().apply(kind, total)


@dataclass(frozen=True, slots=True)
class TableState(RingState):
    """What all players see at some moment; as :class:`RingState`, with antes in the pot."""

    @classmethod
    def start(cls, subject: TableRules) -> TableState:  # type: ignore[override]
        """Return the state with which a hand begins: antes and blinds are posted."""
        betting, due = TableBetting.start(subject), max(subject.due)
        least = 0 if subject.limit else due + subject.min_bet
        return cls(subject, betting._replace(due=due, min_raise_total=least), ((),), ())  # type: ignore[arg-type]

    @property
    def dead_chips(self) -> float:
        rules: Any = self.subject
        return sum(rules.antes) / 2


@dataclass(frozen=True)
class Pots:
    """The end of the betting at a table."""

    back: tuple[int, ...]
    """Chips by seat of a bet that nobody called."""
    put: tuple[int, ...]
    """Chips by seat that stay in the pots, antes included."""
    pots: tuple[tuple[int, tuple[int, ...]], ...]
    """The chips of each pot and the seats that can win it, the main pot first."""

    @classmethod
    def of(cls, state: RingState) -> Pots:
        """Divide what has been put in."""
        rules: Any = state.subject
        betting, antes = state.betting, rules.antes
        # What everybody posted who could.
        common = min((a for a, left in zip(antes, rules.stacks, strict=True) if left), default=max(antes))
        even = [min(ante, common) for ante in antes]
        put = [ante + spent for ante, spent in zip(even, betting.spent, strict=True)]
        *_, second, most = sorted(put)
        back = tuple(most - second if chips == most else 0 for chips in put)
        put = [chips - returned for chips, returned in zip(put, back, strict=True)]
        pots: list[tuple[int, tuple[int, ...]]] = []
        below, dead = 0, sum(antes) - sum(even)
        for level in sorted({*put} - {0}):
            paid = [seat for seat, chips in enumerate(put) if chips >= level]
            chips, left = dead + (level - below) * len(paid), tuple(s for s in paid if not betting.folded[s])
            if pots and pots[-1][1] == left:
                chips += pots.pop()[0]
            pots.append((chips, left))
            below, dead = level, 0
        whole = (chips + ante - own for chips, ante, own in zip(put, antes, even, strict=True))
        return cls(back, tuple(whole), tuple(pots))

    @property
    def total(self) -> int:
        """Chips of all pots."""
        return sum(chips for chips, _ in self.pots)

    def won(self, hole: Sequence[Cards | None], boards: Sequence[Cards], mucked: set[int], rules: GameRules) -> Any:
        """Return by seat what each wins of the pots, as a fraction; None if cards do not decide it."""
        won = [Fraction(0)] * len(hole)
        for chips, left in self.pots:
            able = [seat for seat in left if hole[seat] is not None]
            if len(left) == 1:
                won[left[0]] += chips
                continue
            if not able or any(hole[seat] is None and seat not in mucked for seat in left):
                return None
            for board in boards:
                hands = [[*(hole[seat] or ()), *board] for seat in able]
                strengths = strength(hands, rules.deck, rules.ranking).tolist()
                best = [seat for seat, number in zip(able, strengths, strict=True) if number == max(strengths)]
                for seat in best:
                    won[seat] += Fraction(chips, len(boards) * len(best))
        return won


@dataclass(frozen=True)
class TwoLeft:
    """The beginning of the first street on which two players were left who could both bet."""

    state: TableState
    seats: tuple[int, int]
    """The player who acts first, and the other."""
    pot_chips: float
    """All chips in the middle, what folded players put in included."""
    stacks_chips: tuple[int, int]
    """What both have left, in the order of ``seats``."""

    @property
    def effective_chips(self) -> int:
        """The smaller of both stacks."""
        return min(self.stacks_chips)


@dataclass(frozen=True)
class TableHand(PlayedHand):
    """A hand at a table of any size; all that goes by seat has an entry for each player.

    It is a :class:`PlayedHand` of :class:`TableRules`, whose board is the first one; further boards are in
    ``details["_boards"]``.  It is no hand of the two-player engine.
    """

    @property
    def boards(self) -> tuple[Cards, ...]:
        """All boards; several where the players ran it twice or more often."""
        return self.board, *self.details.get("_boards", ())

    @property
    def rules(self) -> TableRules:
        """The rules of the hand."""
        rules: Any = self.subject
        return rules

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """The name of each seat's position: SB, BB, UTG, ..., HJ, CO, BTN; between two players BTN and BB."""
        roles, players = self.rules.roles, len(self.players)
        big = roles.index(BIG_BLIND)
        if players == 2:
            return ("BB", "BTN") if big == 0 else ("BTN", "BB")
        seats, button = self.details.get("seats"), self.details.get("_button")
        dealer = seats[-1] if isinstance(seats, (list, tuple)) and len(seats) == players else button
        # The button may lie before an empty chair.
        late = _LATE[button is not None and dealer != button :]
        others = players - big - 1
        early = max(others - len(late), int(others >= len(_LATE)))
        names = [f"UTG+{number}" if number else "UTG" for number in range(early)]
        return *("SB" for _ in range(big)), "BB", *names, *reversed(late[: others - early])

    @cached_property
    def two_left(self) -> TwoLeft | None:
        """Where two players were left; None if no street after the first began with two who could still bet."""
        for state, _ in self.moments():
            if state.betting.round and not state.actions[-1] and len(still_in(state)) == 2:
                assert isinstance(state, TableState)
                seats = seats_of_two(state)
                behind = [self.rules.stacks[seat] - state.betting.spent[seat] for seat in seats]
                return TwoLeft(state, seats, state.pot_chips, (behind[0], behind[1]))
        return None

    @property
    def beyond_two(self) -> str:
        """What of the hand only formats for tables of any size can say."""
        rules = self.rules
        what = {
            f"{len(self.players)} players": len(self.players) > 2,
            "antes": any(rules.antes),
            "a straddle": STRADDLE in rules.roles,
            "a post": POST in rules.roles,
            f"{len(self.boards)} boards": len(self.boards) > 1,
        }
        return ", ".join(name for name, is_so in what.items() if is_so)

    def pots(self) -> Pots:
        """Return the pots at the end."""
        state: Any = self.final_state()
        return Pots.of(state)
