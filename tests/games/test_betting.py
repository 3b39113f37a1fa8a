"""The rules of betting, case by case and as properties of random games."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errai.errors import IllegalActionError, InputError
from errai.games.betting import NOBODY, ActionKind, BettingState, Legal
from errai.games.catalogue import load_game
from errai.games.game import UNLIMITED_CHIPS, Game

FOLD, CALL, RAISE = ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE


def play(state: BettingState, actions: str) -> BettingState:
    """Apply actions written as the dealer writes them: f, c, r with a total in no-limit, space between."""
    for action in actions.split():
        kind = {"f": FOLD, "c": CALL, "r": RAISE}[action[0]]
        state = state.apply(kind, int(action[1:] or 0))
    return state


def no_limit(stacks: tuple[int, int], blinds: tuple[int, int] = (100, 50)) -> Game:
    return dataclasses.replace(load_game("holdem.nolimit.2p"), stacks=stacks, blinds=blinds)


HOLDEM = load_game("holdem.nolimit.2p")
LIMIT = load_game("holdem.limit.2p")


def test_reverse_blinds() -> None:
    state = BettingState.start(HOLDEM)
    assert (state.round, state.actor, state.spent, state.pot) == (0, 1, (100, 50), 150)
    assert state.legal() == Legal(True, True, (200, 20_000))
    assert state.to_call_chips == 50
    state = play(state, "c")
    assert (state.actor, state.spent) == (0, (100, 100))
    assert state.legal() == Legal(False, True, (200, 20_000))
    state = play(state, "c")
    assert (state.round, state.actor, state.round_start, state.raises) == (1, 0, (100, 100), 0)
    assert state.legal() == Legal(False, True, (200, 20_000))


def test_big_blind_may_raise_after_a_call() -> None:
    state = play(BettingState.start(HOLDEM), "c r300")
    assert (state.round, state.actor, state.spent) == (0, 1, (300, 100))
    assert state.legal() == Legal(True, True, (500, 20_000))
    assert play(state, "c").round == 1


def test_minimum_raise_is_the_last_raise_or_the_big_blind() -> None:
    state = play(BettingState.start(HOLDEM), "r300")
    assert state.legal().raise_range == (500, 20_000)
    state = play(state, "r1000")
    assert state.legal().raise_range == (1700, 20_000)
    state = play(state, "r1700")
    assert state.legal().raise_range == (2400, 20_000)
    state = play(state, "c")
    assert state.legal().raise_range == (1800, 20_000)
    assert play(state, "c r1801").legal().raise_range == (1902, 20_000)


def test_without_blinds_one_chip_is_the_smallest_bet() -> None:
    game = dataclasses.replace(HOLDEM, blinds=(0, 0))
    state = BettingState.start(game)
    assert state.legal() == Legal(False, True, (1, 20_000))
    assert play(state, "r1").legal() == Legal(True, True, (2, 20_000))
    assert play(state, "c c").legal().raise_range == (1, 20_000)


def test_short_all_in() -> None:
    state = play(BettingState.start(no_limit((1000, 1000))), "r600")
    assert state.legal().raise_range == (1000, 1000)
    state = play(state, "r1000")
    assert state.legal() == Legal(True, True, None)
    assert state.to_call_chips == 400
    state = play(state, "c")
    assert (state.actor, state.showdown, state.round, state.spent) == (NOBODY, True, 0, (1000, 1000))
    assert state.legal() == Legal(False, False, None)
    assert state.to_call_chips == 0


def test_fold_only_when_facing_a_bet() -> None:
    state = play(BettingState.start(HOLDEM), "c")
    with pytest.raises(IllegalActionError, match="only when facing a bet"):
        state.apply(FOLD)
    state = play(state, "c r500 f")
    assert (state.actor, state.folded, state.showdown) == (NOBODY, 1, False)
    assert state.stake_chips == 100
    with pytest.raises(IllegalActionError, match="over"):
        state.apply(CALL)


def test_limit_sizes_and_caps() -> None:
    state = BettingState.start(LIMIT)
    totals = []
    while (raise_range := state.legal().raise_range) is not None:
        assert raise_range[0] == raise_range[1]
        totals.append(raise_range[0])
        state = state.apply(RAISE)
    assert totals == [20, 30, 40]
    state = play(state, "c c c")
    totals = []
    while (raise_range := state.legal().raise_range) is not None:
        totals.append(raise_range[0])
        state = state.apply(RAISE, raise_range[0])
    assert (state.round, totals) == (2, [60, 80, 100, 120])


def test_limit_raise_with_a_short_stack_is_all_in() -> None:
    game = dataclasses.replace(LIMIT, stacks=(27, 27))
    state = play(BettingState.start(game), "r")
    assert state.legal().raise_range == (27, 27)
    assert play(state, "r").legal() == Legal(True, True, None)


def test_cap_of_no_limit_raises() -> None:
    game = dataclasses.replace(HOLDEM, max_raises=(2, 0, 255, 255))
    state = play(BettingState.start(game), "r200 r300")
    assert state.legal() == Legal(True, True, None)
    state = play(state, "c")
    assert state.legal() == Legal(False, True, None)


def test_uncapped_no_limit_raises_go_past_255() -> None:
    game = no_limit((1000, 1000), (2, 1))
    state = BettingState.start(game)
    while (raise_range := state.legal().raise_range) is not None:
        state = state.apply(RAISE, raise_range[0])
    assert state.raises == 499


def test_unequal_stacks() -> None:
    """As the dealer: a bet may exceed the other's stack, and the excess is not lost."""
    state = BettingState.start(no_limit((1000, 400)))
    assert state.legal().raise_range == (200, 400)
    state = play(state, "c r900")
    assert state.legal() == Legal(True, True, None)
    assert state.to_call_chips == 300
    state = play(state, "c")
    assert (state.spent, state.showdown, state.stake_chips) == ((900, 400), True, 400)
    state = play(BettingState.start(no_limit((1000, 400))), "r400")
    assert state.legal() == Legal(True, True, None)
    assert play(state, "c").showdown


