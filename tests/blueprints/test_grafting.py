"""Strategy grafting: what is kept, what is learnt, and against whom."""

import numpy as np
import pytest

import errai
from errai.arena.match import play_match
from errai.blueprints.abstractions import Identity, grafted
from errai.blueprints.blueprint import load_blueprint
from errai.cli.main import main
from errai.errors import MismatchError, SolverOptionError
from errai.games.catalogue import load_game


@pytest.fixture(scope="module")
def base():
    return errai.train(load_game("leduc"), "by-strength:2", "pcs", max_iterations=2000, bits=16)


def test_the_first_street_is_the_bases_and_the_rest_is_better(base):
    game = load_game("leduc")
    found = errai.train(game, "identity", "pcs", max_iterations=2000, bits=16, graft=base)
    for kept, mine in zip(base.steps[0], found.steps[0], strict=True):
        np.testing.assert_allclose(kept.astype(float), mine, atol=1.5)
    assert [found.abstraction.num_buckets(s) for s in (0, 1)] == [2, Identity(game).num_buckets(1)]
    won = play_match(game, (found, base), boards=300).measures[0]
    assert won.mean_chips > 0.05
    assert errai.exploitability(game, found).mbb < errai.exploitability(game, base).mbb / 2


def test_a_run_is_resumed_with_its_own_base_only(base, tmp_path):
    game, file = load_game("leduc"), tmp_path / "run"
    whole = errai.train(game, "identity", "pcs", max_iterations=60, graft=base)
    errai.train(game, "identity", "pcs", max_iterations=20, graft=base, checkpoint=file)
    resumed = errai.train(game, "identity", "pcs", max_iterations=60, graft=base, checkpoint=file)
    for mine, other in zip(whole.steps, resumed.steps, strict=True):
        for a, b in zip(mine, other, strict=True):
            np.testing.assert_array_equal(a, b)
    other = errai.train(game, "by-strength:2", "pcs", max_iterations=10)
    with pytest.raises(MismatchError):
        errai.train(game, "identity", "pcs", max_iterations=70, graft=other, checkpoint=file)


def test_mixed_buckets_go_into_one_file(tmp_path, capsys):
    for name, counts in (("coarse", ("3", "4")), ("fine", ("6", "9"))):
        words = ["abstract", "holdem-2-1", "--preflop", counts[0], "--flop", counts[1], "-o", str(tmp_path / name)]
        assert main(words) == 0
    first, second = str(tmp_path / "a.errai"), str(tmp_path / "b.errai")
    words = ["train", "holdem-2-1", "--iterations", "20", "--abstraction"]
    assert main([*words, str(tmp_path / "coarse"), "--whole", "-o", first]) == 0
    assert main([*words, str(tmp_path / "fine"), "--graft", first, "-o", second]) == 0
    (tmp_path / "fine").rename(tmp_path / "elsewhere")
    held = load_blueprint(second)
    assert [held.abstraction.num_buckets(s) for s in (0, 1)] == [3, 9]
    assert held.facts["method"] == "pcs-graft"


def test_what_cannot_be_grafted_is_refused(base):
    game = load_game("leduc")
    with pytest.raises(SolverOptionError, match="for the method pcs"):
        errai.train(game, "identity", "es", max_iterations=1, graft=base)
    with pytest.raises(SolverOptionError, match="no blueprint"):
        errai.train(game, "identity", "pcs", max_iterations=1, graft="nowhere.errai")
    with pytest.raises(SolverOptionError, match="is one of 'leduc'"):
        errai.train(load_game("holdem-2-1"), "by-strength:3", "pcs", max_iterations=1, graft=base)
    with pytest.raises(SolverOptionError, match="cannot be grafted"):
        grafted(Identity(game), Identity(load_game("holdem-2-1")))
