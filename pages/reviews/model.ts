/** The reviews there are, the charts, and what is asked of one review. */
import { api, messageOf } from "../api/client";
import type { AllCharts, JobView } from "../api/types";
import { go } from "../app/address";
import { Answers } from "../shared/answers";
import { hasEnded, Jobs, whyQueued } from "../shared/jobs";
import { Model } from "../shared/model";
import { say } from "../shared/Said";

export class Reviews extends Model {
  jobs = new Jobs((job) => job.kind === "review");
  /** Sums and decisions. */
  answers = new Answers();
  charts: AllCharts["charts"] | null = null;

  constructor() {
    super();
    this.jobs.follow(() => this.changed());
    this.answers.follow(() => this.changed());
  }

  /** Read everything, and follow the jobs. @returns ends that */
  begin(): () => void {
    const end = this.jobs.begin();
    const complain = (error: unknown) => say(messageOf(error));
    this.jobs.read().catch(complain);
    this.readCharts().catch(complain);
    return end;
  }

  async readCharts(): Promise<void> {
    this.charts = (await api("GET charts")).charts;
    this.changed();
  }

  /** Delete a review. */
  async remove({ id, title }: JobView): Promise<void> {
    if (!window.confirm(`Delete the review ${title}?`)) return;
    await this.jobs.act(id, "delete");
    if (!this.jobs.all.has(id)) go("/reviews", true);
  }

  /** Ask the mistakes of a review in a drill. */
  async drill(id: string): Promise<void> {
    try {
      const drill = await api("POST drills", { body: { review: id } });
      go(`/drills/${drill.id}`);
    } catch (error) {
      say(messageOf(error));
    }
  }
}

/** How a review that is not over stands, in words; the cards of the spot stand apart. */
export function standing(job: JobView): { words: string; cards: string; done: number; wanted: number } {
  const none = { words: "", cards: "", done: 0, wanted: 0 };
  if (job.state === "queued") return { ...none, words: whyQueued(job) };
  const now = job.kind === "review" ? job.progress : null;
  if (!now) return { ...none, words: "The hands are being read." };
  if ("hands" in now) {
    const { hands: done, hands_wanted: wanted } = now;
    return { words: `Hand ${done} of ${wanted}`, cards: "", done, wanted };
  }
  const { spots: done, spots_wanted: wanted, title } = now;
  const [pair, cards = ""] = title.split(/, (?=[2-9TJQKA][cdhs])/);
  // The spot that is being solved is the one after those that are done.
  const at = hasEnded(job) ? done : Math.min(wanted, done + 1);
  return { words: `Spot ${at} of ${wanted}${pair && `, ${pair}`}`, cards, done, wanted };
}
