/** The matches that run and the results there are. */
import { api, messageOf } from "../api/client";
import type { MatchDetail, MatchesView, MatchPoint, Routes, StandingsView } from "../api/types";
import { go } from "../app/address";
import { hasEnded, Jobs } from "../shared/jobs";
import { Model } from "../shared/model";
import { say } from "../shared/Said";
import { agentOf } from "./request";

/** The hands of a match that the standings lack. */
const MISSING_HANDS = 1000;

/** How a match or a measurement stands: a point of its progress, or its result. */
export type Now = Omit<MatchPoint, "seconds" | "seconds_left"> & { seconds_left?: number };
export type Measure = NonNullable<Routes["GET matches"]["query"]["measure"]>;

export class Matches extends Model {
  found: MatchesView = { matches: [], standings: [], unreadable: {} };
  /** The result that the address names. */
  detail: MatchDetail | null = null;
  measure: Measure = "chips";
  jobs = new Jobs<Now>(
    (job) => job.kind === "match" || job.kind === "lbr",
    () => void this.read().catch(() => {}),
  );

  constructor() {
    super();
    this.jobs.follow(() => this.changed());
  }

  /** Read everything, and follow the jobs. @returns ends that */
  begin(): () => void {
    const end = this.jobs.begin();
    this.jobs
      .read()
      .then(() => this.read())
      .catch((error) => say(messageOf(error)));
    return end;
  }

  /** Show a match, or none. */
  choose(name: string): void {
    this.detail = null;
    this.jobs.choose(name);
    this.read().catch((error) => say(messageOf(error)));
  }

  /** Read the results. */
  async read(): Promise<void> {
    this.found = await api("GET matches", { query: { measure: this.measure } });
    const { chosen } = this.jobs;
    const known = this.found.matches.some((match) => match.name === chosen);
    const detail = known ? await api("GET matches/{name}", { path: { name: chosen } }) : null;
    if (chosen !== this.jobs.chosen) return;
    this.detail = detail;
    this.changed();
    if (this.jobs.all.has(chosen)) await this.jobs.fetchPoints(chosen);
  }

  /** Measure the standings otherwise. */
  by(measure: Measure): void {
    this.measure = measure;
    this.changed();
    this.read().catch((error) => say(messageOf(error)));
  }

  /** Play the matches without which somebody has no rank. */
  async playMissing({ subject, not_met }: StandingsView): Promise<void> {
    if (!subject) return;
    try {
      for (const pair of not_met) {
        const agents = pair.map(agentOf);
        const settings = { hands: MISSING_HANDS, duplicate: true, aivat: true };
        await this.jobs.add({ kind: "match", subject: { game: subject }, agents, settings });
      }
      say(not_met.length === 1 ? "The match has been added." : `${not_met.length} matches have been added.`);
    } catch (error) {
      say(messageOf(error));
    }
    this.changed();
  }

  /** Delete a result. */
  async remove(name: string): Promise<void> {
    if (!window.confirm("Delete this result and its file?")) return;
    try {
      await api("DELETE matches/{name}", { path: { name } });
      const job = this.jobs.all.get(name);
      if (job && hasEnded(job)) await this.jobs.act(name, "delete");
      go("/matches", true);
      await this.read();
      say("The result was deleted.");
    } catch (error) {
      say(messageOf(error));
    }
  }
}
