"""Solution files: they are read as saved, and a wrong file is a typed error or a certificate that does not hold."""

from __future__ import annotations

import copy
import json
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_arrays import same_arrays
from small_subjects import spot_text

import errai
from errai.engine.certificate import StrategyProfile
from errai.errors import DamagedFileError, ErraiError, FileAccessError, ForeignFileError, MismatchError
from errai.games.spot import parse_spot
from errai.kernels.backends import make_kernel
from errai.solutions.subjects import subject_document
from errai.store import header
from errai.store.container import open_container, write_container

RIVER = spot_text(
    "Qs Jh 2c 8d 3s", "AA, QJs, 98s, 76s", "KK, QTs, J9s:0.5, 54s", bet="50%, a", stack=150, title="River for tests"
)


def solved(name: str, encoding: str | None = None) -> errai.Solution:
    if name == "river":
        return errai.solve(parse_spot(RIVER), max_iterations=40, encoding=encoding, threads=1)
    menu = "50%, a" if name == "leduc.nolimit" else None
    return errai.solve(errai.load_game(name), max_iterations=40, encoding=encoding, menu=menu, threads=1)


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("artefact") / "leduc.errai"
    solved("leduc").save(path)
    return path


# --- round trip --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["float64", "float32", "uint16"])
@pytest.mark.parametrize("name", ["leduc", "leduc.nolimit", "river"])
def test_what_is_saved_comes_back(name, encoding, tmp_path):
    solution = solved(name, encoding)
    solution.save(tmp_path / "x.errai")
    loaded = errai.load_solution(tmp_path / "x.errai")
    for key in ("exploitability", "values", "status", "iterations", "seconds", "schedule", "settings", "encoding"):
        assert getattr(loaded, key) == getattr(solution, key), key
    assert (loaded.menu, loaded.memory_bytes) == (solution.menu, solution.memory_bytes)
    assert loaded.subject.digest() == solution.subject.digest()
    assert loaded.title == solution.title
    np.testing.assert_array_equal(loaded.curve, solution.curve)
    assert {a.dtype for pair in loaded.strategy for a in pair} == {np.dtype(encoding)}
    assert same_arrays(loaded.strategy, solution.strategy)
    np.testing.assert_array_equal(loaded.root.strategies, solution.root.strategies)
    result = loaded.verify()
    assert result.certified
    assert result.recomputed == solution.exploitability


def test_a_saved_file_is_replaced_and_saving_again_gives_the_same_bytes(tmp_path):
    first, second = tmp_path / "a.errai", tmp_path / "b.errai"
    solved("leduc").save(first)
    errai.load_solution(first).save(second)
    assert first.read_bytes() == second.read_bytes()
    errai.load_solution(first).save(first)
    assert first.read_bytes() == second.read_bytes()


def test_a_reader_ignores_members_that_it_does_not_know(leduc, tmp_path):
    metadata, arrays = content(leduc)
    metadata["later"] = {"anything": [1, None]}
    (tmp_path / "x").write_bytes(sealed(metadata, arrays))
    assert errai.load_solution(tmp_path / "x").verify().certified


# --- wrong files -------------------------------------------------------------------------------------------------


