/** The form of the room Solve: a spot is put together, and its size is said while it is typed. */
import { api, messageOf, Problem } from "../api/client";
import type {
  EstimateView,
  GameView,
  JobsOptionView,
  JobView,
  SolutionModelsSpotView,
  SolveRequest,
} from "../api/types";
import { go } from "../app/address";
import { Model } from "../shared/model";
import { say } from "../shared/Said";
import {
  commandOf,
  emptyDraft,
  keepDraft,
  keptDraft,
  type Mode,
  numbersOf,
  placeOf,
  requestOf,
  SETTINGS,
  written,
} from "./draft";
import { RangeText } from "./rangeText";
import { ambiguity, ambiguousIn, type Fields, type Form, fieldOf, PLAYERS, toForm, type Wrong } from "./spot";

const WAIT_MS = 300;
/** The examples that an address may name. */
const EXAMPLES = ["river", "turn", "flop", "raised-pot", "push-or-fold"];

type Taken = { subject: SolutionModelsSpotView["subject"]; settings: Record<string, unknown> };

export class SolveForm extends Model {
  draft = emptyDraft();
  /** The ranges of both players. */
  ranges = PLAYERS.map(
    (_, index) => new RangeText((text) => this.draft.form && this.put(this.draft.form.ranges, index, text)),
  );
  games: GameView[] = [];
  /** What the server says of the options of a solve. */
  options: JobsOptionView[] = [];
  size: EstimateView | null = null;
  wrong: Wrong | null = null;
  /** Whether everything that the form needs has been read. */
  ready = false;
  counting = false;
  sending = false;
  #timer = 0;
  #asking: AbortController | null = null;

  /** Read what there is, and show what was typed last or what the address asks for. */
  async begin(query: URLSearchParams): Promise<void> {
    const [{ games }, { options }] = await Promise.all([api("GET games"), api("GET options")]);
    Object.assign(this, { games, options });
    const kept = keptDraft();
    if (kept) {
      this.draft = kept;
      if (kept.form) this.#show(kept.form);
      this.edited();
    } else if (!query.get("from")) await this.example("river");
    await this.from(query);
    this.ready = true;
    this.changed();
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  // --- what is typed -------------------------------------------------------------------------------------------------

  /** Keep what is typed or chosen. */
  put<T, K extends keyof T>(of: T, key: K, value: T[K]): void {
    of[key] = value;
    this.edited();
  }

  /** Something has been typed or chosen: it is kept, and its size is asked for soon. */
  edited(): void {
    const { draft } = this;
    if (!draft.locks.trim() && !draft.settings.start_from) draft.belongs = "";
    else draft.belongs ||= placeOf(draft);
    keepDraft(draft);
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.counting = true;
    this.#timer = window.setTimeout(() => this.#count(), WAIT_MS);
    this.changed();
  }

  /** Ask how large the solve is. */
  async #count(): Promise<void> {
    this.wrong = this.#ambiguous();
    this.#asking = new AbortController();
    try {
      const { signal } = this.#asking;
      this.size = this.wrong ? null : await api("POST estimate", { body: this.request(), signal });
      this.wrong ??= null;
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") return;
      this.size = null;
      this.wrong = this.#placed(error);
    }
    this.counting = false;
    this.changed();
  }

  request() {
    return requestOf(this.draft, numbersOf(this.options));
  }

  command(): string {
    return commandOf(this.request());
  }

  // --- what is wrong -------------------------------------------------------------------------------------------------

