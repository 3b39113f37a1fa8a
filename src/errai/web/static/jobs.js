/** Jobs of a room: how they stand, their points of progress, and what can be done with them. */
import { api, listen } from "./api.js";
import { say } from "./dom.js";

const ENDED = ["done", "stopped", "failed"];

/** Whether a job has ended. @param {{ state: string }} job */
export const hasEnded = (job) => ENDED.includes(job.state);

export class Jobs {
  /** The job that the address names; empty if it names none. */
  chosen = "";
  /** @type {Map<string, any>} */ all = new Map();
  /** @type {Map<string, { points: any[], next: number, busy: boolean }>} */ courses = new Map();

  /**
   * @param {(job: any) => boolean} mine  whether a job belongs to the room  @param {() => void} drawn  draws the page
   * @param {() => void} [ended]  called when a job has ended
   */
  constructor(mine, drawn, ended = () => {}) {
    this.mine = mine;
    this.drawn = drawn;
    this.ended = ended;
  }

  /** Read the jobs, and follow them. @returns {Promise<() => void>} ends following them */
  async begin() {
    const end = listen("job", (job) => this.take(job));
    // What an event has brought in the meantime is newer.
    for (const job of (await api("jobs")).jobs) if (this.mine(job) && !this.all.has(job.id)) this.all.set(job.id, job);
    return end;
  }

  /** All jobs, the newest first. */
  get newest() {
    return [...this.all.values()].sort((a, b) => (a.created < b.created ? 1 : -1));
  }

  /** Show a job. @param {string} name */
  choose(name) {
    this.chosen = name;
    if (name) this.follow(name);
  }

  /** Take how a job stands now. @param {any} job */
  take(job) {
    if (job.gone) this.all.delete(job.id);
    else if (this.mine(job)) {
      const before = this.all.get(job.id);
      this.all.set(job.id, job);
      if (before && before.state !== job.state && hasEnded(job)) {
        say(`${job.title}: ${job.state}.`);
        this.ended();
      }
      if (job.id === this.chosen) this.follow(job.id);
    }
    this.drawn();
  }

  /** The points of progress of a job that are known. @param {string} id @returns {any[]} */
  points(id) {
    return this.courses.get(id)?.points ?? [];
  }

  /** Fetch the points of progress that are new. @param {string} id */
  async follow(id) {
    const course = this.courses.get(id) ?? { points: [], next: 0, busy: false };
    this.courses.set(id, course);
    if (course.busy) return;
    course.busy = true;
    try {
      while (course.next < (this.all.get(id)?.points ?? 0)) {
        const found = await api(`jobs/${id}/progress?after=${course.next}`);
        if (!found.points.length) break;
        for (const point of found.points) {
          // A match that was killed goes on from its checkpoint, before the last points.
          while (course.points.at(-1)?.hands >= point.hands) course.points.pop();
          course.points.push(point);
        }
        course.next = found.next;
        this.drawn();
      }
    } catch {
      /* The next event asks again. */
    }
    course.busy = false;
  }

  /** Add a job. @param {any} body @returns {Promise<any>} */
  async add(body) {
    const job = await api("jobs", { body });
    this.all.set(job.id, job);
    return job;
  }

  /** Stop, resume or delete a job. @param {string} id  @param {"stop" | "resume" | "delete"} action */
  async act(id, action) {
    try {
      if (action === "delete") {
        await api(`jobs/${id}`, { method: "DELETE" });
        this.all.delete(id);
      } else this.take(await api(`jobs/${id}/${action}`, { method: "POST" }));
    } catch (error) {
      say(error.message);
    }
    this.drawn();
  }
}
