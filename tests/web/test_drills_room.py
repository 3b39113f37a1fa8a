"""The room Drills in a browser: by keys alone, in two tabs, after kills, on a phone and to a screen reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect
from small_drill import drilling, solved_turn
from web_server import Served, barriers, opened

from errai.arena.repetition import Repetition
from errai.solutions.solution import Solution

PHONE = {"width": 375, "height": 740}
FACED = "check bet 100"
"""A line after which one folds, calls or goes all-in."""


@pytest.fixture(scope="module")
def turn() -> Solution:
    return solved_turn()


@pytest.fixture(scope="module")
def running(turn: Solution, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a solution."""
    with drilling(turn, tmp_path_factory.mktemp("drills") / "work") as served:
        yield served


def new_round(page: Page, served: Served, **wanted: object) -> str:
    """Make a round over the API, open it, and return its name."""
    drill = served.post("/drills", {"solution": "turn", "seed": 5, **wanted})
    opened(page, served, f"/drills/{drill['id']}")
    expect(choices(page).first).to_be_visible()
    return drill["id"]


def choices(page: Page) -> Locator:
    """The buttons of a question."""
    return page.get_by_role("group", name="What do you do?").get_by_role("button")


def rounds(page: Page) -> Locator:
    """The rounds that are listed."""
    return page.get_by_role("region", name="Your rounds").get_by_role("listitem")


def test_a_round_by_keyboard_alone(page: Page, running: Served) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, running, "/drills")
    expect(page.get_by_role("button", name="Start")).to_be_enabled()
    page.keyboard.press("n")
    expect(page.get_by_label("Train from")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("out of position")
    page.keyboard.press("Tab")
    page.keyboard.type("river")
    for text in ("", "7d, 3c", None, "3"):
        page.keyboard.press("Tab")
        if text is None:
            expect(page.get_by_label("Only against a bet or a raise")).to_be_focused()
            page.keyboard.press("Space")
            continue
        page.keyboard.insert_text(text)
        if text == "3":
            page.keyboard.press("Control+a")
            page.keyboard.type("3")
    page.keyboard.press("Enter")
    heard = page.locator("[data-heard]")
    expect(heard).to_contain_text(
        re.compile(r"Question 1\. You hold .* River, out of position, pot .*Your choices: 1 ")
    )
    name = page.url.rsplit("/", 1)[1]
    grades = []
    for number in (1, 2, 3):
        question = running.get(f"/drills/{name}")["question"]
        assert (question["number"], question["player"], question["street"]) == (number, 0, "river")
        assert question["to_call_chips"] > 0
        expect(page.get_by_role("heading", name=f"Question {number} of 3")).to_be_visible()
        assert choices(page).count() == len(question["actions"])
        # Nothing of the solution is on the page, nor was it asked for, before the answer.
        assert not [one for one in asked if "/solutions/turn" in one]
        expect(page.locator(".verdict, .graded, a[href^='/study/']:not(.last a)")).to_have_count(0)
        page.keyboard.press(str(len(question["actions"])))
        expect(page.locator(".verdict")).to_be_visible()
        answer = running.get(f"/drills/{name}/answers", count=1)["answers"][0]
        assert answer["action"] == question["actions"][-1]["action"]
        grades.append(answer["grade"])
        expect(page.locator(".verdict strong")).to_have_text(answer["grade"].capitalize())
        expect(heard).to_contain_text(f"{answer['grade'].capitalize()}. ")
        rows = page.locator(".graded tbody tr")
        assert rows.count() == len(answer["actions"])
        for row, one in zip(rows.all(), answer["actions"][::-1], strict=True):
            expect(row).to_contain_text(one["action"])
            taken, ev = (row.locator("td").nth(place).inner_text() for place in (1, 2))
            if taken[0] not in "<>":
                assert abs(float(taken.removesuffix(" %")) - 100 * one["frequency"]) <= 0.051
            assert abs(float(ev.replace("−", "-")) - one["ev_chips"]) <= 0.051
        expect(page.locator(".graded tr[aria-current=true] th")).to_contain_text(answer["action"])
        page.keyboard.press("Enter" if number == 2 else " ")
    expect(page.get_by_role("heading", name="The round is over")).to_be_visible()
    totals = running.get(f"/drills/{name}")["totals"]
    assert [totals[grade] for grade in ("right", "inaccurate", "mistake")] == [
        grades.count(grade) for grade in ("right", "inaccurate", "mistake")
    ]
    expect(page.locator(".result")).to_have_text(f"{totals['right']} of 3 right")
    expect(page.locator(".sum")).to_contain_text(f"{totals['inaccurate']} inaccurate")
    expect(page.get_by_role("table", name="By street").get_by_role("row", name=re.compile("river"))).to_have_count(1)
    expect(page.get_by_role("table", name="Answers").locator("tbody tr")).to_have_count(3)


def test_study_shows_the_decision_and_starts_a_round_at_it(page: Page, running: Served) -> None:
    opened(page, running, "/study/turn?line=check+bet+100")
    page.get_by_role("link", name="Drill", exact=True).click()
    start_button = page.get_by_role("button", name="Start")
    expect(start_button).to_be_focused()
    expect(page.get_by_label("Line")).to_have_value(FACED)
    page.keyboard.press("Enter")
    expect(choices(page).first).to_be_visible()
    name = page.url.rsplit("/", 1)[1]
    drill = running.get(f"/drills/{name}")
    assert (drill["question"]["line"], drill["title"]) == (FACED, "Qs Jh 2s 8h · after check bet 100")
    page.keyboard.press("f")
    expect(page.locator(".verdict")).to_be_visible()
    page.keyboard.press("s")
    expect(page).to_have_url(
        re.compile(r"/study/turn\?line=check\+bet\+100&hand=" + "".join(drill["question"]["hand"]))
    )
    expect(page.locator(".range .cell[aria-pressed=true]")).to_have_count(1)
    page.go_back()
    # The answer was kept: the round goes on with the next question.
    expect(page.get_by_role("heading", name="Question 2 of 20")).to_be_visible()


def test_two_tabs_answer_no_question_twice(page: Page, running: Served) -> None:
    name = new_round(page, running, line=FACED, count=5)
    other = page.context.new_page()
    other.goto(page.url)
    expect(choices(other).first).to_be_visible()
    page.bring_to_front()
    page.keyboard.press("f")
    expect(page.locator(".verdict")).to_be_visible()
    other.keyboard.press("k")
    expect(other.get_by_role("heading", name="Question 2 of 5")).to_be_visible()
    expect(other.locator(".note")).to_contain_text("Question 1 has been answered already")
    other.keyboard.press("k")
    expect(other.locator(".verdict")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="Question 3 of 5")).to_be_visible()
    answers = running.get(f"/drills/{name}/answers")["answers"]
    assert [(one["number"], one["action"]) for one in answers] == [(2, "call"), (1, "fold")]
    other.close()


