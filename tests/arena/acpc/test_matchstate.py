"""MATCHSTATE lines, against the competition's specification and hands played at random."""

import random

import numpy as np
import pytest
from small_subjects import subject

from errai.arena.acpc.text import betting_text, board_text, matchstate_line, protocol_game, read_matchstate
from errai.errors import ProtocolError, UnsupportedGameError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.hand import Hand, Shuffle

LIMIT, NOLIMIT = load_game("holdem.limit.2p"), load_game("holdem.nolimit.2p")

# Messages that the competition's dealer sent; the first player is the big blind.
LIMIT_LINES = (
    "MATCHSTATE:0:0::TdAs|",
    "MATCHSTATE:0:0:r:TdAs|",
    "MATCHSTATE:0:0:rc/:TdAs|/2c8c3h",
    "MATCHSTATE:0:0:rc/rc/:TdAs|/2c8c3h/9c",
    "MATCHSTATE:0:0:rc/rc/cr:TdAs|/2c8c3h/9c",
    "MATCHSTATE:0:0:rc/rc/crc/:TdAs|/2c8c3h/9c/Kh",
    "MATCHSTATE:0:0:rc/rc/crc/cc:TdAs|8hTc/2c8c3h/9c/Kh",
    "MATCHSTATE:1:1::|Qd7c",
    "MATCHSTATE:1:1:f:|Qd7c",
)
NOLIMIT_LINES = (
    "MATCHSTATE:0:30::9s8h|",
    "MATCHSTATE:0:30:cc/r250c/r500c/r1250c:9s8h|9c6h/8c8d5c/6s/2d",
    "MATCHSTATE:1:31:r300r900c/cr1800r3600r9000c/r20000c/:|JdTc/6dJc9c/Kh/Qc",
    "MATCHSTATE:1:2:r19015r20000c///:6sKs|5dJd/2sTh2h/Qh/8h",
    "MATCHSTATE:0:12:r1096r11363c/cc/r14651r19642r20000f:3hTs|/9d7h4h/Kd",
)


@pytest.mark.parametrize("text", LIMIT_LINES)
def test_limit_lines_are_written_as_they_were_read(text):
    assert matchstate_line(read_matchstate(text, LIMIT)) == text


@pytest.mark.parametrize("text", NOLIMIT_LINES)
def test_no_limit_lines_are_written_as_they_were_read(text):
    # A showdown ends both: the third line lacks the opponent's cards, as for somebody who may not see them.
    assert matchstate_line(read_matchstate(text + "\r\n", NOLIMIT)) == text


def test_a_line_says_who_acts_and_what_can_be_seen():
    seen = read_matchstate("MATCHSTATE:0:30:cc/:9s8h|/8c8d5c", NOLIMIT)
    assert (seen.seat, seen.hand_number, seen.opponent_cards) == (0, 30, None)
    assert NOLIMIT.deck.cards_text(seen.cards) == "9s8h"
    assert seen.my_turn, "the big blind, position 0, acts first after the flop"
    assert not read_matchstate("MATCHSTATE:0:30::9s8h|", NOLIMIT).my_turn


def test_the_last_slash_may_be_left_out():
    with_slash = read_matchstate("MATCHSTATE:0:3:cc/:9s8h|/8c8d5c", NOLIMIT)
    assert read_matchstate("MATCHSTATE:0:3:cc:9s8h|/8c8d5c", NOLIMIT) == with_slash
    all_in = read_matchstate("MATCHSTATE:0:3:r20000c:9s8h|AsAd/8c8d5c/6s/2d", NOLIMIT)
    assert matchstate_line(all_in) == "MATCHSTATE:0:3:r20000c///:9s8h|AsAd/8c8d5c/6s/2d"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("STATE:0:0::9s8h|", 1),
        ("MATCHSTATE:0:0:9s8h|", 1),
        ("MATCHSTATE:2:0::9s8h|", 12),
        ("MATCHSTATE:0:x::9s8h|", 14),
        ("MATCHSTATE:0:4294967296::9s8h|", 14),
        ("MATCHSTATE:0:²::9s8h|", 14),
        ("MATCHSTATE:0:0:x:9s8h|", 16),
        ("MATCHSTATE:0:0:r50:9s8h|", 16),
        ("MATCHSTATE:0:0:cr:9s8h|", 18),
        ("MATCHSTATE:0:0:cc/x:9s8h|/8c8d5c", 19),
        ("MATCHSTATE:0:0:c/:9s8h|", 17),
        ("MATCHSTATE:0:0:cc/cc/cc/cc/:9s8h|AsAd/8c8d5c/6s/2d", 27),
        ("MATCHSTATE:0:0:ff:9s8h|", 17),
        ("MATCHSTATE:0:0::9s8h", 21),
        ("MATCHSTATE:0:0::|9s8h", 17),
        ("MATCHSTATE:0:0::9s|", 17),
        ("MATCHSTATE:0:0::9s9s|", 17),
        ("MATCHSTATE:0:0::9s8h|9s8d", 17),
        ("MATCHSTATE:0:0::9s8x|", 17),
        ("MATCHSTATE:0:0::9s8h|/8c8d5c", 17),
        ("MATCHSTATE:0:0:cc/:9s8h|", 20),
        ("MATCHSTATE:0:0:cc/:9s8h|/8c8d", 26),
        ("MATCHSTATE:0:0:cc/:9s8h|/8c8d9s", 20),
        ("MATCHSTATE:0:0:cc/cc/cc/cc:9s8h|AsAd/8c8d5c/6s/2d/3d", 28),
    ],
)
def test_what_is_wrong_is_said_with_its_column(text, column):
    with pytest.raises(ProtocolError) as caught:
        read_matchstate(text, NOLIMIT)
    assert caught.value.column == column


def test_limit_raises_have_no_amount():
    with pytest.raises(ProtocolError):
        read_matchstate("MATCHSTATE:0:0:r20:9s8h|", LIMIT)


def test_spots_are_refused():
    with pytest.raises(UnsupportedGameError, match="spot"):
        protocol_game(subject("turn"))


@pytest.mark.parametrize(
    "name", ["kuhn", "leduc", "leduc.nolimit", "rhode-island", "holdem.limit.2p", "holdem.nolimit.2p"]
)
def test_every_state_of_hands_played_at_random_comes_back(name):
    game = load_game(name)
    draw, shuffle, numbers = random.Random(5), Shuffle(game), np.random.default_rng(5)
    for number in range(150):
        hand = Hand(game, shuffle.deal(numbers), number)
        while True:
            for seat in (0, 1):
                seen = hand.observation(seat)
                assert read_matchstate(matchstate_line(seen), game) == seen
            state = hand.state
            if state.is_over:
                assert board_text(state.board, game) == board_text(
                    state.board, game, game.num_rounds if state.betting.showdown else state.betting.round + 1
                )
                slashes = game.num_rounds - 1 if state.betting.showdown else state.betting.round
                assert betting_text(state).count("/") == slashes
                break
            actions = [a for a in state.legal_actions if a.kind != ActionKind.FOLD or draw.random() < 0.2]
            hand.act(draw.choice(actions))
