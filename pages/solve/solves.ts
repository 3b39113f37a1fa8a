/** The solves of the room: jobs with their progress. */
import { api, messageOf } from "../api/client";
import type { Gone } from "../api/events";
import type { FirstDecisionView, JobView, NetCost, SolvePoint, SolveResult } from "../api/types";
import { go } from "../app/address";
import { hasEnded, type JobAction, Jobs, type Point } from "../shared/jobs";
import { digits, memory, potPercent, seconds, whole } from "../shared/numbers";
import { say } from "../shared/Said";

const FIRST_MS = 1000;

/** The newest point of progress of a solve; there is none while the boards of a network are prepared. */
export const progressOf = (job: JobView): SolvePoint | null =>
  job.kind === "solve" && job.progress && "iteration" in job.progress ? job.progress : null;
export const resultOf = (job: JobView): SolveResult | null => (job.kind === "solve" ? job.result : null);

const ENDS: Record<string, string> = {
  "target met": "The target was met.",
  interrupted: "It was stopped; this is the result so far.",
  "iteration limit": "The limit of iterations was reached.",
  "time limit": "The limit of seconds was reached.",
  "precision limit": "The numbers are too coarse for the target; a wider precision may reach it.",
};

/** What a job that runs or waits is doing. */
export function doing(job: JobView): string {
  const at = job.kind === "solve" ? job.progress : null;
  if (job.waits) return job.waits;
  if (job.state === "queued") return "It begins when the job before it has ended.";
  if (job.state !== "running") return "";
  if (!at) return "It is about to begin.";
  if ("to_prepare" in at)
    return `The network is being prepared: ${whole(at.prepared)} of ${whole(at.to_prepare)} boards.`;
  if (at.built < 1) return `The tree is being built, ${Math.round(100 * at.built)} %.`;
  return at.measuring ? `The exploitability in the whole game is being measured: ${at.measuring}.` : "";
}

/** What a solve has found, as names and texts. */
export function factsOf(found: SolveResult, players: string[]): [name: string, text: string][] {
  const { chips, mbb, pot_percent: percent } = found.exploitability;
  const { cost, net } = found;
  const facts: [string, string][] = [["End", ENDS[found.status]]];
  if (cost) {
    const range = ({ pot_percent: percent, least_pot_percent: least, most_pot_percent: most }: NetCost) =>
      `${potPercent(percent)}, from ${digits(least)} % to ${digits(most)} %`;
    facts.push(["Exploitability", "error" in cost ? cost.error : range(cost)]);
  }
  const values = found.values_chips.map((value, index) => `${players[index]} ${value.toFixed(3)}`);
  return [
    ...facts,
    [
      net ? `Exploitability up to the next street, below which the network ${net} gives the values` : "Exploitability",
      `${potPercent(percent ?? 0)}, ${digits(chips)} chips${mbb === null ? "" : `, ${digits(mbb)} mbb`}`,
    ],
    ["EV", `${values.join(", ")} chips`],
    ["Iterations", `${whole(found.iterations)} in ${seconds(found.seconds)}`],
    ["Memory", `${memory(found.memory_bytes)}, ${found.precision}`],
  ];
}

export class Solves extends Jobs<SolvePoint & Point> {
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
