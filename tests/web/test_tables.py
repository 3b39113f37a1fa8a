"""Tables over HTTP: every number is the session's, nothing happens twice, nothing is lost."""

from __future__ import annotations

import random
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import uvicorn
from playwright.sync_api import Page, expect
from small_subjects import RIVER, TURN
from web_server import Served

from errai.agents.agent import Agent
from errai.agents.reader import read_agent
from errai.arena.histories.formats import read_text
from errai.arena.review import review_hands
from errai.arena.session import Session, luck_estimator
from errai.arena.session_file import load_session
from errai.errors import AgentError
from errai.games.catalogue import load_game
from errai.games.hand import CALL, Action, Observation, PublicState
from errai.games.spot import parse_spot
from errai.pictures.play import hint_shares
from errai.solving.solve import solve
from errai.web import tables as tables_module
from errai.web import thinking as thinking_module
from errai.web.agents import Agents
from errai.web.files import Workspace
from errai.web.library import Library
from errai.web.server import make_app
from errai.web.tables import Tables
from errai.web.thinking import Queue

API = "/api/v1"


class Client(httpx.Client):
    """A client of an application that a thread of this process serves."""

    tables: Tables

    def ask(self, method: str, path: str, body: object | None = None, status: int = 200) -> dict:
        """The JSON of an answer, which must have this status."""
        answer = self.request(method, f"{API}/{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def table(self, **wanted: object) -> dict:
        """A new table, when the user has something to do."""
        return self.waited(self.ask("POST", "tables", wanted, 201))

    def waited(self, view: dict) -> dict:
        """The table once its agent has acted."""
        until = time.monotonic() + 30.0
        while view["state"] in ("thinking", "waiting"):
            assert time.monotonic() < until
            view = self.ask("GET", f"tables/{view['id']}")
        return view

    def act(self, view: dict, action: str) -> dict:
        """The table after an action of the user and those of the agent."""
        body = {"action": action, "hand": view["shown"]["hand"], "ply": view["shown"]["ply"]}
        return self.waited(self.ask("POST", f"tables/{view['id']}/actions", body))

    def deal(self, view: dict) -> dict:
        """The table after the next deal."""
        return self.waited(self.ask("POST", f"tables/{view['id']}/deal", {"hand": view["hands"] + 1}))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.at(tmp_path / "work")


@pytest.fixture
def client(workspace: Workspace) -> Iterator[Client]:
    app = make_app(workspace)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    with Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=60.0) as found:
        found.tables = app.state.services.tables
        while not server.started:
            time.sleep(0.005)
        yield found
    server.should_exit = True
    thread.join()


def test_all_agents_that_are_offered_can_be_made(workspace: Workspace) -> None:
    agents = Agents(Library(workspace))
    for name in ("kuhn", "leduc.nolimit", "rhode-island", "holdem-2-1", "holdem.limit.2p", "holdem.nolimit.2p"):
        subject = load_game(name)
        offered = [offer.name for offer in agents.offered(subject)]
        assert {"uniform", "always-call"} <= set(offered)
        assert len(offered) == len(set(offered))
        for one in offered:
            Session(subject, agents.make(one, subject), seed=1)
    spot = parse_spot(RIVER)
    assert "resolver" in [offer.name for offer in agents.offered(spot)]
    for offer in agents.offered(spot):
        Session(spot, agents.make(offer.name, spot), seed=1)


@pytest.mark.parametrize(
    "name",
    [
        "python:os:getcwd", "acpc:ls", "store:/tmp", "blueprint:/etc/passwd", "psopti2:/etc/passwd", "solution:../x",
        "solution:/etc/passwd", "resolver:python:os:getcwd", "resolver:from=river:acpc:ls", "deepstack:net=/etc/passwd",
        "resolver:seconds=1e8", "continual:iterations=1000000000", "vexbot:search=miximix", "", "nobody", "x" * 300,
    ],
)  # fmt: skip
def test_agents_that_run_code_or_read_other_files_are_refused(client: Client, workspace: Workspace, name: str) -> None:
    for field in ("opponent", "advisor"):
        answer = client.post(f"{API}/tables", json={"game": "leduc", "opponent": "uniform", field: name})
        assert answer.status_code in (404, 422), answer.text
        assert answer.json()["error"]["message"]
    assert workspace.names("tables", ".table") == []


