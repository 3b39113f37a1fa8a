"""The stream of events."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

router = APIRouter(tags=["events"])


@router.get("/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def events(request: Request) -> StreamingResponse:
    """Send what changes among jobs, tables and matches, beginning with how everything stands now.

    Each event is named `job`, `table` or `match`, and its data are the view of one of them, or `{"id", "gone": true}`.
    """
    stream = await request.app.state.services.events.stream()
    return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})
