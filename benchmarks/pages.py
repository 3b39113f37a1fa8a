"""What the page of a room weighs, how soon it is there, and how soon a node and 1,326 hands are drawn.

    scripts/bench pages                     # solves a turn and a river in a second, then measures Study on them
    scripts/bench pages work/ --name flop   # on a solution of the folder of a server

Chromium is found as in the tests.  Bytes are those of the files, before compression.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from pathlib import Path

from common.machine import machine_line
from common.server import serving
from playwright.sync_api import Page, sync_playwright

import errai

EXAMPLES = Path(__file__).parent.parent / "examples"
ROUNDS = 6

# From the key press to the second frame after the new node is in the page; the first frame may show the old one.
STEP = """async ([key, count]) => {
    const frame = () => new Promise(requestAnimationFrame);
    const from = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    while (document.querySelectorAll(".line .column").length !== count) await frame();
    await frame();
    return performance.now() - from;
}"""
DRAW = """async (view) => {
    const { drawRanges } = await import("/static/combos.js");
    const { summarise } = await import("/static/hands.js");
    const canvas = document.querySelector(".all canvas");
    const summaries = [0, 1].map((player) => summarise(view, player));
    const found = { canvas: [], frame: [] };
    for (let i = 0; i < 20; i++) {
        await new Promise(requestAnimationFrame);
        const from = performance.now();
        drawRanges(canvas, view, summaries, ["strategy", "ev", "equity", "weight"][i % 4]);
        found.canvas.push(performance.now() - from);
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        found.frame.push(performance.now() - from);
    }
    return found;
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
            measure(f"http://127.0.0.1:{server.port}", server.token, options.name)


def measure(address: str, token: str, name: str) -> None:
    """Measure, and print the figures."""
    print(machine_line())
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        rounds = []
        for _ in range(ROUNDS):
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.goto(f"{address}/favicon.ico?token={token}")
            rounds.append(first_paint(page, f"{address}/study/{name}"))
        paints, usable, sizes, requests = zip(*rounds, strict=True)
        page_bytes, data_bytes = sizes[0]
        print(
            f"page            {page_bytes / 1000:.0f} kB and {data_bytes / 1000:.0f} kB of data, {requests[0]} requests"
        )
        print(f"first paint     {spread(paints)} ms")
        print(f"hands are there {spread(usable)} ms")
        keys = [("1", 1), ("1", 2), ("Backspace", 1), ("2", 2), ("Backspace", 1), ("2", 2), ("Backspace", 1)]
        steps = [page.evaluate(STEP, list(step)) for step in keys]
        print(f"node, fetched   {', '.join(f'{steps[i]:.0f}' for i in (0, 1, 3))} ms")
        print(f"node, known     {', '.join(f'{steps[i]:.0f}' for i in (2, 4, 5, 6))} ms")
        page.goto(f"{address}/study/{name}?tab=ranges")
        page.locator(".all canvas").wait_for()
        view = json.loads(page.evaluate(f"fetch('/api/v1/solutions/{name}/node?line=').then((found) => found.text())"))
        drawn = page.evaluate(DRAW, view)
        count = sum(weight > 0 for weights in view["weights"] for weight in weights)
        script, frame = spread(drawn["canvas"]), spread(drawn["frame"])
        print(f"{count:,} hands     {script} ms of script, {frame} ms to the second frame")
        browser.close()


def spread(times: tuple[float, ...]) -> str:
    """The median, and the least and the most."""
    return f"{statistics.median(times):.0f} ({min(times):.0f}-{max(times):.0f})"


if __name__ == "__main__":
    main()
