"""The page and its parts.  Every room has an address of its own, and all of them have the same page."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

STATIC = Path(__file__).parent.parent / "static"
ROOMS = ("play", "solve", "study", "matches")

router = APIRouter(include_in_schema=False)


class FreshFiles(StaticFiles):
    """Files that the browser asks about each time, so that a new version of Errai is seen at once."""

    def file_response(self, *args, **kwargs) -> Response:  # type: ignore[no-untyped-def]
        """See :class:`StaticFiles`."""
        found = super().file_response(*args, **kwargs)
        found.headers["cache-control"] = "no-cache"
        return found


def page() -> FileResponse:
    """Return the page."""
    return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})


@router.get("/")
def home() -> RedirectResponse:
    """Go to the first room."""
    return RedirectResponse("/play", 303)


@router.get("/favicon.ico")
def icon() -> FileResponse:
    """Return the sign of the page."""
    return FileResponse(STATIC / "errai.svg", media_type="image/svg+xml")


for room in ROOMS:
    router.add_api_route(f"/{room}", page, methods=["GET"])
    router.add_api_route(f"/{room}/{{name}}", page, methods=["GET"])
router.mount("/static", FreshFiles(directory=STATIC))
