import { expect, test } from "vitest";
import { Problem } from "../api/client";
import { addressOf, has, stateOf, toggled } from "./address";
import { EMPTY, placed, requestOf } from "./request";

const form = { ...EMPTY, spot: 'board = "Ks 7h 2d"' };

test("the request of a form", () => {
  expect(requestOf(form)).toEqual({
    wrong: null,
    request: { subject: { spot: 'board = "Ks 7h 2d"' }, settings: { target: "0.5%pot", flops: 25 } },
  });
  const own = { ...form, flops: "own", list: "Ks7h2d: 3", lines: "check\n\n check bet 27\ncheck", processes: "2" };
  expect(requestOf(own).request.settings).toEqual({
    target: "0.5%pot",
    flop_list: "Ks7h2d: 3",
    lines: ["", "check", "check bet 27"],
    processes: 2,
  });
});

test("what is wrong is said at its field", () => {
  expect(requestOf(EMPTY).wrong?.field).toBe("spot");
  expect(requestOf({ ...form, flops: "own" }).wrong?.field).toBe("list");
  expect(requestOf({ ...form, processes: "0" }).wrong?.field).toBe("processes");
  const said = (type: string, field = "", message = "No.") =>
    placed(new Problem(422, { type, message, field }), { ...form, flops: "own" }).field;
  expect(said("LineError")).toBe("lines");
  expect(said("TargetError", "settings.target")).toBe("target");
  expect(said("RequestError", "settings.flop_list")).toBe("list");
  expect(said("InputError", "", "A flop has three cards.")).toBe("list");
  expect(said("SpotError", "spot.pot")).toBe("spot");
});

test("what is shown is in the address", () => {
  const state = { line: "", only: "two-tone A", by: "ev", player: 1, sort: "bet 27", down: true } as const;
  const address = addressOf("pot-1", state);
  expect(stateOf(new URLSearchParams(address.split("?")[1]))).toEqual(state);
  const usual = stateOf(new URLSearchParams("by=much&player=7"));
  expect(usual).toEqual({ line: null, only: "", by: "strategy", player: null, sort: "", down: false });
  expect(addressOf("pot-1", usual)).toBe("/reports/pot-1");
});

test("a kind of texture takes the place of others of its texture", () => {
  const suits = ["rainbow", "two-tone", "monotone"];
  expect(toggled("", "two-tone", suits)).toBe("two-tone");
  expect(toggled("7h two-tone A", "rainbow", suits)).toBe("7h A rainbow");
  expect(toggled("A Two-Tone", "two-tone", suits)).toBe("A");
  expect([has("a two-tone", "A"), has("two-tone", "A")]).toEqual([true, false]);
});
