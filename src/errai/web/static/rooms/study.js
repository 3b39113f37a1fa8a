/** The room Study: the list of solutions, and a solution with its line, its grid of hands and its tables. */

import { api, quiet } from "../api.js";
import { combosView, drawRanges, rangesView } from "../combos.js";
import { copyButton, say, useStyle } from "../dom.js";
import { gridView } from "../grid.js";
import { after, classOf, MODES, otherCard, summarise } from "../hands.js";
import { listView } from "../library.js";
import { lineView, rootView } from "../line.js";
import { factsView, modesView, nextView, TABS, tabsView, typedView } from "../nodeviews.js";
import { html, render } from "../vendor/lit-html.js";

/** Tabs with a module of their own, which is loaded when the tab is opened first. */
const MODULES = { runouts: "runouts", compare: "compare", lock: "locks" };
const MOST_NODES = 300;
const FORMATS = ["csv", "json", "png", "svg"];
// Not every browser says when it is idle.
const whenIdle = window.requestIdleCallback ?? ((run) => setTimeout(run, 50));

/** @typedef {{ name: string, line: string, by: string, player: number | null, hand: string, tab: string, with: string,
 *              lock: string, whole: boolean }} State  what the address says */

/** @param {import("../app.js").Address} address @returns {State} */
export function stateOf({ name, query }) {
  const one = (key, allowed) => (allowed.includes(query.get(key)) ? query.get(key) : allowed[0]);
  return {
    name,
    line: query.get("line") ?? "",
    by: one(
      "by",
      MODES.map(([by]) => by),
    ),
    tab: one(
      "tab",
      TABS.map(([tab]) => tab),
    ),
    player: /^[01]$/.test(query.get("player") ?? "") ? Number(query.get("player")) : null,
    hand: query.get("hand") ?? "",
    with: query.get("with") ?? "",
    lock: query.get("lock") ?? "",
    whole: query.get("whole") === "1",
  };
}

/** The address of a state. @param {State} state */
export function addressOf(state) {
  const query = new URLSearchParams();
  const rest = { line: "", by: "strategy", player: null, hand: "", tab: "combos", with: "", lock: "" };
  for (const [key, usual] of Object.entries(rest)) if (state[key] !== usual) query.set(key, String(state[key]));
  if (state.whole) query.set("whole", "1");
  const text = query.toString();
  return `/study/${encodeURIComponent(state.name)}${text ? `?${text}` : ""}`;
}

/** What belongs to one solution and is not in the address; the page of a table, and its order, by tab. */
const fresh = () => ({
  sort: {},
  page: {},
  cards: /** @type {string[]} */ ([]),
  verified: /** @type {any} */ (null),
  busy: "",
});

/** A solution: what the address says of it, its nodes, and what is shown. */
class StudyRoom {
  title = "Study";
  keys = /** @type {import("../keys.js").Key[]} */ ([]);
  /** @type {Map<string, Promise<any>>} */ known = new Map();
  /** @type {Record<string, any>} */ modules = {};
  /** @type {any} */ view = null;
  /** @type {any[]} */ summaries = [];
  problem = "";
  /** @type {{ line: string, error: string } | null} */ typed = null;
  turn = 0;
  timer = 0;
  /** Settled once the address is shown; keys that are pressed earlier wait for it, one after the other. */
  shown = Promise.resolve();
  queue = Promise.resolve();
  local = fresh();
  dark = matchMedia("(prefers-color-scheme: dark)");
  paint = () => this.paintAll();

  /** @param {HTMLElement} root  @param {import("../app.js").Context} context */
  constructor(root, { address, go }) {
    this.root = root;
    this.go = go;
    this.state = stateOf(address);
  }

  // --- state -------------------------------------------------------------------------------------------------------

