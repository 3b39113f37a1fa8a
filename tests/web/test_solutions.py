"""Solutions over HTTP: every number is the public interface's, and nothing wrong is kept."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np
import pytest
from small_subjects import TURN

import errai
from errai.blueprints.blueprint import SHIPPED, shipped_blueprint
from errai.blueprints.opened import BlueprintProfile
from errai.cluster.folder import RunFolder
from errai.cluster.reading import StoredSolution
from errai.games.hand import CALL, PublicState
from errai.games.lock_file import load_locks
from errai.games.spot import parse_spot
from errai.solutions.categories import read_range
from errai.solutions.comparison import compare_nodes
from errai.solutions.export import hand_dict, live_hands, node_csv
from errai.solutions.node import SolutionNode
from errai.solutions.notes import load_notes
from errai.solutions.removal import removed_shares, responses
from errai.solutions.stored import SolutionFile
from errai.store.container import open_container, write_container
from errai.web import library as library_module
from errai.web import views
from errai.web.agents import Agents
from errai.web.files import Workspace
from errai.web.library import Library, Opened
from errai.web.server import make_app
from errai.web.solution_models import SolutionsView, rounded

LINES = {
    "turn": ["", "check", "bet 100", "check check", "check check / 2c / check", "bet 100 fold", "bet 100 call / Ah"],
    "locked": ["", "check"],
    "leduc": ["", "check bet 2", "check check", "check check / Ks / check", "bet 2 call / Ah / check check"],
    "run": ["", "check check", "check check / Ks / check"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of solutions that tests copy."""
    folder = tmp_path_factory.mktemp("solutions")
    spot = parse_spot(TURN)
    errai.solve(spot, max_iterations=20, threads=1).save(folder / "turn.errai")
    locks = {"": {"*": {"check": 0.25, "bet 100": 0.75}}}
    errai.solve(spot, "50%pot", max_iterations=20, threads=1, locks=locks).save(folder / "locked.errai")
    game = errai.load_game("leduc")
    errai.solve(game, max_iterations=20, threads=1).save(folder / "leduc.errai")
    errai.solve(game, store=folder / "run", max_iterations=3, processes=1)
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """The folder ``solutions`` of a workspace."""
    copytree(made, tmp_path / "work" / "solutions")
    return tmp_path / "work" / "solutions"


class Http:
    """Requests to the application in this process, without the guard."""

    def __init__(self, folder: Path) -> None:
        self.app = make_app(Workspace.at(folder))
        self.library: Library = self.app.state.services.library

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test/api/v1") as client:
                return await client.request(method, f"/solutions/{path}".rstrip("/"), **more)

        # The browser of other tests keeps an event loop in this thread.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(asked())).result()

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self.request("GET", path, params=query)

    def post(self, path: str, content: bytes = b"", **query: Any) -> httpx.Response:
        return self.request("POST", path, params=query, content=content)

    def delete(self, path: str) -> httpx.Response:
        return self.request("DELETE", path)


@pytest.fixture
def http(place: Path) -> Http:
    return Http(place.parent)


