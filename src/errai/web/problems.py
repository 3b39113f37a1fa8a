"""Errors as the API answers them: a status code, the name of the error's type, and its sentence."""

from __future__ import annotations

import errno
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import Match

from errai import errors
from errai.errors import ErraiError
from errai.web.guard import problem_page
from errai.web.kinds import KINDS

ROOMS = ("home", "study", "solve", "play", "drills", "reviews", "reports", "matches")
"""The rooms of the page, in the order of its navigation."""


class Problem(BaseModel):
    """What is wrong, and where."""

    type: str
    """The type of the error: a class of ``errai.errors``, or a word for errors of the protocol."""
    message: str
    """A sentence that says what is wrong, with its place."""
    field: str | None = None
    """The part of the request that is wrong, such as ``settings.seconds`` or ``spot.bets.flop.raise``."""
    text: str | None = None
    """What is wrong, for somebody who sees the field: without the place and the words of files, if that differs."""
    value: str | None = None
    allowed: str | None = None
    line: int | None = None
    column: int | None = None
    """The place in a text, counted from 1."""


class ProblemAnswer(BaseModel):
    """The body of every answer that is an error."""

    error: Problem


STATUS: dict[int, tuple[type[ErraiError], ...]] = {
    404: (errors.UnknownNameError,),
    409: (errors.StaleError, errors.RunInUseError),
    503: (errors.BusyError,),
    507: (errors.NoMemoryError, errors.DiskSpaceError, errors.FileAccessError, errors.TreeTooLargeError),
    422: (errors.InputError, errors.ForeignFileError, errors.DamagedFileError, errors.MismatchError),
}

FIELDS: dict[type[ErraiError], str] = {
    errors.SpotError: "spot",
    errors.LockError: "settings.locks",
    errors.TargetError: "settings.target",
    errors.RangeParseError: "text",
}
"""The part of a request that errors are about."""

WORDS = {
    "missing": "This is missing.",
    "extra_forbidden": "There is no such field.",
    "int_type": "This should be a whole number.",
    "int_from_float": "This should be a whole number.",
    "float_type": "This should be a number.",
    "string_type": "This should be a text.",
    "bool_type": "This should be true or false.",
    "greater_than": "This should be greater than {gt}.",
    "greater_than_equal": "This should be at least {ge}.",
    "less_than_equal": "This should be at most {le}.",
    "literal_error": "This should be {expected}.",
}
"""What is said of requests that do not have the form of the document, by pydantic's names of errors."""

ANSWERS = {
    code: {"model": ProblemAnswer, "description": text}
    for code, text in {
        400: "The request is not HTTP as the API understands it.",
        401: "The token is missing or wrong.",
        403: "The request comes from a page of another site.",
        404: "There is nothing at this address, or nothing of this name.",
        405: "This address does not have this method.",
        408: "The request did not arrive in time.",
        409: "The request is about a state that has passed.",
        413: "The body is too long.",
        421: "The request is for another host.",
        422: "The request is wrong; the message says what and where.",
        431: "The headers are too long.",
        500: "An error in Errai.",
        503: "Too much is going on; try again later.",
        507: "There is not enough memory or disk, or the system refuses a file.",
    }.items()
}


def add_handlers(app: FastAPI) -> None:
    """Let an application answer errors in one form."""

    @app.exception_handler(ErraiError)
    async def of_errai(request: Request, error: ErraiError) -> JSONResponse:
        status = next((status for status, kinds in STATUS.items() if isinstance(error, kinds)), 500)
        return answer(status, type(error).__name__, str(error), **_details(error))

    @app.exception_handler(RequestValidationError)
    async def of_form(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        # The first part says where in the request it is, and the second may be the kind of job that was asked for.
        _, *parts = first["loc"]
        field = ".".join(str(part) for part in (parts[1:] if parts and parts[0] in KINDS else parts))
        context = {
            key: f"{x:,.15g}" if isinstance(x, float) else f"{x:,}" if isinstance(x, int) else x
            for key, x in first.get("ctx", {}).items()
        }
        words = WORDS.get(first["type"])
        text = f"{first['msg']}." if words is None else words.format(**context)
        return answer(422, "RequestError", f"{field}: {text}" if field else text, field=field or None, text=text)

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
            rooms = ", ".join(f"/{room}" for room in ROOMS)
            return HTMLResponse(problem_page(f"There is no page at this address; there are {rooms}."), 404)
        found = answer(error.status_code, "HTTPError", f"{error.detail}.")
        found.headers.update(error.headers or {})
        if error.status_code == 405:
            found.headers["allow"] = ", ".join(methods_of(request))
        return found

    @app.exception_handler(OSError)
    async def of_the_system(request: Request, error: OSError) -> JSONResponse:
        kind = "DiskSpaceError" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "FileAccessError"
        return answer(507, kind, f"The system refused a file: {error}. Free some space, or see to it, and try again.")

    @app.exception_handler(MemoryError)
    async def of_memory(request: Request, error: MemoryError) -> JSONResponse:
        return answer(507, "NoMemoryError", "There is not enough memory. Close other programs, and try again.")

    @app.exception_handler(Exception)
    async def of_anything(request: Request, error: Exception) -> JSONResponse:
        return answer(500, "Error", "This is an error in Errai; the terminal of the server shows where.")


def methods_of(request: Request) -> list[str]:
    """Return the methods that the address of a request has, over all routes."""

    def has(method: str) -> bool:
        # What the route that was tried first has left in the scope is not for the others.
        scope = {"type": "http", "path": request.scope["path"], "root_path": "", "method": method, "app": request.app}
        return any(route.matches(scope)[0] == Match.FULL for route in request.app.routes)

    # The folder of the page's files takes every method, and then answers two of them.
    found = ["GET"] if has("NONE") else [one for one in ("DELETE", "GET", "PATCH", "POST", "PUT") if has(one)]
    return [*found, "HEAD"] if "GET" in found else found


def _details(error: ErraiError) -> dict[str, Any]:
    """Return what an error says besides its message."""
    field = next((field for kind, field in FIELDS.items() if isinstance(error, kind)), None)
    if not isinstance(error, errors.TextError):
        return {"field": field}
    if isinstance(error, errors.RangeParseError):
        return {"field": field, "text": error.within("range").rstrip(".") + ".", "column": error.column}
    found = {name: getattr(error, name) for name in ("value", "allowed", "line", "column")}
    return {"field": ".".join(filter(None, (field, error.field))) or None, "text": error.plain, **found}


def answer(status: int, kind: str, message: str, **details: Any) -> JSONResponse:
    """Return an error as a response."""
    if details.get("text") == message:
        del details["text"]
    problem = Problem(type=kind, message=message, **details).model_dump(exclude_none=True)
    # A message may quote a request, and texts in JSON can have halves of characters.
    whole = {
        key: one.encode(errors="replace").decode() if isinstance(one, str) else one for key, one in problem.items()
    }
    return JSONResponse({"error": whole}, status)
