/** The room Play: one to four tables, their scores, hints and reviews, and all sessions that can go on. */

import { api, listen } from "../api.js";
import { percent, say, useStyle } from "../dom.js";
import { news } from "../felt.js";
import { NewTable } from "../newtable.js";
import { listView, sideView, tableView } from "../seats.js";
import { html, nothing, render } from "../vendor/lit-html.js";

const MOST = 4;
const ALWAYS = "errai-hints";

/** The tables that are open, and what the user does at them. */
class PlayRoom {
  title = "Play";
  /** @type {Map<string, any>} */
  tables = new Map();
  /** @type {Map<string, any>} */
  listed = new Map();
  /** What belongs to a table and not to its session: the score, a hint, a review, an earlier hand, what is typed. */
  sides = new Map();
  open = /** @type {string[]} */ ([]);
  focus = "";
  heard = "";
  always = localStorage.getItem(ALWAYS) === "yes";
  gone = false;
  solutions = /** @type {string[]} */ ([]);
  form = new NewTable(
    () => this.draw(),
    (made) => this.goTo([...this.open, ...made.map((one) => one.id)].slice(-MOST), made[0].id),
  );
  ends = /** @type {(() => void)[]} */ ([]);

  /** @param {HTMLElement} root  @param {import("../app.js").Context} context */
  constructor(root, context) {
    this.root = root;
    this.context = context;
  }

  side(id) {
    if (!this.sides.has(id))
      this.sides.set(id, {
        asked: null,
        problem: "",
        typed: "",
        seen: null,
        score: null,
        hint: null,
        review: null,
        before: null,
        wanted: null,
        against: "",
      });
    return this.sides.get(id);
  }
  current() {
    return this.tables.get(this.focus);
  }

  /** Show other tables; going from one to another leaves no trace in the history.
   *  @param {string[]} ids  @param {string} on */
  goTo(ids, on) {
    const same = ids.length === this.open.length && ids.every((one) => this.open.includes(one));
    this.context.go(on ? `/play/${on}${ids.length > 1 ? `?tables=${ids.join(",")}` : ""}` : "/play", same);
  }

  /** @param {import("../app.js").Address} address */
  moved(address) {
    const named = (address.query.get("tables") ?? "").split(",").filter(Boolean);
    // The address has the tables in their places, whichever has the focus.
    const wanted = named.includes(address.name) ? named : [address.name, ...named].filter(Boolean);
    this.open = [...new Set(wanted)].slice(0, MOST);
    if (!this.open.includes(address.name) && address.name) this.open[MOST - 1] = address.name;
    this.focus = address.name;
    for (const id of this.sides.keys()) if (!this.open.includes(id)) this.sides.delete(id);
    for (const id of this.open) if (!this.side(id).seen) this.load(id);
    if (!this.focus) this.form.begin(address.query.get("solution")).catch((error) => say(error.message));
    this.draw();
  }

  async load(id) {
    try {
      this.take(await api(`tables/${id}`));
    } catch (error) {
      this.side(id).problem = error.message;
    }
    this.draw();
  }

  /** Take a view of a table, from an answer or an event. */
  take(view) {
    if (this.tables.get(view.id)?.version > view.version) return;
    this.tables.set(view.id, view);
    this.listed.set(view.id, view);
    if (!this.open.includes(view.id)) return;
    const mine = this.side(view.id),
      before = mine.seen;
    mine.seen = view;
    const told = news(before, view);
    if (told) this.heard = this.open.length > 1 ? `Table ${this.open.indexOf(view.id) + 1}: ${told}` : told;
    if (before?.shown?.hand !== view.shown?.hand || before?.shown?.ply !== view.shown?.ply) {
      // An event may say how the hand went on before the action is answered: then the user can act at once.
      Object.assign(mine, { hint: null, typed: "", problem: "", asked: null });
      if (view.state !== "over") Object.assign(mine, { review: null });
      if (this.always && view.state === "turn" && view.has_hints) this.hint(view.id);
    }
    if (before?.hands !== view.hands || before?.version !== view.version) this.score(view.id);
  }

  async send(id, path, body) {
    const mine = this.side(id),
      asked = { path };
    if (mine.asked) return;
    Object.assign(mine, { asked, problem: "" });
    this.draw();
    try {
      this.take(await api(`tables/${id}/${path}`, { body }));
    } catch (error) {
      // What has happened meanwhile is shown first, and takes away what was said before it.
      if (error.status === 409) await this.load(id);
      mine.problem = error.message;
    }
    if (mine.asked === asked) mine.asked = null;
    this.draw();
    this.stay(id);
  }

