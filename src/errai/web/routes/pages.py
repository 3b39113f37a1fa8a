"""The page and its parts.  Every room has an address of its own, and all of them have the same page."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path
from stat import S_ISREG

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import NotModifiedResponse
from starlette.types import Scope

from errai.web.files import Stamp, stamp_of

STATIC = Path(__file__).parent.parent / "static"
ROOMS = ("play", "solve", "study", "matches")

router = APIRouter(include_in_schema=False)


class FreshFiles(StaticFiles):
    """Files that the browser asks about each time, so that a new version is seen at once; they stay in memory."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if scope["method"] != "GET":
            raise HTTPException(405)
        try:
            full_path, status = self.lookup_path(path)
        except (OSError, ValueError):
            raise HTTPException(404) from None  # No file can have this name.
        if status is None or not S_ISREG(status.st_mode):
            raise HTTPException(404)
        found = _response(full_path, stamp_of(status))
        same = self.is_not_modified(found.headers, Headers(scope=scope))
        return NotModifiedResponse(found.headers) if same else found


@lru_cache(maxsize=200)
def _response(path: str, contents: Stamp) -> Response:
    """Return the answer with a file that has these contents."""
    data = Path(path).read_bytes()
    headers = {"cache-control": "no-cache", "etag": f'"{sha256(data).hexdigest()}"'}
    return Response(data, headers=headers, media_type=guess_type(path)[0])


FILES = FreshFiles(directory=STATIC)


async def page(request: Request) -> Response:
    """Return the page."""
    return await FILES.get_response("index.html", request.scope)


@router.get("/")
async def home() -> RedirectResponse:
    """Go to the first room."""
    return RedirectResponse("/play", 303)


@router.get("/favicon.ico")
async def icon(request: Request) -> Response:
    """Return the sign of the page."""
    return await FILES.get_response("errai.svg", request.scope)


for room in ROOMS:
    router.add_api_route(f"/{room}", page, methods=["GET"])
    router.add_api_route(f"/{room}/{{name}}", page, methods=["GET"])
router.mount("/static", FILES)