@pytest.mark.parametrize(
    "wanted",
    [
        {}, {"game": "leduc", "spot": RIVER}, {"game": "nothing"}, {"spot": "pot = 1"}, {"solution": "none"},
        {"game": "leduc", "stack": 500}, {"game": "leduc.nolimit", "stack": 20}, {"game": "../leduc"},
        {"game": "kuhn", "opponent": "blueprint-nl"},
    ],
)  # fmt: skip
def test_tables_that_cannot_be_are_refused(client: Client, workspace: Workspace, wanted: dict) -> None:
    answer = client.post(f"{API}/tables", json={"opponent": "uniform", **wanted})
    assert answer.status_code in (404, 422), answer.text
    assert list((workspace.folder / "tables").iterdir()) == []


def test_every_number_is_the_sessions(client: Client, workspace: Workspace) -> None:
    view = client.table(game="leduc", opponent="uniform", seed=5)
    for _ in range(12):
        while view["state"] == "turn":
            shares = client.ask("GET", f"tables/{view['id']}/hint")["actions"]
            assert sum(one["probability"] for one in shares) == pytest.approx(1.0)
            view = client.act(view, view["choices"][-1]["action"])
        last = view
        view = client.deal(view)
    until = time.monotonic() + 30
    while (score := client.ask("GET", f"tables/{view['id']}/score"))["to_measure"] and time.monotonic() < until:
        time.sleep(0.01)
    game = load_game("leduc")
    path = workspace.path("tables", view["id"], ".json")
    session = load_session(path, game, read_agent("uniform", game))
    session.estimator = luck_estimator(game, session.opponent)
    right = session.score()
    assert right.without_luck is not None
    assert score["chips"] == {"hands": 12, "total_chips": right.chips.total_chips, "half_width_chips": None}
    assert score["without_luck"]["total_chips"] == pytest.approx(right.without_luck.total_chips)
    assert view["won_chips"] == right.chips.total_chips
    assert last["shown"]["result"]["won_chips"] == session.hands[-1].net_chips[session.seat_in(11)]
    listed = client.ask("GET", f"tables/{view['id']}/hands?count=5")
    assert listed["total"] == 12
    assert [one["hand"] for one in listed["hands"]] == [12, 11, 10, 9, 8]
    for one in listed["hands"]:
        assert one["won_chips"] == session.hands[one["hand"] - 1].net_chips[session.seat_in(one["hand"] - 1)]
        assert client.ask("GET", f"tables/{view['id']}/hands/{one['hand']}")["result"]["words"] == one["words"]
    summary = client.ask("GET", "tables")["tables"][0]
    assert (summary["hands"], summary["won_chips"], summary["in_hand"]) == (12, right.chips.total_chips, True)


def test_hints_and_reviews_are_those_of_the_solution(client: Client, workspace: Workspace) -> None:
    game = load_game("leduc")
    solution = solve(game, "10mbb")
    solution.save(workspace.path("solutions", "mine", ".errai"))
    offered = client.ask("GET", "agents?game=leduc")["agents"]
    assert offered[0]["name"] == "solution:mine"
    view = client.table(solution="mine", opponent="solution:mine", seed=2, seating="first")
    table = client.tables.get(view["id"])
    hand = table.session.hand
    assert hand is not None
    right = hint_shares(table.session.opponent, hand.state, hand.deal.hole[table.session.seat])  # type: ignore[arg-type]
    found = client.ask("GET", f"tables/{view['id']}/hint")["actions"]
    assert [(one["label"], one["probability"], one["all_in"]) for one in found] == [one[:3] for one in right]
    while view["state"] == "turn":
        view = client.act(view, view["choices"][-1]["action"])
    reviewed = client.ask("GET", f"tables/{view['id']}/review?hand=1")
    review = review_hands([table.session.seen(0)], solution, player="you")
    assert reviewed["decisions"] == len(review.decisions) > 0
    for one, decision in zip(reviewed["greatest"], review.decisions, strict=True):
        assert one["ev_chips"] == pytest.approx(decision.ev_chips)
        assert one["loss_chips"] == pytest.approx(decision.loss_chips)
        assert one["hand"] == 1
    text = client.get(f"{API}/tables/{view['id']}/history.phh").text
    assert len(list(read_text(text, "phh").hands)) == 1


