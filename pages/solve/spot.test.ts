import { expect, test } from "vitest";
import { type Fields, type Form, faultOf, fieldOf, streetsLeft, toForm, toText } from "./spot";

const RIVER: Fields = {
  title: 'A "small" river',
  board: "Qs Jh 2c 8d 3s",
  pot: 100,
  stack: 300,
  ranges: { oop: "AA, 99", ip: "KK" },
  bets: { river: { oop: { bet: "50%", raise: "a" }, ip: { bet: "50%", raise: "60%" }, raise_cap: 3 } },
  thresholds: { merging: 0.1 },
  rake: { percent: 5, cap: 3 },
};
const form = (changes: Partial<Fields> = {}) => toForm({ ...RIVER, ...changes }) as Form;

test("the text of a spot has what the form has, menus that are alike once", () => {
  const text = toText(form());
  expect(text).toBe(
    [
      'title = "A \\"small\\" river"',
      'board = "Qs Jh 2c 8d 3s"',
      "pot = 100",
      "stack = 300",
      "",
      "[ranges]",
      'oop = "AA, 99"',
      'ip = "KK"',
      "",
      "[bets.river]",
      "raise_cap = 3",
      "[bets.river.oop]",
      'bet = "50%"',
      'raise = "a"',
      "[bets.river.ip]",
      'bet = "50%"',
      'raise = "60%"',
      "",
      "[thresholds]",
      "merging = 0.1",
      "",
      "[rake]",
      "percent = 5",
      "cap = 3",
      "",
    ].join("\n"),
  );
  const alike = form({ bets: { river: { bet: "50%", raise: "a" } } });
  expect(toText(alike)).toContain('[bets.river]\nbet = "50%"\nraise = "a"\n');
  expect(toText(alike)).not.toContain("bets.river.oop");
});

test("numbers are written without commas, and what is none is left to the server", () => {
  const spot = form();
  Object.assign(spot, { pot: "1,500", stacks: ["200", "x"] });
  expect(toText(spot)).toContain('pot = 1500\nstacks = [200,"x"]');
});

test("streets that a spot did not have get the bets of those that it has", () => {
  const spot = form();
  expect(streetsLeft("Qs Jh 2c")).toEqual(["flop", "turn", "river"]);
  expect(streetsLeft("")).toEqual(["preflop", "flop", "turn", "river"]);
  expect(spot.bets.flop.players[0]).toEqual({ bet: "50%", raise: "a", donk: "" });
  expect(spot.bets.preflop.players[0].bet).toBe("");
  expect(toForm({ ...RIVER, limit: {} })).toBeNull();
});

test("before the flop there are blinds, and what may not be done is written", () => {
  const spot = form({ board: "", blinds: [0.5, 1] });
  Object.assign(spot.bets.preflop, { limp: false });
  const text = toText(spot);
  expect(text).toContain("blinds = [0.5,1]\nstack = 300");
  expect(text).toContain('[bets.preflop]\nlimp = false\nraise = ""');
});

test("a donk bet is for the later streets, and none forbids it", () => {
  const spot = form({ bets: { river: { bet: "50%", raise: "a", donk: "" } } });
  expect(spot.bets.river.players[0].donk).toBe("none");
  expect(toText(spot)).toContain('donk = ""');
});

test("an error of the file belongs to a field", () => {
  for (const [key, field] of [
    ["pot", "pot"],
    ["stack", "stacks-0"],
    ["positions", "positions-0"],
    ["ranges.ip", "range-1"],
    ["rake.percent", "rake-percent"],
    ["thresholds.merging", "merging"],
    ["bets.river.raise_cap", "river-cap"],
    ["bets.river.ip.bet", "river-1-bet"],
    ["bets.river.raise", "river-0-raise"],
    ["bets.river", ""],
    ["ranges", ""],
  ]) {
    expect(fieldOf(key.split("."), form()), key).toBe(field);
  }
  // The file says that one of the stacks is wrong, not which.
  for (const [stacks, field] of [
    [["300", "0"], "stacks-1"],
    [["x", "300"], "stacks-0"],
    [["300", "2"], "stacks-1"],
  ] as const) {
    expect(fieldOf(["stacks"], { ...form(), stacks: [...stacks] })).toBe(field);
  }
});

test("half of something is said to be missing", () => {
  const spot = form({ positions: ["BB", "BTN"] });
  expect(toText(spot)).toContain('positions = ["BB", "BTN"]');
  expect(faultOf(spot)).toBeNull();
  spot.positions[1] = "";
  expect(faultOf(spot)).toMatchObject({ field: "positions-1" });
  expect(toText(spot)).not.toContain("positions");
  spot.rake.percent = " ";
  expect(faultOf(spot)).toMatchObject({ field: "rake-percent" });
});

test("sizes are written as the server reads them", () => {
  const spot = form();
  spot.bets.river.players[0].bet = "33 75 %";
  expect(toText(spot)).toContain('bet = "33%, 75%"');
});

test("the first number that can be read in two ways is named", () => {
  const spot = form();
  expect(faultOf(spot)).toBeNull();
  spot.rake.cap = "1,5";
  expect(faultOf(spot)).toMatchObject({ field: "rake-cap" });
  spot.pot = "1,5";
  expect(faultOf(spot)?.field).toBe("pot");
  // The pot is no field before the flop.
  expect(faultOf({ ...spot, board: "" })?.field).toBe("rake-cap");
});
