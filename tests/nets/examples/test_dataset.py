"""Data sets: they are read as written, damage is noticed, interrupted ones are resumed, and boards stay separate."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from functools import partial
from itertools import permutations
from zlib import crc32

import numpy as np
import pytest
from safetensors import numpy as safetensors

from errai.cards.deck import FULL_DECK
from errai.errors import (
    DamagedFileError,
    FileAccessError,
    ForeignFileError,
    InputError,
    MismatchError,
    RunInUseError,
)
from errai.games.catalogue import load_game
from errai.nets.examples.dataset import (
    HELD_OUT,
    MANIFEST,
    SHARD,
    STEPS,
    WORD,
    Folder,
    Solved,
    held_out,
    joined,
    read_examples,
)
from errai.nets.examples.generate import estimated_bytes, generate, solve_one
from errai.nets.examples.play import as_stored, from_levels, in_levels
from errai.nets.examples.recipe import Recipe
from errai.nets.examples.situations import STRATA, Stratum
from errai.nets.examples.targets import Target, leaves_over, solve_position
from errai.nets.predictors import find_predictor
from errai.nets.tensor_file import write_tensors
from errai.running.stopping import StopToken
from errai.store.atomic import locked_folder

SHALLOW = (Stratum("shallow", 0.2, 2.0, 1.0),)
RIVER = Recipe("holdem.nolimit.2p", 3, seed=5, strata=SHALLOW)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A shard and a half of river positions."""
    folder = tmp_path_factory.mktemp("river") / "set"
    generate(RIVER, folder, positions=150)
    return folder


@pytest.fixture
def copied(made, tmp_path):
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_positions_are_those_of_the_recipe_and_values_those_of_the_solves(made):
    examples = read_examples(made)
    assert len(examples) == 150
    drawn = RIVER.positions(range(150))
    assert np.array_equal(examples.positions.boards, drawn.boards)
    assert np.array_equal(examples.positions.ranges, drawn.ranges)
    assert np.array_equal(examples.positions.stacks, drawn.stacks)
    assert (examples.sources == 0).all()
    for number in (0, 99, 100, 149):
        board, stack = tuple(drawn.boards[number].tolist()), float(drawn.stacks[number])
        target = solve_position(board, stack, drawn.ranges[number])
        step = np.abs(target.values).max(axis=1, keepdims=True) / STEPS
        assert (np.abs(examples.values[number] - target.values) <= 0.51 * step).all()
        assert examples.errors[number] == pytest.approx(target.error, rel=1e-6)
    owed = (examples.values * examples.positions.ranges).sum(axis=(1, 2))
    assert np.abs(owed).max() < 2e-3  # what rounding leaves


def test_a_position_takes_about_a_byte_a_value(made):
    size = sum(path.stat().st_size for path in made.glob("*.safetensors"))
    assert size / 150 < 1.1 * 2 * 1081
    assert estimated_bytes(RIVER, 150) == pytest.approx(size, rel=0.05)


def test_rows_are_taken_by_number_and_by_truth(made):
    examples = read_examples(made)
    some = examples.rows(np.array([7, 3]))
    assert len(some) == 2
    assert np.array_equal(some.values[1], examples.values[3])
    assert np.array_equal(some.positions.ranges[0], examples.positions.ranges[7])
    assert len(examples.rows(examples.errors >= 0.0)) == 150


def test_parts_are_apart_and_together_everything(made):
    whole, train, out = (read_examples(made, part) for part in ("all", "train", "held out"))
    assert len(train) + len(out) == len(whole)
    assert 0 < len(out) < len(whole) / 4
    seen = {tuple(board) for board in train.positions.boards.tolist()}
    assert not seen & {tuple(board) for board in out.positions.boards.tolist()}
    again = joined([train, out])
    assert sorted(again.errors.tolist()) == sorted(whole.errors.tolist())
    assert len(again) == len(whole)


def test_a_limit_takes_the_first_of_a_part(made):
    train = read_examples(made, "train")
    for limit in (1, 60, 120):
        few = read_examples(made, "train", limit)
        assert np.array_equal(few.values, train.values[:limit])
    assert len(read_examples(made, limit=1_000)) == 150


def test_the_names_of_suits_do_not_decide_what_is_held_out():
    rng = np.random.default_rng(3)
    boards = np.stack([rng.choice(52, 4, replace=False) for _ in range(200)])
    held = held_out(FULL_DECK, boards)
    assert 0 < held.sum() < 50
    suits = FULL_DECK.num_suits
    for names in permutations(range(suits)):
        renamed = boards // suits * suits + np.array(names)[boards % suits]
        assert np.array_equal(held_out(FULL_DECK, renamed[:, ::-1]), held)


