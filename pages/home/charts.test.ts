import { expect, test } from "vitest";
import { queryFor } from "./charts";

const seats = (count: number) =>
  Array.from({ length: count }, (_, i) => `Seat ${i + 1}: P${i} ($50 in chips)\n`).join("");
const hand = (count: number) => `PokerStars Hand #1:  Hold'em No Limit\n${seats(count)}Dealt to P0 [As Ah]\n\n`;

test("hands are held against the charts for as many players as sit at the table", async () => {
  expect((await queryFor(new File([hand(2) + hand(2)], "a.txt"))).charts).toBe("heads-up");
  expect((await queryFor(new File([hand(6) + hand(3)], "a.txt"))).charts).toBe("six-handed");
});

test("the player whose cards are shown is reviewed, and the review has the name of the file", async () => {
  expect(await queryFor(new File([hand(6)], "tuesday.txt"))).toEqual({
    charts: "six-handed",
    player: "P0",
    format: null,
    title: "tuesday",
  });
});
