/** The form for a new table: the game, the opponent, the seat. */
import { api } from "./api.js";
import { checkView, optionsView, selectView } from "./fields.js";
import { readWhole } from "./numbers.js";
import { html, nothing } from "./vendor/lit-html.js";

const MOST_CHIPS = 1_000_000;
const KEPT = "errai-new-table";
const USUAL = "game:holdem.nolimit.2p";
const SEATINGS = [
  ["alternate", "changes every hand"],
  ["first", "always acts first"],
  ["second", "always acts second"],
];
const COUNTS = ["1", "2", "3", "4"].map((count) => [count, count]);
/** Who plays a spot that is not known yet. */
const OF_SPOTS = [
  ["resolver", "Resolver"],
  ["uniform", "Random actions"],
  ["always-call", "Always calls"],
].map(([name, title]) => ({ name, title, what: "", seconds: null }));

/** What was chosen last, or what suits a beginner. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

export class NewTable {
  games = /** @type {any[]} */ ([]);
  solutions = /** @type {any[]} */ ([]);
  agents = /** @type {any[]} */ ([]);
  problem = "";
  busy = false;
  asked = "";

  /**
   * @param {() => void} changed  called when it has to be drawn again
   * @param {(tables: any[]) => void} made  called with the new tables
   */
  constructor(changed, made) {
    const { of = USUAL, opponent = "", seating = "alternate", open = false } = remembered();
    this.changed = changed;
    this.made = made;
    this.form = { of, opponent, seating, open: Boolean(open), advisor: "", count: "1", stack: "", spot: "" };
    /** The opponent that was chosen last; another one takes its place where it cannot play. */
    this.wanted = { name: opponent, title: "" };
  }

  /** Whether the game has no limit on bets, so that stacks can be chosen. */
  get hasStacks() {
    return this.games.find((one) => `game:${one.name}` === this.form.of)?.limit === false;
  }

  /** The stacks that are typed; 0 where they are those of the game. */
  stack() {
    const { stack } = this.form;
    return stack.trim() && this.hasStacks ? readWhole(stack, "Stacks", 1, MOST_CHIPS) : { value: 0, problem: "" };
  }

  /** Read what can be played. @param {string | null} solution  whose game or spot is chosen */
  async begin(solution) {
    const { form } = this;
    const solved = (found) => found.solutions.filter((one) => one.kind === "solution");
    const [{ games }, solutions] = await Promise.all([api("games"), api("solutions").then(solved, () => [])]);
    Object.assign(this, { games, solutions });
    if (solution) {
      form.of = form.opponent = `solution:${solution}`;
      this.wanted = { name: form.opponent, title: solution };
    }
    const names = (kind, list) => list.map((one) => `${kind}:${one.name}`);
    const known = [...names("game", games), ...names("solution", solutions), "spot:"];
    if (!known.includes(form.of)) form.of = USUAL;
    await this.askAgents();
  }

  /** Ask who plays the game. */
  async askAgents() {
    const { form } = this;
    const [kind, name] = this.subject();
    const { value, problem } = this.stack();
    this.problem = problem;
    if (problem) return this.changed();
    const path = `agents?${kind}=${encodeURIComponent(name)}${value ? `&stack=${value}` : ""}`;
    if (kind === "spot") this.agents = OF_SPOTS;
    else if (path !== this.asked) {
      try {
        this.asked = path;
        this.agents = (await api(path)).agents;
        this.problem = "";
      } catch (error) {
        this.problem = error.message;
      }
    }
    const { agents, wanted } = this;
    const same = agents.find((one) => one.name === wanted.name) ?? (wanted.title ? undefined : agents[0]);
    if (same) this.wanted = { name: same.name, title: same.title };
    form.opponent = (same ?? agents[0])?.name ?? "";
    if (!agents.some((one) => one.name === form.advisor)) form.advisor = "";
    this.changed();
  }

  /** What is played: a kind and a name. */
  subject() {
    const [kind, ...name] = this.form.of.split(":");
    return [kind, name.join(":")];
  }

  async submit(event) {
    event.preventDefault();
    if (this.busy) return;
    const { form } = this;
    const [kind, name] = this.subject();
    const { value, problem } = this.stack();
    this.problem = problem;
    if (problem) return this.changed();
    this.busy = true;
    this.changed();
    try {
      const { of, opponent, seating, open } = form;
      const body = {
        [kind]: kind === "spot" ? form.spot : name,
        opponent,
        seating,
        open,
        ...(form.advisor ? { advisor: form.advisor } : {}),
        ...(kind === "game" && value ? { stack: value } : {}),
      };
      const tables = [];
      for (let number = 0; number < Number(form.count); number++) tables.push(await api("tables", { body }));
      localStorage.setItem(KEPT, JSON.stringify({ of, opponent, seating, open }));
      this.made(tables);
    } catch (error) {
      this.problem = error.message;
    }
    this.busy = false;
    this.changed();
  }

  put(key, value) {
    this.form[key] = value;
    if (key === "of" || key === "stack") this.askAgents();
    this.changed();
  }

  // --- views ---------------------------------------------------------------------------------------------------------

  gameView() {
    const { of } = this.form;
    const games = this.games.map((one) => [`game:${one.name}`, one.title]);
    const solutions = this.solutions.map((one) => [`solution:${one.name}`, `${one.name}: ${one.title}`]);
    return html`<div class="field game"><label for="new-game">Game</label><select id="new-game"
      @change=${(event) => this.put("of", event.target.value)}>${optionsView(games, of)}
      ${
        solutions.length
          ? html`<optgroup label="Games and spots of solutions">${optionsView(solutions, of)}</optgroup>`
          : nothing
      }
      ${optionsView([["spot:", "A spot from a file"]], of)}</select></div>`;
  }

  spotView() {
    const read = async (event) => this.put("spot", (await event.target.files[0]?.text()) ?? "");
    return html`<div class="field whole"><label for="new-spot">Spot (TOML)</label><textarea id="new-spot" rows="6"
      required .value=${this.form.spot} @input=${(event) => this.put("spot", event.target.value)}></textarea>
      <input type="file" accept=".toml" aria-label="Read the spot from a file" @change=${read}></div>`;
  }

  opponentView() {
    const { form, agents, wanted } = this;
    const chosen = agents.find((one) => one.name === form.opponent);
    const choose = (event) => {
      this.wanted = agents.find((one) => one.name === event.target.value);
      this.put("opponent", this.wanted.name);
    };
    const seconds = chosen?.seconds ? `; up to ${chosen.seconds} seconds for a decision` : "";
    const other = form.stack && wanted.title && chosen?.name !== wanted.name;
    return html`<div class="field"><label for="new-opponent">Opponent</label><select id="new-opponent"
        @change=${choose} aria-describedby="opponent-what">${optionsView(
          agents.map((one) => [one.name, one.title]),
          form.opponent,
        )}</select></div>
      <p id="opponent-what" class="whole soft">${chosen?.what ?? ""}${seconds}${
        other ? html`<br>${wanted.title} does not play with these stacks.` : nothing
      }</p>`;
  }

  stackView() {
    return html`<div class="field"><label for="new-stack">Stacks</label><input id="new-stack" inputmode="numeric"
      autocomplete="off" placeholder="as usual" .value=${this.form.stack}
      @change=${(event) => this.put("stack", event.target.value)}></div>`;
  }

  view() {
    if (!this.games.length) return html`<p class="soft">Reading the games …</p>`;
    const { form } = this;
    const select = (key, id, label, options) =>
      selectView(id, label, form[key], options, (value) => this.put(key, value));
    const advisors = [["", "the opponent"], ...this.agents.map((one) => [one.name, one.title])];
    return html`<form class="panel new" @submit=${(event) => this.submit(event)}>
      <h2>New table</h2>
      <div class="fields">
        ${this.gameView()}
        ${form.of === "spot:" ? this.spotView() : nothing}
        ${this.opponentView()}
        ${select("seating", "new-seat", "Your seat", SEATINGS)}
        ${select("count", "new-tables", "Tables", COUNTS)}
        ${this.hasStacks ? this.stackView() : nothing}
        ${select("advisor", "new-advisor", "Hints from", advisors)}
        ${checkView("Show the opponent's cards after every hand", form.open, (on) => this.put("open", on))}
      </div>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      <button class="main" ?disabled=${this.busy || !form.opponent}>Play</button>
    </form>`;
  }
}
