import { expect, test } from "vitest";
import type { SolutionView } from "../api/types";
import { ALL, found, groupsOf, inBlinds } from "./list";

const one = (name: string, more: Partial<SolutionView>): SolutionView => ({
  ...{ name, title: name, game: "spot", streets: ["river"], player_names: [], kind: "solution", board: [] },
  ...{ pot_chips: 100, stacks_chips: [100, 100], big_blind_chips: null, bytes: 1, start_bytes: 0, modified: 0 },
  ...{ exploitability: null, status: "target met", shipped: false, certified: null, error: "", command: "" },
  ...more,
});
const SOLUTIONS = [
  one("leduc", { game: "leduc", streets: ["preflop", "flop"] }),
  one("queens", { streets: ["turn", "river"], board: ["Qs", "Jh", "2c", "8d"] }),
  one("tens", { streets: ["flop", "turn", "river"], board: ["Td", "9d", "6h"] }),
  one("blueprint", { kind: "blueprint", game: "holdem.limit.2p", streets: ["preflop"] }),
];

test("solutions are in groups by where they begin", () => {
  expect(groupsOf(SOLUTIONS)).toEqual(["flop", "turn", "games", "blueprints"]);
});

test("every word has to be found, boards with and without spaces", () => {
  const names = (typed: string, group = ALL) => found(SOLUTIONS, typed, group).map(({ name }) => name);
  expect(names("")).toHaveLength(4);
  expect(names("qsjh")).toEqual(["queens"]);
  expect(names("Td 9d")).toEqual(["tens"]);
  expect(names("met river")).toEqual(["queens", "tens"]);
  expect(names("", "games")).toEqual(["leduc"]);
  expect(names("tens", "turn")).toEqual([]);
});

test("chips are big blinds where there are some", () => {
  expect([inBlinds(200, 3), inBlinds(200, null), inBlinds(null, 2)]).toEqual(["66.7 bb", "", ""]);
});
