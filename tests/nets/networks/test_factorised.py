"""The factorised network: its two computations, and properties that hold for any weights."""

from __future__ import annotations

import numpy as np
import pytest

from errai.cards.hands import hand_cards, hand_index, permute_cards
from errai.errors import InputError, UnsupportedGameError
from errai.games.catalogue import load_game
from errai.nets.networks.architecture import architecture
from errai.nets.networks.factorised import Factorised

HOLDEM = load_game("holdem.nolimit.2p")
SMALL = Factorised(width=12, embedding=8, join=16, readout=6, groups=3)


def board_of(text: str) -> tuple[int, ...]:
    return tuple(HOLDEM.deck.parse_cards(text))


def weights_of(kind: Factorised, round_index: int, *, blind_to_seats: bool = False) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    shapes = kind.shapes(HOLDEM, round_index)
    weights = {name: rng.normal(0.0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    if blind_to_seats:
        weights["join1.weight"][:, -1] = 0.0
    return weights


def ranges_on(hands: np.ndarray, queries: int) -> np.ndarray:
    ranges = np.random.default_rng(7).dirichlet(np.full(len(hands), 0.1), (queries, 2)).astype(np.float32)
    ranges[0, 0] = 0.0
    ranges[0, 0, 17] = 1.0  # a player who has shown his hand
    return ranges


STACKS = np.array([0.3, 4.0, 30.0], dtype=np.float32)


@pytest.mark.parametrize(("text", "round_index"), [("Ks9d4h", 1), ("KsKd4h7d", 2), ("Ks9d4h7d2c", 3)])
def test_numpy_and_pytorch_agree(text, round_index):
    torch = pytest.importorskip("torch")
    prepared = SMALL.prepare(HOLDEM, board_of(text), {})
    weights = weights_of(SMALL, round_index)
    ranges = ranges_on(prepared.hands, 3)
    found = SMALL.on(prepared, weights).values(ranges, STACKS)
    module = SMALL.module(HOLDEM, round_index).eval()
    module.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    features = torch.from_numpy(prepared.arrays["features"]).float().expand(3, -1, -1)
    inputs = {name: torch.from_numpy(array) for name, array in prepared.asked(ranges, STACKS).items()}
    with torch.no_grad():
        trained = module({"features": features}, inputs).numpy()
    assert found == pytest.approx(trained, abs=2e-5 * float(np.abs(trained).max()))
    # In training some inputs have half the precision.
    kept = {name: torch.from_numpy(array).float() for name, array in prepared.inputs(ranges, STACKS).items()}
    with torch.no_grad():
        assert found == pytest.approx(
            module({"features": features}, kept).numpy(), abs=3e-3 * float(np.abs(trained).max())
        )


def test_nothing_learnt_is_the_check_down():
    pytest.importorskip("torch")
    module = SMALL.module(HOLDEM, 2)
    weights = {name: array.numpy() for name, array in module.state_dict().items()}
    prepared = SMALL.prepare(HOLDEM, board_of("Ks9d4h7d"), {})
    ranges = ranges_on(prepared.hands, 3)
    expected = prepared.matchups.check_down(ranges)[:, ::-1]
    assert SMALL.on(prepared, weights).values(ranges, STACKS) == pytest.approx(expected, abs=1e-6)


def test_values_of_both_players_add_up_to_nothing():
    prepared = SMALL.prepare(HOLDEM, board_of("Ks9d4h7d"), {})
    ranges = ranges_on(prepared.hands, 3)
    values = SMALL.on(prepared, weights_of(SMALL, 2)).values(ranges, STACKS)
    assert (values * ranges).sum(axis=(1, 2)) == pytest.approx(np.zeros(3), abs=1e-6)
    assert np.abs((values[:, 0] * ranges[:, 0]).sum(axis=1)).max() > 0.01


def test_a_hand_that_can_meet_nothing_is_worth_nothing():
    prepared = SMALL.prepare(HOLDEM, board_of("Ks9d4h7d"), {})
    shown = hand_cards(52, 2)[prepared.hands[17]]
    blocked = np.isin(hand_cards(52, 2)[prepared.hands], shown).any(axis=1)
    ranges = ranges_on(prepared.hands, 3)
    values = SMALL.on(prepared, weights_of(SMALL, 2)).values(ranges, STACKS)
    assert np.abs(values[0, 1, blocked]).max() < 1e-6
    assert np.abs(values[0, 1, ~blocked]).min() > 1e-6


def test_renamed_suits_rename_the_values():
    board, perm = board_of("Ks9d4h7d"), (2, 3, 1, 0)
    weights = weights_of(SMALL, 2)
    prepared = SMALL.prepare(HOLDEM, board, {})
    renamed = SMALL.prepare(HOLDEM, tuple(permute_cards(HOLDEM.deck, np.array(board), perm).tolist()), {})
    to = np.searchsorted(renamed.hands, hand_index(permute_cards(HOLDEM.deck, hand_cards(52, 2)[prepared.hands], perm)))
    ranges = ranges_on(prepared.hands, 3)
    there = np.empty_like(ranges)
    there[:, :, to] = ranges
    before = SMALL.on(prepared, weights).values(ranges, STACKS)
    after = SMALL.on(renamed, weights).values(there, STACKS)
    assert after[:, :, to] == pytest.approx(before, abs=1e-5)


def test_swapped_players_swap_their_values_where_the_seat_is_hidden():
    prepared = SMALL.prepare(HOLDEM, board_of("Ks9d4h7d"), {})
    ranges = ranges_on(prepared.hands, 3)
    for hidden in (True, False):
        asked = SMALL.on(prepared, weights_of(SMALL, 2, blind_to_seats=hidden))
        values, swapped = asked.values(ranges, STACKS), asked.values(ranges[:, ::-1], STACKS)[:, ::-1]
        assert (np.abs(values - swapped).max() < 1e-5) == hidden


def test_more_to_bet_says_something_else_and_queries_do_not_mix():
    prepared = SMALL.prepare(HOLDEM, board_of("Ks9d4h7d"), {})
    asked = SMALL.on(prepared, weights_of(SMALL, 2))
    ranges = ranges_on(prepared.hands, 3)
    together = asked.values(ranges, STACKS)
    for q in range(3):
        assert together[q] == pytest.approx(asked.values(ranges[q : q + 1], STACKS[q : q + 1])[0], abs=1e-5)
    assert np.abs(asked.values(ranges[:1], STACKS[1:2]) - together[:1]).max() > 1e-3


def test_hands_out_of_question_change_nothing():
    board, weights = board_of("Ks9d4h7d"), weights_of(SMALL, 2)
    every = SMALL.on(SMALL.prepare(HOLDEM, board, {}), weights)
    among = np.arange(3, 1326, 5)
    some = SMALL.on(SMALL.prepare(HOLDEM, board, {}, among), weights)
    assert np.array_equal(some.hands, np.intersect1d(every.hands, among))
    place = np.searchsorted(every.hands, some.hands)
    ranges = ranges_on(some.hands, 3)
    spread = np.zeros((3, 2, len(every.hands)), dtype=np.float32)
    spread[:, :, place] = ranges
    assert some.values(ranges, STACKS) == pytest.approx(every.values(spread, STACKS)[:, :, place], abs=1e-5)


def test_what_a_hand_is_told_of_the_opponents_groups():
    prepared = SMALL.prepare(HOLDEM, board_of("Ks9d4h7d"), {})
    ranges = ranges_on(prepared.hands, 3)[1:2]
    found = prepared.asked(ranges, STACKS[1:2])
    strength = prepared.arrays["features"][:, 1].astype(np.float64)
    cards = hand_cards(52, 2)[prepared.hands]
    # The place of a hand in the own range, one by one; hands of the same strength count half.
    for hand in (3, 500, 1000):
        exact = prepared.class_of
        weaker = ranges[0, 1, exact < exact[hand]].sum() + 0.5 * ranges[0, 1, exact == exact[hand]].sum()
        assert found["against"][0, 1, hand, -2] == pytest.approx(weaker, abs=1e-5)
        assert (strength[exact < exact[hand]] <= strength[hand]).all()
        # Against the middle one of three groups, which has most of the hands around the middle of the range.
        place = found["against"][0, 1, :, -2].astype(np.float64)
        group = np.maximum(1.0 - np.abs(2.0 * place - 1.0), 0.0) * ranges[0, 1]
        group[np.isin(cards, cards[hand]).any(axis=1)] = 0.0
        fitting = ranges[0, 1][~np.isin(cards, cards[hand]).any(axis=1)].sum()
        won = 0.5 * (prepared.matchups.margins[hand] * group).sum() / fitting
        assert found["against"][0, 0, hand, 1] == pytest.approx(won, abs=1e-5)
        assert found["against"][0, 0, hand, 4] == pytest.approx(group.sum() / fitting, abs=1e-5)


def test_configurations_and_games_that_cannot_be():
    assert architecture("factorised", SMALL.configuration()) == SMALL
    assert architecture("factorised", {"dropout": 0}) == Factorised()
    for name, configuration in (
        ("neural", {}),
        ("factorised", {"depth": 3}),
        ("factorised", {"width": 1.5}),
        ("factorised", {"groups": 1}),
        ("factorised", {"dropout": 1.0}),
    ):
        with pytest.raises(InputError):
            architecture(name, configuration)
    with pytest.raises(UnsupportedGameError):
        Factorised().prepare(HOLDEM, (), {})
