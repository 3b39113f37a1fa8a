/** A solution as it is looked at: what the address says of it, its nodes, and what is shown. */
import { api, messageOf, quiet } from "../api/client";
import type { NodeView, ReadingView, SolutionView, VerificationView } from "../api/types";
import { type Address, go } from "../app/address";
import { Answers } from "../shared/answers";
import { Model } from "../shared/model";
import { say } from "../shared/Said";
import type { Ordered, Sort } from "../shared/SortedTable";
import { addressOf, type State, stateOf, type Tab } from "./address";
import type { Summary } from "./hands";
import { after } from "./lines";
import { lookAhead, Nodes } from "./nodes";
import { BOOKMARK, Notes } from "./notes";
import { Shown } from "./shown";

/** Changes of these are new places in the history. */
const PLACES = ["line", "tab", "lock", "with", "whole"] as const;

const SLOW_MS = 150;

/** Up to this size a file that is read in parts is then read as a whole by itself, so that the EVs are there. */
const MOST_WHOLE_BYTES = 2e9;

/** What belongs to one solution and is not in the address. */
const fresh = () => ({
  /** How the table of a tab is sorted, and which of its pages is shown. */
  sort: {} as Partial<Record<Tab, Sort>>,
  page: {} as Partial<Record<Tab, number>>,
  /** Cards that are chosen for a deal of several. */
  cards: [] as string[],
  verified: null as VerificationView | null,
  verifying: false,
  /** Whether the whole file is being read, and why it cannot be. */
  reading: false,
  unread: "",
});

export class Study extends Model {
  state: State;
  view: NodeView | null = null;
  problem = "";
  /** Whether a node is awaited, and has been for a while. */
  busy = false;
  /** The line that is typed, and what is wrong with it. */
  typed: { line: string; error: string } | null = null;
  local = fresh();
  answers = new Answers();
  notes = new Notes();
  /** Settled once the address is shown; keys that are pressed earlier wait for it, one after the other. */
  shown: Promise<void> = Promise.resolve();
  #queue: Promise<void> = Promise.resolve();
  #nodes = new Nodes();
  #last: Shown | null = null;
  #turn = 0;
  #timer = 0;
  #slow = 0;

  constructor(address: Address) {
    super();
    this.state = stateOf(address);
    for (const one of [this.answers, this.notes]) one.follow(() => this.changed());
  }

  /** Show what the address says, unless that is shown already. */
  moved(address: Address): void {
    const next = stateOf(address);
    if (!this.#turn || addressOf(next) !== addressOf(this.state)) this.#take(next);
  }

  #take(next: State): void {
    // A line that is being typed stays while the same place is shown again, in another tab or from the whole file.
    if (next.name !== this.state.name || next.line !== this.state.line) this.typed = null;
    if (next.name !== this.state.name || !this.#turn) {
      this.notes.read(next.name);
      this.local = fresh();
      this.view = null;
      this.#nodes.clear();
      this.answers.clear();
    }
    this.state = next;
    this.shown = this.#show();
  }

