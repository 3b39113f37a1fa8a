"""The room Play in a browser: by keys alone, at several tables, in two tabs, on a phone and to a screen reader."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import APIResponse, Browser, Page, Route, expect
from web_server import Served, barriers, opened, wait

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

PHONE = {"width": 375, "height": 740}


def new_table(page: Page, served: Served, **wanted: object) -> str:
    """Make a table over the API, open it, and return its name."""
    view = served.post("/tables", wanted)
    opened(page, served, f"/play/{view['id']}")
    expect(page.locator("section.table.turn")).to_be_visible()
    return view["id"]


def tab_to(page: Page, label: str) -> None:
    """Press Tab until the field or button with this name has the focus."""
    wanted = page.locator("main").get_by_label(label, exact=True).or_(
        page.locator("main").get_by_role("button", name=label, exact=True)
    )  # fmt: skip
    expect(wanted).to_be_visible()
    for _ in range(30):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {label}")


def number(text: str | None) -> float:
    """A number as the page writes it."""
    return float((text or "").replace(",", "").replace("−", "-").replace("+", ""))


def test_hands_by_keyboard_alone(page: Page, served: Served) -> None:
    opened(page, served, "/play")
    tab_to(page, "Game")
    page.keyboard.type("Leduc hold'em")
    tab_to(page, "Opponent")
    page.keyboard.type("Always calls")
    tab_to(page, "Your seat")
    page.keyboard.type("always acts first")
    tab_to(page, "Play")
    page.keyboard.press("Enter")
    heard = page.locator("[data-heard]")
    expect(heard).to_contain_text(re.compile(r"Hand 1\. You hold (jack|queen|king|ace) of .*Your turn: check, bet 2"))
    assert page.url.startswith(f"{served.address}/play/leduc-")
    name = page.url.rsplit("/", 1)[1]
    page.keyboard.press("k")
    expect(heard).to_contain_text("Always calls checks. On the table: ")
    page.keyboard.press("h")
    hint = page.get_by_role("table", name="Always calls with your hand")
    expect(hint.get_by_role("row", name="check 100 %")).to_be_visible()
    page.keyboard.press("r")
    expect(heard).to_contain_text(re.compile(r"Always calls calls 4\..*(wins? \d|split pot)", re.IGNORECASE))
    for hand in (1, 2):
        view = served.get(f"/tables/{name}")
        assert (view["state"], view["hands"]) == ("over", hand)
        expect(page.locator("p.state")).to_have_text(view["shown"]["result"]["words"])
        expect(page.locator(".won")).to_be_visible()
        expect(page.locator(".without")).to_be_visible()
        score = served.get(f"/tables/{name}/score")
        assert number(page.locator(".won").text_content()) == score["chips"]["total_chips"] == view["won_chips"]
        shown = number(page.locator(".without").text_content())
        assert abs(shown - score["without_luck"]["total_chips"]) <= 0.05
        if hand == 1:
            page.keyboard.press("Enter")
            expect(heard).to_contain_text("Hand 2.")
            page.keyboard.press("k")
            expect(heard).to_contain_text("On the table")
            page.keyboard.press("/")
            page.keyboard.press("k")
            expect(page.locator("p.state")).not_to_have_text("Your turn.")
    page.keyboard.press("v")
    page.keyboard.press("v")
    expect(page.get_by_role("heading", name="Hand 1", exact=True)).to_be_visible()
    first = served.get(f"/tables/{name}/hands/1")
    expect(page.locator("aside")).to_contain_text(first["result"]["words"])


def test_other_stacks_keep_the_opponent_that_was_chosen(page: Page, served: Served) -> None:
    opened(page, served, "/play")
    game, opponent = page.get_by_label("Game", exact=True), page.get_by_label("Opponent", exact=True)
    game.select_option("game:holdem.nolimit.2p")
    expect(opponent).to_have_value("blueprint-nl")
    page.get_by_text("More settings").click()
    stacks = page.get_by_label("Stacks")
    for typed, words in (
        ("5000", "Blueprint does not play with these stacks."),
        ("50", "These stacks are not possible in this game: The blind of player 1 is 100; use 0 to the stack of 50."),
        ("2000000", "Stacks: write a whole number from 1 to 1,000,000."),
    ):
        stacks.fill(typed)
        stacks.blur()
        expect(page.locator("form.new")).to_contain_text(re.compile(re.escape(words) + r"(?!\.)"))
    stacks.fill("")
    stacks.blur()
    expect(opponent).to_have_value("blueprint-nl")
    expect(page.locator("form.new .problem")).to_have_count(0)


def test_any_size_can_be_typed(page: Page, served: Served) -> None:
    name = new_table(page, served, game="holdem.nolimit.2p", opponent="always-call", seating="first", seed=1)
    page.keyboard.press("r")
    expect(page.get_by_label("Other size")).to_be_focused()
    page.keyboard.type("150")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("150 is less than the smallest, 200.")
    page.get_by_label("Other size").fill("r 50%")
    page.keyboard.press("Enter")
    expect(page.locator("dl.streets")).to_contain_text("you raise to 200; Always calls calls 100")
    expect(page.locator("section.table.turn")).to_be_visible()
    page.locator("section.table").focus()
    page.keyboard.press("3")
    expect(page.locator("dl.streets")).to_contain_text("you bet 400; Always calls calls 400")
    page.get_by_label("Other size").fill(" 1,234 ")
    page.keyboard.press("Enter")
    expect(page.locator("dl.streets")).to_contain_text("you bet 1,234; Always calls calls 1,234")
    expect(page.locator("section.table.turn")).to_be_visible()
    page.locator("section.table").focus()
    page.keyboard.press("a")
    expect(page.locator("p.state.result")).to_be_visible()
    assert abs(served.get(f"/tables/{name}")["won_chips"]) in (0, 20_000)


def test_two_tabs_never_act_twice(page: Page, browser: Browser, served: Served) -> None:
    name = new_table(page, served, game="leduc", opponent="always-call", seating="first", seed=2)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("section.table.turn")).to_be_visible()
    held: list[Route] = []
    for one in (page, other):
        # Both act before either has heard of the other, and each twice: no action goes out before both have acted.
        one.route("**/actions", lambda route: held.append(route))
        one.evaluate(
            """() => {
              for (const _ of [1, 2]) document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", bubbles: true }));
            }"""
        )
    while len({route.request.frame.page for route in held}) < 2:
        page.wait_for_timeout(20)
    for route in held:
        route.continue_()
    for one in (page, other):
        one.unroute("**/actions")
    for one in (page, other):
        expect(one.locator("dl.streets dd").nth(1)).to_have_text("nothing yet")
    assert served.get(f"/tables/{name}")["shown"]["ply"] == 2
    page.keyboard.press("r")
    expect(other.locator("p.state.result")).to_be_visible()
    other.locator("section.table").focus()
    other.keyboard.press("Enter")
    expect(page.locator("section.table header")).to_contain_text("hand 2")
    other.close()


def test_a_tab_that_heard_nothing_says_why_it_cannot_act(page: Page, served: Served) -> None:
    new_table(page, served, game="leduc", opponent="always-call", seating="first", seed=2)
    other = page.context.new_page()
    other.route("**/events", lambda route: route.abort())
    other.goto(page.url)
    expect(other.locator("section.table.turn")).to_be_visible()
    page.keyboard.press("k")
    expect(page.locator("dl.streets")).to_contain_text("you check; Always calls checks")
    other.keyboard.press("r")
    expect(other.locator("section.table .problem")).to_contain_text("The hand has gone on since this page showed it")
    expect(other.locator("dl.streets")).to_contain_text("you check; Always calls checks")
    other.close()


def test_a_hint_that_comes_after_the_action_is_not_shown(page: Page, served: Served) -> None:
    new_table(page, served, game="leduc", opponent="always-call", seating="first", seed=2)
    late: list[Route] = []
    page.route("**/hint", lambda route: late.append(route))
    with page.expect_request("**/hint"):
        page.keyboard.press("h")
    page.keyboard.press("k")
    expect(page.locator("dl.streets")).to_contain_text("you check; Always calls checks")
    with page.expect_response("**/hint"):
        late[0].fulfill(status=409, json={"error": {"type": "StaleError", "message": "too late"}})
    expect(page.locator("section.table.turn")).to_be_visible()
    expect(page.locator("aside")).not_to_contain_text("too late")
    expect(page.locator("aside")).not_to_contain_text("The advisor is thinking")


def test_the_user_can_act_before_the_action_before_is_answered(page: Page, served: Served) -> None:
    name = new_table(page, served, game="leduc", opponent="always-call", seating="first", seed=2)
    late: list[tuple[Route, APIResponse]] = []
    page.route("**/actions", lambda route: late.append((route, route.fetch())))
    page.keyboard.press("k")
    expect(page.locator("dl.streets")).to_contain_text("you check; Always calls checks")
    expect(page.locator("section.table.turn")).to_be_visible()
    page.keyboard.press("k")
    expect(page.locator("p.state.result")).to_be_visible()
    for route, answer in late:
        route.fulfill(response=answer)
    assert served.get(f"/tables/{name}")["state"] == "over"
    expect(page.locator("section.table .problem")).to_have_count(0)
    page.unroute("**/actions")
    page.keyboard.press("Enter")
    expect(page.locator("section.table header")).to_contain_text("hand 2")


def test_four_tables_and_the_next_that_waits(page: Page, served: Served) -> None:
    opened(page, served, "/play")
    page.get_by_label("Game", exact=True).select_option("game:leduc")
    page.get_by_label("Opponent", exact=True).select_option("always-call")
    page.get_by_label("Your seat", exact=True).select_option("first")
    page.get_by_text("More settings").click()
    page.get_by_label("Tables", exact=True).select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("section.table.turn")).to_have_count(4)
    names = [one.get_attribute("data-table") for one in page.locator("section.table").all()]
    for _ in range(4):
        page.keyboard.press("k")
        expect(page.locator("section.current dl, section.current .face.blank")).to_have_count(0)
        page.keyboard.press("]")
    assert [served.get(f"/tables/{one}")["shown"]["ply"] for one in names] == [2, 2, 2, 2]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.set_viewport_size(PHONE)
    expect(page.locator("section.table:visible")).to_have_count(1)
    page.get_by_role("navigation", name="Tables").get_by_role("button", name="Table 3").click()
    expect(page.locator(f"section.table:visible[data-table='{names[2]}']")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_tables_keep_their_places_when_the_page_is_loaded_again(page: Page, served: Served) -> None:
    names = [served.post("/tables", {"game": "leduc", "opponent": "always-call"})["id"] for _ in range(3)]
    opened(page, served, f"/play/{names[0]}?tables={','.join(names)}")
    expect(page.locator("section.table.current")).to_have_attribute("data-table", names[0])
    page.keyboard.press("]")
    page.keyboard.press("]")
    expect(page.locator("section.table.current")).to_have_attribute("data-table", names[2])
    page.reload()
    expect(page.locator("section.table.current")).to_have_attribute("data-table", names[2])
    assert [one.get_attribute("data-table") for one in page.locator("section.table").all()] == names


def test_the_page_says_that_the_server_has_gone_and_that_it_is_back(page: Page, serve: Callable[..., Served]) -> None:
    token = "a-token-that-the-test-knows"
    served = serve(token=token)
    port = int(served.address.rsplit(":", 1)[1])
    name = new_table(page, served, game="leduc", opponent="always-call", seating="first", seed=2)
    served.kill()
    server = page.locator("#server")
    expect(server).to_have_text("The server does not answer. Start errai serve again.")
    page.keyboard.press("k")
    expect(page.locator("section.table .problem")).to_be_visible()
    served = serve(port=port, token="another-token-than-before")
    expect(server).to_contain_text("Open the address that `errai serve` printed")
    served.kill()
    served = serve(port=port, token=token)
    expect(server).to_be_hidden()
    expect(page.locator("#said")).to_have_text("The server answers again.")
    expect(page.locator("section.table .problem")).to_have_count(0)
    page.keyboard.press("k")
    expect(page.locator("dl.streets")).to_contain_text("you check; Always calls checks")
    assert served.get(f"/tables/{name}")["shown"]["ply"] == 2


def test_no_finding_of_axe_and_no_scrolling_on_a_phone(page: Page, served: Served) -> None:
    name = new_table(page, served, game="holdem.nolimit.2p", opponent="blueprint-nl", seating="first", seed=6)
    page.keyboard.press("h")
    expect(page.locator("table.hint")).to_be_visible()
    for path in (f"/play/{name}", "/play"):
        if path == "/play":
            page.get_by_role("link", name="New table and sessions").click()
            expect(page.get_by_role("row", name=re.compile("Blueprint"))).to_be_visible()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for size in (PHONE, {"width": 1280, "height": 800}):
                page.set_viewport_size(size)
                assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            assert not barriers(page, scheme)


def test_buttons_can_be_read_under_the_pointer(page: Page, served: Served) -> None:
    opened(page, served, "/play")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for button in ("Play", "Keys ?"):
            page.get_by_role("button", name=button, exact=True).hover()
            assert not barriers(page, scheme)


def test_a_session_goes_on_another_day(page: Page, served: Served) -> None:
    name = new_table(page, served, game="kuhn", opponent="always-call", seating="first", seed=1)
    page.keyboard.press("k")
    expect(page.locator("p.state.result")).to_be_visible()
    page.get_by_role("button", name="Leave table 1").click()
    page.get_by_role("row", name=re.compile("Kuhn")).get_by_role("link").click()
    expect(page.locator("p.state.result")).to_be_visible()
    page.get_by_role("button", name="Earlier hand").click()
    expect(page.get_by_role("heading", name="Hand 1", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("section.table header")).to_contain_text("hand 2")
    with page.expect_download() as download:
        page.get_by_role("link", name="Hands as PHH").click()
    assert download.value.suggested_filename == f"{name}.phhs"
    expect(page.locator("aside")).to_contain_text("It needs a solution of this game, or of a spot")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="New table")).to_be_visible()
    until = time.monotonic() + 5
    while served.get("/tables")["tables"] and time.monotonic() < until:
        time.sleep(0.02)
    assert served.get("/tables")["tables"] == []


def test_sessions_are_listed_and_deleted_on_a_phone_too(page: Page, served: Served) -> None:
    for opponent in ("uniform", "always-call"):
        served.post("/tables", {"game": "holdem.nolimit.2p", "opponent": opponent})
    page.set_viewport_size(PHONE)
    opened(page, served, "/play")
    rows = page.locator(".sessions tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("in hand 1")
    assert page.evaluate("(table => table.scrollWidth <= table.clientWidth)(document.querySelector('.wide'))")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name=re.compile("Delete the session against Random actions")).click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Always calls")


def test_the_review_opens_by_itself_and_the_next_hand_is_dealt(page: Page, served: Served) -> None:
    spot = (EXAMPLES / "river.toml").read_text()
    body = {"kind": "solve", "subject": {"spot": spot}, "settings": {"target": "5%pot"}}
    solution = wait(served, served.post("/jobs", body)["id"])["solution"]
    own = {"solution": solution, "opponent": f"solution:{solution}", "seating": "first", "seed": 1}
    name = new_table(page, served, **own)
    expect(page.get_by_role("heading", name="River, any two cards", exact=True)).to_be_visible()
    # Its own sizes: half of the pot, the pot and all-in.
    buttons = page.locator(".choices").get_by_role("button")
    expect(buttons).to_have_text(
        [
            re.compile("check"),
            re.compile("bet 50.*50 % of pot"),
            re.compile("bet 100.*100 % of pot"),
            re.compile("all-in 300"),
        ]
    )
    page.keyboard.press("k")
    # While the opponent thinks it is nobody's turn, and the hand goes on.
    deadline = time.monotonic() + 60.0
    while (state := served.get(f"/tables/{name}")["state"]) != "over" and time.monotonic() < deadline:
        if state == "turn":
            page.keyboard.press("k")
        page.wait_for_timeout(100)
    review = page.get_by_role("region", name="Review of hand 1")
    expect(review.get_by_role("table", name=re.compile("Your decisions")).get_by_role("row")).not_to_have_count(0)
    expect(review).to_contain_text(re.compile("chips lost|Nothing lost"))
    page.get_by_role("checkbox", name="Deal by itself").check()
    expect(page.locator("section.table header")).to_contain_text("hand 2")
    page.reload()
    expect(page.locator("section.table.turn")).to_be_visible()
    assert page.evaluate("localStorage.getItem('errai-auto-deal')") == "yes"


def test_holdem_comes_first_and_other_games_last(page: Page, served: Served) -> None:
    opened(page, served, "/play")
    game = page.get_by_label("Game", exact=True)
    expect(game.locator("option").first).to_have_text(re.compile("no-limit Texas hold'em"))
    expect(game.locator("optgroup").last).to_have_attribute("label", "More games, small or for research")
    expect(game.locator("optgroup").last).to_contain_text("Kuhn poker")
