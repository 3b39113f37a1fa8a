"""The home page in a browser: each of its four starts is one click, and what was worked on is listed."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect
from web_server import Served, opened, wait

SESSION = Path(__file__).parent.parent.parent / "examples" / "session.txt"


def test_a_ready_solution_is_solved_once_and_opened(page: Page, served: Served) -> None:
    opened(page, served)
    assert page.url == f"{served.address}/home"
    expect(page.get_by_role("heading", level=1)).to_have_text("Solve, study and play poker")
    page.get_by_role("button", name="Open the turn").click()
    expect(page).to_have_url(re.compile(r"/study/turn-queen-high-"))
    solved = page.url
    expect(page.get_by_role("group", name=re.compile("Hands"))).to_be_visible()
    page.go_back()
    page.get_by_role("listitem").get_by_role("link", name="Turn, queen-high").wait_for()
    page.get_by_role("button", name="Open the turn").click()
    expect(page).to_have_url(solved)
    assert [job["kind"] for job in served.get("/jobs")["jobs"]] == ["solve"]


def test_a_solve_that_fails_is_said_where_it_was_asked_for(page: Page, served: Served) -> None:
    opened(page, served, "/home")
    expect(page.get_by_role("region", name="Recent work")).to_contain_text("will stand here")
    page.route(
        "**/api/v1/jobs",
        lambda route: (
            route.fulfill(status=507, json={"error": {"type": "DiskSpaceError", "message": "The disk is full."}})
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    page.get_by_role("button", name="River").click()
    expect(page.get_by_role("region", name="Explore a solution")).to_contain_text("The disk is full.")
    expect(page.get_by_role("button", name="River")).to_be_enabled()


def test_a_flop_is_set_up_so_that_it_only_needs_to_be_solved(page: Page, served: Served) -> None:
    opened(page, served, "/home")
    page.get_by_role("link", name="Set up this flop").click()
    expect(page.get_by_role("button", name=re.compile("^Solve"))).to_be_enabled()
    page.get_by_role("button", name=re.compile("^Solve")).click()
    expect(page).to_have_url(re.compile(r"/solve/cutoff-against-big-blind"))


def test_a_hand_is_dealt_and_goes_on_later(page: Page, served: Served) -> None:
    opened(page, served, "/home")
    page.get_by_role("button", name="Deal a hand").click()
    expect(page.locator("section.table")).to_be_visible()
    table = served.get("/tables")["tables"][0]
    assert table["opponent"] == "Blueprint"
    page.goto(f"{served.address}/home")
    page.get_by_role("listitem").get_by_role("link", name="Against Blueprint").click()
    expect(page).to_have_url(f"{served.address}/play/{table['id']}")


def test_hands_that_are_dropped_are_reviewed_with_charts(page: Page, served: Served) -> None:
    opened(page, served, "/home")
    page.get_by_label(re.compile("file of hands", re.IGNORECASE)).set_input_files(SESSION)
    expect(page).to_have_url(re.compile("/reviews/session-"))
    job = served.get("/jobs")["jobs"][0]
    settings = served.get(f"/reviews/{job['id']}")["charts"] if job["state"] == "done" else "six-handed"
    assert (job["kind"], settings) == ("review", "six-handed")
    assert "--player Ann" in job["command"]
    page.goto(f"{served.address}/home")
    expect(page.get_by_role("listitem").filter(has_text="session")).to_contain_text("review")
    served.post(f"/jobs/{job['id']}/stop")
    wait(served, job["id"])


def test_a_file_without_hands_is_refused_beside_the_field(page: Page, served: Served) -> None:
    opened(page, served, "/home")
    file = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"nothing here\n"}
    page.get_by_label(re.compile("file of hands", re.IGNORECASE)).set_input_files(files=[file])  # type: ignore[list-item]
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert page.url == f"{served.address}/home"


def test_the_grid_is_that_of_the_blueprint(page: Page, served: Served) -> None:
    opened(page, served, "/home")
    grid = page.get_by_role("link", name="How the button opens, in Study")
    node = served.get("/solutions/blueprint-nl/node")
    for action in node["actions"]:
        if (action["frequency"] or 0) > 0.0005:
            expect(grid).to_contain_text(action["label"])
    expect(grid.locator(".cell")).to_have_count(169)
    grid.click()
    expect(page).to_have_url(f"{served.address}/study/blueprint-nl")
