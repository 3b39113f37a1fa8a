/** The home page: what can be begun with one click, and what was worked on last. */
import { api, messageOf } from "../api/client";
import { listen } from "../api/events";
import type { NodeView } from "../api/types";
import { go } from "../app/address";
import { hasEnded, Jobs, type Point, whyQueued } from "../shared/jobs";
import { Model } from "../shared/model";
import { queryFor } from "./charts";
import { type Held, recentOf } from "./recent";

const SHOWN = 9;
/** The solution whose opening range is drawn; it comes with the package. */
export const OPENING = "blueprint-nl";

/**
 * Solutions that are made when they are opened first, in about a second each: to bring them along would make the package
 * larger by their megabytes, and a solve says what the program does.
 */
export const READY = [
  { name: "turn", title: "Turn, queen-high", board: "QsJh2c8d" },
  { name: "river", title: "River, any two cards", board: "QsJh2c8d3s" },
  { name: "push-or-fold", title: "Push or fold, 10 big blinds", board: "" },
] as const;
export type Ready = (typeof READY)[number];

/** Something that is being begun: its name, and how it stands. */
type Begun = { name: string; words: string };

export class Home extends Model {
  jobs = new Jobs<Point>(
    () => true,
    () => void this.#read(),
  );
  held: Held = { jobs: [], solutions: [], tables: [], drills: [], due: [], reports: [] };
  /** Whether it is known what there is. */
  known = false;
  opening: NodeView | null = null;
  /** What is being begun; null if nothing is. */
  begun: Begun | null = null;
  /** What went wrong, by what was to be begun. */
  problems: Record<string, string> = {};
  /** The job of the ready solution that is being made. */
  #making = "";

  get recent() {
    return recentOf({ ...this.held, jobs: this.jobs.newest }, SHOWN);
  }

  /** Read what there is, and follow it. @returns ends that */
  begin(): () => void {
    const ends = [
      this.jobs.begin(),
      this.jobs.follow(() => this.#followed()),
      listen("table", (view) => {
        const others = this.held.tables.filter((one) => one.id !== view.id);
        this.held.tables = "gone" in view ? others : [view, ...others];
        this.changed();
      }),
    ];
    this.#read();
    api("GET solutions/{name}/node", { path: { name: OPENING } }).then(
      (node) => {
        this.opening = node;
        this.changed();
      },
      (error) => this.#fail("opening", error),
    );
    return () => {
      this.#making = "";
      for (const end of ends) end();
    };
  }

  /** Read everything; what cannot be read is left out, and says why. */
  async #read(): Promise<void> {
    const part = <T>(of: Promise<T>, none: T) =>
      of.catch((error) => {
        this.#fail("recent", error);
        return none;
      });
    const [, solutions, tables, drills, reports] = await Promise.all([
      part(this.jobs.read(), undefined),
      part(api("GET solutions"), { solutions: [] }),
      part(api("GET tables"), { tables: [] }),
      part(api("GET drills"), { drills: [], due: [] }),
      part(api("GET reports"), { reports: [] }),
    ]);
    this.held = { jobs: [], ...solutions, ...tables, ...drills, ...reports };
    this.known = true;
    this.changed();
  }

  #fail(what: string, error: unknown): void {
    this.problems = { ...this.problems, [what]: messageOf(error) };
    this.changed();
  }

  /** Begin something, one thing at a time. */
  async #begin(name: string, words: string, run: () => Promise<string>): Promise<void> {
    if (this.begun) return;
    this.begun = { name, words };
    this.problems = { ...this.problems, [name]: "" };
    this.changed();
    try {
      const path = await run();
      if (path) go(path);
    } catch (error) {
      this.#fail(name, error);
    }
    if (!this.#making) this.begun = null;
    this.changed();
  }

  /** Open a ready solution in Study; it is solved if it is not here yet. */
  open({ name, title }: Ready): Promise<void> {
    const known = this.held.solutions.find((one) => one.title === title && one.game === "spot" && !one.error);
    return this.#begin(name, "Solving …", async () => {
      if (known) return `/study/${encodeURIComponent(known.name)}`;
      const spot = await (await fetch(`/static/spots/${name}.toml`)).text();
      const job = await this.jobs.add({ kind: "solve", subject: { spot }, settings: { target: "0.3%pot" } });
      this.#making = job.id;
      this.#followed();
      return "";
    });
  }

  /** Deal the first hand at a new table. */
  deal(): Promise<void> {
    const body = { game: "holdem.nolimit.2p", opponent: OPENING };
    return this.#begin("play", "Dealing …", async () => `/play/${(await api("POST tables", { body })).id}`);
  }

  /** Review the hands of a file against the charts of the package. */
  review(file: File): Promise<void> {
    return this.#begin("review", `Reading ${file.name} …`, async () => {
      const query = await queryFor(file);
      return `/reviews/${(await api("POST reviews", { query, body: file })).id}`;
    });
  }

  /** See how the jobs stand: the solution that is being made is opened when it is there. */
  #followed(): void {
    const job = this.#making ? this.jobs.all.get(this.#making) : undefined;
    if (job && this.begun) {
      if (job.state === "queued") this.begun.words = whyQueued(job);
      else this.begun.words = "Solving …";
      if (hasEnded(job)) {
        const { name } = this.begun;
        this.#making = "";
        this.begun = null;
        if (job.solution) go(`/study/${encodeURIComponent(job.solution)}`);
        else
          this.#fail(
            name,
            new Error(job.error?.message ?? `The solve ${job.state === "failed" ? "failed" : "was stopped"}.`),
          );
      }
    }
    this.changed();
  }
}
