import { expect, test } from "vitest";
import { NODE } from "../testing/node";
import { summarise } from "./hands";
import { changed, frequenciesOf, handsText, joined, type Locks, locksOf, told, tomlOf } from "./locks";

test("per cents are frequencies that sum to 1, or a sentence", () => {
  const of = (percents: number[]) => frequenciesOf(percents, ["fold", "call"]);
  expect(of([100, 0])).toEqual({ fold: 1 });
  expect(of([33.33, 66.67])).toEqual({ fold: 0.3333, call: 0.6667 });
  // What rounding leaves over goes to the largest.
  const sixths = frequenciesOf([16.666, 16.666, 66.668], ["fold", "call", "raise"]);
  expect(sixths).toEqual({ fold: 0.1667, call: 0.1667, raise: 0.6666 });
  expect(of([50, 49])).toBe("The frequencies sum to 99 %, not to 100 %.");
  expect(of([-1, 101])).toBe("Each frequency is a number from 0 to 100.");
});

test("locks are written as TOML, with texts quoted", () => {
  const locks: Locks = { "": { "*": "best" }, "bet 50 / Ah /": { 'AsKs, "x"': { "bet 50": 0.25, check: 0.75 } } };
  expect(tomlOf(locks)).toBe(
    '[""]\n"*" = "best"\n\n["bet 50 / Ah /"]\n"AsKs, \\"x\\"" = { "bet 50" = 0.25, "check" = 0.75 }\n',
  );
});

test("a line of the second file replaces the same line of the first", () => {
  const first = '["check"]\n"AA" = "best"\n\n[""]\n"KK" = "best"\n';
  expect(joined(first, '[""]\n"*" = "best"\n')).toBe('["check"]\n"AA" = "best"\n\n[""]\n"*" = "best"\n');
});

test("locks are added and removed, and an empty line goes", () => {
  const one = changed({}, "bet", "AA", { call: 1 });
  const two = changed(one, "bet", "*", "best");
  expect(two).toEqual({ bet: { AA: { call: 1 }, "*": "best" } });
  expect(one).toEqual({ bet: { AA: { call: 1 } } });
  expect(changed(changed(two, "bet", "AA", null), "bet", "*", null)).toEqual({});
  expect(["", "[]", "null", "{x"].map(locksOf)).toEqual([{}, {}, {}, {}]);
  expect([told("best"), told({ call: 0.25, fold: 0.75 })]).toEqual([
    "always the best answer",
    "call 25.0 %, fold 75.0 %",
  ]);
});

test("hands are named as locks write them", () => {
  const summary = summarise(NODE, 0);
  const of = (hand: string) => handsText(NODE, summary, hand);
  expect([of(""), of("AKs"), of("QhQd"), of("KK"), of("72o")]).toEqual(["*", "AKs", "QhQd", "", ""]);
  // Of a class that the player cannot hold as a whole, the hands that are there are named.
  const wider = { ...summary, byLabel: new Map([["AKs", { ...summary.items[0], possible: 4 }]]) };
  expect(handsText(NODE, wider, "AKs")).toBe("AhKh, AdKd");
});
