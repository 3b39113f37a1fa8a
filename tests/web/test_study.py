"""The room Study: what it shows is what the public API says, by mouse, by keys, on a phone and to a screen reader."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from small_subjects import SHORT_TURN, WEIGHTED_RIVER
from web_server import Served, barriers, opened, serving

import errai
from errai.games.lock_file import parse_locks
from errai.games.spot import parse_spot
from errai.pictures.palette import CALL, IN_RANGE
from errai.pictures.summary import HandClass, summarise
from errai.solutions.categories import chosen_hands, narrowed, read_range
from errai.solutions.export import node_csv
from errai.solutions.node import SolutionNode
from errai.solutions.notes import load_notes
from errai.solutions.removal import removed_shares, responses
from errai.solutions.solution import Solution

BET = "check bet 50"
"""A line of the river spot."""
RIVER_CARD = "check check / Ah /"
"""A line of the turn spot, up to the river."""
TABS = ("Combos", "Categories", "Ranges", "Blockers", "Run-outs", "Compare", "Lock", "Notes")


class Study(NamedTuple):
    """A server whose folder has solutions, and the same solutions."""

    served: Served
    solved: dict[str, Solution]

    def show(self, page: Page, name: str, query: str = "") -> Page:
        """Open a solution, and wait until its hands are there."""
        opened(page, self.served, f"/study/{name}{query}")
        expect(page.locator(".range .cell").first).to_be_visible()
        return page


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """Four small solutions and a server; tests leave the folder as it is."""
    folder = tmp_path_factory.mktemp("study")
    solved = {
        "river": errai.solve(parse_spot(WEIGHTED_RIVER), "0.2%pot"),
        "river-half": errai.solve(parse_spot(WEIGHTED_RIVER.replace("50%, a", "50%")), "0.2%pot"),
        "turn": errai.solve(parse_spot(SHORT_TURN), "1%pot"),
        "leduc": errai.solve(errai.load_game("leduc"), "20mbb"),
    }
    (folder / "solutions").mkdir()
    for name, solution in solved.items():
        solution.save(folder / "solutions" / f"{name}.errai")
    with serving(folder) as served:
        yield Study(served, solved)


# --- numbers in texts ------------------------------------------------------------------------------------------------


def agrees(text: str, value: float | None, scale: float = 1.0) -> bool:
    """Whether a text is ``scale`` times a number, rounded to its decimals; a dash is a number that is not known."""
    text = text.strip().replace(",", "").removesuffix(" %")
    if value is None or math.isnan(value):
        return text == "–"
    exact = value * scale
    if text[0] in "<>":
        return exact < float(text[1:]) if text[0] == "<" else exact > float(text[1:])
    places = len(text.partition(".")[2])
    # The API rounds to six digits before the page rounds.
    return abs(float(text) - exact) <= 0.5 * 10**-places * (1 + 1e-6) + 1e-5 * abs(exact)


def texts(row: Locator) -> list[str]:
    """What stands in a row of a table."""
    return [text.strip() for text in row.locator("th, td").all_inner_texts()]


def by_hand(rows: Locator) -> dict[str, list[str]]:
    """The rows of a table by the hand, class or card that they begin with."""
    script = """rows => rows.map(row => [
        row.querySelector("[data-hand]").dataset.hand,
        [...row.querySelectorAll("th, td")].map(cell => cell.innerText.trim()),
    ])"""
    return dict(rows.evaluate_all(script))


def both_sides(text: str) -> list[str]:
    """The two numbers of a cell that compares two solutions."""
    return re.split(r"→\s*in the other", text)


class Numbers(NamedTuple):
    """What a row of a table of hands should have."""

    shares: Any
    action_ev: Any
    equity: float | None
    ev: float | None
    eqr: float | None
    weight: float

    @classmethod
    def of_class(cls, item: HandClass) -> Numbers:
        """The numbers of a class."""
        worth = (item.equity, item.ev_chips, item.equity_realised)
        return cls(item.shares, item.action_ev_chips, *worth, item.weight)

    @classmethod
    def of_range(cls, node: SolutionNode, player: int) -> Numbers:
        """The numbers of all hands of a player."""
        worth = (node.range_equity[player], node.range_ev[player], node.range_equity_realised[player])
        return cls(node.frequencies, node.range_action_ev, *worth, node.ranges[player].sum())

    @classmethod
    def of_hand(cls, node: SolutionNode, player: int, hand: str) -> Numbers:
        """The numbers of a hand."""
        i = node.hand_index(hand)
        worth = (node.equity[player, i], node.ev[player, i], node.equity_realised[player, i])
        return cls(node.strategies[i], node.action_ev[i], *worth, node.ranges[player, i])

    def check(self, row: list[str], *, acts: bool) -> None:
        """Compare with the texts of a row: name, mix and actions if the player acts, EQ, EV, EQR, weight.

        The cell of an action has its frequency and its EV; the largest bet comes first.
        """
        rest = row[1:]
        if acts:
            actions, rest = row[-5:1:-1], row[-4:]
            assert len(actions) == len(self.shares)
            for text, share, ev in zip(actions, self.shares, self.action_ev, strict=True):
                frequency, worth = text.split()
                assert agrees(frequency, share, 100), (row, self)
                assert agrees(worth, ev), (row, self)
        equity, ev, eqr, weight = rest
        assert agrees(equity, self.equity, 100), (row, self)
        assert agrees(ev, self.ev), (row, self)
        assert agrees(eqr, self.eqr, 100), (row, self)
        assert float(weight.replace(",", "")) == pytest.approx(
            self.weight, rel=0.5 if self.weight < 0.005 else 1, abs=0.005
        )


def heard(page: Page, place: str = ".range") -> dict[str, str]:
    """What a screen reader says of every cell of a grid, by its label."""
    labels = page.locator(f"{place} .cell").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    return dict(label.split(": ", 1) for label in labels)


def called(node: SolutionNode) -> list[str]:
    """What the page calls the actions of a node: a bet or raise of all chips is all-in."""
    return [
        re.sub("^(bet|raise)", "all-in", action) if all_in else action
        for action, all_in in zip(node.actions, node.all_in, strict=True)
    ]


def check_words(words: str, item: HandClass, actions: list[str]) -> None:
    """Compare what is said of a class with its frequencies and its EV."""
    parts = words.split(", ")
    named = {}
    for part in parts:
        if found := re.fullmatch(r"(.+) ([<>]?[\d.]+) %", part):
            named[found[1]] = found[2]
        elif found := re.fullmatch(r"EV (\S+)", part):
            assert agrees(found[1], item.ev_chips), (words, item)
        else:
            assert not actions, words
            assert re.fullmatch(r"weight \S+", part), words
    assert (item.ev_chips is None) == ("EV" not in words)
    for action, share in zip(actions, item.shares if actions else (), strict=True):
        if share >= 0.0005:
            text = named.pop(action)
            assert agrees(text if not text.isdigit() else f"{text}.0", share, 100), (words, item)
    assert not named, (words, item)


def classes(node: SolutionNode, player: int) -> dict[str, HandClass]:
    """The classes of hands of a player."""
    return {item.label: item for item in summarise(node, player).classes}


# --- what is shown is what the public API says -----------------------------------------------------------------------


@pytest.mark.parametrize(("name", "line"), [("river", BET), ("turn", f"{RIVER_CARD} bet 100")])
def test_the_node_and_its_grid(study: Study, page: Page, name: str, line: str) -> None:
    node = study.solved[name].at(line)
    player = node.player
    assert player is not None
    study.show(page, name, f"?line={line}")
    # The largest bet stands first.
    buttons = page.locator(".actions button").all()[::-1]
    assert [button.locator("b").inner_text().lower() for button in buttons] == called(node)
    for i, button in enumerate(buttons):
        frequency, ev, combos = (button.locator(part).inner_text() for part in (".often", ".ev", ".numbers .soft"))
        assert agrees(frequency, node.frequencies[i], 100)
        assert agrees(ev.removeprefix("EV "), node.range_action_ev[i]) if ev else math.isnan(node.range_action_ev[i])
        share = node.shares[i]
        size = button.locator(".name").inner_text().lower().removeprefix(called(node)[i]).strip()
        assert not size if share is None else size.split() == [f"{share.percent:.0f}", "%", "of", "the", "pot"]
        taken = float(node.ranges[player] @ np.nan_to_num(node.strategies[:, i]))
        assert agrees(combos.removesuffix(" combos"), taken)
    facts = page.locator(".facts").inner_text()
    assert re.search(rf"Pot\s+{node.pot_chips:g}\s+To call\s+{node.to_call_chips:g}\s+Stacks", facts)
    certified = re.search(r"Exploitability ([\d.]+) % of the pot, certified", facts)
    assert certified
    assert float(certified[1]) == pytest.approx(study.solved[name].exploitability.pot_percent, rel=0.05)
    for who in (player, 1 - player):
        expect(page.locator(".range")).to_have_attribute("aria-label", f"Hands of {node.player_names[who]}")
        expected = classes(node, who)
        said = heard(page)
        assert list(said) == list(expected)
        for label, item in expected.items():
            if not item.weight:
                assert said[label] == ("not in the range" if item.combos else "on the board")
            else:
                check_words(said[label], item, called(node) if who == player else [])
        page.keyboard.press("o")


def test_the_ways_of_showing_a_class(study: Study, page: Page) -> None:
    node = study.solved["river"].at(BET)
    study.show(page, "river", f"?line={BET}")
    expected = [item for item in summarise(node).classes if item.weight > 0]
    modes: dict[str, Callable[[HandClass], tuple[float | None, float]]] = {
        "e": lambda item: (item.ev_chips, 1),
        "q": lambda item: (item.equity, 100),
        "r": lambda item: (item.equity_realised, 100),
        "w": lambda item: (item.weight, 1),
    }
    for key, of in modes.items():
        page.keyboard.press(key)
        expect(page.locator(".modes [aria-pressed=true]").first).to_have_attribute("title", f"Key {key}")
        shown = page.locator(".range .cell:not(.out) .fill").all_inner_texts()
        assert len(shown) == len(expected)
        for text, item in zip(shown, expected, strict=True):
            value, scale = of(item)
            assert agrees(text, value, scale) if text else value is None, (key, item)


@pytest.mark.parametrize(
    ("name", "line", "chosen"), [("river", BET, "AQs"), ("leduc", "check bet 2 call / Kh / check", "Ks")]
)
def test_combos_and_ranges(study: Study, page: Page, name: str, line: str, chosen: str) -> None:
    node = study.solved[name].at(line)
    player = node.player
    assert player is not None
    known = classes(node, player)
    study.show(page, name, f"?line={line}&hand={chosen}")
    head, body = page.locator("#panel .sorted thead tr"), page.locator("#panel .sorted tbody tr")
    Numbers.of_range(node, player).check(texts(head.nth(1)), acts=True)
    rows = by_hand(body)
    hands = [chosen] if name == "leduc" else known[chosen].hands
    assert sorted(rows) == sorted(hand for hand in hands if node.ranges[player, node.hand_index(hand)] > 0)
    for hand, row in rows.items():
        Numbers.of_hand(node, player, hand).check(row, acts=True)
    if name == "river":
        Numbers.of_class(known[chosen]).check(texts(head.nth(2)), acts=True)
    page.get_by_role("button", name="All hands").click()
    for label, row in by_hand(body).items():
        expected = Numbers.of_hand(node, player, label) if name == "leduc" else Numbers.of_class(known[label])
        expected.check(row, acts=True)
    page.get_by_role("tab", name="Ranges").click()
    both = page.get_by_role("table", name="Both ranges", exact=True).locator("tbody tr")
    for who, line_of_table in enumerate(both.all()):
        told, ev, equity, eqr, weight = texts(line_of_table)
        assert told.lower().startswith(node.player_names[who])
        assert ("to act" in told) == (who == player)
        Numbers.of_range(node, who).check([told, equity, ev, eqr, weight], acts=False)
    for hand, row in by_hand(body).items():
        Numbers.of_hand(node, player, hand).check(row, acts=True)


def test_categories_narrow_the_grid(study: Study, page: Page) -> None:
    node = study.solved["river"].at(BET)
    study.show(page, "river", f"?line={BET}&tab=categories")
    expect(page.locator("#panel .sorted tbody tr").first).to_be_visible()
    head = [text.strip() for text in page.locator("#panel .sorted thead th").all_inner_texts()]
    assert head == ["category", "share, %", "mix", *called(node)[::-1], "EQ", "EV"]
    reading = read_range(node)
    rows = by_hand(page.locator("#panel .sorted tbody tr"))
    assert list(rows) == [row.name for row in reading.rows]
    for row in reading.rows:
        _, share, _, *actions, equity, ev = rows[row.name]
        expected = [row.share, *row.frequencies[::-1], row.equity]
        assert all(agrees(text, value, 100) for text, value in zip((share, *actions, equity), expected, strict=True))
        assert agrees(ev, row.ev_chips)
    # What two categories leave is what `errai show --only` leaves.
    chosen = [row.name for row in reading.rows][:2]
    for name in chosen:
        page.locator("#panel").get_by_role("button", name=name, exact=True).click()
    inside = chosen_hands(node, None, chosen)
    left = narrowed(node, inside)
    expect(page.get_by_role("button", name="2 filters , remove the filter")).to_be_visible()
    held = {label: item for label, item in classes(left, reading.player).items() if item.weight > 0}
    expect(page.locator(".range .cell:not(.out)")).to_have_count(len(held))
    said = heard(page)
    for label, item in held.items():
        check_words(said[label], item, called(left))
    for i, card in enumerate(page.locator(".actions button").all()[::-1]):
        assert agrees(card.locator(".often").inner_text(), left.frequencies[i], 100)
    page.get_by_role("button", name="hearts", exact=True).click()
    with_heart = {hand for hand, stays in zip(node.hands, inside.tolist(), strict=True) if stays and "h" in hand}
    expect(page.locator(".range .cell:not(.out)")).to_have_count(
        sum(not with_heart.isdisjoint(item.hands) for item in classes(node, reading.player).values())
    )
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("only") == [",".join([*chosen, "h"])])
    page.locator(".filtered").click()
    expect(page.locator(".filtered")).to_have_count(0)


def test_what_a_hand_blocks(study: Study, page: Page) -> None:
    node = study.solved["river"].root
    study.show(page, "river", "?tab=blockers")
    expect(page.locator("#panel")).to_contain_text("Choose a hand of out of position")
    page.locator(".range").get_by_role("button", name=re.compile("^KQs:")).click()
    hands = [hand for hand in classes(node, 0)["KQs"].hands if node.ranges[0, node.hand_index(hand)] > 0]
    numbers = [node.hand_index(hand) for hand in hands]
    for found in responses(node, 0, numbers):
        name = called(node)[node.actions.index(found.step)]
        page.locator("#panel .choice").get_by_role("button", name=name, exact=True).click()
        heads = page.locator("#panel .sorted thead tr")
        expect(heads.first).to_contain_text(called(found.node)[0])
        assert all(agrees(*one, 100) for one in zip(texts(heads.nth(1))[:1:-1], found.node.frequencies, strict=True))
        rows = by_hand(page.locator("#panel .sorted tbody tr"))
        assert sorted(rows) == sorted(hands)
        for n, hand in enumerate(hands):
            assert agrees(rows[hand][1], removed_shares(node, 0, numbers)[n], 100)
            for a, text in enumerate(rows[hand][:1:-1]):
                often, change, gone = text.replace("% gone", "").replace("−", "-").replace("±", "").split()
                assert agrees(often, found.with_hand[n, a], 100)
                assert agrees(change.removeprefix("+"), found.with_hand[n, a] - found.node.frequencies[a], 100)
                assert agrees(gone, found.removed[n, a], 100)


def test_the_unit_of_evs(study: Study, page: Page) -> None:
    node = study.solved["river"].at(BET)
    study.show(page, "river", f"?line={BET}&by=ev")
    page.get_by_label("EV in").select_option("pot")
    rows = page.get_by_role("table", name="Both ranges", exact=True).locator("tbody tr")
    expect(rows.first).to_contain_text("%")
    for who, row in enumerate(rows.all()):
        assert agrees(texts(row)[1], node.range_ev[who], 100 / node.pot_chips)
    shown = page.locator(".range .cell:not(.out) .fill").all_inner_texts()
    held = [item for item in summarise(node).classes if item.weight > 0]
    for text, item in zip(shown, held, strict=True):
        assert agrees(text, item.ev_chips, 100 / node.pot_chips)
    # A spot that names no big blind has none.
    assert page.get_by_label("EV in").locator("option").all_inner_texts() == ["EV in chips", "EV in % of pot"]


def test_notes_are_bookmarks(study: Study, page: Page) -> None:
    study.show(page, "turn", "?line=check")
    page.keyboard.press("b")
    expect(page.get_by_role("tab", name="Notes")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("button", name="Bookmark")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("textbox", name="Note").fill("Check more often.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    file = study.served.folder / "solutions" / "turn.errai"
    assert load_notes(file) == {"check": "Check more often."}
    study.show(page, "turn", "?tab=notes")
    page.locator(".notes").get_by_role("button", name="check").click()
    page.wait_for_url(re.compile("line=check"))
    page.get_by_role("tab", name="Combos").click()
    expect(page.locator(".facts")).to_contain_text("Check more often.")
    page.get_by_role("button", name="Bookmark").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("button", name="Bookmark")).to_have_attribute("aria-pressed", "false")
    assert load_notes(file) == {}


def test_tables_are_sorted_by_every_number(study: Study, page: Page) -> None:
    node = study.solved["river"].root
    study.show(page, "river", "?tab=ranges")
    heading = page.locator("#panel .sorted thead").get_by_role("button", name="EV", exact=True)
    values = {hand: node.ev[0, node.hand_index(hand)] for hand in by_hand(page.locator("#panel .sorted tbody tr"))}
    assert len(values) == int((node.ranges[0] > 0).sum()) > 20
    for order, sign in (("descending", -1), ("ascending", 1)):
        heading.click()
        expect(page.locator(f"#panel [aria-sort={order}]")).to_have_text(re.compile("^EV"))
        found = [sign * values[hand] for hand in by_hand(page.locator("#panel .sorted tbody tr"))]
        assert np.all(np.diff(found) >= -1e-5)


def test_run_outs_say_why_there_are_none(study: Study, page: Page) -> None:
    study.show(page, "river", "?tab=runouts")
    expect(page.locator("#panel")).to_contain_text("No card follows: the board is complete.")
    study.show(page, "turn", "?tab=runouts")
    expect(page.locator("#panel")).to_contain_text("No card has been dealt on this line.")


def test_run_outs(study: Study, page: Page) -> None:
    line = "check check"
    table = study.solved["turn"].at(line).run_outs()
    study.show(page, "turn", f"?line={line}&tab=runouts")
    expect(page.locator("#panel table")).to_be_visible()
    rows = by_hand(page.locator("#panel tbody tr"))
    assert len(rows) == len(table.rows)
    for row in (*table.rows, table.mean()):
        found = rows[row.deals[0]] if row.deals else texts(page.locator("#panel thead tr").nth(1))
        expected = [row.probability, *row.frequencies[::-1], *row.ev_chips, *row.equity]
        scales = [100, *(100 for _ in row.frequencies), 1, 1, 100, 100]
        assert all(agrees(*one) for one in zip(found[1:], expected, scales, strict=True)), (found, row)
    by_card = {deal: row for row in table.rows for deal in row.deals}
    for card, words in heard(page, "#panel").items():
        assert (words == "on the board") == (card not in by_card)
        if card in by_card:
            assert agrees(words.rpartition("EV ")[2], by_card[card].ev_chips[0])
    with page.expect_download() as download:
        page.get_by_role("link", name="Export the run-outs as CSV").click()
    assert download.value.path().read_text() == table.to_csv()
    page.locator("#panel [data-hand=Ah]").click()
    expect(page.get_by_role("group", name="river", exact=True)).to_contain_text("A of hearts")
    assert parse_qs(urlsplit(page.url).query) == {"line": [RIVER_CARD], "tab": ["runouts"]}


def test_the_cards_of_a_deal_show_what_follows_them(study: Study, page: Page) -> None:
    line = "check check"
    table = study.solved["turn"].at(line).run_outs()
    study.show(page, "turn", f"?line={line}")
    deck = page.get_by_role("group", name="Choose the next card")
    expect(deck.get_by_role("button", name="A of hearts: ")).to_be_visible()
    names = [one.get_attribute("aria-label") or "" for one in deck.get_by_role("button").all()]
    rows = {card: row for row in table.rows for card in row.deals}
    assert len(names) == len(rows)
    for name in names:
        card, words = name.split(": ")
        row = rows[card[0] + card.rpartition(" of ")[2][0]]
        assert agrees(words.rpartition("EV ")[2], row.ev_chips[0])
        check = dict(zip(table.actions, row.frequencies, strict=True))["check"]
        assert ("check" in words) == (check >= 0.0005)


def test_two_solutions_side_by_side(study: Study, page: Page) -> None:
    nodes = [study.solved[name].at("check") for name in ("river", "river-half")]
    known = [classes(node, 1) for node in nodes]
    study.show(page, "river", "?line=check&tab=compare")
    page.get_by_label("Compare with").select_option("river-half")
    expect(page.locator("#panel .sorted")).to_be_visible()
    assert "with=river-half" in page.url
    for label, words in heard(page, "#panel").items():
        if known[1][label].weight:
            check_words(words, known[1][label], called(nodes[1]))
    labels = ["bet 300", "bet 50", "check"]
    assert {*labels} == {action for node in nodes for action in node.actions}
    assert texts(page.locator("#panel .sorted thead tr").first)[1:-2] == ["all-in 300", *labels[1:]]
    rows = by_hand(page.locator("#panel .sorted tbody tr"))
    assert len(rows) > 5
    furthest = []
    for label, row in rows.items():
        items = [items[label] for items in known]
        plays = [dict(zip(node.actions, item.shares, strict=True)) for node, item in zip(nodes, items, strict=True)]
        for action, text in zip(labels, row[1:-2], strict=True):
            for part, play in zip(both_sides(text), plays, strict=True):
                assert agrees(part, play.get(action), 100), (label, row)
        apart = sum(abs(plays[0].get(action, 0.0) - plays[1].get(action, 0.0)) for action in labels) / 2
        assert agrees(row[-2], apart, 100)
        furthest.append(apart)
        for part, item in zip(both_sides(row[-1]), items, strict=True):
            assert agrees(part, item.ev_chips)
    assert furthest == sorted(furthest, reverse=True)


def test_only_nodes_with_the_same_player_and_cards_are_compared(study: Study, page: Page) -> None:
    study.show(page, "river", "?tab=compare&with=leduc")
    expect(page.get_by_role("alert")).to_contain_text("different cards")
    study.show(page, "turn", f"?line={RIVER_CARD}&tab=compare&with=turn")
    expect(page.locator("#panel .sorted tbody tr").first).to_contain_text("in the other")
    assert {row[-2] for row in by_hand(page.locator("#panel .sorted tbody tr")).values()} == {"0"}
    commands = page.locator("#panel").get_by_role("button", name="Copy as command").get_attribute("title")
    assert commands == f"errai show {study.served.folder}/solutions/turn.errai '{RIVER_CARD}'"


def test_every_hand_is_on_the_canvas(study: Study, page: Page) -> None:
    node = study.solved["river"].root
    study.show(page, "river", "?tab=ranges")
    cards = [rank + suit for rank in "AKQJT98765432" for suit in "shdc"]

    def colour(row: str, column: str) -> tuple[int, ...]:
        """The colour at the foot of the square of two cards, where even a small weight is seen."""
        return tuple(
            page.locator(".all canvas").evaluate(
                """(canvas, [row, column]) => {
                    const cell = canvas.width / 52, x = Math.round(column * cell), y = Math.round((row + 1) * cell) - 3;
                    return [...canvas.getContext("2d").getImageData(x + 1, y, 1, 1).data].slice(0, 3);
                }""",
                [cards.index(row), cards.index(column)],
            )
        )

    always = [
        hand
        for i, hand in enumerate(node.hands)
        if node.ranges[0, i] > 0 and dict(zip(node.actions, node.strategies[i], strict=True))["check"] > 0.999
    ]
    assert len(always) > 3
    for hand in always:
        high, low = sorted((hand[:2], hand[2:]), key=cards.index)
        assert colour(high, low) == CALL
    other = next(hand for i, hand in enumerate(node.hands) if node.ranges[1, i] > 0)
    high, low = sorted((other[:2], other[2:]), key=cards.index)
    assert colour(low, high) == IN_RANGE
    assert colour("2d", "2c") not in (CALL, IN_RANGE)


def test_exports_and_commands(study: Study, page: Page) -> None:
    node = study.solved["river"].at(BET)
    study.show(page, "river", f"?line={BET}&by=ev")
    page.locator("summary", has_text="Export").click()
    links = {
        str(link.get_attribute("aria-label"))[-4:].strip(): str(link.get_attribute("href"))
        for link in page.locator(".export").all()
    }
    assert set(links) == {"CSV", "JSON", "PNG", "SVG"}
    headers = {"authorization": f"Bearer {study.served.token}"}
    answers = {
        kind: httpx.get(f"{study.served.address}{link}", headers=headers, timeout=60.0) for kind, link in links.items()
    }
    assert answers["CSV"].text == node_csv(node)
    assert answers["JSON"].json()["line"] == BET
    assert answers["PNG"].content.startswith(b"\x89PNG")
    assert b"EV" in answers["SVG"].content
    command = page.get_by_role("button", name="Copy as command").get_attribute("title")
    assert command == f"errai show {study.served.folder}/solutions/river.errai '{BET}' --by ev"


def test_verify(study: Study, page: Page) -> None:
    study.show(page, "river")
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("Certified.", exact=True)).to_be_visible()
    assert study.served.get("/solutions/river")["certified"] is True
    study.show(page, "river")
    expect(page.get_by_role("button", name="Verify again")).to_be_visible()


# --- going through the tree ------------------------------------------------------------------------------------------


def line_in(address: str) -> str:
    """The line of an address."""
    return parse_qs(urlsplit(address).query).get("line", [""])[0]


def line_of(page: Page) -> str:
    """The line of the address of the page."""
    return line_in(page.url)


def test_by_mouse_with_back_and_forward(study: Study, page: Page) -> None:
    opened(page, study.served, "/study")
    page.locator("a[href='/study/turn']").click()
    steps = [
        ("check", "check"),
        ("check", "check check"),
        ("A of hearts", RIVER_CARD),
        ("bet 100", f"{RIVER_CARD} bet 100"),
    ]
    for name, line in steps:
        page.locator(".next").get_by_role("button", name=name).click()
        expect(page.locator(".line .column")).to_have_count(
            len(line.replace("/", "").replace("bet 100", "bet").split())
        )
        assert line_of(page) == line
    page.get_by_role("button", name="Next river card").click()
    expect(page.locator(".deal")).to_contain_text("A of spades")
    assert line_of(page) == "check check / As / bet 100"
    # Another action of a column leads to the same place of the tree with this action.
    page.get_by_role("group", name="out of position, turn").get_by_role("button", name="bet 100").click()
    expect(page.locator(".line .column")).to_have_count(1)
    assert line_of(page) == "bet 100"
    page.go_back()
    expect(page.locator(".line .column")).to_have_count(4)
    page.go_forward()
    expect(page.locator(".line .column")).to_have_count(1)
    page.locator(".root").click()
    expect(page.locator(".line .column")).to_have_count(0)


def test_by_keys_only(study: Study, page: Page) -> None:
    study.show(page, "turn")
    columns = page.locator(".line .column")
    page.locator(".actions button").last.focus()
    for key, count in (("Enter", 1), ("2", 2)):
        page.keyboard.press(key)
        expect(columns).to_have_count(count)
    # Focus is on the deck, since the actions are gone.
    expect(page.locator(".deck button").first).to_be_focused()
    for _ in range(13):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(columns).to_have_count(3)
    before = line_of(page)
    page.keyboard.press("n")
    page.wait_for_url(lambda url: line_in(url) != before)
    # Keys do not wait until a node is shown, but what they do is done one after the other.
    for key in "npp":
        page.keyboard.press(key)
    page.wait_for_url(lambda url: line_in(url) == before)
    page.keyboard.press("Backspace")
    expect(columns).to_have_count(2)
    page.keyboard.press("Backspace")
    expect(columns).to_have_count(1)
    page.keyboard.press("o")
    expect(page.locator(".range")).to_have_attribute("aria-label", "Hands of out of position")
    # The grid: one stop of the tab key, and arrows within it.
    page.keyboard.press("ArrowDown")
    cell = page.locator(".range .cell:focus")
    expect(cell).to_have_attribute("aria-label", re.compile("^QQ:"))
    for key, label in (
        ("ArrowDown", "QJo"),
        ("ArrowRight", "JJ"),
        ("End", "J2s"),
        ("Home", "AJo"),
        ("ArrowLeft", "AJo"),
    ):
        page.keyboard.press(key)
        expect(cell).to_have_attribute("aria-label", re.compile(f"^{label}:"))
    page.wait_for_url(re.compile("hand=AJo"))
    assert page.locator(".range .cell[tabindex='0']").count() == 1
    page.keyboard.press("/")
    expect(page.get_by_label("Line, as for errai show")).to_be_focused()
    page.keyboard.type("bet 100 fold")
    page.keyboard.press("Enter")
    expect(columns).to_have_count(2)
    assert line_of(page) == "bet 100 fold"
    page.get_by_role("tab", name="Combos").focus()
    for tab in (*TABS[1:], TABS[0]):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name=tab, exact=True)).to_be_focused()
        expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")


def test_a_line_that_does_not_exist_says_what_is_possible(study: Study, page: Page) -> None:
    # The notes come late, and the page is drawn again while the line is being typed, which must stay as it is.
    late: list[Route] = []
    page.route("**/notes", lambda route: late.append(route))
    study.show(page, "river")
    page.keyboard.press("/")
    page.get_by_label("Line, as for errai show").fill("bet 51")
    with page.expect_response("**/notes") as answer:
        late[0].continue_()
    answer.value.finished()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.keyboard.press("Enter")
    expect(page.locator("#typed-error")).to_contain_text("the actions there are: check, bet 50")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Line, as for errai show")).to_have_count(0)
    opened(page, study.served, "/study/river?line=bet+51")
    expect(page.get_by_role("alert")).to_contain_text("check, bet 50")
    opened(page, study.served, "/study/nothing")
    expect(page.get_by_role("alert")).to_contain_text("nothing")


def test_the_address_restores_the_view(study: Study, page: Page) -> None:
    query = f"?line={BET.replace(' ', '+')}&by=eqr&player=0&hand=KQs&tab=ranges"
    study.show(page, "river", query)
    for _ in range(2):
        expect(page.locator(".modes").get_by_role("button", name="EQR")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".range")).to_have_attribute("aria-label", "Hands of out of position")
        expect(page.locator(".range [aria-pressed=true]")).to_have_attribute("aria-label", re.compile("^KQs:"))
        expect(page.get_by_role("tab", name="Ranges")).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("group", name="in position, river").locator("[aria-pressed=true]")).to_contain_text(
            "bet 50"
        )
        page.reload()


def test_a_node_is_fetched_once(study: Study, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/node?" in request.url else None)
    study.show(page, "river")
    for key, count in (("1", 1), ("1", 2), ("Backspace", 1), ("Backspace", 0), ("1", 1)):
        page.keyboard.press(key)
        expect(page.locator(".line .column")).to_have_count(count)
    assert len(asked) == len(set(asked)) >= 3


def test_what_follows_is_fetched_while_nothing_is_asked(study: Study, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/node?" in request.url else None)
    study.show(page, "turn")
    actions = study.solved["turn"].root.actions
    page.wait_for_function(
        "count => performance.getEntriesByType('resource').filter(one => one.name.includes('/node?')).length === count",
        arg=1 + len(actions),
    )
    assert [line_in(url) for url in asked] == ["", *actions]
    page.route("**/node?*", lambda route: route.abort())
    page.keyboard.press("1")
    expect(page.locator(".line .column")).to_have_count(1)


# --- locks -----------------------------------------------------------------------------------------------------------


def test_locks_lead_to_a_solve(study: Study, page: Page) -> None:
    study.show(page, "river", f"?line={BET}&tab=lock&hand=AA")
    page.get_by_role("textbox", name="fold").fill("50")
    page.get_by_role("button", name="Lock", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("not to 100 %")
    page.get_by_role("textbox", name="call").fill("25")
    page.get_by_role("textbox", name="all-in 300").fill("25")
    page.get_by_role("button", name="Lock", exact=True).click()
    expect(page.locator(".locks li")).to_have_count(1)
    page.get_by_role("button", name="Every hand", exact=True).click()
    page.get_by_role("button", name="A best response").click()
    expect(page.locator(".locks li")).to_have_count(2)
    page.get_by_role("tab", name="Combos").click()
    page.locator(".range").get_by_role("button", name=re.compile("^KQs:")).click()
    page.locator("#panel [data-hand=KcQc]").click()
    page.get_by_role("tab", name="Lock", exact=True).click()
    page.get_by_role("button", name="Always call").click()
    page.get_by_role("button", name="Lock", exact=True).click()
    expect(page.locator(".locks li")).to_have_count(3)
    link = page.get_by_role("link", name="Solve again with these locks").get_attribute("href")
    asked = parse_qs(urlsplit(str(link)).query)
    assert asked["from"] == ["river"]
    tables = parse_locks(asked["lock"][0])
    again = errai.solve(parse_spot(WEIGHTED_RIVER), "0.5%pot", locks=tables)
    assert again.at(BET).strategy("AsAd") == pytest.approx({"fold": 0.5, "call": 0.25, "raise 300": 0.25}, abs=1e-3)
    assert again.at(BET).strategy("KcQc")["call"] == pytest.approx(1.0, abs=1e-3)
    page.get_by_role("button", name="Remove the lock of AA").click()
    expect(page.locator(".locks li")).to_have_count(2)


# --- the list --------------------------------------------------------------------------------------------------------


def test_the_list_takes_in_and_deletes(study: Study, served: Served, page: Page, tmp_path: Path) -> None:
    good, bad = tmp_path / "my river (2).errai", tmp_path / "bad.errai"
    study.solved["river"].save(good)
    bad.write_bytes(good.read_bytes()[:-1000])
    opened(page, served, "/study")
    expect(page.get_by_text("There are no solutions yet.")).to_be_visible()
    for file in (bad, good):
        page.get_by_label("Add a file").set_input_files(file)
        if file is bad:
            expect(page.get_by_role("alert")).not_to_be_empty()
    row = page.get_by_role("row", name=re.compile("my-river-2"))
    expect(row).to_contain_text("target met")
    own = [one["name"] for one in served.get("/solutions")["solutions"] if not one["shipped"]]
    assert own == ["my-river-2-"]
    page.on("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Delete my-river-2-").click()
    expect(page.get_by_text("There are no solutions yet.")).to_be_visible()
    assert all(one["shipped"] for one in served.get("/solutions")["solutions"])


def test_lists_of_solutions_follow_the_jobs(served: Served, page: Page) -> None:
    job = {"kind": "solve", "subject": {"spot": WEIGHTED_RIVER}, "settings": {"target": "50%pot"}}
    opened(page, served, "/study")
    expect(page.get_by_text("There are no solutions yet.")).to_be_visible()
    names = [served.post("/jobs", job)["id"] for _ in range(2)]
    for name in names:
        expect(page.locator(f"a[href='/study/{name}']")).to_be_visible(timeout=60_000)
    page.locator(f"a[href='/study/{names[0]}']").click()
    page.get_by_role("tab", name="Compare").click()
    options = page.get_by_label("Compare with").locator("option")
    # The blueprints of the package are among them.
    expect(options).to_have_count(4)
    served.post("/jobs", job)
    expect(options).to_have_count(5, timeout=60_000)


# --- everyone can use it ---------------------------------------------------------------------------------------------

PLACES = (
    "/study",
    *(f"/study/turn?line={RIVER_CARD}&hand=22&with=turn&tab={tab}" for tab in ("combos", "ranges", "runouts", "lock")),
    "/study/river?tab=compare&with=river-half&by=ev",
    "/study/turn?line=check+check&by=equity",
    "/study/leduc?by=weight",
)


def filled(page: Page) -> None:
    """Wait until nothing is being fetched."""
    expect(page.locator("h1").first).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(study: Study, page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for place in PLACES:
        opened(page, study.served, place)
        filled(page)
        assert not barriers(page, scheme), place


def test_a_phone_has_no_sideways_scrolling(study: Study, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 375, "height": 700}, has_touch=True)
    page = context.new_page()
    for place in PLACES:
        opened(page, study.served, place)
        filled(page)
        widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert widths[0] <= widths[1] == 375, place
    opened(page, study.served, "/study/river")
    for button in page.locator(".actions button").all():
        box = button.bounding_box()
        assert box
        assert box["height"] >= 44
        assert box["width"] > 120
    context.close()
