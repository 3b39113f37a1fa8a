import { expect, test } from "vitest";
import type { DecisionView, ReviewView } from "../api/types";
import { amount, gradedOf, lostText, spaced, summaryOf, verdictOf } from "./decision";

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
  pot_percents: {},
  all_in: [],
  colours: { fold: "#2464be", call: "#8ae4a0" },
};

test("what a review comes to", () => {
  const review = {
    hands: 2,
    read: 20,
    decisions: 11,
    loss_chips: 6.378,
    loss_mbb: 6378,
    not_counted: 3,
    unit: "bb",
    by_player: [] as ReviewView["by_player"],
  } as const;
  expect(
    summaryOf({
      ...review,
      by_player: ["Ann", "Ben"].map((player) => ({ player, decisions: 5, loss_chips: 3, loss_mbb: 3000 })),
    }),
  ).toMatchObject({
    lost: "6.38 big blinds lost by 2 players",
    rate: "",
  });
  expect(summaryOf(review)).toEqual({
    lost: "6.38 big blinds lost",
    rate: "31.9 bb per 100 hands",
    found: "11 decisions in 2 of 20 hands. 3 losses are too small to count.",
  });
  const chips = { ...review, decisions: 1, not_counted: 0, loss_chips: 12345, loss_mbb: null, unit: "chips" } as const;
  expect(summaryOf(chips)).toEqual({ lost: "12,345 chips lost", rate: "", found: "1 decision in 2 of 20 hands." });
  expect(summaryOf({ ...review, not_counted: 1 }).found).toContain("1 loss is too small to count.");
  expect(summaryOf({ ...review, loss_chips: 0, loss_mbb: 0 })).toMatchObject({ lost: "Nothing lost", rate: "" });
  expect(summaryOf({ ...review, decisions: 0 }).lost).toBe("No decision was reviewed");
});

test("amounts of big blinds have two decimals, and noise is nothing", () => {
  const texts = [1.5469, 0.0051, 0.0042, 0.0004, -1.1368e-15, -1.1484];
  expect(texts.map((value) => amount(value, "bb"))).toEqual(["1.55", "0.01", "0.004", "<0.001", "0", "-1.15"]);
  expect(amount(0.0042, "chips")).toBe("0.0042");
  expect([lostText(1.5469, "bb"), lostText(0, "bb")]).toEqual(["−1.55 bb", "no loss"]);
});

test("what was played and what is best, in a sentence", () => {
  expect(verdictOf(DECISION)).toBe("Ben raised to 1665, which is graded as call. Best: fold.");
  expect(verdictOf({ ...DECISION, played: "raise to 300", action: "raise 300", best: "raise 300" })).toBe(
    "Ben raised to 300. No action is better.",
  );
  expect(spaced("check bet 3.3bb raise 10bb")).toBe("check bet 3.3 bb raise 10 bb");
});

test("actions with what they are worth, as far as that is known", () => {
  expect(gradedOf(DECISION, "bb")).toEqual([
    { action: "fold", frequency: 0.965, colour: "#2464be", ev: "0" },
    { action: "call", frequency: 0.035, colour: "#8ae4a0", ev: "-4.09" },
  ]);
  expect(gradedOf({ ...DECISION, ev_chips: { call: -4.09 } }, "bb")[0].ev).toBeNull();
});
