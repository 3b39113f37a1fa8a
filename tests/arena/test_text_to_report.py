"""From the text of a room to a review: ten hands of each kind of table, and none of them vanishes."""

from __future__ import annotations

from itertools import count

import pytest
from room_texts import Table, room_text

from errai.arena.charted import load_charts, review_with_charts, spot_of
from errai.arena.histories.formats import read_text
from errai.arena.histories.table_hand import TableHand
from errai.arena.review import align
from errai.games.betting import ActionKind
from errai.games.charts import parse_charts
from errai.games.hand import PlayedHand, seats_of_two, still_in

KINDS = {
    "PokerStars, cash": Table(2, rake=0.05),
    "PokerStars, tournament": Table(3, tournament=True, antes="all"),
    "GGPoker, cash": Table(2, gg=True, rake=0.05),
    "six-handed": Table(6, rake=0.05),
    "antes": Table(4, antes="big blind"),
    "straddle": Table(4, straddle=True),
    "two boards": Table(3, runs=2),
}
FLOPS = 10
"""Hands of each kind that get to the flop between two players who can bet."""
NO_FLOP = ("The hand ends before the flop, or nobody could bet there.", "More than two players see the flop.")
LEFT_OUT = (
    "The solution has no bet between half and twice of the one that was made.",
    "The line leads out of the solution's tree; the rest of the hand is left out.",
    "The player's cards are not known.",
)
WORDS = {
    "PokerStars, tournament": ("3 players", "antes"),
    "six-handed": ("6 players",),
    "antes": ("antes",),
    "straddle": ("a straddle",),
    "two boards": ("2 boards",),
}


def situation(hand: PlayedHand) -> tuple[tuple, dict[str, str]] | None:
    """What a chart of a hand is found by, and the cards of each position, if two players who can bet see the flop."""
    positions = hand.positions if isinstance(hand, TableHand) else ("BB", "BTN")
    raises, raiser = 0, ""
    for state, action in hand.moments():
        if state.betting.round == 0:
            if action.kind == ActionKind.RAISE:
                raises, raiser = raises + 1, positions[state.actor]
            continue
        if state.betting.round > 1 or state.actions[-1] or len(still_in(state)) != 2:
            return None
        deck, seats = hand.subject.rules.deck, seats_of_two(state)
        cards = {positions[seat]: deck.cards_text(hand.hole[seat]) for seat in seats if hand.hole[seat] is not None}
        return (tuple(sorted(positions[seat] for seat in seats)), raises, raiser), cards
    return None


def charts_for(hands: list[PlayedHand]) -> str:
    """Charts of the situations of some hands, in which the players hold what they hold, and little else."""
    ranges: dict[tuple, dict[str, list[str]]] = {}
    for found in filter(None, map(situation, hands)):
        key, cards = found
        held = ranges.setdefault(key, {name: ["AA", "KK", "87s", "22"] for name in key[0]})
        for name, text in cards.items():
            held[name].append(text)
    lines = ["[bets]", 'bet = "60%"', 'raise = ""']
    for (_, raises, raiser), held in ranges.items():
        lines += ["[[chart]]", f"raises = {raises}", *([f'raiser = "{raiser}"'] if raises else []), "[chart.ranges]"]
        lines += [f'{name} = "{", ".join(dict.fromkeys(texts))}"' for name, texts in held.items()]
    return "\n".join(lines)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_hand_is_reviewed_or_left_out_with_a_reason(kind, tmp_path) -> None:
    """Ten hands that get to the flop between two players, and what was dealt between them."""
    texts, flops = [], 0
    for seed in count(1):
        played = room_text(KINDS[kind], seed)
        (hand,) = read_text(played.text).read
        flops += situation(hand) is not None
        texts.append(played.text)
        if flops == FLOPS:
            break
    read = read_text("\n\n\n".join(texts))
    assert (len(read.read), read.faults) == (len(texts), ())
    path = tmp_path / "charts.toml"
    path.write_text(charts_for(list(read.read)))
    library = tmp_path / "library"
    found = review_with_charts(read.read, load_charts(path), library, target="20%pot", threads=1)
    print(f"| {kind} | {len(texts)} | {flops} | {found.hands} | {len(found.decisions)} |", found.left_out)
    # Two players who can bet see the flop in all others.
    assert sum(found.left_out.get(reason, 0) for reason in NO_FLOP) == len(texts) - FLOPS
    assert FLOPS // 2 < found.hands <= FLOPS
    assert {*found.left_out} <= {*NO_FLOP, *LEFT_OUT}
    # What the room was told apart by was read.
    what = " ".join(hand.beyond_two for hand in read.read if isinstance(hand, TableHand))
    assert all(word in what for word in WORDS.get(kind, ()))
    # Each decision is of a player, has what each action is worth, and has its solution in the library.
    for decision in found.decisions:
        assert decision.action in decision.ev_chips
        assert (library / f"{decision.solution}.errai").exists()


def test_a_bet_beyond_the_shorter_stack_is_all_in() -> None:
    """The rest comes back; such hands were left out once, because the bet is larger than the stacks of their spot."""
    table = KINDS["PokerStars, cash"]
    for seed in count(1):
        (hand,) = read_text(room_text(table, seed).text).read
        if situation(hand) is None:
            continue
        spot = spot_of(hand, parse_charts(charts_for([hand])))
        behind, spent = int(spot.effective_stack), 100
        bets = [action.total - spent for done in hand.actions[1:] for action in done if action.kind == ActionKind.RAISE]
        if max(bets, default=0) > behind:
            break
    moved = align(hand, spot)
    assert [a.total for done in moved.actions for a in done if a.kind == ActionKind.RAISE][-1] == behind
    assert sorted(moved.net_chips) == sorted(hand.net_chips)
