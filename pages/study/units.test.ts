import { expect, test } from "vitest";
import { NODE } from "../testing/node";
import { factorOf, multiplied, unitsOf } from "./units";

test("EVs are in chips, big blinds or per cent of the pot", () => {
  const node = { ...NODE, big_blind_chips: 2, pot_chips: 80 };
  expect([factorOf("chips", node), factorOf("bb", node), factorOf("pot", node)]).toEqual([1, 0.5, 1.25]);
  expect(unitsOf(node).map(([unit]) => unit)).toEqual(["chips", "bb", "pot"]);
  expect(unitsOf(NODE).map(([unit]) => unit)).toEqual(["chips", "pot"]);
  expect(factorOf("bb", NODE)).toBe(1);
});

test("every EV of a node is in the unit, and nothing else is changed", () => {
  const half = multiplied(NODE, 0.5);
  expect([half.pot_chips, half.sunk_chips]).toEqual([50, [25, 25]]);
  expect(half.actions.map((one) => one.ev_chips)).toEqual([20, 30]);
  expect(half.ranges.ev_chips).toEqual([25, 22.5]);
  expect(half.classes.players[0].ev_chips).toEqual([30, 15, null, null]);
  expect(half.classes.players[0].action_ev_chips?.[0]).toEqual([25, 32.5]);
  expect(half.ev_chips[0]).toEqual([32.5, 25, 15, null]);
  expect(half.action_ev_chips?.[0]).toEqual([25, 32.5]);
  expect([half.equity, half.strategy, half.weights]).toEqual([NODE.equity, NODE.strategy, NODE.weights]);
  expect(multiplied(NODE, 1)).toBe(NODE);
});