def test_a_solution_is_played_under_its_title_and_with_its_sizes(client: Client, workspace: Workspace) -> None:
    spot = parse_spot(RIVER)
    solve(spot, "5%pot").save(workspace.path("solutions", "river-q6ipkvg5", ".errai"))
    title = client.ask("GET", "solutions/river-q6ipkvg5")["title"]
    offered = client.ask("GET", "agents?solution=river-q6ipkvg5")["agents"][0]
    assert (offered["name"], offered["title"]) == ("solution:river-q6ipkvg5", title)
    own = {"solution": "river-q6ipkvg5", "seating": "first"}
    view = client.table(**own, opponent="solution:river-q6ipkvg5")
    assert view["opponent"] == title == client.ask("GET", "tables")["tables"][0]["opponent"]
    assert title in view["shown"]["seats"][0]["name"]
    node = client.ask("GET", "solutions/river-q6ipkvg5/node")
    sizes = [one["label"] for one in node["actions"] if not one["all_in"]]
    shown = [one["label"] for one in view["choices"] if one["keys"] != ["a"]]
    assert shown == sizes
    assert [one["pot_percent"] for one in view["choices"]][1:] == pytest.approx([50.0, 300.0])
    # What is bet beside them leads to the sizes that the solution has after the nearest of its own.
    body = {"action": "r 3bb", "hand": 1, "ply": 0}
    error = client.ask("POST", f"tables/{view['id']}/actions", body, 422)["error"]
    assert error["message"].startswith("No big blind is known here.")
    raised = client.act(view, "r 55")
    assert raised["shown"]["ply"] >= 2
    # The name stays when the solution is gone, and hands are reviewed by the solution whose spot is played.
    other = client.table(**own, opponent="always-call")
    assert other["reviewed_by"] == "river-q6ipkvg5"
    client.delete(f"{API}/solutions/river-q6ipkvg5")
    assert {one["opponent"] for one in client.ask("GET", "tables")["tables"]} == {title, "Always calls"}


def test_hands_against_the_blueprint_are_reviewed_by_it(client: Client) -> None:
    view = client.table(game="holdem.nolimit.2p", opponent="blueprint-nl", seating="first", seed=6)
    assert (view["reviewed_by"], view["shown"]["seats"][0]["name"]) == ("blueprint-nl", "Blueprint")
    assert client.table(game="holdem.nolimit.2p", opponent="always-call")["reviewed_by"] == "blueprint-nl"
    assert client.table(game="leduc", opponent="always-call")["reviewed_by"] is None
    view = client.act(view, "r 3bb")
    assert "you raise to 300" in view["shown"]["streets"][0]["said"]
    while view["state"] == "turn":
        view = client.act(view, "k" if view["choices"][0]["action"] == "k" else "c")
    found = client.ask("GET", f"tables/{view['id']}/review?hand=1")
    # Decisions are valued as soon as few enough cards are to come; before that, what the blueprint does is known.
    first = found["unvalued"][0]
    assert (first["street"], first["played"], first["hand"]) == ("pre-flop", "raise to 300", 1)
    assert sum(first["probabilities"].values()) == pytest.approx(1.0, abs=1e-3)
    assert first["best"] == max(first["probabilities"], key=first["probabilities"].get)


def test_a_spot_and_other_stacks(client: Client, workspace: Workspace) -> None:
    view = client.table(spot=RIVER, opponent="uniform", seating="first")
    assert view["shown"]["board"] == ["Qs", "Jh", "2c", "8d", "3s"]
    assert view["raises"] == {"verb": "bet", "least_chips": 1, "most_chips": 300}
    deep = client.table(game="leduc.nolimit", stack=5000, opponent="continual:iterations=200", seating="first")
    assert deep["raises"]["most_chips"] == 4900
    for one in (view, deep):
        path = workspace.folder / "tables"
        suffix = ".toml" if one is view else ".game"
        assert f"{path / one['id']}{suffix}" in one["command"]


