"""Many games with the same betting tree stacked into one tree, and the part of a tree below one board.

Training data and streamed subgames are thousands of small games that differ in boards, ranges, pots and stacks but have
the same betting lines.  Stacked, they are one tree whose root street has a board per game.  Every array gets longer and
nothing gets deeper, so one call of a kernel solves all of them.  Only NumPy is needed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.errors import InputError
from errai.kernels.layout import HandArrays, Locks, PairPayoffs, StreetArrays, TreeArrays
from errai.kernels.protocol import Arrays

BETTING = ("kind", "actor", "parent", "first_child", "num_children", "row", "matrix")
"""Fields of a street in which the games of a batch must agree."""


@dataclass(frozen=True)
class TreeBatch:
    """``G`` games that share a betting tree.

    Their state arrays are ``arrays.zeros(...)``; each game has a slice of each.
    """

    arrays: TreeArrays
    """All games; on every street their boards follow game after game.  ``ends`` and ``tie`` are those of game 0."""
    ends: tuple[NDArray[np.float64], ...]
    """Per street float64[G, n, 2, 3]: the payoffs of each game at a node, as in ``StreetArrays.ends``."""
    tie: NDArray[np.float64]
    """float64[G]: the threshold up to which regrets count as 0."""
    boards: tuple[NDArray[np.int64], ...]
    """Per street int64[G+1]: the boards of game ``g`` are ``boards[s][g]:boards[s][g+1]``."""

    @property
    def num_games(self) -> int:
        """Number of games in the batch."""
        return len(self.tie)

    def part(self, arrays: Arrays, game: int) -> Arrays:
        """Return one game's share of state arrays or of a strategy, as views that fit that game's own tree."""
        found: Arrays = []
        for street, boards, pair in zip(self.arrays.streets, self.boards, arrays, strict=True):
            first, last = boards[game : game + 2]
            found.append([street.block(pair[p], street.num_rows[p], p, first, last) for p in (0, 1)])
        return found

    def split(self, root_values: NDArray[np.float64], player: int) -> list[NDArray[np.float64]]:
        """Return the values at the root (float64[sum of H]) game by game, as views."""
        return np.split(root_values, self.arrays.streets[0].hands[player].start[1:-1])

    def game_of_board(self, street: int) -> NDArray[np.int64]:
        """Return int64[B]: the game that every board of a street belongs to."""
        return np.repeat(np.arange(self.num_games), np.diff(self.boards[street]))


def stack(trees: Sequence[TreeArrays]) -> TreeBatch:
    """Stack games with the same betting tree into one tree, which shares no memory with them.

    Boards, hands, root reach, payoffs, locks and ties may differ; betting lines, the deck and the number of private
    cards may not: :class:`InputError` names the game.
    """
    if not trees:
        raise InputError("A batch needs at least one game.")
    first = trees[0]
    for g, tree in enumerate(trees):
        if (tree.num_cards, tree.hole_cards) != (first.num_cards, first.hole_cards):
            raise InputError(f"Game {g} of the batch has another deck or number of private cards than game 0.")
        if len(tree.streets) != len(first.streets) or not all(
            np.array_equal(getattr(a, name), getattr(b, name))
            for a, b in zip(tree.streets, first.streets, strict=False)
            for name in BETTING
        ):
            raise InputError(
                f"Game {g} of the batch has another betting tree than game 0; "
                "stack games with the same streets and the same lines of bets."
            )
    streets: list[StreetArrays] = []
    boards: list[NDArray[np.int64]] = []
    for level in zip(*(tree.streets for tree in trees), strict=True):
        streets.append(_stacked_street(level, boards[-1] if boards else None))
        boards.append(_starts([s.num_boards for s in level]))
    reach = tuple(np.concatenate([tree.root_reach[p] for tree in trees]) for p in (0, 1))
    return TreeBatch(
        TreeArrays(tuple(streets), first.num_cards, first.tie, (reach[0], reach[1])),
        tuple(np.stack([tree.streets[s].ends for tree in trees]) for s in range(len(streets))),
        np.array([tree.tie for tree in trees]),
        tuple(boards),
    )


def below(tree: TreeArrays | TreeBatch, street: int, board: int) -> tuple[TreeArrays, list[tuple[int, int]]]:
    """Return the tree that starts on one board, and per street the range of boards that it has.

    Its root has the entries of that street, and both players' reach there is 1.
    """
    whole = tree if isinstance(tree, TreeArrays) else tree.arrays
    streets, ranges = [], []
    game = int(np.searchsorted(tree.boards[street], board, side="right")) - 1 if isinstance(tree, TreeBatch) else 0
    first, last, above = board, board + 1, 0
    for s in range(street, len(whole.streets)):
        level = whole.streets[s]
        ranges.append((first, last))
        starts, pairs = level.child_start[first : last + 1], slice(*level.pair_starts[[first, last]])
        matrices = [
            PairPayoffs((m.margin[0][pairs], m.margin[1][pairs]), m.tie and (m.tie[0][pairs], m.tie[1][pairs]))
            for m in level.matrices
        ]
        locks: list[Locks | None] = []
        for own, decisions in zip(level.locks, map(level.num_decisions, (0, 1)), strict=True):
            kept = None if own is None else replace(own, at=own.at[first * decisions : last * decisions])
            locks.append(kept)  # They keep their numbers.
        streets.append(
            replace(
                level,
                ends=tree.ends[s][game] if isinstance(tree, TreeBatch) else level.ends,
                parent_board=level.parent_board[first:last] - above if s > street else np.full(1, -1, np.int32),
                child_start=starts - starts[0],
                hands=(hands_on_boards(level.hands[0], first, last), hands_on_boards(level.hands[1], first, last)),
                matrices=tuple(matrices),
                locks=(locks[0], locks[1]),
            )
        )
        above, first, last = first, int(starts[0]), int(starts[-1])
    reach = tuple(np.ones(streets[0].num_entries * int(h.start[-1])) for h in streets[0].hands)
    return TreeArrays(tuple(streets), whole.num_cards, whole.tie, (reach[0], reach[1])), ranges


def _starts(sizes: ArrayLike) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _stacked_street(level: Sequence[StreetArrays], above: NDArray[np.int64] | None) -> StreetArrays:
    """Stack one street of all games; ``above`` gives the first board of each game on the street before."""
    parents = [s.parent_board if above is None else s.parent_board + above[g] for g, s in enumerate(level)]
    below_it = _starts([int(s.child_start[-1]) for s in level])
    children = [s.child_start[:-1] + below_it[g] for g, s in enumerate(level)]
    hands = [HandArrays(**_joined([s.hands[p] for s in level])) for p in (0, 1)]
    return replace(
        level[0],
        parent_board=np.concatenate(parents).astype(np.int32),
        child_start=np.concatenate([*children, below_it[-1:]]).astype(np.int32),
        hands=(hands[0], hands[1]),
        matrices=tuple(_stacked_matrices([s.matrices[m] for s in level]) for m in range(len(level[0].matrices))),
        locks=(_stacked_locks(level, 0), _stacked_locks(level, 1)),
    )


def _stacked_matrices(matrices: Sequence[PairPayoffs]) -> PairPayoffs:
    margin = tuple(np.concatenate([m.margin[p] for m in matrices]) for p in (0, 1))
    if all(m.tie is None for m in matrices):
        return PairPayoffs((margin[0], margin[1]))
    tie = tuple(
        np.concatenate([np.zeros_like(m.margin[p]) if m.tie is None else m.tie[p] for m in matrices]) for p in (0, 1)
    )
    return PairPayoffs((margin[0], margin[1]), (tie[0], tie[1]))


def _stacked_locks(level: Sequence[StreetArrays], player: int) -> Locks | None:
    """Stack one player's locks of all games; their numbers continue from game to game."""
    if all(s.locks[player] is None for s in level):
        return None
    nothing = np.zeros(1, np.int64), np.zeros(0, np.uint8), np.zeros(1, np.int64), np.zeros(0)
    found = [
        Locks(np.full(s.num_boards * s.num_decisions(player), -1, np.int32), *nothing) if own is None else own
        for s, own in ((s, s.locks[player]) for s in level)
    ]
    first = _starts([len(locks.role_start) - 1 for locks in found])
    numbers = [np.where(own.at < 0, -1, own.at + n).astype(np.int32) for n, own in zip(first[:-1], found, strict=True)]
    return Locks(**_joined([replace(own, at=at) for own, at in zip(found, numbers, strict=True)]))


def _joined(parts: Sequence[HandArrays] | Sequence[Locks]) -> dict[str, NDArray[Any]]:
    """Return the fields of all parts one after another; the starts are offsets into what they divide."""
    fields_of = {field.name: [getattr(part, field.name) for part in parts] for field in fields(parts[0])}
    return {
        name: _starts(np.concatenate([np.diff(s) for s in arrays])) if "start" in name else np.concatenate(arrays)
        for name, arrays in fields_of.items()
    }


def hands_on_boards(hands: HandArrays, first: int, last: int) -> HandArrays:
    """Return one player's hands on boards ``first`` to ``last - 1``; all but the offsets are views."""
    block = slice(int(hands.start[first]), int(hands.start[last]))
    members = slice(int(hands.member_start[block.start]), int(hands.member_start[block.stop]))
    return HandArrays(
        start=hands.start[first : last + 1] - block.start,
        member_start=hands.member_start[block.start : block.stop + 1] - members.start,
        member_cards=hands.member_cards[members],
        **{name: getattr(hands, name)[block] for name in ("cards", "parent", "up_weight", "rank", "twin")},
    )
