"""The stream of events: what is sent, and what is not made again."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from errai.web import events as events_module
from errai.web.events import Events
from errai.web.models import Kept


class Thing(Kept):
    """What a source has."""

    id: str
    number: int


def told(events: Events, changes: Iterator[None]) -> list[list[tuple[str, dict]]]:
    """The events that are sent at the beginning and after each change."""

    async def read() -> list[list[tuple[str, dict]]]:
        stream, found = events.stream(), []
        assert await anext(stream) == b"retry: 1000\n\n"
        for _ in changes:
            blocks = (await asyncio.wait_for(anext(stream), 20)).decode().split("\n\n")[:-1]
            pairs = [block.split("\n") for block in blocks]
            found.append(
                [(kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for kind, data in pairs]
            )
        return found

    with ThreadPoolExecutor(1) as thread:  # The browser of other tests keeps an event loop in this one.
        return thread.submit(lambda: asyncio.run(read())).result()


def test_what_has_changed_is_sent_and_the_rest_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "PERIOD_SECONDS", 0.01)
    made = []
    dump = Kept.model_dump_json
    monkeypatch.setattr(Kept, "model_dump_json", lambda self: made.append(self.id) or dump(self))
    things = {name: Thing(id=name, number=1) for name in ("a", "b")}
    events = Events(threading.Event(), {"thing": lambda: things})

    def changes() -> Iterator[None]:
        yield
        things["b"] = Thing(id="b", number=2)
        yield
        things["a"] = Thing(id="a", number=1)  # A new object that says the same is no event.
        del things["b"]
        yield

    assert told(events, changes()) == [
        [("thing", {"id": "a", "number": 1}), ("thing", {"id": "b", "number": 1})],
        [("thing", {"id": "b", "number": 2})],
        [("thing", {"id": "b", "gone": True})],
    ]
    assert sorted(made) == ["a", "a", "b", "b"]
