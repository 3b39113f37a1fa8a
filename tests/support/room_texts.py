"""Hands at tables of any size as rooms write them: played and settled by PokerKit, without anything of Errai."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pokerkit
from pokerkit import Automation, Mode, NoLimitTexasHoldem

NAMES = (
    "Ann", "Bob", "tin.whistle", "Carl: the 3rd", "Zoe_77", "pine marten", "-Olga-", "Ivan", "mossy (x)", "Bergsee",
)  # fmt: skip
RUNS = ("FIRST", "SECOND", "THIRD")
STREETS = {3: "FLOP", 4: "TURN", 5: "RIVER"}


@dataclass
class Table:
    """What is dealt, and how its room writes."""

    players: int
    gg: bool = False
    tournament: bool = False
    antes: str = "none"
    """``none``, ``all`` or ``big blind``."""
    straddle: bool = False
    post: str = ""
    """'' or what a player who comes back posts: ``live``, ``live and dead``."""
    runs: int = 1
    short: bool = False
    """Whether stacks are short, so that there are side pots."""
    rake: float = 0.0
    cap: int = 10**9
    """The most chips of rake."""


@dataclass
class RoomText:
    """A hand as text, and what is true of it."""

    text: str
    payoffs: tuple[int, ...]
    """What each player won before rake, left of the dealer first; between two the big blind first."""
    names: tuple[str, ...]
    rake: int
    streets: list[tuple[int, int]] = field(default_factory=list)
    """For each street after the first on which somebody could bet: the players left, and the chips in the middle."""


def room_text(table: Table, seed: int) -> RoomText:
    """Play a hand at random and write it."""
    return _Writer(table, random.Random(seed)).write()


class _Writer:
    def __init__(self, table: Table, rng: random.Random) -> None:
        self.table, self.rng = table, rng
        n = table.players
        self.small, self.big = (100, 200) if table.tournament else (50, 100)
        ante = 25 if table.tournament else 10
        self.antes = [ante if table.antes == "all" else 0 for _ in range(n)]
        if table.antes == "big blind":
            self.antes[1 if n > 2 else 0] = self.big
        blinds = [self.small, self.big, *[0] * (n - 2)]
        self.straddler = self.poster = -1
        if table.straddle and n > 3:
            self.straddler = 2
            blinds[2] = 2 * self.big
        if table.post and n > 4:
            self.poster = rng.randrange(3, n)
            blinds[self.poster] = -self.big
            self.antes[self.poster] += self.small if table.post == "live and dead" else 0
        top = 12 if table.short else 120
        self.stacks = [rng.randint(2 * self.big + 250, top * self.big) for _ in range(n)]
        self.stacks = [chips if rng.random() < 0.6 else round(chips, -3) or 1000 for chips in self.stacks]
        self.stacks = [max(chips, 800) for chips in self.stacks]
        self.state = NoLimitTexasHoldem.create_state(
            (
                Automation.ANTE_POSTING, Automation.BET_COLLECTION, Automation.BLIND_OR_STRADDLE_POSTING,
                Automation.CARD_BURNING, Automation.HOLE_CARDS_SHOWING_OR_MUCKING, Automation.HAND_KILLING,
                Automation.CHIPS_PUSHING, Automation.CHIPS_PULLING,
            ),
            table.antes != "big blind" and table.post != "live and dead",
            # Of two players, antes and blinds are in the reverse order.
            self.antes if n > 2 else self.antes[::-1], blinds, self.big, self.stacks, n,
            mode=Mode.CASH_GAME if table.runs > 1 else Mode.TOURNAMENT,
        )  # fmt: skip
        self.names = tuple(rng.sample(NAMES, n))
        # The last player deals; of two, the second.
        first = rng.randrange(1, 11 - n) if n < 10 else 1
        self.seats = list(range(first, first + n))
        turn = rng.randrange(n)
        self.seats = self.seats[turn:] + self.seats[:turn]
        self.hero = rng.randrange(n)
        self.lines: list[str] = []
        self.folded: dict[int, str] = {}
        """Where each player folded who did, as the summary says it."""
        self.after_bets = 0
        """The number of lines up to the last action."""
        self.streets: list[tuple[int, int]] = []

    def money(self, chips: int) -> str:
        if self.table.tournament:
            return f"{chips:,}" if self.table.gg else str(chips)
        whole, cents = divmod(chips, 100)
        return f"${whole:,}.{cents:02}" if cents else f"${whole:,}"

    def all_in(self, player: int) -> str:
        return " and is all-in" if not self.state.stacks[player] else ""

    def header(self) -> None:
        table, add = self.table, self.lines.append
        number = self.rng.randrange(10**9, 10**12)
        stakes = f"{self.money(self.small)}/{self.money(self.big)}"
        if table.gg:
            kind = "TM" if table.tournament else "RC"
            game = (
                f"Tournament #77, Daily $10 Hold'em No Limit - Level7({stakes})"
                if table.tournament
                else (f"Hold'em No Limit ({stakes})")
            )
            add(f"Poker Hand #{kind}{number}: {game} - 2024/03/09 18:20:01")
        else:
            game = (
                f"Tournament #77, $10+$1 USD Hold'em No Limit - Level VII ({stakes})"
                if table.tournament
                else (f" Hold'em No Limit ({stakes} USD)")
            )
            add(f"PokerStars Hand #{number}: {game} - 2024/03/09 18:20:01 ET")
        dealer = self.seats[-1]
        add(f"Table 'Aludra III' {max(table.players, 6)}-max Seat #{dealer} is the button")
        for seat, name, stack in sorted(zip(self.seats, self.names, self.stacks, strict=True)):
            add(f"Seat {seat}: {name} ({self.money(stack)} in chips)")
        for player, ante in enumerate(self.antes):
            chips = ante - (self.small if player == self.poster and table.post == "live and dead" else 0)
            if chips:
                add(f"{self.names[player]}: posts the ante {self.money(chips)}")
        small, big = (0, 1) if table.players > 2 else (1, 0)
        add(f"{self.names[small]}: posts small blind {self.money(self.small)}")
        add(f"{self.names[big]}: posts big blind {self.money(self.big)}")
        if self.straddler >= 0:
            what = "straddle" if table.gg else "posts straddle"
            add(f"{self.names[self.straddler]}: {what} {self.money(2 * self.big)}")
        if self.poster >= 0 and table.post == "live":
            add(f"{self.names[self.poster]}: posts big blind {self.money(self.big)}")
        elif self.poster >= 0:
            add(f"{self.names[self.poster]}: posts small & big blinds {self.money(self.small + self.big)}")
        add("*** HOLE CARDS ***")

    def deal(self, board: int = 0) -> None:
        """Deal the next street of a board."""
        state, before = self.state, [*self.state.get_board_cards(board)]
        state.deal_board()
        now = [*state.get_board_cards(board)]
        run = f"{RUNS[board]} " if state.runout_count and state.runout_count > 1 else ""
        told = f" [{cards(before)}]" if before else ""
        self.lines.append(f"*** {run}{STREETS[len(now)]} ***{told} [{cards(now[len(before) :])}]")

    def chosen(self) -> str | int:
        """Return what the actor does: ``fold``, ``call``, or the total of a bet on this street."""
        state, rng = self.state, self.rng
        drawn = rng.random()
        can_fold = state.can_fold() and max(state.bets) > state.bets[state.actor_index]
        if can_fold and drawn < (0.1 if self.table.short else 0.4):
            return "fold"
        if not state.can_complete_bet_or_raise_to() or drawn <= 0.72:
            return "call"
        least = state.min_completion_betting_or_raising_to_amount
        most = state.max_completion_betting_or_raising_to_amount
        return int(rng.choice([least, least, most, rng.randint(least, most), min(most, max(least, 3 * least // 2))]))

    def act(self) -> None:
        """Let the actor act."""
        state, to = self.state, self.chosen()
        player = state.actor_index
        name, faced = self.names[player], max(state.bets)
        has_bet = state.bets[player] > 0
        if to == "fold":
            state.fold()
            street = STREETS.get(len([*state.get_board_cards(0)]), "")
            self.folded[player] = f"folded on the {street.title()}" if street else "folded before Flop"
            if not street and not has_bet:
                self.folded[player] += " (didn't bet)"
            self.lines.append(f"{name}: folds")
        elif isinstance(to, int):
            state.complete_bet_or_raise_to(to)
            said = f"raises {self.money(to - faced)} to {self.money(to)}" if faced else f"bets {self.money(to)}"
            self.lines.append(f"{name}: {said}{self.all_in(player)}")
        else:
            due = state.checking_or_calling_amount
            state.check_or_call()
            self.lines.append(f"{name}: {f'calls {self.money(due)}' if due else 'checks'}{self.all_in(player)}")
        self.after_bets = len(self.lines)

    def deck(self) -> list[pokerkit.Card]:
        """Return the cards in the order in which they are dealt; one is burnt before each street."""
        deck = list(pokerkit.Deck.STANDARD)
        self.rng.shuffle(deck)
        return deck

    def play(self) -> None:
        """Deal and bet to the end."""
        state = self.state
        state.deck_cards.clear()
        state.deck_cards.extend(self.deck())
        for _ in range(2 * self.table.players):
            state.deal_hole()
        self.hole = [list(hand) for hand in state.hole_cards]
        for player, hand in enumerate(self.hole):
            if player == self.hero:
                self.lines.append(f"Dealt to {self.names[player]} [{cards(hand)}]")
            elif self.table.gg:
                self.lines.append(f"Dealt to {self.names[player]} ")
        board, is_new = 0, False
        while state.status:
            if state.can_select_runout_count():
                state.select_runout_count(self.table.runs)
            elif state.can_deal_board():
                if state.runout_count and state.runout_count > 1 and len([*state.get_board_cards(board)]) == 5:
                    board += 1
                self.deal(board)
                is_new = True
            elif state.actor_index is not None:
                if is_new:
                    self.streets.append((sum(state.statuses), state.total_pot_amount))
                    is_new = False
                self.act()
            else:
                raise AssertionError("PokerKit waits for something else.")

    def write(self) -> RoomText:
        """Return the whole hand."""
        self.header()
        self.play()
        state, table, n = self.state, self.table, self.table.players
        put, bets, last = [0] * n, [0] * n, [0] * n
        for operation in state.operations:
            match operation:
                case pokerkit.AntePosting():
                    put[operation.player_index] += operation.amount
                case pokerkit.BlindOrStraddlePosting() | pokerkit.CheckingOrCalling():
                    put[operation.player_index] += operation.amount
                    bets[operation.player_index] += operation.amount
                case pokerkit.CompletionBettingOrRaisingTo():
                    put[operation.player_index] += operation.amount - bets[operation.player_index]
                    bets[operation.player_index] = operation.amount
                case pokerkit.BetCollection() if any(bets):
                    last, bets = bets, [0] * n
        back = [0] * n
        *_, second, most = sorted(last)
        if most > second:
            back[last.index(most)] = most - second
        payoffs = tuple(state.payoffs)
        gross = [won + chips - returned for won, chips, returned in zip(payoffs, put, back, strict=True)]
        total = sum(put) - sum(back)
        boards = [[*state.get_board_cards(i)] for i in range(state.board_count)]
        showdown = n - len(self.folded) > 1
        rake = min(int(total * table.rake), table.cap) if boards and boards[0] else 0
        net = [chips - chips * rake // total for chips in gross]
        net[gross.index(max(gross))] -= rake - (total - sum(net))
        if any(back):
            line = f"Uncalled bet ({self.money(max(back))}) returned to {self.names[back.index(max(back))]}"
            self.lines.insert(self.after_bets, line)
        if showdown:
            self.lines.append("*** SHOWDOWN ***" if table.gg else "*** SHOW DOWN ***")
            for player in range(n):
                if player not in self.folded:
                    self.lines.append(f"{self.names[player]}: shows [{cards(self.hole[player])}] (high card)")
        for name, chips in zip(self.names, net, strict=True):
            if chips:
                self.lines.append(f"{name} collected {self.money(chips)} from pot")
        self.lines.append("*** SUMMARY ***")
        fees = " | Jackpot $0 | Bingo $0 | Fortune $0 | Tax $0" if table.gg else ""
        self.lines.append(f"Total pot {self.money(total)} | Rake {self.money(rake)}{fees} ")
        if len(boards) > 1:
            self.lines.append(f"Hand was run {'twice' if len(boards) == 2 else 'three times'}")
            self.lines += [f"{RUNS[i]} Board [{cards(board)}]" for i, board in enumerate(boards)]
        elif boards and boards[0]:
            self.lines.append(f"Board [{cards(boards[0])}]")
        for seat, player in sorted((seat, player) for player, seat in enumerate(self.seats)):
            end = self.folded.get(player, f"showed [{cards(self.hole[player])}] and lost")
            if net[player]:
                won = self.money(net[player])
                end = f"showed [{cards(self.hole[player])}] and won ({won})" if showdown else f"collected ({won})"
            place = " (button)" if seat == self.seats[-1] else ""
            place += {0: " (small blind)", 1: " (big blind)"}.get(player if n > 2 else 1 - player, "")
            self.lines.append(f"Seat {seat}: {self.names[player]}{place} {end}")
        return RoomText("\n".join(self.lines) + "\n", payoffs, self.names, rake, self.streets)


def cards(some: list[pokerkit.Card]) -> str:
    """The cards with spaces between."""
    return " ".join(f"{card.rank.value}{card.suit.value}" for card in some)
