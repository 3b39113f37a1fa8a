import { expect, test } from "vitest";
import { NODE } from "../testing/node";
import { classOf, deckOf, handItem, heldItems, labelOf, summarise, valueIn } from "./hands";

const RANKS = "AKQJT98765432";

test("every hand is in its class: 6 pairs, 4 suited and 12 offsuit hands each", () => {
  const deck = [...RANKS].flatMap((rank) => [..."shdc"].map((suit) => rank + suit));
  const counts = new Map<string, number>();
  for (const [i, one] of deck.entries()) {
    for (const other of deck.slice(i + 1)) {
      const label = classOf(one + other);
      expect(classOf(other + one)).toBe(label);
      const pair = one[0] === other[0];
      expect(label).toBe(pair ? one[0] + one[0] : one[0] + other[0] + (one[1] === other[1] ? "s" : "o"));
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  }
  expect(counts.size).toBe(169);
  for (const [label, count] of counts) expect(count).toBe(label.length === 2 ? 6 : label[2] === "s" ? 4 : 12);
  expect(["Ks", "AhKhQh"].map(classOf)).toEqual(["Ks", "AhKhQh"]);
});

test("a deck has its ranks and suits from high to low", () => {
  expect(deckOf(["2c", "As", "Th", "Ac"])).toEqual({ ranks: ["A", "T", "2"], suits: ["s", "h", "c"] });
});

test("classes have the means of the node, and the player who does not act has no shares", () => {
  const summary = summarise(NODE, 0);
  const [suited, queens, kings] = summary.items;
  expect([suited.weight, suited.shares, suited.hands]).toEqual([0.75, [0.25, 0.75], [0, 1]]);
  expect([queens.ev, queens.equity, queens.eqr]).toEqual([30, 0.4, 0.8]);
  expect(kings.shares).toEqual([]);
  expect([summary.full, summary.acts, summary.all.weight]).toEqual([1, true, 2.5]);
  expect(summary.all.shares).toEqual([0.5, 0.5]);
  const other = summarise(NODE, 1);
  expect([other.acts, other.items[0].shares, other.all.actionEv]).toEqual([false, [], []]);
});

test("hands are items of their own", () => {
  const summary = summarise(NODE, 0);
  expect(handItem(NODE, summary, 1)).toMatchObject({ label: "AdKd", weight: 0.5, shares: [0.75, 0.25], ev: 50 });
  expect(handItem(NODE, summary, 3).shares).toEqual([]);
  expect(heldItems(NODE, summary, [0, 1, 2, 3]).map((one) => one.label)).toEqual(["AhKh", "AdKd", "QhQd"]);
  expect(["AhKh", "AKs", "", "72o"].map((hand) => labelOf(summary, hand))).toEqual(["AKs", "AKs", "", "72o"]);
  expect(valueIn(summary.items[3], "weight")).toBeNull();
  expect(valueIn(summary.items[2], "weight")).toBe(0);
});
