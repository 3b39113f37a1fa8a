"""Tables with named columns, written batch by batch as CSV, or as Parquet if pyarrow is installed."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from errai.errors import InputError
from errai.store.atomic import atomic_file

ROWS_AT_ONCE = 100_000
"""Number of rows in a group of a Parquet file, which are held in memory before they are written."""

KINDS = {"text": "string", "integer": "int64", "number": "float64"}
"""The kinds of values in a column, with their types in a Parquet file."""

FORMATS = (".csv", ".parquet")


class TableWriter(ABC):
    """Writes a table batch by batch."""

    rows = 0
    """Number of rows written so far."""

    def write(self, batch: Mapping[str, Sequence[Any] | np.ndarray]) -> None:
        """Add rows, given the same number of values for each column.  NaN is written as an unknown value."""
        self.rows += len(next(iter(batch.values())))
        self._write(batch)

    @abstractmethod
    def _write(self, batch: Mapping[str, Sequence[Any] | np.ndarray]) -> None:
        """Add rows."""

    @abstractmethod
    def finish(self) -> None:
        """Write the rows that are still in memory."""


@contextmanager
def open_table(path: str | Path, columns: Mapping[str, str]) -> Iterator[TableWriter]:
    """Open a table that replaces ``path`` in one step when the block ends without an error.

    Parameters
    ----------
    path:
        A file whose name ends in one of :data:`FORMATS`, which determines the format.
    columns:
        The names of the columns in their order, each with one of :data:`KINDS`.

    Raises
    ------
    InputError
        The name has another ending, or that of a Parquet file although pyarrow is not installed.
    FileAccessError, DiskSpaceError
        The file cannot be written.
    """
    check_table(path)
    with atomic_file(path, 0) as file:
        writer: TableWriter = _Csv(file, columns) if Path(path).suffix == ".csv" else _Parquet(file, columns)
        yield writer
        writer.finish()


def check_table(path: str | Path) -> None:
    """Raise :class:`InputError` if no table can be written to a file with this name."""
    suffix = Path(path).suffix
    if suffix not in FORMATS:
        raise InputError(f"A table is written as {' or '.join(FORMATS)}; {path} ends in neither.")
    if suffix == ".parquet":
        load_pyarrow()


def load_pyarrow() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet.  Raises :class:`InputError` if they are not installed."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise InputError(
            "Writing parquet needs pyarrow, which is not installed; `pip install pyarrow`, or write csv instead."
        ) from None


class _Csv(TableWriter):
    def __init__(self, file: BinaryIO, columns: Mapping[str, str]) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        self._columns = columns
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._writer.writerow(columns)

    def _write(self, batch: Mapping[str, Sequence[Any] | np.ndarray]) -> None:
        plain = [_plain(batch[name], kind) for name, kind in self._columns.items()]
        self._writer.writerows(zip(*plain, strict=True))

    def finish(self) -> None:
        self._text.flush()
        self._text.detach()


def _plain(column: Sequence[Any] | np.ndarray, kind: str) -> Sequence[Any]:
    values = column.tolist() if isinstance(column, np.ndarray) else column
    return [None if value != value else value for value in values] if kind == "number" else values


class _Parquet(TableWriter):
    def __init__(self, file: BinaryIO, columns: Mapping[str, str]) -> None:
        self._arrow, parquet = load_pyarrow()
        types = {name: getattr(self._arrow, KINDS[kind])() for name, kind in columns.items()}
        self._schema = self._arrow.schema(list(types.items()))
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._held: list[Any] = []
        self._count = 0

    def _write(self, batch: Mapping[str, Sequence[Any] | np.ndarray]) -> None:
        arrays = [self._arrow.array(batch[field.name], type=field.type, from_pandas=True) for field in self._schema]
        self._held.append(self._arrow.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._count += len(arrays[0])
        if self._count >= ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            table = self._arrow.Table.from_batches(self._held, schema=self._schema)
            self._writer.write_table(table, row_group_size=len(table))
        self._held, self._count = [], 0

    def finish(self) -> None:
        self._flush()
        self._writer.close()
