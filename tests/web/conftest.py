"""Servers and a browser for the tests: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from web_server import Served, start

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or ""
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


# Machines that run tests have other work.
expect.set_options(timeout=20_000)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers, by default in the folder ``work``; those that still run are killed at the end."""
    made: list[Served] = []

    def one(folder: Path | None = None, **options: object) -> Served:
        made.append(start(tmp_path / "work" if folder is None else folder, **options))  # type: ignore[arg-type]
        return made[-1]

    yield one
    for served in made:
        served.end()


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    """One server in an empty folder."""
    return serve()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser.  In continuous integration its absence is an error; scripts/test says how to get it."""
    if not CHROMIUM and not os.environ.get("ERRAI_NEEDS_BROWSER"):
        pytest.skip("there is no Chromium; on Debian: sudo apt install chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new page, 1280 x 800.  Errors in its scripts and requests for other hosts fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    found = context.new_page()
    wrong: list[str] = []
    found.on("pageerror", lambda error: wrong.append(f"error in a script: {error}"))
    found.on(
        "request",
        lambda request: (
            None if re.match(r"(http://127\.0\.0\.1:|data:|blob:)", request.url) else wrong.append(request.url)
        ),
    )
    yield found
    context.close()
    assert not wrong, wrong
