"""Every file of the folder of a server, damaged in every way: what is not damaged answers as before."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from charted_hands import CHARTS, played
from small_subjects import RIVER
from web_client import Client

from errai.arena.histories.phh import phhs_text
from errai.errors import DamagedFileError
from errai.web import worker
from errai.web.files import KINDS, Workspace
from errai.web.jobs import JobStore

SOLVE = {"kind": "solve", "subject": {"spot": RIVER}, "settings": {"target": "1%pot"}}
MATCH: dict[str, Any] = {
    "kind": "match",
    "subject": {"game": "kuhn"},
    "agents": ["uniform", "always-call"],
    "settings": {"hands": 20},
}
REPORT = {
    "kind": "report",
    "subject": {"spot": RIVER.replace(" 8d 3s", "")},
    "settings": {"flop_list": "Ks7h2d", "lines": [""], "target": "5%pot", "processes": 1},
}
PATHS = {
    "jobs": (
        "jobs/ONE",
        "jobs/ONE/progress",
        "jobs/ONE/solve",
        "jobs/ONE/first",
        "reviews/ONE",
        "reviews/ONE/decisions",
    ),
    "tables": ("tables/ONE", "tables/ONE/hands", "tables/ONE/score"),
    "drills": ("drills/ONE", "drills/ONE/answers"),
    "reports": ("reports/ONE", "reports/ONE/table", "reports/ONE/flops/Ks7h2d"),
}
"""What is asked of each that may be damaged."""
LBR = {"kind": "lbr", "subject": {"game": "leduc"}, "agent": "uniform", "settings": {"hands": 40}}


def run_jobs(client: Client) -> None:
    """Do what is in the queue, in this process."""
    store = client.services.jobs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker.signal, "signal", lambda *_: None)
        for view in reversed(store.views().values()):
            if view.state == "queued":
                worker.work(store.folder(view.id))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three jobs that have ended, one that waits, a solution, two results and two tables."""
    folder = tmp_path_factory.mktemp("whole") / "work"
    client = Client(folder)
    for body in (SOLVE, MATCH, LBR):
        assert client.ask("POST", "jobs", body).status_code == 201
    run_jobs(client)
    assert client.ask("POST", "jobs", {**MATCH, "title": "waits"}).status_code == 201
    for subject in ({"game": "kuhn"}, {"spot": RIVER}):
        answer = client.ask("POST", "tables", {**subject, "opponent": "uniform", "seating": "first"})
        assert answer.status_code == 201, answer.text
    assert {job["state"] for job in client.told("jobs")["jobs"]} == {"done", "queued"}
    client.services.close()
    return folder


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with charts, a review, its spot, a drill over it, a report, and a job that waits."""
    folder = tmp_path_factory.mktemp("studied") / "work"
    client = Client(folder)
    assert client.ask("POST", "charts", {"name": "mine", "text": CHARTS}).status_code == 201
    review = client.ask("POST", f"reviews?charts=mine&target=2%25pot&memory={1 << 24}", phhs_text([played()]).encode())
    assert review.status_code == 201, review.text
    assert client.ask("POST", "jobs", REPORT).status_code == 201
    run_jobs(client)
    assert client.ask("POST", "jobs", {**MATCH, "title": "waits"}).status_code == 201
    assert client.ask("POST", "drills", {"review": review.json()["id"]}).status_code == 201
    assert [job["state"] for job in client.told("jobs")["jobs"]] == ["queued", "done", "done"]
    client.services.close()
    return folder


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def kept_after(data: bytes) -> dict[str, bytes]:
    """What a file may hold after a fault: half of it, zeros, something after its end, and JSON of other shapes."""
    found = {
        "empty": b"",
        "half": data[: len(data) // 2],
        "zeros": bytes(len(data)),
        "zeros at the end": data + b"\0\0\0\0\n",
        "5": b"5",
        "null": b"null",
        "[]": b"[]",
        "{}": b"{}",
        "not UTF-8": b"\xff\xfe\n",
        "deep": b"[" * 10_000,
    }
    try:
        content = json.loads(data)
    except ValueError:
        return found
    # Every field of the file gone, or of another type.
    if isinstance(content, dict):
        for key in content:
            found[f"without {key}"] = json.dumps(
                {name: value for name, value in content.items() if name != key}
            ).encode()
            for wrong in (5, [], {}):
                found[f"{key} is {wrong!r}"] = json.dumps({**content, key: wrong}).encode()
    return found


def faults(path: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every way in which a file may be damaged, and what does it."""
    data = path.read_bytes()
    for name, text in kept_after(data).items():
        yield name, lambda text=text: path.write_bytes(text)  # type: ignore[misc]
    yield "missing", path.unlink

    def in_its_place(make: Callable[[], object]) -> Callable[[], None]:
        def do() -> None:
            path.unlink()
            make()

        return do

    yield "a folder", in_its_place(path.mkdir)
    yield "a pipe", in_its_place(lambda: os.mkfifo(path))
    yield "a link away", in_its_place(lambda: path.symlink_to("/etc/passwd"))
    yield "a link to nothing", in_its_place(lambda: path.symlink_to("/nothing/here"))
    yield "a link to itself", in_its_place(lambda: path.symlink_to(path.name))
    if os.geteuid():
        yield "unreadable", lambda: path.chmod(0)