  async #show(): Promise<void> {
    const mine = ++this.#turn;
    const stale = !this.view || this.problem !== "";
    this.problem = "";
    clearTimeout(this.#slow);
    this.#slow = window.setTimeout(() => this.#wait(true), SLOW_MS);
    if (stale) this.changed();
    let found = null;
    try {
      found = await this.node(this.state.line);
    } catch (error) {
      if (mine !== this.#turn) return;
      this.problem = messageOf(error);
      found = this.view ?? (await this.node("").catch(() => null));
    }
    if (mine !== this.#turn) return;
    clearTimeout(this.#slow);
    this.busy = false;
    if (found !== this.view) {
      this.view = found;
      Object.assign(this.local, { page: {}, cards: [] });
    }
    this.changed();
    const over = () => mine !== this.#turn;
    if (!found || this.problem) return;
    if (found.reads_more && !this.state.whole) this.#readWhole();
    lookAhead(found, (line) => this.node(line), over);
  }

  /** Read a file as a whole of which parts have been read, unless it is very large; what is shown stays until then. */
  async #readWhole(): Promise<void> {
    const { local } = this;
    const { name, line } = this.state;
    if (local.reading || local.unread) return;
    local.reading = true;
    this.changed();
    try {
      const { bytes } = await this.described();
      if (bytes > MOST_WHOLE_BYTES) throw new Error("The file is large, so it has been read in parts.");
      await this.#nodes.get(name, line, true);
      if (local === this.local) {
        this.#take({ ...this.state, whole: true });
        history.replaceState(null, "", addressOf(this.state));
      }
    } catch (error) {
      local.unread = messageOf(error);
    }
    local.reading = false;
    this.changed();
  }

  /** What the list of solutions says of this one. */
  described(): Promise<SolutionView> {
    return api("GET solutions/{name}", { path: { name: this.state.name } });
  }

  #wait(busy: boolean): void {
    this.busy = busy;
    this.changed();
  }

  /** Change what is shown; a new line, tab or solution is a new place in the history. */
  set(changes: Partial<State>): void {
    const next = { ...this.state, ...changes };
    clearTimeout(this.#timer);
    if (PLACES.some((key) => next[key] !== this.state[key])) {
      this.#take(next);
      return go(addressOf(next));
    }
    this.state = next;
    this.changed();
    // Browsers refuse to change the address hundreds of times while an arrow key is held.
    this.#timer = window.setTimeout(() => history.replaceState(null, "", addressOf(this.state)), 150);
  }

  /** Go to a line; the hand and the way of showing it stay. */
  to(line: string): void {
    if (line === (this.view?.line ?? this.state.line)) return;
    // The server can begin before the address has changed.
    this.node(line).catch(() => {});
    this.set({ line });
  }

  node(line: string): Promise<NodeView> {
    return this.#nodes.get(this.state.name, line, this.state.whole);
  }

  /** Fetch a node ahead of time if the server is free. */
  soon(line: string): void {
    if (quiet()) this.node(line).catch(() => {});
  }

  /** Run something once the address is shown, and what was queued before it has run. */
  later(run: () => void): void {
    this.#queue = this.#queue
      .then(() => this.shown)
      .then(run)
      .catch((error) => say(messageOf(error)));
  }

  /** The player whose hands are shown. */
  get player(): number {
    return this.state.player ?? this.view?.player ?? 0;
  }

  /** What is asked of a node besides itself: the weights and categories of its hands. */
  readingKey(view: NodeView): string {
    return `reading ${this.state.whole} ${view.line}`;
  }

  /** A node with its EVs in the unit in which they are shown. */
  inUnit(view: NodeView): NodeView {
    return this.#shown(view).node;
  }

  /** The hands of the player who is shown, of which a filter may leave some, and all hands of the other one. */
  summaries(view: NodeView): Summary[] {
    return this.#shown(view).summaries;
  }

  #shown(view: NodeView): Shown {
    const { only, unit } = this.state;
    const reading = only ? this.answers.get<ReadingView>(this.readingKey(view)).found : null;
    if (!this.#last?.is(view, this.player, unit, only, reading))
      this.#last = new Shown(view, this.player, unit, only, reading);
    return this.#last;
  }

  /** How the table of a tab is sorted. */
  ordered(tab: Tab, usual: Sort | null = null): Required<Ordered> {
    const { sort, page } = this.local;
    const put = (changes: () => void) => {
      changes();
      this.changed();
    };
    return {
      sort: sort[tab] ?? usual,
      setSort: (next) =>
        put(() => Object.assign(this.local, { sort: { ...sort, [tab]: next }, page: { ...page, [tab]: 0 } })),
      page: page[tab] ?? 0,
      setPage: (next) => put(() => Object.assign(this.local, { page: { ...page, [tab]: next } })),
    };
  }

  /** Take a card that is dealt; a deal of several cards waits for all of them. */
  choose(view: NodeView, card: string): void {
    const { cards } = this.local;
    const chosen = cards.includes(card) ? cards.filter((one) => one !== card) : [...cards, card];
    if (chosen.length >= view.deal_count) return this.to(after(view.line, chosen.join(""), true));
    this.local.cards = chosen;
    this.changed();
  }

  /** Open the field for a line, or close it. */
  type(typed: Study["typed"]): void {
    this.typed = typed;
    this.changed();
  }

  /** Go to a line that was typed. @returns whether there is such a line */
  async goTyped(line: string): Promise<boolean> {
    try {
      const found = await this.node(line);
      this.type(null);
      this.to(found.line);
      return true;
    } catch (error) {
      this.type({ line, error: messageOf(error) });
      return false;
    }
  }

  /** Write a note at this place if it has none, and show it. */
  async bookmark(): Promise<void> {
    const { view, notes } = this;
    if (!view) return;
    try {
      if (!notes.at(view.line)) await notes.write(view.line, BOOKMARK);
      this.set({ tab: "notes" });
    } catch (error) {
      say(messageOf(error));
    }
  }

  async verify(): Promise<void> {
    const { name } = this.state;
    Object.assign(this.local, { verifying: true, verified: null });
    this.changed();
    try {
      const verified = await api("POST solutions/{name}/verify", { path: { name } });
      if (name !== this.state.name) return;
      this.local.verified = verified;
    } catch (error) {
      say(messageOf(error));
    }
    this.local.verifying = false;
    this.changed();
  }

  leave(): void {
    this.#turn++;
    clearTimeout(this.#timer);
    clearTimeout(this.#slow);
  }
}
