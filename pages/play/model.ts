/** The tables that are open, and what the user does at them. */
import { api, messageOf, Problem } from "../api/client";
import { type Events, listen } from "../api/events";
import type { SolutionView, TableModel, TableSummary } from "../api/types";
import { type Address, go } from "../app/address";
import { drawn, Model } from "../shared/model";
import { percent } from "../shared/numbers";
import { say } from "../shared/Said";
import { emptySide, failed, type Side, waiting } from "./side";
import { news } from "./words";

const MOST = 4;
const ALWAYS = "errai-hints";
const AUTO = "errai-auto-deal";
/** How long a hand that is over is looked at before the next one is dealt by itself. */
const LOOK_MS = 3000;
const THINKING_MS = 1000;

/** The element of a table. */
const elementOf = (id: string): HTMLElement | null => document.querySelector(`[data-table="${CSS.escape(id)}"]`);

export class Play extends Model {
  tables = new Map<string, TableModel>();
  /** All sessions. */
  listed = new Map<string, TableModel | TableSummary>();
  open: string[] = [];
  /** The table that has the keys; empty where none is open. */
  focus = "";
  /** What screen readers were told last. */
  heard = "";
  /** Whether hints are given without being asked for; the browser keeps it. */
  always = localStorage.getItem(ALWAYS) === "yes";
  /** Whether the next hand is dealt by itself; the browser keeps it. */
  auto = localStorage.getItem(AUTO) === "yes";
  /** What hands can be reviewed against. */
  solutions: SolutionView[] = [];
  #timers = new Map<string, number>();
  #sides = new Map<string, Side>();

  side(id: string): Side {
    const found = this.#sides.get(id) ?? emptySide();
    this.#sides.set(id, found);
    return found;
  }

  current(): TableModel | undefined {
    return this.tables.get(this.focus);
  }

  /** Show other tables; going from one to another leaves no trace in the history. */
  goTo(ids: string[], on: string): void {
    const same = ids.length === this.open.length && ids.every((one) => this.open.includes(one));
    go(on ? `/play/${on}${ids.length > 1 ? `?tables=${ids.join(",")}` : ""}` : "/play", same);
  }

  /** Open the tables that were just made. */
  made(ids: string[]): void {
    this.goTo([...this.open, ...ids].slice(-MOST), ids[0]);
  }

  /** Show the tables of the address. */
  moved({ name, query }: Address): void {
    const named = (query.get("tables") ?? "").split(",").filter(Boolean);
    // The address has the tables in their places, whichever has the focus.
    const wanted = named.includes(name) ? named : [name, ...named].filter(Boolean);
    this.open = [...new Set(wanted)].slice(0, MOST);
    if (!this.open.includes(name) && name) this.open[MOST - 1] = name;
    this.focus = name;
    for (const id of this.#sides.keys()) if (!this.open.includes(id)) this.#sides.delete(id);
    for (const id of this.open) if (!this.side(id).seen) this.load(id);
    this.changed();
  }

  async load(id: string): Promise<void> {
    try {
      this.take(await api("GET tables/{table}", { path: { table: id } }));
    } catch (error) {
      this.side(id).problem = messageOf(error);
    }
    this.changed();
  }

  /** Take a view of a table, from an answer or an event. */
  take(view: TableModel): void {
    if ((this.tables.get(view.id)?.version ?? -1) > view.version) return;
    this.tables.set(view.id, view);
    this.listed.set(view.id, view);
    if (!this.open.includes(view.id)) return;
    const mine = this.side(view.id);
    const before = mine.seen;
    mine.seen = view;
    const told = news(before, view);
    if (told) this.heard = this.open.length > 1 ? `Table ${this.open.indexOf(view.id) + 1}: ${told}` : told;
    if (before?.shown?.hand !== view.shown?.hand || before?.shown?.ply !== view.shown?.ply) {
      // An event may say how the hand went on before the action is answered: then the user can act at once.
      Object.assign(mine, { hint: null, typed: "", problem: "", asked: null });
      if (view.state !== "over") mine.review = null;
      if (this.always && view.state === "turn" && view.has_hints) this.hint(view.id);
    }
    if (before?.hands !== view.hands || before?.version !== view.version) this.score(view.id);
    if (view.state === "over" && before?.hands !== view.hands) {
      // A review that the user has not asked for says nothing where there is nothing to review against.
      if (view.reviewed_by || mine.against) this.review(view.id, view.hands);
      this.#dealSoon(view.id);
    }
  }

  /** Deal the next hand of a table in a while, unless the user looks at an earlier one then. */
  #dealSoon(id: string): void {
    clearTimeout(this.#timers.get(id));
    if (!this.auto) return;
    const deal = () => this.auto && this.open.includes(id) && !this.side(id).before && this.deal(id);
    this.#timers.set(id, window.setTimeout(deal, LOOK_MS));
  }

  /** Whether hands are dealt without being asked for. */
  dealAlone(auto: boolean): void {
    this.auto = auto;
    localStorage.setItem(AUTO, auto ? "yes" : "no");
    for (const id of this.open) if (this.tables.get(id)?.state === "over") this.#dealSoon(id);
    this.changed();
  }

  /** Ask for something that changes a table. */
  async #send(id: string, path: string, ask: () => Promise<TableModel>): Promise<void> {
    const mine = this.side(id);
    const asked = { path };
    if (mine.asked) return;
    Object.assign(mine, { asked, problem: "" });
    this.changed();
    try {
      this.take(await ask());
    } catch (error) {
      // What has happened meanwhile is shown first, and takes away what was said before it.
      if (error instanceof Problem && error.status === 409) await this.load(id);
      mine.problem = messageOf(error);
    }
    if (mine.asked === asked) mine.asked = null;
    this.changed();
    await drawn();
    // The button that had the focus may be gone.
    const lost = !document.activeElement || document.activeElement === document.body;
    if (lost) elementOf(id)?.focus({ preventScroll: true });
  }