  /** Change what is shown; a new line, tab or solution is a new place in the history.
   *  @param {Partial<State>} changes */
  set(changes) {
    const next = { ...this.state, ...changes };
    const place = ["line", "tab", "lock", "with", "whole"].some((key) => next[key] !== this.state[key]);
    clearTimeout(this.timer);
    if (place) return this.go(addressOf(next));
    this.state = next;
    this.draw();
    // Browsers refuse to change the address hundreds of times while an arrow key is held.
    this.timer = setTimeout(() => history.replaceState(null, "", addressOf(this.state)), 150);
  }

  /** Go to a line; the hand and the way of showing it stay. @param {string} line */
  to(line) {
    if (line === (this.view?.line ?? this.state.line)) return;
    // The server can begin before the address has changed.
    this.node(line).catch(() => {});
    this.set({ line });
  }

  /** Fetch a node, or take one that was fetched; those that were shown last are kept. @param {string} line */
  node(line) {
    const whole = String(this.state.whole);
    const key = `${whole} ${line}`;
    const query = new URLSearchParams({ line, whole });
    const asked = this.known.get(key) ?? api(`solutions/${encodeURIComponent(this.state.name)}/node?${query}`);
    this.known.delete(key);
    if (this.known.size >= MOST_NODES) this.known.delete(this.known.keys().next().value ?? "");
    this.known.set(key, asked);
    asked.catch(() => this.known.delete(key));
    return asked;
  }

  async moved(next) {
    const before = this.state;
    this.state = stateOf(next);
    if (this.state.name !== before.name) {
      this.local = fresh();
      this.view = null;
      this.known.clear();
    }
    this.shown = this.show();
    await this.shown;
  }

  /** Show what the address says. */
  async show() {
    const mine = ++this.turn;
    this.problem = "";
    this.typed = null;
    if (!this.state.name) {
      this.title = "Study";
      this.keys = [];
      return listView(this.root, () => mine === this.turn);
    }
    const waiting = setTimeout(() => mine === this.turn && this.root.setAttribute("aria-busy", "true"), 150);
    try {
      const [found] = await Promise.all([this.node(this.state.line), this.load(this.state.tab)]);
      if (mine !== this.turn) return;
      if (found !== this.view) {
        this.view = found;
        this.summaries = [];
        this.local.page = {};
        this.local.cards = [];
      }
    } catch (error) {
      if (mine !== this.turn) return;
      this.problem = error.message;
      if (!this.view) this.view = await this.node("").catch(() => null);
      if (mine !== this.turn) return;
    } finally {
      clearTimeout(waiting);
      if (mine === this.turn) this.root.removeAttribute("aria-busy");
    }
    this.title = this.view?.title ?? "Study";
    document.title = `${this.title} - Errai`;
    this.keys = this.keysOf();
    const lost = document.activeElement;
    this.draw();
    const nav = this.root.querySelector(".line");
    if (nav) nav.scrollLeft = nav.scrollWidth;
    // An action whose button is gone leaves the focus nowhere; the next decision is where the user wants to go on.
    if (lost && lost !== document.body && !lost.isConnected) this.focusActions();
    if (this.view && !this.problem) this.lookAhead(mine);
  }

  /** Fetch what follows each action, one after the other and only while nothing else is asked or drawn.  The server may
   *  have to read much for a node of a solution that it does not hold as a whole. @param {number} mine */
  async lookAhead(mine) {
    const { line, actions, certificate } = this.view;
    if (certificate.checked === "part") return;
    for (const { step } of actions) {
      await new Promise((done) => {
        const wait = () => (quiet() || mine !== this.turn ? done(undefined) : setTimeout(idle, 200));
        const idle = () => whenIdle(wait);
        idle();
      });
      if (mine !== this.turn) return;
      await this.node(after(line, step)).catch(() => {});
    }
  }

  focusActions() {
    /** @type {HTMLElement | null} */ (
      this.root.querySelector(".actions button, .deck button, .line [aria-current=true]")
    )?.focus();
  }

  async load(tab) {
    if (MODULES[tab]) this.modules[tab] ??= await import(`../${MODULES[tab]}.js`);
  }

  // --- drawing -----------------------------------------------------------------------------------------------------

