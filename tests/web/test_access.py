"""Every room: for screen readers, by keyboard alone, on a phone, without motion, and light."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from charted_hands import CHARTS, played
from playwright.sync_api import Browser, Page, Response, expect
from small_report import BODY
from web_server import Served, barriers, opened, serving, wait

from errai.arena.histories.phh import phhs_text
from errai.web.problems import ROOMS

MOST_BYTES = 150_000
FOCUSABLE = (
    "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary"
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a solution, a table, a drill, a match, a review and a report: every room has something to show."""
    with serving(tmp_path_factory.mktemp("access")) as served:
        solve = {"kind": "solve", "subject": {"game": "kuhn"}, "settings": {"target": "1mbb"}}
        match = {"kind": "match", "subject": {"game": "kuhn"}, "agents": ["uniform", "always-call"]}
        match["settings"] = {"hands": 200, "aivat": True}
        jobs = [served.post("/jobs", body)["id"] for body in (solve, match, BODY)]
        served.post("/charts", {"name": "mine", "text": CHARTS})
        query = {"charts": "mine", "target": "1%pot", "memory": 64 << 20}
        answer = served.http.post("/reviews", content=phhs_text([played()]).encode(), params=query)
        served.post("/tables", {"opponent": "uniform", "game": "kuhn"})
        for job in (*jobs, answer.json()["id"]):
            found = wait(served, job, seconds=120.0)
            assert found["state"] == "done", found
        served.post("/drills", {"solution": served.get("/solutions")["solutions"][0]["name"], "seed": 1})
        yield served


def paths(served: Served) -> dict[str, list[str]]:
    """The addresses of each room that show something."""
    table = served.get("/tables")["tables"][0]["id"]
    return {
        "home": ["/home"],
        "play": ["/play", f"/play/{table}"],
        "solve": ["/solve", *(f"/solve/{j['id']}" for j in served.get("/jobs")["jobs"] if j["kind"] == "solve")],
        "study": ["/study", f"/study/{served.get('/solutions')['solutions'][0]['name']}"],
        "drills": ["/drills", f"/drills/{served.get('/drills')['drills'][0]['id']}"],
        "reviews": ["/reviews", *(f"/reviews/{j['id']}" for j in served.get("/jobs")["jobs"] if j["kind"] == "review")],
        "reports": ["/reports", f"/reports/{served.get('/reports')['reports'][0]['name']}"],
        "matches": ["/matches", f"/matches/{served.get('/matches')['matches'][0]['name']}"],
    }


def settled(page: Page) -> None:
    """Wait until a room stands."""
    expect(page).to_have_title(re.compile(" - Errai$"))
    expect(page.locator("main h1, main h2").first).to_be_attached()
    # What a room reads comes after its heading; it stands when nothing has come for a while.
    before = -1
    while before != (now := page.evaluate("document.querySelectorAll('main *').length")):
        before = now
        page.wait_for_timeout(300)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("room", ROOMS)
def test_axe_finds_nothing(browser: Browser, running: Served, room: str, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    for path in paths(running)[room]:
        opened(page, running, path)
        settled(page)
        assert not barriers(page, scheme), path
    context.close()


@pytest.mark.parametrize("room", ROOMS)
def test_a_phone_needs_no_sideways_scrolling(browser: Browser, running: Served, room: str) -> None:
    context = browser.new_context(viewport={"width": 375, "height": 740}, reduced_motion="reduce")
    page = context.new_page()
    for path in paths(running)[room]:
        opened(page, running, path)
        settled(page)
        wide, seen = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide <= seen, path
        moving = (
            "[...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s')"
        )
        assert page.evaluate(f"{moving}.map((one) => one.className)") == []
        assert page.evaluate("document.getAnimations().length") == 0
    context.close()


@pytest.mark.parametrize("room", ROOMS)
def test_tab_reaches_everything_and_is_seen(page: Page, running: Served, room: str) -> None:
    opened(page, running, paths(running)[room][-1])
    settled(page)
    # Of the radio buttons of a group and of the cells of a grid, one is reached by Tab and the others by arrows.
    wanted = set(
        page.evaluate(
            f"""[...document.querySelectorAll({FOCUSABLE!r})].map((one, i) => (one.dataset.walk = i, one))
            .filter((one) => one.checkVisibility() && one.tabIndex >= 0 && one.type !== "radio")
            .map((one) => one.dataset.walk)"""
        )
    )
    reached, unseen = set[str](), list[str]()
    for _ in range(400):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """(() => { const one = document.activeElement, style = getComputedStyle(one);
            const marked = one.matches("[type=file]") ? getComputedStyle(one.closest("label") ?? one) : style;
            // The cells of the grid have a ring around them in place of an outline.
            const ring = getComputedStyle(one, "::after");
            return [one.dataset.walk ?? "", one.outerHTML.slice(0, 120),
              (marked.outlineStyle !== "none" && parseFloat(marked.outlineWidth) >= 1)
              || (ring.content !== "none" && parseFloat(ring.borderTopWidth) >= 1)]; })()"""
        )
        if found[0] and not found[2]:
            unseen.append(found[1])
        reached.add(found[0])
        if wanted <= reached:
            break
    left = [
        page.evaluate(f"document.querySelector('[data-walk=\"{w}\"]')?.outerHTML.slice(0, 120)")
        for w in wanted - reached
    ]
    # An element that the room has drawn anew in between has lost its number.
    assert [one for one in left if one] == []
    assert unseen == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_light_and_asks_nobody_else(browser: Browser, running: Served, room: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, answers = context.new_page(), list[Response]()
    page.on("response", lambda answer: answers.append(answer))
    opened(page, running, paths(running)[room][-1])
    settled(page)
    assert all(answer.url.startswith(running.address) for answer in answers)
    files = [answer for answer in answers if re.search(rf"/static/|/({'|'.join(ROOMS)})(/|$)", answer.url)]
    total = sum(len(answer.body()) for answer in files if answer.ok)
    assert 20_000 < total <= MOST_BYTES
    context.close()
