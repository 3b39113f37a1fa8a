"""A cache of what was asked for last."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_MISSING: Any = object()


class Recent(Generic[Key, Value]):
    """Values by key; beyond a total weight, those that were asked for longest ago are dropped.

    The latest value is kept even if it is too heavy alone.  Several threads may use the cache at once.  A copy, also in
    another process, begins empty.

    ``weigh`` returns the weight of a value, for example its bytes, which must not change; without it each weighs 1.
    ``owner`` returns what has the weight: values of one owner weigh together as much as one of them.
    """

    def __init__(
        self,
        most: int,
        weigh: Callable[[Value], int] | None = None,
        owner: Callable[[Value], Hashable] | None = None,
    ) -> None:
        self.most = most
        self.weight = 0
        """The total weight of what is kept."""
        self._weigh = weigh
        self._owner = owner
        self._lock = threading.Lock()
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._owners: Counter[Hashable] = Counter()

    def __reduce__(self) -> tuple[type[Recent[Key, Value]], tuple[object, ...]]:
        return type(self), (self.most, self._weigh, self._owner)

    def __len__(self) -> int:
        return len(self._values)

    def keys(self) -> list[Key]:
        """Return the keys, the one that was asked for last at the end."""
        with self._lock:
            return list(self._values)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None."""
        found = self._find(key)
        return None if found is _MISSING else found

    def put(self, key: Key, value: Value) -> Value:
        """Keep the value of a key, and return it."""
        with self._lock:
            self._remove(key)
            self._values[key] = value
            self._count(value, 1)
            while self.weight > self.most and len(self._values) > 1:
                self._remove(next(iter(self._values)))
        return value

    def get_or_make(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, which is made if there is none."""
        found = self._find(key)
        return self.put(key, make()) if found is _MISSING else found

    def make_room(self, weight: int) -> None:
        """Drop values until one of this weight fits, before it is made."""
        with self._lock:
            while self._values and self.weight + weight > self.most:
                self._remove(next(iter(self._values)))

    def drop(self, unwanted: Callable[[Key], bool]) -> None:
        """Drop the values of the keys for which ``unwanted`` is true."""
        with self._lock:
            for key in [key for key in self._values if unwanted(key)]:
                self._remove(key)

    def _find(self, key: Key) -> Any:
        with self._lock:
            if key not in self._values:
                return _MISSING
            self._values.move_to_end(key)
            return self._values[key]

    def _remove(self, key: Key) -> None:
        value = self._values.pop(key, _MISSING)
        if value is not _MISSING:
            self._count(value, -1)

    def _count(self, value: Value, change: int) -> None:
        if self._owner is not None:
            owner = self._owner(value)
            self._owners[owner] += change
            if self._owners[owner] != max(change, 0):
                return  # Another value of the owner is kept, and its weight is counted.
            if change < 0:
                del self._owners[owner]
        self.weight += change * (1 if self._weigh is None else self._weigh(value))
