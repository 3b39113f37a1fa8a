"""Play random hands of limit and no-limit hold'em in Errai and in PokerKit, and compare every step.

Before every action the comparison covers who acts, whether folding is legal, what a call costs, the smallest and the
greatest raise and the pot; at the end what both players have won.  Hand number i of a seed is always the same hand, so
that a run may be divided into ranges, and a difference is found again by its number alone::

    python benchmarks/rules_against_pokerkit.py no-limit --hands 1000000 --processes 2 --log rules.log
    python benchmarks/rules_against_pokerkit.py no-limit --first 31337 --hands 1
    python benchmarks/rules_against_pokerkit.py no-limit --hands 1000000 --resume --log rules.log

A quarter of the hands has the stacks of the catalogue's game; in the others they are short, and unequal in half of
them.  One raise in four is the smallest, one in four all-in, one is of about a pot, one is any.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pokerkit

from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Deal, Hand

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from random_hands import random_action

GAMES = {"limit": "holdem.limit.2p", "no-limit": "holdem.nolimit.2p"}
BLOCK = 1_000
"""Hands that a worker plays before it reports."""
DEEP = 1_000_000
"""PokerKit wants a number where the game has stacks without limit; no hand of limit hold'em comes near this one."""

AUTOMATIONS = tuple(
    automation
    for automation in pokerkit.Automation
    if automation.name not in {"BOARD_DEALING", "HOLE_DEALING", "CARD_BURNING", "RUNOUT_COUNT_SELECTION"}
)


class RankedOnce(pokerkit.StandardHighHand):
    """PokerKit's best hand of seven cards, which it computes several times per showdown, computed once."""

    _known: ClassVar[dict[tuple[Any, ...], Any]] = {}

    @classmethod
    def from_game(cls, hole_cards: Any, board_cards: Any = ()) -> Any:
        """See PokerKit."""
        key = tuple(hole_cards), tuple(board_cards)
        if key not in cls._known:
            if len(cls._known) > 100:
                cls._known.clear()
            cls._known[key] = super().from_game(*key)
        return cls._known[key]


class Peer:
    """PokerKit's state machine with the rules of one of our games."""

    def __init__(self, game: Game) -> None:
        self.game = game
        structure = pokerkit.BettingStructure
        self.structure = structure.FIXED_LIMIT if game.limit else structure.NO_LIMIT
        self.streets = tuple(self._street(round) for round in range(game.num_rounds))
        deck = game.deck
        self.cards = [next(iter(pokerkit.Card.parse(deck.card_text(card)))) for card in range(deck.num_cards)]

    def _street(self, round: int) -> pokerkit.Street:
        game = self.game
        return pokerkit.Street(
            False,  # Burnt cards change nothing here.
            (False,) * (game.num_hole_cards if round == 0 else 0),
            game.num_board_cards[round],
            False,
            pokerkit.Opening.POSITION,
            game.raise_sizes[round] if game.limit else game.big_blind,
            game.max_raises[round] if game.limit else None,
        )

    def start(self, stacks: tuple[int, int], hole: Any) -> pokerkit.State:
        """The state after blinds and private cards."""
        # PokerKit wants the small blind first and gives it to the dealer, player 1, in a game of two.
        blinds = self.game.blinds[::-1]
        state = pokerkit.State(
            AUTOMATIONS, pokerkit.Deck.STANDARD, (RankedOnce,), self.streets, self.structure, True,
            0, blinds, 0, tuple(min(stack, DEEP) for stack in stacks), 2,
        )  # fmt: skip
        for cards in hole:
            state.deal_hole(tuple(self.cards[card] for card in cards))
        return state


def stacks_of(game: Game, rng: random.Random) -> tuple[int, int]:
    """Stacks for one hand: the game's own, or short ones, often unequal."""
    if rng.random() < 0.25:
        return game.stacks
    least, most = game.big_blind, 24 * game.big_blind if game.limit else 200 * game.big_blind

    def draw() -> int:
        return int(least * math.exp(rng.random() * math.log(most / least)))

    first = draw()
    return (first, draw()) if rng.random() < 0.5 else (first, first)