def restore(whole: Path, work: Path, name: str) -> None:
    """Put back a file, and the time of its folder, as they were."""
    path = work / name
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    shutil.copy2(whole / name, path)


def entries(client: Client) -> dict[str, Any]:
    """All that the lists say, by the room and the name."""
    found = {("jobs", one["id"]): one for one in client.told("jobs")["jobs"]}
    found |= {("solutions", one["name"]): one for one in client.told("solutions")["solutions"]}
    for room, key in (("tables", "id"), ("drills", "id"), ("charts", "name"), ("reports", "name")):
        found |= {(room, one[key]): one for one in client.told(room)[room]}
    matches = client.told("matches")
    found |= {("matches", one["name"]): one for one in matches["matches"]}
    found |= {("matches", name): why for name, why in matches["unreadable"].items()}
    return found  # type: ignore[return-value]


def owner(name: str) -> tuple[str, str]:
    """The room and the name of what a file belongs to."""
    room, rest = name.split("/", 1)
    return room, rest.split("/")[0] if "/" in rest else rest.split(".")[0]


SHARES = pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
"""Every fifth damage of all files by default, or all of them."""


@SHARES
def test_a_damaged_file_hides_nothing_else(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    assert damaged_one_by_one(whole, tmp_path / "work", monkeypatch, every, lambda name, fault: True) > 500 // every


@SHARES
def test_a_damaged_file_of_a_study_hides_nothing_else(
    studied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """Only files that the rooms for this have alone; what all jobs have is damaged above."""
    common = ("lock", "log", "run.json", "progress.jsonl", "result.json", "spot.toml", "queued")
    page = ("report.html", "report.json", "first.svg", "waits")

    def is_own(name: str, fault: str) -> bool:
        room, *_, last = name.split("/")
        return not (room == "jobs" and last in common) and not any(one in name for one in page) and " is " not in fault

    assert damaged_one_by_one(studied, tmp_path / "work", monkeypatch, every, is_own) > 150 // every


def damaged_one_by_one(
    whole: Path, work: Path, monkeypatch: pytest.MonkeyPatch, every: int, wanted: Callable[[str, str], bool]
) -> int:
    """Damage files in the ways that are wanted, by their names and those of the faults, or in every nth of these.

    Returns how often one was damaged.
    """
    shutil.copytree(whole, work)
    # The processes of jobs are of no interest here.
    monkeypatch.setattr(JobStore, "_start", lambda self, name: started.append(name))
    before = entries(Client(work))
    waiting = next(name for (room, name), one in before.items() if room == "jobs" and one["state"] == "queued")
    tried = number = 0
    for name in files_of(work):
        room, one = owner(name)
        for fault, damage in faults(work / name):
            if not wanted(name, fault):
                continue
            number += 1
            if number % every:
                continue
            damage()
            started: list[str] = []
            client = Client(work)
            found = entries(client)
            for key, entry in before.items():
                if key[1] != one:
                    assert {**found[key], "modified": 0} == {**entry, "modified": 0}, (name, fault)
            # The events have all of them as well, and the queue goes on to what waits.
            events = client.services.events._read()
            assert len(events["job"]) >= 3, (name, fault)
            client.services.jobs.look()
            os.close(client.services.jobs._leader)  # type: ignore[arg-type]
            if one != waiting:
                assert started == [waiting], (name, fault)
            # What is damaged is answered by a sentence, and can be deleted.
            for path in PATHS.get(room, (f"{room}/ONE",)):
                answer = client.ask("GET", path.replace("ONE", one))
                assert answer.status_code in (200, 404, 422, 507), (name, fault, path, answer.text)
                assert "error in Errai" not in answer.text, (name, fault, path, answer.text)
                assert "root:" not in answer.text, (name, fault, path)
            client.services.close()
            restore(whole, work, name)
            tried += 1
    return tried


def test_what_is_damaged_says_so_and_can_be_deleted(whole: Path, tmp_path: Path) -> None:
    for name in ("request.json", "result.json", "progress.jsonl", "lock", ".table", ".json"):
        for kind, make in (("5", lambda path: path.write_text("5")), ("a folder", Path.mkdir)):
            work = tmp_path / "work"
            shutil.copytree(whole, work)
            room = "tables" if name.startswith(".") else "jobs"
            pattern = f"kuhn-*{name}" if room == "tables" else f"uniform-against*/{name}"
            path = sorted((work / room).glob(pattern))[0]
            one = owner(str(path.relative_to(work)))[1]
            path.unlink()
            make(path)
            client = Client(work)
            entry = entries(client)[room, one]
            if (name, kind) not in (("progress.jsonl", "5"), ("lock", "5")):
                said = entry["damaged"] if room == "tables" else entry["error"]["message"]
                assert path.name in said, (name, kind)
                assert "elete" in said
            assert client.ask("DELETE", f"{room}/{one}").status_code == 204, (name, kind)
            assert (room, one) not in entries(client)
            shutil.rmtree(work)


def test_zeros_in_the_progress_of_a_job_are_no_point(whole: Path, tmp_path: Path) -> None:
    """What a power failure left at the end of one job's progress once ended the queue for ever."""
    work = tmp_path / "work"
    shutil.copytree(whole, work)
    path = sorted((work / "jobs").glob("uniform-against*/progress.jsonl"))[0]
    name = path.parent.name
    last, lines = path.read_bytes().splitlines()[-1], len(path.read_bytes().splitlines())
    path.write_bytes(path.read_bytes() + b"\0\0\0\0\n{\n5\n" + last + b"\n" + b"\xff\n" + last[:10])
    client = Client(work)
    job = client.told(f"jobs/{name}")
    assert job["state"] == "done"
    assert job["progress"] == json.loads(last)
    points = client.told(f"jobs/{name}/progress")
    assert points["points"][-2:] == [json.loads(last)] * 2
    assert (len(points["points"]), points["next"]) == (lines + 1, lines + 5) == (lines + 1, job["points"])
    assert client.told(f"jobs/{name}/progress?after={lines}")["points"] == [json.loads(last)]


def test_the_thread_of_the_queue_goes_on_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, closing, looks = JobStore(Workspace.at(tmp_path)), threading.Event(), []

    def look() -> None:
        looks.append(1)
        if len(looks) == 5:
            closing.set()
        raise RuntimeError("something that nobody thought of")

    monkeypatch.setattr(store, "look", look)
    monkeypatch.setattr("errai.web.jobs.LOOK_SECONDS", 0.001)
    store.run(closing)
    assert len(looks) == 5
    # It is said once.
    assert capsys.readouterr().err.count("RuntimeError: something that nobody thought of") == 1


def test_a_queue_that_cannot_run_says_so(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, closing = tmp_path / "work", threading.Event()
    shutil.copytree(whole, work)
    (work / "jobs" / ".leader").unlink(missing_ok=True)
    (work / "jobs" / ".leader").mkdir()
    store = JobStore(Workspace.at(work))
    monkeypatch.setattr("errai.web.jobs.LOOK_SECONDS", 0.001)
    thread = threading.Thread(target=store.run, args=(closing,))
    thread.start()
    until = time.monotonic() + 10
    while (waits := next(view.waits for view in store.views().values() if view.state == "queued")) is None:
        assert time.monotonic() < until
    closing.set()
    thread.join()
    assert waits == "No job can begin: jobs/.leader is not a plain file."


def test_a_link_in_the_folder_of_a_job_is_not_followed(whole: Path, tmp_path: Path) -> None:
    work, away = tmp_path / "work", tmp_path / "away"
    shutil.copytree(whole, work)
    away.write_text("what is elsewhere")
    store = JobStore(Workspace.at(work))
    waiting = next(view.id for view in store.views().values() if view.state == "queued")
    for name in ("checkpoint", "log", "progress.jsonl", "stop", "spot.toml", "start"):
        link = work / "jobs" / waiting / name
        link.symlink_to(away)
        view = store.view(waiting)
        assert view.state == "failed"
        assert f"{waiting}/{name} is a symbolic link" in view.error.message  # type: ignore[union-attr]
        with pytest.raises(DamagedFileError, match="symbolic link"):
            store.resume(waiting)
        link.unlink()
    assert store.view(waiting).state == "queued"
    assert away.read_text() == "what is elsewhere"


def test_the_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    new, old, shared = tmp_path / "new", tmp_path / "old", tmp_path / "shared"
    for folder in (old, shared):
        for kind in ("", "jobs", "tables"):
            (folder / kind).mkdir()
            (folder / kind).chmod(0o755)
    (shared / "notes.txt").touch()
    for folder in (new, old, shared):
        Workspace.at(folder)
        assert {mode(folder / kind) for kind in KINDS} == {0o700}
    assert mode(new) == mode(old) == 0o700
    # A folder with other things in it is shared on purpose, perhaps; what the server writes is closed in any case.
    assert mode(shared) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_cannot_lock_a_job(whole: Path) -> None:
    code = "import fcntl, os, sys; os.setuid(65534); fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX)"
    # The folders of pytest itself are closed to other users.
    with tempfile.TemporaryDirectory() as name:
        work = Path(name) / "work"
        shutil.copytree(whole, work)
        for path in (work.parent, work, *work.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        locking = [sys.executable, "-c", code, str(next((work / "jobs").glob("*/lock")))]
        assert subprocess.run(locking).returncode == 0
        Workspace.at(work)
        assert "PermissionError" in subprocess.run(locking, capture_output=True, text=True).stderr


def test_the_files_of_a_server_are_for_its_owner_alone(serve: Callable[..., Any], tmp_path: Path) -> None:
    served = serve()
    job = served.post("/jobs", MATCH)["id"]
    served.post("/tables", {"game": "kuhn", "opponent": "uniform"})
    until = time.monotonic() + 60
    while served.get(f"/jobs/{job}")["state"] != "done":
        assert time.monotonic() < until
        time.sleep(0.05)
    found = [served.folder, *served.folder.rglob("*")]
    assert len(found) > 12
    for path in found:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_request_without_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(tmp_path)

    def views() -> None:
        raise MemoryError

    monkeypatch.setattr(client.services.jobs, "views", views)
    answer = client.ask("GET", "jobs")
    assert (answer.status_code, answer.json()["error"]["type"]) == (507, "NoMemoryError")
