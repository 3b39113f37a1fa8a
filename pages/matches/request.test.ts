import { expect, test } from "vitest";
import { EMPTY, requestOf } from "./request";

test("a match is asked for with what belongs to it", () => {
  const form = { ...EMPTY, first: "uniform", second: "always-call", hands: "1,000", common_random_numbers: true };
  expect(requestOf(form)).toEqual({
    kind: "match",
    subject: { game: "leduc" },
    agents: ["uniform", "always-call"],
    settings: { hands: 1000, seed: 0, duplicate: true, aivat: true, values: null, common_random_numbers: true },
  });
  // What cannot be seen in the form is not asked for.
  const hidden = requestOf({ ...form, duplicate: false, aivat: false, values: "agents" });
  expect(hidden.settings).toMatchObject({ common_random_numbers: false, values: null });
});

test("a local best response is asked for with its actions, and numbers are read or refused", () => {
  const form = { ...EMPTY, kind: "lbr" as const, first: "uniform", setting: "fcpa" };
  expect(requestOf(form)).toEqual({
    kind: "lbr",
    subject: { game: "leduc" },
    agent: "uniform",
    settings: { hands: 10000, seed: 0, setting: "fcpa" },
  });
  expect(() => requestOf({ ...form, hands: "3" })).toThrow("Hands: write a whole number of at least 4.");
  expect(() => requestOf({ ...EMPTY, seed: "1,5" })).toThrow("Seed: 1,5 can be read in two ways");
});