  /** Keep the focus at the table when the button that had it is gone. */
  stay(id) {
    if (document.activeElement && document.activeElement !== document.body) return;
    /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-table="${id}"]`))?.focus({ preventScroll: true });
  }

  act(id, action) {
    const table = this.tables.get(id);
    if (table?.state === "turn") this.send(id, "actions", { action, hand: table.shown.hand, ply: table.shown.ply });
  }
  deal(id) {
    const table = this.tables.get(id);
    if (table?.state === "over" || table?.state === "new") this.send(id, "deal", { hand: table.hands + 1 });
  }

  async score(id) {
    const mine = this.side(id);
    try {
      mine.score = await api(`tables/${id}/score`);
    } catch {
      mine.score = null;
    }
    this.draw();
  }

  async hint(id) {
    const mine = this.side(id),
      asked = { waiting: true };
    mine.hint = asked;
    this.draw();
    try {
      const found = await api(`tables/${id}/hint`);
      // Whoever has acted in the meantime is told nothing of the turn before.
      if (mine.hint !== asked) return;
      mine.hint = found;
      this.heard = found.actions.length
        ? `${found.advisor}: ${found.actions
            .map((one) => `${one.label} ${percent(one.probability, 0)}`)
            .join(", ")}. ${found.warning}`
        : "The advisor never comes here with this hand.";
    } catch (error) {
      if (mine.hint === asked) mine.hint = { problem: error.message };
    }
    this.draw();
  }

  async review(id, hand) {
    const mine = this.side(id);
    mine.review = { waiting: true };
    this.draw();
    try {
      const against = mine.against ? `&against=${encodeURIComponent(mine.against)}` : "";
      mine.review = await api(`tables/${id}/review?hand=${hand}${against}`);
      this.heard = mine.review.decisions
        ? `Reviewed: ${mine.review.loss_chips.toFixed(2)} chips lost.`
        : "Nothing of this hand can be reviewed.";
    } catch (error) {
      mine.review = { problem: error.message };
    }
    this.draw();
  }

  async earlier(id, hand) {
    const mine = this.side(id),
      table = this.tables.get(id);
    if (!table?.hands) return void say("No hand has been finished yet.");
    // A key that is pressed while a hand is fetched goes on from that hand.
    mine.wanted = hand < 1 || hand > table.hands ? null : hand;
    try {
      const found = mine.wanted === null ? null : await api(`tables/${id}/hands/${hand}`);
      if (mine.wanted !== (found === null ? null : hand)) return;
      mine.before = found;
      mine.review = null;
    } catch (error) {
      say(error.message);
    }
    this.draw();
  }

  async remove(id) {
    if (!confirm("Delete this table and its session?")) return;
    try {
      await api(`tables/${id}`, { method: "DELETE" });
      this.drop(id);
    } catch (error) {
      say(error.message);
    }
  }

  /** Whether hints are given without being asked for; the browser keeps it. @param {boolean} always */
  hintAlways(always) {
    this.always = always;
    localStorage.setItem(ALWAYS, always ? "yes" : "no");
    if (always && this.current()?.state === "turn") this.hint(this.focus);
    this.draw();
  }

  /** Forget a table that is no longer there. */
  drop(id) {
    this.tables.delete(id);
    this.listed.delete(id);
    this.sides.delete(id);
    if (!this.open.includes(id)) return this.draw();
    const rest = this.open.filter((one) => one !== id);
    this.goTo(rest, this.focus === id ? (rest[0] ?? "") : this.focus);
  }

  /** Go to the next table at which the user can do something. @param {number} step */
  next(step) {
    const at = this.open.indexOf(this.focus);
    const order = this.open.map(
      (_, n) => this.open[(at + step * (n + 1) + this.open.length * (n + 1)) % this.open.length],
    );
    const waits = order.find((id) => id !== this.focus && ["turn", "over"].includes(this.tables.get(id)?.state));
    const found = waits ?? order[0];
    if (!found || found === this.focus) return;
    this.goTo(this.open, found);
    requestAnimationFrame(() =>
      /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-table="${found}"]`))?.focus(),
    );
  }

  draw() {
    if (this.gone) return;
    const single = this.open.length === 1;
    render(
      html`<p class="unseen" role="log" aria-live="polite" data-heard>${this.heard}</p>
        ${
          this.focus
            ? html`<h1 class="unseen">Play against ${this.current()?.opponent ?? ""}</h1>
              ${
                single
                  ? nothing
                  : html`<nav class="switch" aria-label="Tables">${this.open.map((id, number) => {
                      const state = this.tables.get(id)?.state;
                      return html`<button type="button" aria-current=${id === this.focus ? "true" : "false"}
                        @click=${() => this.goTo(this.open, id)}>
                  Table ${number + 1}${state === "turn" ? " · your turn" : state === "over" ? " · over" : ""}</button>`;
                    })}</nav>`
              }
              <div class="played ${single ? "one" : "many"}"><div
                class="tables">${this.open.map((id, number) =>
                  tableView(this, id, number),
                )}</div>${sideView(this, this.focus)}</div>
              <p class="row"><a href="/play">New table and sessions</a>
                ${
                  this.open.length > 1
                    ? html`<span class="soft"><kbd>[</kbd> <kbd>]</kbd> go to the next table that waits</span>`
                    : nothing
                }</p>`
            : html`<h1>Play</h1>${this.form.view()}${listView(this)}`
        }`,
      this.root,
    );
  }

  choice(key) {
    return this.current()?.choices.find((one) => one.keys.includes(key));
  }
  press(key) {
    return () => this.choice(key) && this.act(this.focus, this.choice(key).action);
  }
  field() {
    const found = /** @type {HTMLInputElement | null} */ (this.root.querySelector(`#typed-${CSS.escape(this.focus)}`));
    found?.focus();
    found?.select();
  }
  keys = [
    { keys: ["f"], what: "fold", run: this.press("f") },
    { keys: ["k", "c"], what: "check, call", run: this.press("k") },
    {
      keys: ["r"],
      what: "bet or raise; without a limit, type how much",
      run: () => (this.choice("r") ? this.press("r")() : this.field()),
    },
    {
      keys: ["1", "2", "3", "4"],
      what: "bet or raise half of the pot, three quarters, the pot, twice the pot",
      run: (event) => this.press(event.key)(),
    },
    { keys: ["a"], what: "all-in", run: this.press("a") },
    { keys: ["/"], what: "type an amount such as 300, 50% or pot, or an action such as k", run: () => this.field() },
    { keys: ["Enter"], what: "deal the next hand", run: () => this.deal(this.focus) },
    { keys: ["h"], what: "hint", run: () => this.current()?.state === "turn" && this.hint(this.focus) },
    {
      keys: ["v"],
      what: "the hand before this one; again for earlier hands",
      run: () => this.earlier(this.focus, (this.side(this.focus).wanted ?? this.current().hands + 1) - 1),
    },
    {
      keys: ["]", "["],
      what: "the next table that waits for you, the one before",
      run: (event) => this.next(event.key === "]" ? 1 : -1),
    },
  ].map((key) => ({ ...key, when: () => this.focus !== "" }));

  again() {
    for (const id of this.open) this.load(id);
  }

  /** Follow what happens at the tables, and show those of the address. */
  begin() {
    // What an agent was thinking when the server ended, it thinks again when its table is asked for.
    const server = (problem) => {
      if (problem) return;
      for (const id of this.open) this.side(id).problem = "";
      this.again();
    };
    const table = (view) => {
      if (view.gone) return this.drop(view.id);
      if ("choices" in view) this.take(view);
      else this.listed.set(view.id, view);
      this.draw();
    };
    // The terminal may have gone on with a session in the meantime.
    const back = () => document.visibilityState === "visible" && this.again();
    document.addEventListener("visibilitychange", back);
    const thinking = (id) => this.tables.get(id)?.state === "thinking";
    const clock = setInterval(() => this.open.some(thinking) && this.draw(), 1000);
    this.ends.push(
      () => document.removeEventListener("visibilitychange", back),
      () => clearInterval(clock),
      listen("server", server),
      listen("table", table),
    );
    const took = ({ solutions }) => {
      this.solutions = solutions.filter((one) => one.kind === "solution").map((one) => one.name);
      this.draw();
    };
    api("solutions").then(took, () => {});
    this.moved(this.context.address);
  }

  leave() {
    this.gone = true;
    for (const end of this.ends) end();
  }
}

/** @param {HTMLElement} root  @param {import("../app.js").Context} context
 *  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, context) {
  await useStyle("play");
  const room = new PlayRoom(root, context);
  room.begin();
  return room;
}
