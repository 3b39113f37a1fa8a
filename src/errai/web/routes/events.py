"""The stream of events."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from errai.web.events import Events, EventStream

router = APIRouter(tags=["events"])


@router.get("/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def all_events(request: Request) -> EventStream:
    """Send what changes among jobs, tables and matches, beginning with how everything stands now.

    Each event is named `job`, `table` or `match`, and its data are the view of one of them, or `{"id", "gone": true}`.
    """
    events: Events = request.app.state.services.events
    return EventStream(events, events.stream())
