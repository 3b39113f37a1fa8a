import { expect, test } from "vitest";
import { button, click, serving, settled, shown, type } from "../testing/page";
import { nameOf, SolutionList } from "./SolutionList";

const solution = (name: string, shipped: boolean) => ({
  name,
  title: `The ${name}`,
  game: shipped ? "holdem.limit.2p" : "spot",
  kind: shipped ? "blueprint" : "solution",
  streets: ["river"],
  board: shipped ? [] : ["Qs", "Jh", "2c", "8d", "3s"],
  pot_chips: 100,
  stacks_chips: [300, 400],
  big_blind_chips: 10,
  bytes: 1500,
  start_bytes: shipped ? 0 : 3000,
  modified: 1.7e9,
  exploitability: { chips: 0.2, mbb: null, pot_percent: 0.2345 },
  status: "target met",
  shipped,
  certified: true,
  error: null,
  command: `errai show ${name}`,
});

/** The list of a server with these solutions, of which a deletion takes one away. */
async function listed(solutions: ReturnType<typeof solution>[]) {
  let left = solutions;
  const asked = serving(({ method, url }) => {
    if (method !== "DELETE") return { body: { solutions: left } };
    left = left.filter(({ name }) => !url.endsWith(`/${name}`));
    return { status: 204 };
  });
  const root = shown(<SolutionList />);
  await settled();
  return { root, asked };
}

test("a file gets a name that the server takes", () => {
  expect(["my river (2).errai", "../../x.ERRAI", "ÄÖ", "a..b.errai", ".errai"].map(nameOf)).toEqual([
    "my-river-2-",
    "x",
    "solution",
    "a.b",
    "solution",
  ]);
});

test("solutions are listed with their figures, and one's own can be deleted", async () => {
  const { root } = await listed([solution("river", false), solution("blueprint", true)]);
  const row = root.querySelector("tbody tr");
  expect(row?.textContent).toContain("The river");
  const texts = [...(row?.querySelectorAll("td") ?? [])].map((cell) => cell.textContent);
  expect(texts.slice(1, 5)).toEqual([
    "10010 bb",
    "30030 bb",
    "0.23target met, verified",
    "1.5 kBand 3 kB to solve again",
  ]);
  expect(row?.querySelectorAll(".card")).toHaveLength(5);
  expect(button(root, "Delete blueprint")).toBeUndefined();
  await type(root.querySelector("input[type=search]"), "jh2c");
  expect(root.querySelectorAll("tbody tr")).toHaveLength(1);
  await type(root.querySelector("input[type=search]"), "");
  await click(button(root, "blueprints"));
  expect(root.querySelector("tbody tr")?.textContent).toContain("The blueprint");
  await click(button(root, "all"));
  window.confirm = () => false;
  await click(button(root, "Delete river"));
  await settled();
  expect(root.querySelectorAll("tbody tr")).toHaveLength(2);
  window.confirm = () => true;
  await click(button(root, "Delete river"));
  await settled();
  expect(root.querySelectorAll("tbody tr")).toHaveLength(1);
  expect(root.textContent).toContain("There are no solutions yet.");
});
