from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from errai.pictures.export import node_csv, node_dict


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


def test_missing_values_are_null(flop):
    flop.strategies[:] = np.nan
    flop.ev[1] = np.nan
    entry = node_dict(flop)["hands"][0]
    assert entry["strategy"] is None
    assert entry["ev_chips"][1] is None


def test_csv_round_trip(flop):
    rows = list(csv.DictReader(io.StringIO(node_csv(flop))))
    assert list(rows[0]) == ["hand", "weight_0", "weight_1", "ev_0_chips", "ev_1_chips", *flop.actions]
    row = rows[-1]
    index = flop.hands.index(row["hand"])
    assert float(row["bet 120"]) == flop.strategies[index, flop.actions.index("bet 120")]
    assert float(row["ev_1_chips"]) == flop.ev[1, index]


def test_a_node_where_nobody_acts(make_spot_node):
    node = make_spot_node(actions=(), kind="chance", player=None)
    data = node_dict(node)
    assert data["player"] is None
    assert data["frequencies"] == []
    assert data["hands"][0]["strategy"] is None
    assert node_csv(node).splitlines()[0] == "hand,weight_0,weight_1,ev_0_chips,ev_1_chips"
