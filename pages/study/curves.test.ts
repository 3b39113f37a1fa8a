import { expect, test } from "vitest";
import { curveOf, equityAt, pathOf, placeOf } from "./curves";

test("a curve goes from the weakest hand to the strongest, each as wide as its weight", () => {
  const curve = curveOf([0.8, 0.2, null, 0.5], [1, 2, 0, 1]);
  expect(curve).toEqual([
    [0.5, 0.2],
    [0.75, 0.5],
    [1, 0.8],
  ]);
  expect([0.25, 0.5, 0.75, 1].map((share) => equityAt(curve, share))).toEqual([0.2, 0.2, 0.5, 0.8]);
  expect([placeOf(curve, 0.5), placeOf(curve, 0.3), placeOf(curve, 0.9)]).toEqual([[0.75, 0.5], [0.75, 0.3], null]);
  expect(pathOf(curve, 100)).toBe("M0.0 80.0L50.0 80.0L50.0 50.0L75.0 50.0L75.0 20.0L100.0 20.0");
});

test("there is no curve where equities are not known", () => {
  expect(curveOf([null, 0.5], [1, 1])).toEqual([]);
  expect([equityAt([], 0.5), pathOf([], 100)]).toEqual([null, ""]);
});