def content(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    container = open_container(path)
    return copy.deepcopy(container.metadata), {name: container.read(name) for name in container.arrays}


def sealed(metadata: dict[str, Any], arrays: dict[str, np.ndarray], kind: str = "solution") -> bytes:
    """The bytes of a container with arbitrary content whose checksums are all right."""
    rows = [header.describe(name, a.dtype, a.shape) for name, a in arrays.items()]
    rows, header_bytes, total = header.place(kind, metadata, rows)
    body = bytearray(total)
    for i, (row, array) in enumerate(zip(rows, arrays.values(), strict=True)):
        data = np.ascontiguousarray(array, dtype=row.dtype).tobytes()
        body[row.offset : row.offset + row.length] = data
        rows[i] = replace(row, crc32=zlib.crc32(data))
    head = header.encode(kind, metadata, rows, header_bytes, total)
    body[: len(head)] = head
    return bytes(body)


def test_the_seal_of_these_tests_is_the_writers(leduc, tmp_path):
    metadata, arrays = content(leduc)
    write_container(tmp_path / "x", "solution", metadata, arrays)
    assert sealed(metadata, arrays) == (tmp_path / "x").read_bytes() == leduc.read_bytes()


def test_no_file_a_folder_and_other_kinds(leduc, tmp_path):
    with pytest.raises(FileAccessError):
        errai.load_solution(tmp_path / "none")
    with pytest.raises(ForeignFileError):
        errai.load_solution(tmp_path)
    (tmp_path / "text").write_text("GAMEDEF\nEND GAMEDEF\n")
    with pytest.raises(ForeignFileError):
        errai.load_solution(tmp_path / "text")
    (tmp_path / "checkpoint").write_bytes(sealed(*content(leduc), kind="checkpoint"))
    with pytest.raises(ForeignFileError):
        errai.load_solution(tmp_path / "checkpoint")


def test_truncated_and_flipped(leduc, tmp_path):
    good = leduc.read_bytes()
    path = tmp_path / "bad"
    for length in (*range(0, 64), *range(64, len(good), 97)):
        path.write_bytes(good[:length])
        with pytest.raises(DamagedFileError):
            errai.load_solution(path)
    for position in range(0, len(good), 13):
        data = bytearray(good)
        data[position] ^= 1 << position % 8
        path.write_bytes(data)
        with pytest.raises((DamagedFileError, ForeignFileError)):
            errai.load_solution(path)


def paths_of(value: Any, at: tuple = ()) -> list[tuple]:
    """Every place in a JSON document, the members of long lists but the first two left out."""
    inside = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    return [at] * bool(at) + [path for key, item in inside for path in paths_of(item, (*at, key))]


def changed(document: Any, path: tuple, value: Any) -> Any:
    """A copy with another value at a place; ... removes it."""
    document = copy.deepcopy(document)
    place = document
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document


WRONG_TYPES = (None, True, -1, 2**70, 1e308, "", "x", "1", [], [[]], {}, {"a": 1}, [1, 2, 3, "4"], 10**4000)


@pytest.mark.parametrize("name", ["leduc.nolimit", "river"])
def test_wrong_types_in_every_member(name, tmp_path):
    solved(name).save(tmp_path / "good")
    metadata, arrays = content(tmp_path / "good")
    path = tmp_path / "bad"
    # All that is not about the subject is the same in both files.
    for place in paths_of(metadata) if name != "river" else paths_of(metadata["subject"], ("subject",)):
        for value in (..., *WRONG_TYPES):
            path.write_bytes(sealed(changed(metadata, place, value), arrays))
            try:
                solution = errai.load_solution(path)
            except (DamagedFileError, ForeignFileError):
                continue
            # What still opens says another thing about the run, not another strategy of another game.
            about_the_run = place[0] not in ("subject", "encoding", "certificate") or place[-1] in ("name", "title")
            number = place[0] == "certificate" and type(value) in (int, float)
            assert about_the_run or number, (place, value)
            if place[0] == "certificate":
                assert not solution.verify().certified, (place, value)


@pytest.mark.parametrize("key", ["subject", "schedule", "settings", "status", "iterations", "seconds", "encoding",
                                 "certificate", "curve", "memory_bytes"])  # fmt: skip
def test_every_member_is_needed(leduc, tmp_path, key):
    metadata, arrays = content(leduc)
    (tmp_path / "bad").write_bytes(sealed(changed(metadata, (key,), ...), arrays))
    with pytest.raises(DamagedFileError):
        errai.load_solution(tmp_path / "bad")


def refused(path: Path, metadata: dict[str, Any], arrays: dict[str, np.ndarray], match: str) -> None:
    path.write_bytes(sealed(metadata, arrays))
    with pytest.raises(DamagedFileError, match=match):
        errai.load_solution(path)


def test_a_foreign_subject_and_a_wrong_digest(leduc, tmp_path):
    metadata, arrays = content(leduc)
    for name in ("kuhn", "rhode-island", "leduc.nolimit", "holdem.limit.2p"):
        metadata["subject"] = subject_document(errai.load_game(name), None)
        refused(tmp_path / "bad", metadata, arrays, "of its game|for its game|size or type|cannot be solved|more than")
    metadata, _ = content(leduc)
    refused(tmp_path / "bad", changed(metadata, ("subject", "digest"), "0" * 64), arrays, "digest")
    other = metadata["subject"]["game"].replace("raiseSize = 2 4", "raiseSize = 2 8")
    refused(tmp_path / "bad", changed(metadata, ("subject", "game"), other), arrays, "digest")


@pytest.mark.parametrize("length", [0, 1, 20, 22, 10_000])
def test_wrong_lengths(leduc, tmp_path, length):
    metadata, arrays = content(leduc)
    arrays["strategy/0/0"] = np.full(length, 0.5)
    refused(tmp_path / "bad", metadata, arrays, "size or type|too short")


def test_wrong_types_shapes_and_names_of_arrays(leduc, tmp_path):
    metadata, arrays = content(leduc)
    first = arrays["strategy/0/0"]
    for wrong in (first.astype(np.float32), first.astype(np.int64), first.reshape(1, -1), first.reshape(3, -1)):
        refused(tmp_path / "bad", metadata, {**arrays, "strategy/0/0": wrong}, "size or type")
    refused(tmp_path / "bad", metadata, {**arrays, "more": first}, "of its game")
    refused(tmp_path / "bad", metadata, {k: a for k, a in arrays.items() if k != "strategy/0/1"}, "of its game")
    renamed = {k.replace("strategy", "Strategy"): a for k, a in arrays.items()}
    refused(tmp_path / "bad", metadata, renamed, "of its game")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.1, -1e-300, 1.1, 5e-324, 1e308])
