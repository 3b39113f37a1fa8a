from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from errai.solutions.export import node_csv, node_dict

PLAYER_COLUMNS = ["hand", "weight_0", "weight_1", "ev_0_chips", "ev_1_chips"]
PLAYER_COLUMNS += [f"{name}_{p}" for name in ("equity", "equity_realised") for p in (0, 1)]


def test_json_holds_everything(flop):
    data = json.loads(json.dumps(node_dict(flop), allow_nan=False))
    assert data["actions"] == list(flop.actions)
    assert data["board"] == "Td9d6h"
    assert data["pot_chips"] == 200.0
    assert data["frequencies"] == pytest.approx(flop.frequencies.tolist())
    live = int((flop.ranges > 0).any(axis=0).sum())
    assert len(data["hands"]) == live
    for entry in data["hands"]:
        assert sum(entry["strategy"].values()) == pytest.approx(1.0)
        index = flop.hands.index(entry["hand"])
        assert entry["weights"] == flop.ranges[:, index].tolist()
        assert entry["equity"] == flop.equity[:, index].tolist()
        assert list(entry["action_ev_chips"].values()) == flop.action_ev[index].tolist()
    assert data["ev_chips"] == flop.range_ev.tolist()
    assert data["equity_realised"] == [0.8, 0.8]
    assert data["action_ev_chips"] == pytest.approx(flop.range_action_ev.tolist())


def test_missing_values_are_null(flop):
    flop.strategies[:] = np.nan
    flop.ev[1] = np.nan
    entry = node_dict(flop)["hands"][0]
    assert entry["strategy"] is None
    assert entry["ev_chips"][1] is None


def test_csv_round_trip(flop):
    rows = list(csv.DictReader(io.StringIO(node_csv(flop))))
    worth = [f"{action} ev_chips" for action in flop.actions]
    assert list(rows[0]) == [*PLAYER_COLUMNS, *flop.actions, *worth]
    row = rows[-2]
    index = flop.hands.index(row["hand"])
    assert float(row["bet 120"]) == flop.strategies[index, flop.actions.index("bet 120")]
    assert float(row["ev_1_chips"]) == flop.ev[1, index]
    assert float(row["equity_1"]) == flop.equity[1, index]
    assert float(row["bet 120 ev_chips"]) == flop.action_ev[index, flop.actions.index("bet 120")]
    ranges = rows[-1]
    assert ranges["hand"] == "range"
    assert float(ranges["weight_1"]) == pytest.approx(flop.ranges[1].sum())
    assert float(ranges["bet 66"]) == pytest.approx(flop.frequencies[1])
    assert float(ranges["bet 66 ev_chips"]) == pytest.approx(flop.range_action_ev[1])
    assert float(ranges["equity_realised_0"]) == 0.8


def test_a_node_where_nobody_acts(make_spot_node):
    node = make_spot_node(actions=(), kind="chance", player=None)
    data = node_dict(node)
    assert data["player"] is None
    assert data["frequencies"] == []
    assert data["hands"][0]["strategy"] is None
    assert data["action_ev_chips"] == []
    assert data["hands"][0]["action_ev_chips"] is None
    assert node_csv(node).splitlines()[0].split(",") == PLAYER_COLUMNS
