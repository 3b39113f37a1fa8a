"""Card abstractions on disk: one container, of the kind ``card abstraction``; the layout is in ``docs/abstraction.md``.

Tables are packed without loss (`errai.store.packing`); every array has its checksum.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import (
    CardAbstraction,
    IdentityBuckets,
    OneBucket,
    RoundBuckets,
    RuleBuckets,
    TableBuckets,
    table_type,
)
from errai.abstraction.deals import DealIndexer
from errai.abstraction.kmeans import Clusters, Distance
from errai.errors import DamagedFileError, InputError
from errai.games.catalogue import parse_game
from errai.store.container import open_container, write_container
from errai.store.packing import pack, unpack

KIND = "card abstraction"
FILE_NAME = "abstraction.cards"
LEVEL = 3
"""The zstd level with which tables are packed."""


Read = Callable[[str], NDArray[Any]]
"""Returns the array with a name; KeyError if there is none."""


def save_abstraction(abstraction: CardAbstraction, path: str | Path) -> None:
    """Write an abstraction to one file, which is the old or the complete new one at every moment.

    Raises :class:`DiskSpaceError` or :class:`FileAccessError` if the disk is too full, or the system refuses.
    """
    write_container(path, KIND, *written_abstraction(abstraction))


def written_abstraction(abstraction: CardAbstraction) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the metadata and the arrays that are stored of an abstraction."""
    arrays: dict[str, NDArray[Any]] = {}
    rounds = []
    for number, each in enumerate(abstraction.rounds):
        facts, held = written_round(each)
        rounds.append(facts)
        arrays.update({f"{number}/{name}": array for name, array in held.items()})
    metadata = {
        "game": abstraction.game.to_text(),
        "name": abstraction.game.name,
        "digest": abstraction.game.digest(),
        "recall": abstraction.recall,
        "rounds": rounds,
        "description": abstraction.description,
    }
    return metadata, arrays


def load_abstraction(path: str | Path) -> CardAbstraction:
    """Read an abstraction from its file, or from the folder that `errai abstract` wrote.

    Raises :class:`FileAccessError`, :class:`ForeignFileError` or :class:`DamagedFileError` if the file does not
    exist, is of another kind, or is damaged.
    """
    where = Path(path)
    if where.is_dir():
        where = where / FILE_NAME
    file = open_container(where, KIND)
    return read_written(file.metadata, file.read, where)


def read_written(metadata: Any, read: Read, where: str | Path) -> CardAbstraction:
    """Return the abstraction that `written_abstraction` stored in a file with the name ``where``.

    Raises :class:`DamagedFileError` if the content is inconsistent.
    """
    try:
        game = parse_game(metadata["game"], str(metadata["name"]))
        if game.digest() != metadata["digest"]:
            raise DamagedFileError(f"{where} is damaged: its game is not the one that it was made for.")
        deals = DealIndexer(game)
        rounds: list[RoundBuckets] = []
        for number, facts in enumerate(metadata["rounds"]):
            rounds.append(read_round(read, deals, number, facts, rounds))
        return CardAbstraction(game, rounds, metadata["recall"], metadata["description"])
    except (KeyError, TypeError, ValueError, IndexError, AssertionError) as error:
        raise DamagedFileError(f"{where} is damaged: its content is not a card abstraction ({error!r}).") from error


