import { expect, test } from "vitest";
import { moved } from "./gridKeys";

test("arrows move within a grid and stop at its edges", () => {
  const from = (i: number) => (key: string) => moved(key, i, 13, 169);
  expect(["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "Home", "End"].map(from(14))).toEqual([
    15, 27, 13, 1, 13, 25,
  ]);
  expect(["ArrowRight", "ArrowDown"].map(from(168))).toEqual([168, 168]);
  expect(["ArrowLeft", "ArrowUp"].map(from(0))).toEqual([0, 0]);
  expect(moved("a", 3, 13, 169)).toBe(-1);
  // The last row may be shorter.
  expect(moved("ArrowDown", 3, 4, 6)).toBe(5);
});
