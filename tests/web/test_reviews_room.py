"""The room Reviews: a file is sent, its review is followed and read, and its decisions lead to Study and to drills."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from charted_hands import CHARTS, played
from playwright.sync_api import Page, expect
from web_server import Served, opened, serving, wait

from errai.arena.histories.phh import phhs_text
from errai.games.hand import CALL

HANDS = phhs_text([played(1), played(2, flop="9c8d3h"), played(3, opening=(CALL, CALL))]) + "\n[oops]\nvariant = 3\n"
SMALL = {"charts": "mine", "target": "1%pot", "memory": 64 << 20}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("reviews") / "work") as served:
        served.post("/charts", {"name": "mine", "text": CHARTS})
        yield served


@pytest.fixture(scope="module")
def name(running: Served) -> str:
    """A review that has been made."""
    answer = running.http.post("/reviews", content=HANDS.encode(), params={**SMALL, "title": "Tuesday"})
    job = wait(running, answer.json()["id"], seconds=120.0)
    assert job["state"] == "done", job
    return str(job["id"])


def test_a_file_is_reviewed_by_charts_of_ones_own(page: Page, served: Served, tmp_path: Path) -> None:
    opened(page, served, "/reviews")
    expect(page.get_by_text("None so far.")).to_be_visible()
    expect(page.get_by_text("Each decision is graded")).to_be_visible()
    drop = page.get_by_label("Drop a file of hands")
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    drop.set_input_files(empty)
    page.get_by_role("button", name="Review the hands").click()
    expect(page.get_by_role("alert").filter(has_text="empty.txt is empty.")).to_be_visible()
    file = tmp_path / "session.phhs"
    file.write_text(HANDS)
    page.locator("#review-file").set_input_files(file)
    expect(page.get_by_text("session.phhs")).to_be_visible()
    assert page.locator("#players option").evaluate_all("all => all.map((one) => one.value)") == ["Bea", "Ben"]
    charts = page.get_by_label("Charts: the ranges")
    expect(charts).to_have_value("heads-up")
    page.get_by_text("Charts of your own").click()
    page.get_by_label("Name", exact=True).fill("mine")
    page.get_by_label("A file of charts").fill(CHARTS.replace("AA", "AAA"))
    page.get_by_role("button", name="Add the charts").click()
    expect(page.locator("#charts-text-said")).to_contain_text("the range of BTN: column 3")
    page.get_by_label("A file of charts").fill(CHARTS)
    page.get_by_role("button", name="Add the charts").click()
    expect(charts).to_have_value("mine")
    expect(page.get_by_text("1 situation (1 single-raised).")).to_be_visible()
    page.get_by_text("Time, memory and accuracy").click()
    page.get_by_label("Exploitability to reach").fill("1%pot")
    page.get_by_label("Memory at most, MiB").fill("64")
    page.get_by_label("Time at most, seconds").fill("1,5")
    page.get_by_role("button", name="Review the hands").click()
    expect(page.locator("#review-seconds-said")).to_contain_text("can be read in two ways")
    page.get_by_label("Time at most, seconds").fill("30")
    page.get_by_label("Whose decisions").fill("Zoe")
    page.get_by_role("button", name="Review the hands").click()
    expect(page.locator("#review-player-said")).to_contain_text("the players are Bea, Ben")
    page.get_by_label("Whose decisions").fill("Ben")
    page.get_by_role("button", name="Review the hands").click()
    page.wait_for_url(re.compile("/reviews/session-"))
    expect(page.get_by_role("heading", name="session")).to_be_visible()
    expect(page.locator(".summary")).to_contain_text("lost", timeout=60_000)
    job = served.get("/jobs")["jobs"][0]
    assert job["command"].count("--memory") == 1
    found = served.get(f"/reviews/{job['id']}")
    assert [one["player"] for one in found["by_player"]] == ["Ben"]
    expect(page.get_by_text(f"{found['decisions']} decisions in {found['hands']} of 3 hands.")).to_be_visible()
    said = page.locator(".summary .soft").inner_text()
    rate = found["loss_mbb"] / 10 / found["read"]
    assert float(said.removesuffix(" bb per 100 hands")) == pytest.approx(rate, rel=0.006)


def test_a_review_is_read_narrowed_and_leads_to_study(page: Page, running: Served, name: str) -> None:
    found = running.get(f"/reviews/{name}")
    listed = running.get(f"/reviews/{name}/decisions", count=500)["decisions"]
    opened(page, running, f"/reviews/{name}")
    expect(page.locator(".summary")).to_contain_text(f"{found['loss_chips']:.2f} big blinds lost")
    # What two players lost together is nobody's rate.
    assert len(found["by_player"]) == 2
    expect(page.locator(".summary")).to_contain_text("lost by 2 players")
    expect(page.locator(".summary .soft")).to_have_count(0)
    cards = page.locator(".decisions > li")
    # At first those that lost something that counts, then all.
    expect(cards).to_have_count(sum(d["counted"] for d in listed))
    page.get_by_role("button", name="All decisions").click()
    expect(cards).to_have_count(found["decisions"])
    first = listed[0]
    expect(cards.first.locator(".lost")).to_have_text(f"−{first['loss_chips']:.2f} bb")
    expect(cards.first).to_contain_text("% of the pot")
    expect(cards.first.locator(".verdict")).to_contain_text(first["player"])
    rows = cards.first.get_by_role("row")
    expect(rows).to_have_count(1 + len(first["probabilities"]))
    for action, share in first["probabilities"].items():
        row = rows.filter(has_text=re.compile(rf"^{action.removesuffix('bb')}"))
        text = row.locator("td").nth(1).inner_text()
        assert text[0] in "<>" or float(text.removesuffix(" %")) == pytest.approx(100 * share, abs=0.051)
    # The bars have the colours of pictures.
    bar = rows.filter(has_text=re.compile("^call|^check")).locator(".bar span").first
    assert bar.evaluate("one => getComputedStyle(one).backgroundColor") == "rgb(138, 228, 160)"
    # What was left out and what could not be read.
    expect(page.get_by_text("There is no chart for BB and BTN with no raise before the flop.")).to_be_visible()
    expect(page.get_by_text(re.compile(rf"^Line {found['not_read'][0]['line']}:"))).to_be_visible()
    # A bar of the sums narrows the list; that is in the address, and a chip undoes it.
    bea = sum(decision["player"] == "Bea" for decision in listed)
    by_player = page.get_by_role("region", name="By player")
    by_player.get_by_role("button", name=re.compile(f"^Bea .*{bea} decisions")).click()
    expect(page).to_have_url(re.compile(r"player=Bea"))
    expect(cards).to_have_count(bea)
    page.get_by_role("button", name="No longer only player").click()
    expect(cards).to_have_count(found["decisions"])
    by_hand = page.get_by_role("region", name="By hand")
    losses = [one["loss_chips"] for one in found["by_class"]][:6]
    shown = [float(text.removesuffix(" bb")) for text in by_hand.locator(".sum").all_text_contents()]
    assert shown == pytest.approx(sorted(losses, reverse=True), abs=0.0051)
    least = found["by_class"][min(5, len(found["by_class"]) - 1)]
    by_hand.get_by_role("button", name=re.compile(f"^{least['class']} ")).click()
    expect(cards).to_have_count(least["decisions"])
    page.get_by_role("button", name="No longer only hand").click()
    expect(cards).to_have_count(found["decisions"])
    # By keys: the second decision, and its node.
    page.locator("body").press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/study/{listed[1]['solution']}"))
    expect(page.get_by_role("heading", name="BTN against BB")).to_be_visible()


def test_the_mistakes_are_drilled(page: Page, running: Served, name: str) -> None:
    opened(page, running, f"/reviews/{name}")
    page.get_by_role("button", name="Drill the mistakes").click()
    page.wait_for_url(re.compile("/drills/"))
    (drill,) = running.get("/drills")["drills"]
    assert (page.url.endswith(f"/drills/{drill['id']}"), drill["review"]) == (True, name)


def test_a_review_that_runs_says_where_it_is_and_can_be_stopped(page: Page, running: Served) -> None:
    query = {**SMALL, "target": "0.0001%pot", "seconds": 60, "title": "Long"}
    name = running.http.post("/reviews", content=HANDS.encode(), params=query).json()["id"]
    opened(page, running, f"/reviews/{name}")
    expect(page.get_by_role("status").filter(has_text="Spot 1 of 2, BTN against BB")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("what follows was found until then.")).to_be_visible()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page).to_have_url(f"{running.address}/reviews")
    assert name not in [job["id"] for job in running.get("/jobs")["jobs"]]


def test_a_review_that_is_not_there_is_said(page: Page, running: Served) -> None:
    opened(page, running, "/reviews/nothing")
    expect(page.get_by_text("There is no review called nothing.")).to_be_visible()
