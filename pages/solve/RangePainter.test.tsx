import { expect, test } from "vitest";
import { button, click, press, serving, settled, shown, type } from "../testing/page";
import { RangePainter } from "./RangePainter";
import { className, RangeText } from "./rangeText";

type Cell = { row: number; column: number; weight: number };

/** A server that knows no text but those of cells. */
function painter() {
  const asked = serving(({ body }) => {
    const { text, cells = [] } = body as { text: string; cells?: Cell[] };
    if (text === "bad")
      return { status: 422, body: { error: { type: "RangeError", message: "x", text: "No range." } } };
    const grid = Array.from({ length: 13 }, () => Array(13).fill(0));
    for (const { row, column, weight } of cells) grid[row][column] = weight;
    const names = cells.map(({ row, column, weight }) => `${className(row, column)}:${weight}`);
    return { body: { text: [...(text ? [text] : []), ...names].join(","), grid, hands: 6 * cells.length } };
  });
  const put: string[] = [];
  const range = new RangeText((text, whole) => void put.push(whole ? `${text} as a whole` : text));
  const library = [
    { name: "@own/BB", charts: "own", title: "BB, calls", position: "BB", hands: "AA", own: true },
    { name: "@six-handed/x/BTN", charts: "six-handed", title: "BTN", position: "BTN", hands: "KK", own: false },
  ];
  const taken: string[] = [];
  const take = ({ hands }: { hands: string }) => void taken.push(hands);
  const root = shown(<RangePainter id="r" label="Oop" range={range} library={library} take={take} wrong="" />);
  return { asked, put, range, root, taken };
}

test("a click gives a cell the weight of the brush, and brings the text in step", async () => {
  const { put, range, root } = painter();
  const cell = button(root, "AA, 0 %");
  await press(cell, "5");
  await click(cell);
  await settled();
  expect(put).toEqual(["AA:0.5"]);
  expect(button(root, "AA, 50 %")).toBe(cell);
  expect(root.querySelector("textarea")?.value).toBe("AA:0.5");
  expect(range.toggled(0)).toBe(0);
  await press(cell, "ArrowRight");
  expect(document.activeElement?.getAttribute("aria-label")).toBe("AKs, 0 %");
});

test("a text that is no range says so below it", async () => {
  const { put, root } = painter();
  await type(root.querySelector("textarea"), "bad");
  await settled();
  expect(put).toEqual(["bad"]);
  expect(root.querySelector("#r-said")?.textContent).toBe("No range.");
  expect(root.querySelector("textarea")?.getAttribute("aria-invalid")).toBe("true");
});

test("cells that are painted while the server reads are sent after it, together", async () => {
  const { asked, range } = painter();
  range.paint(0, 1);
  range.paint(1, 1);
  range.paint(2, 1);
  await new Promise((done) => setTimeout(done, 20));
  expect(asked.map(({ body }) => (body as { cells: Cell[] }).cells.map(({ column }) => column))).toEqual([[0], [1, 2]]);
});

test("a range is taken from the library, or as the best hands", async () => {
  const { put, root, taken } = painter();
  const [select, slider] = [root.querySelector("select"), root.querySelector("input[type=range]")];
  expect([...root.querySelectorAll("optgroup")].map(({ label }) => label)).toEqual(["Own", "Six handed"]);
  await type(select, "@six-handed/x/BTN");
  expect(taken).toEqual(["KK"]);
  expect(select?.value).toBe("");
  await type(slider, "20");
  await type(slider, "0");
  await click(button(root, "All hands"));
  expect(put).toEqual(["20%", "", "random as a whole"]);
});
