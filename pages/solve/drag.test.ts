import { expect, test } from "vitest";
import { cellAt, cellsBetween } from "./drag";

const BOX = { left: 100, top: 50, width: 130, height: 130 };

test("a point is in a cell, or outside", () => {
  expect(cellAt(BOX, { x: 101, y: 51 }, 13)).toBe(0);
  expect(cellAt(BOX, { x: 229, y: 179 }, 13)).toBe(168);
  expect(cellAt(BOX, { x: 99, y: 60 }, 13)).toBeNull();
});

test("a fast pointer crosses every cell of a row between two places", () => {
  expect(cellsBetween(BOX, { x: 105, y: 55 }, { x: 225, y: 55 }, 13)).toEqual([...Array(13).keys()]);
  const across = cellsBetween(BOX, { x: 105, y: 55 }, { x: 225, y: 175 }, 13);
  expect(across).toEqual(Array.from({ length: 13 }, (_, i) => 14 * i));
  // What lies outside of the grid is left out.
  expect(cellsBetween(BOX, { x: 50, y: 55 }, { x: 115, y: 55 }, 13)).toEqual([0, 1]);
});