def written_round(each: RoundBuckets) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the metadata and the arrays that are stored of a round; InputError for buckets of an unknown type."""
    if isinstance(each, TableBuckets):
        table = each.table.astype(table_type(each.num_buckets), copy=False)
        packed, starts = pack(table, level=LEVEL)
        facts: dict[str, Any] = {"kind": "table", "buckets": each.num_buckets}
        facts |= {"size": len(table), "dtype": table.dtype.name, "dealt": each.dealt}
        arrays: dict[str, NDArray[Any]] = {"packed": packed, "starts": starts}
        if each.rule is not None:
            facts["rule"], rule = written_round(each.rule)
            arrays.update(rule)
        return facts, arrays
    if isinstance(each, RuleBuckets):
        facts = {"kind": "rule", "buckets": each.num_buckets, "perfect": each.before is not None}
        arrays = {"first": each.first}
        if each.cuts:
            return {**facts, "feature": "hs"}, {**arrays, "cuts": np.concatenate(each.cuts)}
        assert each.opponents is not None
        arrays["centroids"] = np.concatenate([clusters.centroids for clusters in each.clusters])
        arrays["axes"] = np.stack([clusters.axis for clusters in each.clusters])
        arrays["opponents"] = each.opponents
        return {**facts, "feature": "ochs", "distance": str(each.clusters[0].distance)}, arrays
    if isinstance(each, IdentityBuckets):
        return {"kind": "identity"}, {}
    if isinstance(each, OneBucket):
        return {"kind": "one"}, {}
    raise InputError(f"Buckets of the type {type(each).__name__} cannot be stored.")


def read_round(
    read: Read, deals: DealIndexer, number: int, facts: dict[str, Any], before: list[RoundBuckets]
) -> RoundBuckets:
    """Return a round that `written_round` stored; raises ValueError or KeyError if it is damaged."""
    kind = facts["kind"]
    if kind == "identity":
        return IdentityBuckets(deals, number)
    if kind == "one":
        return OneBucket()
    if kind == "table":
        dealt = bool(facts["dealt"])
        if facts["dtype"] not in ("uint16", "uint32") or facts["size"] != deals.num_classes(number, dealt=dealt):
            raise ValueError("the size or the type of its table does not fit the round")
        table = np.empty(facts["size"], dtype=facts["dtype"])
        unpack(read(f"{number}/packed"), read(f"{number}/starts"), table)
        if len(table) and int(table.max()) >= facts["buckets"]:
            raise ValueError("a bucket is out of bounds")
        rule = _read_rule(read, deals, number, facts["rule"], before) if "rule" in facts else None
        if rule is not None and rule.num_buckets != facts["buckets"]:
            raise ValueError(f"its rule makes {rule.num_buckets} buckets, and its table {facts['buckets']}")
        return TableBuckets(number, table, int(facts["buckets"]), dealt=dealt, rule=rule)
    if kind != "rule":
        raise ValueError(f"buckets of the kind {kind!r}")
    return _read_rule(read, deals, number, facts, before)


def _read_rule(
    read: Read, deals: DealIndexer, number: int, facts: dict[str, Any], before: list[RoundBuckets]
) -> RuleBuckets:
    first = read(f"{number}/first")
    parent = before[-1] if facts["perfect"] else None
    cards_before = deals.board_cards[number - 1] if facts["perfect"] else 0
    if len(first) != (1 if parent is None else parent.num_buckets) + 1:
        raise ValueError("the rule does not fit the round before")
    if facts["feature"] == "hs":
        if number != deals.num_rounds - 1:
            raise ValueError("only the last round may cut hand strength")
        cuts = np.split(read(f"{number}/cuts"), first[1:-1] - np.arange(1, len(first) - 1))
        rule = RuleBuckets(cuts=cuts, before=parent, board_cards_before=cards_before)
    else:
        axes = read(f"{number}/axes")
        parts = np.split(read(f"{number}/centroids"), first[1:-1])
        clusters = [
            Clusters(np.ascontiguousarray(part), Distance(facts["distance"]), axis)
            for part, axis in zip(parts, axes, strict=True)
        ]
        opponents = read(f"{number}/opponents")
        if opponents.shape != (deals.num_hands,) or parts[0].shape[1] != opponents.max() + 1:
            raise ValueError("the clusters of opponents do not fit")
        rule = RuleBuckets(clusters=clusters, opponents=opponents, before=parent, board_cards_before=cards_before)
    if not np.array_equal(rule.first, first):
        raise ValueError("the rule's buckets do not add up")
    return rule
