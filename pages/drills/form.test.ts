import { beforeEach, expect, test } from "vitest";
import type { JobView } from "../api/types";
import { SOLUTION } from "../testing/drill";
import { serving } from "../testing/page";
import { DrillForm, EMPTY, formOf, requestOf } from "./form";

beforeEach(() => localStorage.clear());

const CHOSEN = { ...EMPTY, of: "solution:turn" };
const REVIEW = { id: "hands-1", title: "Tuesday" } as JobView;

test("what is chosen is what is asked for", () => {
  const form = { ...CHOSEN, player: "1", street: "river", boards: "7d, 3c;", count: "1,000", seed: "5", repeat: true };
  expect(requestOf(form, SOLUTION, undefined)).toEqual({
    problems: {},
    body: {
      solution: "turn",
      player: 1,
      street: "river",
      facing_bet: false,
      line: null,
      boards: ["7d", "3c"],
      count: 1000,
      seed: 5,
      repeat: true,
      whole: false,
      title: "A turn · river · in position · on 7d, 3c",
    },
  });
  const faced = requestOf({ ...form, facing_bet: true, boards: "" }, SOLUTION, undefined).body;
  expect([faced.facing_bet, faced.title]).toEqual([true, "A turn · river · in position · against a bet"]);
  expect(requestOf({ ...form, of: "review:hands-1" }, undefined, REVIEW).body).toEqual({
    review: "hands-1",
    count: 1000,
    repeat: true,
    title: "Mistakes of Tuesday",
  });
});

test("numbers that are none are named in their fields", () => {
  const { problems } = requestOf({ ...CHOSEN, count: "0", seed: "x" }, SOLUTION, undefined);
  expect(problems).toEqual({
    count: "Questions: write a whole number from 1 to 1,000.",
    seed: "Seed: x is not a number.",
  });
});

test("an address chooses a line, and keeps how many questions were asked last", async () => {
  localStorage.setItem("errai-new-drill", JSON.stringify({ ...CHOSEN, street: "river", count: "7" }));
  expect(formOf(new URLSearchParams("solution=turn&line=check"))).toEqual({ ...CHOSEN, line: "check", count: "7" });
  expect(formOf(new URLSearchParams("review=hands-1")).of).toBe("review:hands-1");
  expect(formOf(new URLSearchParams())).toEqual({ ...CHOSEN, street: "river", count: "7" });
  localStorage.setItem("errai-new-drill", "{");
  expect(formOf(new URLSearchParams())).toEqual(EMPTY);
});

test("another solution has other lines, and one that is gone is replaced", () => {
  const drill = new DrillForm(new URLSearchParams("solution=gone&line=check"));
  drill.fit([SOLUTION], []);
  expect(drill.form).toEqual(CHOSEN);
  drill.put({ of: "review:hands-1" });
  drill.fit([SOLUTION], [REVIEW]);
  expect(drill.form.of).toBe("review:hands-1");
});

test("what the server finds wrong stands at its field until that changes", async () => {
  const drill = new DrillForm(new URLSearchParams("solution=turn&line=bet+7"));
  const error = { type: "LineError", message: "'bet 7' is not possible." };
  serving(() => ({ status: 422, body: { error } }));
  expect(await drill.make(SOLUTION, undefined)).toBe("");
  expect(drill.problems).toEqual({ line: "'bet 7' is not possible." });
  drill.put({ line: "bet 120" });
  expect(drill.problems).toEqual({});
  serving(() => ({ status: 422, body: { error: { type: "InputError", message: "No." } } }));
  await drill.make(SOLUTION, undefined);
  expect(drill.problems).toEqual({ "": "No." });
  const asked = serving(() => ({ status: 201, body: { id: "turn-1" } }));
  expect(await drill.make(SOLUTION, undefined)).toBe("turn-1");
  expect(asked[0]).toMatchObject({
    method: "POST",
    url: "/api/v1/drills",
    body: { solution: "turn", line: "bet 120" },
  });
});
