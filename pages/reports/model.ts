/** The reports there are, and what is read of one. */
import { api, messageOf } from "../api/client";
import type { FlopView, JobView, ReportPoint, ReportView } from "../api/types";
import { go } from "../app/address";
import { Answers } from "../shared/answers";
import { hasEnded, Jobs, whyQueued } from "../shared/jobs";
import { Model } from "../shared/model";
import { seconds, whole } from "../shared/numbers";
import { say } from "../shared/Said";

export class Reports extends Model {
  found: ReportView[] | null = null;
  /** Tables and classes. */
  answers = new Answers();
  jobs = new Jobs(
    (job) => job.kind === "report",
    () => void this.read().catch(() => {}),
  );

  constructor() {
    super();
    this.jobs.follow(() => this.changed());
    this.answers.follow(() => this.changed());
  }

  /** Read everything, and follow the jobs. @returns ends that */
  begin(): () => void {
    const end = this.jobs.begin();
    Promise.all([this.jobs.read(), this.read()]).catch((error) => say(messageOf(error)));
    return end;
  }

  async read(): Promise<void> {
    this.found = (await api("GET reports")).reports;
    this.changed();
  }

  /** Delete a report and its job. */
  async remove(name: string, title: string): Promise<void> {
    if (!window.confirm(`Delete the report ${title}, and all flops that it has solved?`)) return;
    try {
      if (this.found?.some((one) => one.name === name)) await api("DELETE reports/{name}", { path: { name } });
      const job = this.jobs.all.get(name);
      if (job && hasEnded(job)) await this.jobs.act(name, "delete");
      await this.read();
      go("/reports", true);
    } catch (error) {
      say(messageOf(error));
    }
  }
}

/** How many of its flops a report has. */
export const flopsOf = (done: number, wanted: number): string => `${whole(done)} of ${whole(wanted)} flops`;

/** A target as it is read: "0.5%pot" is "0.5 % of the pot". */
export const targetText = (target: string): string => target.replace(/%\s*pot$/, " % of the pot");

/** The newest point of progress of a report. */
export const progressOf = (job: JobView | undefined): ReportPoint | null =>
  job?.kind === "report" ? job.progress : null;

/** How a report that is made stands, in words. */
export function standing(job: JobView): { words: string; done: number; wanted: number } {
  const now = progressOf(job);
  const { flops: done, flops_wanted: wanted } = now ?? { flops: 0, flops_wanted: 0 };
  if (job.state === "queued") return { words: whyQueued(job), done, wanted };
  if (!now) return { words: "The spot is being prepared.", done, wanted };
  const time = now.seconds_left ? `, about ${seconds(now.seconds_left)} left` : "";
  return { words: flopsOf(done, wanted) + time, done, wanted };
}

/** Open a flop of a report at a line in Study, if there is a solution of it; else return what is known of it. */
export async function openFlop(name: string, flop: string, line: string): Promise<FlopView | null> {
  const found = await api("GET reports/{name}/flops/{flop}", { path: { name, flop: flop.replaceAll(" ", "") } });
  if (found.solution === null) return found;
  const query = new URLSearchParams({ line });
  go(`/study/${encodeURIComponent(found.solution)}${line && `?${query}`}`);
  return null;
}
