"""Rules of three players and more, by hand and by the ACPC's conventions."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errai
from errai.arena.lbr import lbr
from errai.arena.match import play_match
from errai.errors import GameDefinitionError, IllegalActionError, InputError, UnknownGameError, UnsupportedGameError
from errai.games.betting import NOBODY, ActionKind
from errai.games.catalogue import ring_catalogue
from errai.games.hand import CALL, FOLD, Action, Lines, PublicState, raise_to
from errai.games.ring import RingBetting, RingGame, RingHand, RingState, ring_deal
from errai.games.size import ring_size

NO_LIMIT = errai.load_ring_game("holdem.nolimit.3p")
LIMIT = errai.load_ring_game("holdem.limit.3p")


def after(game: RingGame, *actions: Action) -> RingBetting:
    state = RingBetting.start(game)
    for action in actions:
        state = state.apply(action.kind, action.total)
    return state


def with_stacks(*stacks: int, **more: Any) -> RingGame:
    blinds = (50, 100, *[0] * (len(stacks) - 2))
    return replace(NO_LIMIT, stacks=stacks, blinds=blinds, first_player=(2, 0, 0, 0), **more)


def test_the_button_acts_first_before_the_flop_and_the_small_blind_after_it() -> None:
    state = RingBetting.start(LIMIT)
    assert (state.actor, state.to_call_chips, state.pot) == (2, 10, 15)
    assert state.legal() == (True, True, (20, 20))
    state = after(LIMIT, CALL, CALL)
    assert (state.round, state.actor, state.legal().fold) == (0, 1, False)  # The big blind may still raise.
    state = after(LIMIT, CALL, CALL, CALL)
    assert (state.round, state.actor, state.raises, state.round_start) == (1, 0, 0, (10, 10, 10))
    # Three raises before the flop, as in the competition's definition, four after it.
    assert after(LIMIT, *[raise_to(0)] * 3).legal().raise_range is None
    assert after(LIMIT, CALL, CALL, CALL, *[raise_to(0)] * 3).legal().raise_range is not None
    assert after(LIMIT, CALL, CALL, CALL, *[raise_to(0)] * 4).legal().raise_range is None


def test_whoever_has_folded_has_no_turn() -> None:
    state = after(LIMIT, FOLD, CALL, CALL)
    assert (state.round, state.actor) == (1, 0)
    state = after(LIMIT, FOLD, CALL, CALL, CALL, raise_to(0))
    assert state.actor == 0
    state = state.apply(ActionKind.FOLD)
    assert (state.actor, state.showdown, state.folded) == (NOBODY, False, (True, False, True))
    assert state.net_chips((9, 1, 9)) == (-10.0, 10.0, 0.0)
    assert after(LIMIT, FOLD, FOLD).net_chips((0, 0, 0)) == (-5.0, 5.0, 0.0)


def test_the_smallest_raise_grows_with_raises_and_not_with_short_all_ins() -> None:
    game = with_stacks(1000, 1000, 250, 1000)
    assert after(game).legal().raise_range == (200, 250)
    state = after(game, raise_to(250))  # All-in for a raise of 150: a full raise.
    assert state.legal().raise_range == (400, 1000)
    short = after(with_stacks(1000, 1000, 1000, 250), raise_to(200), raise_to(250))
    # All-in for 50 more: the smallest raise is still to 300, by the last full raise of 100.
    assert (short.actor, short.legal().raise_range) == (0, (300, 1000))
    # Everybody may raise again then, also who has raised before.
    assert short.apply(ActionKind.CALL).apply(ActionKind.CALL).legal().raise_range == (300, 1000)


def test_side_pots_by_hand() -> None:
    game = with_stacks(100, 300, 500, 500)
    state = after(game, raise_to(500), CALL, CALL, CALL)
    assert state.is_over
    assert state.showdown
    assert state.spent == (100, 300, 500, 500)
    # The shortest wins 400, the second 600 of the first side pot, the third 400 of the last.
    assert state.net_chips((4, 3, 2, 1)) == (300.0, 300.0, -100.0, -500.0)
    assert state.net_chips((4, 3, 3, 1)) == (300.0, 0.0, 200.0, -500.0)
    assert state.net_chips((1, 1, 1, 1)) == (0.0, 0.0, 0.0, 0.0)
    assert state.net_chips((1, 2, 3, 4)) == (-100.0, -300.0, -500.0, 900.0)
    # What nobody has matched goes back.
    state = after(with_stacks(100, 300, 500), raise_to(500), CALL, CALL)
    assert state.net_chips((3, 2, 1)) == (200.0, 100.0, -300.0)
    # A tie of three for 350 chips: a third of a chip is paid as such.
    tie = after(with_stacks(100, 100, 100, 100), CALL, CALL, FOLD)
    assert tie.net_chips((0, 7, 7, 7)) == pytest.approx((-50.0, 50 / 3, 50 / 3, 50 / 3))


def test_a_player_who_is_left_with_chips_alone_only_calls() -> None:
    game = with_stacks(300, 400, 1000)
    state = after(game, CALL, raise_to(300), raise_to(400))
    assert (state.actor, state.to_call_chips) == (2, 300)
    assert state.legal() == (True, True, None)
    done = state.apply(ActionKind.CALL)
    assert (done.is_over, done.showdown, done.round) == (True, True, 0)
    assert state.apply(ActionKind.FOLD).net_chips((2, 1, 0)) == (400.0, -300.0, -100.0)


def test_blinds_that_are_whole_stacks() -> None:
    state = after(with_stacks(50, 100, 1000))
    assert (state.actor, state.legal()) == (2, (True, True, None))
    assert after(with_stacks(50, 100, 1000), CALL).showdown
    # Nobody has anything to decide if only one has chips left and has matched all of them.
    antes = replace(errai.load_ring_game("kuhn3"), stacks=(1, 1, 5))
    assert RingBetting.start(antes).showdown


@pytest.mark.parametrize(
    ("actions", "wrong", "message"),
    [
        ((), raise_to(150), "from 200 to 20000"),
        ((), raise_to(20001), "from 200 to 20000"),
        ((CALL, CALL), FOLD, "only when facing a bet"),
        ((FOLD, FOLD), CALL, "Betting is over"),
    ],
)
def test_what_is_not_legal_is_refused(actions: tuple[Action, ...], wrong: Action, message: str) -> None:
    with pytest.raises(IllegalActionError, match=message):
        after(NO_LIMIT, *actions).apply(wrong.kind, wrong.total)


def test_chips_are_neither_made_nor_lost() -> None:
    rng = np.random.default_rng(5)
    for number in range(300):
        players = int(rng.integers(3, 7))
        game = with_stacks(*rng.integers(100, 900, players).tolist())
        state = RingBetting.start(game)
        while not state.is_over:
            legal = state.legal()
            choices = [CALL, *([FOLD] if legal.fold else [])]
            if legal.raise_range is not None:
                choices += [raise_to(int(rng.integers(legal.raise_range[0], legal.raise_range[1] + 1)))]
            action = choices[int(rng.integers(len(choices)))]
            state = state.apply(action.kind, action.total)
        won = state.net_chips(tuple(rng.integers(0, 4, players).tolist()))
        assert sum(won) == pytest.approx(0.0, abs=1e-9), number
        assert all(-spent <= chips for spent, chips in zip(state.spent, won, strict=True))


def test_a_hand_is_played_like_one_of_two_players() -> None:
    game = errai.load_ring_game("leduc3")
    lines = Lines(game)  # type: ignore[arg-type]
    hand = RingHand(game, ring_deal(game, 1, 7), 7, lines)
    assert len({card for hole in hand.deal.hole for card in hole} | {*hand.deal.board}) == 4
    assert isinstance(hand.state, RingState)
    assert hand.state.legal_actions == (CALL, raise_to(3))
    for action in (CALL, raise_to(3), FOLD, CALL):
        hand.act(action)
    assert hand.state.board == hand.deal.board
    assert hand.observation(1).shown == ()
    hand.act(CALL)
    hand.act(CALL)
    assert hand.is_over
    assert hand.observation(0).shown[2] is None
    assert hand.observation(0).shown[0] == hand.deal.hole[0]
    assert sum(hand.net_chips()) == 0.0
    assert hand.net_chips()[2] == -1.0
    with pytest.raises(InputError, match="RingGame"):
        RingHand(errai.load_game("leduc"), hand.deal)  # type: ignore[arg-type]


def test_winnings_do_not_depend_on_names_of_seats() -> None:
    state = after(with_stacks(300, 300, 300), raise_to(300), CALL, CALL)
    for strengths in permutations((1, 2, 3)):
        assert sorted(state.net_chips(strengths)) == [-300.0, -300.0, 600.0]


def test_definitions_are_checked_and_written_as_they_are_read(tmp_path: Path) -> None:
    for name in ring_catalogue():
        game = errai.load_ring_game(name)
        file = tmp_path / f"{name}.game"
        file.write_text(game.to_text())
        again = errai.load_ring_game(file)
        assert again == game
        assert again.digest() == game.digest()
        with pytest.raises(UnsupportedGameError, match="load_ring_game"):
            errai.load_game(name)
        with pytest.raises(UnsupportedGameError, match="load_ring_game"):
            errai.load_game(file)
    with pytest.raises(UnknownGameError, match="did you mean"):
        errai.load_ring_game("kuhn33")
    with pytest.raises(GameDefinitionError, match="3 to 10 players, not 2"):
        errai.load_ring_game("kuhn")
    text = errai.load_ring_game("kuhn3").to_text()
    for change, message in (
        (("blind = 1 1 1", "blind = 1 1"), "each of the 3 players, but has 2"),
        (("numPlayers = 3", "numPlayers = 11"), "2 to 10 players"),
        (("numRanks = 4", "numRanks = 2"), "need 3 cards"),
        (("numRounds = 1", "numRounds = 1\nfirstPlayer = 4"), "use 1 to 3"),
    ):
        (tmp_path / "wrong.game").write_text(text.replace(*change))
        with pytest.raises(GameDefinitionError, match=message):
            errai.load_ring_game(tmp_path / "wrong.game")


@pytest.mark.parametrize(
    "ask",
    [
        errai.estimate,
        lambda game: errai.best_response(game, "uniform"),
        lambda game: errai.exploitability(game, "uniform"),
        errai.lookahead,
        lambda game: errai.train(game, "identity", max_iterations=1),
        lambda game: play_match(game, ("uniform", "uniform"), hands=2),
        lambda game: lbr(game, "uniform", hands=2),
        PublicState.start,
        errai.game_size,
        lambda game: errai.solve(game, "1mbb", store="folder"),
    ],
)
def test_the_engine_for_two_refuses_three(ask: Any) -> None:
    with pytest.raises(errai.ErraiError):
        ask(errai.load_ring_game("kuhn3"))


@pytest.mark.parametrize("name", ["kuhn3", pytest.param("leduc3", marks=pytest.mark.slow)])
def test_sizes_are_those_of_the_game_written_out(name: str) -> None:
    game = errai.load_ring_game(name)
    size, written = ring_size(game), errai.extensive_game(game)
    assert size.information_sets == tuple(d.num_sets for d in written.decisions)
    assert size.information_set_actions == tuple(d.num_sequences - 1 for d in written.decisions)


def test_sizes_of_hold_em_for_three() -> None:
    assert ring_size(errai.load_ring_game("leduc3")).information_sets == (8600,) * 3  # The slow test walks it.
    # Two of three players who fold are what the heads-up game has, so three have far more.
    size = ring_size(LIMIT)
    assert sum(size.canonical_information_sets) < sum(size.information_sets)
    assert sum(size.information_sets) > errai.game_size(errai.load_game("holdem.limit.2p")).information_sets
    with pytest.raises(UnsupportedGameError, match="takes too long"):
        ring_size(NO_LIMIT)
    tiny = ring_size(with_stacks(300, 300, 300))
    assert min(tiny.information_sets) > 0