def test_one_board_in_ten_is_held_out():
    boards = Recipe("holdem.nolimit.2p", 2, 1).positions(range(600)).boards
    assert held_out(FULL_DECK, boards).mean() == pytest.approx(1 / HELD_OUT, abs=4 * np.sqrt(0.09 / 600))


def test_a_run_that_was_ended_goes_on_to_the_same_bytes(made, tmp_path):
    stop = StopToken()

    def after_seven(tally):
        if tally.new == 7:
            stop.set()

    first = generate(RIVER, tmp_path, positions=150, stop=stop, progress=after_seven)
    assert first.interrupted
    assert first.positions == 7
    assert len(read_examples(tmp_path)) == 7
    second = generate(RIVER, tmp_path, positions=150)
    assert (second.new, second.positions, second.interrupted) == (143, 150, False)
    for number in (0, 1):
        name = Folder(tmp_path).shard(number).name
        one, other = (safetensors.load_file(place / name) for place in (made, tmp_path))
        for key in sorted(set(one) - {"seconds"}):
            assert np.array_equal(one[key], other[key]), key
    third = generate(RIVER, tmp_path, positions=150)
    assert (third.new, third.positions) == (0, 150)
    assert third.core_seconds == pytest.approx(second.core_seconds, rel=1e-4)


def test_time_ends_a_run(tmp_path):
    tally = generate(RIVER, tmp_path, seconds=0.2)
    assert 0 < tally.positions < 1_000
    assert not tally.interrupted
    assert Folder(tmp_path).manifest()["made"]["positions"] == tally.positions


def test_processes_make_the_same_positions(made, tmp_path):
    generate(RIVER, tmp_path, positions=20, processes=2)
    few, whole = read_examples(tmp_path), read_examples(made, limit=20)
    assert np.array_equal(few.values, whole.values)
    assert np.array_equal(few.positions.ranges, whole.positions.ranges)


def test_one_process_at_a_time_writes(tmp_path):
    generate(RIVER, tmp_path, positions=1)
    with locked_folder(tmp_path, "Locked."), pytest.raises(RunInUseError, match="Another process"):
        generate(RIVER, tmp_path, positions=2)


def test_another_recipe_is_refused(copied):
    with pytest.raises(MismatchError, match="another recipe"):
        generate(Recipe("holdem.nolimit.2p", 3, seed=6, strata=SHALLOW), copied, positions=1)


def test_a_shard_of_another_set_is_refused(copied, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    generate(Recipe("holdem.nolimit.2p", 3, seed=6, strata=SHALLOW), other, positions=1)
    Folder(copied).shard(0).write_bytes(Folder(other).shard(0).read_bytes())
    with pytest.raises(MismatchError, match="another data set"):
        read_examples(copied)


@pytest.mark.parametrize("place", [0.3, 0.6, 0.99])
def test_a_flipped_bit_is_noticed(copied, place):
    path = Folder(copied).shard(0)
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 4
    path.write_bytes(bytes(data))
    with pytest.raises(DamagedFileError, match="damaged"):
        read_examples(copied)


@pytest.mark.parametrize("length", [12, 400, 100_000])
def test_a_shard_that_ends_early_is_noticed(copied, length):
    path = Folder(copied).shard(1)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedFileError, match="damaged"):
        read_examples(copied)


def test_a_file_that_is_no_shard_is_foreign(copied):
    Folder(copied).shard(0).write_bytes(b"no examples")
    with pytest.raises(ForeignFileError):
        read_examples(copied)
    Folder(copied).shard(0).write_bytes(safetensors.save({"index": np.zeros(3)}))
    with pytest.raises(ForeignFileError):
        read_examples(copied)


def test_ranges_that_come_out_otherwise_are_noticed(copied):
    """As if another version drew them: the checksum of one position is that of other ranges."""
    path = Folder(copied).shard(1)
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    card = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["errai examples"])
    arrays = safetensors.load(data)
    arrays["checks"] = arrays["checks"] ^ np.uint32(1)
    write_tensors(path, WORD, card, arrays)
    with pytest.raises(DamagedFileError, match="do not come out as they were"):
        read_examples(copied)


def test_manifests_that_are_none(tmp_path):
    with pytest.raises(FileAccessError, match="holds no examples"):
        read_examples(tmp_path)
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(DamagedFileError):
        read_examples(tmp_path)
    (tmp_path / MANIFEST).write_text("{}")
    with pytest.raises(ForeignFileError):
        read_examples(tmp_path)
    (tmp_path / MANIFEST).write_text('{"format": 1, "recipe": {"strata": [], "accuracies": []}}')
    with pytest.raises(DamagedFileError):
        read_examples(tmp_path)


