"""Nodes of a stored run against the same nodes of a solution in memory, made of the same arrays."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from small_subjects import subject

import errai
from errai.cards.deck import Deck
from errai.cards.hands import hand_index
from errai.cli.main import main
from errai.cluster import partition
from errai.cluster.reading import StoredSolution, open_run
from errai.cluster.run import verify_run
from errai.engine.strategy import encode
from errai.errors import DamagedFileError, ErraiError, FileAccessError, ForeignFileError, LineError, MismatchError
from errai.solutions.node import SolutionNode
from errai.solutions.solution import MOST_EVALUATED, Solution
from errai.store.container import open_container
from errai.store.packing import BlockFile
from errai.tree.public_tree import build_public_tree
from errai.tree.subgame import build_subgame

RUNS = [
    # game, cut, bytes of a block, precision, averages
    ("leduc", 1, 1 << 20, "float64", True),
    ("rhode-island-short", 1, 1 << 20, "float64", True),
    ("rhode-island-short", 1, 9_000, "fixed16", True),
    ("rhode-island-short", 2, 9_000, "float32", True),
    ("rhode-island-short", 2, 2_000, "fixed16", False),
    ("rhode-island-short", 1, 20_000, "float32", False),
    ("two-cards-short", 1, 2_000, "fixed16", True),
    ("turn", 1, 4_000, "float32", True),
]
NAMES = [
    f"{name}-{cut}-{size}-{precision}{'' if averages else '-current'}" for name, cut, size, precision, averages in RUNS
]


@pytest.fixture(scope="module", params=RUNS, ids=NAMES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[StoredSolution, Solution]:
    """A run in a folder, and the same strategy in memory."""
    name, cut, size, precision, averages = request.param
    folder = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "SMALLEST_BLOCK", size)
        patch.setattr(partition, "USUAL_BLOCKS", 1_000_000)
        strategy = "average" if averages else "current"
        errai.solve(
            subject(name), store=folder, max_iterations=4, processes=1, precision=precision, strategy=strategy, cut=cut
        )
    stored = open_run(folder)
    return stored, assembled(stored)


def assembled(stored: StoredSolution) -> Solution:
    """The whole strategy, put together block by block."""
    tree = build_public_tree(stored.subject)
    whole = tree.arrays.zeros(np.float64)
    cut, partition = stored.partition.street, stored.partition
    for s in range(cut):
        for p in (0, 1):
            whole[s][p][...] = stored.checkpoint.arrays[f"{stored.group}/{s}/{p}"]
    for number, block in enumerate(partition.blocks):
        part = build_subgame(stored.plan, cut, block.boards, block.entries)
        for p in (0, 1):
            path = stored.place.block(number, p, stored.iterations)
            file = BlockFile(path, {"run": stored.facts["run"], "block": number, "player": p})
            boards = block.boards
            for i, street in enumerate(part.arrays.streets[1:]):
                dtype = {"float64": np.float64, "float32": np.float32, "fixed16": np.int16}[stored.precision]
                flat = np.empty(
                    street.state_size(p), np.uint16 if stored.group == "sums" and dtype is np.int16 else dtype
                )
                file.read_into(f"{stored.group}/{i + 1}", flat)
                level, own = tree.arrays.streets[cut + i], part.nodes[i + 1] - tree.betting.street_start[cut + i]
                decides = (level.kind[own] == 0) & (level.actor[own] == p)
                rows = [np.arange(level.row[n], level.row[n] + level.num_children[n]) for n in own[decides]]
                rows = np.concatenate(rows) if rows else np.zeros(0, int)
                for b, (first, last) in zip(boards, pairwise(street.hands[p].start), strict=True):
                    mine = flat[len(rows) * first : len(rows) * last].reshape(len(rows), -1)
                    at, hands = level.hands[p].start[b], last - first
                    block_of = whole[cut + i][p][level.num_rows[p] * at : level.num_rows[p] * (at + hands)]
                    block_of.reshape(level.num_rows[p], -1)[rows] = mine
                if i + 1 < len(part.arrays.streets) - 1:
                    boards = range(int(level.child_start[boards.start]), int(level.child_start[boards.stop]))
    return Solution(
        tree=tree,
        strategy=encode(tree, whole, "float64"),
        exploitability=stored.exploitability,
        values=stored.values,
        status=stored.status,
        iterations=stored.iterations,
        seconds=0.0,
        schedule=stored.schedule,
        curve=stored.curve,
        encoding="float64",
    )


def pairs(
    stored: SolutionNode, memory: SolutionNode, generator: np.random.Generator
) -> Iterator[tuple[SolutionNode, SolutionNode]]:
    """Every line with the same nodes of both, and a few deals at each."""
    yield stored, memory
    steps = list(memory.children)
    if memory.kind == "chance":
        count = memory.solution.tree.root.new_cards[memory.street]
        steps = ["".join(generator.choice(steps, count, replace=False)) for _ in range(2)]
    for step in steps:
        yield from pairs(stored[step], memory[step], generator)


def test_every_node_is_that_of_the_solution_in_memory(run: tuple[StoredSolution, Solution]) -> None:
    stored, memory = run
    count = 0
    for here, there in pairs(stored.root, memory.root, np.random.default_rng(3)):
        count += 1
        assert (here.kind, here.player, here.actions, here.line) == (
            there.kind,
            there.player,
            there.actions,
            there.line,
        )
        assert (here.board_text, here.pot_chips, here.to_call_chips) == (
            there.board_text,
            there.pot_chips,
            there.to_call_chips,
        )
        assert (here.stacks_chips, here.children, here.hands) == (there.stacks_chips, there.children, there.hands)
        np.testing.assert_allclose(here.strategies, there.strategies, atol=1e-12)
        np.testing.assert_allclose(here.ranges, there.ranges, atol=1e-12)
        np.testing.assert_allclose(here.frequencies, there.frequencies, atol=1e-12)
    assert count > 20


def test_values_are_those_of_the_solution_in_memory(run: tuple[StoredSolution, Solution]) -> None:
    stored, memory = run
    generator = np.random.default_rng(4)
    for i, (here, there) in enumerate(pairs(stored.root, memory.root, generator)):
        if here.street < stored.partition.street or i % 7 == 0:
            assert here.why_no_ev == ""
            atol = 1e-9 * max(1.0, stored.initial_pot_chips)
            np.testing.assert_allclose(here.ev, there.ev, atol=atol, err_msg=here.line)
            np.testing.assert_allclose(here.action_ev, there.action_ev, atol=atol, err_msg=here.line)
            np.testing.assert_allclose(here.equity, there.equity, atol=1e-12, err_msg=here.line)
            assert here.reached == pytest.approx(there.reached, abs=1e-12)
            np.testing.assert_allclose(here.unconverged, there.unconverged, atol=1e-9, err_msg=here.line)
            for p in (0, 1):
                best = [node.counterfactual(p, best=True) for node in (here, there)]
                np.testing.assert_allclose(*best, atol=atol * memory.tree.pair_weight, err_msg=here.line)


def test_facts_are_those_of_the_run(run: tuple[StoredSolution, Solution]) -> None:
    stored, memory = run
    assert stored.information_sets == memory.information_sets
    assert stored.canonical_information_sets == memory.canonical_information_sets
    assert stored.title == memory.title
    assert stored.iterations == 4
    assert stored.curve.shape[1] == 3
    assert stored.settings["precision"] == stored.precision
    assert stored.status in ("iteration limit", "target met")
    assert "exploitability" in repr(stored)


def test_verification_finds_the_certificate_again(run: tuple[StoredSolution, Solution]) -> None:
    stored, memory = run
    told: list[tuple[int, int]] = []
    found = verify_run(stored, processes=1, on_block=lambda done, blocks: told.append((done, blocks)))
    assert found.certified
    assert told[-1] == (len(stored.partition.blocks),) * 2
    assert found.recomputed.chips == pytest.approx(
        memory.verify().recomputed.chips, abs=1e-9 * stored.initial_pot_chips
    )


def renamed(deck: Deck, text: str, card_map: np.ndarray) -> str:
    return "".join(deck.card_text(int(card_map[c])) for c in deck.parse_cards(text))


@pytest.mark.parametrize("run", RUNS[2:7:2], ids=NAMES[2:7:2], indirect=True)
def test_suits_have_no_names(run: tuple[StoredSolution, Solution]) -> None:
    """A line with its suits renamed has the strategy with the hands renamed."""
    stored, _ = run
    deck, hands = stored.deck, stored.plan.root.hands
    generator = np.random.default_rng(8)
    for _ in range(20):
        suits, every = generator.permutation(deck.num_suits), np.arange(deck.num_cards)
        here = there = stored.root
        card_map = every // deck.num_suits * deck.num_suits + suits[every % deck.num_suits]
        hand_map = hand_index(np.sort(card_map[hands], axis=1))
        while here.kind in ("decision", "chance"):
            if here.kind == "decision":
                np.testing.assert_allclose(there.strategies[hand_map], here.strategies, atol=1e-12)
                step = str(generator.choice([a for a in here.children if a != "fold"]))
                here, there = here[step], there[step]
                continue
            count = stored.plan.root.new_cards[here.street]
            cards = "".join(generator.choice(here.children, count, replace=False))
            here, there = here[cards], there[renamed(deck, cards, card_map)]
        np.testing.assert_allclose(there.ranges[:, hand_map], here.ranges, atol=1e-12)


# --- what is wrong --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with several blocks."""
    place = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "SMALLEST_BLOCK", 40_000)
        patch.setattr(partition, "USUAL_BLOCKS", 1_000_000)
        errai.solve(subject("rhode-island-short"), store=place, max_iterations=3, processes=1, cut=1)
    return place


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A copy that may be damaged."""
    return Path(shutil.copytree(folder, tmp_path / "run"))


LINE = "check check / Ah / check"


def test_wrong_lines_and_hands(folder: Path) -> None:
    stored = open_run(folder)
    dealt = [f"check check / {cards} / check" for cards in ("Ah Kh", "2h", "Zz")]
    for line in ("jump", "check check check", *dealt):
        with pytest.raises(LineError):
            stored.at(line)
    with pytest.raises(LineError, match="on the table already"):
        stored.at("check check / Ah / check check / Ah / check")
    node = stored.at(LINE)
    assert node["bet"].line == f"{LINE} bet 20"
    for hand in ("Ah", "Zz", "AdKd", ""):
        with pytest.raises(LineError):
            node.strategy(hand)
    assert sum(node.strategy("Ad").values()) == pytest.approx(1.0)
    with pytest.raises(LineError, match="No player acts"):
        stored.at("check check").strategy("Ah")


def test_folders_that_are_no_run(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match="holds no run"):
        open_run(tmp_path)
    with pytest.raises(FileAccessError, match="holds no run"):
        open_run(tmp_path / "nothing")
    shutil.copy(folder / "certificate.errai", tmp_path / "run.errai")
    with pytest.raises(ForeignFileError):
        open_run(tmp_path)


def test_a_missing_block_is_missed_where_it_is_read(copy: Path) -> None:
    for path in (copy / "blocks").iterdir():
        path.unlink()
    stored = open_run(copy)
    assert stored.root.strategies.shape == (12, 2)
    with pytest.raises(FileAccessError, match="does not exist"):
        _ = stored.at(LINE).strategies
    with pytest.raises(FileAccessError):
        verify_run(stored, processes=1)


def test_a_block_of_another_run_is_refused(copy: Path) -> None:
    stored = open_run(copy)
    blocks = stored.partition.blocks
    number = next(n for n, block in enumerate(blocks) if 0 in block.boards and 0 in block.entries)
    other = next(n for n in range(len(blocks)) if n != number)
    for p in (0, 1):
        shutil.copy(stored.place.block(other, p, 3), stored.place.block(number, p, 3))
    with pytest.raises(MismatchError, match="another block"):
        _ = [stored.at(f"check check / {card} / check").strategies for card in stored.at("check check").children]


def test_a_damaged_checkpoint_is_not_answered_from_the_one_before(copy: Path, capsys: pytest.CaptureFixture) -> None:
    """The answer would be that of an earlier iteration; the sentence says how the run goes on."""
    checkpoint = copy / "run.errai"
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    with pytest.raises(DamagedFileError, match=r"run\.errai .* continues from it"):
        open_run(copy)
    assert main(["query", str(copy)]) == 1
    assert "continues from it" in capsys.readouterr().err
    checkpoint.unlink()
    with pytest.raises(FileAccessError, match="continues from it"):
        open_run(copy)


def test_files_that_a_killed_run_was_writing_are_no_obstacle(tmp_path: Path) -> None:
    """A run that was killed before its first checkpoint is begun again by the same command."""
    place = tmp_path / "run"
    (place / "blocks").mkdir(parents=True)
    for name in (".run.errai.0123456789abcdef.partial", "blocks/.000000-0-00000000.errai.0123456789abcdef.partial"):
        (place / name).write_bytes(b"half a file")
    (place / "lock").touch()
    assert errai.solve(subject("leduc"), store=place, max_iterations=2, processes=1).iterations == 2
    assert not list(place.rglob("*.partial"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").touch()
    with pytest.raises(FileAccessError, match=r"holds other files, such as letter\.txt"):
        errai.solve(subject("leduc"), store=tmp_path / "other", max_iterations=2, processes=1)


def test_damage_is_an_error_of_ours(copy: Path) -> None:
    """Whatever happens to the bytes of a folder, what comes is the strategy or a typed error."""
    generator = np.random.default_rng(5)
    files = [p for p in copy.rglob("*.errai") if p.stat().st_size]
    sound = open_run(copy).at("check check / Ah /").strategies
    refused = 0
    for _ in range(150):
        path = files[int(generator.integers(len(files)))]
        before = path.read_bytes()
        damaged = bytearray(before)
        if generator.random() < 0.3:
            damaged = damaged[: int(generator.integers(len(damaged)))]
        else:
            for place in generator.integers(0, len(damaged), 20):
                damaged[place] ^= int(generator.integers(1, 256))
        path.write_bytes(damaged)
        try:
            stored = open_run(copy)
            found = stored.at("check check / Ah /").strategies
            _ = stored.root.ev
            assert stored.iterations == 3
            np.testing.assert_array_equal(found, sound)
        except ErraiError:
            refused += 1
        path.write_bytes(before)
    assert refused > 5


def test_verification_finds_what_was_altered(copy: Path) -> None:
    stored = open_run(copy)
    path = stored.place.block(0, 0, 3)
    data = bytearray(path.read_bytes())
    array = BlockFile(path, {}).container.arrays._entries["sums/1"]
    data[array.offset + array.length // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedFileError):
        verify_run(stored, processes=1)


def test_verification_checks_every_byte(copy: Path) -> None:
    """A bit is altered in the header and in each array of every file of the run, backups too."""
    assert verify_run(open_run(copy), processes=1).certified
    altered = 0
    for path in sorted(copy.rglob("*.errai*")):
        container = open_container(path, checked=False)
        entries = [container.arrays.entry(name) for name in container.arrays]
        before = path.read_bytes()
        for place in (40, *(e.offset + e.length // 2 for e in entries if e.length)):
            data = bytearray(before)
            data[place] ^= 4
            path.write_bytes(data)
            with pytest.raises(DamagedFileError) as error:
                verify_run(open_run(copy), processes=1)
            assert path.name in str(error.value)
            altered += 1
        path.write_bytes(before)
    assert altered > 20


def test_a_certificate_of_another_strategy_is_not_held_against_it(copy: Path) -> None:
    (copy / "certificate.errai").unlink()
    stored = open_run(copy)
    assert stored.status == "running"
    assert "iterations" in repr(stored)
    assert sum(stored.root.strategy("Ah").values()) == pytest.approx(1.0)
    assert np.isnan(stored.root.ev).all()
    assert "certificate" in stored.root.why_no_ev
    for wanted in (lambda: stored.exploitability, lambda: stored.values, lambda: verify_run(stored)):
        with pytest.raises(FileAccessError, match="certificate"):
            wanted()


def test_an_older_certificate_is_not_held_against_the_strategy(folder: Path, copy: Path) -> None:
    kept = (copy / "certificate.errai").read_bytes()
    errai.solve(subject("rhode-island-short"), store=copy, max_iterations=5, processes=1)
    assert verify_run(open_run(copy), processes=2).certified
    (copy / "certificate.errai").write_bytes(kept)
    stored = open_run(copy)
    assert stored.certificate is None
    assert "only one of iteration 3" in stored.why_no_certificate
    shutil.copy(folder / "certificate.errai", copy / "certificate.errai")
    assert open_run(copy).certificate is None


def test_a_certificate_of_another_run_is_refused(folder: Path, tmp_path: Path) -> None:
    errai.solve(subject("rhode-island-short"), store=tmp_path / "run", max_iterations=3, processes=1, cut=1)
    shutil.copy(folder / "certificate.errai", tmp_path / "run" / "certificate.errai")
    with pytest.raises(MismatchError, match="another run"):
        open_run(tmp_path / "run")


def test_nothing_learnt_yet_is_the_uniform_strategy(folder: Path, tmp_path: Path) -> None:
    stored = open_run(folder)
    stored.iterations = 0
    node = stored.at(LINE)
    assert np.nanmin(node.strategies) == np.nanmax(node.strategies) == 0.5


def test_large_subtrees_are_not_evaluated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errai.solutions.stored.MOST_EVALUATED", 100)
    node = open_run(folder).at("check check / Ah /")
    assert np.isnan(node.ev).all()
    assert "at most 100" in node.why_no_ev
    assert np.isfinite(node.equity).any()  # which need no strategy
    assert MOST_EVALUATED > 1_000_000