def test_numbers_that_are_no_probabilities(leduc, tmp_path, value):
    metadata, arrays = content(leduc)
    for name, array in arrays.items():
        wrong = array.copy()
        wrong[len(wrong) // 2 :] = value
        refused(tmp_path / "bad", metadata, {**arrays, name: wrong}, "probabilities")


def test_probabilities_in_16_bits_must_sum_to_one_as_well(tmp_path):
    solved("leduc", "uint16").save(tmp_path / "good")
    metadata, arrays = content(tmp_path / "good")
    arrays["strategy/1/0"][7] ^= 64
    refused(tmp_path / "bad", metadata, arrays, "probabilities")


@pytest.mark.parametrize("encoding", ["float64", "float32", "uint16"])
def test_a_strategy_that_was_altered_consistently_is_not_certified(encoding, tmp_path):
    solved("leduc", encoding).save(tmp_path / "good")
    metadata, arrays = content(tmp_path / "good")
    rows = arrays["strategy/0/0"].reshape(-1, 3)
    rows[:2] = rows[1::-1].copy()  # checking and betting change places
    (tmp_path / "altered").write_bytes(sealed(metadata, arrays))
    result = errai.load_solution(tmp_path / "altered").verify()
    assert not result.certified
    assert not result
    assert result.recomputed.chips > result.certificate.chips


@pytest.mark.parametrize("place", ["exploitability_chips", "gain_chips", "value_chips"])
def test_a_certificate_that_was_altered_consistently_does_not_hold(leduc, tmp_path, place):
    metadata, arrays = content(leduc)
    value = metadata["certificate"][place]
    metadata["certificate"][place] = [value[0], value[1] * 0.9] if isinstance(value, list) else value * 0.9
    (tmp_path / "altered").write_bytes(sealed(metadata, arrays))
    assert not errai.load_solution(tmp_path / "altered").verify().certified


def test_a_game_whose_betting_tree_is_huge_is_refused_before_it_is_built(leduc, tmp_path, monkeypatch):
    metadata, arrays = content(leduc)
    metadata["subject"] = subject_document(errai.load_game("holdem.nolimit.2p"), "e, 2e, 3e, 33%, 50%, 75%, 100%, a")
    monkeypatch.setattr(errai.tree.public_tree.TreePlan, "build", lambda plan: pytest.fail("it was built"))
    refused(tmp_path / "bad", metadata, arrays, "too short")


def test_a_game_of_billions_of_deals_without_a_decision_is_refused_before_it_is_built(leduc, tmp_path, monkeypatch):
    metadata, _ = content(leduc)
    game = replace(errai.load_game("holdem.nolimit.2p"), stacks=(100, 100), blinds=(100, 100))
    metadata["subject"] = subject_document(game, None)
    arrays = {f"strategy/{s}/{p}": np.empty(0) for s in range(4) for p in (0, 1)}
    monkeypatch.setattr(errai.tree.public_tree.TreePlan, "build", lambda plan: pytest.fail("it was built"))
    (tmp_path / "bad").write_bytes(sealed(metadata, arrays))
    with pytest.raises(ErraiError):
        errai.load_solution(tmp_path / "bad")


# --- fuzz --------------------------------------------------------------------------------------------------------

JUNK = (*WRONG_TYPES, 0, 1, 2, 0.5, "float32", "uint16", "target met", "a", "50%", "AA", "random", [0, 0], [1e9, 2])


def spoiled(
    metadata: dict[str, Any], arrays: dict[str, np.ndarray], random: np.random.Generator
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Change one to three things about a solution."""
    metadata, arrays = copy.deepcopy(metadata), dict(arrays)
    for _ in range(random.integers(1, 4)):
        name = list(arrays)[random.integers(len(arrays))] if arrays else ""
        places = paths_of(metadata)
        if not places:
            break
        match random.integers(0, 9):
            case 0 | 1 | 2:
                value = JUNK[random.integers(len(JUNK))]
                metadata = changed(metadata, places[random.integers(len(places))], value)
            case 3:
                metadata = changed(metadata, places[random.integers(len(places))], ...)
            case 4:  # a character of a text
                metadata = json.loads(flipped_text(json.dumps(metadata), random) or json.dumps(metadata))
            case 5 if name:
                arrays[name] = arrays[name][: random.integers(len(arrays[name]) + 1)]
            case 6 if name and arrays[name].size and arrays[name].dtype.kind == "f":
                wrong = arrays[name].copy()
                with np.errstate(all="ignore"):
                    wrong[random.integers(wrong.size)] = (np.nan, -1.0, np.inf, 2.0, 0.0, 1e-310)[random.integers(6)]
                arrays[name] = wrong
            case 7 if name:
                dtype = header.DTYPES[random.integers(len(header.DTYPES))]
                with np.errstate(all="ignore"):
                    arrays[name] = arrays[name].astype(dtype)
            case 8 if name:  # one array for another
                arrays[name] = arrays[list(arrays)[random.integers(len(arrays))]]
    return metadata, arrays


def flipped_text(text: str, random: np.random.Generator) -> str | None:
    """A JSON text with a few characters changed, or None if it is no longer an object of JSON."""
    data = list(text)
    for _ in range(random.integers(1, 4)):
        data[random.integers(len(data))] = '0123456789aeKs"{}[],:.%-'[random.integers(24)]
    try:
        document = json.loads("".join(data), parse_constant=lambda _: 0)
        return json.dumps(document, allow_nan=False) if isinstance(document, dict) else None
    except (ValueError, RecursionError):
        return None


def answer(path: Path) -> str:
    """The result of reading; anything but a solution or a typed error fails the test."""
    try:
        solution = errai.load_solution(path, threads=1)
    except ErraiError as error:
        return type(error).__name__
    assert np.isfinite(solution.verify().recomputed.chips)
    assert repr(solution)
    return "opened"


def check_spoiled(good: Path, folder: Path, count: int) -> None:
    """Half of the files are damaged as bytes, half get new valid checksums, so that their content is reached."""
    random = np.random.default_rng(31)
    data = bytearray(good.read_bytes())
    metadata, arrays = content(good)
    said: dict[str, int] = {}
    path = folder / "bad"
    path.write_bytes(data)
    with open(path, "r+b", buffering=0) as file:
        for _ in range(count // 2):
            start = int(random.integers(len(data)))
            end = min(len(data), start + int(random.choice([1, 1, 1, 2, 8, 64, 1024])))
            file.seek(start)
            file.write(random.bytes(end - start))
            result = answer(path)
            file.seek(start)
            file.write(data[start:end])
            said[result] = said.get(result, 0) + 1
    assert said.get("opened", 0) < 0.01 * count  # a random byte is now and then the one that was there
    assert answer(path) == "opened"
    for _ in range(count - count // 2):
        path.write_bytes(sealed(*spoiled(metadata, arrays, random)))
        result = answer(path)
        said[result] = said.get(result, 0) + 1
    assert set(said) <= {"opened", "DamagedFileError", "ForeignFileError"}, said
    assert said["DamagedFileError"] > 0.5 * count


def test_2_000_spoiled_files(leduc, tmp_path):
    """Most of them of a game that is smaller still and has the same members."""
    check_spoiled(leduc, tmp_path, 500)
    solved("kuhn").save(tmp_path / "kuhn")
    check_spoiled(tmp_path / "kuhn", tmp_path, 1_500)


@pytest.mark.slow
def test_100_000_spoiled_files(leduc, tmp_path):
    check_spoiled(leduc, tmp_path, 100_000)


@pytest.mark.slow
def test_20_000_spoiled_spots(tmp_path):
    solved("river").save(tmp_path / "good")
    check_spoiled(tmp_path / "good", tmp_path, 20_000)


# --- locks -----------------------------------------------------------------------------------------------------------

KUHN_LOCKS = {"": {"A": {"bet 1": 1}, "Q": {"check": 0.3, "bet 1": 0.7}}, "check": {"K": "best"}}


def test_a_file_keeps_the_locks(tmp_path: Path) -> None:
    solution = errai.solve(errai.load_game("kuhn"), locks=KUHN_LOCKS, max_iterations=50)
    solution.save(tmp_path / "locked.errai")
    metadata = open_container(tmp_path / "locked.errai", "solution").metadata
    assert metadata["locks"] == {
        "": {"As": {"bet 1": 1.0}, "Qs": {"check": 0.3, "bet 1": 0.7}},
        "check": {"Ks": "best"},
    }
    again = errai.load_solution(tmp_path / "locked.errai")
    assert again.tree.locks is not None
    assert again.tree.locks.to_dict() == metadata["locks"]
    assert again.verify()
    # Without its locks the same strategy is much worse: they are part of what is certified.
    plain = again.tree.__class__(again.tree.subject, again.tree.betting, again.tree.deal)
    profile = StrategyProfile(plain, make_kernel("cpu", plain.arrays), again.strategy)
    assert profile.certificate(again.units)[0].chips > 0.02


@pytest.mark.parametrize("locks", [{"no such line": {}}, {"": {"2": "best"}}, {"": {"A": {"bet 1": 2}}}, 3])
def test_a_file_whose_locks_make_no_sense_is_damaged(tmp_path: Path, locks: Any) -> None:
    path = tmp_path / "locked.errai"
    errai.solve(errai.load_game("kuhn"), max_iterations=5).save(path)
    container = open_container(path, "solution")
    arrays = {name: np.array(container.arrays[name]) for name in container.arrays}
    write_container(path, "solution", {**container.metadata, "locks": locks}, arrays)
    with pytest.raises(DamagedFileError):
        errai.load_solution(path)


def test_a_checkpoint_of_other_locks_is_refused(tmp_path: Path) -> None:
    game, path = errai.load_game("kuhn"), tmp_path / "run.checkpoint"
    options: dict[str, Any] = {"checkpoint": path}
    errai.solve(game, max_iterations=10, locks=KUHN_LOCKS, **options)
    for other in (None, {"": {"A": {"bet 1": 1}}}, {**KUHN_LOCKS, "": {"A": {"bet 1": 1}, "Q": {"check": 1}}}):
        with pytest.raises(MismatchError, match="its locks"):
            errai.solve(game, max_iterations=20, locks=other, **options)
    gone_on = errai.solve(game, max_iterations=20, locks=KUHN_LOCKS, **options)
    whole = errai.solve(game, max_iterations=20, locks=KUHN_LOCKS)
    assert gone_on.iterations == 20
    assert same_arrays(gone_on.strategy, whole.strategy)
    free = tmp_path / "free.checkpoint"
    errai.solve(game, max_iterations=10, checkpoint=free)
    with pytest.raises(MismatchError, match="its locks is None"):
        errai.solve(game, max_iterations=20, checkpoint=free, locks=KUHN_LOCKS)
