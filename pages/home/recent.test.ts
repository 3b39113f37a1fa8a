import { expect, test } from "vitest";
import type { JobView, SolutionView } from "../api/types";
import { ago, type Held, recentOf } from "./recent";

const job = (changes: object) =>
  ({
    id: "a",
    kind: "solve",
    title: "A",
    command: "",
    created: "2026-11-28T10:00:00Z",
    finished: null,
    started: null,
    state: "running",
    error: null,
    result: null,
    solution: null,
    starts_again: false,
    progress: null,
    points: 0,
    waits: null,
    ...changes,
  }) as JobView;
const solution = (name: string, modified: number, shipped = false) =>
  ({
    name,
    title: name,
    modified,
    shipped,
    kind: "solution",
    error: "",
    exploitability: null,
    status: "x",
  }) as SolutionView;
const NOTHING: Held = { jobs: [], solutions: [], tables: [], drills: [], due: [], reports: [] };
const at = Date.parse("2026-11-28T12:00:00Z") / 1000;

test("what runs comes first, and then the newest; what a job has made is listed once", () => {
  const held = {
    ...NOTHING,
    jobs: [
      job({ id: "old", state: "done", solution: "old", finished: "2026-11-28T11:00:00Z" }),
      job({ id: "lost", state: "done", solution: "lost", title: "its solution was deleted" }),
      job({ id: "now", progress: { exploitability_pot_percent: 1.234 } }),
    ],
    solutions: [solution("old", at), solution("new", at + 60), solution("blueprint-nl", at + 90, true)],
    tables: [
      { id: "t", opponent: "Blueprint", hands: 2, won_chips: -350, in_hand: true, modified: at + 30, damaged: "" },
    ],
  } as Held;
  const found = recentOf(held, 9);
  expect(found.map((one) => one.href)).toEqual(["/solve/now", "/study/new", "/play/t", "/study/old", "/solve/lost"]);
  expect(found[0]).toMatchObject({ what: "solve, exploitable by 1.23 % of the pot so far", done: null, running: true });
  expect(found[2]).toMatchObject({ title: "Against Blueprint", what: "2 hands, −350 chips, in hand 3" });
  expect(recentOf(held, 2)).toHaveLength(2);
});

test("a report that is made is shown by its job, with how much of it is done", () => {
  const reports = [{ name: "r", title: "R", flops: 5, flops_wanted: 25, modified: at, error: "" }] as Held["reports"];
  const progress = { flops: 5, flops_wanted: 25, seconds_left: 61.4 };
  const jobs = [job({ id: "r", kind: "report", progress })];
  const made = recentOf({ ...NOTHING, reports, jobs }, 9);
  expect(made).toHaveLength(1);
  expect(made[0]).toMatchObject({ href: "/reports/r", done: 0.2, what: "report, 5 of 25 flops, about 61 s left" });
  const ended = recentOf({ ...NOTHING, reports, jobs: [{ ...jobs[0], state: "done" }] }, 9);
  expect(ended.map((one) => one.what)).toEqual(["report, 5 of 25 flops"]);
});

test("a review says what was lost, and what failed says why", () => {
  const result = { decisions: 3, loss_chips: 6.378, unit: "bb" };
  const error = { type: "x", message: "No memory." };
  const jobs = [job({ id: "r", kind: "review", state: "done", result }), job({ state: "failed", error })];
  expect(recentOf({ ...NOTHING, jobs }, 9).map((one) => [one.what, one.problem])).toEqual([
    ["review, 3 decisions, 6.38 bb lost", ""],
    ["solve, failed", "No memory."],
  ]);
});

test("what a drill asks again today is listed, and leads to a round of that solution", () => {
  const [found] = recentOf({ ...NOTHING, due: [{ solution: "turn 1", title: "Turn", due: 2 }] }, 9);
  expect(found).toMatchObject({ href: "/drills?solution=turn%201", what: "2 decisions to be asked again today" });
});

test("times are told as people tell them", () => {
  const now = 1000 * at;
  const said = [5e3, 61e3, 2 * 3.6e6, 25 * 3.6e6, 9 * 86.4e6].map((passed) => ago(now - passed, now));
  expect(said).toEqual(["just now", "1 minute ago", "2 hours ago", "yesterday", "19 Nov 2026"]);
});
