"""A blueprint looked at node by node: what its strategy and its values are, without a tree in memory."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import errai
from errai.blueprints.blueprint import shipped_blueprint
from errai.blueprints.opened import BlueprintProfile
from errai.cli.main import main
from errai.errors import FileAccessError
from errai.games.hand import CALL, PublicState, raise_to
from errai.resolving.values import lay_out, ranges_at, strategy_of

BOARD = "Ks9d4h2cTh"


@pytest.mark.parametrize(
    ("name", "abstraction", "line"),
    [("leduc", "identity", "bet call / Qs"), ("leduc.nolimit", "by-strength:3", "bet 200 call / Ks / check")],
)
def test_every_number_is_that_of_the_tree_in_memory(name: str, abstraction: str, line: str) -> None:
    game = errai.load_game(name)
    blueprint = errai.train(game, abstraction, "full", max_iterations=30, bits=16)
    opened, laid = BlueprintProfile(blueprint), lay_out(strategy_of(blueprint), PublicState.start(game))
    for here, there in ((opened.root, laid.root), (opened.at(line), laid.at(line))):
        assert here.actions == there.actions
        assert here.strategies == pytest.approx(there.strategies, abs=1e-6, nan_ok=True)
        assert here.ranges == pytest.approx(there.ranges, abs=1e-6)
        assert here.ev == pytest.approx(there.ev, abs=1e-4, nan_ok=True)
        assert here.action_ev == pytest.approx(there.action_ev, abs=1e-4, nan_ok=True)
        assert here.equity == pytest.approx(there.equity, nan_ok=True)


@pytest.mark.parametrize("name", ["blueprint", "blueprint-nl"])
def test_in_holdem_nodes_have_the_strategy_and_ranges_at_their_states(name: str) -> None:
    blueprint = shipped_blueprint(name)
    opened, strategy = BlueprintProfile(blueprint), strategy_of(blueprint)
    state, cards = PublicState.start(blueprint.game), blueprint.game.deck.parse_cards(BOARD)
    raised = raise_to(300) if name == "blueprint-nl" else raise_to(0)
    node = opened.root
    for step in ("raise", "call", "Ks9d4h", "check", "check", "2c", "check", "check", "Th"):
        if step in ("raise", "call", "check"):
            choices = strategy.strategy(state)
            known = ~np.isnan(node.strategies).any(axis=1)
            assert node.strategies[known] == pytest.approx(choices.probabilities[known], abs=1e-6)
            action = raised if step == "raise" else CALL
            state = state.after(next(a for a in choices.actions if a.kind == action.kind))
            node = node[step if step != "raise" else node.actions[2]]
        else:
            state = state.dealt(cards)
            node = node[step]
        assert node.ranges == pytest.approx(np.stack(ranges_at(strategy, state)), abs=1e-6)
    assert not np.isnan(node.range_ev).any()
    assert node.range_ev.sum() == pytest.approx(0.0, abs=1e-6)
    assert "the tree that follows has" in opened.root.why_no_ev


def test_there_is_no_certificate() -> None:
    opened = BlueprintProfile(shipped_blueprint("blueprint-nl"))
    with pytest.raises(FileAccessError, match="no certificate"):
        _ = opened.exploitability
    assert "11,653 iterations" in repr(opened)


def test_the_verbs_open_blueprints_by_name_and_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "blueprint", "raise", "--hand", "72o"]) == 0
    assert "100.0%" in capsys.readouterr().out
    assert main(["show", "blueprint-nl", "raise 300 call / Ks9d4h"]) == 0
    assert "it has no certificate" in capsys.readouterr().out
    assert main(["query", "blueprint-nl", "raise 300", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == ["fold", "call", "raise 900", "raise 20000"]
    assert main(["tree", "blueprint", "--streets", "1"]) == 0
    assert "call 98.2%" in capsys.readouterr().out
    assert main(["chart", "blueprint-nl", "-o", str(tmp_path / "charts")]) == 0
    assert len(list((tmp_path / "charts").glob("*.svg"))) == 4
    # After a raise to all-in no decision follows, but hands on all boards do: they are not counted.
    assert main(["show", "blueprint-nl", "raise 20000"]) == 0
    assert "the tree that follows has" in capsys.readouterr().err
    file = tmp_path / "leduc.errai"
    errai.train(errai.load_game("leduc"), "identity", "full", max_iterations=5).save(file)
    for place in (str(file), f"blueprint:{file}"):
        assert main(["show", place, "bet"]) == 0
        assert "leduc" in capsys.readouterr().out.lower()
    data = bytearray(file.read_bytes())
    data[-10] ^= 0xFF
    file.write_bytes(data)
    assert main(["show", str(file)]) == 1
    assert "damaged" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["blueprint", "blueprint-nl"])
def test_a_board_is_exported_and_all_boards_are_refused(name: str, tmp_path: Path, capsys) -> None:
    table = tmp_path / "flop.csv"
    assert main(["export", name, "--to", str(table), "--board", BOARD[:6], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] > 100_000
    last = table.read_text().splitlines()[-1].split(",")
    node = BlueprintProfile(shipped_blueprint(name)).at(last[1])
    assert float(last[7]) == pytest.approx(node.strategies[node.hand_index(last[5]), node.actions.index(last[6])])
    assert main(["export", name, "--to", str(table)]) == 1
    assert "give --board" in capsys.readouterr().err
    assert main(["export", name, "--to", str(table), "--board", "KsKs4h"]) == 1
