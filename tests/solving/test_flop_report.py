"""One spot on many flops: against solves of each, resumed, and refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_report import FLOPS as FLOP_LINES
from small_report import SPOT

import errai
from errai.cards.flops import Flop, all_flops, read_flops
from errai.engine.leaf_values import as_leaf_values
from errai.errors import DamagedFileError, ForeignFileError, InputError, LineError, MismatchError
from errai.games.spot import Spot, parse_spot
from errai.nets.predictors import predictor_after_first_street
from errai.reports.flops import certificate_text, flop_report_document, table_rows
from errai.solutions.convergence import pair_weight
from errai.solving.flop_report import open_report, report
from errai.solving.flop_results import FlopReport, FlopResult

FLOPS = read_flops(FLOP_LINES.splitlines(), "three flops")


@pytest.fixture(scope="module")
def spot() -> Spot:
    return parse_spot(SPOT)


@pytest.fixture(scope="module")
def found(spot: Spot, tmp_path_factory: pytest.TempPathFactory) -> tuple[FlopReport, Path]:
    folder = tmp_path_factory.mktemp("reports") / "it"
    return report(spot, FLOPS, folder=folder, lines=["", "check", "check check"], processes=2), folder


def test_a_flop_is_that_of_a_solve(spot: Spot, found: tuple[FlopReport, Path]) -> None:
    one = found[0].flops[1]
    table = spot.to_dict()
    alone = errai.solve(Spot.from_dict({**table, "board": "Th9h2h"}), "0.5%pot", threads=1)
    assert one.exploitability_chips == alone.exploitability.chips
    for node, line in zip(one.nodes, ("", "check", "check check"), strict=True):
        at = alone.at(line)
        np.testing.assert_array_equal(node.frequencies, at.frequencies)
        np.testing.assert_array_equal(node.ev, at.range_ev)
        np.testing.assert_array_equal(node.equity, at.range_equity)
        assert node.pairs == pair_weight(alone.tree.root.hands, at.ranges)
    root = one.nodes[0]
    # T9s in the range of the first player: the mean over its hands on this flop, two of which it blocks.
    hands = [i for i, hand in enumerate(alone.root.hands) if sorted(hand[::2]) == ["9", "T"] and hand[1] == hand[3]]
    weights = alone.root.pair_weights[0, hands]
    cell = 4 * 13 + 5
    assert root.class_weights[0, cell] == pytest.approx(weights.sum())
    live = weights > 0
    assert root.class_ev[0, cell] == pytest.approx(weights[live] @ alone.root.ev[0, hands][live] / weights.sum())


def test_means_are_over_all_deals(found: tuple[FlopReport, Path]) -> None:
    """The mean of an action is the chance of it: of all deals that get to the node, those in which it is taken."""
    result = found[0]
    for line in result.lines[:2]:
        taken, total, won = np.zeros(2), 0.0, np.zeros(2)
        for one, node in zip(result.flops, result.nodes(line), strict=True):
            taken += one.flop.weight * node.pairs * node.frequencies
            won += one.flop.weight * node.pairs * node.ev
            total += one.flop.weight * node.pairs
        mean = result.mean(line)
        np.testing.assert_allclose(mean["frequencies"], taken / total)
        np.testing.assert_allclose(mean["ev"], won / total)
        assert mean["ev"].sum() == pytest.approx(60.0)
        assert mean["frequencies"].sum() == pytest.approx(1.0)
    # What the classes do, each weighted by its hands, is what the range does.
    classes = result.class_mean("")
    weights = classes["weights"][0]
    total = (weights * np.nan_to_num(classes["frequencies"])).sum(axis=1) / weights.sum()
    np.testing.assert_allclose(total, result.mean("")["frequencies"])
    groups = result.groups("suits")
    assert {kind: chosen.tolist() for kind, chosen in groups.items()} == {
        "rainbow": [True, False, True],
        "monotone": [False, True, False],
    }
    only = result.only(["monotone", "T"])
    np.testing.assert_array_equal(only.mean("")["ev"], result.mean("", groups["monotone"])["ev"])


def test_a_run_is_resumed_and_grows(spot: Spot, found: tuple[FlopReport, Path], tmp_path: Path) -> None:
    result, folder = found
    place = tmp_path / "again"
    shutil.copytree(folder, place)
    (place / "flops" / "7d7c4s.errai").unlink()
    before = {path: path.stat().st_mtime_ns for path in (place / "flops").iterdir()}
    stop = errai.StopToken()
    stop.set()
    stopped = report(spot, FLOPS, folder=place, lines=result.lines, stop=stop)
    assert (len(stopped.flops), stopped.wanted) == (2, 3)
    planned = []
    more = (*FLOPS, Flop(tuple(sorted(errai_cards("AcKcQc"), reverse=True)), 1.0))  # type: ignore[arg-type]
    whole = report(spot, more, folder=place, lines=result.lines, planned=planned.append, processes=1)
    assert planned[0].left == 2
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert len(whole.flops) == 4
    for one, other in zip(result.flops, whole.flops, strict=False):
        np.testing.assert_array_equal(one.nodes[1].class_ev, other.nodes[1].class_ev)


def test_a_folder_is_opened_without_the_spot(found: tuple[FlopReport, Path], tmp_path: Path) -> None:
    result, folder = found
    opened = open_report(folder)
    assert (opened.lines, opened.target, opened.locks) == (result.lines, "0.5%pot", {})
    assert [flop.text for flop in opened.done] == [one.flop.text for one in result.flops]
    kept: dict[Flop, FlopResult] = {}
    for _ in range(2):
        again = opened.read(kept)
        for line in result.lines:
            for name, mean in result.mean(line).items():
                np.testing.assert_allclose(again.mean(line)[name], mean, rtol=1e-14)
    assert [*kept] == [*opened.flops]
    assert again.spot.digest() == result.spot.digest()
    # A run by an earlier version did not say which flops were asked for: each counts by itself.
    place = tmp_path / "old"
    shutil.copytree(folder, place)
    (place / "asked.txt").unlink()
    shutil.copy2(place / "flops" / "Ks7h2d.errai", place / "flops" / "2d2h2s.errai")
    old = open_report(place)
    assert {flop.text: flop.weight for flop in old.flops}.items() <= {f.text: f.weight for f in all_flops()}.items()
    (place / "flops" / "2d2h2s.errai").unlink()
    for text in ("", "Ks7h\n", "\xff"):
        (place / "asked.txt").write_text(text, encoding="latin-1")
        with pytest.raises(DamagedFileError):
            open_report(place)
    (place / "asked.txt").unlink()
    description = json.loads((place / "run.json").read_text())
    for change in ({"lines": ["bet 7"]}, {"lines": []}, {"lines": 3}, {"spot": {}}, {"locks": None}, {"target": 5}):
        (place / "run.json").write_text(json.dumps({**description, **change}))
        with pytest.raises(DamagedFileError):
            open_report(place)
    for text in ('{"format": "a song"}', json.dumps({**description, "version": 2})):
        (place / "run.json").write_text(text)
        with pytest.raises(ForeignFileError):
            open_report(place)


def errai_cards(text: str) -> tuple[int, ...]:
    from errai.cards.deck import FULL_DECK

    return tuple(FULL_DECK.parse_cards(text))


def test_locks_hold_on_every_flop(spot: Spot, tmp_path: Path) -> None:
    locked = report(
        spot, FLOPS[:2], folder=tmp_path / "it", lines=["check"], processes=1, locks={"check": {"*": {"check": 1}}}
    )
    for node in locked.nodes("check"):
        np.testing.assert_allclose(node.frequencies, [1.0, 0.0], atol=1e-4)


def test_the_table_has_every_number(found: tuple[FlopReport, Path]) -> None:
    batches = list(table_rows(found[0]))
    assert len(batches) == 9
    first = batches[0]
    assert first["flop"][0] == "Ks 7h 2d"
    assert first["class"][:2] == ["range", "range"]
    assert first["frequency"][:2] == found[0].flops[0].nodes[0].frequencies.tolist()
    named = dict(zip(zip(first["class"], first["action"], strict=True), first["frequency"], strict=True))
    assert named["AA", "check"] + named["AA", "bet 60"] == pytest.approx(1.0)


def test_what_is_refused(spot: Spot, found: tuple[FlopReport, Path], tmp_path: Path) -> None:
    result, folder = found
    with pytest.raises(InputError, match="begins on the flop"):
        report(Spot.from_dict({**spot.to_dict(), "board": "Ks7h2d3c"}), FLOPS, folder=tmp_path / "a")
    with pytest.raises(InputError, match="at least one flop"):
        report(spot, (), folder=tmp_path / "a")
    with pytest.raises(InputError, match="no subset of 7"):
        report(spot, 7, folder=tmp_path / "a")
    with pytest.raises(InputError, match="The number of processes is"):
        report(spot, FLOPS, folder=tmp_path / "a", processes=0)
    for line in ("check check / 2c", "raise", "bet 60 fold"):
        with pytest.raises(LineError):
            report(spot, FLOPS, folder=tmp_path / "a", lines=[line])
    with pytest.raises(LineError, match="twice"):
        report(spot, FLOPS, folder=tmp_path / "a", lines=["check", "check"])
    for other, what in (
        ({"spot": replace(spot, pot=61)}, "spot"),
        ({"target": "1%pot"}, "target"),
        ({"lines": [""]}, "lines"),
        ({"locks": {"": {"*": {"check": 1}}}}, "locks"),
    ):
        settings = {"spot": spot, "lines": result.lines, **other}
        with pytest.raises(MismatchError, match=f"other {what}"):
            report(settings.pop("spot"), FLOPS, folder=folder, **settings)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years")
    with pytest.raises(ForeignFileError, match="files in it that are not of a report"):
        report(spot, FLOPS, folder=tmp_path / "mine")
    with pytest.raises(LineError, match="has no line"):
        result.mean("bet 60")
    with pytest.raises(InputError, match="grouped by"):
        result.groups("beauty")
    with pytest.raises(InputError, match="No flop of the report has trips"):
        result.only(["trips"])


def test_damage_is_found(spot: Spot, found: tuple[FlopReport, Path], tmp_path: Path) -> None:
    result, folder = found
    for name, change in (
        ("flops/Ks7h2d.errai", lambda data: data[:-9] + bytes(b ^ 1 for b in data[-9:])),
        ("flops/Ks7h2d.errai", lambda data: data[:100]),
        ("run.json", lambda data: data[:40]),
    ):
        place = tmp_path / f"{name.replace('/', '-')}-{len(change(b'0' * 200))}"
        shutil.copytree(folder, place)
        path = place / name
        path.write_bytes(change(path.read_bytes()))
        with pytest.raises(DamagedFileError):
            report(spot, FLOPS, folder=place, lines=result.lines)
    place = tmp_path / "other"
    shutil.copytree(folder, place)
    document = json.loads((place / "run.json").read_text())
    (place / "run.json").write_text(json.dumps({**document, "format": "a song"}))
    with pytest.raises(ForeignFileError):
        report(spot, FLOPS, folder=place, lines=result.lines)


FLOP_ONLY = SPOT.replace("[bets]", '[bets]\nturn = { bet = "", raise = "" }\nriver = { bet = "", raise = "" }')


def test_over_leaf_values_the_cut_game_is_solved(tmp_path: Path) -> None:
    """Where nobody can bet after the flop, checking it down is what is left of the game: the EVs are the same."""
    spot = parse_spot(FLOP_ONLY)
    net = predictor_after_first_street("check-down", spot)
    planned = []
    settings = {"lines": ["", "check", "check check"], "processes": 1, "target": "0.1%pot"}
    over = report(spot, FLOPS, folder=tmp_path / "net", leaf_values=net, planned=planned.append, **settings)
    whole = report(spot, FLOPS, folder=tmp_path / "whole", **settings)
    assert (over.below.name, whole.below) == ("check-down", None)
    assert planned[0].estimate.entries == 120
    assert planned[0].estimate.iterations > 1
    for one, other in zip(over.nodes(""), whole.nodes(""), strict=True):
        # Both are within the target of the value of the game.
        np.testing.assert_allclose(one.ev, other.ev, atol=2 * 0.001 * 60)
        np.testing.assert_array_equal(one.equity, other.equity)
    alone = errai.solve(spot.on("Th9h2h"), "0.1%pot", leaf_values=net, threads=1)
    for line in over.lines:
        np.testing.assert_array_equal(over.nodes(line)[1].ev, alone.at(line).range_ev)
        np.testing.assert_array_equal(over.nodes(line)[1].frequencies, alone.at(line).frequencies)
    # What is said of the certificate: in JSON, in the table, in words.
    document, plain = flop_report_document(over), flop_report_document(whole)
    assert (document["net"]["name"], document["exploitability_pot_percent"]) == ("check-down", None)
    assert 0 < document["exploitability_of_the_cut_game_pot_percent"] <= 0.1
    assert (plain["net"], plain["exploitability_pot_percent"] <= 0.1) == (None, True)
    assert {(batch["net"][0], batch["exploitability_pot_percent"][0] <= 0.1) for batch in table_rows(over)} == {
        ("check-down", True)
    }
    assert "and not the whole game" in certificate_text(over)
    assert "cut" not in certificate_text(whole)
    for other in (None, predictor_after_first_street("zero", spot)):
        with pytest.raises(MismatchError, match="other leaf values"):
            report(spot, FLOPS, folder=tmp_path / "net", leaf_values=other, **settings)

    class Mine:
        def as_leaf_values(self):
            return net.as_leaf_values()

    with pytest.raises(InputError, match="cannot be sent"):
        report(spot, FLOPS, folder=tmp_path / "mine", leaf_values=Mine(), **settings)


def test_a_network_takes_as_many_threads_as_the_solve(spot: Spot) -> None:
    net = predictor_after_first_street("check-down", spot)
    assert as_leaf_values(net, 3).threads == 3
    assert as_leaf_values(net).threads is None
    own = net.as_leaf_values()
    assert as_leaf_values(own, 3) is own
    assert own.threads is None
