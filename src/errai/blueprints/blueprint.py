"""A blueprint: a strategy over buckets for a whole game, in memory and as one small file.

Probabilities are stored in steps of 1/255 (or 1/63, or 1/65535).  The last action of each decision is not stored,
because the steps of a decision sum to 255.  The rest is compressed with zstandard.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import CardAbstraction
from errai.abstraction.file import read_written, written_abstraction
from errai.blueprints.abstractions import Abstraction, StoredAbstraction, read_abstraction
from errai.data import shipped_file
from errai.errors import ArtefactError, DamagedFileError, MismatchError, SolverOptionError
from errai.games.game import Game
from errai.kernels.buckets import Tables
from errai.solutions.subjects import menu_of, read_subject, subject_document
from errai.store.container import open_container, write_container
from errai.store.packing import packed_frame, unpacked_frame
from errai.tree.betting_tree import BettingTree, build_betting_tree

KIND = "blueprint"
HELD = "abstraction/"
"""Prefix of the names of arrays that belong to an abstraction inside the file."""

StepTables = list[list[NDArray[np.unsignedinteger]]]
"""Probabilities as integer steps, [rows, K], indexed ``[street][player]``."""

STEP_TYPES: dict[int, type[np.unsignedinteger]] = {6: np.uint8, 8: np.uint8, 16: np.uint16}
"""Types of the steps by their number of bits; a probability of 1 is the greatest number with that many bits."""


@dataclass(eq=False)
class Blueprint:
    """A strategy over buckets."""

    game: Game
    menu: str | None
    betting: BettingTree
    abstraction: Abstraction
    abstraction_text: str
    """The text from which :func:`~errai.blueprints.abstractions.read_abstraction` reads the abstraction."""
    steps: StepTables
    """uint8 or uint16[num_rows, K], indexed ``[street][player]``: probabilities, with 2 ** bits - 1 for 1."""
    bits: int = 8
    facts: dict[str, Any] = field(default_factory=dict)
    """How it was made: method, iterations, seconds, seed, exploitabilities during the run."""

    @classmethod
    def of(
        cls,
        game: Game,
        menu: str | None,
        betting: BettingTree,
        abstraction: Abstraction,
        abstraction_text: str,
        weights: Tables,
        *,
        bits: int = 8,
        threshold: float = 0.0,
        facts: dict[str, Any] | None = None,
    ) -> Blueprint:
        """Return a blueprint made from strategy sums (or from regrets, for the current strategy).

        Probabilities below ``threshold`` become 0, unless all of a decision are below it.  Raises
        :class:`SolverOptionError` for other numbers of bits than 6, 8 and 16, and for invalid thresholds.
        """
        check_form(bits, threshold)
        steps = steps_of(weights, betting, bits, threshold)
        return cls(game, menu, betting, abstraction, abstraction_text, steps, bits, dict(facts or {}))

    def weights(self, dtype: type[np.floating] = np.float64) -> Tables:
        """Return the probabilities as tables for the kernels, floating [num_rows, K], indexed ``[street][player]``."""
        one = 2**self.bits - 1
        return [[(table / dtype(one)).astype(dtype) for table in pair] for pair in self.steps]

    def node(self, node: int) -> NDArray[np.float64]:
        """Return float64[A, K]: the probabilities at a decision node of the betting tree."""
        first = int(self.betting.row_start[node])
        table = self.steps[int(self.betting.street[node])][int(self.betting.actor[node])]
        rows = table[first : first + int(self.betting.num_children[node])].astype(np.float64)
        return np.asarray(rows / rows.sum(axis=0))

    def save(self, path: str | Path, *, whole: bool = False) -> int:
        """Write the file and return its size in bytes.

        With ``whole`` the file also contains the abstraction, without the largest table that a rule can replace.
        Raises :class:`SolverOptionError` if a file cannot contain the abstraction, and otherwise what
        :func:`errai.store.container.write_container` raises.
        """
        arrays = {}
        for s, pair in enumerate(self.steps):
            for p, table in enumerate(pair):
                rows = table[~_last_rows(self.betting, s, p)]
                arrays[f"steps/{s}/{p}"] = packed_frame(rows.tobytes())
        abstraction: dict[str, Any] = {"text": self.abstraction_text, "digest": self.abstraction.digest()}
        if whole:
            inner = held_abstraction(self.abstraction)
            abstraction["held"], held = written_abstraction(inner.compact())
            arrays.update({HELD + name: array for name, array in held.items()})
        metadata = {
            "subject": subject_document(self.game, self.menu),
            "abstraction": abstraction,
            "bits": self.bits,
            "buckets": [self.abstraction.num_buckets(s) for s in range(self.betting.num_streets)],
            "facts": self.facts,
        }
        write_container(path, KIND, metadata, arrays)
        return Path(path).stat().st_size


def held_abstraction(abstraction: Abstraction) -> CardAbstraction:
    """Return the part of an abstraction that a file can contain.

    Raises :class:`SolverOptionError` if there is none.
    """
    if not isinstance(abstraction, StoredAbstraction):
        raise SolverOptionError("Only an abstraction that `errai abstract` wrote can go into a file.")
    return abstraction.inner


def check_form(bits: int, threshold: float) -> None:
    """Raise :class:`SolverOptionError` unless probabilities can be stored so."""
    if bits not in STEP_TYPES:
        raise SolverOptionError(f"bits must be 6, 8 or 16, not {bits}.")
    if not 0.0 <= threshold < 0.5:
        raise SolverOptionError(f"threshold must be at least 0 and below 0.5, not {threshold:g}.")


def load_blueprint(path: str | Path, abstraction: Abstraction | None = None) -> Blueprint:
    """Read a blueprint.

    Parameters
    ----------
    path:
        The file.
    abstraction:
        The abstraction, if the caller has it.  Otherwise it is read from the file itself, or from the path that the
        file names, relative to the file's folder.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        There is no such file, it is of another kind, or it is damaged.
    MismatchError
        The abstraction is not the one that the blueprint was made with.
    SolverOptionError
        The abstraction cannot be found.
    """
    container = open_container(path, KIND)
    metadata = container.metadata
    try:
        held, menu = read_subject(metadata["subject"])
        subject = held.whole_game
        if subject is None:
            raise DamagedFileError(f"{path} is damaged: its blueprint is not one of a whole game.")
        text, digest = str(metadata["abstraction"]["text"]), str(metadata["abstraction"]["digest"])
        bits = int(metadata["bits"])
        dtype, one = STEP_TYPES[bits], 2**bits - 1
        buckets = [int(count) for count in metadata["buckets"]]
        facts = dict(metadata["facts"])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(
            f"{path} is damaged: the header of the blueprint cannot be read: {error!s:.200}"
        ) from error
    betting = build_betting_tree(subject, menu_of(subject, menu))
    found = abstraction
    if found is None and "held" in metadata["abstraction"]:
        inner = read_written(metadata["abstraction"]["held"], lambda name: container.read(HELD + name), path)
        found = StoredAbstraction(inner, Path(path), subject, digest)
    elif found is None:
        found = read_abstraction(text, subject, Path(path).parent)
    if found.digest() != digest:
        raise MismatchError(
            f"{path} was made with another abstraction than {text!r} is now; train it again, or find the old one."
        )
    if len(buckets) != betting.num_streets or buckets != [found.num_buckets(s) for s in range(betting.num_streets)]:
        raise DamagedFileError(f"{path} is damaged: its tables have other numbers of buckets than its abstraction.")
    steps: list[list[NDArray[np.unsignedinteger]]] = []
    for s in range(betting.num_streets):
        steps.append([])
        for p in (0, 1):
            last = _last_rows(betting, s, p)
            wanted = int((~last).sum()) * buckets[s] * np.dtype(dtype).itemsize
            raw = unpacked_frame(container.read(f"steps/{s}/{p}"), wanted, path)
            table = np.zeros((len(last), buckets[s]), dtype=dtype)
            table[~last] = np.frombuffer(raw, dtype=dtype).reshape(-1, buckets[s])
            for first, count in _nodes(betting, s, p):
                rest = one - table[first : first + count - 1].sum(axis=0, dtype=np.int64)
                if (rest < 0).any():
                    raise DamagedFileError(f"{path} is damaged: it contains numbers that are not probabilities.")
                table[first + count - 1] = rest
            steps[-1].append(table)
    return Blueprint(subject, menu, betting, found, text, steps, bits, facts)


def _nodes(betting: BettingTree, street: int, player: int) -> Iterator[tuple[int, int]]:
    """Yield the first row and the number of actions of every decision."""
    for node in betting.decision_nodes(street, player):
        yield int(betting.row_start[node]), int(betting.num_children[node])


def _last_rows(betting: BettingTree, street: int, player: int) -> NDArray[np.bool_]:
    """Return bool[num_rows]: the rows of the last action of each decision."""
    last = np.zeros(betting.num_rows(street, player), dtype=bool)
    nodes = betting.decision_nodes(street, player)
    last[betting.row_start[nodes] + betting.num_children[nodes] - 1] = True
    return last


def steps_of(weights: Tables, betting: BettingTree, bits: int = 8, threshold: float = 0.0) -> StepTables:
    """Return probabilities as integer steps that sum to ``2**bits - 1`` at every decision of the streets given.

    The rest that rounding leaves is added to the likeliest action.  Probabilities below the threshold become 0, unless
    all of a decision are below it.
    """
    return [[_steps(betting, s, p, pair[p], bits, threshold) for p in (0, 1)] for s, pair in enumerate(weights)]


def _steps(
    betting: BettingTree, s: int, p: int, weights: NDArray[Any], bits: int, threshold: float
) -> NDArray[np.unsignedinteger]:
    one = 2**bits - 1
    table = np.zeros(weights.shape, dtype=STEP_TYPES[bits])
    for first, count in _nodes(betting, s, p):
        rows = np.maximum(weights[first : first + count].astype(np.float64), 0.0)
        total = rows.sum(axis=0)
        shares = np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1.0 / count)
        if threshold:
            kept = np.where((shares < threshold) & (shares < shares.max(axis=0)), 0.0, shares)
            shares = kept / kept.sum(axis=0)
        whole = np.rint(shares * one).astype(np.int64)
        likeliest = shares.argmax(axis=0)
        whole[likeliest, np.arange(whole.shape[1])] += one - whole.sum(axis=0)
        table[first : first + count] = whole
    return table


SHIPPED = {"blueprint": "limit hold'em", "blueprint-nl": "no-limit hold'em, 200 big blinds"}
"""The game that each of them plays, by name."""


@lru_cache(maxsize=2)
def shipped_blueprint(name: str) -> Blueprint:
    """Load a blueprint of the package.

    Raises :class:`SolverOptionError` if there is none with that name, and :class:`ArtefactError` if the installation is
    damaged.
    """
    if name not in SHIPPED:
        raise SolverOptionError(f"There is no blueprint {name!r} in the package; it has {', '.join(SHIPPED)}.")
    return load_blueprint(shipped_file(f"{name}.errai"))


def find_blueprint(text: str | Path) -> Blueprint | None:
    """Load a blueprint of the package by its name, or one from a file; None if the text names anything else.

    A name may begin with ``blueprint:``, as agents' names do.  A file that has the name of a blueprint of the package
    is meant before that.  Raises :class:`ArtefactError` for a damaged file.
    """
    name = str(text).removeprefix("blueprint:")
    path, is_file = Path(name), False
    with suppress(OSError, ValueError):  # What is too long for a path is none.
        is_file = path.is_file()
    if not is_file:
        return shipped_blueprint(name) if name in SHIPPED else None
    kind = ""
    with suppress(ArtefactError):  # What cannot be opened is refused as a solution, with its reason.
        kind = open_container(path, checked=False).kind
    return load_blueprint(path) if kind == KIND else None
