"""The cache of what was asked for last."""

from __future__ import annotations

import pickle
import threading
from operator import itemgetter

import pytest

from errai.running.recent import Recent


def test_what_was_asked_for_longest_ago_is_dropped() -> None:
    kept: Recent[str, int] = Recent(2)
    for key, value in (("a", 1), ("b", 2)):
        assert kept.get_or_make(key, lambda value=value: value) == value
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert (kept.get("a"), kept.get("b"), kept.get("c"), len(kept)) == (1, None, 3, 2)


def test_what_is_kept_is_not_made_again_and_what_fails_is_not_kept() -> None:
    kept: Recent[str, int] = Recent(2)
    with pytest.raises(ZeroDivisionError):
        kept.get_or_make("a", lambda: 1 // 0)
    assert kept.get_or_make("a", lambda: 1) == 1
    assert kept.get_or_make("a", lambda: 2) == 1


def test_some_are_dropped_by_their_keys_and_a_copy_is_empty() -> None:
    kept: Recent[int, int] = Recent(9)
    for key in range(9):
        kept.put(key, key)
    kept.drop(lambda key: key % 2 == 1)
    assert [kept.get(key) for key in range(4)] == [0, None, 2, None]
    copy = pickle.loads(pickle.dumps(kept))
    assert (len(copy), copy.most) == (0, 9)


def test_a_limit_of_weight_keeps_the_latest_and_counts_what_values_share_once() -> None:
    kept: Recent[str, bytes] = Recent(5, len)
    for key, size in (("a", 2), ("b", 2), ("a", 3), ("c", 9)):
        kept.put(key, bytes(size))
    assert (kept.keys(), kept.weight) == (["c"], 9)
    kept.make_room(1)
    assert (kept.keys(), kept.weight) == ([], 0)
    shared: Recent[str, tuple[str, int]] = Recent(5, itemgetter(1), itemgetter(0))
    for key, owner, size in (("a", "x", 3), ("b", "x", 3), ("c", "y", 2), ("d", "z", 2)):
        shared.put(key, (owner, size))
    assert (shared.keys(), shared.weight) == (["c", "d"], 4)
    assert pickle.loads(pickle.dumps(shared)).most == 5


def test_threads_that_put_and_ask_at_once_find_whole_values() -> None:
    kept: Recent[int, int] = Recent(3)
    wrong: list[int] = []

    def ask(first: int) -> None:
        for number in range(4000):
            key = (first + number) % 7
            if kept.get_or_make(key, lambda key=key: key * key) != key * key:
                wrong.append(key)

    threads = [threading.Thread(target=ask, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(kept) == 3
