"""A cache of what was asked for last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Values by key; when there are more than ``most``, the one that was asked for longest ago is dropped.

    Several threads may use it at once.  A copy, also in another process, begins empty.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def __reduce__(self) -> tuple[type[Recent[Key, Value]], tuple[int]]:
        return type(self), (self.most,)

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None if there is none."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def put(self, key: Key, value: Value) -> Value:
        """Keep the value of a key, and return it."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self.most:
                self._values.popitem(last=False)
        return value

    def get_or_make(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, which is made if there is none; None is never a value."""
        found = self.get(key)
        return self.put(key, make()) if found is None else found

    def drop(self, unwanted: Callable[[Key], bool]) -> None:
        """Drop the values of the keys for which ``unwanted`` is true."""
        with self._lock:
            for key in [key for key in self._values if unwanted(key)]:
                del self._values[key]