  /** A number that can be read in two ways is asked about here, and not taken for either. */
  #ambiguous(): Wrong | null {
    const { settings, mode, form } = this.draft;
    const numbers = numbersOf(this.options).map((key) => [key, settings[key] ?? ""]);
    return ambiguousIn(Object.fromEntries(numbers)) ?? (mode === "form" && form ? ambiguity(form) : null);
  }

  /** The field that an error belongs to, and what is said there. */
  #placed(error: unknown): Wrong {
    if (!(error instanceof Problem)) return { field: "", message: messageOf(error) };
    const { field, message, text } = error;
    const [part, ...rest] = field.split(".");
    if (part === "settings") return { field: rest[0], message: rest[0] === "locks" ? message : text };
    if (this.draft.mode === "form") return { field: part === "spot" ? fieldOf(rest) : "", message: text };
    return { field: this.draft.mode === "text" ? "text" : "", message };
  }

  /** What is wrong with a field; empty if nothing is. */
  problemOf(id: string): string {
    return this.wrong?.field === id ? this.wrong.message : "";
  }

  /** The locks and the start of another spot are asked about, so that they do not come along unseen. */
  get stray(): boolean {
    return this.draft.belongs !== "" && this.draft.belongs !== placeOf(this.draft);
  }

  /** Why it cannot be solved as it is; empty if it can. */
  get why(): string {
    const { locks, settings, belongs } = this.draft;
    if (this.sending) return "The solve is being sent.";
    if (this.wrong) return this.wrong.message;
    if (this.stray) {
      const what = [...(locks.trim() ? ["locks"] : []), ...(settings.start_from ? ["start"] : [])].join(" and the ");
      return `The ${what} in use belong${what === "start" ? "s" : ""} to another spot (${belongs}).`;
    }
    return this.size && !this.size.fits ? `It does not fit into the memory. ${this.size.advice ?? ""}` : "";
  }

  /** Remove what belongs to another spot. */
  forget(): void {
    this.draft.locks = this.draft.settings.start_from = "";
    this.edited();
  }

  /** Use what belongs to another spot here as well. */
  adopt(): void {
    this.put(this.draft, "belongs", placeOf(this.draft));
  }

  // --- solving -------------------------------------------------------------------------------------------------------

  async solve(add: (body: SolveRequest) => Promise<JobView>): Promise<void> {
    if (this.why) return say(this.why);
    this.sending = true;
    this.changed();
    try {
      const job = await add({ kind: "solve", ...this.request() });
      go(`/solve/${job.id}`);
    } catch (error) {
      this.wrong = this.#placed(error);
      say(messageOf(error));
    } finally {
      this.sending = false;
      this.changed();
    }
  }

  // --- other spots ---------------------------------------------------------------------------------------------------

  #show(form: Form): void {
    this.draft.form = form;
    for (const [index, range] of this.ranges.entries()) range.read(form.ranges[index]);
  }

  /** Show the text of a spot in the form, or as text where the form has no fields for it. */
  async open(text: string, name: string): Promise<void> {
    this.draft.text = text;
    try {
      const { fields } = await api("POST spots/read", { body: { spot: text } });
      const form = toForm(fields as Fields);
      this.draft.mode = form ? "form" : "text";
      if (form) this.#show(form);
      else say("The form has no fields for limit betting, so the spot is shown as text.");
    } catch (error) {
      this.draft.mode = "text";
      say(`${name}: ${messageOf(error)}`);
    }
    this.edited();
  }

  /** Show another spot, without what belonged to the one before. */
  async replace(text: string, name: string): Promise<void> {
    const { locks, settings } = this.draft;
    if (locks.trim() || settings.start_from) say("The locks and the start of the spot before were removed.");
    this.draft.locks = settings.start_from = "";
    await this.open(text, name);
  }

  /** Show one of the examples. */
  async example(name: string): Promise<void> {
    const text = await (await fetch(`/static/spots/${name}.toml`)).text();
    this.draft.settings = { ...SETTINGS, start_from: this.draft.settings.start_from };
    await this.replace(text, name);
  }

  /** Show what was solved before, and how: settings that were not given then are not given now. */
  async #take({ subject, settings: { locks, ...settings } }: Taken, name: string): Promise<void> {
    const { draft } = this;
    draft.locks = typeof locks === "string" ? locks : "";
    draft.settings = { ...SETTINGS, target: "" };
    for (const [key, value] of Object.entries(settings)) {
      if (value !== null && value !== undefined) draft.settings[key] = String(value);
    }
    if ("game" in subject) Object.assign(draft, { mode: "game", game: subject.game });
    else await this.open(subject.spot, name);
    draft.belongs = "";
    this.edited();
  }

  /** Show the spot of the solution that an address names, with the locks of the address. */
  async from(query: URLSearchParams): Promise<void> {
    const [name, example] = [query.get("from"), query.get("example")];
    if (example && EXAMPLES.includes(example)) return this.example(example);
    if (!name) return;
    try {
      const { subject, settings } = await api("GET solutions/{name}/spot", { path: { name } });
      // Study has put its own locks and those of the solution together; two tables for one line would be an error.
      const lock = query.get("lock");
      const start_from = settings.net ? null : name;
      await this.#take({ subject, settings: { ...settings, locks: lock ?? settings.locks, start_from } }, name);
      // Two solutions of one title cannot be told apart in a list.
      const { mode, form } = this.draft;
      if (lock && mode === "form" && form && !form.title.endsWith(", locked")) {
        this.put(form, "title", `${form.title || form.board}, locked`);
      }
    } catch (error) {
      say(messageOf(error));
    }
  }

  /** Open the form with what a job has solved. */
  async again({ id, title }: JobView): Promise<void> {
    try {
      const { subject, settings } = await api("GET jobs/{name}/solve", { path: { name: id } });
      // The job may have ended since the page was told how it stands.
      const { solution } = await api("GET jobs/{name}", { path: { name: id } });
      await this.#take({ subject, settings: { ...settings, start_from: settings?.net ? null : solution } }, title);
      go("/solve");
    } catch (error) {
      say(messageOf(error));
    }
  }

  /** Go to another way of saying what is solved. */
  async turnTo(mode: Mode): Promise<void> {
    const { draft } = this;
    if (mode === "text" && draft.mode === "form") draft.text = written(draft);
    if (mode === "form" && draft.mode === "text") return this.open(draft.text, "The text");
    draft.mode = mode;
    const { target } = draft.settings;
    if (mode === "game" && target === "0.5%pot") draft.settings.target = "1mbb";
    if (mode !== "game" && target === "1mbb") draft.settings.target = "0.5%pot";
    this.edited();
  }
}