def test_a_set_without_positions_says_so(tmp_path):
    Folder(tmp_path).begin(RIVER, {})
    with pytest.raises(FileAccessError, match="no positions yet"):
        read_examples(tmp_path, "held out")


def test_what_cannot_be_asked_for_is_refused(made, tmp_path):
    with pytest.raises(InputError, match="part"):
        read_examples(made, "test")
    with pytest.raises(InputError, match="at least 1"):
        read_examples(made, limit=0)
    with pytest.raises(InputError, match="number of positions"):
        generate(RIVER, tmp_path)
    with pytest.raises(InputError, match="above 0"):
        generate(RIVER, tmp_path, positions=0)
    with pytest.raises(InputError, match="source of positions"):
        Recipe("holdem.nolimit.2p", 3, 1, source="elsewhere")
    with pytest.raises(InputError, match="accuracy"):
        Recipe("holdem.nolimit.2p", 3, 1, accuracies=((1.0, 0.0),))


def test_a_recipe_survives_json():
    for recipe in (RIVER, Recipe("holdem.nolimit.2p", 2, 1)):
        assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe
    assert Recipe("holdem.nolimit.2p", 2, 1).strata == STRATA


def test_ranges_that_are_stored_come_back_to_the_bit(tmp_path):
    """Those that no seed gives: they are rounded before they are solved, and are then what the shard gives back."""
    recipe = Recipe("holdem.nolimit.2p", 3, seed=5, source="play", strata=SHALLOW)
    positions = as_stored(RIVER.positions([4]))
    assert positions.ranges.sum(axis=2) == pytest.approx(1.0, abs=1e-6)
    assert np.abs(positions.ranges - RIVER.positions([4]).ranges).max() < 5e-5
    assert np.array_equal(from_levels(in_levels(positions.ranges)), positions.ranges)
    target = Target(np.zeros((2, 1326), dtype=np.float32), 0.001, 0.001, 10, 0.1)
    place = Folder(tmp_path)
    place.begin(recipe, {})
    place.write(recipe, 0, [Solved(4, positions, target)])
    found = read_examples(tmp_path)
    assert np.array_equal(found.positions.ranges, positions.ranges)
    assert crc32(found.positions.ranges[0].tobytes()) == crc32(positions.ranges[0].tobytes())
    assert found.sources.tolist() == [1]


def test_shards_are_of_their_size(made):
    place = Folder(made)
    assert place.shards() == [0, 1]
    assert [len(place.read(RIVER, number)) for number in (0, 1)] == [SHARD, 150 - SHARD]
    assert [one.index for one in place.solved(RIVER, 1)] == list(range(SHARD, 150))


def test_a_token_ends_a_position():
    stop = StopToken()
    stop.set()
    assert solve_one(RIVER, 0, stop) is None


def test_a_street_solved_over_a_network_names_it(tmp_path):
    net = find_predictor("check-down", load_game("holdem.nolimit.2p"), 3)
    below = partial(leaves_over, net)
    rough = {"accuracies": ((float("inf"), 1.0),), "max_iterations": 2}
    recipe = Recipe("holdem.nolimit.2p", 2, 5, strata=SHALLOW, net=net.name, net_digest=net.digest, **rough)
    assert Recipe.from_dict(recipe.to_dict()) == recipe
    first = generate(recipe, tmp_path, positions=1, below=below)
    second = generate(recipe, tmp_path, positions=2, below=below)
    assert (first.new, second.new, second.positions) == (1, 1, 2)
    examples = read_examples(tmp_path)
    assert np.abs(examples.values).max() > 0.05
    assert solve_one(recipe, 1, below=below).target.values == pytest.approx(examples.values[1], abs=0.01)
    other = find_predictor("zero", net.game, 3)
    with pytest.raises(InputError, match="those of check-down"):
        generate(recipe, tmp_path, positions=3, below=other.as_leaf_values)
    with pytest.raises(InputError, match="those of check-down"):
        generate(recipe, tmp_path, positions=3)
    with pytest.raises(InputError, match="no network"):
        generate(RIVER, tmp_path / "river", positions=1, below=below)
    changed = replace(recipe, net=other.name, net_digest=other.digest)
    with pytest.raises(MismatchError, match="another recipe"):
        generate(changed, tmp_path, positions=3, below=other.as_leaf_values)
