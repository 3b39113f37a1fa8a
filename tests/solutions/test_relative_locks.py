"""Locks relative to a solution: the least change that has a frequency, written, read and solved again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_subjects import TURN, WEIGHTED_RIVER

import errai
from errai.cards.hands import fitting_weights
from errai.errors import LineError, LockError
from errai.games.catalogue import parse_game
from errai.games.lock_file import MAX_FILE_BYTES
from errai.games.spot import parse_spot
from errai.solutions.line_patterns import decisions, pattern_steps
from errai.solutions.relative_locks import observed_locks, relative_locks
from errai.solutions.strategy_locks import dealt_at

KUHN, LEDUC = errai.load_game("kuhn"), errai.load_game("leduc")


@pytest.fixture(scope="module")
def kuhn() -> errai.Solution:
    return errai.solve(KUHN, "0.001mbb")


@pytest.fixture(scope="module")
def leduc() -> errai.Solution:
    return errai.solve(LEDUC, "5mbb")


@pytest.fixture(scope="module")
def river() -> errai.Solution:
    return errai.solve(parse_spot(WEIGHTED_RIVER), "0.5%pot")


@pytest.fixture(scope="module")
def turn() -> errai.Solution:
    return errai.solve(parse_spot(TURN), "0.5%pot")


# --- lines with wildcards --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("", []),
        ("k, b50 / 7s 8s 9s / *", ["k", "b50", "7s8s9s", "*"]),
        ("check bet * / * / ** raise * call", ["check", "bet*", "/*", "**", "raise*", "call"]),
        ("* / * / *", ["*", "/*", "*"]),
        ("check check / * / * * / * / call", ["check", "check", "/*", "*", "*", "/*", "call"]),
        ("check check / * check *", ["check", "check", "/*", "check", "*"]),
        ("check bet 33% | A♠ | Bet *", ["check", "bet 33%", "As", "bet*"]),
        ("check check 7s *", ["check", "check", "7s", "*"]),
    ],
)
def test_the_steps_of_a_pattern(pattern: str, wanted: list[str]) -> None:
    assert pattern_steps(pattern) == wanted


def walked(node: Any, line: str = "") -> list[Any]:
    """All decisions below a node, found by going everywhere."""
    found = [node] if node.player is not None else []
    for child in node.children if node.kind in ("decision", "chance") else ():
        found += walked(node[child])
    return found


def test_patterns_against_a_walk_of_everything(leduc: errai.Solution) -> None:
    every = walked(leduc.root)

    def lines(nodes: list[Any]) -> list[str]:
        return sorted(node.line for node in nodes)

    for player in (0, 1):
        own = [node for node in every if node.player == player]
        assert lines(decisions(leduc, "**", player)) == lines([n for n in own if "/" not in n.line])
        assert lines(decisions(leduc, "** / * / **", player)) == lines([n for n in own if "/" in n.line])
        raised = [n for n in own if "/" in n.line and "raise" in n.line.split("/")[2].split()[-2:]]
        assert lines(decisions(leduc, "** / * / ** raise *", player)) == lines(raised)
        on_kings = [n for n in own if "/ Kh /" in n.line]
        assert lines(decisions(leduc, "** / Kh / **", player)) == lines(on_kings)


def test_patterns_that_lead_nowhere_or_to_both_players(leduc: errai.Solution, river: errai.Solution) -> None:
    with pytest.raises(LineError, match="decisions of player 0 and of player 1; name the player"):
        decisions(leduc, "**")
    with pytest.raises(LineError, match=r"No decision fits the line '\* fold'"):
        decisions(leduc, "* fold")
    with pytest.raises(LineError, match="No player acts after 'check check'"):
        decisions(leduc, "check check")
    with pytest.raises(LineError, match="ambiguous"):
        decisions(river, "* bet")
    assert [node.line for node in decisions(river, "check bet *")] == ["check bet 50", "check bet 300"]


def test_a_pattern_leads_to_so_many_decisions_at_most(leduc: errai.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errai.solutions.line_patterns.MOST_DECISIONS", 6)
    assert len(decisions(leduc, "check check / * / check")) == 6
    with pytest.raises(LineError, match="more than 6 decisions; name some"):
        decisions(leduc, "** / * / check")


def test_all_flops_are_not_one_pattern() -> None:
    """``*`` is one card, so a flop is named."""
    game = """