def test_stale_actions_are_refused(client: Client) -> None:
    view = client.table(game="leduc", opponent="always-call", seating="first", seed=1)
    place = {"hand": view["shown"]["hand"], "ply": view["shown"]["ply"]}
    after = client.act(view, "k")
    path = f"tables/{view['id']}"
    for wrong in (place, {**place, "hand": 2}, {"hand": 1, "ply": after["shown"]["ply"] + 1}):
        assert client.ask("POST", f"{path}/actions", {"action": "k", **wrong}, 409)["error"]["type"] == "StaleError"
    client.ask("POST", f"{path}/deal", {"hand": 2}, 409)
    here = {"hand": 1, "ply": after["shown"]["ply"]}
    for wrong in ("f", "r 7", "dance", "kk", "k k", ""):
        error = client.ask("POST", f"{path}/actions", {"action": wrong, **here}, 422)["error"]
        assert error["type"] == "IllegalActionError", error
    unchanged = client.ask("GET", path)
    assert unchanged["shown"] == after["shown"]


def test_many_tabs_act_once(client: Client) -> None:
    view = client.table(game="leduc", opponent="always-call", seating="first", seed=1)
    path = f"{API}/tables/{view['id']}"
    body = {"action": "k", "hand": 1, "ply": 0}
    with ThreadPoolExecutor(8) as pool:
        codes = sorted(pool.map(lambda _: client.post(f"{path}/actions", json=body).status_code, range(8)))
    assert codes == [200, *[409] * 7]
    while view["state"] != "over":
        view = client.act(client.waited(client.ask("GET", f"tables/{view['id']}")), "k")
    with ThreadPoolExecutor(8) as pool:
        codes = sorted(pool.map(lambda _: client.post(f"{path}/deal", json={"hand": 2}).status_code, range(8)))
    assert codes == [200, *[409] * 7]


class Slow(Agent):
    """Calls when it is allowed to; fails if it is told to."""

    name = "slow"

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)
        self.asked = 0
        self.fails = False

    def act(self, observation: Observation) -> Action:
        self.asked += 1
        assert self.go.acquire(timeout=30)
        if self.fails:
            raise AgentError("no idea")
        return CALL


@pytest.fixture
def slow(client: Client, monkeypatch: pytest.MonkeyPatch) -> list[Slow]:
    made: list[Slow] = []

    def make(self: Agents, text: str, subject: object) -> Agent:
        made.append(Slow())
        return made[-1]

    monkeypatch.setattr(Agents, "make", make)
    client.tables.queue = Queue("test", 1)
    return made


def until(client: Client, view: dict, state: str) -> dict:
    """The table once it has a state."""
    end = time.monotonic() + 10
    while (view := client.ask("GET", f"tables/{view['id']}"))["state"] != state:
        assert time.monotonic() < end, view["state"]
    return view


def test_agents_think_in_the_order_of_the_requests(client: Client, slow: list[Slow]) -> None:
    views = [client.ask("POST", "tables", {"game": "leduc", "opponent": "uniform", "seating": "second"}, 201)
             for _ in range(3)]  # fmt: skip
    first, second, third = (client.ask("GET", f"tables/{one['id']}") for one in views)
    assert (first["state"], second["state"], third["state"]) == ("thinking", "waiting", "waiting")
    assert (second["ahead"], third["ahead"]) == (1, 2)
    events = client.tables.views()
    assert events[third["id"]].ahead == 2
    slow[0].go.release()
    until(client, first, "turn")
    assert until(client, third, "waiting")["ahead"] == 1
    slow[1].go.release()
    slow[2].go.release()
    until(client, third, "turn")
    assert [one.asked for one in slow] == [1, 1, 1]


def thinking(client: Client, view: dict) -> float:
    """When the agent of a table began to think, once it has."""
    end = time.monotonic() + 10
    while (since := client.ask("GET", f"tables/{view['id']}")["thinking_since"]) is None:
        assert time.monotonic() < end
    return since


