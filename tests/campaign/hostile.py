"""A hostile page in a real browser that is logged in to `errai serve`, and hostile requests beside it.

The page is on another port, which cookies do not tell apart, on another name of this machine, or, by DNS rebinding, on
a name of its own that leads to the server.  It tries every address and method of the API in every way that a page has;
it must read nothing, and the server's folder must be as it was.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from campaign import Part, PassedError
from opened import require_same
from playwright.sync_api import Browser, sync_playwright
from web_server import Served, start

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or ""
REBOUND = "evil.test"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"]
ROWS = ("another port", "another name", "DNS rebinding", "a file on the disk")
HOSTS = {"another port": "127.0.0.1", "another name": "localhost", "DNS rebinding": REBOUND}
WAYS = (
    "fetch", "fetch without cors", "text/plain", "beacon", "form", "multipart form", "plain form", "frame", "image",
    "script", "style", "event source", "web socket", "xhr", "object", "worker", "popup",
)  # fmt: skip

PAGE = """<!DOCTYPE html><title>hostile</title><iframe name="away" hidden></iframe><script>
const soon = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 3000, 'no answer'))]);
const read = async (answer) => answer.type === 'opaque' || answer.status === 0 ? 'opaque' :
  'READ ' + answer.status + ' ' + (await answer.text()).slice(0, 80);
const loads = (name, set) => new Promise((done) => {
  const made = document.createElement(name);
  made.onload = () => done('loaded');
  made.onerror = () => done('refused');
  set(made); document.body.append(made);
});
const form = (url, method, type, body) => {
  const made = document.createElement('form');
  made.action = url; made.method = method === 'GET' ? 'GET' : 'POST'; made.enctype = type; made.target = 'away';
  const field = document.createElement('input');
  field.name = body || 'a'; field.value = ''; made.append(field); document.body.append(made); made.submit();
  return new Promise((done) => setTimeout(done, 50, 'sent'));
};
const WAYS = {
  'fetch': (u, m, b) => fetch(u, {method: m, credentials: 'include', body: b,
    headers: b ? {'content-type': 'application/json'} : {}}).then(read),
  'fetch without cors': (u, m, b) => fetch(u, {method: m, mode: 'no-cors', credentials: 'include', body: b}).then(read),
  'text/plain': (u, m, b) => fetch(u, {method: m, mode: 'no-cors', credentials: 'include', body: b,
    headers: {'content-type': 'text/plain'}}).then(read),
  'beacon': async (u, m, b) => navigator.sendBeacon(u, b || '') ? 'sent' : 'refused',
  'form': (u, m, b) => form(u, m, 'application/x-www-form-urlencoded', b),
  'multipart form': (u, m, b) => form(u, m, 'multipart/form-data', b),
  'plain form': (u, m, b) => form(u, m, 'text/plain', b),
  'frame': (u) => { let own; return loads('iframe', (x) => { own = x; x.src = u; }).then(() => {
    try { const text = own.contentDocument.body.innerText; return text ? 'READ ' + text.slice(0, 80) : 'empty'; }
    catch { return 'opaque'; }
  }); },
  'image': (u) => loads('img', (x) => { x.src = u; }),
  'script': (u) => loads('script', (x) => { x.src = u; }).then((x) => x === 'loaded' ? 'READ as a script' : x),
  'style': (u) => loads('link', (x) => { x.rel = 'stylesheet'; x.href = u; }),
  'event source': (u) => new Promise((done) => {
    const made = new EventSource(u, {withCredentials: true});
    made.onmessage = (e) => done('READ ' + e.data); made.onopen = () => done('READ open');
    made.onerror = () => { made.close(); done('refused'); };
  }),
  'web socket': (u) => new Promise((done) => {
    const made = new WebSocket(u.replace('http', 'ws'));
    made.onopen = () => done('READ open'); made.onerror = () => done('refused');
  }),
  'xhr': (u, m, b) => new Promise((done) => {
    const made = new XMLHttpRequest();
    made.open(m, u); made.withCredentials = true;
    made.onload = () => done('READ ' + made.responseText.slice(0, 80)); made.onerror = () => done('refused');
    made.send(b);
  }),
  'object': (u) => loads('object', (x) => { x.data = u; }),
  'worker': (u) => new Promise((done) => {
    const made = new Worker(u);
    made.onmessage = () => done('READ as a worker'); made.onerror = () => done('refused');
  }),
  'popup': (u) => new Promise((done) => {
    const made = window.open(u);
    setTimeout(() => { try { done(made && made.document.body.innerText ? 'READ popup' : 'opaque'); }
      catch { done('opaque'); } finally { if (made) made.close(); } }, 300);
  }),
};
const attack = (way, url, method, body) =>
  soon(WAYS[way](url, method, ['GET', 'HEAD'].includes(method) ? undefined : body)).catch((error) => 'refused');
