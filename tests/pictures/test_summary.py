from __future__ import annotations

import numpy as np
import pytest

from errai.errors import InputError
from errai.pictures.summary import summarise


def by_label(summary):
    return {item.label: item for item in summary.classes}


def test_square_is_laid_out_as_players_know_it(flop):
    summary = summarise(flop)
    labels = [item.label for item in summary.classes]
    assert len(labels) == 169
    assert labels[0] == "AA"
    assert labels[1] == "AKs"
    assert labels[13] == "AKo"
    assert labels[14] == "KK"
    assert labels[-1] == "22"
    assert labels[12] == "A2s"
    assert labels[12 * 13] == "A2o"
    assert len(set(labels)) == 169


def test_combos_leave_out_the_board(flop):
    cells = by_label(summarise(flop))
    assert cells["AA"].combos == 6
    assert cells["TT"].combos == 3
    assert cells["T9s"].combos == 3
    assert cells["T9o"].combos == 6
    assert cells["AKo"].combos == 12
    assert sum(item.combos for item in cells.values()) == 49 * 48 // 2


def test_shares_are_weighted_by_reach(flop):
    index = flop.hands.index("AhAd") if "AhAd" in flop.hands else flop.hands.index("AdAh")
    cell_hands = [i for i, h in enumerate(flop.hands) if h[0] == h[2] == "A"]
    flop.ranges[0, cell_hands] = 0.0
    flop.ranges[0, index] = 0.5
    flop.strategies[index] = [1.0, 0.0, 0.0, 0.0, 0.0]
    aces = by_label(summarise(flop))["AA"]
    assert aces.shares == (1.0, 0.0, 0.0, 0.0, 0.0)
    assert aces.weight == pytest.approx(0.5 / 6)


def test_overall_frequencies_agree_with_the_classes(flop):
    summary = summarise(flop)
    total = np.zeros(len(flop.actions))
    for item in summary.classes:
        if item.shares:
            total += item.weight * item.combos * np.array(item.shares)
    assert total / total.sum() == pytest.approx(np.array(summary.frequencies))
    assert summary.combos == pytest.approx(float(flop.ranges[0].sum()))


def test_the_other_player_has_a_range_only(flop):
    summary = summarise(flop, player=1)
    assert not summary.acts
    assert summary.actions == ("in range",)
    assert by_label(summary)["AA"].shares == (1.0,)


def test_a_node_where_nobody_acts(make_spot_node):
    node = make_spot_node(actions=("x",), kind="chance", player=None)
    node.actions = ()
    assert summarise(node).actions == ("in range",)


def test_reduced_decks(make_spot_node):
    summary = summarise(make_spot_node(ranks="TJQKA", board=("Tc", "Jd", "Qh")))
    assert summary.ranks == ("A", "K", "Q", "J", "T")
    assert len(summary.classes) == 25


def test_cards_of_one_rank_share_a_row_only_when_they_play_alike(kuhn):
    assert [item.label for item in summarise(kuhn).classes] == ["A", "K", "Q"]
    kuhn.hands = ("Kc", "Kd", "Kh")
    kuhn.strategies = np.array([[0.5, 0.5], [0.5, 0.5], [0.4, 0.6]])
    kuhn.ev = np.zeros((2, 3))
    rows = summarise(kuhn).classes
    assert [(item.label, item.combos) for item in rows] == [("Kh", 1), ("Kd Kc", 2)]


def test_other_numbers_of_cards_become_rows(kuhn):
    kuhn.hands = ("AcKcQc", "AdKcQc", "AdAcQc")
    assert [item.label for item in summarise(kuhn).classes] == ["AdAcQc", "AdKcQc", "AcKcQc"]


def test_unknown_player(flop):
    with pytest.raises(InputError, match="must be 0 or 1"):
        summarise(flop, player=2)