def test_the_page_says_how_long_an_agent_has_been_thinking(client: Client, slow: list[Slow], page: Page) -> None:
    before = time.time()
    wanted = {"game": "leduc", "opponent": "uniform", "seating": "second"}
    view, waits = (client.ask("POST", "tables", wanted, 201) for _ in range(2))
    assert (waits["state"], waits["thinking_since"], waits["decision_seconds"]) == ("waiting", None, None)
    assert before <= thinking(client, view) <= time.time()
    page.goto(f"{client.base_url}/play/{view['id']}")
    expect(page.locator("p.state")).to_have_text(re.compile(r"Random actions has been thinking for [234] seconds\."))
    expect(page.locator(".choices")).to_contain_text("You can leave the table and come back")
    released = time.time()
    slow[0].go.release()
    assert until(client, view, "turn")["thinking_since"] is None
    expect(page.locator("p.state")).to_have_text("Your turn.")
    # What was spent waiting for the other agent is no time of its own.
    assert thinking(client, waits) >= released
    slow[1].go.release()
    until(client, waits, "turn")


def test_the_time_for_a_decision_is_that_of_the_agent(client: Client) -> None:
    view = client.ask("POST", "tables", {"spot": RIVER, "opponent": "resolver:seconds=3", "seating": "first"}, 201)
    assert view["decision_seconds"] == 3.0


def test_an_agent_that_fails_can_try_again(client: Client, slow: list[Slow]) -> None:
    view = client.ask("POST", "tables", {"game": "leduc", "opponent": "uniform", "seating": "second"}, 201)
    slow[0].fails = True
    slow[0].go.release()
    assert "no idea" in until(client, view, "failed")["error"]
    slow[0].fails = False
    slow[0].go.release()
    client.ask("POST", f"tables/{view['id']}/again")
    assert until(client, view, "turn")["error"] is None


def test_a_table_that_is_deleted_while_its_agent_thinks(client: Client, workspace: Workspace, slow: list[Slow]) -> None:
    view = client.ask("POST", "tables", {"game": "leduc", "opponent": "uniform", "seating": "second"}, 201)
    assert client.delete(f"{API}/tables/{view['id']}").status_code == 204
    slow[0].go.release()
    client.ask("GET", f"tables/{view['id']}", status=404)
    after = client.ask("POST", "tables", {"game": "leduc", "opponent": "uniform", "seating": "second"}, 201)
    slow[1].go.release()
    until(client, after, "turn")
    assert {path.name.split(".")[0] for path in (workspace.folder / "tables").iterdir()} == {after["id"]}


def test_idle_tables_leave_memory_and_come_back(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "MOST_IN_MEMORY", 3)
    views = [client.table(game="leduc", opponent="uniform", seed=seed, seating="first") for seed in range(8)]
    assert len(client.tables._open) <= 3
    assert len(client.tables.views()) == 8
    for view in views:
        again = client.ask("GET", f"tables/{view['id']}")
        assert again["shown"] == view["shown"]
        assert again["version"] > view["version"]
        client.act(again, "k")
    assert len(client.tables._open) <= 3


SOLVING = {"game": "leduc.nolimit", "opponent": "continual:iterations=1", "seating": "first"}
"""A table whose agent solves."""