</script>"""

BODY = '{"kind":"solve","subject":{"game":"kuhn"},"settings":{"max_iterations":5}}'


class Evil(BaseHTTPRequestHandler):
    """The server of the hostile page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_: Any) -> None: ...


class World:
    """A server, the browser of its user, and a hostile server."""

    def __init__(self, home: Path) -> None:
        if not CHROMIUM:
            raise PassedError("not run: there is no Chromium")
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.served: Served = start(home / "work", token="a" * 30)
        self.served.post("/jobs", {"kind": "solve", "subject": {"game": "kuhn"}, "settings": {"max_iterations": 3}})
        self.evil = ThreadingHTTPServer(("127.0.0.1", 0), Evil)
        threading.Thread(target=self.evil.serve_forever, daemon=True).start()
        self.playwright = sync_playwright().start()
        self.browser: Browser = self.playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        document = self.served.get("/openapi.json")
        self.targets = [
            (
                method.upper(),
                "/api/v1" * (not path.startswith(("/api", "/slumbot"))) + path.replace("{", "").replace("}", ""),
            )
            for path, methods in document["paths"].items()
            for method in methods
        ] + [("GET", "/study"), ("GET", "/"), ("GET", "/static/index.html"), ("GET", "/?token=" + "b" * 30)]
        self.before = self.folder()

    def folder(self) -> dict[str, str]:
        """What the folder holds; what the server writes by itself has ended before."""
        from web_server import ENDED

        while any(job["state"] not in ENDED for job in self.served.get("/jobs")["jobs"]):
            threading.Event().wait(0.05)
        return {
            str(path.relative_to(self.served.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.served.folder.rglob("*"))
            if path.is_file()
        }


@functools.cache
def world(home: Path) -> World:
    """The world of all trials."""
    return WORLDS.setdefault("one", World(home))


WORLDS: dict[str, World] = {}


def close() -> None:
    """End the browser and the servers."""
    for one in WORLDS.values():
        one.browser.close()
        one.playwright.stop()
        one.evil.shutdown()
        one.served.end()
    WORLDS.clear()


def trial(home: Path, row: str, seed: int) -> int:
    """Try all addresses of the API from one hostile place in one way."""
    here = world(home)
    way = WAYS[seed // len(ROWS) % len(WAYS)]
    port = here.served.address.rpartition(":")[2]
    context = here.browser.new_context()
    try:
        mine = context.new_page()
        mine.goto(f"{here.served.address}/study?token={here.served.token}")
        # From an origin of the server's own the same page reads what it must not read from elsewhere.
        mine.route("**/own", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
        mine.goto(f"{here.served.address}/own")
        own = mine.evaluate("(url) => attack('fetch', url, 'GET')", f"{here.served.address}/api/v1/jobs")
        assert own.startswith("READ 200"), own
        page = context.new_page()
        evil = here.evil.server_address[1]
        if row == "a file on the disk":
            (here.home / "page.html").write_text(PAGE)
            page.goto(f"file://{here.home / 'page.html'}")
        else:
            page.goto(f"http://{HOSTS[row]}:{evil}/")
        target = f"http://{REBOUND}:{port}" if row == "DNS rebinding" else here.served.address
        if row == "DNS rebinding":
            # The name leads to the server from now on, and the page asks its own origin: that of the server's port.
            page.route(
                f"http://{REBOUND}:{port}/hostile", lambda route: route.fulfill(body=PAGE, content_type="text/html")
            )
            page.goto(f"http://{REBOUND}:{port}/hostile")
        asked = [[way, target + path, method, BODY] for method, path in here.targets]
        found = page.evaluate("(all) => Promise.all(all.map((one) => attack(...one)))", asked)
    finally:
        context.close()
    for (_, url, method, _), said in zip(asked, found, strict=True):
        # The style sheet and the sign of the page are for everybody.
        refused = said is None or not said.startswith("READ") or any(f"READ {n} " in said for n in (401, 403, 421))
        refused |= "This server answers for" in str(said)
        assert refused, f"{way} from {row}: {method} {url} gave {said!r}"
    require_same(here.folder(), here.before, f"the folder after {way} from {row}")
    return len(asked)


PARTS = {"page": Part("attacks", ROWS, trial, 2, len(ROWS) * len(WAYS), ("playwright", "httpx"), close)}
