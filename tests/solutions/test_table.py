"""A solution as a table, and the beginnings of its streets as arrays, against its nodes."""

from __future__ import annotations

import csv
import tracemalloc
from math import comb
from pathlib import Path

import numpy as np
import pytest
from small_subjects import SHORT_TURN, subject

import errai
from errai.cards.hands import fitting_weights
from errai.errors import FileAccessError, InputError
from errai.games.spot import parse_spot
from errai.nets.examples.dataset import examples_of, joined
from errai.running.stopping import StopToken
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution
from errai.solutions.starts import StreetStarts, solved_boards, street_start_batches, street_starts
from errai.solutions.table import COLUMNS, BoardTable, count_rows, export_solution, solution_batches

SUBJECTS = ["leduc", "rhode-island-short", "turn", "two-cards-short"]


@pytest.fixture(scope="module")
def solutions() -> dict[str, Solution]:
    made = {name: subject(name) if name != "turn" else parse_spot(SHORT_TURN) for name in SUBJECTS}
    return {name: errai.solve(one, max_iterations=8, encoding="float64") for name, one in made.items()}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_row_is_what_the_node_says(name: str, solutions: dict[str, Solution], tmp_path: Path) -> None:
    solution = solutions[name]
    path = tmp_path / "table.csv"
    rows = export_solution(solution, path)
    table = rows_of(path)
    assert rows == len(table) == count_rows(solution)
    assert tuple(table[0]) == tuple(COLUMNS)
    rng = np.random.default_rng(5)
    deepest = [i for i, row in enumerate(table) if row["street"] == table[-1]["street"]]
    for i in {0, len(table) - 1, *rng.choice(len(table), 60).tolist(), *rng.choice(deepest, 60).tolist()}:
        row = table[i]
        node = solution.at(row["line"])
        assert node.player == int(row["player"])
        assert node.board_text.replace(" ", "") == row["board"]
        hand, action = node.hand_index(row["hand"]), node.actions.index(row["action"])
        against = fitting_weights(solution.tree.root.hands, node.ranges[1 - node.player])[hand]
        wanted = {
            "probability": node.strategies[hand, action],
            "reach": node.ranges[node.player, hand],
            "opponent_reach": against,
            "ev": node.ev[node.player, hand],
            "action_ev": node.action_ev[hand, action],
        }
        for column, number in wanted.items():
            if np.isnan(number):
                assert row[column] == ""
            else:
                assert float(row[column]) == pytest.approx(number, rel=1e-9, abs=1e-9), (column, row)


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_table_has_every_hand_once_and_all_boards(name: str, solutions: dict[str, Solution]) -> None:
    solution = solutions[name]
    seen: set[tuple[str, ...]] = set()
    per_hand: dict[tuple[str, str, str], float] = {}
    for batch in solution_batches(solution):
        for line, board, hand, action, share in zip(
            *(batch[key] for key in ("line", "board", "hand", "action", "probability")), strict=True
        ):
            assert (line, board, hand, action) not in seen  # a batch is one decision, so that little is held
            seen.add((line, board, hand, action))
            per_hand[line, board, hand] = per_hand.get((line, board, hand), 0.0) + share
    assert len(seen) == count_rows(solution)
    np.testing.assert_allclose(list(per_hand.values()), 1.0, atol=1e-9)
    root, left = solution.tree.root, solution.deck.num_cards - len(solution.board)
    real = 1
    for s in range(len(solution.tree.arrays.streets)):
        if s:
            real *= comb(left, root.new_cards[s - 1])
            left -= root.new_cards[s - 1]
        assert sum(board.count for board in solved_boards(solution) if board.street == s) == real


def test_the_root_in_the_table_is_what_both_earn(solutions: dict[str, Solution]) -> None:
    """The player who acts first, over all pairs of hands."""
    for solution in solutions.values():
        batch = next(solution_batches(solution))
        reach, against, ev = (np.asarray(batch[key]) for key in ("reach", "opponent_reach", "ev"))
        weight = reach * against
        player = batch["player"][0]
        assert np.nansum(weight * ev) / weight.sum() == pytest.approx(solution.values.chips[player], abs=1e-9)