@pytest.fixture
def memory(client: Client, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A machine with room for so many agents that solve, each of which keeps what it takes."""
    room = {"agents": 10.0}

    def free(memory: int | None) -> int:
        kept = sum(one.solving_bytes > 0 for one in client.tables._open.values())
        return max(int(thinking_module.SMALL_BYTES * (room["agents"] - kept)), 0)

    monkeypatch.setattr(thinking_module, "allowed_memory", free)
    return room


def test_tables_that_solve_leave_memory_when_it_is_short(client: Client, memory: dict[str, float]) -> None:
    memory["agents"] = 2.5
    kept = client.table(game="leduc", opponent="uniform")
    views = [client.table(**SOLVING, seed=seed) for seed in range(4)]
    in_memory = {one.id for one in client.tables._open.values()}
    assert in_memory == {kept["id"], views[-2]["id"], views[-1]["id"]}
    for view in views:
        again = client.ask("GET", f"tables/{view['id']}")
        assert again["shown"] == view["shown"]
        assert client.act(again, "k")["shown"]["ply"] == 2
        assert sum(one.solving_bytes > 0 for one in client.tables._open.values()) <= 2


def test_a_table_that_solves_without_memory_says_so_and_goes_on_when_there_is_some(
    client: Client, workspace: Workspace, memory: dict[str, float]
) -> None:
    view = client.table(**SOLVING)
    # There is room for one agent to solve, but not beside what it keeps.
    memory["agents"] = 1.5
    error = client.ask("GET", f"tables/{view['id']}/hint", status=507)["error"]
    assert (error["type"], "64.0 MiB of memory must be free, and 32.0 MiB" in error["message"]) == (
        "NoMemoryError",
        True,
    )
    failed = client.act(view, "k")
    assert (failed["state"], failed["error"]) == ("failed", error["message"])
    client.ask("POST", f"tables/{view['id']}/again")
    view = until(client, view, "failed")
    memory["agents"] = 2.5
    client.ask("POST", f"tables/{view['id']}/again")
    assert until(client, view, "turn")["shown"]["ply"] == 2
    memory["agents"] = 0.5
    assert client.ask("POST", "tables", SOLVING, 507)["error"]["type"] == "NoMemoryError"
    assert len(workspace.names("tables", ".table")) == 1
    assert client.table(game="leduc", opponent="uniform", seating="first")["state"] == "turn"


def test_an_agent_waits_for_memory_until_another_has_solved(
    client: Client, slow: list[Slow], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = thinking_module.SMALL_BYTES
    monkeypatch.setattr(thinking_module, "solving_bytes", lambda agent: size)
    monkeypatch.setattr(thinking_module, "allowed_memory", lambda memory: int(1.5 * size))
    client.tables.queue = Queue("test", 2)
    wanted = {"game": "leduc", "opponent": "uniform", "seating": "second"}
    first, second = (client.ask("POST", "tables", wanted, 201) for _ in range(2))
    end = time.monotonic() + 10
    while client.tables.queue.before(client.tables._open[second["id"]]) is not None or not slow[0].asked:
        assert time.monotonic() < end
    assert (slow[0].asked, slow[1].asked) == (1, 0)
    slow[1].go.release()
    assert client.ask("GET", f"tables/{second['id']}")["state"] == "thinking"
    assert slow[1].asked == 0
    slow[0].go.release()
    until(client, first, "turn")
    until(client, second, "turn")
    assert client.tables._admission._promised == 0


def terminal(view: dict, typed: str) -> str:
    """What ``errai play`` writes when the table's command is run and this is typed."""
    command = [sys.executable, "-m", "errai.cli.main", *shlex.split(view["command"])[1:], "--plain"]
    return subprocess.run(command, input=typed, capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_terminal_goes_on_with_a_session_and_the_browser_after_it(client: Client, workspace: Workspace) -> None:
    solve(parse_spot(RIVER), "1%pot").save(workspace.path("solutions", "river", ".errai"))
    view = client.table(solution="river", opponent="solution:river", seating="first", seed=3)
    view = client.act(view, "k")
    while view["state"] == "turn":
        view = client.act(view, view["choices"][-1]["action"])
    view = client.deal(view)
    assert view["hands"] == 1
    shown = terminal(view, "k\nq\n")
    assert "The session is resumed. 1 hand:" in shown
    after = client.ask("GET", f"tables/{view['id']}")
    assert after["shown"]["ply"] >= 1 or after["hands"] == 2
    assert client.ask("POST", f"tables/{view['id']}/actions", {"action": "k", "hand": 2, "ply": 0}, 409)
    if after["state"] == "turn":
        after = client.act(after, "c" if after["choices"][0]["action"] == "f" else "k")
    assert after["shown"]["hand"] == 2


BROAD_TURN = TURN.replace("AKo:0.5", "22+, A2s+, K8s+, ATo+").replace("22, AKs", "22+, A2s+, KTo+, T8s+")
"""A spot in which an agent that solves thinks for a moment."""

KILLED_AT = {
    "uniform": ({"game": "leduc"}, "uniform", 0.03),
    "resolver": ({"spot": BROAD_TURN.replace("100%", "75%, a")}, "resolver:iterations=100,seconds=60", 0.4),
}
"""What is played, against whom, and within how many seconds of a request the server is killed.  The iterations make
that the clock decides nothing."""


def again_alive(stored: Session, agent: Agent) -> Session:
    """The same session played without an interruption: its cards and the user's actions, and an agent that is asked."""
    live = Session(stored.subject, agent, seed=stored.seed, estimator=luck_estimator(stored.subject, agent))
    begun = [] if stored.hand is None else [stored.hand.state]
    for state in [*(hand.final_state() for hand in stored.hands), *begun]:
        live.deal()
        line = iter(state.line)
        while live.hand is not None and not live.hand.state.is_over:
            action = next(line, None)
            if action is None:
                break
            if live.players_turn:
                live.act(action)
            else:
                assert live.opponent_acts() == action
        if live.hand is not None and live.hand.state.is_over:
            live.finish(measure=False)
    return live


@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("agent", KILLED_AT)
def test_a_server_that_is_killed_in_hands_loses_nothing_and_does_nothing_twice(
    serve: Callable[..., Served], tmp_path: Path, agent: str, kills: int
) -> None:
    chance = random.Random(kills)
    played, opponent, within = KILLED_AT[agent]
    subject = parse_spot(played["spot"]) if "spot" in played else load_game(played["game"])
    served = serve()
    view = served.post("/tables", {**played, "opponent": opponent, "seed": 11})
    acted = interrupted = 0

    def waited(view: dict) -> dict:
        end = time.monotonic() + 60
        while view["state"] in ("thinking", "waiting"):
            assert time.monotonic() < end
            view = served.get(f"/tables/{view['id']}")
        return view

    def place(view: dict) -> tuple[int, int]:
        return view["shown"]["hand"], view["shown"]["ply"]

    for _ in range(kills):
        for step in range(4):
            view = waited(view)
            before, path = place(view), f"/tables/{view['id']}"
            deals = view["state"] == "over"
            action = chance.choice(view["choices"])["action"] if not deals else ""
            body = {"hand": view["hands"] + 1} if deals else {"action": action, "hand": before[0], "ply": before[1]}
            path += "/deal" if deals else "/actions"
            if step < 3:
                view = served.post(path, body)
                acted += not deals
                continue
            # The server dies before, in, or after the request.
            killer = threading.Timer(chance.uniform(0.0, within), served.process.kill)
            killer.start()
            answered = None
            with suppress(httpx.HTTPError):
                answered = served.post(path, body)
            killer.join()
            served.kill()
            served = serve()
            view = served.get(f"/tables/{view['id']}")
            interrupted += view["state"] in ("thinking", "waiting")
            view = waited(view)
            if answered is not None:
                assert place(view) >= place(answered)
            acted += not deals and place(view) != before
    path = tmp_path / "work" / "tables" / f"{view['id']}.json"
    stored = load_session(path, subject, read_agent(opponent, subject))
    live = again_alive(stored, read_agent(opponent, subject))
    assert live.score().chips == stored.score(measure=False).chips
    # The luck of most hands was computed by a server, perhaps by another one than that in which they were played.
    assert all(known in (None, right) for known, right in zip(stored.estimates, live.estimates, strict=True))
    assert interrupted >= kills // 50 * (agent == "resolver")
    assert len(stored.hands) == view["hands"] >= kills // 4
    seats = [stored.seat_in(number) for number in range(len(stored.hands) + 1)]
    states = [hand.final_state() for hand in stored.hands] + ([] if stored.hand is None else [stored.hand.state])
    by_user = 0
    for state, seat in zip(states, seats, strict=False):
        moment = PublicState.start(subject).betting
        for action in state.line:
            by_user += moment.actor == seat
            moment = moment.apply(action.kind, action.total)
    assert by_user == acted
