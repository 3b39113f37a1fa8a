import { expect, test } from "vitest";
import { headOf } from "./file";

const HAND = `PokerStars Hand #1:  Hold'em No Limit ($0.25/$0.50 USD)
Seat 1: Ann ($50 in chips)
Seat 2: brook (trout) ($1,050.25 in chips)
Dealt to Ann [3c 3d]
`;

test("the players of a session, and whose cards are dealt", () => {
  const head = headOf(`${HAND}\n${HAND.replace("Seat 2: brook (trout)", "Seat 2: Pavo")}`);
  expect(head).toEqual({ players: ["Ann", "brook (trout)", "Pavo"], hero: "Ann", log: false, many: false });
});

test("GGPoker names everybody to whom cards are dealt, and shows those of one", () => {
  const text = "Seat 1: a1 (€20 in chips)\nSeat 2: Hero (€20 in chips)\nDealt to a1 \nDealt to Hero [As Ks]\n";
  expect(headOf(text)).toEqual({ players: ["a1", "Hero"], hero: "Hero", log: false, many: false });
});

test("PHH and a dealer's log", () => {
  expect(headOf("variant = \"NT\"\nplayers = ['Bea', 'Ben']\n").players).toEqual(["Bea", "Ben"]);
  const log = "STATE:0:r300c/cc:KsKh|AsAh/7c6d2h:-300|300:one|two\nSTATE:1:f:Ks2h|AsAh:-50|50:two|one\n";
  expect(headOf(log)).toEqual({ players: ["one", "two"], hero: "", log: true, many: false });
  expect(headOf("")).toEqual({ players: [], hero: "", log: false, many: false });
});

test("a table of more than two", () => {
  const third = "Seat 3: Cid ($50 in chips)\n";
  expect([headOf(HAND).many, headOf(HAND + third).many]).toEqual([false, true]);
  expect(headOf("players = ['Bea', 'Ben', 'Cid']\n").many).toBe(true);
  expect(headOf("starting_stacks = [100, 100, 80]\n").many).toBe(true);
  expect(headOf("STATE:0:r200c/cr:Jc8d|:10|-10:Ann|Bob\n").many).toBe(false);
});