  shownPlayer() {
    return this.state.player ?? this.view.player ?? 0;
  }

  draw() {
    if (!this.view) {
      return render(
        html`<h1>Study</h1><p class="problem" role="alert">${this.problem}</p><p><a href="/study">All
          solutions</a></p>`,
        this.root,
      );
    }
    const player = this.shownPlayer();
    if (this.summaries[0]?.player !== player)
      this.summaries = [player, 1 - player].map((one) => summarise(this.view, one));
    const [summary] = this.summaries;
    const label = summary.byLabel.has(this.state.hand) ? this.state.hand : classOf(this.state.hand);
    const whose = `Hands of ${this.view.player_names[player]}`;
    render(
      html`<div class="top"><div class="from"><h1><a href="/study">Study</a> <span aria-hidden="true">/</span>
        ${this.view.title}</h1>${rootView(this.view, (line) => this.to(line))}</div>
        ${lineView(this.view, { to: (line) => this.to(line), soon: (line) => this.soon(line) })}
        <div class="tools"><button type="button" class="quiet" aria-expanded=${this.typed !== null}
          @click=${() => this.openField()}>Type
          a line <kbd aria-hidden="true">/</kbd></button>
        ${copyButton(this.command())}<span>${FORMATS.map(
          (format) =>
            html`<a class="export" href=${this.exported(format)} aria-label=${`Export as ${format.toUpperCase()}`}
              download>${format.toUpperCase()}</a>`,
        )}</span></div></div>
      ${this.typed === null ? "" : typedView(this)}
      ${
        this.problem && this.typed === null
          ? html`<p class="problem" role="alert">${this.problem} <button type="button"
            @click=${() => this.set({ line: this.view.line })}>Back</button></p>`
          : ""
      }
      <div class="body">
        <section class="next" aria-label="Next">${nextView(this)}</section>
        <div class="modes">${modesView(this, player)}</div>
        <section class="range" aria-label=${whose}>${gridView(this.view, summary, {
          by: this.state.by,
          chosen: label,
          title: whose,
          pick: (hand) => this.set({ hand }),
        })}</section>
        ${factsView(this)}
        <section class="side" aria-label="Tables">${tabsView(this)}<div id="panel" role="tabpanel" tabindex="0"
          aria-labelledby=${`tab-${this.state.tab}`}>${this.panel()}</div></section>
      </div>`,
      this.root,
    );
    this.paintAll();
  }

  paintAll() {
    const canvas = this.root.querySelector(".all canvas");
    if (canvas && this.view)
      drawRanges(/** @type {HTMLCanvasElement} */ (canvas), this.view, this.summaries, this.state.by);
    for (const one of this.root.querySelectorAll("canvas.own")) /** @type {any} */ (one).paint?.();
  }

  /** Fetch a node ahead of time if the server is free. @param {string} line */
  soon(line) {
    if (quiet()) this.node(line).catch(() => {});
  }

  /** Take a card that is dealt; a deal of several cards waits for all of them. @param {string} card */
  choose(card) {
    const cards = this.local.cards.includes(card)
      ? this.local.cards.filter((one) => one !== card)
      : [...this.local.cards, card];
    if (cards.length >= this.view.deal_count) return this.to(after(this.view.line, cards.join(""), true));
    this.local.cards = cards;
    this.draw();
  }

  async verify() {
    const { name } = this.state;
    this.local.busy = "verify";
    this.local.verified = null;
    this.draw();
    try {
      const found = await api(`solutions/${encodeURIComponent(name)}/verify`, { method: "POST" });
      if (name !== this.state.name) return;
      this.local.verified = found;
    } catch (error) {
      say(error.message);
    }
    this.local.busy = "";
    this.draw();
  }