def get(http: Http, path: str, **query: Any) -> Any:
    answer = http.get(path, **query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def problem(answer: Any, status: int) -> dict[str, str]:
    assert answer.status_code == status, answer.text
    return answer.json()["error"]  # type: ignore[no-any-return]


def short(values: Any) -> Any:
    """Six significant digits of a number or of nested sequences, with None for NaN."""
    if isinstance(values, np.ndarray | list | tuple):
        return [short(value) for value in values]
    return None if not np.isfinite(values) else float(f"{values:.6g}")


def opened(made: Path, name: str) -> errai.Solution | StoredSolution:
    return errai.open_run(made / name) if name == "run" else errai.load_solution(made / f"{name}.errai")


@pytest.mark.parametrize("value", [0.0, 1.0, -2 / 3, 1e-9, 123456.5, 1234567.0, -98765432.1, 0.1 + 0.2, 2147483647.0])
def test_numbers_have_six_digits(value: float) -> None:
    assert rounded(value) == float(f"{value:.6g}")
    assert rounded([[value, float("nan")]]) == [[float(f"{value:.6g}"), None]]


def check_view(view: dict[str, Any], node: SolutionNode) -> None:
    live = live_hands(node)
    assert view["line"] == node.line
    assert view["kind"] == node.kind
    assert (view["player"], view["player_names"]) == (node.player, list(node.player_names))
    assert view["player_name"] == (node.player_name)
    assert " ".join(view["board"]) == node.board_text
    for name in ("pot_chips", "to_call_chips", "stacks_chips", "sunk_chips", "reached", "unconverged"):
        assert view[name] == short(getattr(node, name)), name
    assert view["hands"] == [node.hands[i] for i in live]
    assert view["weights"] == short(node.ranges[:, live])
    for name, field in (("ev", "ev_chips"), ("equity", "equity"), ("equity_realised", "equity_realised")):
        assert view[field] == short(getattr(node, name)[:, live])
        assert view["ranges"][field] == short(getattr(node, f"range_{name}"))
    assert [action["step"] for action in view["actions"]] == list(node.actions)
    if node.player is None:
        assert (view["strategy"], view["action_ev_chips"]) == (None, None)
        assert view["deals"] == (list(node.children) if node.kind == "chance" else [])
    else:
        assert view["strategy"] == short(node.strategies[live])
        assert view["action_ev_chips"] == short(node.action_ev[live])
        assert [action["frequency"] for action in view["actions"]] == short(node.frequencies)
        assert [action["ev_chips"] for action in view["actions"]] == short(node.range_action_ev)
    assert view["locked"] == node.locked


@pytest.mark.parametrize("name", LINES)
def test_every_number_is_that_of_the_public_node(http: Http, made: Path, name: str) -> None:
    solution = opened(made, name)
    for line in LINES[name]:
        view = get(http, f"{name}/node", line=line)
        check_view(view, solution.at(line))
        proof = view["certificate"]
        assert proof["chips"] == short(solution.exploitability.chips)
        assert proof["pot_percent"] == short(solution.exploitability.pot_percent)
        assert f"{solution.iterations:,} iterations" in proof["text"]
        assert proof["checked"] == ("part" if name == "run" else "file")
        assert view["command"].startswith(f"errai show {http.library._folder.parent}")


def test_the_list_has_what_is_said_of_each_solution(http: Http, place: Path) -> None:
    (place / "link.errai").symlink_to(place / "turn.errai")
    (place / "wrong.errai").write_bytes(b"x")
    for _ in range(2):  # What was read the first time is kept.
        answer = get(http, "")
        assert SolutionsView.model_validate(answer).model_dump(mode="json") == answer
        found = {one["name"]: one for one in answer["solutions"]}
        assert sorted(found) == [*SHIPPED, "leduc", "locked", "run", "turn", "wrong"]
        assert all(one == get(http, name) for name, one in found.items())
        assert found["wrong"]["status"] == "damaged"
        assert [one["name"] for one in answer["solutions"] if one["shipped"]] == [*SHIPPED]
        times = [one["modified"] for one in answer["solutions"] if not one["shipped"]]
        assert times == sorted(times, reverse=True)
    assert http.post("turn/verify").json()["certified"]
    assert {one["name"]: one["certified"] for one in get(http, "")["solutions"]}["turn"] is True
    os.replace(place / "locked.errai", place / "turn.errai")
    assert {one["name"]: one["certified"] for one in get(http, "")["solutions"]}["turn"] is None


def test_a_solution_is_in_memory_once(place: Path) -> None:
    library = Library(Workspace.at(place.parent))
    with library.opened("turn") as found:
        assert Agents(library).solution("turn") is found.solution


def test_columns_are_the_way_to_the_node(http: Http, made: Path) -> None:
    solution = opened(made, "turn")
    columns = get(http, "turn/node", line="check bet 100 call / 2c / check")["columns"]
    assert [column["card"] for column in columns] == [None, None, None, "2c", None]
    assert [column["kind"] for column in columns] == ["action", "action", "action", "card", "action"]
    assert [column["street"] for column in columns] == ["turn", "turn", "turn", "river", "river"]
    taken = ["check", "bet 100", "call", None, "check"]
    for column, step in zip(columns, taken, strict=True):
        node = solution.at(column["line"])
        assert column["player"] == node.player
        assert column["pot_chips"] == node.pot_chips
        assert [option["step"] for option in column["options"]] == list(node.actions)
        assert [option["frequency"] for option in column["options"]] == short(node.frequencies)
        assert [option["step"] for option in column["options"] if option["taken"]] == ([step] if step else [])


def test_a_file_read_in_parts_says_so(http: Http, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "WHOLE_BYTES", 0)
    whole = opened(made, "leduc")
    for line in LINES["leduc"]:
        view = get(http, "leduc/node", line=line)
        assert view["certificate"]["checked"] == "part"
        assert "`errai verify` checks the whole file" in view["certificate"]["text"]
        check_view(get(http, "leduc/node", line=line, whole=True), whole.at(line))
        # The two are summed in another order.
        other = short(whole.at(line).ev[:, live_hands(whole.at(line))])
        for mine, theirs in zip(view["ev_chips"], other, strict=True):
            assert mine == [None if v is None else pytest.approx(v, abs=1e-5) for v in theirs]
    for asked, kind in ((False, SolutionFile), (True, errai.Solution)):
        with http.library.opened("leduc", whole=asked) as found:
            assert type(found.solution) is kind


def test_the_list(http: Http, place: Path, made: Path) -> None:
    (place / "hurt.errai").write_bytes(b"x")
    (place / ".hidden.errai").write_bytes(b"x")
    (place / "other").mkdir()
    found = {one["name"]: one for one in get(http, "")["solutions"]}
    assert set(found) == {*SHIPPED, "turn", "locked", "leduc", "run", "hurt"}
    for name in LINES:
        solution, one = opened(made, name), found[name]
        chips = solution.exploitability
        assert one["exploitability"] == {"chips": chips.chips, "mbb": chips.mbb, "pot_percent": chips.pot_percent}
        assert one["title"] == solution.title
        assert one["status"] == solution.status
        assert get(http, name) == one
    assert found["turn"]["bytes"] == (place / "turn.errai").stat().st_size
    assert (found["run"]["kind"], found["turn"]["kind"], found["turn"]["game"]) == ("run", "solution", "spot")
    assert found["leduc"]["game"] == "leduc"
    assert (found["hurt"]["status"], found["hurt"]["exploitability"]) == ("damaged", None)
    assert "not a file of Errai's" in found["hurt"]["error"]


def test_a_spot_before_the_flop(http: Http) -> None:
    errai.preflop(4).save(http.library._folder / "push.errai")
    one = get(http, "push")
    assert one["kind"] == "preflop"
    solution = errai.load_solution(http.library._folder / "push.errai")
    assert one["exploitability"]["pot_percent"] == solution.exploitability.pot_percent
    assert parse_spot(get(http, "push/spot")["subject"]["spot"]).digest() == solution.subject.digest()


# --- uploads and names -----------------------------------------------------------------------------------------------


def test_an_upload_is_listed(http: Http, place: Path) -> None:
    content = (place / "turn.errai").read_bytes()
    answer = http.post("", content, name="new")
    assert answer.status_code == 201
    assert answer.json() == get(http, "new")
    assert (place / "new.errai").read_bytes() == content
    assert get(http, "new/node") == {
        **get(http, "turn/node"),
        "solution": "new",
        "command": get(http, "new/node")["command"],
    }
    error = problem(http.post("", content, name="new"), 422)
    assert "already" in error["message"]
    assert "already" in problem(http.post("", content, name="run"), 422)["message"]


def flipped(content: bytes) -> bytes:
    hurt = bytearray(content)
    hurt[-9] ^= 4
    return bytes(hurt)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda content: content[:-1], "DamagedFileError"),
        (lambda content: content + b"x", "DamagedFileError"),
        (flipped, "DamagedFileError"),
        (lambda content: b"", "DamagedFileError"),
        (lambda content: b'board = "Qs Jh 2c"', "ForeignFileError"),
        (lambda content: content[:40], "DamagedFileError"),
    ],
)
def test_a_wrong_upload_is_not_kept(http: Http, place: Path, change: Callable[[bytes], bytes], kind: str) -> None:
    before = sorted(os.listdir(place))
    content = change((place / "turn.errai").read_bytes())
    error = problem(http.post("", content, name="new"), 422)
    assert error["type"] == kind
    assert error["message"].startswith("new ")
    assert sorted(os.listdir(place)) == before


