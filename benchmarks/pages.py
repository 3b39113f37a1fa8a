"""What the page of a room weighs, how soon it is there, and how soon a node is drawn.

    scripts/bench pages                     # solves a turn and a river in a second, then measures Study on them
    scripts/bench pages work/ --name flop   # on a solution of the folder of a server

Chromium is found as in the tests.  Bytes are those of the files, before compression.

Random hands are followed from the root, node by node; nothing is fetched ahead.  A node takes the time from the change
of the address to the second frame after the node is in the page, since the first frame may show the old one.  It is
divided into the server (until its answer begins), the transfer and the parsing of the answer, and the drawing.  The
machine may be shared, so that times by the clock say little; those of the processor are of the server's threads and of
the page's main thread, on the mean of all nodes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from common.lines import random_lines
from common.machine import machine_line
from common.server import Server, serving
from playwright.sync_api import Page, sync_playwright

import errai
from errai.web.files import Workspace
from errai.web.library import Library

EXAMPLES = Path(__file__).parent.parent / "examples"
ROUNDS = 6
NODES = 60

# The page fetches ahead while it is idle, which it never is here; and it says when an answer has been parsed.
BEFORE = """
    window.requestIdleCallback = () => 0;
    const json = Response.prototype.json;
    Response.prototype.json = async function () {
        const found = await json.call(this);
        if (this.url.includes("/node?")) window.parsed = performance.now();
        return found;
    };
"""
STEP = """async (line) => {
    const frame = () => new Promise(requestAnimationFrame);
    const shown = () => new URL(document.querySelector(".export").href).searchParams.get("line");
    performance.clearResourceTimings();
    window.parsed = null;
    const from = performance.now();
    history.pushState(null, "", `${location.pathname}?${new URLSearchParams({ line })}`);
    window.dispatchEvent(new PopStateEvent("popstate"));
    while (shown() !== line) await frame();
    await frame();
    const to = performance.now();
    const asked = performance.getEntriesByType("resource").find((one) => one.name.includes("/node?"));
    if (!asked) return { all: to - from };
    const begun = asked.responseStart, { parsed } = window;
    return { all: to - from, server: begun - asked.startTime, parsed: parsed - begun, drawn: to - parsed };
}"""


def first_paint(page: Page, address: str) -> tuple[float, float, list[int], int]:
    """Open an address; milliseconds to paint and to the hands, bytes of page and data, requests."""
    page.goto(address)
    page.locator(".cell").first.wait_for()
    usable = page.evaluate("performance.now()")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    parts = page.evaluate(
        "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map((one) => [one.name, one.decodedBodySize])"
    )
    sizes = [sum(size for name, size in parts if ("/api/" in name) == data) for data in (False, True)]
    return paint, usable, sizes, len(parts)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="folder of a server (default: a new one)")
    parser.add_argument("--name", default="river", help="the solution to open (default: river)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = options.folder or Path(place)
        if options.folder is None:
            (folder / "solutions").mkdir()
            for name in ("turn", "river"):
                errai.solve(errai.load_spot(EXAMPLES / f"{name}.toml")).save(folder / "solutions" / f"{name}.errai")
        with serving(folder) as server:
            measure(server, folder, options.name)


def measure(server: Server, folder: Path, name: str) -> None:
    """Measure, and print the figures."""
    print(machine_line())
    address = f"http://127.0.0.1:{server.port}"
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        rounds = []
        for _ in range(ROUNDS):
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.goto(f"{address}/favicon.ico?token={server.token}")
            page.add_init_script(BEFORE)
            rounds.append(first_paint(page, f"{address}/study/{name}"))
        paints, usable, sizes, requests = zip(*rounds, strict=True)
        page_bytes, data_bytes = sizes[0]
        print(
            f"page            {page_bytes / 1000:.0f} kB and {data_bytes / 1000:.0f} kB of data, {requests[0]} requests"
        )
        print(f"first paint     {spread(paints)} ms")
        print(f"hands are there {spread(usable)} ms")
        lines = lines_of(folder, name)
        steps(server, page, "node, new  ", lines)
        steps(server, page, "node, known", lines[-2::-1])
        browser.close()


def lines_of(folder: Path, name: str) -> list[str]:
    """The lines to nodes of random hands; this process looks at them by itself, so that they are new to the server."""
    with Library(Workspace.at(folder)).opened(name) as opened:
        return list(islice(random_lines(opened.solution.root, np.random.default_rng(0)), NODES))


def steps(server: Server, page: Page, what: str, lines: list[str]) -> None:
    """Go from node to node, and print what that takes."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def used() -> np.ndarray:
        found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return 1e3 * np.array([server.cpu_seconds(), found["TaskDuration"]])

    before = used()
    times = [page.evaluate(STEP, line) for line in lines]
    served, shown = (used() - before) / len(lines)
    session.detach()
    parts = {"all": "to the second frame", "server": "server", "parsed": "transfer and parsing", "drawn": "drawing"}
    told = [f"{spread([one[part] for one in times], 95)} ms {name}" for part, name in parts.items() if part in times[0]]
    print(f"{what}     {', '.join(told)}")
    print(f"  processor     {served:.1f} ms server, {shown:.1f} ms page")


def spread(times: Sequence[float], percentile: float = 100.0) -> str:
    """The median, and the least and the most, or a high percentile in place of the most."""
    return f"{statistics.median(times):.0f} ({min(times):.0f}-{np.percentile(times, percentile):.0f})"


if __name__ == "__main__":
    main()
