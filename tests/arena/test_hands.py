"""One hand between two agents, and the cards of a match."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats
from small_subjects import subject

from errai.agents.agent import Agent, MatchStart
from errai.agents.reader import read_agent
from errai.arena.play import BLOCK, deals_of_block, play_hand
from errai.errors import AgentError
from errai.games import hand as hand_module
from errai.games.catalogue import load_game
from errai.games.hand import (
    CALL,
    FOLD,
    Action,
    Deal,
    Hand,
    Lines,
    Observation,
    PublicState,
    Shuffle,
    raise_to,
    showdown,
)
from errai.games.spot import Spot


@pytest.mark.parametrize("name", ["kuhn", "leduc", "holdem.nolimit.2p", "turn", "rhode-island-short"])
def test_sharing_lines_changes_nothing(name: str) -> None:
    played = subject(name)
    rng = np.random.default_rng(7)
    lines = Lines(played)
    for number, deal in enumerate(deals_of_block(played, 1, 0)[:200]):
        shared, alone = Hand(played, deal, number, lines), Hand(played, deal, number)
        while not alone.is_over:
            assert shared.state == alone.state
            assert shared.actor == alone.actor == alone.state.actor
            legal = alone.state.legal_actions
            action = legal[rng.integers(len(legal))]
            shared.act(action)
            alone.act(action)
        assert shared.is_over
        assert shared.state == alone.state
        assert shared.state.is_over
        names = ("a", "b")
        assert shared.played(names) == alone.played(names)
        assert alone.played(names).final_state() == alone.state
        assert sum(shared.net_chips()) == 0
        assert shared.net_chips() == shared.state.net_chips(deal.hole)


def test_lines_stop_growing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_module, "REMEMBERED_LINES", 3)
    game = load_game("holdem.nolimit.2p")
    lines = Lines(game)
    deal = deals_of_block(game, 0, 0)[0]
    for total in range(200, 260):
        hand = Hand(game, deal, 0, lines)
        hand.act(raise_to(total))
        assert hand.state.betting.spent == (100, total)
        hand.act(FOLD)
        assert hand.net_chips() == (-100, 100)
    assert len(lines.first.next) <= 3


@pytest.mark.parametrize("name", ["leduc", "holdem.limit.2p", "turn", "rhode-island"])
def test_deals_depend_on_seed_and_number_and_know_who_is_better(name: str) -> None:
    played = subject(name)
    block = deals_of_block(played, 11, 2)
    assert len(block) == BLOCK
    assert block == deals_of_block(played, 11, 2)
    assert block != deals_of_block(played, 11, 3)
    assert block != deals_of_block(played, 12, 2)
    for deal in block[:300]:
        cards = [*deal.hole[0], *deal.hole[1], *deal.board]
        assert len(set(cards)) == len(cards)
        first, second = showdown(played, deal.board, deal.hole)
        assert deal.better == (first > second) - (first < second)
        if isinstance(played, Spot):
            assert deal.board[: len(played.board)] == tuple(played.board)


def test_every_card_comes_to_every_place_as_often() -> None:
    game = load_game("leduc")
    deals = [deal for block in range(12) for deal in deals_of_block(game, 5, block)]
    orders = Counter((*deal.hole[0], *deal.hole[1], *deal.board) for deal in deals)
    assert len(orders) == 120
    assert stats.chisquare(list(orders.values())).pvalue > 1e-4


@pytest.mark.parametrize("name", ["leduc", "turn"])
def test_deals_of_one_board_are_each_as_likely_as_others(name: str) -> None:
    played = subject(name)
    shuffle = Shuffle(played)
    deals = [shuffle.numbered(3, number, 4) for number in range(2_000)]
    assert all(deal.board == deals[number - number % 4].board for number, deal in enumerate(deals))
    assert len({deal.board for deal in deals}) > (4 if name == "leduc" else 20)
    cards = [(*deal.hole[0], *deal.hole[1], *deal.board) for deal in deals]
    assert all(len(set(each)) == len(each) for each in cards)
    if name == "leduc":
        # Which board comes is one choice for four deals, so only every fourth is independent of the others.
        assert stats.chisquare(list(Counter(cards[::4]).values())).pvalue > 1e-4
        assert stats.chisquare(list(Counter(cards[3::4]).values())).pvalue > 1e-4


def test_spots_deal_hands_as_their_ranges_weigh_them() -> None:
    spot = subject("turn")
    assert isinstance(spot, Spot)
    deals = [deal for block in range(6) for deal in deals_of_block(spot, 3, block)]
    from errai.agents.agent import number_of_hand
    from errai.cards.hands import hand_cards

    hands = [frozenset(cards) for cards in hand_cards(52, 2).tolist()]
    live = [
        {i: float(w) for i, w in enumerate(r.weights) if w > 0 and not hands[i] & set(spot.board)} for r in spot.ranges
    ]
    weights = {(a, b): u * v for a, u in live[0].items() for b, v in live[1].items() if not hands[a] & hands[b]}
    total = sum(weights.values())
    counts = Counter((number_of_hand(d.hole[0]), number_of_hand(d.hole[1])) for d in deals)
    assert set(counts) <= set(weights)
    # Pairs are too many for one test each: by the first player's hand.
    expected = {a: sum(w for (x, _), w in weights.items() if x == a) / total * len(deals) for a, _ in weights}
    seen = [sum(n for (x, _), n in counts.items() if x == a) for a in expected]
    assert stats.chisquare(seen, list(expected.values())).pvalue > 1e-4


class Scripted(Agent):
    """Plays a script, and records what it sees at the end."""

    def __init__(self, name: str, answers: list[object]) -> None:
        self.name = name
        self.answers = answers
        self.ends: list[tuple[Observation, float]] = []

    def act(self, observation: Observation) -> Action:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[return-value]

    def end_hand(self, observation: Observation, net_chips: float) -> None:
        self.ends.append((observation, net_chips))


KUHN = Deal(((2,), (0,)), ())


def test_both_hear_of_the_end_and_see_cards_only_after_a_showdown() -> None:
    game = load_game("kuhn")
    a, b = Scripted("a", [CALL]), Scripted("b", [CALL])
    played = play_hand(game, (a, b), KUHN, 4)
    assert played.net_chips == (1, -1)
    assert played.number == 4
    assert [(seen.opponent_cards, chips) for seen, chips in a.ends + b.ends] == [((0,), 1), ((2,), -1)]
    a, b = Scripted("a", [raise_to(2)]), Scripted("b", [FOLD])
    played = play_hand(game, (a, b), KUHN)
    assert played.net_chips == (1, -1)
    assert [seen.opponent_cards for seen, _ in a.ends + b.ends] == [None, None]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (FOLD, "Folding is legal only"),
        (raise_to(17), "raise to 17"),
        ("call", "not an Action"),
        (None, "not an Action"),
        (Action([], {}), "TypeError"),  # type: ignore[arg-type]
        (raise_to("much"), "Error"),  # type: ignore[arg-type]
        (RuntimeError("out of luck"), "RuntimeError: out of luck"),
        (KeyError("x"), "KeyError"),
    ],
)
def test_whatever_goes_wrong_in_an_agent_names_it_and_the_hand(answer: object, words: str) -> None:
    game = load_game("kuhn")
    with pytest.raises(AgentError, match="bad one, hand 7: ") as caught:
        play_hand(game, (Scripted("bad one", [answer]), Scripted("b", [])), KUHN, 7)
    assert words in str(caught.value)


def test_an_agent_that_fails_at_the_end_of_a_hand_is_named() -> None:
    class Forgetful(Scripted):
        def end_hand(self, observation: Observation, net_chips: float) -> None:
            raise ValueError("forgot")

    with pytest.raises(AgentError, match="late, hand 0: ValueError: forgot"):
        play_hand(load_game("kuhn"), (Forgetful("late", [CALL]), Scripted("b", [CALL])), KUHN)


def test_always_agents_do_one_thing() -> None:
    game = load_game("leduc")
    caller, raiser = read_agent("always-call", game), read_agent("always-raise", game)
    for agent in (caller, raiser):
        agent.start_match(MatchStart(game, 0))
    played = play_hand(game, (caller, raiser), Deal(((0,), (4,)), (1,)))
    assert [[a.kind.name for a in done] for done in played.actions] == [["CALL", "RAISE", "CALL"]] * 2
    # Ante 1, a raise of 2, then one of 4: 7 chips each; seat 0's pair of the lowest rank wins.
    assert played.net_chips == (7, -7)
    assert isinstance(played.final_state(), PublicState)
