import { afterEach, beforeEach, expect, test } from "vitest";
import { serving, settled, tell } from "../testing/page";
import { Home, READY } from "./model";

const job = (state: string, changes = {}) => ({
  id: "turn-1",
  kind: "solve",
  title: "Turn, queen-high",
  state,
  created: "2026-11-28T10:00:00Z",
  finished: null,
  progress: null,
  result: null,
  error: null,
  solution: null,
  waits: null,
  points: 0,
  ...changes,
});
const LISTS: Record<string, unknown> = {
  "/api/v1/jobs": { jobs: [] },
  "/api/v1/solutions": { solutions: [] },
  "/api/v1/tables": { tables: [] },
  "/api/v1/drills": { drills: [], due: [] },
  "/api/v1/reports": { reports: [] },
};
let end = () => {};

beforeEach(() => history.replaceState(null, "", "/home"));
afterEach(() => end());

/** The home page in front of a server with some lists. */
async function opened(lists: Record<string, unknown> = {}) {
  const asked = serving(({ method, url }) => {
    if (method === "POST") return { body: job("queued", { waits: "It waits." }) };
    return { body: { ...LISTS, ...lists }[url] ?? {} };
  });
  const home = new Home();
  end = home.begin();
  await settled();
  return { home, posted: () => asked.filter(({ method }) => method === "POST") };
}

test("a ready solution is solved once, and opened when it is there", async () => {
  const { home, posted } = await opened();
  home.open(READY[0]);
  home.open(READY[0]);
  await settled();
  expect(posted().map(({ body }) => (body as { settings: unknown }).settings)).toEqual([{ target: "0.3%pot" }]);
  expect(home.begun).toEqual({ name: "turn", words: "It waits." });
  await tell("job", job("running"));
  expect(home.begun?.words).toBe("Solving …");
  await tell("job", job("done", { solution: "turn-1" }));
  expect([home.begun, location.pathname]).toEqual([null, "/study/turn-1"]);
});

test("one that is here is opened at once", async () => {
  const known = { name: "mine", title: "Turn, queen-high", game: "spot", error: "", modified: 1, exploitability: null };
  const { home, posted } = await opened({ "/api/v1/solutions": { solutions: [known] } });
  await home.open(READY[0]);
  expect([posted(), location.pathname]).toEqual([[], "/study/mine"]);
});

test("a solve that fails or is stopped says so, and can be begun again", async () => {
  const { home } = await opened();
  home.open(READY[1]);
  await settled();
  await tell("job", job("failed", { error: { type: "x", message: "No memory." } }));
  expect([home.begun, home.problems.river, location.pathname]).toEqual([null, "No memory.", "/home"]);
});

test("what cannot be read says why, and the rest is listed", async () => {
  const { home } = await opened({ "/api/v1/tables": null });
  expect(home.known).toBe(true);
  serving(() => ({ status: 503, body: { error: { type: "x", message: "Busy." } } }));
  const again = new Home();
  end = again.begin();
  await settled();
  expect([again.known, again.problems.recent, again.problems.opening]).toEqual([true, "Busy.", "Busy."]);
});
