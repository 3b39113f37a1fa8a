import { beforeEach, expect, test, vi } from "vitest";
import type { NodeView } from "../api/types";
import { places } from "../app/address";
import { NODE } from "../testing/node";
import { serving } from "../testing/page";
import { Study } from "./model";

const lineIn = (url: string) => new URL(url, "http://x").searchParams.get("line");

/** A solution of which the root and what follows "check" are known. */
async function opened(more: Partial<NodeView> = {}) {
  const asked = serving(({ url, method, body }) => {
    if (url.includes("/notes")) return { body: { notes: method === "PUT" ? [body] : [] } };
    if (!url.includes("/node?")) return { body: { bytes: 1000 } };
    const line = lineIn(url) ?? "";
    if (!["", "check"].includes(line)) return { status: 422, body: { error: { type: "x", message: "No such line." } } };
    return { body: { ...NODE, ...more, line, certificate: { ...NODE.certificate, checked: "part" } } };
  });
  const study = new Study(places.address);
  study.moved(places.address);
  await study.shown;
  return { study, asked };
}

beforeEach(() => history.replaceState(null, "", "/study/river"));

test("a line is a new place in the history, a hand is not", async () => {
  const { study } = await opened();
  const { length } = history;
  study.set({ hand: "AKs" });
  study.to("check");
  await study.shown;
  expect(history.length).toBe(length + 1);
  expect(location.search).toBe("?line=check&hand=AKs");
  expect(study.view?.line).toBe("check");
});

test("a node is fetched once", async () => {
  const { study, asked } = await opened();
  for (const line of ["check", "", "check"]) {
    study.to(line);
    await study.shown;
  }
  expect(asked.filter(({ url }) => url.includes("/node?")).map(({ url }) => lineIn(url))).toEqual(["", "check"]);
});

test("keys wait for what is shown, one after the other", async () => {
  const { study } = await opened();
  const seen: (string | undefined)[] = [];
  study.later(() => study.to("check"));
  study.later(() => seen.push(study.view?.line));
  study.later(() => study.to(""));
  await new Promise<void>((done) => study.later(() => done(void seen.push(study.view?.line))));
  expect(seen).toEqual(["check", ""]);
});

test("a line that does not exist keeps what was shown, and says why", async () => {
  const { study } = await opened();
  expect(await study.goTyped("bet 51")).toBe(false);
  expect(study.typed).toEqual({ line: "bet 51", error: "No such line." });
  study.to("check");
  await study.shown;
  study.set({ line: "bet 51" });
  await study.shown;
  expect([study.problem, study.view?.line]).toEqual(["No such line.", "check"]);
});

test("EVs are in the unit that was chosen, and stay in chips at the node", async () => {
  const { study } = await opened();
  study.set({ unit: "pot" });
  const view = study.view as NodeView;
  expect([view.pot_chips, study.inUnit(view).pot_chips, study.summaries(view)[0].all.ev]).toEqual([100, 100, 50]);
  const large = { ...view, pot_chips: 400 };
  expect(study.summaries(large)[0].all.ev).toBe(12.5);
});

test("a bookmark is a note, which is written once", async () => {
  const { study, asked } = await opened();
  await study.bookmark();
  await study.bookmark();
  expect(asked.filter(({ method }) => method === "PUT").map(({ body }) => body)).toEqual([
    { line: "", text: "Bookmark" },
  ]);
  expect([study.notes.at(""), study.state.tab]).toEqual(["Bookmark", "notes"]);
});

test("a file of which a part was read is read as a whole by itself", async () => {
  const { study, asked } = await opened({ reads_more: true });
  await vi.waitFor(() => expect(study.state.whole).toBe(true));
  await study.shown;
  expect(location.search).toBe("?whole=1");
  expect(asked.filter(({ url }) => url.includes("whole=true"))).toHaveLength(1);
});

test("a line that is being typed stays when the whole file has been read, and goes with another place", async () => {
  const { study } = await opened({ reads_more: true });
  study.type({ line: "bet", error: "" });
  await vi.waitFor(() => expect(study.state.whole).toBe(true));
  await study.shown;
  expect(study.typed?.line).toBe("bet");
  study.to("check");
  await study.shown;
  expect(study.typed).toBeNull();
});

test("a deal of several cards waits for all of them", async () => {
  const { study } = await opened();
  const view = { ...NODE, line: "check", deal_count: 2 };
  study.choose(view, "Ah");
  study.choose(view, "Kh");
  expect(location.search).toBe("?line=check+%2F+AhKh+%2F");
  study.local.cards = [];
  study.choose(view, "Ah");
  study.choose(view, "Ah");
  expect(study.local.cards).toEqual([]);
});
