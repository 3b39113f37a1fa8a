/** The form of the room Solve: a spot is put together, and its size is said while it is typed. */
import { api, messageOf } from "../api/client";
import type {
  GameView,
  JobsOptionView,
  JobView,
  LibraryRangeView,
  LibraryView,
  MenuView,
  SolveRequest,
} from "../api/types";
import { go } from "../app/address";
import { Model } from "../shared/model";
import { say } from "../shared/Said";
import {
  commandOf,
  emptyDraft,
  GAME_TARGET,
  keepDraft,
  keptDraft,
  type Mode,
  numbersOf,
  placeOf,
  requestOf,
  retitle,
  TARGET,
  written,
} from "./draft";
import { Estimate } from "./estimate";
import { History } from "./history";
import { fieldName } from "./names";
import { FIRST, openAddress, openPreset, openText } from "./opening";
import { RangeText } from "./rangeText";
import { putMenu } from "./sizes";
import { type Form, PLAYERS } from "./spot";

/** How the names of ranges begin that were kept here. */
const KEPT = "@ranges/";

export class SolveForm extends Model {
  draft = emptyDraft();
  history = new History();
  estimate = new Estimate(() => this.changed());
  /** The ranges of both players. */
  ranges = PLAYERS.map(
    (_, index) =>
      new RangeText((text, whole) => this.draft.form && this.#putRange(this.draft.form, index, text, whole)),
  );
  games: GameView[] = [];
  library: LibraryView = { spots: [], ranges: [], menus: [] };
  /** What the server says of the options of a solve. */
  options: JobsOptionView[] = [];
  /** Whether everything that the form needs has been read. */
  ready = false;
  /** Settled when that is so. */
  begun: Promise<void> = Promise.resolve();
  sending = false;
  /** How many spots are being read that are then shown in place of this one; the last that was chosen remains. */
  #coming = 0;
  #shown: Promise<void> = Promise.resolve();

  /** Read what there is, and show what was typed last or what the address asks for. */
  begin(query: URLSearchParams): Promise<void> {
    this.begun = this.#read(query);
    return this.begun;
  }

  async #read(query: URLSearchParams): Promise<void> {
    const [{ games }, { options }, library] = await Promise.all([
      api("GET games"),
      api("GET options"),
      api("GET library"),
    ]);
    Object.assign(this, { games, options, library });
    const kept = keptDraft();
    if (kept) this.#restore(JSON.stringify(kept));
    else if (!query.get("from")) await openPreset(this, FIRST);
    this.history.begin(JSON.stringify(this.draft));
    await openAddress(this, query);
    this.ready = true;
    this.changed();
  }

  leave(): void {
    this.estimate.stop();
  }

  /** Show another spot once those are there that were chosen before it; what is shown until then cannot be solved. */
  async opening(show: () => Promise<void>): Promise<void> {
    this.#coming++;
    this.changed();
    const mine = this.#shown.then(show);
    this.#shown = mine.catch(() => {});
    try {
      await mine;
    } finally {
      this.#coming--;
      this.changed();
    }
  }

  // --- what is typed -------------------------------------------------------------------------------------------------

  /** Keep what is typed or chosen. */
  put<T, K extends keyof T>(of: T, key: K, value: T[K]): void {
    of[key] = value;
    if (of === (this.draft.form as unknown) && key === "board") retitle(this.draft);
    this.edited(of, key);
  }

