/** The room Solve: a spot is put together, its size is said while it is typed, and solves run as jobs. */
import { api } from "../api.js";
import { cardsOf } from "../board.js";
import { bytes, seconds } from "../curve.js";
import { copyButton, say, useStyle } from "../dom.js";
import { fieldView, optionsView, selectView, textView } from "../fields.js";
import { readNumber } from "../numbers.js";
import { Painter } from "../painter.js";
import { Solves } from "../solves.js";
import { ambiguity, fieldOf, PLAYERS, streetsLeft, toForm, toText } from "../spot.js";
import { spotView } from "../spotform.js";
import { html, nothing, render } from "../vendor/lit-html.js";

const MODES = [
  ["form", "Spot"],
  ["text", "Spot as text"],
  ["game", "Game"],
];
const EXAMPLES = [
  ["", "Begin with an example …"],
  ["river", "River, any two cards"],
  ["turn", "Turn, queen-high"],
  ["flop", "Flop, ten-high"],
  ["push-or-fold", "Push or fold, 10 big blinds"],
];
const WHO = ["Out of position (oop, acts first)", "In position (ip)"];
const WHO_PREFLOP = ["Big blind (oop after the flop)", "Small blind (ip after the flop, acts first)"];
/** What may stand after the first street, and the first street that it fits; the others fit every street but the
 *  last. */
const NETS = [
  ["flop", "estimate with the network for the flop", "preflop"],
  ["turn", "estimate with the network for the turn", "flop"],
  ["leduc", "estimate with the network for Leduc", "leduc"],
  ["check-down", "check it down"],
  ["zero", "count it as worth nothing"],
];
const NET_GAMES = { preflop: "holdem.nolimit.2p", leduc: "leduc.nolimit" };
const SETTINGS = {
  target: "0.5%pot",
  max_iterations: "",
  seconds: "",
  algorithm: "",
  precision: "",
  threads: "",
  net: "",
  menu: "",
  start_from: "",
};
/** Options that have a place and words of their own; all others stand under "More settings" as the server says. */
const PLACED = ["target", "max_iterations", "seconds", "menu", "locks", "net", "start_from"];
const DRAFT = "errai-solve";
const WAIT = 300;
const LOCKS = '["check"]\n"TT-88" = { check = 0.5, "bet 50" = 0.5 }\n"*" = { check = 1 }';

const pairs = (names) => names.map((name) => [name, name]);

/** What is to be solved, how large that is, and the solves. */
class SolveRoom {
  title = "Solve";
  /** What is to be solved, and how; it is kept in the browser, so that a closed page loses nothing. */
  state = {
    /** @type {import("../spot.js").Form | null} */ form: null,
    mode: "form",
    text: "",
    game: "leduc",
    locks: "",
    settings: { ...SETTINGS },
    /** Of which board or game the locks and the start are; empty if there are none. */ belongs: "",
  };
  /** @type {any} */ size = null;
  /** @type {{ field: string, message: string } | null} */ wrong = null;
  games = /** @type {any[]} */ ([]);
  /** What the server says of the options of a solve. */
  options = /** @type {{ name: string, kind: string, help: string, choices: string[], default: any }[]} */ ([]);
  counting = false;
  sending = false;
  timer = 0;
  /** @type {AbortController | null} */ asking = null;
  over = false;
  end = () => {};

  /** @param {HTMLElement} root  @param {import("../app.js").Context} context */
  constructor(root, context) {
    this.root = root;
    this.context = context;
    const drawn = () => this.draw();
    this.solves = new Solves(context.go, drawn, (job) => this.again(job));
    this.painters = PLAYERS.map((_, index) => {
      const put = (text) => this.put(this.state.form?.ranges ?? [], index, text);
      return new Painter(`range-${index}`, WHO[index], put, drawn);
    });
  }

  draw() {
    const { solves } = this;
    const what = () => (solves.chosen ? solves.view() : this.formView());
    if (!this.over) render(html`<div class="split"><div class="what">${what()}</div>${solves.list()}</div>`, this.root);
  }

  // --- what is asked for ---------------------------------------------------------------------------------------------

  written() {
    const { form, mode, text } = this.state;
    return mode === "form" && form ? toText(form) : text;
  }

  request() {
    const settings = {};
    for (const [key, value] of Object.entries(this.state.settings)) {
      const typed = String(value).trim();
      if (!typed || (key === "menu" && this.state.mode !== "game")) continue;
      const text = this.numbers.includes(key) ? readNumber(typed).text : "";
      settings[key] = text ? Number(text) : typed;
    }
    if (this.state.locks.trim()) settings.locks = this.state.locks;
    return { subject: this.state.mode === "game" ? { game: this.state.game } : { spot: this.written() }, settings };
  }

