import { beforeEach, expect, test, vi } from "vitest";
import { serving, settled } from "../testing/page";
import { TableForm } from "./tableForm";

const game = (name: string, limit: boolean) => ({ name, title: name, limit, rounds: 2, ranks: 3, suits: 2 });
const agent = (name: string) => ({ name, title: name.toUpperCase(), what: "", seconds: null });

/** A form with two games; with stacks only "call" plays. */
async function form(solution: string | null = null) {
  let made = 0;
  const asked = serving(({ method, url }) => {
    if (url.endsWith("/games")) return { body: { games: [game("leduc", true), game("holdem.nolimit.2p", false)] } };
    if (url.endsWith("/solutions"))
      return { body: { solutions: [{ name: "river", kind: "solution", title: "A river" }] } };
    if (method === "POST") return { body: { id: `t${++made}` } };
    return { body: { agents: url.includes("stack=") ? [agent("call")] : [agent("blueprint"), agent("call")] } };
  });
  const table = new TableForm();
  await table.begin(solution);
  return { table, asked };
}

beforeEach(() => localStorage.clear());

test("what was played last is chosen again", async () => {
  const first = (await form()).table;
  expect(first.form).toMatchObject({ of: "game:holdem.nolimit.2p", opponent: "blueprint" });
  first.put({ of: "game:leduc", count: "2" });
  await settled();
  first.choose("call");
  expect(await first.make()).toEqual(["t1", "t2"]);
  expect((await form()).table.form).toMatchObject({ of: "game:leduc", opponent: "call", count: "1" });
});

test("an opponent that does not play with these stacks comes back without them", async () => {
  const { table, asked } = await form();
  table.put({ stack: "5,000" });
  await table.askAgents();
  expect([table.form.opponent, table.wanted.name]).toEqual(["call", "blueprint"]);
  expect(asked.at(-1)?.url).toBe("/api/v1/agents?game=holdem.nolimit.2p&stack=5000");
  table.put({ stack: "1,5" });
  await table.askAgents();
  expect(table.problem).toContain("Stacks: 1,5 can be read in two ways");
  expect(await table.make()).toEqual([]);
  table.put({ stack: "" });
  await table.askAgents();
  expect([table.form.opponent, table.problem]).toEqual(["blueprint", ""]);
});

test("of several games that are chosen the last counts, and tables wait for its agents", async () => {
  const late: (() => void)[] = [];
  const asked = serving(async ({ method, url }) => {
    if (url.endsWith("/games")) return { body: { games: [game("leduc", true), game("holdem.nolimit.2p", false)] } };
    if (url.endsWith("/solutions")) return { body: { solutions: [] } };
    if (method === "POST") return { body: { id: "t1" } };
    if (late.length < 2) await new Promise<void>((done) => late.push(done));
    return { body: { agents: [agent(url.includes("leduc") ? "solved" : "blueprint")] } };
  });
  const table = new TableForm();
  const begun = table.begin(null);
  await vi.waitFor(() => expect(late).toHaveLength(1));
  table.put({ of: "game:leduc" });
  await vi.waitFor(() => expect(late).toHaveLength(2));
  const made = table.make();
  late[0]();
  await settled();
  expect(table.form.opponent).toBe("");
  late[1]();
  expect(await made).toEqual(["t1"]);
  await begun;
  expect(asked.at(-1)?.body).toMatchObject({ game: "leduc", opponent: "solved" });
});

test("the spot of a solution is played against it", async () => {
  const { table, asked } = await form("river");
  expect(table.subject).toEqual({ kind: "solution", name: "river" });
  expect(asked.at(-1)?.url).toBe("/api/v1/agents?solution=river");
  expect(table.wanted).toEqual({ name: "solution:river", title: "river" });
});