def test_another_kind_of_container_is_foreign(http: Http, place: Path, tmp_path: Path) -> None:
    write_container(tmp_path / "it", "checkpoint", {"a": 1}, {})
    content = (tmp_path / "it").read_bytes()
    error = problem(http.post("", content, name="new"), 422)
    assert error["type"] == "ForeignFileError"
    assert "new.errai" not in os.listdir(place)


@pytest.mark.parametrize("name", ["..", ".", "../x", "a/../../x", "%2e%2e%2fx", "..%2f..%2fjobs", ".x", "a..b", "x\0y"])
def test_names_are_never_paths(http: Http, place: Path, name: str) -> None:
    (place.parent / "x.errai").write_bytes((place / "turn.errai").read_bytes())
    before = sorted(path for path in place.parent.rglob("*"))
    for method, path in (("GET", "/node"), ("GET", "/export?format=csv"), ("DELETE", ""), ("POST", "/verify")):
        for text in (quote(name), quote(name, safe="")):
            answer = http.request(method, f"{text}{path}")
            assert answer.status_code in (404, 405, 422), (method, text)
    answer = http.post("", (place / "turn.errai").read_bytes(), name=name)
    assert answer.status_code == 422
    assert sorted(path for path in place.parent.rglob("*")) == before


def test_leftovers_are_removed_at_the_start(place: Path) -> None:
    (place / ".upload-x.partial").write_bytes(b"x")
    (place / ".deleted-x").mkdir()
    (place / ".deleted-x" / "run.errai").write_bytes(b"x")
    Library(Workspace.at(place.parent)).clean()
    assert not {".upload-x.partial", ".deleted-x"} & set(os.listdir(place))


