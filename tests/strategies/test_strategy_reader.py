"""Strategies made from their names."""

from __future__ import annotations

import pytest

import errai
from errai.errors import StrategyError
from errai.strategies.blind import ALWAYS, Mixture, Uniform
from errai.strategies.buckets import BucketStrategy
from errai.strategies.given import read_strategy

GAME = errai.load_game("leduc")


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("always-fold", ALWAYS["always-fold"]),
        (" always-raise ", ALWAYS["always-raise"]),
        ("uniform", Uniform()),
        ("call=0.5,raise=0.5", Mixture(0, 0.5, 0.5)),
        ("raise = .5, fold=1e-1, call=0.4", Mixture(0.1, 0.4, 0.5)),
        ("python:errai.strategies.blind:Uniform", None),
    ],
)
def test_texts_that_are_strategies(text, strategy) -> None:
    if strategy is None:
        assert read_strategy(text, GAME).description == "uniform"  # A class that takes no game is called without.
    else:
        assert read_strategy(text, GAME) == strategy


def test_buckets_by_strength() -> None:
    assert read_strategy("by-strength", GAME).description == "by-strength:8"
    strategy = read_strategy("by-strength:3", GAME)
    assert isinstance(strategy, BucketStrategy)
    assert strategy.description == "by-strength:3"


def test_a_function_of_ones_own(tmp_path, monkeypatch) -> None:
    (tmp_path / "my_poker.py").write_text(
        "from errai.strategies.buckets import by_strength\n"
        "from errai.strategies.blind import Uniform\n"
        "def five(game):\n    return by_strength(game, 5)\n"
        "ready = Uniform()\n"
        "number = 5\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert read_strategy("python:my_poker:five", GAME).description == "by-strength:5"
    assert read_strategy("python:my_poker:ready", GAME).description == "uniform"
    with pytest.raises(StrategyError, match="not a strategy"):
        read_strategy("python:my_poker:number", GAME)
    with pytest.raises(StrategyError, match="nothing called 'six'"):
        read_strategy("python:my_poker:six", GAME)
    with pytest.raises(StrategyError, match="cannot be imported"):
        read_strategy("python:my_chess:five", GAME)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a strategy"),
        ("always", "is not a strategy; write always-fold"),
        ("call=0.5", "sum to 1"),
        ("call=0.5,raise=0.6", "sum to 1"),
        ("call=0.5,raise=0.5,", "'' is not an option of a mixture"),
        ("call=0.5,bet=0.5", "'bet=0.5'"),
        ("call=0.5,call=0.5", "twice"),
        ("call=half,raise=0.5", "'call=half'"),
        ("call=nan,raise=0.5", "0..1"),
        ("call=inf,raise=0.5", "0..1"),
        ("call=2,raise=-1", "0..1"),
        ("uniform:4", "takes no '4'"),
        ("uniform:fold=1", "it has none"),
        ("python:", "lacks its package.module:function"),
        ("python:my_poker", "does not name an object"),
        ("by-strength:0", "whole number"),
        ("by-strength:1.5", "whole number"),
        ("by-strength:99999999", "whole number"),
        ("solution:missing.errai", "no file 'missing.errai'"),
        ("missing.errai", "solution:FILE"),
    ],
)
def test_texts_that_are_none(text, message) -> None:
    with pytest.raises(StrategyError, match=message):
        read_strategy(text, GAME)


def test_solutions(tmp_path) -> None:
    path = tmp_path / "leduc.errai"
    errai.solve(GAME, max_iterations=3, threads=1).save(path)
    first, again = (read_strategy(f"solution:{path}", GAME).description for _ in range(2))
    assert first == again
    assert "Leduc" in first
