import { expect, test } from "vitest";
import { chartsFor, queryFor } from "./charts";

const seats = (count: number) =>
  Array.from({ length: count }, (_, i) => `Seat ${i + 1}: P${i} ($50 in chips)\n`).join("");
const hand = (count: number) => `PokerStars Hand #1:  Hold'em No Limit\n${seats(count)}Dealt to P0 [As Ah]\n\n`;

test("hands are held against the charts for as many players as sit at the table", () => {
  expect(chartsFor(hand(6) + hand(3))).toBe("six-handed");
  // The opponents change, and there are always two at the table.
  expect(chartsFor(hand(2) + hand(2))).toBe("heads-up");
  expect(chartsFor("Poker Hand #HD1: Hold'em No Limit\nSeat 1: Hero ($5 in chips)\nSeat 2: x ($5 in chips)")).toBe(
    "heads-up",
  );
  expect(chartsFor("starting_stacks = [100, 100, 100]")).toBe("six-handed");
  expect(chartsFor("starting_stacks = [100, 100]")).toBe("heads-up");
});

test("the player whose cards are shown is reviewed, and the review has the name of the file", async () => {
  expect(await queryFor(new File([hand(6)], "tuesday.txt"))).toEqual({
    charts: "six-handed",
    player: "P0",
    format: null,
    title: "tuesday",
  });
});