  act(id: string, action: string): void {
    const table = this.tables.get(id);
    if (table?.state !== "turn" || !table.shown) return;
    const body = { action, hand: table.shown.hand, ply: table.shown.ply };
    this.#send(id, "actions", () => api("POST tables/{table}/actions", { path: { table: id }, body }));
  }

  deal(id: string): void {
    const table = this.tables.get(id);
    if (table?.state !== "over" && table?.state !== "new") return;
    const body = { hand: table.hands + 1 };
    this.#send(id, "deal", () => api("POST tables/{table}/deal", { path: { table: id }, body }));
  }

  /** Let an agent that failed try again. */
  again(id: string): void {
    this.#send(id, "again", () => api("POST tables/{table}/again", { path: { table: id } }));
  }

  type(id: string, typed: string): void {
    this.side(id).typed = typed;
    this.changed();
  }

  async score(id: string): Promise<void> {
    const mine = this.side(id);
    mine.score = await api("GET tables/{table}/score", { path: { table: id } }).catch(() => null);
    this.changed();
  }

  async hint(id: string): Promise<void> {
    const mine = this.side(id);
    const asked = waiting();
    mine.hint = asked;
    this.changed();
    try {
      const found = await api("GET tables/{table}/hint", { path: { table: id } });
      // Whoever has acted in the meantime is told nothing of the turn before.
      if (mine.hint !== asked) return;
      mine.hint = { found, problem: "", busy: false };
      const told = found.actions.map((one) => `${one.label} ${percent(one.probability, 0)}`).join(", ");
      this.heard = told
        ? `${found.advisor}: ${told}. ${found.warning}`
        : "The advisor never comes here with this hand.";
    } catch (error) {
      if (mine.hint === asked) mine.hint = failed(error);
    }
    this.changed();
  }

  /** Whether hints are given without being asked for. */
  hintAlways(always: boolean): void {
    this.always = always;
    localStorage.setItem(ALWAYS, always ? "yes" : "no");
    if (always && this.current()?.state === "turn") this.hint(this.focus);
    this.changed();
  }

  /** Choose the solution to review against, and review a hand. */
  reviewAgainst(id: string, solution: string, hand: number): void {
    const mine = this.side(id);
    Object.assign(mine, { against: solution, review: null });
    if (solution || this.tables.get(id)?.reviewed_by) this.review(id, hand);
    this.changed();
  }