def test_parquet_holds_what_csv_holds(solutions: dict[str, Solution], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    solution = solutions["leduc"]
    export_solution(solution, tmp_path / "table.csv")
    export_solution(solution, tmp_path / "table.parquet")
    found = parquet.read_table(tmp_path / "table.parquet")
    assert found.column_names == list(COLUMNS)
    for column, kind in COLUMNS.items():
        texts = [row[column] for row in rows_of(tmp_path / "table.csv")]
        wanted = [None if text == "" and kind == "number" else text for text in texts]
        if kind != "text":
            wanted = [None if text is None else float(text) for text in wanted]
        assert found[column].to_pylist() == wanted


def test_only_the_first_streets(solutions: dict[str, Solution], tmp_path: Path) -> None:
    solution = solutions["rhode-island-short"]
    rows = export_solution(solution, tmp_path / "one.csv", streets=1)
    assert rows == count_rows(solution, 1) < count_rows(solution)
    assert {row["board"] for row in rows_of(tmp_path / "one.csv")} == {""}


def test_memory_does_not_grow_with_the_table(solutions: dict[str, Solution], tmp_path: Path) -> None:
    solution, path = solutions["rhode-island-short"], tmp_path / "table.csv"
    peaks = []
    for _ in range(4):
        tracemalloc.start()
        export_solution(solution, path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The least is the table's: what is made once, and what other threads of the tests do meanwhile, is in the others.
    assert min(peaks) < path.stat().st_size / 5


def test_a_solution_that_is_cut_has_its_values_in_the_file(tmp_path: Path) -> None:
    spot = parse_spot(SHORT_TURN)
    cut = errai.solve(spot, max_iterations=3, depth="turn", leaf_values=lambda leaves: 0.0 * leaves.reach[0])
    known = next(solution_batches(cut))["ev"]
    assert np.isfinite(known).any()
    cut.save(tmp_path / "cut.errai")
    read = errai.load_solution(tmp_path / "cut.errai")
    assert np.array_equal(next(solution_batches(read))["ev"], known, equal_nan=True)
    assert np.array_equal(street_starts(read, "turn").values, street_starts(cut, "turn").values, equal_nan=True)
    read.leaves = None  # as of a file of an older version
    assert np.isnan(next(solution_batches(read))["ev"]).all()
    with pytest.raises(InputError, match="not in the file"):
        street_starts(read, "turn")


def test_a_stop_leaves_no_file(solutions: dict[str, Solution], tmp_path: Path) -> None:
    stop = StopToken()
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        stop.set()

    (tmp_path / "table.csv").write_text("before")
    assert export_solution(solutions["leduc"], tmp_path / "table.csv", stop=stop, progress=progress) == 0
    assert (tmp_path / "table.csv").read_text() == "before"
    assert told[0][0] < told[0][1] == count_rows(solutions["leduc"])


def test_what_cannot_be_exported_is_named(
    solutions: dict[str, Solution], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solution = solutions["leduc"]
    for streets in (0, 3):
        with pytest.raises(InputError, match="1 to 2 streets"):
            export_solution(solution, tmp_path / "t.csv", streets=streets)
    with pytest.raises(InputError, match="ends in neither"):
        export_solution(solution, tmp_path / "t.xlsx")
    with pytest.raises(InputError, match=r"errai\.load_solution"):
        export_solution("leduc.errai", tmp_path / "t.csv")  # type: ignore[arg-type]
    with pytest.raises(FileAccessError):
        export_solution(solution, tmp_path / "no" / "t.csv")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"Parquet needs pyarrow.*'errai\[parquet\]'"):
        export_solution(solution, tmp_path / "t.parquet")


# --- the beginnings of streets ---


def node_of(solution: Solution, starts: StreetStarts, board: int, line: int) -> SolutionNode:
    """The node of a start: the actions of its line, with the board's cards where they are due."""
    node, cards = solution.root, starts.boards[board].tolist()[len(solution.board) :]
    actions = iter(solution.tree.betting.path(int(starts.nodes[line])))
    while node.node != starts.nodes[line]:
        if node.kind == "chance":
            count = solution.tree.root.new_cards[node.street]
            node = node[solution.deck.cards_text(cards[:count])]
            del cards[:count]
        else:
            node = node[next(actions)]
    return node


@pytest.mark.parametrize(
    ("name", "street"), [("leduc", 0), ("leduc", 1), ("rhode-island-short", 2), ("turn", "river"), ("turn", 2)]
)
def test_ranges_and_values_are_those_of_the_nodes(name: str, street: int | str, solutions: dict[str, Solution]) -> None:
    solution = solutions[name]
    starts = street_starts(solution, street)
    rng = np.random.default_rng(8)
    for _ in range(12):
        b, line = int(rng.integers(len(starts))), int(rng.integers(len(starts.lines)))
        node = node_of(solution, starts, b, line)
        np.testing.assert_allclose(starts.ranges[b, line], node.ranges, atol=1e-12)
        for p in (0, 1):
            expected = np.nan_to_num(node.counterfactual(p))
            np.testing.assert_allclose(starts.values[b, line, p], expected, rtol=1e-9, atol=1e-9)
        assert starts.pot_chips[line] == node.pot_chips
        assert tuple(starts.stacks_chips[line]) == node.stacks_chips
        assert node.player in (starts.first_player, None)


def test_starts_come_in_batches(solutions: dict[str, Solution]) -> None:
    solution = solutions["rhode-island-short"]
    whole = street_starts(solution, 2)
    parts = list(street_start_batches(solution, 2, boards=4, dtype=np.float32))
    assert [len(part) for part in parts[:-1]] == [4] * (len(parts) - 1)
    assert parts[0].values.dtype == np.float32
    for field in ("boards", "counts", "ranges", "values"):
        joined = np.concatenate([getattr(part, field) for part in parts])
        np.testing.assert_allclose(joined, getattr(whole, field), rtol=1e-6, atol=1e-6)
    for street in ("river", 3, -1):
        with pytest.raises(InputError, match="has no street"):
            street_starts(solution, street)
    with pytest.raises(InputError, match="at least one board"):
        street_start_batches(solution, 2, boards=0)


def test_positions_have_the_units_of_networks(solutions: dict[str, Solution]) -> None:
    """Values of both players, each weighted by the own range, cancel where nothing is raked."""
    starts = street_starts(solutions["turn"], "river")
    examples = examples_of(starts)
    positions, values = examples.positions, examples.values
    assert len(positions) == len(examples) > 0
    np.testing.assert_allclose(positions.ranges.sum(axis=2), 1.0, rtol=1e-5)
    assert (positions.stacks > 0).all()
    np.testing.assert_allclose((positions.ranges * values).sum(axis=(1, 2)), 0.0, atol=1e-5)
    # One of them by hand: chips over the pot and the opponent's weight.
    kept = np.flatnonzero((starts.ranges[0].sum(axis=2) > 0).all(axis=1) & (starts.stacks_chips.min(axis=1) > 0))
    line, first = int(kept[0]), starts.first_player
    theirs = starts.ranges[0, line, 1 - first].sum()
    expected = starts.values[0, line, first] / theirs / starts.pot_chips[line]
    np.testing.assert_allclose(values[0, 0], expected, rtol=1e-5, atol=1e-6)
    error = solutions["turn"].exploitability.chips / starts.pot_chips[line]
    assert examples.errors[0] == pytest.approx(error, rel=1e-5)
    assert len(joined([examples, examples])) == 2 * len(examples)


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_table_of_a_board_has_the_rows_of_the_whole_one(name: str, solutions: dict[str, Solution]) -> None:
    solution = solutions[name]
    whole = {}
    for batch in solution_batches(solution):
        for row in zip(*batch.values(), strict=True):
            named = dict(zip(batch, row, strict=True))
            whole[named["line"], named["hand"], named["action"]] = named
    board = solution.tree.deal.streets[-1].boards[0].tolist()[len(solution.board) :]
    table, rows = BoardTable(solution, board), 0
    for batch in table:
        for row in zip(*batch.values(), strict=True):
            named, rows = dict(zip(batch, row, strict=True)), rows + 1
            wanted = whole[named["line"], named["hand"], named["action"]]
            for column in ("probability", "reach", "opponent_reach", "ev", "action_ev"):
                assert named[column] == pytest.approx(wanted[column], abs=1e-6, nan_ok=True)
            assert (named["street"], named["board"], named["player"]) == (
                wanted["street"],
                wanted["board"],
                wanted["player"],
            )
    assert rows == len(table)


def test_a_table_of_a_board_that_is_none(solutions: dict[str, Solution], tmp_path: Path) -> None:
    solution = solutions["leduc"]
    with pytest.raises(InputError, match="is no board of Leduc"):
        export_solution(solution, tmp_path / "a.csv", board=(0, 1, 2))
    with pytest.raises(InputError, match="has 1 streets"):
        export_solution(solution, tmp_path / "a.csv", board=(), streets=2)
    assert not list(tmp_path.iterdir())
