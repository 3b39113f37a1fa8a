import { expect, test } from "vitest";
import type { DecisionView } from "../api/types";
import { amount, coloursOf, lostText, rowsOf, summaryOf, verdictOf } from "./decision";

const DECISION: DecisionView = {
  hand: 7,
  player: "Ben",
  cards: "AsAh",
  class: "AA",
  board: "7c6d2h",
  street: "flop",
  line: "bet 500",
  played: "raise to 1665",
  action: "call",
  mapped: true,
  best: "fold",
  ev_chips: { fold: 0, call: -4.09 },
  probabilities: { fold: 0.965, call: 0.035 },
  loss_chips: 4.09,
  loss_mbb: 4090,
  counted: true,
  line_reached: 0.1,
  unconverged_chips: 0.01,
  pot_chips: 10,
  solution: "f0ac",
};

test("a review in a sentence", () => {
  const review = { hands: 2, decisions: 11, loss_chips: 6.378, not_counted: 3, unit: "bb" } as const;
  expect(summaryOf(review)).toBe("2 hands, 11 decisions: 6.38 big blinds lost. 3 losses were too small to count.");
  expect(summaryOf({ ...review, hands: 1, decisions: 1, not_counted: 0, loss_chips: 12345, unit: "chips" })).toBe(
    "1 hand, 1 decision: 12,345 chips lost.",
  );
  expect(summaryOf({ ...review, not_counted: 1 })).toContain("1 loss was too small to count.");
  expect(summaryOf({ ...review, decisions: 0 })).toBe("No decision of these hands was reviewed.");
});

test("amounts of big blinds have two decimals, and noise is nothing", () => {
  const texts = [1.5469, 0.0051, 0.0042, 0.0004, -1.1368e-15, -1.1484];
  expect(texts.map((value) => amount(value, "bb"))).toEqual(["1.55", "0.01", "0.004", "<0.001", "0", "-1.15"]);
  expect(amount(0.0042, "chips")).toBe("0.0042");
  expect([lostText(1.5469, "bb"), lostText(0, "bb")]).toEqual(["−1.55 bb", "no loss"]);
});

test("actions with what was played and what is best", () => {
  expect(verdictOf(DECISION)).toBe("Ben raised to 1665, read as call. Best: fold.");
  expect(verdictOf({ ...DECISION, played: "raise to 300", action: "raise 300", best: "raise 300" })).toBe(
    "Ben raised to 300. No action is better.",
  );
  const rows = rowsOf({ ...DECISION, ev_chips: { call: -4.09 } });
  expect(rows.map(({ action, frequency, ev, played, best }) => [action, frequency, ev, played, best])).toEqual([
    ["fold", 0.965, null, false, true],
    ["call", 0.035, -4.09, true, false],
  ]);
});

test("the smallest bet is amber and the largest dark, as in pictures", () => {
  const colours = coloursOf(["fold", "call", "raise 300", "raise 1000"]);
  expect(colours.slice(0, 2)).toEqual(["var(--fold)", "var(--call)"]);
  expect(colours[2]).toContain("rgb(150 16 28) 0%");
  expect(colours[3]).toContain("rgb(150 16 28) 100%");
  expect(coloursOf(["fold", "raise 3bb", "raise 10bb"])[1]).toBe(coloursOf(["fold", "raise 300", "raise 1000"])[1]);
  expect(coloursOf(["check", "bet 165"])[1]).toBe("rgb(222 78 40)");
});
