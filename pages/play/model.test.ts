import { beforeEach, expect, test, vi } from "vitest";
import type { TableModel } from "../api/types";
import { places } from "../app/address";
import { serving, settled } from "../testing/page";
import { Play } from "./model";

const seat = { name: "x", cards: ["", ""], stack_chips: 9, bet_chips: 0, dealer: false, acts: false, note: "" };
const table = (id: string, version: number, changes: Partial<TableModel> = {}) =>
  ({
    id,
    version,
    state: "turn",
    opponent: "Bot",
    hands: 0,
    has_hints: true,
    choices: [{ keys: ["k"], label: "check", action: "k", colour: "#000", total_chips: null }],
    shown: {
      hand: 1,
      ply: version,
      pot_chips: 2,
      board: [],
      board_places: 0,
      seats: [seat, seat],
      streets: [],
      result: null,
    },
    ...changes,
  }) as TableModel;

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, "", "/play/a?tables=a,b,c");
});

/** The tables a, b and c; requests that change one are answered by `answer`. */
async function opened(answer: (url: string) => { status?: number; body?: unknown } = () => ({ body: table("a", 2) })) {
  let changes = 0;
  const asked = serving(({ method, url }) => {
    if (method === "POST") changes++;
    if (method === "POST" || url.endsWith("/hint")) return answer(url);
    return { body: url.endsWith("/score") ? null : table(url.split("/")[4], 1 + 2 * changes) };
  });
  const play = new Play();
  play.moved(places.address);
  await settled();
  return { play, posted: () => asked.filter(({ method }) => method === "POST") };
}

test("an action is sent once, however often the key is pressed, and says which turn it is for", async () => {
  const { play, posted } = await opened();
  for (let i = 0; i < 3; i++) play.act("a", "k");
  await settled();
  expect(posted().map(({ body }) => body)).toEqual([{ action: "k", hand: 1, ply: 1 }]);
  expect(play.tables.get("a")?.version).toBe(2);
});

test("what happened meanwhile is shown with what is wrong, and an older view is not", async () => {
  const error = { type: "StaleError", message: "The hand has gone on." };
  const { play } = await opened(() => ({ status: 409, body: { error } }));
  play.act("a", "k");
  await settled();
  expect(play.side("a").problem).toBe("The hand has gone on.");
  expect(play.tables.get("a")?.version).toBe(3);
  play.take(table("a", 4));
  expect(play.side("a")).toMatchObject({ problem: "", asked: null });
  play.take(table("a", 2, { state: "over" }));
  expect(play.tables.get("a")?.version).toBe(4);
});

test("an event takes the place of an answer that is late", async () => {
  const { play, posted } = await opened();
  play.act("a", "k");
  play.take(table("a", 2));
  play.act("a", "k");
  await settled();
  expect(posted().map(({ body }) => (body as { ply: number }).ply)).toEqual([1, 2]);
});

test("a hint for a turn that is over is not shown", async () => {
  const hint = { advisor: "Bot", hand: 1, ply: 1, actions: [], warning: "" };
  const { play } = await opened((url) => ({ body: url.endsWith("/hint") ? hint : table("a", 2) }));
  play.hint("a");
  play.take(table("a", 2));
  await settled();
  expect(play.side("a").hint).toBeNull();
  play.hint("a");
  await settled();
  expect(play.side("a").hint?.found).toEqual(hint);
});

test("the next table is one that waits, or is still being opened", async () => {
  const { play } = await opened();
  const after = (step: number) => {
    play.next(step);
    play.moved(places.address);
    return play.focus;
  };
  expect([after(1), after(1), after(1), after(-1)]).toEqual(["b", "c", "a", "c"]);
  play.tables.set("a", table("a", 2, { state: "thinking" }));
  expect(after(1)).toBe("b");
  play.tables.set("a", table("a", 3));
  play.tables.delete("c");
  expect(after(1)).toBe("c");
  expect(location.search).toBe("?tables=a,b,c");
});

test("a table that is left or gone is no longer in the address", async () => {
  const { play } = await opened();
  play.leaveTable("a");
  play.moved(places.address);
  expect([play.focus, play.open]).toEqual(["b", ["b", "c"]]);
  play.drop("c");
  play.moved(places.address);
  expect([play.focus, play.open, play.tables.has("c")]).toEqual(["b", ["b"], false]);
  play.made(["d", "e"]);
  expect(`${location.pathname}${location.search}`).toBe("/play/d?tables=b,d,e");
});

test("a hand that is over is reviewed and the next one dealt without being asked for", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { play, posted } = await opened(() => ({ body: table("a", 5) }));
  const over = (version: number, hands: number) =>
    play.take(table("a", version, { state: "over", hands, reviewed_by: "mine" } as Partial<TableModel>));
  over(3, 1);
  await settled();
  expect(play.side("a").review).not.toBeNull();
  vi.advanceTimersByTime(10_000);
  expect(posted()).toEqual([]);
  play.dealAlone(true);
  expect(localStorage.getItem("errai-auto-deal")).toBe("yes");
  vi.advanceTimersByTime(10_000);
  await settled();
  expect(posted().map(({ url, body }) => [url, body])).toEqual([["/api/v1/tables/a/deal", { hand: 2 }]]);
  // Whoever looks at an earlier hand is not taken away from it.
  over(6, 2);
  play.side("a").before = play.tables.get("a")?.shown ?? null;
  vi.advanceTimersByTime(10_000);
  await settled();
  expect(posted()).toHaveLength(1);
  vi.useRealTimers();
});
