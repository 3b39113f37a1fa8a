/** Jobs of a room: how they stand, their points of progress, and what can be done with them. */
import { type Answer, api, messageOf } from "../api/client";
import { type Gone, listen } from "../api/events";
import type { JobView, Routes } from "../api/types";
import { Model } from "./model";
import { say } from "./Said";

const ENDED = ["done", "stopped", "failed"];

/** Whether a job has ended. */
export const hasEnded = (job: Pick<JobView, "state">): boolean => ENDED.includes(job.state);

/** Why a job that is queued does not run yet. */
export const whyQueued = (job: Pick<JobView, "waits">): string => job.waits ?? "It waits until other jobs have ended.";

/** A point of progress: what all kinds of jobs have in common of it. */
export type Point = { hands?: number };
type Course<P> = { points: P[]; next: number; busy: boolean };
export type JobAction = "stop" | "resume" | "delete";

/** The jobs of a room, whose points of progress are of type P. */
export class Jobs<P extends Point = Point> extends Model {
  /** The job that the address names; empty if it names none. */
  chosen = "";
  all = new Map<string, JobView>();
  /** Whether all jobs have been read. */
  known = false;
  #courses = new Map<string, Course<P>>();

  /** `mine` says whether a job belongs to the room; `ended` is called when one has ended. */
  constructor(
    readonly mine: (job: JobView) => boolean,
    readonly ended: () => void = () => {},
  ) {
    super();
  }

  /** Follow the jobs. @returns ends that */
  begin(): () => void {
    return listen("job", (job) => this.take(job));
  }

  /** Read the jobs. */
  async read(): Promise<void> {
    // What an event has brought in the meantime is newer.
    const { jobs } = await api("GET jobs");
    for (const job of jobs) if (this.mine(job) && !this.all.has(job.id)) this.all.set(job.id, job);
    this.known = true;
    if (this.chosen) this.fetchPoints(this.chosen);
    this.changed();
  }

  /** All jobs, the newest first. */
  get newest(): JobView[] {
    return [...this.all.values()].sort((a, b) => (a.created < b.created ? 1 : -1));
  }

  /** Show a job. */
  choose(name: string): void {
    this.chosen = name;
    if (name) this.fetchPoints(name);
    this.changed();
  }

  /** Take how a job stands now. */
  take(job: JobView | Gone): void {
    if ("gone" in job) this.all.delete(job.id);
    else if (this.mine(job)) {
      const before = this.all.get(job.id);
      this.all.set(job.id, job);
      if (before && before.state !== job.state && hasEnded(job)) {
        say(`${job.title}: ${job.state}.`);
        this.ended();
      }
      if (job.id === this.chosen) this.fetchPoints(job.id);
    }
    this.changed();
  }

  /** The points of progress of a job that are known. */
  points(id: string): P[] {
    return this.#courses.get(id)?.points ?? [];
  }

  /** Fetch the points of progress that are new. */
  async fetchPoints(id: string): Promise<void> {
    const course = this.#courses.get(id) ?? { points: [], next: 0, busy: false };
    this.#courses.set(id, course);
    if (course.busy) return;
    course.busy = true;
    try {
      while (course.next < (this.all.get(id)?.points ?? 0)) {
        const found = await api("GET jobs/{name}/progress", { path: { name: id }, query: { after: course.next } });
        if (!found.points.length) break;
        for (const point of found.points as P[]) {
          // A match that was killed goes on from its checkpoint, before the last points.
          while ((course.points.at(-1)?.hands ?? -1) >= (point.hands ?? Infinity)) course.points.pop();
          course.points.push(point);
        }
        course.next = found.next;
        this.changed();
      }
    } catch {
      /* The next event asks again. */
    }
    course.busy = false;
  }

  /** Add a job. */
  async add(body: Routes["POST jobs"]["body"]): Promise<Answer<"POST jobs">> {
    const job = await api("POST jobs", { body });
    this.all.set(job.id, job);
    return job;
  }

  /** Stop, resume or delete a job. */
  async act(id: string, action: JobAction): Promise<void> {
    const path = { name: id };
    try {
      if (action === "delete") {
        await api("DELETE jobs/{name}", { path });
        this.all.delete(id);
      } else this.take(await api(action === "stop" ? "POST jobs/{name}/stop" : "POST jobs/{name}/resume", { path }));
    } catch (error) {
      say(messageOf(error));
    }
    this.changed();
  }
}
