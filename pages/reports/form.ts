/** What is typed for a new report, and what the report will take. */
import { api, messageOf } from "../api/client";
import type { JobView, LibrarySpotView, ReportEstimate } from "../api/types";
import { Model } from "../shared/model";
import { say } from "../shared/Said";
import { EMPTY, type Form, placed, requestOf, type Wrong } from "./request";

const WAIT_MS = 400;

export class ReportForm extends Model {
  form: Form = { ...EMPTY };
  size: ReportEstimate | null = null;
  wrong: Wrong | null = null;
  counting = false;
  sending = false;
  /** The spots that have a name and begin on the flop. */
  library: LibrarySpotView[] = [];
  #timer = 0;
  #asking: AbortController | null = null;
  #from = "";
  #taken: Promise<void> = Promise.resolve();

  /** Keep what was typed, and soon ask what it takes. */
  put(changes: Partial<Form>): void {
    Object.assign(this.form, changes);
    if ("spot" in changes) this.#from = "";
    this.#leave();
    this.wrong = null;
    this.counting = this.form.spot.trim() !== "";
    if (!this.counting) this.size = null;
    else this.#timer = window.setTimeout(() => this.#count(), WAIT_MS);
    this.changed();
  }

  /** Read the library. @returns ends what is being asked */
  begin(): () => void {
    api("GET library").then(
      ({ spots }) => {
        this.library = spots;
        this.changed();
      },
      (error) => say(messageOf(error)),
    );
    return () => this.#leave();
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  async #count(): Promise<void> {
    const { request, wrong } = requestOf(this.form);
    this.wrong = wrong;
    this.#asking = new AbortController();
    try {
      const { signal } = this.#asking;
      this.size = wrong ? null : await api("POST estimate/report", { body: request, signal });
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") return;
      this.size = null;
      this.wrong = placed(error, this.form);
    }
    this.counting = false;
    this.changed();
  }

  problemOf(field: string): string {
    return this.wrong?.field === field ? this.wrong.message : "";
  }

  /** Take the spot of a solution that is here, unless another spot is given meanwhile; a report waits for it. */
  from(name: string): Promise<void> {
    this.#from = name;
    this.#taken = this.#take(name);
    return this.#taken;
  }

  async #take(name: string): Promise<void> {
    try {
      const { subject, settings } = await api("GET solutions/{name}/spot", { path: { name } });
      if (name !== this.#from) return;
      if ("game" in subject) {
        this.wrong = {
          field: "from",
          message: "This is a whole game. A report is about a spot that begins on the flop.",
        };
        return this.changed();
      }
      this.put({ spot: subject.spot, locks: settings.locks ?? "", target: settings.target ?? this.form.target });
    } catch (error) {
      if (name !== this.#from) return;
      this.wrong = { field: "from", message: messageOf(error) };
      this.changed();
    }
  }

  /** Add the report as a job; null if something is wrong with it. */
  async start(): Promise<JobView | null> {
    await this.#taken;
    const { request, wrong } = requestOf(this.form);
    this.wrong = wrong;
    let job: JobView | null = null;
    if (!wrong) {
      this.sending = true;
      this.changed();
      try {
        job = await api("POST jobs", { body: { kind: "report", title: this.form.title.trim() || null, ...request } });
      } catch (error) {
        this.wrong = placed(error, this.form);
      }
      this.sending = false;
    }
    this.changed();
    return job;
  }
}