  #putRange(form: Form, index: number, text: string, whole: boolean): void {
    form.ranges[index] = text;
    this.edited(...(whole ? [] : [form.ranges, index]));
  }

  /** Something has been typed or chosen, in a field or at once: it is kept, and its size is asked for soon. */
  edited(...field: unknown[]): void {
    const { draft } = this;
    if (!draft.locks.trim() && !draft.settings.start_from) draft.belongs = "";
    else draft.belongs ||= placeOf(draft);
    this.history.put(JSON.stringify(draft), ...field);
    this.#kept();
  }

  #kept(): void {
    keepDraft(JSON.stringify(this.draft));
    this.estimate.soon(this.draft, this.request(), numbersOf(this.options));
    this.changed();
  }

  /** Take a change back, or make it again. */
  undo(): void {
    this.#restore(this.history.back());
  }
  redo(): void {
    this.#restore(this.history.forward());
  }

  #restore(draft: string | null): void {
    if (draft === null) return;
    this.draft = JSON.parse(draft);
    if (this.draft.form) this.show(this.draft.form);
    this.#kept();
  }

  /** Show a spot in the form. */
  show(form: Form): void {
    this.draft.form = form;
    for (const [index, range] of this.ranges.entries()) range.read(form.ranges[index]);
  }

  /** Forget everything that was typed and chosen; it can be taken back. */
  async anew(): Promise<void> {
    await this.opening(async () => {
      this.draft = emptyDraft();
      await openPreset(this, FIRST);
    });
  }

  /** Take a range of the library, and the name of the player whose it is. */
  takeRange(index: number, { hands, position }: LibraryRangeView): void {
    const { form } = this.draft;
    if (form && position) form.positions[index] = position;
    this.ranges[index].read(hands, "whole");
  }

  /** What the user's library has of a kind: names of spots, and of the ranges that were kept here. */
  own(kind: "spots" | "ranges"): string[] {
    if (kind === "spots") return this.library.spots.filter((one) => one.own).map((one) => one.name);
    const kept = this.library.ranges.filter((one) => one.own && one.name.startsWith(KEPT));
    return kept.map((one) => one.name.slice(KEPT.length));
  }

  /** Put the spot of the form into the user's library. */
  async keepSpot(name: string): Promise<void> {
    const { draft } = this;
    const spot = draft.mode === "text" ? draft.text : written(draft);
    await api("POST library/spots", { body: { name: name.replace(/[^A-Za-z0-9_-]+/g, "-"), spot } });
    await this.#readLibrary();
  }

  /** Put the range of a player into it. */
  async keepRange(name: string, index: number): Promise<void> {
    await api("POST library/ranges", { body: { name, hands: this.ranges[index].text } });
    await this.#readLibrary();
  }

  async removeKept(kind: "spots" | "ranges", name: string): Promise<void> {
    await api("DELETE library/{kind}/{name}", { path: { kind, name } });
    await this.#readLibrary();
  }

  async #readLibrary(): Promise<void> {
    this.library = await api("GET library");
    this.changed();
  }

  /** Give both players the sizes of a menu. */
  takeMenu(menu: MenuView): void {
    if (this.draft.form) putMenu(this.draft.form, menu);
    this.edited();
  }

  /** Go to another way of saying what is solved. */
  async turnTo(mode: Mode): Promise<void> {
    const { draft } = this;
    if (draft.mode === "form") draft.text = written(draft);
    if (mode === "form" && draft.mode === "text") return this.opening(() => openText(this, draft.text, "The text"));
    draft.mode = mode;
    const { target } = draft.settings;
    if (mode === "game" && target === TARGET) draft.settings.target = GAME_TARGET;
    if (mode !== "game" && target === GAME_TARGET) draft.settings.target = TARGET;
    this.edited();
  }

  // --- what is wrong -------------------------------------------------------------------------------------------------

  /** What is wrong with a field; empty if nothing is. */
  problemOf(id: string): string {
    const { wrong } = this.estimate;
    return wrong?.field === id ? wrong.message : "";
  }

  /** What a field is called. */
  nameOf(id: string): string {
    return fieldName(id, this.draft.form);
  }

  /** The locks and the start of another spot are asked about, so that they do not come along unseen. */
  get stray(): boolean {
    return this.draft.belongs !== "" && this.draft.belongs !== placeOf(this.draft);
  }

  /** What has to end first; empty if nothing has. */
  get waits(): string {
    if (this.sending) return "The solve is being sent.";
    return this.#coming ? "The spot is being read." : "";
  }

  /** Why it cannot be solved as it is; empty if it can. */
  get why(): string {
    const { locks, settings, belongs } = this.draft;
    const { wrong, size } = this.estimate;
    if (this.waits) return this.waits;
    if (wrong)
      return wrong.field && wrong.field !== "text" ? `${this.nameOf(wrong.field)}: ${wrong.message}` : wrong.message;
    if (this.stray) {
      const what = [...(locks.trim() ? ["locks"] : []), ...(settings.start_from ? ["start"] : [])].join(" and the ");
      return `The ${what} in use belong${what === "start" ? "s" : ""} to another spot (${belongs}).`;
    }
    return size && !size.fits ? `It does not fit into the memory. ${size.advice ?? ""}` : "";
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

  request() {
    return requestOf(this.draft, numbersOf(this.options));
  }

  command(): string {
    return commandOf(this.request());
  }

  async solve(add: (body: SolveRequest) => Promise<JobView>): Promise<void> {
    if (this.why) return say(this.why);
    this.sending = true;
    this.changed();
    try {
      const job = await add({ kind: "solve", ...this.request() });
      go(`/solve/${job.id}`);
    } catch (error) {
      this.estimate.refuse(this.draft, error);
      say(messageOf(error));
    } finally {
      this.sending = false;
      this.changed();
    }
  }
}