@pytest.mark.parametrize(
    ("stacks", "blinds", "actor"),
    [
        ((100, 100), (100, 50), 1),  # the dealer faces an all-in blind: fold or call
        ((100, 50), (100, 50), NOBODY),  # both all-in
        ((200, 50), (100, 50), NOBODY),  # the short blind is all-in, and the other has matched it
        ((50, 200), (50, 50), NOBODY),
        ((60, 200), (60, 100), NOBODY),
        ((200, 60), (40, 60), 0),  # player 0 faces an all-in blind although player 1 would act first
    ],
)
def test_blinds_that_are_all_in(stacks: tuple[int, int], blinds: tuple[int, int], actor: int) -> None:
    state = BettingState.start(no_limit(stacks, blinds))
    assert state.actor == actor
    if actor == NOBODY:
        assert state.showdown
    else:
        assert state.legal() == Legal(True, True, None)
        assert play(state, "c").showdown
        assert play(state, "f").folded == actor


def test_call_of_the_blind_that_is_all_in_ends_betting() -> None:
    state = play(BettingState.start(no_limit((1000, 80))), "c")
    assert (state.spent, state.showdown, state.stake_chips) == ((100, 80), True, 80)


def test_start_at_a_later_round() -> None:
    state = BettingState.start_at(HOLDEM, 3, (700, 700))
    assert (state.round, state.actor, state.round_start) == (3, 0, (700, 700))
    assert state.legal() == Legal(False, True, (800, 20_000))
    assert play(state, "c c").showdown
    assert BettingState.start_at(HOLDEM, 2, (20_000, 20_000)).showdown
    assert BettingState.start_at(HOLDEM, 0, HOLDEM.blinds) == BettingState.start(HOLDEM)
    later = play(BettingState.start(HOLDEM), "r700 c")
    assert later == BettingState.start_at(HOLDEM, 1, (700, 700))


@pytest.mark.parametrize(("round_index", "spent"), [(4, (0, 0)), (-1, (0, 0)), (1, (-1, 5)), (1, (0, 20_001))])
def test_start_at_what_cannot_be(round_index: int, spent: tuple[int, int]) -> None:
    with pytest.raises(InputError):
        BettingState.start_at(HOLDEM, round_index, spent)


@pytest.mark.parametrize("total", [-5, 0, 199, 20_001])
def test_illegal_raise_totals(total: int) -> None:
    with pytest.raises(IllegalActionError, match="from 200 to 20000"):
        BettingState.start(HOLDEM).apply(RAISE, total)


def test_other_illegal_actions() -> None:
    with pytest.raises(IllegalActionError, match="No raise is legal"):
        play(BettingState.start(load_game("kuhn")), "r r")
    with pytest.raises(IllegalActionError, match="is not legal"):
        BettingState.start(LIMIT).apply(RAISE, 25)
    with pytest.raises(IllegalActionError, match="not a kind of action"):
        BettingState.start(LIMIT).apply(7)  # type: ignore[arg-type]


