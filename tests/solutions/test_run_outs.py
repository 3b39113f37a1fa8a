"""What follows each card, against the nodes after it and a plain walk over real hands and boards."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from plain_walk import plain, put_in, solved

import errai
from errai.errors import LineError
from errai.solutions import run_outs
from errai.solutions.node import SolutionNode
from errai.solutions.stored import SolutionFile

NAMES = ("turn", "flop", "leduc", "two-cards-short")


def closed(name: str) -> list[SolutionNode]:
    """Nodes at which cards are dealt, on one board each."""
    found: dict[str, SolutionNode] = {}
    for node in plain(name).nodes.values():
        if node.kind == "chance" and node.ranges.any(axis=1).all():
            actions = " ".join(word for word in node.line.split() if word not in node.board_text)
            found.setdefault(actions if node.street == 0 else f"{node.street}", node)
    return list(found.values())[:3]


@pytest.mark.parametrize("name", NAMES)
def test_every_card_has_the_values_of_the_node_after_it(name: str) -> None:
    for node in closed(name):
        found = node.run_outs()
        count = node.solution.tree.root.new_cards[node.street]
        deals = ["".join(cards) for cards in combinations(node.children, count)]
        assert Counter(deal for row in found.rows for deal in row.deals) == Counter(deals)
        assert sum(row.probability for row in found.rows) == pytest.approx(1.0)
        for row in found.rows:
            for deal in {row.deals[0], row.deals[-1]}:
                after = node[deal]
                chance = len(row.deals) * after.reached / node.reached
                assert (found.player, found.actions) == (after.player, after.actions)
                np.testing.assert_allclose(row.frequencies, after.frequencies, atol=1e-9)
                np.testing.assert_allclose(row.ev_chips, after.range_ev, atol=1e-9 * node.pot_chips)
                np.testing.assert_allclose(row.equity, after.range_equity, atol=1e-9)
            assert row.probability == pytest.approx(chance)


@pytest.mark.parametrize("name", ["turn", "flop", "leduc"])
def test_a_plain_walk_finds_the_same(name: str) -> None:
    walk = plain(name)
    node = next(n for n in closed(name) if n.street == 0)
    found = node.run_outs()
    # The probability of a card: over all pairs of hands and all cards that neither hand nor the board has.
    total, of_card = 0.0, Counter[str]()
    reach = np.outer(*(node.ranges[p][walk.held] for p in (0, 1))) * walk.fit
    for deal in node.children:
        (card,) = node.solution.deck.parse_cards(deal)
        free = np.array([card not in cards for cards in np.array(walk.cards, dtype=object)[walk.held]])
        of_card[deal] = float((reach * free[:, None] * free[None, :]).sum())
        total += of_card[deal]
    for row in found.rows:
        assert row.probability == pytest.approx(sum(of_card[deal] for deal in row.deals) / total)
        after = walk.nodes[node[row.deals[0]].line]
        weights = [walk.pairs(after, p) * after.ranges[p][walk.held][:, None] for p in (0, 1)]
        due = 5 - len(after.board) if name != "leduc" else 0
        shares = walk.equity(frozenset(after.board), due)
        for p in (0, 1):
            mine = weights[p] if p == 0 else weights[p].T
            won = (mine * walk.won[after.line][p]).sum() / mine.sum() - put_in(after, p)
            assert row.ev_chips[p] == pytest.approx(won, abs=1e-9 * node.pot_chips)
            equity = (mine * (shares if p == 0 else 1.0 - shares)).sum() / mine.sum()
            assert row.equity[p] == pytest.approx(equity, abs=1e-9)
        plays = np.nan_to_num(after.strategies[walk.held])
        own = weights[after.player].sum(axis=1)
        np.testing.assert_allclose(row.frequencies, own @ plays / own.sum(), atol=1e-9)


def test_equivalent_cards_share_a_row() -> None:
    rows = solved("turn").at("check check").run_outs().rows
    # On Qs Jh 2s 8h, with these ranges, spades and hearts are apart; clubs and diamonds are alike.
    assert ("2c", "2d") in [row.deals for row in rows]
    assert len(rows) < 48


@pytest.mark.parametrize("name", ["turn", "leduc", "two-cards-short"])
def test_the_mean_is_that_of_the_node_before(name: str) -> None:
    for node in closed(name):
        mean = node.run_outs().mean()
        assert mean.deals == ()
        np.testing.assert_allclose(mean.ev_chips, node.range_ev, atol=1e-9 * node.pot_chips)
        np.testing.assert_allclose(mean.equity, node.range_equity, atol=1e-9)
        if len(mean.frequencies):
            assert mean.frequencies.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["leduc", "flop"])
def test_a_file_that_is_read_in_parts(name: str, tmp_path: Path) -> None:
    solved(name).save(tmp_path / "it.errai")
    opened = errai.open_solution(tmp_path / "it.errai")
    assert isinstance(opened, SolutionFile)
    for node in closed(name)[-2:]:
        here, there = opened.at(node.line).run_outs(), node.run_outs()
        assert [row.deals for row in here.rows] == [row.deals for row in there.rows]
        assert here.actions == there.actions
        for mine, other in zip(here.rows, there.rows, strict=True):
            np.testing.assert_allclose(mine.numbers, other.numbers, atol=1e-9 * node.pot_chips)


def test_an_all_in_leaves_nobody_to_act() -> None:
    found = solved("flop").at("bet 60 call").run_outs()
    assert (found.player, found.actions, found.all_in) == (None, (), ())
    for row in found.rows:
        # Without further bets what a range wins is its equity times the pot.
        np.testing.assert_allclose(row.ev_chips, row.equity * found.pot_chips, atol=1e-6)


def test_all_in_bets_are_marked() -> None:
    found = solved("flop").at("check check").run_outs()
    assert dict(zip(found.actions, found.all_in, strict=True)) == {"check": False, "bet 60": True}


def test_where_no_card_comes() -> None:
    with pytest.raises(LineError, match="closes a street"):
        solved("turn").root.run_outs()
    with pytest.raises(LineError, match="after 'check'"):
        solved("turn").at("check").run_outs()


def test_many_deals_have_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    node = solved("leduc").at("check check")
    known = node.run_outs()
    monkeypatch.setattr(run_outs, "MOST_EVALUATED", 2)
    found = node.run_outs()
    assert "at most 2" in found.why_no_ev
    assert "at most 2" in found.why_no_equity
    for row, other in zip(found.rows, known.rows, strict=True):
        assert np.isnan(row.ev_chips).all()
        assert np.isnan(row.equity).all()
        assert row.probability == other.probability
        np.testing.assert_array_equal(row.frequencies, other.frequencies)
    assert math.isnan(found.mean().ev_chips[0])
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"][0]["ev_chips"] == [None, None]


def test_sorting_and_data() -> None:
    found = solved("turn").at("check check").run_outs()
    for place, column in enumerate(found.columns[1:]):
        values = [row.numbers[place] for row in found.sorted_by(column)]
        assert values == sorted(values, reverse=True)
        assert len(values) == len(found.rows)
    with pytest.raises(LineError, match="'bet 7'"):
        found.sorted_by("bet 7")
    sizes = {action: share for action, share in zip(found.actions, found.shares, strict=True) if share is not None}
    for action, share in sizes.items():
        assert found.sorted_by(f"bet {share.percent:g}%") == found.sorted_by(action)
    assert sizes
    rows = list(csv.reader(io.StringIO(found.to_csv("equity_0"))))
    assert rows[0] == list(found.columns)
    assert [row[0].split() for row in rows[1:]] == [list(row.deals) for row in found.sorted_by("equity_0")]
    assert [float(value) for value in rows[1][1:]] == list(found.sorted_by("equity_0")[0].numbers)
    data = found.to_dict("probability")
    assert data["rows"][0]["probability"] == max(row.probability for row in found.rows)
    assert data["player_names"] == ["out of position", "in position"]
