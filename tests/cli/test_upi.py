"""``errai upi``: commands of other solvers' scripts."""

from __future__ import annotations

import numpy as np
import pytest

import errai as errai_package
from errai.cli.upi import Session


@pytest.fixture
def ask(folder):
    said: list[str] = []
    session = Session(said.append)

    def answers(*commands: str) -> str:
        said.clear()
        for command in commands:
            assert session.answer(command) is not False
        return "".join(said)

    answers(f"load_tree {folder / 'turn.errai'}")
    return answers


def numbers(text: str) -> list[np.ndarray]:
    return [np.array([float(x) for x in line.split()]) for line in text.splitlines()]


def test_nodes_are_those_of_the_solution(ask, folder):
    turn = errai_package.load_solution(folder / "turn.errai")
    assert ask("show_node r:0").splitlines() == ["r:0", "OOP_DEC", "Qs Jh 2c 8d", "0 0 100", "3 children", "flags:"]
    children = ask("show_children r:0").split("\n\n")
    assert [child.splitlines()[:3] for child in children] == [
        ["child 0:", "r:0:c", "IP_DEC"],
        ["child 1:", "r:0:b50", "IP_DEC"],
        ["child 2:", "r:0:b300", "IP_DEC"],
    ]
    after = turn.at("bet 50 raise 300")
    strategy = numbers(ask("show_strategy r:0:b50:b300"))
    np.testing.assert_allclose(np.stack(strategy).T, after.strategies, rtol=1e-8)
    evs, matchups = numbers(ask("calc_ev IP r:0:b50:b300"))
    np.testing.assert_allclose(evs, after.ev[1], rtol=1e-7, atol=1e-6)
    known = ~np.isnan(evs)
    assert (evs[known] * (matchups * after.ranges[1])[known]).sum() / (matchups * after.ranges[1]).sum() == (
        pytest.approx(after.range_ev[1])
    )
    np.testing.assert_allclose(numbers(ask("show_range OOP r:0:b50:b300"))[0], after.ranges[0], rtol=1e-8)
    equity, _, total = numbers(ask("calc_eq_node OOP r:0:b50:b300"))
    np.testing.assert_allclose(equity, after.equity[0], rtol=1e-7)
    assert total[0] == pytest.approx(after.range_equity[0])


def test_cards_and_ends(ask):
    assert ask("show_node r:0:c:c").splitlines()[1] == "SPLIT_NODE"
    assert ask("show_node r:0:c:c:3s").splitlines()[:3] == ["r:0:c:c:3s", "OOP_DEC", "Qs Jh 2c 8d 3s"]
    assert ask("show_node r:0:b50:f").splitlines()[1:4] == ["END_NODE", "Qs Jh 2c 8d", "50 0 100"]
    # All-in and a call: a card comes, and nobody has a choice any more.
    assert ask("show_node r:0:b300:c").splitlines()[1] == "END_NODE"


def test_a_spot_is_changed_solved_and_locked(ask, folder):
    ask(f"load_tree {folder / 'turn.toml'}", "set_end_string END", "set_pot 0 0 60", "set_range IP AA,KK,QQ")
    said = ask("build_tree", "set_accuracy 0.01 fraction", "go", "wait_for_solver", "calc_results")
    assert said.count("END\n") == 5
    assert "go ok!\nSOLVER: started\n" in said
    spot = errai_package.load_spot(folder / "turn.toml").to_dict()
    spot = errai_package.Spot.from_dict({**spot, "pot": 60, "ranges": {**spot["ranges"], "ip": "AA,KK,QQ"}})
    alone = errai_package.solve(spot, "1%pot")
    assert f"EV OOP: {alone.values.chips[0]:.6g}\n" in said
    assert f"Exploitable for: {alone.exploitability.chips:.6g}\n" in said
    hands = np.array(alone.root.hands)
    always = " ".join(["1"] * len(hands) + ["0"] * len(hands) * (len(alone.root.actions) - 1))
    said = ask(f"set_strategy r:0 {always}", "lock_node r:0", "go 50 steps", "wait_for_solver", "show_strategy r:0")
    rows = numbers("\n".join(said.splitlines()[-1 - len(alone.root.actions) : -1]))
    held = ~np.isnan(rows[0])
    assert held.any()
    assert (rows[0][held] == 1.0).all()


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("show_nods r:0", "there is no command 'show_nods' here"),
        ("_words", "there is no command"),
        ("answer exit", "there is no command"),
        ("show_node", "takes 1 argument"),
        ("show_node r:1", "a node begins with r:0"),
        ("show_node r:0:b51", "'b51' is not possible here; there are c, b50, b300"),
        ("show_strategy r:0:c:c", "no player acts"),
        ("show_range BB r:0", "a player is OOP or IP, not 'BB'"),
        ("set_accuracy much", "'much' is not a number"),
        ("set_accuracy 1 bb", "in chips or as a fraction"),
        ("set_pot 5 0 100", "both players have bet 0"),
        ("load_tree nothing.errai", "There is no file"),
        ("go many", "'many' is not a number"),
        ("set_strategy r:0 1 2 3", "numbers are needed here, not 3"),
    ],
)
def test_errors_are_answers(ask, command, wanted):
    said = ask(command)
    assert said.startswith("ERROR: ")
    assert wanted in said


def test_a_session_in_a_pipe(errai, folder, monkeypatch):
    import io

    text = f'# a comment\n\nset_end_string END\nload_tree "{folder / "turn.errai"}"\n'
    text += "set_threads 2\nshow_version\nexit\nshow"
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    out = errai("upi").out
    assert (
        out == f"set_end_string ok!\nEND\nload_tree ok!\nEND\nset_threads ok!\nEND\n{errai_package.__version__}\nEND\n"
    )
