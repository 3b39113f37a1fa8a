"""Curves of convergence: arrays that know the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.errors import InputError

COLUMNS = ("iteration", "seconds", "exploitability_chips")


class Curve(np.ndarray[Any, np.dtype[np.float64]]):
    """A curve: float64[k, columns], a row for each measurement; an array in all other respects."""

    columns: tuple[str, ...] = COLUMNS

    @classmethod
    def of(cls, rows: ArrayLike, columns: Sequence[str] = COLUMNS) -> Curve:
        """Return the curve of some rows, which may be none."""
        found = np.asarray(rows, dtype=np.float64).reshape(-1, len(columns)).view(cls)
        found.columns = tuple(columns)
        return found

    def __array_finalize__(self, source: Any) -> None:
        self.columns = getattr(source, "columns", COLUMNS)

    def to_dict(self) -> dict[str, NDArray[np.float64]]:
        """Return the columns by name."""
        return {name: np.asarray(self)[:, i] for i, name in enumerate(self.columns)}

    def to_frame(self, **labels: Any) -> Any:
        """Return a ``pandas.DataFrame`` of the columns, and of labels such as ``algorithm="cfr+"`` in each row.

        Raises :class:`InputError` if pandas is not installed; :meth:`to_dict` needs nothing.
        """
        try:
            import pandas
        except ImportError as error:
            raise InputError(
                "A data frame needs pandas, which is not installed: pip install pandas. Curve.to_dict() has the same "
                "columns as arrays."
            ) from error
        return pandas.DataFrame({**self.to_dict(), **labels})
