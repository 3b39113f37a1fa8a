import { expect, test } from "vitest";
import { Problem } from "../api/client";
import { addressOf, chosenBy, queryOf as listed } from "./address";
import { aboutCharts, chartsFor, EMPTY, placed, queryOf } from "./request";

const file = new File(["hands"], "session.txt");

test("a review by charts, with the limits of a spot", () => {
  const form = { ...EMPTY, file, charts: "mine", player: " Ann ", seconds: "1,500", memory: "64" };
  expect(queryOf(form)).toEqual({
    wrong: null,
    query: {
      charts: "mine",
      player: "Ann",
      target: "0.5%pot",
      seconds: 1500,
      memory: 64 << 20,
      format: null,
      game: null,
      title: "session",
    },
  });
});

test("a review against a solution has no limits", () => {
  const { query } = queryOf({ ...EMPTY, file, by: "against", against: "turn", charts: "mine", title: "Tuesday" });
  expect(query).toEqual({ against: "turn", player: null, format: null, game: null, title: "Tuesday" });
});

test("what is wrong is said at its field", () => {
  const form = { ...EMPTY, file, charts: "mine" };
  expect(queryOf({ ...form, file: null }).wrong?.field).toBe("file");
  expect(queryOf({ ...form, file: new File([], "none.txt") }).wrong).toEqual({
    field: "file",
    message: "none.txt is empty.",
  });
  expect(queryOf({ ...form, charts: "" }).wrong?.field).toBe("charts");
  expect(queryOf({ ...form, by: "against" }).wrong?.field).toBe("against");
  expect(queryOf({ ...form, seconds: "1,5" }).wrong?.message).toContain("can be read in two ways");
  expect(queryOf({ ...form, seconds: "0" }).wrong).toEqual({ field: "seconds", message: "Write a number above 0." });
  expect(queryOf({ ...form, memory: "much" }).wrong?.field).toBe("memory");
  const said = (type: string, field = "") => placed(new Problem(422, { type, message: "No.", field })).field;
  expect([said("MatchError"), said("HistoryError"), said("TargetError", "settings.target"), said("Other")]).toEqual([
    "player",
    "file",
    "target",
    "",
  ]);
});

test("charts in a sentence", () => {
  const situations = [{ positions: ["BTN", "BB"], raises: 1, raiser: "BTN" }];
  const charts = { name: "mine", shipped: false, situations, bets: true, error: "" };
  expect(aboutCharts(charts)).toBe("1 situation (1 single-raised). Their bet sizes are used.");
  expect(aboutCharts({ ...charts, error: "Line 3 is wrong." })).toBe("Line 3 is wrong.");
});

test("one's own charts come first, then those for as many players as the file has", () => {
  const situation = (...positions: string[]) => ({ positions, raises: 1, raiser: positions[0] });
  const common = { shipped: true, bets: false, error: "" };
  const two = { ...common, name: "heads-up", situations: [situation("BTN", "BB")] };
  const six = { ...common, name: "six-handed", situations: [situation("BTN", "BB"), situation("CO", "BB")] };
  const mine = { ...two, name: "mine", shipped: false };
  expect([chartsFor([two, six], false), chartsFor([two, six], true)]).toEqual(["heads-up", "six-handed"]);
  expect([chartsFor([mine, two, six], true), chartsFor([{ ...mine, error: "No." }, six], true)]).toEqual([
    "mine",
    "six-handed",
  ]);
  expect(chartsFor([], true)).toBe("");
});

test("the decisions that are listed are in the address", () => {
  const chosen = { street: "river", line: "", all: true, page: 2 };
  const address = addressOf("session-1", chosen);
  expect(address).toBe("/reviews/session-1?street=river&line=&all=1&page=2");
  expect(chosenBy(new URLSearchParams(address.split("?")[1]))).toEqual(chosen);
  expect(listed(chosen)).toEqual({ street: "river", line: "", skip: 50, count: 25 });
  expect(listed({ all: false, page: 0 })).toEqual({ counted: true, skip: 0, count: 25 });
});