def test_removing(http: Http, place: Path) -> None:
    get(http, "turn/node")
    assert http.delete("turn").status_code == 204
    assert problem(http.get("turn/node"), 404)["type"] == "UnknownNameError"
    with RunFolder(place / "run").locked():
        assert problem(http.delete("run"), 409)["type"] == "RunInUseError"
    assert http.delete("run").status_code == 204
    assert sorted(os.listdir(place)) == ["leduc.errai", "locked.errai"]


# --- what is kept open -----------------------------------------------------------------------------------------------


def test_a_file_that_changes_is_opened_again(http: Http, place: Path, made: Path) -> None:
    first = get(http, "turn/node")
    os.replace(place / "locked.errai", place / "turn.errai")
    second = get(http, "turn/node")
    assert first["locked"] == {}
    check_view(second, opened(made, "locked").root)


def test_few_solutions_and_nodes_are_kept(http: Http, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "MAX_NODES", 3)
    library = http.library
    library._places.most = 2
    for name in ("turn", "leduc", "locked"):
        get(http, f"{name}/node")
    assert len(library._places) == 2
    for line in LINES["leduc"]:
        get(http, "leduc/node", line=line)
        with library.opened("leduc") as found:
            assert len(found.nodes) <= 3


def test_a_node_that_is_asked_for_again_is_not_made_again(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    node_view = views.node_view

    def counted(opened: Opened, line: str) -> dict[str, Any]:
        made.append(line)
        return node_view(opened, line)

    monkeypatch.setattr(views, "node_view", counted)
    monkeypatch.setattr(library_module, "MAX_ANSWERS", 2)
    asked = ["", "check", "", "", "bet 100", "", "check"]
    first = {line: http.request("GET", f"turn/node?line={quote(line)}").content for line in asked[:2]}
    for line in asked[2:]:
        found = http.request("GET", f"turn/node?line={quote(line)}").content
        assert found == first.setdefault(line, found)
    # Of two answers the one that was asked for longest ago has gone.
    assert made == ["", "check", "bet 100", "check"]
    assert http.request("GET", "turn/node?line=&player=1").json()["command"].endswith("--player 1")


def test_requests_do_not_pile_up(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "MAX_REQUESTS", 1)
    library = http.library
    with library.opened("turn"):
        assert problem(http.get("turn/node"), 503)["type"] == "BusyError"
    get(http, "turn/node")


def test_two_solutions_are_opened_by_two_requests_at_once(place: Path) -> None:
    library = Library(Workspace.at(place.parent))
    done = []

    def both(first: str, second: str) -> None:
        for _ in range(20):
            with library.both_opened(first, second) as (one, other):
                done.append((one.path.stem, other.path.stem) == (first, second))

    threads = [threading.Thread(target=both, args=names) for names in (("turn", "locked"), ("locked", "turn"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert done == [True] * 40


# --- the rest --------------------------------------------------------------------------------------------------------


def test_hands(http: Http, made: Path) -> None:
    node = opened(made, "turn").at("check")
    found = get(http, "turn/hand", line="check", hand="AKs")["hands"]
    assert [one["hand"] for one in found] == ["AcKc", "AdKd", "AhKh", "AsKs"]
    for one in found:
        expected = hand_dict(node, node.hands.index(one["hand"]))
        assert one == json.loads(json.dumps(expected), parse_float=lambda text: float(f"{float(text):.6g}"))
    assert get(http, "turn/hand", line="check", hand="kcac")["hands"] == [found[0]]
    assert problem(http.get("turn/hand", **{"hand": "Zz"}), 422)["type"] == "LineError"


@pytest.mark.parametrize("name", ["turn", "leduc", "run"])
def test_run_outs(http: Http, made: Path, name: str) -> None:
    line = "check check"
    view, found = get(http, f"{name}/runouts", line=line), opened(made, name).at(line).run_outs()
    assert [row["deals"] for row in view["rows"]] == [list(row.deals) for row in found.rows]
    for row, expected in zip([*view["rows"], view["mean"]], [*found.rows, found.mean()], strict=True):
        assert row["probability"] == short(expected.probability)
        assert row["frequencies"] == short(expected.frequencies)
        assert row["ev_chips"] == short(expected.ev_chips)
        assert row["equity"] == short(expected.equity)
    assert [action["label"] for action in view["actions"]] == list(found.actions)
    assert view["command"].startswith("errai runouts ")
    assert problem(http.get(f"{name}/runouts"), 422)["type"] == "LineError"


@pytest.mark.parametrize("line", ["", "check"])
def test_comparing(http: Http, made: Path, line: str) -> None:
    view = get(http, "turn/compare", line=line, **{"with": "locked"})
    nodes = [opened(made, name).at(line) for name in ("turn", "locked")]
    found = compare_nodes(*nodes)
    live = sorted({*live_hands(nodes[0]), *live_hands(nodes[1])})
    assert view["solutions"] == ["turn", "locked"]
    assert view["hands"] == [nodes[0].hands[i] for i in live]
    assert view["strategies"] == short(found.strategies[:, live])
    assert view["strategy_difference"] == short(found.strategies[1, live] - found.strategies[0, live])
    assert view["ev_chips"] == short(found.ev[:, :, live])
    assert view["ev_difference_chips"] == short((found.ev[1] - found.ev[0])[:, live])
    assert view["equity"] == short(np.stack([node.equity[:, live] for node in nodes]))
    assert view["sunk_chips"] == short([node.sunk_chips for node in nodes])
    assert view["action_ev_difference_chips"] == short(found.action_ev[1, live] - found.action_ev[0, live])
    assert view["ranges"]["ev_chips"] == short(found.range_ev)
    assert view["ranges"]["equity_difference"] == short(found.range_equity[1] - found.range_equity[0])
    for command, name in zip(view["commands"], ("turn", "locked"), strict=True):
        assert command.startswith(f"errai show {http.library.path(name)}")
        assert command.endswith(line)
    for i, action in enumerate(view["actions"]):
        assert action["offered"] == [action["label"] in node.actions for node in nodes]
        assert action["frequency"] == short(found.frequencies[:, i])
        assert action["frequency_difference"] == short(found.frequencies[1, i] - found.frequencies[0, i])
        assert action["ev_difference_chips"] == short(found.range_action_ev[1, i] - found.range_action_ev[0, i])


def test_a_line_beside_another(http: Http) -> None:
    view = get(http, "turn/compare", line="check", with_line="bet 100", **{"with": "turn"})
    assert view["lines"] == ["check", "bet 100"]
    assert [action["label"] for action in view["actions"]] == ["check", "bet 100", "fold", "call", "raise 200"]
    for query in ({"with": "leduc"}, {"with": "locked", "with_line": "check"}):
        answer = http.get("turn/compare", **query)
        assert problem(answer, 422)["type"] == "MismatchError"
    assert http.get("turn/compare", **{"with": "nothing"}).status_code == 404


def test_exports_are_those_of_the_command_line(http: Http, made: Path) -> None:
    node = opened(made, "turn").at("check")

    def exported(**query: str) -> Any:
        return http.get("turn/export", **{"line": "check", **query})

    assert exported(format="csv").text == node_csv(node)
    assert exported(format="csv").headers["content-disposition"] == 'attachment; filename="turn-check.csv"'
    assert exported(format="json").json()["ev_chips"] == node.range_ev.tolist()
    assert exported(format="png").content[:4] == b"\x89PNG"
    assert exported(format="svg", by="equity").text.startswith("<svg")


def test_run_outs_are_exported_as_the_command_line_writes_them(http: Http, made: Path) -> None:
    found = opened(made, "turn").at("check check").run_outs()

    def exported(**query: str) -> Any:
        return http.get("turn/runouts/export", **{"line": "check check", **query})

    table = exported(format="csv")
    assert table.text == found.to_csv()
    assert table.headers["content-disposition"] == 'attachment; filename="turn-check-check-runouts.csv"'
    assert exported(format="json").json() == found.to_dict()
    assert exported(format="png").content[:4] == b"\x89PNG"
    assert exported(format="svg", by="ev", player="1").text.startswith("<svg")
    assert problem(http.get("turn/runouts/export", format="csv", line="check"), 422)["type"] == "LineError"
    assert problem(http.get("leduc/export", format="svg", by="ev"), 422)["type"] == "InputError"


def test_verifying(http: Http, place: Path) -> None:
    answer = http.post("turn/verify").json()
    assert (answer["certified"], answer["text"], answer["differences"]) == (True, "Certified.", [])
    assert get(http, "turn")["certified"] is True
    container = open_container(place / "turn.errai")
    arrays = {name: container.read(name) for name in container.arrays}
    metadata = {key: value for key, value in container.metadata.items() if key != "pieces"}
    metadata["certificate"]["exploitability_chips"] /= 2
    write_container(place / "turn.errai", "solution", metadata, arrays)
    assert get(http, "turn")["certified"] is None
    answer = http.post("turn/verify").json()
    assert answer["certified"] is False
    assert [one["name"] for one in answer["differences"]] == ["exploitability"]
    assert answer["differences"][0]["certificate"] == metadata["certificate"]["exploitability_chips"]
    assert answer["text"].startswith("NOT certified: exploitability: ")
    assert get(http, "turn")["certified"] is False
    # A server that is started again knows what was found, until the file changes.
    assert get(Http(place.parent), "turn")["certified"] is False


def test_runs_are_verified_unless_they_are_large(http: Http, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = http.post("run/verify").json()
    assert (answer["certified"], get(Http(place.parent), "run")["certified"]) == (True, True)
    monkeypatch.setattr(library_module, "MAX_VERIFIED_RUN_BYTES", 0)
    answer = http.post("run/verify").json()
    assert answer["certified"] is None
    assert answer["command"] == f"errai verify {place / 'run'}"


def test_what_was_verified_is_not_believed_blindly(http: Http, place: Path) -> None:
    (place / ".verified.json").write_text("[1")
    assert get(http, "turn")["certified"] is None
    assert http.post("turn/verify").json()["certified"] is True
    kept = json.loads((place / ".verified.json").read_text())
    kept["turn"]["certified"] = "yes"
    (place / ".verified.json").write_text(json.dumps(kept))
    assert get(Http(place.parent), "turn")["certified"] is None


def test_a_node_is_read_by_category(http: Http, made: Path) -> None:
    node = opened(made, "turn").at("check bet 100")
    view = get(http, "turn/node", line="check bet 100")
    found = get(http, "turn/reading", line="check bet 100")
    live = live_hands(node)
    assert found["pair_weights"] == short(node.pair_weights[:, live])
    reading = read_range(node)
    assert found["nuts"]["fractions"] == short(reading.nuts.fractions)
    for row in (*reading.made, *reading.draws):
        names = found["draws" if row.is_draw else "made"]
        place = names.index(row.name)
        inside = [
            bool(mask >> place & 1) if row.is_draw else category == place
            for category, mask in zip(found["made_of_hands"], found["draws_of_hands"], strict=True)
        ]
        combos = sum(w for w, one in zip(view["weights"][reading.player], inside, strict=True) if one)
        assert combos == pytest.approx(row.combos, abs=1e-5)
    assert "from a full deck only" in get(http, "leduc/reading")["why_no_categories"]


def test_what_a_hand_blocks(http: Http, made: Path) -> None:
    node = opened(made, "turn").at("check")
    found = get(http, "turn/blockers", line="check", hand="AKs")
    assert (found["player"], found["hands"]) == (
        1,
        [h for h in node.hands if node.ranges[1, node.hand_index(h)] and "A" in h],
    )
    hands = [node.hand_index(hand) for hand in found["hands"]]
    assert found["removed"] == short(removed_shares(node, 1, hands))
    after = responses(node, 1, hands)
    assert [one["step"] for one in found["responses"]] == [one.step for one in after]
    for one, expected in zip(found["responses"], after, strict=True):
        assert [action["label"] for action in one["actions"]] == list(expected.node.actions)
        assert one["frequencies"] == short(expected.node.frequencies)
        assert (one["with_hand"], one["removed"]) == (short(expected.with_hand), short(expected.removed))
    assert "not in the range" in problem(http.get("turn/blockers", hand="72o"), 422)["message"]


def test_notes_are_those_of_the_command_line(http: Http, place: Path) -> None:
    def put(line: str, text: str, name: str = "turn") -> httpx.Response:
        return http.request("PUT", f"{name}/notes", json={"line": line, "text": text})

    assert get(http, "turn/notes") == {"notes": []}
    assert put("CHECK", "Bluff less.").json() == {"notes": [{"line": "check", "text": "Bluff less."}]}
    assert load_notes(place / "turn.errai") == {"check": "Bluff less."}
    assert "turn.errai.notes.toml" not in {one["name"] for one in get(http, "")["solutions"]}
    assert problem(put("bet 7", "x"), 422)["type"] == "LineError"
    assert problem(put("", " "), 422)["type"] == "NoteError"
    assert "comes with Errai" in problem(put("", "x", "blueprint"), 422)["message"]
    assert get(http, "blueprint/notes") == {"notes": []}
    assert http.request("DELETE", "turn/notes", params={"line": "check"}).json() == {"notes": []}
    assert problem(http.request("DELETE", "turn/notes"), 422)["type"] == "NoteError"
    put("", "Gone with the file.")
    http.delete("turn")
    assert not list(place.glob("turn.errai*"))


def test_the_list_says_what_a_spot_is(http: Http, place: Path, made: Path) -> None:
    spot = parse_spot(TURN)
    found = get(http, "turn")
    assert (found["board"], found["pot_chips"], found["stacks_chips"]) == (
        ["Qs", "Jh", "2s", "8h"],
        spot.pot,
        [200, 200],
    )
    assert found["big_blind_chips"] is None
    (place / "turn.checkpoint").write_bytes(bytes(1234))
    assert {one["name"]: one["start_bytes"] for one in get(http, "")["solutions"]}["turn"] == 1234
    (place / "turn.checkpoint").unlink()
    assert {one["name"]: one["start_bytes"] for one in get(http, "")["solutions"]}["turn"] == 0


def test_locked_hands_are_marked_at_the_node_and_on_the_line(http: Http, made: Path) -> None:
    view = get(http, "locked/node")
    assert [view["hands"][i] for i in view["locked_hands"]] == [
        hand for i, hand in enumerate(view["hands"]) if view["weights"][0][i]
    ]
    after = get(http, "locked/node", line="check check / 2c /")
    assert ([column["locked"] for column in after["columns"]], after["locked_hands"]) == ([True, False, False], [])


def test_seats_of_games_with_blinds_are_named_by_them(http: Http) -> None:
    view = get(http, "blueprint-nl/node")
    assert (view["player_names"], view["player_name"]) == (["big blind", "small blind"], "small blind")
    assert view["big_blind_chips"] == 100
    assert get(http, "blueprint/node")["big_blind_chips"] is None


def test_one_verification_at_a_time(http: Http) -> None:
    library = http.library
    with library._verifying:
        assert problem(http.post("turn/verify"), 503)["type"] == "BusyError"


def test_solving_again(http: Http, made: Path, tmp_path: Path) -> None:
    found = get(http, "locked/spot")
    solution = opened(made, "locked")
    spot = parse_spot(found["subject"]["spot"])
    assert spot.digest() == solution.subject.digest()
    assert found["settings"]["target"] == "50%pot"
    (tmp_path / "locks.toml").write_text(found["settings"]["locks"])
    again = errai.solve(spot, max_iterations=2, threads=1, locks=load_locks(tmp_path / "locks.toml"))
    np.testing.assert_array_equal(again.root.strategies, solution.root.strategies)
    expected = {"subject": {"game": "leduc"}, "settings": {"target": None, "menu": None, "net": None, "locks": None}}
    assert get(http, "leduc/spot") == expected
    text = get(http, "turn/lock", line="check", decimals=6)["locks"]
    (tmp_path / "locks.toml").write_text(text)
    again = errai.solve(spot, max_iterations=2, threads=1, locks=load_locks(tmp_path / "locks.toml"))
    held = again.root.ranges[1] > 0
    expected_play = opened(made, "turn").at("check").strategies[held]
    np.testing.assert_allclose(again.at("check").strategies[held], expected_play, atol=1e-4)
    assert problem(http.get("turn/lock", line="check check"), 422)["type"] == "LineError"


def test_a_lookahead_is_shown_and_never_taken_for_its_whole_game(http: Http, place: Path) -> None:
    leduc = errai.load_game("leduc")
    rest = errai.lookahead(leduc, PublicState.start(leduc).after(CALL), depth=None)
    errai.solve(rest, max_iterations=20, threads=1).save(place / "rest.errai")
    assert get(http, "rest/node")["actions"]
    assert "lookahead" in problem(http.get("rest/spot"), 422)["message"]


def test_the_certificate_of_a_cut_solution_is_called_that_of_the_cut_game(http: Http, place: Path) -> None:
    game, net = errai.load_game("leduc.nolimit"), errai.load_net("leduc")
    solved = errai.solve(game, leaf_values=net, max_iterations=10, threads=1)
    solved.save(place / "cut.errai")
    view = get(http, "cut/node")
    assert view["certificate"]["cut"]
    assert "exploitability of the cut game" in view["certificate"]["text"]
    assert not get(http, "turn/node")["certificate"]["cut"]
    assert not view["reads_more"]
    listed = next(one for one in get(http, "")["solutions"] if one["name"] == "cut")
    assert listed["title"] == solved.title


@pytest.mark.parametrize("name", SHIPPED)
def test_the_blueprints_of_the_package_are_opened_like_solutions(http: Http, name: str) -> None:
    view = get(http, name)
    assert (view["kind"], view["status"], view["shipped"], view["exploitability"]) == (
        "blueprint",
        "trained",
        True,
        None,
    )
    assert view["command"] == f"errai show {name}"
    profile = BlueprintProfile(shipped_blueprint(name))
    for line in ("", "call check / 7h9hQh / check", "call check / 7h9hQh / check check / 2s / check check / 3c /"):
        node = get(http, f"{name}/node", line=line)
        check_view(node, profile.at(line))
        assert node["certificate"]["pot_percent"] is None
        assert "no certificate" in node["certificate"]["text"]
    assert len(http.get(f"{name}/export", line="call", format="csv").text.splitlines()) == 1328
    assert "deleted" in problem(http.delete(name), 422)["message"]
    assert "no certificate" in problem(http.post(f"{name}/verify"), 422)["message"]
    assert "a blueprint" in problem(http.get(f"{name}/spot"), 422)["message"]


def test_blueprints_are_taken_in_if_they_hold_their_buckets(http: Http, tmp_path: Path) -> None:
    game = errai.load_game("leduc")
    errai.train(game, "by-strength:2", "full", max_iterations=3).save(tmp_path / "own.errai")
    assert http.post("", (tmp_path / "own.errai").read_bytes(), name="own").status_code == 201
    assert get(http, "own/node")["actions"]
    assert http.delete("own").status_code == 204
    made = errai.train(game, "by-strength:2", "full", max_iterations=3)
    made.abstraction_text = "/somewhere/cards"
    made.save(tmp_path / "own.errai")
    refusal = problem(http.post("", (tmp_path / "own.errai").read_bytes(), name="own"), 422)
    assert "--whole" in refusal["message"]
    assert "own" not in {one["name"] for one in get(http, "")["solutions"]}
    container = open_container(tmp_path / "own.errai")
    arrays = {f"steps/{s}/{p}": container.read(f"steps/{s}/{p}") for s in (0, 1) for p in (0, 1)}
    for wrong in ("cards", None, [], {"text": 3, "digest": "x"}):
        write_container(tmp_path / "hurt.errai", "blueprint", {**container.metadata, "abstraction": wrong}, arrays)
        problem(http.post("", (tmp_path / "hurt.errai").read_bytes(), name="own"), 422)
