import { expect, test } from "vitest";
import { courseOf, drawnPoints, reach, signed, span, tone } from "./intervals";

const interval = (mean: number | null, low: number | null, high: number | null) => ({ mean, low, high });

test("numbers have their sign and four digits", () => {
  expect([12.3456, -1234.56, 0, 1e-12, null].map(signed)).toEqual(["+12.35", "−1,235", "0", "0", "–"]);
  expect(reach(interval(1, -2, 4))).toBe("−2 to +4");
  expect(reach(interval(1, null, null))).toBe("too few hands");
  expect(span([interval(1, -5, 4), interval(null, null, null)])).toBe(5);
  expect([interval(3, 1, 5), interval(-3, -5, -1), interval(0, -1, 1), interval(1, null, null)].map(tone)).toEqual([
    "win",
    "loss",
    "",
    "",
  ]);
});

test("a curve leaves out its first hands, and shows 0", () => {
  const hands = Array.from({ length: 40 }, (_, i) => i + 1);
  const low = hands.map((count) => 5 - 100 / count);
  const curve = { hands, mean: hands.map(() => 5), low, high: low.map((value) => 10 - value) };
  const shown = drawnPoints(curve);
  expect(shown?.points[0].hands).toBe(3);
  expect(shown?.bottom).toBeCloseTo(5 - 100 / 3);
  expect(drawnPoints({ hands: [1], mean: [2], low: [null], high: [null] })).toBeNull();
  const above = drawnPoints({ hands: [1, 2], mean: [2, 3], low: [null, 1], high: [null, 5] });
  expect([above?.bottom, above?.top, above?.points[0].low]).toEqual([0, 5, 2]);
});

test("the course of a measure is read from points of progress", () => {
  const point = (hands: number, mean: number) => ({ hands, measures: [{ name: "chips", ...interval(mean, null, 1) }] });
  expect(courseOf([point(1, 2), point(2, 3)], 0)).toEqual({
    hands: [1, 2],
    mean: [2, 3],
    low: [null, null],
    high: [1, 1],
  });
});
