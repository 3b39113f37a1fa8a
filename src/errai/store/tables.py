"""Tables with named columns, written batch by batch as CSV, or as Parquet if pyarrow is installed."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from errai.errors import InputError, needs_extra
from errai.store.atomic import atomic_file

ROWS_AT_ONCE = 100_000
"""Number of rows in a group of a Parquet file, which are held in memory before they are written."""

KINDS = {"text": "string", "integer": "int64", "number": "float64"}
"""The kinds of values in a column, with their types in a Parquet file."""

FORMATS = (".csv", ".parquet")


Batch = Mapping[str, Sequence[Any] | np.ndarray]
"""Some rows: the same number of values for each column.  NaN is written as an unknown value."""

Write = Callable[[Batch], None]
"""Adds rows to a table."""


@contextmanager
def open_table(path: str | Path, columns: Mapping[str, str]) -> Iterator[Write]:
    """Open a table that replaces ``path`` in one step when the block ends without an error; it is written in batches.

    The end of the name, one of :data:`FORMATS`, determines the format.  ``columns`` are the names of the columns in
    their order, each with one of :data:`KINDS`.

    Raises :class:`InputError` if the name has another ending, or that of a Parquet file although pyarrow is not
    installed, and :class:`FileAccessError` or :class:`DiskSpaceError` if the file cannot be written.
    """
    check_table(path)
    opened = _csv if Path(path).suffix.lower() == ".csv" else _parquet
    with atomic_file(path, 0) as file, opened(file, columns) as write:
        yield write


def check_table(path: str | Path) -> None:
    """Raise :class:`InputError` if no table can be written to a file with this name."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"A table is written as {' or '.join(FORMATS)}; {path} ends in neither.")
    if suffix == ".parquet":
        load_pyarrow()


def load_pyarrow() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet.  Raises :class:`MissingExtraError` if they are not there."""
    with needs_extra("parquet", "Parquet"):
        return import_module("pyarrow"), import_module("pyarrow.parquet")


@contextmanager
def _csv(file: BinaryIO, columns: Mapping[str, str]) -> Iterator[Write]:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)

    def write(batch: Batch) -> None:
        plain: list[Sequence[Any]] = []
        for name, kind in columns.items():
            column = batch[name]
            values = column.tolist() if isinstance(column, np.ndarray) else column
            plain.append([None if v != v else v for v in values] if kind == "number" else values)
        writer.writerows(zip(*plain, strict=True))

    yield write
    text.flush()
    text.detach()


@contextmanager
def _parquet(file: BinaryIO, columns: Mapping[str, str]) -> Iterator[Write]:
    arrow, parquet = load_pyarrow()
    schema = arrow.schema([(name, getattr(arrow, KINDS[kind])()) for name, kind in columns.items()])
    writer = parquet.ParquetWriter(file, schema, compression="zstd")
    held: list[Any] = []

    def flush() -> None:
        if held:
            table = arrow.Table.from_batches(held, schema=schema)
            writer.write_table(table, row_group_size=len(table))
            held.clear()

    def write(batch: Batch) -> None:
        arrays = [arrow.array(batch[field.name], type=field.type, from_pandas=True) for field in schema]
        held.append(arrow.RecordBatch.from_arrays(arrays, schema=schema))
        if sum(map(len, held)) >= ROWS_AT_ONCE:
            flush()

    yield write
    flush()
    writer.close()
