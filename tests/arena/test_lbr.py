"""Local best response: below the exact best response, unbiased when sampled, and as published where that is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_subjects import subject

import errai
from errai.agents.agent import StrategicAgent
from errai.agents.given import OwnAgent
from errai.agents.reader import read_agent
from errai.agents.solved import SolvedAgent
from errai.arena.lbr import lbr
from errai.arena.lbr.measure import LbrProgress
from errai.arena.lbr.responder import Responder, enumerate_lbr
from errai.arena.lbr.settings import read_setting
from errai.cards.hands import hand_index
from errai.cards.strength import strength
from errai.errors import MatchError, StrategyError, UnsupportedGameError
from errai.games.betting import ActionKind
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Action, Observation, PublicState, Shuffle, raise_to
from errai.games.spot import Spot
from errai.running.stopping import StopToken
from errai.strategies.strategy import Choices

BLIND = ["always-fold", "always-call", "always-raise", "uniform", "fold=0.1,call=0.4,raise=0.5"]


@pytest.fixture(scope="module")
def leduc() -> Game:
    return errai.load_game("leduc")


@pytest.fixture(scope="module")
def solution(leduc: Game) -> SolvedAgent:
    return SolvedAgent(errai.solve(leduc, "1mbb"), "solution")


def careful(state: PublicState, hand: tuple[int, ...]) -> np.ndarray:
    actions = len(state.legal_actions)
    return np.eye(actions)[-1 if hand[0] >= 4 or actions == 1 else -2]


def test_a_function_is_measured_as_the_agent_that_plays_it(leduc: Game) -> None:
    def of_all_hands(state: PublicState) -> np.ndarray:
        return np.stack([careful(state, (card,)) for card in range(6)])

    class Playing:
        def strategy(self, state: PublicState) -> Choices:
            return Choices(state.legal_actions, of_all_hands(state))

    results = [lbr(leduc, given, hands=400, seed=3) for given in (careful, of_all_hands, Playing())]
    assert results[0].won == results[1].won == results[2].won
    assert results[0].agent == "careful"


# --- below the best response ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", [*BLIND, "by-strength", "by-strength:2"])
@pytest.mark.parametrize("setting", ["fc4", "fcpa", "limit"])
def test_on_leduc_it_wins_at_most_what_a_best_response_wins(leduc: Game, agent: str, setting: str) -> None:
    exact = errai.best_response(leduc, agent)
    found = enumerate_lbr(read_agent(agent, leduc), leduc, read_setting(setting, 2))
    assert exact.by_seat_chips is not None
    for won, most in zip(found, exact.by_seat_chips, strict=True):
        assert won <= most + 1e-9


def test_against_a_solution_of_leduc_it_wins_at_most_the_exploitability(leduc: Game, solution: SolvedAgent) -> None:
    exact = errai.best_response(leduc, solution.solution)
    assert exact.exploitability is not None
    for setting in ("fc4", "limit"):
        first, second = enumerate_lbr(solution, leduc, read_setting(setting, 2))
        assert (first + second) / 2.0 <= exact.exploitability.chips + 1e-9
    # It is no best response, but not far from one where it may raise: the value of the game is at stake.
    assert first + second > -0.1


@pytest.mark.parametrize("name", ["kuhn", "two-cards-short"])
@pytest.mark.parametrize("agent", ["uniform", "always-raise", "by-strength:3"])
def test_on_reduced_games_it_wins_at_most_what_a_best_response_wins(name: str, agent: str) -> None:
    game = subject(name)
    assert isinstance(game, Game)
    exact = errai.best_response(game, agent)
    found = enumerate_lbr(read_agent(agent, game), game, read_setting("limit", game.num_rounds))
    assert exact.by_seat_chips is not None
    assert found[0] <= exact.by_seat_chips[0] + 1e-9
    assert found[1] <= exact.by_seat_chips[1] + 1e-9


def test_in_no_limit_it_wins_at_most_what_a_best_response_with_its_bets_wins() -> None:
    game = errai.load_game("leduc.nolimit")
    for agent in ("uniform", "call=0.5,raise=0.5", "by-strength:3"):
        exact = errai.best_response(game, agent, menu="100%, a")
        found = enumerate_lbr(read_agent(agent, game), game, read_setting("fcpa4", 2))
        assert exact.by_seat_chips is not None
        assert found[0] <= exact.by_seat_chips[0] + 1e-6
        assert found[1] <= exact.by_seat_chips[1] + 1e-6
        assert sum(found) > 0.0


def test_against_one_who_always_calls_it_is_the_best_response_on_leduc(leduc: Game) -> None:
    """Looking one action ahead is enough against an opponent who never folds and never raises."""
    exact = errai.best_response(leduc, "always-call")
    found = enumerate_lbr(read_agent("always-call", leduc), leduc, read_setting("limit", 2))
    assert found == pytest.approx(exact.by_seat_chips, abs=1e-12)


# --- enumeration, held against one hand at a time -------------------------------------------------------------------


def _brute_force(agent: StrategicAgent, game: Game, setting: str, seat: int) -> float:
    """The mean over every deal of Leduc, with one pair of hands and one board at a time."""
    responder = Responder(agent, game, read_setting(setting, game.num_rounds))
    cards = range(game.deck.num_cards)
    deals = [(a, b, c) for a in cards for b in cards for c in cards if len({a, b, c}) == 3]

    def play(state: PublicState, against: np.ndarray, mine: int, other: int, board: int) -> float:
        if state.cards_due:
            state = state.with_cards((board,))
            against = responder.without(against, (board,))
        if state.is_over:
            hole = ((mine,), (other,)) if seat == 0 else ((other,), (mine,))
            return state.net_chips(hole)[seat]
        if state.actor == seat:
            return play(state.after(responder.choose(state, mine, against)), against, mine, other, board)
        choices = agent.strategy(state)
        return sum(
            float(choices.probabilities[other, i])
            * play(state.after(action), against * choices.probabilities[:, i], mine, other, board)
            for i, action in enumerate(choices.actions)
            if choices.probabilities[other, i] > 0
        )

    start = responder.start_range(1 - seat)
    return float(np.mean([play(PublicState.start(game), start, *deal) for deal in deals]))


@pytest.mark.parametrize("agent", ["uniform", "by-strength:3"])
def test_the_walk_with_vectors_agrees_with_one_deal_at_a_time(leduc: Game, agent: str) -> None:
    made = read_agent(agent, leduc)
    assert isinstance(made, StrategicAgent)
    found = enumerate_lbr(made, leduc, read_setting("limit", 2))
    for seat in (0, 1):
        assert found[seat] == pytest.approx(_brute_force(made, leduc, "limit", seat), abs=1e-12)


def test_too_many_boards_are_refused() -> None:
    game = errai.load_game("holdem.limit.2p")
    with pytest.raises(UnsupportedGameError, match="boards"):
        enumerate_lbr(read_agent("uniform", game), game, read_setting("limit"))


# --- sampling -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("agent", "setting"), [("uniform", "limit"), ("by-strength", "limit"), ("uniform", "fc4")])
def test_samples_have_the_enumerated_mean(leduc: Game, agent: str, setting: str) -> None:
    """All 3 standard errors wide, by seat: a wrong weight anywhere would show."""
    exact = enumerate_lbr(read_agent(agent, leduc), leduc, read_setting(setting, 2))
    result = lbr(leduc, agent, setting, hands=1_000, seed=5)
    for seat in (0, 1):
        error = result.by_seat_error_chips[seat] / 1.96
        assert abs(result.by_seat_chips[seat] - exact[seat]) < 3 * error
    assert result.interval[0].chips <= sum(exact) / 2.0 <= result.interval[1].chips


def test_deals_of_one_board_have_the_enumerated_mean_and_a_wider_interval(leduc: Game) -> None:
    exact = enumerate_lbr(read_agent("uniform", leduc), leduc, read_setting("limit", 2))
    result = lbr(leduc, "uniform", "limit", hands=4_000, seed=5, of_a_board=10)
    for seat in (0, 1):
        assert abs(result.by_seat_chips[seat] - exact[seat]) < 3 * result.by_seat_error_chips[seat] / 1.96
    boards = result.deals.mean(axis=1).reshape(-1, 10).mean(axis=1)
    half = result.interval[1].chips - result.won.chips
    assert half == pytest.approx(1.959964 * boards.std(ddof=1) / np.sqrt(len(boards)))
    assert half > 1.2 * 1.959964 * result.deals.mean(axis=1).std() / np.sqrt(len(result.deals))
    with pytest.raises(MatchError, match="play at least 40"):
        lbr(leduc, "uniform", "limit", hands=38, of_a_board=10)


def test_bets_that_are_not_asked_about_are_interpolated() -> None:
    """An agent that folds in proportion to the place of a bet in the menu: asking about 3 bets says it of all."""
    game = errai.load_game("holdem.nolimit.2p")
    setting = read_setting("56bets/56bets/56bets/56bets")
    menu = setting.menu(PublicState.start(game)).actions(PublicState.start(game))
    totals = [action.total for action in menu[2:]]
    seen = []

    class Folder(StrategicAgent):
        name = "folder"

        def strategy(self, state: PublicState) -> Choices:
            seen.append(state.line[-1].total)
            folds = 0.9 * totals.index(seen[-1]) / (len(totals) - 1) * (np.arange(1326) % 3 == 0)
            return Choices((FOLD, CALL), np.stack([folds, 1.0 - folds], axis=1))

    start = PublicState.start(game)
    every, some = (Responder(Folder(), game, setting, asked) for asked in (None, 3))
    for hand in (0, 700, 1325):
        against = every.start_range(0)
        values = every.values(start, menu, hand, against)
        seen.clear()
        found = some.values(start, menu, hand, against)
        assert len(seen) <= 4
        assert found.argmax() == values.argmax()
        known = found > -np.inf
        assert known.sum() in (5, 6)
        assert found[known] == pytest.approx(values[known])
    with pytest.raises(MatchError, match="3 bets at least"):
        lbr(game, "uniform", "56bets", hands=40, bets_asked=2)


def test_samples_against_a_solution_have_the_enumerated_mean(leduc: Game, solution: SolvedAgent) -> None:
    exact = enumerate_lbr(solution, leduc, read_setting("limit", 2))
    result = lbr(leduc, solution, "limit", hands=1_000, seed=1)
    for seat in (0, 1):
        assert abs(result.by_seat_chips[seat] - exact[seat]) < 3 * result.by_seat_error_chips[seat] / 1.96


def test_samples_of_a_spot_have_the_enumerated_mean() -> None:
    spot = subject("turn")
    assert isinstance(spot, Spot)
    exact = enumerate_lbr(read_agent("uniform", spot), spot, read_setting("fcpa"))
    result = lbr(spot, "uniform", "fcpa", hands=400, seed=2)
    for seat in (0, 1):
        assert abs(result.by_seat_chips[seat] - exact[seat]) < 3 * result.by_seat_error_chips[seat] / 1.96
    assert result.won.mbb is None


def test_intervals_cover_as_often_as_they_say(leduc: Game) -> None:
    exact = sum(enumerate_lbr(read_agent("uniform", leduc), leduc, read_setting("limit", 2))) / 2.0
    runs = [lbr(leduc, "uniform", "limit", hands=60, seed=seed) for seed in range(20)]
    covering = sum(run.interval[0].chips <= exact <= run.interval[1].chips for run in runs)
    assert covering >= 16  # 19 expected; 16 or more in 99.7 % of such experiments


def test_expectations_leave_less_luck_than_the_cards_would(leduc: Game) -> None:
    """Each seat alone varies less than the chips of hands played out."""
    agent = read_agent("by-strength", leduc)
    assert isinstance(agent, StrategicAgent)
    responder = Responder(agent, leduc, read_setting("limit", 2))
    shuffle, rng, chips = Shuffle(leduc), np.random.default_rng(3), []
    for _ in range(500):
        deal = shuffle.deal(rng)
        state, against = PublicState.start(leduc), responder.start_range(1)
        while not state.is_over:
            if state.cards_due:
                state = state.with_cards(deal.board)
                against = responder.without(against, deal.board)
            elif state.actor == 0:
                state = state.after(responder.choose(state, int(hand_index(deal.hole[0])), against))
            else:
                choices = agent.strategy(state)
                i = rng.choice(len(choices.actions), p=choices.probabilities[int(hand_index(deal.hole[1]))])
                against = against * choices.probabilities[:, i]
                state = state.after(choices.actions[i])
        chips.append(state.net_chips(deal.hole)[0])
    result = lbr(leduc, "by-strength", "limit", hands=1_000, seed=3)
    assert result.deals[:, 0].std() < 0.8 * np.std(chips)
    # Two strong hands cannot both be dealt: the mean of both seats varies less than two independent ones.
    assert result.deals.mean(axis=1).std() < np.sqrt((result.deals**2).mean() / 2.0)


def test_seeds_repeat_to_the_byte_and_processes_do_not_matter(leduc: Game) -> None:
    first = lbr(leduc, "uniform", "limit", hands=40, seed=9)
    assert (lbr(leduc, "uniform", "limit", hands=40, seed=9).deals == first.deals).all()
    assert (lbr(leduc, "uniform", "limit", hands=40, seed=9, processes=2).deals == first.deals).all()
    assert (lbr(leduc, "uniform", "limit", hands=40, seed=8).deals != first.deals).any()


def test_states_without_time_are_counted_in_every_process() -> None:
    game, agent = errai.load_game("holdem.nolimit.2p"), "resolver:from=river,seconds=0.001:by-strength:5"
    one = lbr(game, agent, "fc4", hands=64, seed=2)
    assert one.unsolved > 0
    assert lbr(game, agent, "fc4", hands=64, seed=2, processes=2).unsolved == one.unsolved


def test_an_interrupt_keeps_what_is_finished(leduc: Game) -> None:
    seen: list[LbrProgress] = []

    stop = StopToken()

    def progress(now: LbrProgress) -> None:
        seen.append(now)
        if len(seen) == 2:
            stop.set()

    result = lbr(leduc, "uniform", "limit", hands=100, stop=stop, progress=progress)
    assert (result.status, result.hands_wanted) == ("interrupted", 100)
    assert 0 < result.hands == seen[-1].done < 100
    whole = lbr(leduc, "uniform", "limit", hands=100)
    assert (whole.deals[: len(result.deals)] == result.deals).all()


# --- published, and by hand ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("holdem.nolimit.2p", "fcpa"),
        ("holdem.nolimit.2p", "56bets"),
        ("holdem.nolimit.2p", "2r56bets"),
        ("holdem.limit.2p", "limit"),
    ],
)
def test_folding_always_loses_750(name: str, setting: str) -> None:
    """DeepStack, table 3: 750 +- 0.  The small blind's fold costs 500, the big blind's after a call 1,000.

    The agent folds at once in the small blind, where nothing is left to chance; elsewhere the guess of a hand that is
    checked down is a bad one for this agent, and adds luck instead of taking it away.
    """
    result = lbr(errai.load_game(name), "always-fold", setting, hands=40)
    half = result.interval[1].mbb - result.won.mbb  # type: ignore[operator]
    assert abs(result.won.mbb - 750.0) <= 2.0 * half < 400.0  # type: ignore[operator]
    assert np.sort(np.ptp(result.deals, axis=0))[0] == pytest.approx(0.0, abs=1e-9)


def test_folding_always_loses_250_to_one_who_never_bets() -> None:
    """A big blind that is never bet at is never folded: the mean is that of a hand checked down, 0."""
    game = replace(errai.load_game("leduc.nolimit"), blinds=(100, 50), first_player=(1, 0))
    found = enumerate_lbr(read_agent("always-fold", game), game, read_setting("fc4", 2))
    assert found[0] == pytest.approx(50.0)
    assert found[1] == pytest.approx(0.0, abs=1e-9)


# --- decisions -------------------------------------------------------------------------------------------------------


def test_a_decision_as_counted_by_hand() -> None:
    """The nuts on the river against a range that folds half: the EV of a pot bet is that of its folds and its calls."""
    game = errai.load_game("holdem.nolimit.2p")
    state = PublicState.start(game)
    for cards in ("", "AsKsQs", "2d", "3c"):
        if cards:
            state = state.with_cards(game.deck.parse_cards(cards))
        if cards != "3c":
            state = state.after(CALL).after(CALL)
    assert state.actor == 0
    assert state.pot_chips == 200
    agent = read_agent("fold=0.5,call=0.5", game)
    assert isinstance(agent, StrategicAgent)
    setting = read_setting("c/c/c/fcpa")
    responder = Responder(agent, game, setting)
    royal = int(hand_index(game.deck.parse_cards("JsTs")))
    actions = setting.menu(state).actions(state)
    assert actions == (CALL, raise_to(300), raise_to(20_000))
    against = responder.without(responder.start_range(1), state.board)
    values = responder.values(state, actions, royal, against)
    assert values == pytest.approx([100.0, 0.5 * 100 + 0.5 * 300, 0.5 * 100 + 0.5 * 20_000])
    assert responder.choose(state, royal, against) == raise_to(20_000)
    assert strength([[*state.board, *game.deck.parse_cards("JsTs")]])[0] > 0


# --- settings --------------------------------------------------------------------------------------------------------


def test_the_56_bets() -> None:
    setting = read_setting("56bets")
    shares = setting.menus[2].shares
    assert len(shares) == 55
    assert setting.menus[2].all_in
    assert shares[0] == 0.05
    assert shares[-1] == pytest.approx(94.76618191, abs=1e-8)
    assert [menu.calls_only for menu in setting.menus] == [True, True, False, False]


def test_settings_of_other_rounds_and_menus() -> None:
    leduc = PublicState.start(errai.load_game("leduc.nolimit"))
    assert read_setting("56bets", 2).menu(leduc).text == "56bets"
    own = read_setting("c/fc+50%+a", 2)
    assert own.menus[1].shares == (0.5,)
    assert own.menus[1].all_in
    assert own.menus[1].fold
    kuhn = PublicState.start(errai.load_game("kuhn"))
    assert [action.kind for action in read_setting("fcpa", 1).menu(kuhn).actions(kuhn)] == [
        ActionKind.CALL,
        ActionKind.RAISE,
    ]


@pytest.mark.parametrize("text", ["nonsense", "c/c", "c/c/fcx/fc", "c/c/fc+0%/fc", "fc+", "c/c/c/c/c"])
def test_what_is_no_setting_says_so(text: str) -> None:
    with pytest.raises(MatchError):
        read_setting(text)


class Mute:
    def act(self, observation: Observation) -> Action:
        return CALL


def test_what_cannot_be_measured_says_so(leduc: Game) -> None:
    with pytest.raises(MatchError, match="Each process"):
        lbr(leduc, read_agent("uniform", leduc), "limit", processes=2, hands=100)  # type: ignore[arg-type]
    with pytest.raises(MatchError, match="too few"):
        lbr(leduc, "uniform", "limit", hands=2)
    with pytest.raises(MatchError, match="does not give its strategy"):
        lbr(leduc, OwnAgent(Mute(), "mute"), "limit", hands=10)  # type: ignore[arg-type]
    with pytest.raises(StrategyError):
        lbr(leduc, "no such agent", "limit", hands=10)