def test_a_round_goes_on_after_reloads_and_kills(page: Page, serve: Callable[..., Served], turn: Solution) -> None:
    token = "a-token-that-the-test-knows"
    served = serve(token=token)
    port = int(served.address.rsplit(":", 1)[1])
    turn.save(served.folder / "solutions" / "turn.errai")
    name = new_round(page, served, line=FACED, count=3)
    hand = page.locator(".seat.own .face").all_inner_texts()
    page.reload()
    expect(choices(page).first).to_be_visible()
    assert page.locator(".seat.own .face").all_inner_texts() == hand
    served.kill()
    page.keyboard.press("f")
    expect(page.get_by_role("alert").filter(has_text="The server does not answer").first).to_be_visible()
    served = serve(port=port, token=token)
    expect(page.locator("#server")).to_be_hidden()
    expect(page.locator(".asked .problem")).to_have_count(0)
    assert page.locator(".seat.own .face").all_inner_texts() == hand
    with page.expect_response(lambda answer: answer.url.endswith(f"/drills/{name}")) as after:
        page.keyboard.press("f")
    after.value.finished()
    expect(page.locator(".verdict")).to_be_visible()
    served.kill()
    # The question after it was fetched already.
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Question 2 of 3")).to_be_visible()
    served = serve(port=port, token=token)
    expect(page.locator("#server")).to_be_hidden()
    page.keyboard.press("f")
    expect(page.locator(".verdict")).to_be_visible()


def test_what_is_wrong_stands_at_its_field(page: Page, running: Served) -> None:
    before = len(running.get("/drills")["drills"])
    opened(page, running, "/drills?solution=turn")
    start_button = page.get_by_role("button", name="Start")
    expect(start_button).to_be_focused()
    for label, typed, said in (
        ("Questions", "0", "Questions: write a whole number from 1 to 1,000."),
        ("Line", "bet 7", "'bet 7' is not possible at the root"),
        ("Boards", "Zz", "Expected a rank of 23456789TJQKA as in As, found 'Z'."),
    ):
        field = page.get_by_label(label)
        usual = field.input_value()
        field.fill(typed)
        start_button.click()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
        expect(page.locator(f"#{field.get_attribute('aria-describedby')}")).to_contain_text(said)
        field.fill(usual)
        expect(field).to_have_attribute("aria-invalid", "false")
    page.get_by_label("Line").fill(FACED)
    page.get_by_label("Your seat").select_option("1")
    start_button.click()
    expect(page.get_by_role("alert").filter(has_text="player 0 acts, and not player 1")).to_be_visible()
    assert len(running.get("/drills")["drills"]) == before


