"""Reviews without a solution: charts, spots that are built and kept, and hands of all stakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from charted_hands import CHARTS, played

import errai
from errai.arena import charted
from errai.arena.charted import IN_BIG_BLINDS, load_charts, review_with_charts, spot_of
from errai.arena.histories.formats import read_text
from errai.arena.review import review_hands
from errai.errors import ChartError, HistoryError, MatchError
from errai.games.hand import CALL, FOLD, raise_to

CASES = Path(__file__).parent / "histories" / "cases"


@pytest.fixture
def charts(tmp_path):
    (tmp_path / "charts.toml").write_text(CHARTS)
    return load_charts(tmp_path / "charts.toml")


def test_the_spot_of_a_hand(charts) -> None:
    spot = spot_of(played(), charts)
    assert (spot.board_text, spot.pot, spot.effective_stack, spot.big_blind) == ("7c 6d 2h", 500, 750, 100)
    given = errai.Spot.from_dict({**spot.to_dict(), "ranges": {"oop": "KK:0.5, AQs, J9s, 22, 65s", "ip": "AA"}})
    assert (spot.ranges[0].weights == given.ranges[0].weights).all()


def test_a_review_is_that_of_a_solution(charts, tmp_path) -> None:
    hands = [played(1), played(2, later=(raise_to(750), CALL, CALL, CALL, CALL, CALL))]
    library = tmp_path / "library"
    found = review_with_charts(hands, charts, library, target="0.2%pot", threads=1)
    assert (found.hands, found.units) == (2, IN_BIG_BLINDS)
    solution = errai.solve(spot_of(hands[0], charts), "0.2%pot", threads=1)
    expected = review_hands(hands, solution)

    def in_big_blinds(action: str) -> str:
        name, _, chips = action.partition(" ")
        return f"{name} {float(chips) / 100:g}bb" if chips else action

    assert sorted(
        (d.hand, d.player, d.street, d.action, round(100 * d.loss_chips, 6)) for d in found.decisions
    ) == sorted(
        (d.hand, d.player, d.street, in_big_blinds(d.action), round(d.loss_chips, 6)) for d in expected.decisions
    )
    # Lines in big blinds lead to the nodes, and actions are named as the lines name them.
    assert any("bb" in d.line for d in found.decisions)
    for one in found.decisions:
        node = solution.at(one.line)
        assert node.solution.deck.cards_text(node.board) == one.board
        assert [in_big_blinds(action) for action in node.actions] == list(one.probabilities)
    # Both hands are of one spot, which is solved once and read the next time.
    (kept,) = library.glob("*.errai")
    assert {decision.solution for decision in found.decisions} == {kept.stem}
    before = kept.stat().st_mtime_ns
    said: list[tuple] = []
    again = review_with_charts(
        hands, charts, library, target="0.2%pot", threads=1, progress=lambda *now: said.append(now)
    )
    assert [now[:2] for now in said] == [(0, 1)]
    assert [d.loss_chips for d in again.decisions] == [d.loss_chips for d in found.decisions]
    assert kept.stat().st_mtime_ns == before
    assert errai.load_solution(kept).verify().certified
    only = review_with_charts(hands, charts, library, player="Ben", target="0.2%pot", threads=1)
    assert {d.player for d in only.decisions} == {"Ben"}
    with pytest.raises(MatchError, match="'Zoe'"):
        review_with_charts(hands, charts, library, player="Zoe")


def test_why_a_hand_is_left_out(charts, tmp_path) -> None:
    for hand, reason in (
        (played(opening=(FOLD,), later=()), "The hand ends before the flop"),
        (played(opening=(raise_to(1000), CALL), later=()), "nobody could bet there"),
        (played(opening=(CALL, CALL)), "There is no chart for BB and BTN with no raise before the flop"),
        (played(opening=(raise_to(250), raise_to(600), CALL)), "with 2 raises, the last by BB"),
    ):
        with pytest.raises(HistoryError, match=reason):
            spot_of(hand, charts)
        assert sum(review_with_charts([hand], charts, tmp_path / "library").left_out.values()) == 1
    stop = errai.StopToken()
    stop.set()
    stopped = review_with_charts([played()], charts, tmp_path / "library", stop=stop)
    assert stopped.left_out == {"The review was stopped before this hand.": 1}


def test_bets_are_fitted_to_time_and_memory(tmp_path) -> None:
    (tmp_path / "charts.toml").write_text(CHARTS.replace('[bets]\nbet = "100%"\nraise = ""\n', ""))
    charts = load_charts(tmp_path / "charts.toml")
    none = review_with_charts([played()], charts, tmp_path / "library", memory=1 << 10)
    assert none.left_out == {"The spot of the hand takes more time or memory than is allowed, with any bets.": 1}
    found = review_with_charts([played()], charts, tmp_path / "library", memory=16 << 20, target="1%pot")
    (kept,) = (tmp_path / "library").glob("*.errai")
    assert found.hands == 1
    assert errai.load_solution(kept).memory_bytes <= 16 << 20


def test_what_was_solved_is_not_estimated_again(tmp_path, monkeypatch) -> None:
    (tmp_path / "charts.toml").write_text(CHARTS.replace('[bets]\nbet = "100%"\nraise = ""\n', ""))
    charts, library, asked, solved = load_charts(tmp_path / "charts.toml"), tmp_path / "library", [], []

    def counting(calls, function):
        return lambda *given, **options: (calls.append(1), function(*given, **options))[1]

    monkeypatch.setattr(charted, "fits", counting(asked, charted.fits))
    monkeypatch.setattr(charted, "solve", counting(solved, charted.solve))

    def review(**limits):
        asked.clear(), solved.clear()
        found = review_with_charts([played()], charts, library, **{"target": "2%pot", "memory": 16 << 20} | limits)
        return found.decisions, len(asked), len(solved)

    first, *_ = review()
    # Also with less time and memory, and with a coarser target: it is better than what would be solved.
    for limits in ({}, {"seconds": 5.0}, {"memory": 1 << 10}, {"target": "10%pot"}):
        assert review(**limits) == (first, 0, 0), limits
    # More of them might allow finer bets, which are estimated once.
    assert review(seconds=61.0)[1] == 1
    assert review(seconds=61.0)[1:] == review()[1:] == (0, 0)
    assert review(target="0.2%pot")[1:] == (1, 1)
    assert review(target="0.2%pot")[1:] == (0, 0)
    finest = max(library.glob("*.errai"), key=lambda path: path.stat().st_mtime_ns)
    assert errai.load_solution(finest).exploitability.pot_percent <= 0.2


def test_hands_at_tables_find_their_charts() -> None:
    charts = load_charts("six-handed")
    read = read_text((CASES / "ps_cash_six.txt").read_text())
    spots = []
    for hand in read.read:
        try:
            spots.append((hand, spot_of(hand, charts)))
        except HistoryError:
            continue
    assert len(spots) >= 3
    for hand, spot in spots:
        two = hand.two_left
        assert (spot.pot, spot.effective_stack) == (two.pot_chips, two.effective_chips)
        assert spot.board_text.split() == [hand.rules.deck.card_text(card) for card in hand.board[:3]]


def test_the_charts_of_the_package_can_be_read() -> None:
    assert len(load_charts("heads-up").charts) == 6
    assert len(load_charts("six-handed").charts) == 10


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("[[chart]]", "[chart]", "tables \\[\\[chart\\]\\]"),
        ("raises = 1", "raises = -1", "raises is a number"),
        ("raises = 1", "raises = true", "raises is a number"),
        ('raiser = "BTN"', 'raiser = "CO"', "raiser is the position"),
        ('raiser = "BTN"', "", "raiser is the position"),
        ('BB = "KK:0.5, AQs, J9s, 22, 65s"', "", "the ranges of two of"),
        ('BTN = "AA', 'XX = "AA', "the ranges of two of"),
        ('BTN = "AA', 'BTN = "AAA', "the range of BTN"),
        ('bet = "100%"', 'bet = "much"', "\\[bets\\] cannot be used"),
        ("raises = 1", "raises = ", "line"),
        ("[bets]", "[bats]", "or nothing else"),
    ],
)
def test_faulty_charts(tmp_path, old: str, new: str, wanted: str) -> None:
    path = tmp_path / "charts.toml"
    path.write_text(CHARTS.replace(old, new))
    with pytest.raises(ChartError, match=wanted):
        load_charts(path)
    path.write_text(CHARTS + CHARTS[CHARTS.index("[[chart]]") :])
    with pytest.raises(ChartError, match="same situation"):
        load_charts(path)
    with pytest.raises(ChartError, match="cannot be read"):
        load_charts(tmp_path / "nothing.toml")
