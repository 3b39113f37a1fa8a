import { expect, test } from "vitest";
import { menuWords, putMenu, sizesText } from "./sizes";
import { type Form, toForm } from "./spot";

test("sizes are read as players write them", () => {
  for (const [typed, read] of [
    ["33", "33%"],
    ["33 75", "33%, 75%"],
    ["33 %, 2.5 x;a", "33%, 2.5x, a"],
    ["50%,75", "50%, 75%"],
    ["100 c e", "100c, e"],
    ["2 e", "2e"],
    ["3bb", "3bb"],
    // Three may be meant as three times the bet, so the server says how that is written.
    ["3", "3"],
    ["None", "none"],
    ["", ""],
  ]) {
    expect(sizesText(typed), typed).toBe(read);
  }
});

test("a menu says how many sizes it has and what it costs", () => {
  expect(menuWords({ bet: "60%", raise: "", cost_pot_percent: 2.77 })).toBe(
    "One size: 60 %; no raises (costs about 2.8 % of the pot)",
  );
  expect(menuWords({ bet: "25%, 75%, a", raise: "50%, a", cost_pot_percent: 0.02 })).toBe(
    "Two sizes: 25 %, 75 %, all-in; raises 50 %, all-in (costs about nothing)",
  );
  expect(menuWords({ bet: "33%, 75%", raise: "a", cost_pot_percent: null })).not.toContain("costs");
});

test("a menu holds for both players on all streets but the first", () => {
  const form = toForm({
    board: "QsJh2c",
    pot: 10,
    stack: 20,
    ranges: { oop: "AA", ip: "KK" },
    bets: { flop: { bet: "50%", raise: "a", donk: "20%" } },
  }) as Form;
  putMenu(form, { bet: "33%", raise: "a", cost_pot_percent: null });
  expect(form.bets.river.players).toEqual(Array(2).fill({ bet: "33%", raise: "a", donk: "" }));
  expect(form.bets.preflop.players[0]).toEqual({ bet: "", raise: "", donk: "" });
});
