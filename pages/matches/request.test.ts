import { expect, test } from "vitest";
import { Problem } from "../api/client";
import { agentOf, EMPTY, placed, requestOf } from "./request";

const LEDUC = { ...EMPTY, game: "leduc" };

test("a match is asked for with what belongs to it", () => {
  const form = { ...LEDUC, first: "uniform", second: "always-call", hands: "1,000", common_random_numbers: true };
  expect(requestOf(form)).toEqual({
    kind: "match",
    subject: { game: "leduc" },
    agents: ["uniform", "always-call"],
    settings: { hands: 1000, seed: 0, duplicate: true, aivat: true, values: null, common_random_numbers: true },
  });
  // What cannot be seen in the form is not asked for.
  const hidden = requestOf({ ...form, duplicate: false, aivat: false, values: "agents" });
  expect(hidden).toMatchObject({ settings: { common_random_numbers: false, values: null } });
});

test("a local best response is asked for with its actions, and numbers are read or refused at their fields", () => {
  const form = { ...LEDUC, kind: "lbr" as const, first: "uniform", setting: "fcpa" };
  expect(requestOf(form)).toEqual({
    kind: "lbr",
    subject: { game: "leduc" },
    agent: "uniform",
    settings: { hands: 10000, seed: 0, setting: "fcpa" },
  });
  expect(requestOf({ ...form, hands: "3" })).toEqual({
    field: "hands",
    message: "Hands: write a whole number of at least 4.",
  });
  expect(requestOf({ ...EMPTY, hands: "3" })).toMatchObject({ field: "hands" });
  expect(requestOf({ ...EMPTY, seed: "1,5" })).toMatchObject({ field: "seed" });
});

test("what the server finds wrong is said at its field, without the words of the request", () => {
  const field = "body.match.settings.hands";
  const error = new Problem(422, { type: "RequestError", message: `${field}: Too many.`, field, text: "Too many." });
  expect(placed(error)).toEqual({ field: "hands", message: "Too many." });
  expect(placed(new Error("No."))).toEqual({ field: "", message: "No." });
});

test("a player of a result is asked for again by its name", () => {
  expect(["solution:turn.errai", "by-strength:8"].map(agentOf)).toEqual(["solution:turn", "by-strength:8"]);
});
