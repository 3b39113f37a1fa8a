"""The page around the rooms, and who may open it."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect
from starlette.responses import Response
from web_server import Served, barriers, opened

from errai.web.server import FreshFiles, listening

ROOMS = ("Home", "Play", "Solve", "Study", "Matches")


def test_every_room_opens_by_its_link(page: Page, served: Served) -> None:
    opened(page, served)
    for room in ROOMS:
        page.get_by_role("navigation").get_by_role("link", name=room).click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.url == f"{served.address}/{room.lower()}"
        expect(page).to_have_title(f"{room} - Errai")
    page.go_back()
    expect(page).to_have_title("Study - Errai")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"cookie": "errai-1=x; errai"}, 401),
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
    ],
)
def test_strangers_are_refused(served: Served, headers: dict[str, str], status: int) -> None:
    token = {} if status == 401 else {"authorization": f"Bearer {served.token}"}
    answer = httpx.get(f"{served.address}/api/v1/games", headers=token | headers)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


def test_files_are_sent_once_and_again_when_they_change(tmp_path: Path) -> None:
    path = tmp_path / "app.js"
    files = FreshFiles(directory=tmp_path)

    def asked(etag: str | None = None) -> Response:
        headers = [] if etag is None else [(b"if-none-match", etag.encode())]
        return asyncio.run(files.get_response("app.js", {"type": "http", "method": "GET", "headers": headers}))

    with ThreadPoolExecutor(1) as thread:  # The browser of other tests keeps an event loop in this one.
        etags = set()
        for text in (b"first", b"second"):
            path.write_bytes(text)
            sent = thread.submit(asked).result()
            assert (sent.status_code, sent.body, sent.headers["cache-control"]) == (200, text, "no-cache")
            etag = sent.headers["etag"]
            again = thread.submit(asked, etag).result()
            assert (again.status_code, again.body, again.headers["etag"]) == (304, b"", etag)
            assert all(thread.submit(asked, other).result().status_code == 200 for other in etags)
            etags.add(etag)


def test_ctrl_c_ends_with_streams_open(serve: Callable[..., Served]) -> None:
    served = serve()
    with served.http.stream("GET", "/events") as stream:
        assert next(stream.iter_lines()) == "retry: 1000"
        began = time.monotonic()
        served.process.send_signal(signal.SIGINT)
        served.process.wait(5)
    assert time.monotonic() - began < 3.0
    assert served.process.returncode == 0


def test_answers_are_sent_at_once() -> None:
    listener = listening(0)
    # asyncio sets TCP_NODELAY for such sockets only, and connections inherit the protocol.
    assert listener.proto == socket.IPPROTO_TCP
    listener.close()


def test_an_address_without_its_token_or_of_no_page_is_answered_with_a_sentence(page: Page, served: Served) -> None:
    for path, words in (
        ("/play", "Open the address that `errai serve` printed; it has the token of this server."),
        (f"/nothing?token={served.token}", "There is no page at this address; there are /home, /study, /solve, /play"),
    ):
        answer = page.goto(served.address + path)
        assert answer is not None
        assert answer.status in (401, 404)
        expect(page.get_by_role("paragraph").first).to_contain_text(words)
        assert not barriers(page)
        # It has the type and the colours of the other pages.
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == "28px"
    # Whoever has the token or the address that was printed goes on to the page that was wanted.
    for given in (served.token, f" {served.address}/?token={served.token}"):
        page.context.clear_cookies()
        page.goto(f"{served.address}/matches")
        page.get_by_label("Its address, or the token alone").fill("wrong")
        page.get_by_role("button", name="Open").click()
        page.get_by_label("Its address, or the token alone").fill(given)
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("heading", name="Matches")).to_be_visible()
        assert page.url == f"{served.address}/matches"
    # Programs read JSON.
    assert served.http.get("/nothing").json()["error"]["type"] == "HTTPError"
    assert httpx.get(f"{served.address}/play").json()["error"]["type"] == "token"
