"""The room Solve: a spot is put together and solved from the page, by mouse and by keyboard alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from small_subjects import RIVER
from web_server import Served, opened

import errai
from errai.games.spot import parse_spot
from errai.pictures.nodes import percent_text

PACKAGE = Path(errai.__file__).parent / "web/static/spots"
EXAMPLES = Path(__file__).parents[2] / "examples"


def solved(page: Page, served: Served) -> dict:
    """The job that the page shows, once it is done; what the page says of it is what the library finds."""
    expect(page.get_by_role("link", name="Study it")).to_be_visible(timeout=60_000)
    name = page.url.rpartition("/")[2]
    job = served.get(f"/jobs/{name}")
    spot = parse_spot((served.folder / "jobs" / name / "spot.toml").read_text())
    target = json.loads((served.folder / "jobs" / name / "request.json").read_text())["settings"]["target"]
    expected = errai.solve(spot, target)
    found = expected.exploitability
    facts = page.locator(".facts")
    expect(facts).to_contain_text(f"{found.pot_percent:.3g} % of the pot, {found.chips:.3g} chips")
    first, second = expected.values.chips
    names = spot.positions or ("out of position", "in position")
    expect(facts).to_contain_text(f"{names[0]} {first:.3f}, {names[1]} {second:.3f} chips")
    expect(facts).to_contain_text(f"{expected.iterations:,} in ")
    assert job["result"]["exploitability"]["chips"] == found.chips
    return job


def river(page: Page, served: Served) -> None:
    """Open the room with the river of the examples."""
    opened(page, served, "/solve")
    page.get_by_label("Choose a spot").select_option("River, any two cards")
    expect(page.get_by_label("Title")).to_have_value("River, any two cards")


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(80):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not reach the element")


def test_a_river_is_painted_and_solved_by_mouse(page: Page, served: Served) -> None:
    river(page, served)
    oop = page.get_by_role("group", name="Out of position").first
    text = oop.get_by_role("textbox", name="as text")
    oop.get_by_role("button", name="None").click()
    cells = {name: oop.get_by_role("button", name=re.compile(rf"^{name}, ")) for name in ("AA", "AQs", "KK")}
    oop.evaluate("element => element.scrollIntoView({ block: 'start' })")
    # The pointer is dragged from AA over AKs to AQs, and paints all three.
    first, last = (cells[name].bounding_box() for name in ("AA", "AQs"))
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 8, first["y"] + 8)
    page.mouse.down()
    page.mouse.move(last["x"] + 8, last["y"] + 8, steps=12)
    page.mouse.up()
    expect(text).to_have_value("AA,AQs+")
    oop.get_by_label("Brush").fill("25")
    cells["KK"].click()
    expect(text).to_have_value(re.compile("KK:0.25"))
    cells["AQs"].click()
    cells["AQs"].click()
    expect(text).to_have_value("AA,AKs,KK:0.25")
    expect(cells["AQs"]).to_have_accessible_name("AQs, 0 %")
    # The text is read as soon as it is typed.
    text.fill("AA, 99, KTs:0.5")
    expect(oop.get_by_role("button", name="KTs, 50 %")).to_be_visible()
    page.get_by_role("group", name="In position").first.get_by_role("textbox", name="as text").fill("KK, QQ, T9s")
    page.get_by_role("button", name="3 of spades").click()
    page.get_by_role("button", name="4 of spades").click()
    expect(page.get_by_label("Board", exact=True)).to_have_value("Qs Jh 2c 8d 4s")

    page.get_by_label("River, OOP: bet").fill("50%, 7")
    said = page.locator("#river-0-bet-said")
    expect(said).to_contain_text("7% for per cent of the pot")
    expect(page.get_by_role("button", name="Solve", exact=True)).to_be_disabled()
    page.get_by_label("River, OOP: bet").fill("50 % 75")
    expect(said).to_have_count(0)
    button = page.get_by_role("button", name="Solve", exact=True)
    expect(button).to_be_enabled()
    expect(page.locator(".strip .nodes")).not_to_contain_text("45")
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    button.click()
    job = solved(page, served)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    spot = parse_spot((served.folder / "jobs" / job["id"] / "spot.toml").read_text())
    assert spot.board_text == "Qs Jh 2c 8d 4s"
    assert spot.ranges[0] == errai.Range.parse("AA, 99, KTs:0.5")
    assert spot.to_dict()["bets"]["river"]["oop"]["bet"] == "50%, 75%"


def test_a_river_is_put_together_and_solved_by_keyboard_alone(page: Page, served: Served) -> None:
    river(page, served)
    keyboard = page.keyboard
    reach(page, page.get_by_label("Board", exact=True))
    keyboard.press("Control+a")
    keyboard.type("Qs Jh 2c 8d")
    reach(page, page.get_by_role("button", name="A of spades"))
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "End", "Enter"):
        keyboard.press(key)
    expect(page.get_by_label("Board", exact=True)).to_have_value("Qs Jh 2c 8d 2h")
    for player, hands in (("Out of position", "AA, 99"), ("In position", "KK, QQ, T9s")):
        reach(page, page.get_by_label(f"{player} as text"))
        keyboard.press("Control+a")
        keyboard.type(hands)
    oop = page.get_by_role("group", name="In position").first
    reach(page, oop.get_by_role("button", name=re.compile("^AA, ")))
    for key in ("ArrowRight", "5", "Enter"):
        keyboard.press(key)
    expect(page.get_by_label("In position as text")).to_have_value(re.compile("AKs:0.5"))
    reach(page, page.get_by_label("Target", exact=True))
    keyboard.press("Control+a")
    keyboard.type("0.01%pot")
    expect(page.locator(".strip .nodes")).to_contain_text(re.compile(r"\d"))
    reach(page, page.get_by_role("button", name="Solve", exact=True))
    keyboard.press("Enter")
    solved(page, served)
    reach(page, page.get_by_text("The curve as a table"))
    keyboard.press("Enter")
    expect(page.get_by_role("row")).not_to_have_count(0)


def test_a_long_solve_is_stopped_resumed_and_deleted(page: Page, served: Served) -> None:
    opened(page, served, "/solve")
    page.get_by_role("button", name="More games").click()
    page.get_by_label("Game", exact=True).select_option("leduc")
    page.get_by_label("Target", exact=True).fill("")
    page.get_by_label("Iteration limit").fill("1000000000")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator("svg[role=img]")).to_be_visible(timeout=30_000)
    shown = page.url
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=30_000)
    expect(page.locator(".facts")).to_contain_text("It was stopped")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".what .state")).to_have_text("running", timeout=30_000)
    # Another page shows the same job.
    page.goto(shown)
    page.get_by_role("button", name="Stop").click()
    # Who does not mean it keeps the solve, which could be resumed.
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Delete").click(timeout=30_000)
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Solve")
    assert served.get("/jobs")["jobs"] == []


def test_a_spot_is_opened_from_a_file_and_from_a_solution(page: Page, served: Served, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(RIVER)
    opened(page, served, "/solve")
    page.locator("#file").set_input_files(file)
    expect(page.get_by_label("Title")).to_have_value("A small river")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert parse_spot(download.value.path().read_text()).digest() == parse_spot(RIVER).digest()
    file.write_text(RIVER.replace("KTs", "KTx"))
    page.locator("#file").set_input_files(file)
    expect(page.locator("#text-said")).to_contain_text("line 7")
    solution = errai.solve(parse_spot(RIVER), "1%pot")
    solution.save(served.folder / "solutions" / "mine.errai")
    page.goto(f"{served.address}/solve?from=mine&lock=%5B%22check%22%5D%0Acheck%20%3D%201")
    expect(page.get_by_label("Title")).to_have_value("A small river, locked")
    expect(page.locator("#locks")).to_be_visible()
    expect(page.get_by_label("Target", exact=True)).to_have_value("1%pot")
    page.get_by_role("button", name="Solve", exact=True).click()
    solved_name = page.wait_for_url(re.compile("/solve/.+")) or page.url.rpartition("/")[2]
    expect(page.get_by_role("link", name="Study it")).to_be_visible(timeout=60_000)
    locked = errai.load_solution(served.folder / "solutions" / f"{solved_name}.errai")
    assert locked.at("check").strategy("KhKd")["check"] == 1.0


def test_the_form_speaks_of_the_street_that_is_solved(page: Page, served: Served) -> None:
    river(page, served)
    # No network can stand after the last street.
    expect(page.get_by_label("After the first street")).to_have_count(0)
    cards = page.get_by_label("Board", exact=True)
    cards.fill("Qs Jh 2c")
    # Streets that the river did not have get its bets, so that nobody solves a flop without betting by mistake.
    for street in ("flop", "turn"):
        expect(page.locator(f"#{street}-0-bet")).to_have_value("50%, 100%, a")
    expect(page.locator("#turn-0-donk")).to_be_visible()
    nets = page.get_by_label("After the first street")
    expect(nets.locator("option")).to_have_text(
        ["solve it exactly", "estimate with the network for the turn", "check it down", "count it as worth nothing"]
    )
    nets.select_option("turn")
    page.get_by_label("Rake, %").fill("5")
    expect(page.locator("#why")).to_have_text(re.compile("Networks know no rake"))
    page.get_by_label("Rake, %").fill("")
    expect(page.get_by_role("button", name="Solve", exact=True)).to_be_enabled()
    expect(page.locator(".strip")).not_to_contain_text("To 0.1 % of the pot")
    nets.select_option("")
    expect(page.locator(".strip")).to_contain_text("To 0.1 % of the pot")
    # Before the flop the small blind acts first.
    cards.fill("")
    expect(page.get_by_label("Small blind as text")).to_have_value("random")
    expect(page.get_by_label("Stack of BB")).to_be_visible()
    assert "estimate with the network for the flop" in nets.locator("option").all_text_contents()
    page.get_by_role("button", name="More games").click()
    for game, name in (("leduc", None), ("leduc.nolimit", "Leduc"), ("holdem.nolimit.2p", "the flop")):
        page.get_by_label("Game", exact=True).select_option(game)
        expect(nets).to_have_count(0 if name is None else 1)
        if name is not None:
            expect(nets.locator("option").nth(1)).to_have_text(f"estimate with the network for {name}")


def test_what_is_wrong_is_said_at_the_field_and_by_the_button(page: Page, served: Served) -> None:
    river(page, served)
    ip = page.get_by_role("group", name="In position").first
    ip.get_by_role("button", name="None").click()
    for place in ("#range-1-said", "#why"):
        expect(page.locator(place)).to_contain_text("The range of IP is empty")
    page.get_by_role("button", name="Show where").click()
    expect(page.get_by_label("In position as text")).to_be_focused()
    ip.get_by_role("textbox", name="as text").fill("AA, KTs:0.5")
    expect(page.locator("#range-1-said")).to_have_text("8 of 1,326 combos, 0.6 %")
    ip.get_by_role("textbox", name="as text").fill("AA:2")
    expect(page.locator("#range-1-said")).to_have_text(re.compile(r"^A weight of 2 .* \(character 4 of the range\)\.$"))
    ip.get_by_role("textbox", name="as text").fill("AA, KTs:0.5")
    # Errors speak of the fields of the form, not of the keys of a file.
    for field, typed, said in (
        ("pot", "", "Write a number here."),
        ("pot", "-5", "This is -5; use more than 0, and at most 1000000000."),
        ("rake-percent", "5%", "5% is not a number."),
        ("river-cap", "2.5", "2.5 is not a whole number."),
        ("seconds", "0", "This should be greater than 0."),
        ("max_iterations", "1.5", "This should be a whole number."),
    ):
        place = page.locator(f"#{field}")
        before = place.input_value()
        place.fill(typed)
        expect(page.locator(f"#{field}-said")).to_have_text(said)
        place.fill(before)
    typed = "element => { element.value = 'x'; element.dispatchEvent(new Event('input', { bubbles: true })); }"
    page.get_by_label("Merge sizes closer than").evaluate(typed)
    expect(page.locator("#merging-said")).to_have_text("x is not a number.")
    page.get_by_role("button", name="Show where").click()
    expect(page.get_by_label("Merge sizes closer than")).to_be_focused()


def test_a_solve_is_changed_with_all_that_it_was_asked_for(page: Page, served: Served) -> None:
    settings = {"target": "1%pot", "seconds": 20.0, "algorithm": "dcfr", "locks": '["check"]\n"*" = { check = 1 }\n'}
    job = served.post("/jobs", {"kind": "solve", "subject": {"spot": RIVER}, "settings": settings})["id"]
    early = served.get("/jobs")
    opened(page, served, "/solve")
    page.get_by_label("Iteration limit").fill("7")
    while served.get(f"/jobs/{job}")["state"] != "done":
        page.wait_for_timeout(50)
    # The page was told last how the job stood before it was done.
    page.route("**/api/v1/jobs", lambda route: route.fulfill(json=early))
    page.route(
        "**/api/v1/events", lambda route: route.fulfill(content_type="text/event-stream", body="retry: 60000\n\n")
    )
    page.goto(f"{served.address}/solve/{job}")
    page.get_by_role("button", name="Change it and solve again").click()
    expect(page.get_by_label("Title")).to_have_value("A small river")
    for name, value in (("Time limit, seconds", "20"), ("Iteration limit", ""), ("Target", "1%pot")):
        expect(page.get_by_label(name, exact=True)).to_have_value(value)
    expect(page.locator("#algorithm")).to_have_value("dcfr")
    expect(page.locator("#locks")).to_have_value(settings["locks"])
    # It starts from what is there, unless one chooses otherwise.
    expect(page.locator("#start_from")).to_have_value(job)
    expect(page.locator("#start_from option")).to_have_count(2)


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*.toml")), ids=lambda path: path.stem)
def test_the_examples_are_those_of_the_repository(path: Path) -> None:
    assert path.read_text() == (EXAMPLES / path.name).read_text()


def test_a_number_that_can_be_read_in_two_ways_is_read_in_none(page: Page, served: Served) -> None:
    river(page, served)
    button = page.get_by_role("button", name="Solve", exact=True)
    for field in ("pot", "stacks-1", "rake-percent", "merging", "seconds", "max_iterations"):
        place = page.locator(f"#{field}")
        place.evaluate("element => { for (const one of document.querySelectorAll('details')) one.open = true; }")
        before = place.input_value()
        place.fill("1,5")
        expect(page.locator(f"#{field}-said")).to_contain_text("can be read in two ways")
        expect(button).to_be_disabled()
        place.fill(before)
        expect(button).to_be_enabled()
    # The same text with whole groups is a number.
    page.locator("#pot").fill("1,500")
    page.locator("#max_iterations").fill("1,000")
    expect(button).to_be_enabled()
    button.click()
    page.wait_for_url(re.compile("/solve/.+"))
    folder = served.folder / "jobs" / page.url.rpartition("/")[2]
    assert parse_spot((folder / "spot.toml").read_text()).pot == 1500
    assert json.loads((folder / "request.json").read_text())["settings"]["max_iterations"] == 1000
    # The other rooms read with the same reader.
    page.goto(f"{served.address}/matches")
    page.locator("#match-hands").fill("1,5")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#match-hands-said")).to_contain_text("Hands: 1,5 can be read in two ways")
    page.locator("#match-hands").fill("1,500")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile("/matches/.+"))
    [match] = (job for job in served.get("/jobs")["jobs"] if job["kind"] == "match")
    request = json.loads((served.folder / "jobs" / match["id"] / "request.json").read_text())
    assert request["settings"]["hands"] == 1500
    page.goto(f"{served.address}/play")
    page.get_by_text("More settings").click()
    stacks = page.get_by_label("Stacks")
    stacks.fill("1,5")
    stacks.blur()
    expect(page.get_by_role("alert")).to_contain_text("Stacks: 1,5 can be read in two ways")


def test_locks_and_the_start_do_not_leak_into_another_spot(page: Page, served: Served, tmp_path: Path) -> None:
    locks = '["check"]\n"*" = { check = 1 }\n'
    job = served.post(
        "/jobs", {"kind": "solve", "subject": {"spot": RIVER}, "settings": {"target": "1%pot", "locks": locks}}
    )
    while served.get(f"/jobs/{job['id']}")["state"] != "done":
        page.wait_for_timeout(50)
    opened(page, served, f"/solve/{job['id']}")
    page.get_by_role("button", name="Change it and solve again").click()
    expect(page.locator("#start_from")).to_have_value(job["id"])
    button = page.get_by_role("button", name="Solve", exact=True)
    expect(button).to_be_enabled()
    # Other bets are the same spot; another card is another one, about which the page asks.
    page.locator("#river-0-bet").fill("75%")
    expect(button).to_be_enabled()
    cards = page.get_by_label("Board", exact=True)
    board = cards.input_value()
    cards.fill("Qs Jh 2c 8d 4s")
    expect(page.locator("#why")).to_contain_text(f"The locks and the start in use belong to another spot ({board})")
    expect(button).to_be_disabled()
    cards.fill(board)
    expect(button).to_be_enabled()
    cards.fill("Qs Jh 2c 8d 4s")
    page.get_by_role("button", name="Use it here as well").click()
    expect(button).to_be_enabled()
    expect(page.locator("#locks")).to_have_value(locks)
    page.get_by_role("button", name="More games").click()
    expect(page.locator("#why")).to_contain_text("belong to another spot")
    page.get_by_role("button", name="Remove what is of another spot").click()
    expect(page.locator("#locks")).to_have_value("")
    expect(page.locator("#start_from")).to_have_count(0)
    # A file that is opened is another spot, whatever its board.
    page.goto(f"{served.address}/solve/{job['id']}")
    page.get_by_role("button", name="Change it and solve again").click()
    expect(page.locator("#locks")).to_have_value(locks)
    file = tmp_path / "own.toml"
    file.write_text(RIVER)
    page.locator("#file").set_input_files(file)
    expect(page.locator("#locks")).to_have_value("")
    expect(page.locator("#start_from")).to_have_count(0)
    expect(page.locator("#said")).to_contain_text("of the spot before were removed")


def test_a_spot_is_put_together_from_the_library(page: Page, served: Served) -> None:
    opened(page, served, "/solve")
    title, board = page.get_by_label("Title"), page.get_by_label("Board", exact=True)
    # The players have the names of their positions, and the tree stands beside the form.
    expect(title).to_have_value("Button against big blind, single-raised pot, Ks 7h 2d")
    expect(page.get_by_label("Stack of BTN")).to_have_value("97.5")
    tree = page.get_by_role("region", name="The first decisions")
    expect(tree).to_contain_text("bet 4.13 (75 %)")
    page.get_by_label("Choose a spot").select_option("Big blind against button, three-bet pot")
    expect(page.get_by_label("Pot", exact=True)).to_have_value("22.5")
    # A title that came with the spot speaks of the board that is there.
    board.fill("Qs 9h 4d")
    expect(title).to_have_value("Big blind against button, three-bet pot, Qs 9h 4d")
    # A range of the library brings the name of its position.
    page.get_by_label("Choose a range").last.select_option("CO, CO vs BB, single-raised pot")
    caller = page.get_by_role("group", name="CO (in position)").first
    expect(page.get_by_label("In position", exact=True)).to_have_value("CO")
    expect(page.locator("#range-1-said")).to_contain_text("combos, 2")
    # The best hands are as many as a slider says.
    caller.get_by_label("Best hands").fill("20")
    expect(caller.get_by_role("textbox", name="as text")).to_have_value("20%")
    expect(page.locator("#range-1-said")).to_contain_text(", 20.")
    expect(caller.get_by_role("button", name="AA, 100 %")).to_be_visible()
    # A menu fills the table, and says what it costs.
    menus = page.get_by_label("Sizes for all streets")
    assert "costs about 1.2 % of the pot" in menus.locator("option").nth(2).text_content()
    menus.select_option(index=3)
    for field in ("Flop, BB: bet", "Turn, CO: bet", "River, CO: bet"):
        expect(page.get_by_label(field)).to_have_value("33%, 75%")
    expect(page.get_by_label("River, CO: raise")).to_have_value("a")
    page.get_by_label("Flop, BB: bet").fill("40")
    page.get_by_label("Flop, BB: bet").blur()
    expect(page.get_by_label("Flop, BB: bet")).to_have_value("40%")
    expect(tree).to_contain_text("bet 9 (40 %)")
    page.get_by_role("button", name="Copy the flop to the later streets").click()
    expect(page.get_by_label("River, BB: bet")).to_have_value("40%")


def test_what_was_typed_painted_and_opened_is_taken_back(page: Page, served: Served, tmp_path: Path) -> None:
    river(page, served)
    text = page.get_by_label("Out of position as text")
    oop = page.get_by_role("group", name="Out of position").first
    pot, undo, redo = (
        page.locator("#pot"),
        page.get_by_role("button", name="Undo"),
        page.get_by_role("button", name="Redo"),
    )
    text.fill("AA, 99")
    pot.fill("250")
    oop.get_by_role("button", name="None").click()
    expect(text).to_have_value("")
    undo.click()
    expect(text).to_have_value("AA, 99")
    expect(oop.get_by_role("button", name="99, 100 %")).to_be_visible()
    # Outside of fields there is a key for it.
    page.keyboard.press("Control+z")
    expect(pot).to_have_value("100")
    page.keyboard.press("Control+Shift+Z")
    expect(pot).to_have_value("250")
    redo.click()
    expect(text).to_have_value("")
    undo.click()
    # A file that is no spot does not take what was painted.
    file = tmp_path / "notes.toml"
    file.write_text("nothing of a spot")
    page.locator("#file").set_input_files(file)
    expect(page.locator("#text")).to_have_value("nothing of a spot")
    expect(page.locator("#said")).to_contain_text("Undo leads back to the spot before")
    undo.click()
    expect(text).to_have_value("AA, 99")
    # One button begins anew, and that is taken back as well.
    page.get_by_label("Time limit, seconds").fill("20")
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_label("Board", exact=True)).to_have_value("Ks 7h 2d")
    expect(page.get_by_label("Time limit, seconds")).to_have_value("")
    undo.click()
    expect(text).to_have_value("AA, 99")
    expect(page.get_by_label("Time limit, seconds")).to_have_value("20")
    # Letters do nothing to a form; a chord solves it, in fields too.
    page.locator("h1").click()
    page.keyboard.press("s")
    page.wait_for_timeout(300)
    assert served.get("/jobs")["jobs"] == []
    expect(page.get_by_role("button", name="Solve", exact=True)).to_be_enabled()
    page.get_by_label("Title").press("Control+Enter")
    page.wait_for_url(re.compile("/solve/.+"))


def test_a_fault_is_at_the_field_that_has_it(page: Page, served: Served) -> None:
    river(page, served)
    for field, typed, place, said in (
        ("stacks-1", "0", "stacks-1", "Stack of IP: "),
        ("stacks-1", "x", "stacks-1", "Stack of IP: x is not a number"),
        ("rake-cap", "3", "rake-percent", "Rake, %: A cap alone takes no rake"),
        ("positions-0", "BB", "positions-1", "In position: Name both players"),
        ("pot", "", "pot", "Pot: Write a number here."),
        ("river-1-raise", "3", "river-1-raise", "River, IP: raise: "),
    ):
        before = page.locator(f"#{field}").input_value()
        page.locator(f"#{field}").fill(typed)
        expect(page.locator("#why")).to_contain_text(said)
        expect(page.locator(f"#{place}")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("[aria-invalid=true]")).to_have_count(1)
        page.locator(f"#{field}").fill(before)
        expect(page.get_by_role("button", name="Solve", exact=True)).to_be_enabled()


def test_a_fast_drag_paints_all_that_it_crosses(page: Page, served: Served) -> None:
    river(page, served)
    oop = page.get_by_role("group", name="Out of position").first
    oop.get_by_role("button", name="None").click()
    oop.evaluate("element => element.scrollIntoView({ block: 'start' })")
    first, last = (oop.get_by_role("button", name=re.compile(f"^{hand}, ")).bounding_box() for hand in ("AA", "A2s"))
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 8, first["y"] + 8)
    page.mouse.down()
    # The browser says only where the pointer begins and ends.
    page.mouse.move(last["x"] + 8, last["y"] + 8)
    page.mouse.up()
    expect(page.get_by_label("Out of position as text")).to_have_value("AA,A2s+")


def test_a_finger_paints_and_scrolls(browser: Browser, served: Served) -> None:
    context = browser.new_context(viewport={"width": 375, "height": 740}, has_touch=True)
    page = context.new_page()
    river(page, served)
    text = page.get_by_label("Out of position as text")
    oop = page.get_by_role("group", name="Out of position").first
    oop.get_by_role("button", name="None").tap()
    for hand in ("KK", "AKs", "KK"):
        oop.get_by_role("button", name=re.compile(f"^{hand}, ")).tap()
    expect(text).to_have_value("AKs")
    # What the browser takes to scroll the page paints nothing.
    cell = oop.get_by_role("button", name=re.compile("^TT, "))
    box = cell.bounding_box()
    assert box is not None
    touch = context.new_cdp_session(page)
    points = [{"x": box["x"] + 9, "y": box["y"] + 9 - 12 * step} for step in range(12)]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [points[0]]})
    for point in points[1:]:
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("before => window.scrollY > before", arg=page.evaluate("window.scrollY") - 1)
    expect(text).to_have_value("AKs")
    context.close()


def test_a_solve_is_watched_and_goes_on_to_a_tighter_target(page: Page, served: Served) -> None:
    opened(page, served, "/solve")
    # While the server has not said what is in a file, the spot before must not be solved in its place.
    expect(page.get_by_role("button", name="Solve", exact=True)).to_be_enabled()
    late: list[Route] = []
    page.route("**/spots/read", lambda route: late.append(route))
    page.get_by_label("Choose a spot").select_option("Turn, queen-high")
    expect(page.get_by_role("button", name="Solve", exact=True)).to_be_disabled()
    expect(page.get_by_text("The spot is being read.")).to_be_visible()
    page.get_by_role("button", name="1 %: a first look").click()
    late[0].continue_()
    expect(page.get_by_label("Target", exact=True)).to_have_value("1%pot")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.get_by_role("link", name="Study it")).to_be_visible(timeout=60_000)
    job = page.url.rpartition("/")[2]
    # What is shown of the first decision is what the solution has.
    solution = errai.load_solution(served.folder / "solutions" / f"{job}.errai")
    first = page.get_by_role("region", name="Out of position acts first, in the solution")
    for action, frequency in zip(solution.at("").actions, solution.at("").frequencies, strict=True):
        expect(first).to_contain_text(f"{action} {percent_text(frequency)[:-1]} %")
    reached = solution.exploitability.pot_percent
    target = next(step for step in (0.5, 0.25, 0.1) if step < 0.75 * reached)
    page.get_by_role("button", name=f"Go on to {target:g} %").click()
    page.wait_for_url(lambda url: not url.endswith(job))
    expect(page.get_by_role("link", name="Study it")).to_be_visible(timeout=60_000)
    again = page.url.rpartition("/")[2]
    settings = json.loads((served.folder / "jobs" / again / "request.json").read_text())["settings"]
    assert (settings["target"], settings["start_from"]) == (f"{target:g}%pot", job)
    assert served.get(f"/jobs/{again}")["result"]["exploitability"]["pot_percent"] <= target


def test_a_solve_that_runs_shows_its_strategy_and_the_time_left(page: Page, served: Served) -> None:
    spot = (EXAMPLES / "raised-pot.toml").read_text()
    settings = {"target": "0.0001%pot", "threads": 1}
    job = served.post("/jobs", {"kind": "solve", "subject": {"spot": spot}, "settings": settings})["id"]
    opened(page, served, f"/solve/{job}")
    first = page.get_by_role("region", name=re.compile("acts first, after [0-9,]+ iterations"))
    expect(first).to_be_visible(timeout=60_000)
    before = served.get(f"/jobs/{job}/first")["iteration"]
    expect(page.locator(".said")).to_contain_text(re.compile(r"left to 0\.0001 %"), timeout=60_000)
    while served.get(f"/jobs/{job}/first")["iteration"] == before:
        page.wait_for_timeout(200)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("region", name="acts first, in the solution")).to_be_visible(timeout=60_000)
