from __future__ import annotations

import json

import numpy as np
import pytest
from leaf_doubles import ZeroLeafValues

from errai.cards.ranges import Range
from errai.errors import LeafValuesError
from errai.games.catalogue import load_game
from errai.games.charts import charts_text, read_charts
from errai.nets.network import load_net, make_net, save_net
from errai.nets.networks.factorised import Factorised
from errai.solving.preflop import preflop
from errai.solving.solve import solve


def test_push_or_fold_as_charts(errai):
    run = errai("preflop", "--stack", "10bb", "--menu", "push")
    assert (run.code, run.err) == (0, "")
    for wanted in (
        "Push or fold, 10 big blinds: the dealer's first action",
        "the big blind facing a raise",
        "the small blind wins  -0.045371 bb a hand (-45.371 mbb)",
        "the big blind wins    +0.045371 bb a hand (+45.371 mbb)",
    ):
        assert wanted in run.out
    table = [line.split() for line in run.out.splitlines() if line.startswith(("first action", "raise 1000  "))]
    assert table[-2:] == [
        ["first", "action", "100.0%", "41.8%", "0.0%", "58.2%"],
        ["raise", "1000", "58.2%", "63.4%", "36.6%", "0.0%"],
    ]


def test_json(errai):
    document = json.loads(errai("preflop", "--stack", "20", "--json").out)
    assert document["game"] == "Push or fold, 20 big blinds"
    assert document["status"] == "target met"
    assert document["exploitability"]["mbb"] <= 0.001
    first, second = document["values_big_blinds"]
    assert first == pytest.approx(-second)
    assert [chart["situation"] for chart in document["charts"]] == ["first", "facing-raise"]
    assert all(len(chart["hands"]) == 169 for chart in document["charts"])
    frequencies = document["charts"][0]["frequencies"]
    assert frequencies["raise"] == pytest.approx(0.4017, abs=1e-3)


def test_the_solution_can_be_kept_and_drawn(errai, tmp_path):
    run = errai("preflop", "--stack", "7.5bb", "-o", tmp_path / "short.errai", "--quiet")
    assert (run.code, run.out) == (0, "")
    assert "errai chart" in run.err
    drawn = errai("chart", tmp_path / "short.errai", "--facing-raise")
    assert "Push or fold, 7.5 big blinds: the big blind facing a raise" in drawn.out
    assert errai("verify", tmp_path / "short.errai").code == 0


def test_pictures(errai, tmp_path):
    assert errai("preflop", "--stack", "10", "--values", "-o", tmp_path / "charts").code == 0
    names = {path.name for path in (tmp_path / "charts").iterdir()}
    assert names == {
        f"preflop-10bb-values-{line}{suffix}" for line in ("first", "facing-raise") for suffix in (".png", ".svg")
    }
    assert errai("preflop", "--stack", "10", "--line", "raise 1000", "-o", tmp_path / "call.svg").code == 0
    assert "the big blind after raise 1000" in (tmp_path / "call.svg").read_text()


def test_any_menu_is_exact_where_nobody_may_call_with_chips_behind(errai):
    document = json.loads(errai("preflop", "--stack", "12", "--menu", "2x, a", "--no-flop", "--json").out)
    assert document["exploitability"]["mbb"] <= 0.001
    assert [chart["actions"] for chart in document["charts"]][:2] == [
        ["fold", "raise 200", "raise 1200"],
        ["fold", "raise 400", "raise 1200"],
    ]


def test_networks_of_other_streets_are_refused(errai, tmp_path):
    game, kind = load_game("holdem.nolimit.2p"), Factorised(width=4, embedding=2, join=4, readout=2, groups=2)
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in kind.shapes(game, 2).items()}
    save_net(make_net("mine", game, 2, kind, weights, {}), tmp_path / "turn.net")
    err = errai("preflop", "--stack", "10", "--menu", "2x, a", "--net", tmp_path / "turn.net").refusal()
    assert "The network mine is for the turn of holdem.nolimit.2p, and one for the flop is needed" in err
    assert "There is no network" in errai("preflop", "--stack", "10", "--net", tmp_path / "none.net").err


def test_what_is_refused(errai, tmp_path):
    with pytest.raises(LeafValuesError, match="After 'raise 200 call' a flop comes"):
        preflop(10, "2x, a", limp=False)
    assert "must be more than 1" in errai("preflop", "--stack", "1bb").err
    assert errai("preflop", "--stack", "ten").code == 2
    assert errai("preflop").code == 2
    (tmp_path / "file").write_text("")
    assert "is a file; give a folder" in errai("preflop", "--stack", "5", "-o", tmp_path / "file").err
    assert errai("preflop", "--stack", "5", "--target", "1%cake").code == 2


def test_charts_for_reviews(errai, tmp_path):
    """The ranges of a situation are those of its lines, each counted by how often it is taken."""
    settings = {"menu": "2x, 3x, a", "max_iterations": 30, "threads": 1}
    run = errai(
        *("preflop", "--stack", "40bb", "--menu", "2x, 3x, a", "--max-iterations", "30", "--threads", "1"),
        *("--net", "preflop", "--target", "0.01%pot", "-o", tmp_path / "charts.toml"),
    )
    assert "errai review HANDS --charts" in run.err
    found = read_charts(tmp_path / "charts.toml").charts
    assert [one.name for one in found[:3]] == ["btn-vs-bb-limped", "bb-vs-btn-srp", "btn-vs-bb-srp"]
    solution = preflop(40, target="0.01%pot", leaf_values=load_net("preflop"), **settings)
    lines = [solution.at(f"raise {total} call") for total in (200, 300)]
    for seat, position in enumerate(("BB", "BTN")):
        expected = sum(node.ranges[seat] * node.ranges[1 - seat].sum() for node in lines)
        written = Range.parse(found[2].ranges[position]).weights
        assert written == pytest.approx(expected / expected.max(), abs=0.05 + 1e-6)
        assert written.max() == 1.0
    document = (tmp_path / "charts.toml").read_text()
    assert charts_text(found) == document[document.index("\n\n") + 1 :]
    drawn = errai("preflop", "--stack", "10bb", "-o", tmp_path / "push.toml")
    assert "no flop is seen with chips behind" in drawn.refusal()
    assert not (tmp_path / "push.toml").exists()


def test_charts_from_a_solution(errai, tmp_path):
    preflop(40, "2x, a", leaf_values=ZeroLeafValues(), max_iterations=1).save(tmp_path / "flops.errai")
    assert errai("chart", tmp_path / "flops.errai", "-o", tmp_path / "charts.toml").code == 0
    assert read_charts(tmp_path / "charts.toml").find(("BB", "BTN"), 1, "BTN")
    preflop(10, max_iterations=1).save(tmp_path / "push.errai")
    solve(load_game("leduc"), max_iterations=1).save(tmp_path / "leduc.errai")
    for name, message in (("push", "no flop is seen"), ("leduc", "heads-up hold'em")):
        err = errai("chart", tmp_path / f"{name}.errai", "-o", tmp_path / "none.toml").err
        assert message.lower() in err.lower()
    assert not (tmp_path / "none.toml").exists()
