"""Solution files whose checksums are right and whose content is wrong: typed errors only, and quickly."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import errai
from errai.errors import ArtefactError, ErraiError, InputError
from errai.games.catalogue import parse_game
from errai.games.spot import Spot
from errai.solutions.solution import KIND
from errai.store.container import open_container, write_container

VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    1,
    2**70,
    1e300,
    0.5,
    "",
    "x",
    "uint16",
    "float32",
    [],
    {},
    [1],
    [[]],
    [1, 2, 3],
]

SPOT = """
board = "Qs Jh 2c 8d 3s"
pot = 20
stack = 30
[ranges]
oop = "AA, KQs"
ip = "KK, QJs, 99"
[bets]
bet = "50%, a"
raise = "a"
"""


def small_solution(name: str) -> errai.Solution:
    if name == "spot":
        import tomllib

        subject: errai.Spot | errai.Game = Spot.from_dict(tomllib.loads(SPOT))
    else:
        subject = errai.load_game(name)
    return errai.solve(subject, max_iterations=5)


def changed(value: Any, rng: random.Random) -> Any:
    """The same JSON value with one thing in it changed, dropped or added."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        chance = rng.random()
        if chance < 0.08:
            return {k: v for k, v in value.items() if k != key}
        if chance < 0.12:
            return {**value, rng.choice(["x", "spot", "game", "menu"]): rng.choice(VALUES)}
        return {**value, key: changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        index = rng.randrange(len(value))
        chance = rng.random()
        if chance < 0.1:
            return value[:index] + value[index + 1 :]
        if chance < 0.2:
            return [*value, rng.choice(VALUES)]
        return [*value[:index], changed(value[index], rng), *value[index + 1 :]]
    if isinstance(value, str) and value and rng.random() < 0.6:
        index = rng.randrange(len(value))
        return value[:index] + rng.choice(["", "0", "9", "x", " ", "\n", "=", "\u0660"]) + value[index + 1 :]
    if type(value) in (int, float) and rng.random() < 0.3:
        return rng.choice([value + 1, -value, value * 10])
    return rng.choice(VALUES)


def changed_arrays(arrays: dict[str, np.ndarray], rng: random.Random) -> dict[str, np.ndarray]:
    """The same arrays with one of them shortened, retyped, reshaped, dropped or spoiled."""
    name = rng.choice(list(arrays))
    array = arrays[name]
    match rng.randrange(5):
        case 0:
            return {**arrays, name: array[:-1]}
        case 1:
            return {**arrays, name: array.astype(rng.choice(["float32", "float64", "uint16", "int8"]))}
        case 2:
            return {**arrays, name: array.reshape(1, -1)}
        case 3:
            return {key: value for key, value in arrays.items() if key != name}
        case _:
            return {**arrays, name: np.full_like(array, rng.choice([-1.0, np.nan, np.inf, 1e300]))}


def with_fresh_digest(metadata: Any) -> Any:
    """The metadata with the digest of whatever game they describe now, so that the change gets past the digest."""
    try:
        subject = metadata["subject"]
        game = Spot.from_dict(subject["spot"]) if "spot" in subject else parse_game(subject["game"], subject["name"])
        return {**metadata, "subject": {**subject, "digest": game.digest()}}
    except (ErraiError, TypeError, KeyError, AttributeError):
        return metadata


@pytest.mark.parametrize("count", [200, pytest.param(34_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["kuhn", "leduc.nolimit", "spot"])
@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_wrong_solution_files(tmp_path, name, count):
    path = tmp_path / "wrong.errai"
    small_solution(name).save(path)
    container = open_container(path, KIND)
    arrays = {key: container.read(key) for key in container.arrays}
    rng = random.Random(name)
    refused = 0
    for _ in range(count):
        metadata = changed(container.metadata, rng)
        spoiled = changed_arrays(arrays, rng) if rng.random() < 0.2 else arrays
        if rng.random() < 0.5:
            metadata = with_fresh_digest(metadata)
        try:
            write_container(path, KIND, metadata if isinstance(metadata, dict) else {}, spoiled)
        except InputError:
            continue
        try:
            solution = errai.load_solution(path, threads=1)
        except ArtefactError:
            refused += 1
        else:
            # What still makes sense must also work.
            repr(solution)
            solution.verify()
    assert refused > count / 3