def test_wrong_answers_come_again_on_another_day(page: Page, served: Served, turn: Solution) -> None:
    turn.save(served.folder / "solutions" / "turn.errai")
    opened(page, served, "/drills")
    expect(page.get_by_text("None so far.")).to_be_visible()
    page.get_by_label("Line").fill(FACED)
    page.get_by_label("Keep wrong answers").check()
    page.get_by_role("button", name="Start").click()
    expect(choices(page).first).to_be_visible()
    name = page.url.rsplit("/", 1)[1]
    for _ in range(20):
        page.keyboard.press("a")
        expect(page.locator(".verdict")).to_be_visible()
        if served.get(f"/drills/{name}")["totals"]["mistake"]:
            break
        page.keyboard.press("Enter")
        expect(choices(page).first).to_be_visible()
    coming = page.locator(".coming")
    expect(coming).to_contain_text(re.compile("tomorrow|today"))
    wrong = next(one for one in served.get(f"/drills/{name}/answers")["answers"] if one["grade"] == "mistake")
    path = served.folder / "drills" / f"{turn.subject.digest()[:16]}.repeat"
    days_ago = Repetition(path, turn.subject, now=lambda: datetime.now(UTC) - timedelta(days=9))
    days_ago.record(FACED, "".join(wrong["hand"]), "mistake")
    opened(page, served, "/drills")
    # What was chosen last is chosen again.
    expect(page.get_by_label("Keep wrong answers")).to_be_checked()
    expect(rounds(page)).to_have_count(1)
    # What is due today makes a round of its own.
    due = page.get_by_role("region", name="Due today")
    expect(due).to_contain_text("1 decision that you got wrong before")
    due.get_by_role("button", name="Answer it now").click()
    expect(page.locator(".asked")).to_contain_text("asked again")
    expect(page.get_by_role("heading", name="Question 1 of 1")).to_be_visible()
    opened(page, served, "/drills")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".asked")).to_contain_text("asked again")


def test_rounds_are_listed_go_on_and_are_deleted(page: Page, served: Served, turn: Solution) -> None:
    turn.save(served.folder / "solutions" / "turn.errai")
    page.set_viewport_size(PHONE)
    first = new_round(page, served, count=2, title="The first")
    served.post("/drills", {"solution": "turn", "title": "The second"})
    page.get_by_role("link", name="Drills").last.click()
    rows = rounds(page)
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="The first")).to_contain_text("0 of 2, goes on")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name=re.compile("Delete the round The second")).click()
    expect(rows).to_have_count(1)
    (served.folder / "drills" / "damaged.drill").write_text("{")
    page.reload()
    expect(rows.filter(has_text="damaged")).to_contain_text("This drill is damaged.")
    page.get_by_role("link", name="The first").click()
    expect(choices(page).first).to_be_visible()
    assert page.url.endswith(f"/drills/{first}")
    opened(page, served, "/drills/nothing")
    expect(page.get_by_role("alert").filter(has_text="nothing")).to_be_visible()


def test_the_mistakes_of_a_review_can_be_chosen(page: Page, running: Served) -> None:
    job = {"id": "tuesday-1", "kind": "review", "state": "done", "title": "Tuesday", "created": "2026-11-27T20:00:00Z"}
    page.route("**/api/v1/jobs", lambda route: route.fulfill(json={"jobs": [job]}))
    opened(page, running, "/drills?review=tuesday-1")
    expect(page.get_by_label("Train from")).to_have_value("review:tuesday-1")
    expect(page.get_by_text("Its mistakes are asked as they were met")).to_be_visible()
    expect(page.get_by_label("Street")).to_have_count(0)
    with page.expect_request("**/api/v1/drills") as sent:
        page.get_by_role("button", name="Start").click()
    assert sent.value.post_data_json == {
        "review": "tuesday-1",
        "count": 20,
        "repeat": False,
        "title": "Mistakes of Tuesday",
    }
    expect(page.get_by_role("alert").filter(has_text="There is no job called 'tuesday-1'")).to_be_visible()


def test_no_finding_of_axe_and_buttons_for_fingers(page: Page, running: Served) -> None:
    new_round(page, running, line=FACED, count=1)

    def looked_at() -> None:
        for scheme in ("light", "dark"):
            # Without motion, so that no colour is looked at on its way to another.
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            for size in (PHONE, {"width": 1280, "height": 800}):
                page.set_viewport_size(size)  # type: ignore[arg-type]
                assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            assert not barriers(page, scheme)
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        buttons = page.locator("main :is(button, a.button)")
        assert buttons.count()
        for one in buttons.all():
            box = one.bounding_box()
            assert box is not None
            assert box["height"] >= 44, one.inner_text()

    looked_at()
    choices(page).first.click()
    expect(page.locator(".verdict")).to_be_visible()
    looked_at()
    page.get_by_role("button", name="How the round went").click()
    expect(page.get_by_role("heading", name="The round is over")).to_be_visible()
    looked_at()
    page.get_by_role("link", name="New round").click()
    expect(rounds(page).first).to_be_visible()
    looked_at()
