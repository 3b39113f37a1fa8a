/** The solves of the room: jobs with their progress. */
import { api, messageOf } from "../api/client";
import type { Gone } from "../api/events";
import type { ExploitabilityView, FirstDecisionView, JobView } from "../api/types";
import { go } from "../app/address";
import { hasEnded, type JobAction, Jobs, type Point } from "../shared/jobs";
import { digits, memory, potPercent, seconds, whole } from "../shared/numbers";
import { say } from "../shared/Said";
import type { Measured } from "./measurements";

const FIRST_MS = 1000;

/** A point of the progress of a solve. */
type Progress = Point &
  Measured & {
    iteration: number;
    /** How much of the tree is built. */
    built: number;
    /** Boards for which the network is prepared, and all of them. */
    prepared: number;
    to_prepare: number;
  };
/** What a solve has found. */
export type Result = {
  status: string;
  exploitability: ExploitabilityView;
  /** What the network costs in the whole game, where that was measured. */
  cost?: { error?: string; pot_percent: number; least_pot_percent: number; most_pot_percent: number } | null;
  net?: string | null;
  values_chips: number[];
  iterations: number;
  seconds: number;
  memory_bytes: number;
  precision: string;
};

export const progressOf = (job: JobView): Progress | null => job.progress as Progress | null;
export const resultOf = (job: JobView): Result | null => job.result as Result | null;

const ENDS: Record<string, string> = {
  "target met": "The target was met.",
  interrupted: "It was stopped; this is the result so far.",
  "iteration limit": "The limit of iterations was reached.",
  "time limit": "The limit of seconds was reached.",
  "precision limit": "The numbers are too coarse for the target; a wider precision may reach it.",
};

/** What a job that runs or waits is doing. */
export function doing(job: JobView): string {
  const at = progressOf(job);
  if (job.waits) return job.waits;
  if (job.state === "queued") return "It begins when the job before it has ended.";
  if (job.state !== "running") return "";
  if (!at) return "It is about to begin.";
  if (at.to_prepare) return `The network is being prepared: ${whole(at.prepared)} of ${whole(at.to_prepare)} boards.`;
  if (at.built < 1) return `The tree is being built, ${Math.round(100 * at.built)} %.`;
  return at.measuring ? `The exploitability in the whole game is being measured: ${at.measuring}.` : "";
}

/** What a solve has found, as names and texts. */
export function factsOf(found: Result, players: string[]): [name: string, text: string][] {
  const { chips, mbb, pot_percent: percent } = found.exploitability;
  const { cost, net } = found;
  const facts: [string, string][] = [["End", ENDS[found.status]]];
  if (cost) {
    const range = () =>
      `${potPercent(cost.pot_percent)}, from ${digits(cost.least_pot_percent)} % to ${digits(cost.most_pot_percent)} %`;
    facts.push(["Exploitability", cost.error ?? range()]);
  }
  const values = found.values_chips.map((value, index) => `${players[index]} ${value.toFixed(3)}`);
  return [
    ...facts,
    [
      net ? `Exploitability in the game that is cut, with ${net} in place of the later streets` : "Exploitability",
      `${potPercent(percent ?? 0)}, ${digits(chips)} chips${mbb === null ? "" : `, ${digits(mbb)} mbb`}`,
    ],
    ["EV", `${values.join(", ")} chips`],
    ["Iterations", `${whole(found.iterations)} in ${seconds(found.seconds)}`],
    ["Memory", `${memory(found.memory_bytes)}, ${found.precision}`],
  ];
}

export class Solves extends Jobs<Progress> {
  /** What is done at the first decisions of solves, by their ids. */
  first = new Map<string, FirstDecisionView>();
  #asked = new Map<string, number>();

  constructor() {
    // Those that are too damaged to say what they are are shown here as well.
    super((job) => !["match", "lbr", "review", "report"].includes(job.kind));
  }

  override choose(name: string): void {
    super.choose(name);
    if (name) this.#fetchFirst(name);
  }

  override take(job: JobView | Gone): void {
    super.take(job);
    if (job.id === this.chosen && !("gone" in job)) this.#fetchFirst(job.id);
  }

  /** Fetch what is done first, at most once a second, and again when the solve has ended. */
  async #fetchFirst(id: string): Promise<void> {
    const job = this.all.get(id);
    if (Date.now() < (this.#asked.get(id) ?? 0) + FIRST_MS && !(job && hasEnded(job))) return;
    this.#asked.set(id, Date.now());
    try {
      const found = await api("GET jobs/{name}/first", { path: { name: id } });
      if (found) this.first.set(id, found);
      this.changed();
    } catch {
      /* The next event asks again. */
    }
  }

  /** Go on with a solve that has ended, to a target in per cent of the pot: it begins with what has been learnt. */
  async goOn({ id, title, solution }: JobView, target: number): Promise<void> {
    try {
      const { subject, settings } = await api("GET jobs/{name}/solve", { path: { name: id } });
      // Limits that have ended the run would end the next one as well.
      const changes = { target: `${target}%pot`, start_from: solution, seconds: null, max_iterations: null };
      const job = await this.add({ kind: "solve", title, subject, settings: { ...settings, ...changes } });
      go(`/solve/${job.id}`);
    } catch (error) {
      say(messageOf(error));
    }
  }

  override async act(id: string, action: JobAction): Promise<void> {
    const unfinished = this.all.get(id)?.state !== "done";
    const question = "Delete this solve? It cannot be resumed then. A solution that it has made stays.";
    if (action === "delete" && unfinished && !window.confirm(question)) return;
    await super.act(id, action);
    if (this.chosen === id && action === "delete" && !this.all.has(id)) go("/solve", true);
  }
}