GAMEDEF
limit
numPlayers = 2
numRounds = 2
blind = 10 5
raiseSize = 10 10
firstPlayer = 2 1
maxRaises = 1 1
numSuits = 2
numRanks = 4
numHoleCards = 1
numBoardCards = 0 3
END GAMEDEF
"""
    solution = errai.solve(parse_game(game), max_iterations=2)
    with pytest.raises(LineError, match="3 cards are dealt after 'call check'; name them"):
        decisions(solution, "call check / * / *")
    assert len(decisions(solution, "call check / JsQsKs / *")) == 2


# --- the least change ------------------------------------------------------------------------------------------------


def total(node: Any, strategies: np.ndarray, named: list[int]) -> tuple[float, np.ndarray]:
    """The frequency of some actions over all pairs of hands, and the weight of each hand."""
    p = node.player
    pairs = node.ranges[p] * fitting_weights(node.solution.tree.root.hands, node.ranges[1 - p])
    return float(pairs @ np.nan_to_num(strategies)[:, named].sum(axis=1) / pairs.sum()), pairs / pairs.sum()


def locked_strategies(solution: errai.Solution, node: Any, locks: Any) -> np.ndarray:
    """float64[H, A]: the locks of a decision, read from their tables as a solve reads them."""
    from errai.tree.locks import read_locks

    found = read_locks(locks.tables, solution.subject, solution.tree.betting)
    assert found is not None
    (lock,) = [lock for lock in found.locks if lock.node == node.node]
    return lock.strategy.T


@pytest.mark.parametrize(("change", "what", "wanted"), [("more", "fold +5%", 0.05), ("less", "fold -15%", -0.15)])
def test_no_other_strategy_with_the_frequency_is_nearer(
    river: errai.Solution, change: Any, what: str, wanted: float
) -> None:
    node = river.at("bet 50")
    found = relative_locks(river, "bet 50", change, what, decimals=12)
    own = locked_strategies(river, node, found)
    before, weight = total(node, node.strategies, [0])
    after, _ = total(node, own, [0])
    assert after == pytest.approx(before + wanted, abs=1e-9)
    # One shift of the log-odds for every hand that mixes, and the proportions of the other actions as they were.
    old = np.nan_to_num(node.strategies)
    mixes = (old > 1e-3).sum(axis=1) >= 2
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.log(own[:, 0] / own[:, 1:].sum(axis=1)) - np.log(old[:, 0] / old[:, 1:].sum(axis=1))
    moved = mixes & (old[:, 0] > 1e-3) & (old[:, 0] < 1 - 1e-3)
    assert moved.sum() > 3
    np.testing.assert_allclose(shift[moved], found.shifts[0].log_odds[0], atol=1e-2)
    # An independent minimisation of the relative entropy finds nothing nearer.
    from scipy.optimize import minimize

    hands = np.flatnonzero(moved & (weight > 0))
    p, w = old[hands, 0], weight[hands]
    rest = before + wanted - float(np.delete(weight, hands) @ np.delete(own[:, 0], hands))

    def entropy(q: np.ndarray) -> float:
        return float(w @ (q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p))))

    nearest = minimize(
        entropy,
        np.clip(p + (rest - float(w @ p)) / w.sum(), 1e-6, 1 - 1e-6),
        constraints=[{"type": "eq", "fun": lambda q: float(w @ q) - rest}],
        bounds=[(1e-9, 1 - 1e-9)] * len(p),
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert entropy(own[hands, 0]) <= nearest.fun + 1e-6
    np.testing.assert_allclose(own[hands, 0], nearest.x, atol=2e-3)


def test_the_changes_by_hand_in_kuhn(kuhn: errai.Solution) -> None:
    # After "check bet" the jack folds, the ace calls, and the king has a mix; here cards are A, K and Q.
    before = kuhn.at("check bet").frequencies[0]
    for change, what, wanted in [
        ("more", "fold +10%", before + 0.1),
        ("more", "fold x1.1", 1.1 * before),
        ("less", "fold 10%", before - 0.1),
        ("less", "fold x0.9", 0.9 * before),
        ("to", "fold 50%", 0.5),
    ]:
        found = relative_locks(kuhn, "check bet", change, what, decimals=12)
        assert found.shifts[0].after[0] == pytest.approx(wanted, abs=1e-9)
        plays = found.tables["check bet 1"]
        assert (plays["As"], plays["Qs"]) == ({"call": 1.0}, {"fold": 1.0})


def test_never_and_always(kuhn: errai.Solution, leduc: errai.Solution) -> None:
    assert relative_locks(kuhn, "bet", "never", "call").tables == {"bet 1": {"Qs,Ks,As": {"fold": 1.0}}}
    assert relative_locks(kuhn, "", "always", "bet", hands="K").tables == {"": {"Ks": {"bet 1": 1.0}}}
    # Nothing else is left of what the hand does, so it takes the better of the other actions.
    found = relative_locks(leduc, "bet 2 raise", "never", "fold", hands="Q")
    assert found.tables == {"bet 2 raise 4": {"Qh,Qs": {"call": 1.0}}}
    solved = errai.solve(KUHN, "0.01mbb", locks=relative_locks(kuhn, "bet", "never", "call").tables)
    # Nobody calls a bet, so player 0 wins the ante at least.
    assert solved.values.chips[0] == pytest.approx(1.0, abs=1e-4)


def test_hands_and_equities_and_the_rest(river: errai.Solution) -> None:
    node = river.at("check")
    equity = node.equity[1]
    found = relative_locks(river, "check", "always", "check", equity=(0.0, 0.4), rest=True)
    own = locked_strategies(river, node, found)
    held = ~np.isnan(node.strategies[:, 0]) & (node.ranges[1] > 0)
    weak = held & (np.round(equity, 9) < 0.4)
    assert 0 < weak.sum() < held.sum()
    assert (own[weak] == np.eye(len(node.actions))[0]).all()
    np.testing.assert_allclose(own[held & ~weak], node.strategies[held & ~weak], atol=2e-6)
    free = relative_locks(river, "check", "always", "check", equity=(0.0, 0.4))
    assert (locked_strategies(river, node, free)[held & ~weak] == 0.0).all()
    named = relative_locks(river, "check", "never", "bet", hands="JJ, TT").tables
    assert list(named["check"].values()) == [{"check": 1.0}]


def test_several_decisions_reach_a_frequency_together_or_each(leduc: errai.Solution) -> None:
    line = "bet call / * / bet"
    together = relative_locks(leduc, line, "more", "fold +5%", floor=0.01)
    (shift,) = together.shifts
    assert shift.decisions == 6
    assert shift.after[0] - shift.before[0] == pytest.approx(0.05, abs=1e-5)
    each = relative_locks(leduc, line, "more", "fold +5%", floor=0.01, each=True)
    # The suit of a card does not matter, so there are three kinds of boards.
    assert len(each.shifts) == 3
    for one in each.shifts:
        assert one.decisions == 2
        assert one.after[0] - one.before[0] == pytest.approx(0.05, abs=1e-5)
    assert len({round(s.log_odds[0], 3) for s in each.shifts}) > 1


def test_locks_on_all_cards_keep_the_suits_merged(turn: errai.Solution, leduc: errai.Solution) -> None:
    from errai.tree.public_tree import plan_public_tree

    for solution, line in ((turn, "check check / * / check"), (leduc, "check check / * / check")):
        found = relative_locks(solution, line, "more", "bet x1.1", floor=0.001)
        plan = plan_public_tree(solution.subject, locks=found.tables)
        free = plan_public_tree(solution.subject)
        assert len(plan.root.symmetries) == len(free.root.symmetries)


# --- observations ----------------------------------------------------------------------------------------------------


def test_observations_are_shrunk_towards_the_solution(river: errai.Solution) -> None:
    node = river.at("bet 50")
    counts = {"fold": 40, "call": 25, "raise": 5}
    found = observed_locks(river, {"bet 50": counts}, pseudo_hands=30, floor=0.02, decimals=12)
    own = locked_strategies(river, node, found)
    labels = [label.split()[0] for label in node.actions]
    for action, count in counts.items():
        places = [i for i, label in enumerate(labels) if label == action]
        before, _ = total(node, node.strategies, places)
        after, _ = total(node, own, places)
        assert after == pytest.approx((count + 30 * before) / (70 + 30), abs=1e-8), action
    nothing = observed_locks(river, {"bet 50": {"fold": 1, "*": 0}}, pseudo_hands=1e9)
    np.testing.assert_allclose(nothing.shifts[0].after, nothing.shifts[0].before, atol=1e-6)


def test_observations_on_several_lines(kuhn: errai.Solution) -> None:
    counts = {"check bet": {"fold": 6, "call": 4}, "bet": {"*": 3, "fold": 9}}
    found = observed_locks(kuhn, counts, pseudo_hands=10)
    assert set(found.tables) == {"check bet 1", "bet 1"}
    assert [shift.actions for shift in found.shifts] == [("fold", "call"), ("fold", "*")]
    with pytest.raises(LockError, match="locked twice after 'check bet 1'"):
        observed_locks(kuhn, {"check bet": {"fold": 6, "call": 4}, "* bet": {"fold": 6, "call": 4}})
    for counts in ({1: {"fold": 1}}, {"check bet": {2: 3}}, {None: {"fold": 1}}):
        with pytest.raises(LockError, match="are texts, not"):
            observed_locks(kuhn, counts)


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "what", "message"),
    [
        ("more", "fold", "cannot be read"),
        ("more", "fold -5%", "does not fit 'more'"),
        ("less", "fold +5%", "does not fit 'less'"),
        ("less", "fold x1.5", "does not fit 'less'"),
        ("more", "fold x0.5", "does not fit 'more'"),
        ("to", "fold +5%", "does not fit 'to'"),
        ("more", "fold 5", "cannot be read"),
        ("more", "fold x5%", "cannot be read"),
        ("more", "fold +99%", "frequencies are from 0 to 100 %"),
        ("never", " ", "that is never taken"),
        ("often", "fold", "is no change"),
        ("more", "raise 5%", "the actions there are: fold, call"),
        ("to", "fold 99%", "A floor of probabilities"),
        ("to", "fold 1%", "anything but 'fold' at all"),
    ],
)
def test_changes_that_cannot_be(kuhn: errai.Solution, change: Any, what: str, message: str) -> None:
    with pytest.raises(LockError, match=message):
        relative_locks(kuhn, "check bet", change, what)


def test_a_floor_lets_hands_begin(kuhn: errai.Solution) -> None:
    found = relative_locks(kuhn, "check bet", "to", "fold 90%", floor=0.01)
    assert found.shifts[0].after[0] == pytest.approx(0.9, abs=1e-5)
    plays = found.tables["check bet 1"]
    # To fold the best hand costs most, so it begins last.
    assert plays["As"]["fold"] < plays["Ks"]["fold"]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({}, "Nothing was observed"),
        ({"bet": {}}, "how often each action was seen was expected"),
        ({"bet": {"fold": 0, "call": 0}}, "no action was seen at all"),
        ({"bet": {"fold": -1, "call": 2}}, "the count of 'fold'"),
        ({"bet": {"fold": "x", "call": 2}}, "the count of 'fold'"),
        ({"bet": {"fold": 3}}, "Nothing is said about 'call'"),
        ({"bet": {"fold": 3, "f": 2, "call": 1}}, "named twice"),
    ],
)
def test_counts_that_are_none(kuhn: errai.Solution, counts: Any, message: str) -> None:
    with pytest.raises(LockError, match=message):
        observed_locks(kuhn, counts)


def test_hands_and_intervals_that_are_none(kuhn: errai.Solution, river: errai.Solution) -> None:
    with pytest.raises(LockError, match="none of these hands"):
        relative_locks(river, "check", "never", "bet", hands="22")
    with pytest.raises(LockError, match="'Jx' is not a hand"):
        relative_locks(kuhn, "check", "never", "bet", hands="Jx")
    with pytest.raises(LockError, match="is empty"):
        relative_locks(kuhn, "check", "never", "bet", equity=(0.5, 0.5))
    with pytest.raises(LineError, match="The player is 0 or 1"):
        relative_locks(kuhn, "check", "never", "bet", player=2)


# --- written, read and solved ----------------------------------------------------------------------------------------


def bits(solution: errai.Solution) -> list[bytes]:
    return [array.tobytes() for pair in solution.strategy for array in pair]


BY_HAND: dict[str, Any] = {
    "kuhn": ("check bet", "to", "fold 50%"),
    "leduc": ("bet", "never", "fold"),
    "river": ("bet 50", "more", "fold +5%"),
    "turn": ("check check / * / check", "more", "bet x1.05"),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_same_locks_by_hand_and_from_a_file_give_the_same_bits(name: str, request: Any, tmp_path: Any) -> None:
    solution = request.getfixturevalue(name)
    line, change, what = BY_HAND[name]
    found = relative_locks(solution, line, change, what)
    by_hand = {}
    for node in decisions(solution, line):
        own = locked_strategies_at(node, found)
        table = {}
        for hand in np.flatnonzero(own.sum(axis=1) > 0):
            table[node.hands[hand]] = {a: float(x) for a, x in zip(node.actions, own[hand], strict=True) if x > 0}
        by_hand[node.line] = table
    errai.save_locks(found.tables, tmp_path / "locks.toml")
    settings: dict[str, Any] = {"target": "1%pot" if name in ("river", "turn") else "1mbb"}
    wanted = errai.solve(solution.subject, **settings, locks=by_hand)
    for locks in (found.tables, errai.load_locks(tmp_path / "locks.toml")):
        solved = errai.solve(solution.subject, **settings, locks=locks)
        assert bits(solved) == bits(wanted)
        assert solved.exploitability.chips == wanted.exploitability.chips
    for node in decisions(wanted, line):
        assert node.locked


def locked_strategies_at(node: Any, found: Any) -> np.ndarray:
    lock = found.locks.at(node.node, dealt_at(node))
    assert lock is not None
    return lock.strategy.T


def test_saving_locks(tmp_path: Any) -> None:
    path = tmp_path / "locks.toml"
    errai.save_locks({"check": {"check": 0.5, "bet 1": 0.5}, "bet": "best"}, path)
    assert errai.load_locks(path).tables == {
        "check": {"*": {"check": 0.5, "bet 1": 0.5}},
        "bet": {"*": "best"},
    }
    before = path.read_bytes()
    with pytest.raises(LockError, match="no locks to write"):
        errai.save_locks({}, path)
    huge = {"check": {f"A{i}": {"check": 1.0} for i in range(MAX_FILE_BYTES // 20)}}
    with pytest.raises(LockError, match="lock fewer"):
        errai.save_locks(huge, path)
    assert path.read_bytes() == before
    with pytest.raises(errai.ErraiError, match="does not exist; create it first"):
        errai.save_locks({"check": "best"}, tmp_path / "none" / "locks.toml")


def test_an_empty_file_of_locks_is_refused(tmp_path: Any) -> None:
    path = tmp_path / "locks.toml"
    path.write_text("# nothing yet\n")
    with pytest.raises(LockError, match=r"locks\.toml: The file of locks is empty"):
        errai.load_locks(path)