def test_states_are_values() -> None:
    state = BettingState.start(HOLDEM)
    with pytest.raises(AttributeError):
        state.actor = 0  # type: ignore[misc]
    assert len({state, BettingState.start(HOLDEM), state.apply(CALL)}) == 2


# --- properties ---


@st.composite
def betting_games(draw: st.DrawFn) -> Game:
    """Games of every kind of betting; the cards do not matter."""
    limit = draw(st.booleans())
    rounds = draw(st.integers(1, 4))
    stack = st.integers(1, 60) | st.integers(1, 3000)
    one = draw(stack)
    stacks = (one, one if draw(st.booleans()) else draw(stack))
    if limit and draw(st.booleans()):
        stacks = (UNLIMITED_CHIPS, UNLIMITED_CHIPS)
    blind = [draw(st.integers(0, min(own, draw(st.sampled_from((0, 1, 2, 10, 100, 3000)))))) for own in stacks]
    most_raises = st.integers(0, 6) | st.just(255)
    return Game(
        name="drawn",
        limit=limit,
        num_rounds=rounds,
        blinds=(blind[0], blind[1]),
        stacks=stacks,
        raise_sizes=tuple(draw(st.integers(1, 100)) for _ in range(rounds)) if limit else (),
        first_player=tuple(draw(st.integers(0, 1)) for _ in range(rounds)),
        max_raises=tuple(draw(most_raises) for _ in range(rounds)),
        num_suits=4,
        num_ranks=13,
        num_hole_cards=1,
        num_board_cards=(0,) * rounds,
    )


@given(betting_games(), st.data())
@settings(max_examples=300)
def test_every_hand_keeps_the_rules(game: Game, data: st.DataObject) -> None:
    state = BettingState.start(game)
    last_actor = NOBODY
    largest_step = 0
    for _ in range(2000):
        if state.is_over:
            break
        actor, spent = state.actor, state.spent
        legal = state.legal()
        other = 1 - actor
        # Whoever acts has chips, and the two take turns within a round.
        assert spent[actor] < game.stacks[actor]
        if state.acted:
            assert actor == 1 - last_actor
        assert legal.call
        assert legal.fold == (spent[actor] < spent[other])
        assert 0 <= state.to_call_chips <= game.stacks[actor] - spent[actor]
        assert state.pot == sum(spent)
        choices = [CALL] + [FOLD] * legal.fold + [RAISE] * 3 * (legal.raise_range is not None)
        kind = data.draw(st.sampled_from(choices))
        total = 0
        if kind is RAISE and legal.raise_range is not None:
            least, most = legal.raise_range
            assert max(spent) < least <= most <= game.stacks[actor]
            step = least - max(spent)
            if game.limit:
                assert least == most
                assert step == game.raise_sizes[state.round] or least == game.stacks[actor]
            else:
                assert most == game.stacks[actor]
                assert step >= max(largest_step, game.min_bet) or least == most
            with pytest.raises(IllegalActionError):
                state.apply(RAISE, most + 1)
            with pytest.raises(IllegalActionError):
                state.apply(RAISE, least - 1 or -1)
            total = data.draw(st.sampled_from((least, most)) | st.integers(least, most))
        after = state.apply(kind, total)
        # Only the actor pays, and never more than the stack.
        assert after.spent[other] == spent[other]
        paid = after.spent[actor] - spent[actor]
        if kind is FOLD:
            assert paid == 0
            assert (after.folded, after.is_over, after.showdown) == (actor, True, False)
            assert after.stake_chips == spent[actor]
        elif kind is CALL:
            assert paid == state.to_call_chips
        else:
            assert after.spent[actor] == total
            assert (after.actor, after.raises, after.acted) == (other, state.raises + 1, 1)
        largest_step = max(largest_step, total - max(spent)) if kind is RAISE else largest_step
        if after.round != state.round:
            assert (after.round, after.raises, after.acted) == (state.round + 1, 0, 0)
            assert after.round_start == after.spent
            assert after.spent[0] == after.spent[1]
            assert after.actor == game.first_player[after.round]
            largest_step = 0
        last_actor = actor
        state = after
    assert state.is_over
    assert state.showdown == (state.folded == NOBODY)
    assert state.legal() == Legal(False, False, None)
    if state.showdown and state.spent[0] != state.spent[1]:
        shorter = 0 if state.spent[0] < state.spent[1] else 1
        assert state.spent[shorter] == game.stacks[shorter]
