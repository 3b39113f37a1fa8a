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
  const range = new RangeText((text) => put.push(text));
  const root = shown(<RangePainter id="r" label="Oop" range={range} wrong="" />);
  return { asked, put, range, root };
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