  /** What is solved, as far as locks and a start depend on it: the game, or the cards of the board. */
  place() {
    if (this.state.mode === "game") return this.state.game;
    const board =
      this.state.mode === "form" && this.state.form
        ? this.state.form.board
        : (/^\s*board\s*=\s*["'](.*?)["']/m.exec(this.state.text)?.[1] ?? "");
    return (cardsOf(board) ?? [board]).join(" ") || "before the flop";
  }

  /** The locks and the start of another spot are asked about, so that they do not come along unseen. */
  stray() {
    return this.state.belongs !== "" && this.state.belongs !== this.place();
  }

  forget() {
    this.state.locks = this.state.settings.start_from = "";
  }

  /** Keep what is typed or chosen. */
  put(of, key, value) {
    of[key] = value;
    this.changed();
  }

  changed() {
    if (!this.state.locks.trim() && !this.state.settings.start_from) this.state.belongs = "";
    else this.state.belongs ||= this.place();
    try {
      localStorage.setItem(DRAFT, JSON.stringify(this.state));
    } catch {
      /* Without room for it the draft is not kept. */
    }
    clearTimeout(this.timer);
    this.asking?.abort();
    this.counting = true;
    this.timer = setTimeout(() => this.count(), WAIT);
    this.draw();
  }

  get numbers() {
    return this.options.filter(({ kind }) => kind === "count" || kind === "seconds").map(({ name }) => name);
  }

  /** A number that can be read in two ways is asked about here, and not taken for either. */
  ambiguous() {
    for (const key of this.numbers) {
      const { problem } = readNumber(String(this.state.settings[key]));
      if (String(this.state.settings[key]).includes(",") && problem) return { field: key, message: problem };
    }
    return this.state.mode === "form" && this.state.form ? ambiguity(this.state.form) : null;
  }

  /** Ask how large the solve is. */
  async count() {
    this.wrong = this.ambiguous();
    if (this.wrong) {
      [this.size, this.counting] = [null, false];
      return this.draw();
    }
    this.asking = new AbortController();
    try {
      this.size = await api("estimate", { body: this.request(), signal: this.asking.signal });
      this.wrong = null;
    } catch (error) {
      if (error.name === "AbortError") return;
      this.size = null;
      this.wrong = this.placed(error);
    }
    this.counting = false;
    this.draw();
  }

  /** The field that an error belongs to, and what is said there. @param {import("../api.js").Problem} error */
  placed({ field, message, text }) {
    const [part, ...rest] = field.split(".");
    const { mode } = this.state;
    if (part === "settings") return { field: rest[0], message: rest[0] === "locks" ? message : text };
    if (mode === "form") return { field: part === "spot" ? fieldOf(rest) : "", message: text };
    return { field: mode === "text" ? "text" : "", message };
  }

  why() {
    if (this.sending) return "The solve is being sent.";
    if (this.wrong) return this.wrong.message;
    if (this.stray()) {
      const what = [this.state.locks.trim() ? "locks" : "", this.state.settings.start_from ? "start" : ""]
        .filter(Boolean)
        .join(" and the ");
      return `The ${what} in use belong${what === "start" ? "s" : ""} to another spot (${this.state.belongs}).`;
    }
    if (this.size && !this.size.fits) return `It does not fit into the memory. ${this.size.advice ?? ""}`;
    return "";
  }

  async solve() {
    if (this.why()) return say(this.why());
    this.sending = true;
    this.draw();
    try {
      const job = await this.solves.add({ kind: "solve", ...this.request() });
      this.context.go(`/solve/${job.id}`);
    } catch (error) {
      this.wrong = this.placed(error);
      say(error.message);
    } finally {
      this.sending = false;
      this.draw();
    }
  }

  /** Show another spot, without what belonged to the one before. */
  async replace(text, name) {
    if (this.state.locks.trim() || this.state.settings.start_from)
      say("The locks and the start of the spot before were removed.");
    this.forget();
    await this.open(text, name);
  }

  /** Show the text of a spot in the form, or as text where the form has no fields for it. */
  async open(text, name) {
    this.state.text = text;
    try {
      const { fields } = await api("spots/read", { body: { spot: text } });
      const form = toForm(fields);
      this.state.mode = form ? "form" : "text";
      if (form) this.show(form);
      else say("The form has no fields for limit betting, so the spot is shown as text.");
    } catch (error) {
      this.state.mode = "text";
      say(`${name}: ${error.message}`);
    }
    this.changed();
  }

  show(form) {
    this.state.form = form;
    for (const [index, painter] of this.painters.entries()) painter.read(form.ranges[index]);
  }

  async example(name) {
    const text = await (await fetch(`/static/spots/${name}.toml`)).text();
    this.state.settings = { ...SETTINGS, start_from: this.state.settings.start_from };
    await this.replace(text, name);
  }

  /** Show what was solved before, and how: settings that were not given then are not given now. */
  async take(subject, { locks, ...settings }, name) {
    this.state.locks = locks ?? "";
    this.state.settings = { ...SETTINGS, target: "" };
    for (const [key, value] of Object.entries(settings)) if (value !== null) this.state.settings[key] = String(value);
    if (subject.game) [this.state.mode, this.state.game] = ["game", subject.game];
    else await this.open(subject.spot, name);
    this.state.belongs = "";
    this.changed();
  }

  async from(query) {
    const name = query.get("from");
    if (!name) return;
    try {
      const { subject, settings } = await api(`solutions/${encodeURIComponent(name)}/spot`);
      // Study has put its own locks and those of the solution together; two tables for one line would be an error.
      const lock = query.get("lock");
      await this.take(
        subject,
        { ...settings, locks: lock ?? settings.locks, start_from: settings.net ? null : name },
        name,
      );
      // Two solutions of one title cannot be told apart in a list.
      if (lock && this.state.mode === "form" && this.state.form && !this.state.form.title.endsWith(", locked")) {
        this.state.form.title = `${this.state.form.title || this.state.form.board}, locked`;
        this.changed();
      }
    } catch (error) {
      say(error.message);
    }
  }

  /** Go to another way of saying what is solved. @param {string} mode */
  async turnTo(mode) {
    if (mode === "text" && this.state.mode === "form") this.state.text = this.written();
    if (mode === "form" && this.state.mode === "text") return this.open(this.state.text, "The text");
    this.state.mode = mode;
    if (mode === "game" && this.state.settings.target === "0.5%pot") this.state.settings.target = "1mbb";
    if (mode !== "game" && this.state.settings.target === "1mbb") this.state.settings.target = "0.5%pot";
    this.changed();
  }

  /** Open the form with what a job has solved. */
  async again(job) {
    try {
      const { subject, settings } = await api(`jobs/${job.id}/solve`);
      // The job may have ended since the page was told how it stands.
      const { solution } = await api(`jobs/${job.id}`);
      await this.take(subject, { ...settings, start_from: settings.net ? null : solution }, job.title);
      this.context.go("/solve");
    } catch (error) {
      say(error.message);
    }
  }

  /** A shell command that does the same as the form. */
  command() {
    const { subject, settings } = this.request();
    // A checkpoint for the command line is no file of the page.
    const { locks, start_from, ...rest } = /** @type {any} */ (settings);
    const file = (name, text) => `cat > ${name} <<'END'\n${text.trimEnd()}\nEND\n`;
    const word = (text) => (/^[\w.,+%:/=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
    const options = Object.entries(rest)
      .map(([key, value]) => ` --${key.replaceAll("_", "-")} ${word(String(value))}`)
      .join("");
    return (
      `${subject.game ? "" : file("spot.toml", subject.spot ?? "")}${locks ? file("locks.toml", locks) : ""}` +
      `errai solve ${subject.game ?? "spot.toml"}${options}${locks ? " --lock locks.toml" : ""} -o solution.errai`
    );
  }

  download() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.written()], { type: "application/toml" }));
    link.download = "spot.toml";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  /** Go to the field that is wrong. @param {string} id */
  goToField(id) {
    const found = document.getElementById(id) ?? document.getElementById(`${id}-text`);
    const around = found?.closest("details");
    if (around) around.open = true;
    found?.focus();
  }

  // --- views ---------------------------------------------------------------------------------------------------------

  problem(id) {
    const { wrong } = this;
    return wrong && wrong.field === id ? wrong.message : "";
  }

  field(id, label, of, key, more = {}) {
    return fieldView(id, label, of[key], (text) => this.put(of, key, text), { ...more, problem: this.problem(id) });
  }

  setting(id, label, hint, mode = "text") {
    return this.field(id, label, this.state.settings, id, { hint, mode });
  }

  choice(id, label, options, of = this.state.settings) {
    return selectView(id, label, of[id], options, (value) => this.put(of, id, value));
  }

  /** What may stand after the first street. */
  netsView() {
    const { mode, form, game, settings } = this.state;
    const street = mode === "form" && form ? streetsLeft(form.board)[0] : "";
    const of = mode === "game" ? this.games.find((one) => one.name === game) : null;
    const fits = (where) => {
      if (of) return !of.limit && of.rounds > 1 && (!where || NET_GAMES[where] === of.name);
      return where ? where === street || (!street && where !== "leduc") : street !== "river";
    };
    const nets = NETS.filter(([name, , where]) => name === settings.net || fits(where));
    return nets.length ? this.choice("net", "After the first street", [["", "solve it exactly"], ...nets]) : nothing;
  }

  /** A field of an option that has no words here: a choice, or a text whose help stands where nothing is typed. */
  optionView({ name, choices, help, kind, default: usual }) {
    this.state.settings[name] ??= "";
    const label = `${name[0].toUpperCase()}${name.slice(1)}`.replaceAll("_", " ");
    if (!choices.length) return this.setting(name, label, help, kind === "count" ? "numeric" : "text");
    const others = choices.filter((choice) => choice !== usual);
    return this.choice(name, label, [["", `${usual} (default)`], ...pairs(others)]);
  }

  settingsView() {
    const { locks, settings } = this.state;
    const start = settings.start_from;
    const inUse = locks.trim() !== "";
    return html`<fieldset><legend>How to solve it</legend>
      <div class="fields">${this.setting("target", "Target: exploitability", "such as 0.5%pot, 1mbb, 0.5chips")}
        ${this.setting("seconds", "At most, seconds", "no limit", "decimal")}
        ${this.setting("max_iterations", "At most, iterations", "no limit", "numeric")}
        ${this.netsView()}</div>
      <details ?open=${this.problem("locks") !== "" || inUse}><summary>Locks: parts of the strategy that are
        fixed${inUse ? " (in use)" : ""}</summary>
        <label for="locks">Locks as text; docs/spots.md says how they are written</label>
        ${textView("locks", locks, (text) => this.put(this.state, "locks", text), {
          rows: 5,
          hint: LOCKS,
          problem: this.problem("locks"),
        })}</details>
      <details><summary>More settings</summary><div class="fields">
        ${this.options.filter((option) => !PLACED.includes(option.name)).map((option) => this.optionView(option))}
        ${
          start
            ? this.choice("start_from", "Start from", [
                [start, `${start}, where lines and hands are the same`],
                ["", "nothing"],
              ])
            : nothing
        }
        </div></details></fieldset>`;
  }

  subjectView() {
    const { form, game, mode, text } = this.state;
    if (mode === "game") {
      const names = this.games.map((one) => [one.name, one.title]);
      const nolimit = this.games.find((one) => one.name === game)?.limit === false;
      return html`<fieldset><legend>Game</legend><div class="fields">
        ${this.choice("game", "Game of the catalogue", names, /** @type {any} */ (this.state))}
        ${nolimit ? this.setting("menu", "Bet sizes", "100%, a") : nothing}</div></fieldset>`;
    }
    if (mode === "text" || !form) {
      return html`<fieldset><legend>Spot as text</legend><label for="text" class="unseen">Spot as text</label>
        ${textView("text", text, (typed) => this.put(this.state, "text", typed), {
          rows: 22,
          problem: this.problem("text"),
        })}</fieldset>`;
    }
    const ranges = this.painters.map((painter, index) => {
      painter.label = (cardsOf(form.board)?.length === 0 ? WHO_PREFLOP : WHO)[index];
      return painter.view(this.problem(`range-${index}`));
    });
    const field = (id, label, of, key, more) => this.field(id, label, of, key, more);
    return spotView(form, field, () => this.changed(), ranges);
  }

  sizeView() {
    const { size } = this;
    if (!size || size.nodes === null) {
      return this.counting ? html`<p class="soft">The size is being counted.</p>` : nothing;
    }
    const free = size.free_bytes === null ? "" : ` of ${bytes(size.free_bytes)} free`;
    return html`<dl>
        <div><dt>Betting nodes</dt><dd id="nodes">${size.nodes.toLocaleString("en")}</dd></div>
        <div><dt>Information sets</dt><dd id="sets">${size.information_sets.toLocaleString("en")}</dd></div>
        <div><dt>Memory</dt><dd>${bytes(size.memory_bytes)}${free}</dd></div>
        ${
          size.seconds_per_iteration === null
            ? nothing
            : html`<div><dt>One iteration</dt><dd>about ${seconds(size.seconds_per_iteration)}</dd></div>`
        }</dl>
      ${size.note ? html`<p class="soft">${size.note}</p>` : nothing}`;
  }

  stripView() {
    const reason = this.why();
    const field = this.sending ? "" : (this.wrong?.field ?? "");
    const remove = () => {
      this.forget();
      this.changed();
    };
    return html`<div class="strip"><div class="size" role="status" aria-live="polite" aria-busy=${this.counting}>
      ${this.sizeView()}
      ${
        reason
          ? html`<p id="why" class="problem">${reason} ${
              field
                ? html`<button type="button" class="quiet" @click=${() => this.goToField(field)}>Show where</button>`
                : nothing
            }${
              !this.wrong && !this.sending && this.stray()
                ? html`<button type="button" @click=${remove}>Remove what is of another spot</button> <button
                  type="button" @click=${() => this.put(this.state, "belongs", this.place())}>Use it here as
                  well</button>`
                : nothing
            }</p>`
          : nothing
      }</div>
      <button type="button" class="main" ?disabled=${reason !== ""} aria-describedby=${reason ? "why" : nothing}
        @click=${() => this.solve()}>Solve</button></div>`;
  }

  async openFile(event) {
    const given = event.target.files[0];
    if (given && given.size <= 1 << 20) this.replace(await given.text(), given.name);
    else if (given) say(`${given.name} has more than 1 MiB, the most that a spot may have.`);
    event.target.value = "";
  }

  formView() {
    const begin = (event) => {
      if (event.target.value) this.example(event.target.value);
      event.target.value = "";
    };
    return html`<h1>Solve</h1>
      <div class="row" role="group" aria-label="What is solved">
        ${MODES.map(
          ([mode, label]) => html`<button type="button" aria-pressed=${this.state.mode === mode}
            @click=${() => this.turnTo(mode)}>${label}</button>`,
        )}
        <label class="unseen" for="example">Begin with an example</label>
        <select id="example" .value=${""} @change=${begin}>${optionsView(EXAMPLES, "")}</select>
        <label class="button file" for="file">Open a file …<input class="unseen" id="file" type="file" accept=".toml"
          @change=${(event) => this.openFile(event)}></label>
        ${
          this.state.mode === "game"
            ? nothing
            : html`<button type="button" @click=${() => this.download()}>Download</button>`
        }
        ${copyButton(this.command())}
      </div>
      ${this.subjectView()} ${this.settingsView()} ${this.stripView()}`;
  }

  // --- the room ------------------------------------------------------------------------------------------------------

  /** Read what there is, and show what was typed last or what the address asks for. */
  async begin() {
    const asked = [this.solves.begin(), api("games"), api("options"), useStyle("solve")];
    const [end, { games }, { options }] = await Promise.all(asked);
    this.end = end;
    this.games = games;
    this.options = options;
    const { name, query } = this.context.address;
    let draft = /** @type {any} */ (null);
    try {
      draft = JSON.parse(localStorage.getItem(DRAFT) ?? "null");
    } catch {
      /* A draft of another version is left. */
    }
    if (draft?.settings && (draft.form || draft.text)) {
      Object.assign(this.state, draft, { settings: { ...this.state.settings, ...draft.settings } });
      if (this.state.form) this.show(this.state.form);
      this.changed();
    } else if (!query.get("from")) await this.example("river");
    await this.from(query);
    this.solves.choose(name);
    this.draw();
  }

  /** @param {import("../app.js").Address} address */
  moved({ name, query }) {
    this.solves.choose(name);
    this.draw();
    if (query.get("from")) this.from(query);
    window.scrollTo(0, 0);
  }

  get keys() {
    const { solves } = this;
    const chosen = () => solves.chosen !== "";
    const told = { run: () => {}, when: () => false };
    return [
      { keys: ["s"], what: "solve", run: () => this.solve(), when: () => !chosen() },
      { keys: ["n"], what: "new solve", run: () => this.context.go("/solve"), when: chosen },
      { keys: ["x"], what: "stop this solve", run: () => solves.act(solves.chosen, "stop"), when: chosen },
      { keys: ["1", "…", "9", "0"], what: "in a range: set the brush to 10 % … 90 %, 100 %", ...told },
      {
        keys: ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"],
        what: "in a range or the deck: go to another cell",
        ...told,
      },
    ];
  }

  leave() {
    this.over = true;
    this.end();
    clearTimeout(this.timer);
    this.asking?.abort();
  }
}

/** @param {HTMLElement} root  @param {import("../app.js").Context} context
 *  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, context) {
  const room = new SolveRoom(root, context);
  await room.begin();
  return room;
}
