"""Blueprints: training, files, and their best responses."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import subject

from errai.abstraction.building import build_abstraction
from errai.abstraction.file import save_abstraction
from errai.abstraction.plan import AbstractionPlan, FeatureKind, RoundPlan
from errai.blueprints.abstractions import ByStrength, Identity
from errai.blueprints.blueprint import Blueprint, load_blueprint
from errai.blueprints.solver import WholeGame, all_boards
from errai.blueprints.train import plan_training, train
from errai.errors import DamagedFileError, ForeignFileError, MismatchError, SolverOptionError, TreeTooLargeError
from errai.games.catalogue import load_game
from errai.responses.response import best_response
from errai.tree.betting_tree import build_betting_tree
from errai.tree.public_tree import build_public_tree


@pytest.fixture(scope="module")
def trained():
    return train(subject("leduc"), "by-strength:3", "full", max_iterations=30, threads=1)


def same(one: Blueprint, other: Blueprint) -> bool:
    return all(
        np.array_equal(a, b) for x, y in zip(one.steps, other.steps, strict=True) for a, b in zip(x, y, strict=True)
    )


def test_every_decision_is_a_distribution(trained):
    for node in range(trained.betting.num_nodes):
        if trained.betting.kind[node] == 0:
            rows = trained.node(node)
            assert rows.shape == (trained.betting.num_children[node], 3)
            np.testing.assert_allclose(rows.sum(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("bits", [6, 8, 16])
def test_rounding_is_to_the_nearest_step(bits):
    game = subject("kuhn")
    betting = build_betting_tree(game)
    random = np.random.default_rng(0)
    weights = [[random.random((betting.num_rows(0, p), 3)) for p in (0, 1)]]
    weights[0][0][:, 1] = 0.0
    made = Blueprint.of(game, None, betting, Identity(game), "identity", weights, bits=bits)
    steps = 2**bits - 1
    for node in range(betting.num_nodes):
        if betting.kind[node] == 0:
            actor, first, count = betting.actor[node], betting.row_start[node], betting.num_children[node]
            rows = weights[0][actor][first : first + count]
            total = rows.sum(axis=0)
            wanted = np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1.0 / count)
            np.testing.assert_allclose(made.node(node), wanted, rtol=0, atol=1.01 / steps)


def test_a_threshold_takes_small_probabilities_away():
    game = subject("kuhn")
    betting = build_betting_tree(game)
    weights = [[np.ones((betting.num_rows(0, p), 3)) for p in (0, 1)]]
    weights[0][0][0] = 0.05
    made = Blueprint.of(game, None, betting, Identity(game), "identity", weights, threshold=0.1)
    assert made.node(0)[:, 0].tolist() == [0.0, 1.0]


def test_a_file_gives_back_what_was_saved(trained, tmp_path):
    path = tmp_path / "leduc.errai"
    size = trained.save(path)
    assert size == path.stat().st_size < 4_000
    found = load_blueprint(path)
    assert same(found, trained)
    assert found.abstraction.digest() == trained.abstraction.digest()
    assert found.facts["iterations"] == 30


def test_damage_is_found(trained, tmp_path):
    path = tmp_path / "leduc.errai"
    trained.save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 37):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises((DamagedFileError, ForeignFileError)):
            load_blueprint(path)


def test_another_abstraction_is_refused(trained, tmp_path):
    path = tmp_path / "leduc.errai"
    trained.save(path)
    with pytest.raises(MismatchError, match="another abstraction"):
        load_blueprint(path, ByStrength(subject("leduc"), 4))


def test_the_best_response_measures_it(trained):
    """The streaming best response, which queries board by board, against the walk over buckets in tables."""
    game = subject("leduc")
    tree = build_public_tree(game)
    whole = WholeGame(tree, all_boards(tree, ByStrength(game, 3)))
    wanted = whole.exploitability(trained.weights()).chips
    found = best_response(game, trained).exploitability
    assert found is not None
    assert found.chips == pytest.approx(wanted, abs=1e-6)


def test_a_resumed_training_ends_in_the_same_bytes(tmp_path):
    game = subject("rhode-island-short")
    settings = {"threads": 1, "seed": 4, "measure": False}
    once = train(game, "by-strength:3", "pcs", max_iterations=40, **settings)
    path = tmp_path / "run.errai"
    train(game, "by-strength:3", "pcs", max_iterations=15, checkpoint=path, **settings)
    again = train(game, "by-strength:3", "pcs", max_iterations=40, checkpoint=path, resume=True, **settings)
    assert same(once, again)
    with pytest.raises(MismatchError, match="another run"):
        train(game, "by-strength:3", "pcs", max_iterations=40, checkpoint=path, **{**settings, "seed": 5})
    with pytest.raises(MismatchError, match="already"):
        train(game, "by-strength:3", "pcs", max_iterations=40, checkpoint=path, resume=False, **settings)


@pytest.mark.parametrize("method", ["pcs", "es", "full", "cfr-br"])
def test_every_method_trains_and_is_measured(method):
    blueprint = train(subject("leduc"), "identity", method, max_iterations=12, threads=1)
    curve = blueprint.facts["curve"]
    assert [point[0] for point in curve] == [8, 12]
    assert curve[-1][2] < 2.4  # what always-fold would be, and uniform is
    assert blueprint.facts["status"] == "iteration limit"


def test_the_current_strategy_can_be_asked_for():
    settings = {"max_iterations": 20, "threads": 1}
    average, current = (
        train(subject("leduc"), "identity", "full", strategy=s, **settings) for s in ("average", "current")
    )
    assert not same(average, current)


def test_before_the_average_begins_the_current_strategy_is_returned():
    settings = {"method": "pcs-br", "max_iterations": 20, "threads": 1, "opponents": "one-bucket"}
    early = train(subject("leduc"), "by-strength:3", strategy="current", **settings)
    settings |= {"max_iterations": None, "seconds": 1e-9}
    none = train(subject("leduc"), "by-strength:3", average_from=10**9, **settings)
    assert none.facts["strategy"] == "current"
    assert early.facts["strategy"] == "current"
    assert none.facts["status"] == "time limit"


def test_a_function_measures_when_it_likes():
    asked = []
    train(
        subject("leduc"),
        "one-bucket",
        "es",
        max_iterations=18,
        threads=1,
        measure=lambda b: asked.append(b.facts["iterations"]),
    )
    assert asked == [8, 12, 18]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "how long"),
        ({"max_iterations": 1, "method": "mccfr"}, "no method"),
        ({"max_iterations": 1, "bits": 4}, "8 or 16"),
        ({"max_iterations": 1, "threshold": 0.9}, "threshold"),
        ({"max_iterations": 1, "precision": "fixed16"}, "float32 or float64"),
        ({"max_iterations": 1, "strategy": "last"}, "average"),
        ({"max_iterations": 1, "prune_below_chips": -1.0}, "the method es alone"),
        ({"max_iterations": 1, "weights": "dcfr"}, "choose one of"),
        ({"max_iterations": 1, "average_every": 0}, "average_every must be above 0"),
        ({"max_iterations": 1, "average_every": 2, "method": "es"}, "the method pcs alone"),
        ({"max_iterations": 9, "average_from": 10}, "iteration 10 of a run of 9"),
        ({"max_iterations": 9, "average_from": 0, "method": "es"}, "must be above 0, not 0"),
        ({"max_iterations": 1, "opponents": "one-bucket"}, "the method pcs-br alone"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, message):
    with pytest.raises(SolverOptionError, match=message):
        train(subject("leduc"), "identity", **settings)


def test_memory_is_counted_before_it_is_taken():
    game = subject("leduc")
    needed = plan_training(game, ByStrength(game, 1_000_000), "full").memory_bytes
    assert needed > 60 * 1_000_000 * 4
    with pytest.raises(TreeTooLargeError, match="Fewer buckets"):
        train(game, "by-strength:1000000", "full", max_iterations=1, memory=1_000_000)


def test_a_whole_file_stands_alone(tmp_path):
    game = load_game("royal.limit")
    plan = AbstractionPlan((RoundPlan(None), *(RoundPlan(4, FeatureKind.OCHS) for _ in range(3))), sample_boards=20)
    path = tmp_path / "royal.cards"
    save_abstraction(build_abstraction(game, plan), path)
    made = train(game, str(path), "pcs", max_iterations=5, threads=1)
    made.save(tmp_path / "thin.errai")
    made.save(tmp_path / "whole.errai", whole=True)
    path.unlink()
    with pytest.raises(SolverOptionError, match="no abstraction"):
        load_blueprint(tmp_path / "thin.errai")
    again = load_blueprint(tmp_path / "whole.errai")
    assert same(made, again)
    assert again.abstraction.digest() == made.abstraction.digest()
    for board, round in (((0, 5, 9), 1), ((0, 5, 9, 11), 2), ((0, 5, 9, 11, 3), 3), ((), 0)):
        found = again.abstraction.buckets(board, round)
        np.testing.assert_array_equal(found, made.abstraction.buckets(board, round))
    again.save(tmp_path / "again.errai", whole=True)
    assert (tmp_path / "again.errai").read_bytes() == (tmp_path / "whole.errai").read_bytes()


def test_simple_buckets_need_no_room_in_a_file(trained, tmp_path):
    with pytest.raises(SolverOptionError, match="errai abstract"):
        trained.save(tmp_path / "leduc.errai", whole=True)
    assert not (tmp_path / "leduc.errai").exists()
