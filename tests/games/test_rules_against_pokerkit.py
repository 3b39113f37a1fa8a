"""Random hands of limit and no-limit hold'em, step by step in both state machines; a million of each is a benchmark."""

from __future__ import annotations

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
    found = [script.compare(peers, kind, 2, number) for number in range(1500)]
    assert [different for different, _ in found if different] == []
    assert sum(decisions for _, decisions in found) > 4000


def test_another_rule_is_noticed(script):
    """The comparison is no comparison if it passes with four raises before the flop, or a bigger smallest bet."""
    import dataclasses

    peers = {
        "limit": script.Peer(dataclasses.replace(load_game("holdem.limit.2p"), max_raises=(4, 4, 4, 4))),
        "no-limit": script.Peer(dataclasses.replace(load_game("holdem.nolimit.2p"), blinds=(100, 40))),
    }
    for kind, peer in peers.items():
        ours = load_game(script.GAMES[kind])
        theirs, peer.game = peer.game, ours
        assert theirs != ours
        peer.streets = tuple(
            dataclasses.replace(street, min_completion_betting_or_raising_amount=street_amount(kind, street))
            for street in peer.streets
        )
        assert any(script.compare(peers, kind, 2, number)[0] for number in range(300))


def street_amount(kind: str, street: object) -> int:
    amount = street.min_completion_betting_or_raising_amount
    return amount if kind == "limit" else amount + 1
