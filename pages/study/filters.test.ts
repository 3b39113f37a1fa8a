import { expect, test } from "vitest";
import type { ReadingView } from "../api/types";
import { NODE } from "../testing/node";
import { categoriesOf, categoryRows, chosenBy, kindOf, narrowed, partOf, wordsOf } from "./filters";
import { summarise } from "./hands";

/** The hands are AhKh, AdKd and QhQd; with AhKh the opponent has half as many hands. */
const READING: ReadingView = {
  line: "",
  pair_weights: [
    [1, 1, 2, 0],
    [1, 1, 0, 0],
  ],
  made: ["set", "ace high"],
  draws: ["flush draw", "gutshot"],
  made_of_hands: [1, 1, 0, -1],
  draws_of_hands: [3, 2, 0, 0],
  nuts: null,
  why_no_categories: "",
};
const chosen = (text: string) => chosenBy(wordsOf(text), NODE, READING).flatMap((is, i) => (is ? [NODE.hands[i]] : []));

test("hands have categories, a kind and suits", () => {
  expect([0, 1, 2, 3].map((i) => categoriesOf(READING, i))).toEqual([
    ["ace high", "flush draw", "gutshot"],
    ["ace high", "gutshot"],
    ["set"],
    [],
  ]);
  expect(["AhKh", "QhQd", "AhKd"].map(kindOf)).toEqual(["suited", "pairs", "offsuit"]);
});

test("a hand has one word of each kind that a filter has", () => {
  expect(wordsOf(" set, h,,h")).toEqual(["set", "h"]);
  expect(chosen("")).toEqual(NODE.hands);
  expect(chosen("flush draw,set")).toEqual(["AhKh", "QhQd"]);
  expect(chosen("gutshot,h")).toEqual(["AhKh"]);
  expect(chosen("pairs,d")).toEqual(["QhQd", "KhKd"]);
  expect(chosen("nothing")).toEqual([]);
});

test("a part of a range has means over all pairs of hands, and actions the EV of those who take them", () => {
  const part = partOf(NODE, summarise(NODE, 0), READING, [0, 1], "ace high");
  expect([part.weight, part.ev, part.equity]).toEqual([1.5, 57.5, 0.6]);
  expect(part.shares).toEqual([0.375, 0.625]);
  // Only AdKd checks; AhKh always bets, and AdKd does every fourth time.
  expect(part.actionEv).toEqual([50, 62]);
  expect(part.eqr).toBeCloseTo((57.5 + 50) / 60);
  expect(partOf(NODE, summarise(NODE, 0), READING, [], "set")).toMatchObject({ weight: 0, shares: [], ev: null });
});

test("classes have the hands that a filter leaves, and the whole range as well", () => {
  const summary = narrowed(NODE, summarise(NODE, 0), READING, [false, true, true, true]);
  const [suited, queens] = summary.items;
  expect([suited.weight, suited.shares, suited.hands]).toEqual([0.25, [0.75, 0.25], [1]]);
  expect([queens.weight, queens.ev]).toEqual([1, 30]);
  expect([summary.full, summary.all.weight, summary.all.ev]).toEqual([1, 1.5, 110 / 3]);
  const other = narrowed(NODE, summarise(NODE, 1), READING, [true, false, true, true]);
  expect([other.items[0].weight, other.items[0].shares, other.all.ev]).toEqual([0.5, [], 45]);
});

test("categories that the range has are rows, with their shares of all pairs", () => {
  const rows = categoryRows(NODE, summarise(NODE, 0), READING);
  expect(rows.map(({ name, draw, share }) => [name, draw, share])).toEqual([
    ["set", false, 0.5],
    ["ace high", false, 0.5],
    ["flush draw", true, 0.25],
    ["gutshot", true, 0.5],
  ]);
});
