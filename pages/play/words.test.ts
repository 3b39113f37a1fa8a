import { expect, test } from "vitest";
import type { HandModel, TableModel } from "../api/types";
import { inWords } from "../shared/Cards";
import { actionOf, leftOutWords, lostWords, news, signedChips, sizedLabel, stateWords } from "./words";

const seat = (name: string, cards: string[]) => ({
  name,
  cards,
  stack_chips: 100,
  bet_chips: 0,
  dealer: false,
  acts: false,
  note: "",
});
const HAND: HandModel = {
  hand: 1,
  ply: 0,
  pot_chips: 3,
  board: [],
  board_places: 5,
  seats: [seat("Bot", ["", ""]), seat("you", ["Ah", "Td"])],
  streets: [{ street: "preflop", said: [] }],
  result: null,
};
const table = (changes: Partial<TableModel>, hand: Partial<HandModel> = {}) =>
  ({
    state: "turn",
    opponent: "Bot",
    choices: [{ label: "call 1" }],
    ...changes,
    shown: { ...HAND, ...hand },
  }) as TableModel;

test("a listener hears what is new, and no more", () => {
  const first = table({});
  expect(news(null, first)).toBe("Hand 1. You hold ace of hearts and 10 of diamonds. Your turn: call 1.");
  expect(news(first, first)).toBe("");
  const said = [{ street: "preflop", said: ["you call 1", "Bot checks"] }];
  const later = table({}, { streets: said, board: ["2c"] });
  expect(news(first, later)).toBe("you call 1; Bot checks. On the table: 2 of clubs. Your turn: call 1.");
  const result = { words: "You win 3.", won_chips: 3, without_luck_chips: null };
  const seats = [seat("Bot", ["Ks", "Kd"]), HAND.seats[1]];
  const over = table({ state: "over" }, { streets: said, board: ["2c"], seats, result });
  expect(news(later, over)).toBe("Bot shows king of spades and king of diamonds. You win 3.");
  const next = table({}, { hand: 2, streets: [{ street: "preflop", said: ["Bot calls 1"] }] });
  expect(news(over, next)).toBe("Hand 2. You hold ace of hearts and 10 of diamonds. Bot calls 1. Your turn: call 1.");
  expect(news(first, table({ state: "thinking" }))).toBe("Bot is thinking.");
});

test("how a table stands is a sentence", () => {
  const since = (seconds: number) => Date.now() / 1000 - seconds;
  const thinking = (seconds: number, most: number | null) =>
    stateWords(table({ state: "thinking", thinking_since: since(seconds), decision_seconds: most }));
  expect(thinking(0.2, null)).toBe("Bot is thinking.");
  expect(thinking(1.5, null)).toBe("Bot has been thinking for 1 second.");
  expect(thinking(5.5, 20)).toBe("Bot has been thinking for 5 seconds; it has 20 seconds for a decision.");
  expect(stateWords(table({ state: "waiting", ahead: 1 }))).toBe("One other agent thinks first.");
  expect(stateWords(table({ state: "failed", error: "no memory" }))).toBe("Bot failed: no memory");
});

test("a number is a bet, anything else is taken as it is", () => {
  expect([" 300", "1,234 ", "50%", "k", "r 20"].map(actionOf)).toEqual(["r 300", "r 1,234 ", "50%", "k", "r 20"]);
  expect([12.3, -5, 0].map(signedChips)).toEqual(["+12.3", "−5", "0"]);
  expect(inWords("Xx")).toBe("X of ?");
});

test("what was lost is said in chips and big blinds, and why decisions are not valued in one sentence", () => {
  expect(lostWords({ loss_chips: 5.14, loss_mbb: 51.4 })).toBe("5.1 chips, 0.1 bb lost");
  expect(lostWords({ loss_chips: 5.14, loss_mbb: null })).toBe("5.1 chips lost");
  expect(lostWords({ loss_chips: 0, loss_mbb: 0 })).toBe("Nothing lost");
  const far = "Values of hands are not computed here, because 5 numbers of hands follow and at most 2 are computed.";
  expect(leftOutWords({ [far]: 2, [far.replace("5", "9")]: 1, "The line is not in the tree.": 1 })).toEqual([
    "Where many cards are still to come no EV is known: the percentages say how often each action is taken.",
    "The line is not in the tree.",
  ]);
  expect(leftOutWords({})).toEqual([]);
});

test("a bet of everything says so first", () => {
  expect(sizedLabel({ label: "raise to 20,000, all-in", total_chips: 20000 })).toBe("all-in 20,000");
  expect(sizedLabel({ label: "call 50, all-in", total_chips: null })).toBe("call 50, all-in");
  expect(sizedLabel({ label: "bet 120", total_chips: 120 })).toBe("bet 120");
});