def compare(peers: dict[str, Peer], kind: str, seed: int, number: int) -> tuple[str, int]:
    """Play one hand in both; '' or what differs, and how many decisions it had."""
    peer = peers[kind]
    rng = random.Random((seed << 40) + number)
    stacks = stacks_of(peer.game, rng)
    game = peer.game if stacks == peer.game.stacks else dataclasses.replace(peer.game, stacks=stacks)
    drawn = rng.sample(range(52), 9)
    deal = Deal((tuple(drawn[:2]), tuple(drawn[2:4])), tuple(drawn[4:]))
    hand, theirs = Hand(game, deal, number), peer.start(stacks, deal.hole)
    dealt = decisions = 0
    while True:
        board = hand.state.board
        while dealt < len(board):
            count = 3 if dealt == 0 else 1
            theirs.deal_board(tuple(peer.cards[card] for card in board[dealt : dealt + count]))
            dealt += count
        betting = hand.state.betting
        if betting.is_over:
            break
        decisions += 1
        legal, actor = betting.legal(), betting.actor
        before = betting.round_start[actor] if betting.round else 0
        raises = (
            theirs.min_completion_betting_or_raising_to_amount,
            theirs.max_completion_betting_or_raising_to_amount,
        )
        ours = (actor, legal.fold, betting.to_call_chips, betting.pot)
        found = (theirs.actor_index, theirs.can_fold(), theirs.checking_or_calling_amount, theirs.total_pot_amount)
        totals = (None, None) if legal.raise_range is None else tuple(total - before for total in legal.raise_range)
        if (ours, totals) != (found, raises):
            return f"stacks {stacks}, {hand.state.line}: ours {ours} {totals}, PokerKit's {found} {raises}", decisions
        action = random_action(hand.state, rng)
        if action == FOLD:
            theirs.fold()
        elif action == CALL:
            theirs.check_or_call()
        else:
            theirs.complete_bet_or_raise_to(action.total - before)
        hand.act(action)
    ours_won, theirs_won = hand.net_chips(), tuple(theirs.payoffs)
    if theirs.status or ours_won != theirs_won:
        where = f"stacks {stacks}, {deal}, {hand.state.line}"
        return f"{where}: ours won {ours_won}, PokerKit's {theirs_won}", decisions
    return "", decisions


def play_block(job: tuple[str, int, int, int]) -> tuple[int, int, int, list[str]]:
    """Hands of one block: its first number, how many, decisions, and what differed."""
    kind, seed, first, count = job
    peers = _peers()
    decisions, differences = 0, []
    for number in range(first, first + count):
        different, made = compare(peers, kind, seed, number)
        decisions += made
        if different:
            differences.append(f"hand {number}: {different}")
    return first, count, decisions, differences


_PEERS: dict[str, Peer] = {}


def _peers() -> dict[str, Peer]:
    if not _PEERS:
        _PEERS.update({kind: Peer(load_game(name)) for kind, name in GAMES.items()})
    return _PEERS


def blocks(kind: str, seed: int, first: int, hands: int, done: set[int]) -> Iterator[tuple[str, int, int, int]]:
    """The blocks of a range that are not done yet."""
    for start in range(first, first + hands, BLOCK):
        if start not in done:
            yield kind, seed, start, min(BLOCK, first + hands - start)


def finished(log: Path, kind: str, seed: int) -> tuple[set[int], int, int]:
    """First numbers of the whole blocks that a log has, and how many hands and decisions they are."""
    done: set[int] = set()
    hands = decisions = 0
    for line in log.read_text().splitlines() if log.exists() else ():
        entry = json.loads(line)
        mine = entry["kind"] == kind and entry["seed"] == seed and entry["hands"] == BLOCK
        if mine and not entry["differences"] and entry["first"] not in done:
            done.add(entry["first"])
            hands, decisions = hands + BLOCK, decisions + entry["decisions"]
    return done, hands, decisions


def main() -> int:
    """Read the options, play, and say what differed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=tuple(GAMES))
    parser.add_argument("--hands", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--log", type=Path, help="file that a line is added to for every block of hands")
    parser.add_argument("--resume", action="store_true", help="leave out the blocks that the log has")
    options = parser.parse_args()
    done, hands, decisions = set[int](), 0, 0
    if options.resume and options.log:
        done, hands, decisions = finished(options.log, options.kind, options.seed)
    jobs = blocks(options.kind, options.seed, options.first, options.hands, done)
    started, played, wrong = time.perf_counter(), 0, 0
    with ProcessPoolExecutor(options.processes) as pool:
        results = pool.map(play_block, jobs)
        for first, count, made, differences in results:
            hands, played, decisions, wrong = hands + count, played + count, decisions + made, wrong + len(differences)
            rate = played / (time.perf_counter() - started)
            entry = {
                "kind": options.kind, "seed": options.seed, "first": first, "hands": count, "decisions": made,
                "differences": differences, "hands_per_second": round(rate, 1),
            }  # fmt: skip
            if options.log:
                with options.log.open("a") as stream:
                    stream.write(json.dumps(entry) + "\n")
            for text in differences:
                print(text, flush=True)
    print(
        f"{options.kind}: {hands:,} hands with {decisions:,} decisions, {wrong:,} different; "
        f"{played / (time.perf_counter() - started):,.0f} hands a second."
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
