"""The room Reports: a report is started, read while it is made, and its flops are sorted, narrowed and opened."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect
from small_report import BODY, FLOPS, SPOT
from web_server import Served, opened, serving, wait


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("reports") / "work") as served:
        yield served


@pytest.fixture(scope="module")
def name(running: Served) -> str:
    """A report that has been made."""
    job = wait(running, running.post("/jobs", BODY)["id"], seconds=120.0)
    assert job["state"] == "done", job
    return str(job["id"])


def flops(page: Page) -> list[str]:
    """The flops of the table, as they are shown."""
    texts = page.locator(".tall tbody th .card [aria-hidden]").all_text_contents()
    return ["".join(texts[i : i + 3]) for i in range(0, len(texts), 3)]


def test_a_report_is_started_with_its_estimate_and_followed(page: Page, served: Served) -> None:
    opened(page, served, "/reports")
    expect(page.get_by_text("None so far.")).to_be_visible()
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_text("Choose a spot.", exact=True)).to_be_visible()
    # A spot of the library; then one as text.
    page.get_by_label("Spot", exact=True).select_option("btn-vs-bb-srp")
    expect(page.get_by_role("status").filter(has_text="Flops25")).to_contain_text("free")
    page.get_by_role("button", name="As text or a file").click()
    expect(page.get_by_label("The spot as text")).to_have_value(re.compile("Button against big blind"))
    page.get_by_label("The spot as text").fill(SPOT)
    expect(page.get_by_role("status").filter(has_text="about")).to_contain_text("free")
    page.get_by_label("The spot as text").fill(SPOT.replace("pot = 60", "pot = -60"))
    expect(page.locator("#report-spot-said")).to_contain_text("pot")
    page.get_by_label("The spot as text").fill(SPOT)
    page.get_by_role("group", name="Flops").get_by_role("button", name="my own").click()
    page.get_by_label("A flop in each row").fill("Ks7h")
    expect(page.locator("#report-list-said")).to_contain_text("Ks7h")
    page.get_by_label("A flop in each row").fill(FLOPS)
    page.get_by_text("Lines of your own").click()
    page.get_by_label("A line in each row").fill("bet 7")
    expect(page.locator("#report-lines-said")).to_contain_text("bet 7")
    page.get_by_label("A line in each row").fill("check\ncheck check")
    page.get_by_label("Exploitability of each flop").fill("1%pot")
    page.get_by_text("Locks and processes").click()
    page.get_by_label("Processes", exact=True).fill("1")
    page.get_by_role("button", name="Make the report").click()
    page.wait_for_url(re.compile("/reports/tiny-"))
    expect(page.locator(".tall tbody th")).to_have_count(3, timeout=60_000)
    expect(page.get_by_text("3 of 3 flops, each solved to 1 % of the pot.")).to_be_visible()
    (report,) = served.get("/reports")["reports"]
    assert (report["lines"], report["target"]) == (["", "check", "check check"], "1%pot")
    # It is in the list, and can be deleted.
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("None so far.")).to_be_visible()
    assert served.get("/reports")["reports"] == []


def test_flops_are_sorted_and_narrowed(page: Page, running: Served, name: str) -> None:
    opened(page, running, f"/reports/{name}")
    expect(page.locator(".tall tbody th")).to_have_count(3)
    page.get_by_role("button", name="after check", exact=True).click()
    expect(page).to_have_url(re.compile("line=check"))
    table = running.get(f"/reports/{name}/table", line="check")
    expect(page.locator(".legend")).to_contain_text(f"bet 60 {100 * table['mean']['frequencies'][1]:.1f} %")
    heading = page.get_by_role("columnheader", name="bet 60")
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    rows = sorted(table["flops"], key=lambda row: -row["frequencies"][1])
    first = page.locator(".tall tbody tr").first
    expect(first).to_contain_text(f"{100 * rows[0]['frequencies'][1]:.1f} %")
    expect(first).to_contain_text(f"{rows[0]['exploitability_pot_percent']:.3g}")
    # A kind of texture, then words.
    kind = page.get_by_role("button", name=re.compile("^monotone"))
    kind.click()
    expect(page.locator(".tall tbody th")).to_have_count(1)
    assert flops(page) == ["T♥9♥2♥"]
    expect(kind).to_have_attribute("aria-pressed", "true")
    only = page.get_by_label("Only flops with")
    expect(only).to_have_value("monotone")
    chosen = running.get(f"/reports/{name}/table", line="check", only="monotone")
    expect(page.locator(".legend")).to_contain_text(f"bet 60 {100 * chosen['mean']['frequencies'][1]:.1f} %")
    only.fill("purple")
    expect(page.locator("#only-said")).to_have_text("No flop of the report has purple.")
    only.fill("rainbow K")
    expect(first).to_contain_text("K♠")
    assert flops(page) == ["K♠7♥2♦"]
    page.get_by_role("button", name="Show all flops").click()
    expect(page.locator(".tall tbody th")).to_have_count(3)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download as CSV").click()
    lines = list(csv.DictReader(waiting.value.path().read_text().splitlines()))
    assert [line["flop"] for line in lines] == [row["flop"] for row in rows]
    assert [float(line["bet 60"]) for line in lines] == [row["frequencies"][1] for row in rows]


def test_the_grid_has_the_means_of_the_flops(page: Page, running: Served, name: str) -> None:
    opened(page, running, f"/reports/{name}?line=check")
    found = running.get(f"/reports/{name}/classes", line="check")
    place = found["labels"].index("KK")
    share, ev = found["frequencies"][1][place], found["ev_chips"][1][place]
    expect(page.get_by_role("button", name=re.compile("^AA: not in the range"))).to_be_visible()
    page.get_by_role("button", name=re.compile("^KK: ")).click()
    said = page.get_by_role("status").filter(has_text="KK: ")
    expect(said).to_contain_text(f"EV {ev:.2f}")
    if share >= 0.0005:
        expect(said).to_contain_text("bet 60")
    page.get_by_role("button", name="out of position", exact=True).click()
    expect(page).to_have_url(re.compile("player=0"))
    expect(page.get_by_role("button", name=re.compile("^KK: not in the range"))).to_be_visible()
    page.locator("body").press("g")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.classList.contains('cell')")


def test_a_flop_is_solved_and_then_opens_in_study(page: Page, running: Served, name: str) -> None:
    opened(page, running, f"/reports/{name}?line=check")
    flop = page.locator(".tall tbody th").first.get_by_role("button")
    flop.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("has no solution here")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    flop.click()
    dialog.get_by_role("button", name="Solve this flop").click()
    page.wait_for_url(re.compile("/solve/"))
    job = wait(running, page.url.rsplit("/", 1)[1], seconds=60.0)
    assert (job["state"], job["title"]) == ("done", "Tiny, Ks 7h 2d")
    opened(page, running, f"/reports/{name}?line=check")
    page.locator(".tall tbody th").first.get_by_role("button").click()
    page.wait_for_url(re.compile(rf"/study/{job['solution']}\?line=check"))


def test_of_all_flops_those_that_are_seen_are_drawn(page: Page, running: Served, name: str) -> None:
    def many(route: Route) -> None:
        answer = route.fetch()
        table = answer.json()
        row = table["flops"][0]
        ranks = "AKQJT98765432"
        made = [f"{a}s {b}h {c}d" for a in ranks for b in ranks for c in ranks][:1755]
        table["flops"] = [{**row, "flop": flop, "weight": float(i)} for i, flop in enumerate(made)]
        route.fulfill(response=answer, body=json.dumps(table))

    page.route("**/table?*", many)
    opened(page, running, f"/reports/{name}")
    expect(page.get_by_role("heading", name="1,755 flops", exact=True)).to_be_visible()
    assert page.locator(".tall tbody th").count() < 80
    page.get_by_role("columnheader", name="weight").get_by_role("button").click()
    expect(page.locator(".tall tbody tr").first).to_contain_text("1,754")
    page.locator(".tall").evaluate("one => { one.scrollTop = one.scrollHeight; }")
    place = [text.strip() for text in page.locator(".tall thead th").all_inner_texts()].index("weight ↓")
    last = page.locator(".tall tbody tr[aria-rowindex='1756'] > *").nth(place)
    expect(last).to_have_text("0")
    assert page.locator(".tall tbody th").count() < 80


def test_a_report_that_is_not_there_is_said(page: Page, running: Served) -> None:
    opened(page, running, "/reports/nothing")
    expect(page.get_by_text("There is no report called nothing.")).to_be_visible()
