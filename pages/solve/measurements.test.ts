import { expect, test } from "vitest";
import { measurements, nextTarget, powersOf, secondsLeft, thinned } from "./measurements";

const point = (measured_at: number, percent: number | null, seconds = measured_at) => ({
  seconds,
  measured_at,
  exploitability_pot_percent: percent,
  target_pot_percent: 0.5,
});

test("a run that goes back to its checkpoint leaves out what came after it", () => {
  const found = measurements([
    point(0, null),
    point(10, 5),
    point(20, 4),
    point(30, 3),
    point(20, 4.1, 50),
    point(40, 1, 60),
  ]);
  expect(found.map((one) => [one.measured_at, one.exploitability_pot_percent])).toEqual([
    [10, 5],
    [20, 4.1],
    [40, 1],
  ]);
});

test("the last figure is that of the certificate, at the time of its iteration", () => {
  const [last] = measurements([point(10, 1, 5), point(10, 0.9, 8)]);
  expect([last.exploitability_pot_percent, last.seconds]).toEqual([0.9, 5]);
  expect(measurements([{ ...point(10, 1), measuring: "the whole game" }])).toEqual([]);
});

test("an axis has the powers of ten around its values", () => {
  expect(powersOf([0.3, 40])).toEqual({ low: -1, high: 2, powers: [-1, 0, 1, 2] });
  expect(powersOf([1])).toEqual({ low: 0, high: 1, powers: [0, 1] });
  expect(powersOf([1e-9, 100]).powers).toEqual([-9, -7, -5, -3, -1, 1]);
});

test("long tables are thinned, and keep their end", () => {
  const many = Array.from({ length: 130 }, (_, i) => i);
  const few = thinned(many, 60);
  expect(few.length).toBeLessThanOrEqual(61);
  expect(few.at(-1)).toBe(129);
  expect(thinned([1, 2], 60)).toEqual([1, 2]);
});

test("the time that is left follows from how the exploitability has fallen", () => {
  // 10 / seconds reaches .5 % after 20 seconds.
  const points = [1, 2, 3, 4, 5].map((time) => point(10 * time, 10 / time, time));
  expect(secondsLeft(points)).toBeCloseTo(15, 6);
  // Time that has passed since the last measurement counts.
  expect(secondsLeft([...points, point(50, 2, 7)])).toBeCloseTo(13, 6);
  expect(secondsLeft(points.slice(0, 1))).toBeNull();
  expect(secondsLeft([point(10, 1, 1), point(20, 2, 2)])).toBeNull();
  expect(secondsLeft([])).toBeNull();
});

test("a finished solve goes on to the next round target", () => {
  expect([0.97, 0.49, 0.098, 0.0009].map(nextTarget)).toEqual([0.5, 0.25, 0.05, null]);
});
