"""Training on a few positions of the river: it learns, is repeatable to the bit, stops, resumes and writes cards."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from errai.errors import DamagedFileError, InputError, MismatchError, StoppedError
from errai.games.catalogue import load_game
from errai.nets.examples.dataset import Examples, held_out, read_examples
from errai.nets.examples.generate import generate
from errai.nets.examples.situations import STRATA
from errai.nets.network import load_net, save_net
from errai.nets.networks.factorised import Factorised
from errai.nets.predictors import CheckDown
from errai.nets.quality.losses import losses_by_stratum, position_losses
from errai.nets.training.rows import prepared_rows
from errai.running.stopping import StopToken

torch = pytest.importorskip("torch")

HOLDEM = load_game("holdem.nolimit.2p")
SMALL = Factorised(width=24, embedding=16, join=32, readout=12, groups=3)
SHALLOW = (STRATA[0].__class__("0.1-1", 0.1, 1.0, 1.0),)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    from errai.nets.examples.recipe import Recipe

    where = tmp_path_factory.mktemp("river")
    generate(Recipe("holdem.nolimit.2p", 3, 5, strata=SHALLOW), where, positions=90)
    return where


@pytest.fixture(scope="module")
def sets(folder) -> tuple[Examples, Examples]:
    return read_examples(folder, "train"), read_examples(folder, "held out")


@pytest.fixture(scope="module")
def work(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("prepared")


def learnt(sets, work, **settings):
    from errai.nets.training.learn import learn
    from errai.nets.training.loop import TrainingOptions

    given = {name: settings.pop(name) for name in ("epochs", "seed", "held") if name in settings}
    options = TrainingOptions(**{"epochs": 4, "batch": 8, "rate": 5e-3, "averaged": 0.9, **given})
    return learn("test", SMALL, HOLDEM, 3, [sets[0]], [sets[1]], options, work, **settings)


@pytest.fixture(scope="module")
def first(sets, work):
    return learnt(sets, work, data={"from": "a test"})


def test_boards_held_out_are_not_learnt_from(sets):
    assert len(sets[0]) > 60
    assert len(sets[1]) > 4
    assert not held_out(HOLDEM.deck, sets[0].positions.boards).any()
    assert held_out(HOLDEM.deck, sets[1].positions.boards).all()


def test_it_learns(first, sets):
    rows = {row["name"]: row for row in first.table}
    assert rows["all"]["positions"] == len(sets[1])
    assert rows["all"]["net"] < 0.7 * rows["all"]["check_down"] < 0.7 * rows["all"]["zero"]
    assert [epoch.number for epoch in first.outcome.curve] == [0, 1, 2, 3, 4]
    # Before the first epoch it is the check-down.
    assert first.outcome.curve[0].held_out.mean() == pytest.approx(rows["all"]["check_down"], rel=1e-3)


def test_losses_of_the_card_are_those_of_the_network_itself(first, sets, tmp_path):
    """Evaluated hand by hand in NumPy, after its file was written and read."""
    save_net(first.net, tmp_path / "test.net")
    net = load_net(tmp_path / "test.net")
    at = sets[1].positions
    losses = {"net": [], "net_held": [], "check_down": [], "zero": []}
    for i, board in enumerate(at.boards):
        for name, asked in (("net", net), ("check_down", CheckDown(HOLDEM, 3))):
            on = asked.on(tuple(board.tolist()))
            ranges, values = at.ranges[i : i + 1][..., on.hands], sets[1].values[i : i + 1][..., on.hands]
            found = on.values(ranges, at.stacks[i : i + 1])
            losses[name].append(position_losses(found, values)[0])
            if name == "net":
                losses["net_held"].append(position_losses(found, values, ranges)[0])
        losses["zero"].append(position_losses(np.zeros_like(values), values)[0])
    row = net.facts["losses"]["strata"][-1]
    assert row["name"] == "all"
    for name, each in losses.items():
        assert row[name] == pytest.approx(np.mean(each), rel=5e-3)
    # PyTorch says the same, of weights that were not rounded and inputs that were.
    assert first.outcome.best.held_out == pytest.approx(losses["net"], rel=0.02, abs=1e-4)
    assert net.facts["data"] == {"positions": len(sets[0]), "held_out": len(sets[1]), "from": "a test"}
    assert net.facts["training"]["seed"] == 0


def test_hands_may_count_by_their_ranges(first, sets, work):
    found = learnt(sets, work, held=1.0).outcome
    before, ended = found.curve[0], min(found.curve, key=lambda epoch: epoch.weighted)
    # All hands alike are said in both; the weights of the training choose the epoch and move the network.
    assert before.held_out == pytest.approx(first.outcome.curve[0].held_out, rel=1e-6)
    losses, counts = [], []
    for i, board in enumerate(sets[1].positions.boards):
        on = CheckDown(HOLDEM, 3).on(tuple(board.tolist()))
        ranges, values = (part[i : i + 1][..., on.hands] for part in (sets[1].positions.ranges, sets[1].values))
        stacks = sets[1].positions.stacks[i : i + 1]
        losses.append(position_losses(on.values(ranges, stacks), values, ranges)[0])
        counts.append((stacks[0] + 0.5) ** -0.5)
    assert before.weighted == pytest.approx(np.average(losses, weights=counts), rel=5e-3)
    assert found.best.number == ended.number
    assert ended.weighted < 0.7 * before.weighted
    assert any(not np.array_equal(found.weights[name], array) for name, array in first.outcome.weights.items())


def test_the_same_seed_gives_the_same_bits_and_another_does_not(first, sets, work):
    again, other = learnt(sets, work), learnt(sets, work, seed=1)
    same = [np.array_equal(again.outcome.weights[n], a) for n, a in first.outcome.weights.items()]
    differ = [np.array_equal(other.outcome.weights[n], a) for n, a in first.outcome.weights.items()]
    assert all(same)
    assert not all(differ)
    assert [e.weighted for e in again.outcome.curve] == [e.weighted for e in first.outcome.curve]


def test_stopped_and_resumed_is_as_if_it_had_not_been_stopped(first, sets, work, tmp_path):
    checkpoint, stop = tmp_path / "checkpoint", StopToken()

    def after_two(epoch):
        if epoch.number == 2:
            stop.set()

    part = learnt(sets, work, checkpoint=checkpoint, stop=stop, progress=after_two)
    assert part.outcome.interrupted
    assert part.outcome.best.number == 2
    whole = learnt(sets, work, checkpoint=checkpoint, resume=True)
    assert not whole.outcome.interrupted
    assert all(np.array_equal(whole.outcome.weights[n], a) for n, a in first.outcome.weights.items())
    assert [e.weighted for e in whole.outcome.curve] == pytest.approx([e.weighted for e in first.outcome.curve])
    with pytest.raises(MismatchError):
        learnt(sets, work, checkpoint=checkpoint, resume=True, seed=1)
    checkpoint.write_bytes(checkpoint.read_bytes()[:-9])
    with pytest.raises(DamagedFileError):
        learnt(sets, work, checkpoint=checkpoint, resume=True)


def test_where_pytorch_gets_no_memory_it_is_a_lack_of_memory(sets, work, monkeypatch):
    def too_much(self, *_):
        return torch.empty(1 << 50)

    monkeypatch.setattr("errai.nets.training.loop._Run.look", too_much)
    with pytest.raises(MemoryError, match="allocate memory"):
        learnt(sets, work)


def test_a_warm_start_begins_where_the_other_ended(first, sets, work):
    from errai.nets.training.learn import learn
    from errai.nets.training.loop import TrainingOptions

    warm = learnt(sets, work, epochs=1, start=first.net)
    assert warm.outcome.curve[0].held_out.mean() == pytest.approx(first.table[-1]["net"], rel=2e-3)
    assert warm.net.facts["training"]["from"] == first.net.digest
    with pytest.raises(MismatchError):
        learn(
            "test", Factorised(width=20), HOLDEM, 3, [sets[0]], [sets[1]], TrainingOptions(), work, start=first.net
        )  # fmt: skip


def test_prepared_rows_are_the_positions(sets, work, tmp_path):
    examples = sets[1]
    rows = prepared_rows(
        SMALL, HOLDEM, {}, [examples.rows(slice(0, 3)), examples.rows(slice(3, None))], tmp_path, threads=2
    )
    assert len(rows) == len(examples)
    assert np.array_equal(rows.stacks, examples.positions.stacks)
    numbers = [4, 0, 4]
    batch = rows.batch(numbers)
    for at, i in enumerate(numbers):
        prepared = SMALL.prepare(HOLDEM, tuple(examples.positions.boards[i].tolist()), {})
        own = np.ascontiguousarray(examples.positions.ranges[i : i + 1][..., prepared.hands])
        asked = prepared.inputs(own, examples.positions.stacks[i : i + 1])
        assert np.array_equal(batch.board["features"][at], prepared.arrays["features"])
        assert all(np.array_equal(batch.inputs[name][at], array[0]) for name, array in asked.items())
        assert np.array_equal(batch.values[at], examples.values[i][:, prepared.hands])


def test_what_was_prepared_is_found_again_and_damage_is_repaired(sets, tmp_path, monkeypatch):
    few = sets[1].rows(slice(0, 4))
    rows = prepared_rows(SMALL, HOLDEM, {}, [few], tmp_path)
    (path,) = tmp_path.glob("*.rows")
    data = path.read_bytes()
    path.write_bytes(data[:-20] + bytes(20))
    again = prepared_rows(SMALL, HOLDEM, {}, [few], tmp_path)
    assert path.read_bytes() == data
    assert np.array_equal(again.batch([1]).inputs["against"], rows.batch([1]).inputs["against"])

    def refused(*_: object) -> None:
        raise AssertionError("prepared again")

    monkeypatch.setattr(Factorised, "prepare", refused)
    prepared_rows(SMALL, HOLDEM, {}, [few], tmp_path)
    with pytest.raises(AssertionError, match="prepared again"):
        prepared_rows(Factorised(groups=4), HOLDEM, {}, [few], tmp_path)
    stop = StopToken()
    stop.set()
    with pytest.raises(StoppedError):
        prepared_rows(SMALL, HOLDEM, {}, [few], tmp_path, stop=stop)


def test_losses_are_hubers_in_what_one_player_has_put_in():
    values = np.zeros((2, 2, 3), dtype=np.float32)
    found = values.copy()
    found[0, 0, 0], found[0, 1, 2], found[1, 1, 1] = 0.25, -2.0, 0.5
    # Errors of 0.5, 4 and 1 of the unit, over six hands.
    assert position_losses(found, values) == pytest.approx([(0.125 + 3.5) / 6, 0.5 / 6])
    # As held: the first player holds his first hand, the other one never the one with the error.
    held = np.zeros_like(values)
    held[:, 0, 0] = held[:, 1, 0] = 1.0
    assert position_losses(found, values, held) == pytest.approx([0.125 / 2, 0.0])
    losses = losses_by_stratum(np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.7, 30.0]))
    assert [(row.name, row.positions, row.loss) for row in losses] == [("0.1-1", 2, 1.5), ("25-50", 1, 4.0)]


def test_the_command(folder, tmp_path, capsys):
    from errai.cli.main import main

    out, picture = tmp_path / "river.net", tmp_path / "losses.svg"
    command = ["nets", "train", "river", "--data", str(folder), "--out", str(out), "--limit", "30", "--json"]
    small = [
        "--epochs",
        "1",
        "--set",
        "width=24",
        "--set",
        "readout=12",
        "--set",
        "rate=0.001",
        "--picture",
        str(picture),
    ]
    assert main([*command, *small]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["configuration"]["readout"] == 12
    assert said["training"]["rate"] == 0.001
    assert said["data"]["positions"] == 30
    assert 0.0 < said["data"]["sets"][0]["core_hours"] < 0.1
    assert said["bytes"] == out.stat().st_size
    assert load_net(out).digest == said["digest"]
    assert picture.read_text().startswith("<svg")
    assert not (tmp_path / "river.net.training" / "checkpoint.errai").exists()
    for wrong in (
        ["nets", "train", "turn", "--data", str(folder), "--out", str(out)],
        ["nets", "train", "river", "--data", str(tmp_path), "--out", str(out)],
        [*command, "--set", "rate"],
        [*command, "--set", "depth=3"],
        [*command, "--architecture", "none"],
    ):
        assert main(wrong) == 1


def test_options_that_cannot_be():
    from errai.nets.training.loop import TrainingOptions

    wrong = {"epochs": 0, "rate": 0.0, "minutes": 0.0, "averaged": 1.0, "threads": 0, "batch": 8.5, "held": 1.5}
    for name, value in wrong.items():
        with pytest.raises(InputError):
            TrainingOptions(**{name: value})