  panel() {
    const { tab } = this.state;
    const options = {
      by: this.state.by,
      hand: this.state.hand,
      pick: (hand) => this.set({ hand }),
      sort: this.local.sort[tab] ?? null,
      setSort: (sort) => {
        this.local.sort[tab] = sort;
        this.local.page[tab] = 0;
        this.draw();
      },
      page: this.local.page[tab] ?? 0,
      setPage: (page) => {
        this.local.page[tab] = page;
        this.draw();
      },
    };
    if (tab === "combos") return combosView(this.view, this.summaries[0], options);
    if (tab === "ranges") return rangesView(this.view, this.summaries, options);
    const { view, summaries, state } = this;
    const does = {
      set: (changes) => this.set(changes),
      to: (line) => this.to(line),
      redraw: () => this.draw(),
    };
    return this.modules[tab]?.panelView({ view, summaries, state, ...does, ...options }) ?? "";
  }

  // --- commands ----------------------------------------------------------------------------------------------------

  /** The command that shows the same at the terminal. */
  command() {
    const own = this.modules[this.state.tab]?.command?.({ view: this.view, state: this.state });
    if (own) return own;
    const hand = /^[\w*]+$/.test(this.state.hand) ? ` --hand ${this.state.hand}` : "";
    return (
      this.view.command +
      (["strategy", "weight"].includes(this.state.by) ? "" : ` --by ${this.state.by}`) +
      (this.shownPlayer() === (this.view.player ?? 0) ? "" : ` --player ${this.shownPlayer()}`) +
      hand
    );
  }

  exported(format) {
    return `/api/v1/solutions/${encodeURIComponent(this.state.name)}/export?${new URLSearchParams({
      line: this.view.line,
      format,
      player: String(this.shownPlayer()),
      by: this.state.by === "weight" ? "strategy" : this.state.by,
      whole: String(this.state.whole),
    })}`;
  }

  openField() {
    this.typed = { line: this.view.line, error: "" };
    this.draw();
    const field = /** @type {HTMLInputElement} */ (this.root.querySelector("#typed"));
    field.focus();
    field.select();
  }

  intoGrid() {
    const cell = /** @type {HTMLElement | null} */ (this.root.querySelector(".hands [tabindex='0']"));
    cell?.focus();
  }

  keysOf() {
    const later = (run) => (event) => {
      this.queue = this.queue
        .then(() => this.shown)
        .then(() => run(event))
        .catch((error) => say(error.message));
    };
    const act = (event) => {
      const one = this.view.actions[Number(event.key) - 1];
      if (one) this.to(after(this.view.line, one.step));
    };
    const back = () => this.to(this.view.columns.at(-1)?.line ?? this.view.line);
    const card = (by) => () => {
      const line = otherCard(this.view, by);
      if (line !== null) this.to(line);
    };
    return [
      { keys: [..."123456789"], what: "take the first, second, ... action", run: later(act) },
      { keys: ["Backspace"], what: "go back one step", run: later(back) },
      {
        keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
        what: "go to the grid of hands, and move in it",
        run: () => this.intoGrid(),
      },
      ...MODES.map(([by, key, title]) => ({
        keys: [key],
        what: `show ${by === "strategy" || by === "equity" || by === "weight" ? title.toLowerCase() : title}`,
        run: () => this.set({ by }),
      })),
      { keys: ["o"], what: "show the other player's hands", run: () => this.set({ player: 1 - this.shownPlayer() }) },
      { keys: ["n"], what: "next card", run: later(card(1)) },
      { keys: ["p"], what: "previous card", run: later(card(-1)) },
      { keys: ["/"], what: "type a line in the words of errai show", run: () => this.openField() },
    ];
  }

  /** Show the address, and paint again when the colours or the size of the page change. */
  async begin() {
    this.dark.addEventListener("change", this.paint);
    window.addEventListener("resize", this.paint);
    await useStyle("study");
    await this.show();
  }

  leave() {
    this.turn++;
    clearTimeout(this.timer);
    this.dark.removeEventListener("change", this.paint);
    window.removeEventListener("resize", this.paint);
  }
}

/** @param {HTMLElement} root  @param {import("../app.js").Context} context
 *  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, context) {
  const room = new StudyRoom(root, context);
  await room.begin();
  return room;
}
