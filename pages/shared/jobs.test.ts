import { expect, test, vi } from "vitest";
import type { JobView } from "../api/types";
import { serving } from "../testing/page";
import { Jobs } from "./jobs";

const JOB: JobView = {
  finished: null,
  error: null,
  result: null,
  solution: null,
  kind: "match",
  title: "A match",
  command: "errai match",
  created: "2026-11-27T10:00:00",
  starts_again: false,
  id: "one",
  state: "running",
  started: null,
  progress: null,
  points: 0,
  waits: null,
};
const OTHER: JobView = { ...JOB, id: "x", kind: "solve", result: null, progress: null };
const isMatch = ({ kind }: JobView) => kind === "match";

test("jobs of the room are kept, and their end is told", () => {
  const ended = vi.fn();
  const jobs = new Jobs(isMatch, ended);
  for (const job of [JOB, { ...JOB, id: "two", created: "2026-11-27T11:00:00" }, OTHER]) {
    jobs.take(job);
  }
  expect(jobs.newest.map(({ id }) => id)).toEqual(["two", "one"]);
  jobs.take({ ...JOB, state: "done" });
  jobs.take({ ...JOB, state: "done" });
  expect(ended).toHaveBeenCalledTimes(1);
  jobs.take({ id: "two", gone: true });
  expect(jobs.newest.map(({ id }) => id)).toEqual(["one"]);
});

test("points that are new are fetched, and those after a checkpoint are replaced", async () => {
  const answers = [
    { points: [{ hands: 10 }, { hands: 20 }, { hands: 30 }], next: 3 },
    { points: [{ hands: 20 }, { hands: 40 }], next: 5 },
  ];
  const asked = serving(() => ({ body: answers.shift() }));
  const jobs = new Jobs<{ hands: number }>(isMatch);
  jobs.take({ ...JOB, points: 3 });
  jobs.choose("one");
  await vi.waitFor(() => expect(jobs.points("one")).toHaveLength(3));
  jobs.take({ ...JOB, points: 5 });
  await vi.waitFor(() => expect(jobs.points("one").map(({ hands }) => hands)).toEqual([10, 20, 40]));
  expect(asked.map(({ url }) => url.split("after=")[1])).toEqual(["0", "3"]);
});

test("a job is stopped, resumed and deleted by its own addresses", async () => {
  const asked = serving(({ method }) =>
    method === "DELETE" ? { status: 204 } : { body: { ...JOB, state: "stopping" } },
  );
  const jobs = new Jobs(isMatch);
  jobs.take(JOB);
  await jobs.act("one", "stop");
  expect(jobs.all.get("one")?.state).toBe("stopping");
  await jobs.act("one", "resume");
  await jobs.act("one", "delete");
  expect(jobs.all.size).toBe(0);
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /api/v1/jobs/one/stop",
    "POST /api/v1/jobs/one/resume",
    "DELETE /api/v1/jobs/one",
  ]);
});