  async review(id: string, hand: number): Promise<void> {
    const mine = this.side(id);
    mine.review = waiting();
    this.changed();
    try {
      const query = { hand, against: mine.against || null };
      const found = await api("GET tables/{table}/review", { path: { table: id }, query });
      mine.review = { found, problem: "", busy: false };
      if (found.decisions) this.heard = `Reviewed: ${found.loss_chips.toFixed(2)} chips lost.`;
    } catch (error) {
      mine.review = failed(error);
    }
    this.changed();
  }

  /** Show a finished hand; the table again where there is none of this number. */
  async earlier(id: string, hand: number): Promise<void> {
    const mine = this.side(id);
    const table = this.tables.get(id);
    if (!table?.hands) return say("No hand has been finished yet.");
    // A key that is pressed while a hand is fetched goes on from that hand.
    const wanted = hand < 1 || hand > table.hands ? null : hand;
    mine.wanted = wanted;
    try {
      const found =
        wanted === null ? null : await api("GET tables/{table}/hands/{hand}", { path: { table: id, hand: wanted } });
      if (mine.wanted !== wanted) return;
      Object.assign(mine, { before: found, review: null });
      if (mine.against || table.reviewed_by) this.review(id, wanted ?? table.hands);
    } catch (error) {
      say(messageOf(error));
    }
    this.changed();
  }

  async remove(id: string): Promise<void> {
    if (!window.confirm("Delete this table and its session?")) return;
    try {
      await api("DELETE tables/{table}", { path: { table: id } });
      this.drop(id);
    } catch (error) {
      say(messageOf(error));
    }
  }

  /** Leave a table; its session is kept. */
  leaveTable(id: string): void {
    const rest = this.open.filter((one) => one !== id);
    this.goTo(rest, this.focus === id ? (rest[0] ?? "") : this.focus);
  }

  /** Forget a table that is no longer there. */
  drop(id: string): void {
    this.tables.delete(id);
    this.listed.delete(id);
    this.#sides.delete(id);
    if (this.open.includes(id)) this.leaveTable(id);
    this.changed();
  }

  /** Go to the next table at which the user can do something, or the one before (`step` is 1 or -1). */
  next(step: number): void {
    const { open } = this;
    const at = open.indexOf(this.focus);
    const order = open.map((_, n) => open[(at + step * (n + 1) + open.length * (n + 1)) % open.length]);
    // A table that is still being opened may wait for the user as well.
    const waits = (id: string) => ["turn", "over"].includes(this.tables.get(id)?.state ?? "turn");
    const found = order.find((id) => id !== this.focus && waits(id)) ?? order[0];
    if (!found || found === this.focus) return;
    this.goTo(open, found);
    requestAnimationFrame(() => elementOf(found)?.focus());
  }

  /** Follow what happens at the tables. @returns ends that */
  begin(): () => void {
    const again = () => {
      for (const id of this.open) this.load(id);
    };
    // What an agent was thinking when the server ended, it thinks again when its table is asked for.
    const server = (problem: string) => {
      if (problem) return;
      for (const id of this.open) this.side(id).problem = "";
      again();
    };
    // The terminal may have gone on with a session in the meantime.
    const back = () => document.visibilityState === "visible" && again();
    document.addEventListener("visibilitychange", back);
    const thinking = (id: string) => this.tables.get(id)?.state === "thinking";
    const clock = setInterval(() => this.open.some(thinking) && this.changed(), THINKING_MS);
    const ends = [listen("server", server), listen("table", (view) => this.#told(view))];
    api("GET solutions").then(
      ({ solutions }) => {
        this.solutions = solutions.filter((one) => one.kind === "solution" && !one.error);
        this.changed();
      },
      () => {},
    );
    return () => {
      document.removeEventListener("visibilitychange", back);
      clearInterval(clock);
      for (const timer of this.#timers.values()) clearTimeout(timer);
      for (const end of ends) end();
    };
  }

  #told(view: Events["table"]): void {
    if ("gone" in view) return this.drop(view.id);
    if ("choices" in view) this.take(view);
    else this.listed.set(view.id, view);
    this.changed();
  }
}
