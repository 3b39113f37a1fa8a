import { expect, test } from "vitest";
import { button, click, serving, settled, shown } from "../testing/page";
import { nameOf, SolutionList } from "./SolutionList";

const solution = (name: string, shipped: boolean) => ({
  name,
  title: `The ${name}`,
  game: "river",
  kind: "solution",
  bytes: 1500,
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
  expect(row?.textContent).toContain("0.23target met, verified1.5 kB");
  expect(button(root, "Delete blueprint")).toBeUndefined();
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
