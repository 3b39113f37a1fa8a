"""Random hands of limit and no-limit hold'em, step by step in both state machines; a million of each is a benchmark."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path

import pytest

from errai.games.catalogue import load_game

PLACE = Path(__file__).resolve().parents[2] / "benchmarks" / "rules_against_pokerkit.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("rules_against_pokerkit", PLACE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def peers(script):
    return {kind: script.Peer(load_game(name)) for kind, name in script.GAMES.items()}


@pytest.mark.parametrize("kind", ["limit", "no-limit"])
def test_same_rules(script, peers, kind):
    found = [script.compare(peers, kind, 2, number) for number in range(1000)]
    assert [different for different, _ in found if different] == []
    assert sum(decisions for _, decisions in found) > 3000


def test_another_rule_is_noticed(script, peers):
    """The comparison would be none if it passed with one raise more in a round, or a smallest bet of one chip more."""
    for kind, change in (
        ("limit", lambda street: {"max_completion_betting_or_raising_count": 5}),
        ("no-limit", lambda street: {"min_completion_betting_or_raising_amount": 101}),
    ):
        peer = script.Peer(peers[kind].game)
        peer.streets = tuple(dataclasses.replace(street, **change(street)) for street in peer.streets)
        assert any(script.compare({kind: peer}, kind, 2, number)[0] for number in range(300))
