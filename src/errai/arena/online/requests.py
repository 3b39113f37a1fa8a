"""Requests to a program on the web, with JSON in both directions."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from errai.errors import InputError, ProtocolError

MAX_ANSWER_BYTES = 1 << 18


class LostError(Exception):
    """A request was not answered, and whether the program has taken it is not known."""

    def __init__(self, message: str, *, begun: bool = False) -> None:
        super().__init__(message)
        self.begun = begun
        """Whether a hand had begun, whose end is then not known."""


class StatusError(ProtocolError):
    """The program refuses a request."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Connection:
    """One address, to which requests are sent.

    Raises :class:`InputError` if the address or the time makes no sense.
    """

    def __init__(self, address: str, timeout_seconds: float, headers: Mapping[str, str] | None = None) -> None:
        try:
            parts = urlsplit(address)
            named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            named = None
        if not named:
            raise InputError(f"{address!r:.100} is no address of a server; it begins with http:// or https://.")
        if not timeout_seconds > 0:
            raise InputError("The time for an answer must be longer than 0 s.")
        self.address, self.timeout = address.rstrip("/"), timeout_seconds
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            # Some places refuse the name that Python's library gives itself.
            "User-Agent": f"errai/{version('errai')}",
            **(headers or {}),
        }

    def ask(self, path: str, body: Mapping[str, Any] | None) -> Any:
        """Return the answer to a POST, or to a GET if there is no body.

        Raises
        ------
        LostError
            There is no answer, or its status is from 500 on.
        StatusError
            The status is another one that means a refusal.
        ProtocolError
            The answer is not JSON, or too long.
        """
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, self._headers)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                answer = reply.read(MAX_ANSWER_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                said = _start_of(error)
            if error.code < 500:
                why = f"{self.address} refuses {path} with the status {error.code}{said}."
                raise StatusError(error.code, why) from error
            raise LostError(f"{path} has the status {error.code}") from error
        except (OSError, http.client.HTTPException) as error:
            raise LostError(f"{path} was not answered ({error})") from error
        try:
            if len(answer) > MAX_ANSWER_BYTES:
                raise ValueError
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise ProtocolError(f"{self.address} answers {path} with {answer[:80]!r}, which is no JSON.") from None


def _start_of(error: urllib.error.HTTPError) -> str:
    """Return what the program says of an error, at most 200 characters of it."""
    try:
        text = error.read(200).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return ""
    return f" ({text!a})" if text else ""
