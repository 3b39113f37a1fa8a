/** The room Matches: agents play each other, or a local best response; results and standings as they come in. */
import { api } from "../api.js";
import { part, say, useStyle } from "../dom.js";
import { checkView, selectView } from "../fields.js";
import { hasEnded, Jobs } from "../jobs.js";
import { readWhole } from "../numbers.js";
import { detailView, jobView, resultsView, standingsView } from "../results.js";
import { html, nothing, render } from "../vendor/lit-html.js";

const KINDS = [
  ["match", "Two agents"],
  ["lbr", "Local best response"],
];
const VALUES = [
  ["", "equity"],
  ["agents", "the agents' own values (small games)"],
  ["street:blueprint-nl", "the blueprint's bets, then equity"],
];
const SETTINGS = ["limit", "fcpa", "fc4", "56bets", "2r56bets", "fcpa4", "56bets4"];
const complain = (error) => say(error.message);

/** The form for a new match, and all matches. */
class MatchesRoom {
  title = "Matches";
  form = {
    kind: "match",
    game: "leduc",
    first: "",
    second: "",
    hands: "10000",
    seed: "0",
    values: "",
    setting: "",
    duplicate: true,
    common_random_numbers: false,
    aivat: true,
  };
  games = /** @type {any[]} */ ([]);
  agents = /** @type {any[]} */ ([]);
  found = /** @type {any} */ ({ matches: [], standings: [], unreadable: {} });
  measure = "chips";
  problem = "";
  over = false;
  sending = false;
  /** @type {any} */ detail = null;
  end = () => {};

  /** @param {HTMLElement} root  @param {import("../app.js").Context} context */
  constructor(root, context) {
    this.root = root;
    this.context = context;
    this.jobs = new Jobs(
      (job) => job.kind === "match" || job.kind === "lbr",
      () => this.draw(),
      () => this.readResults().catch(() => {}),
    );
    this.jobs.chosen = context.address.name;
  }

  draw() {
    if (!this.over) render(this.view(), this.root);
  }

  // --- what comes from the server ------------------------------------------------------------------------------------

  async readAgents() {
    const { form } = this;
    this.agents = (await api(`agents?game=${encodeURIComponent(form.game)}`)).agents;
    const names = this.agents.map((agent) => agent.name);
    // Agents that take seconds for a decision are for those who choose them.
    const quick = this.agents.filter((agent) => agent.seconds === null).map((agent) => agent.name);
    if (!names.includes(form.first)) form.first = quick[0] ?? names[0] ?? "";
    if (!names.includes(form.second)) form.second = quick.find((name) => name !== form.first) ?? form.first;
    this.draw();
  }

  async readResults() {
    this.found = await api(`matches?measure=${this.measure}`);
    const { chosen } = this.jobs;
    const known = this.found.matches.some((match) => match.name === chosen);
    this.detail = known ? await api(`matches/${chosen}`) : null;
    this.draw();
    if (this.jobs.all.has(chosen)) await this.jobs.follow(chosen);
  }

  // --- what the user does --------------------------------------------------------------------------------------------

  /** The job that the form asks for. */
  request() {
    const { form } = this;
    const subject = { game: form.game };
    const number = (typed, what, least) => {
      const found = readWhole(typed, what, least);
      if (found.problem) throw new Error(found.problem);
      return found.value;
    };
    const hands = number(form.hands, "Hands", form.kind === "lbr" ? 4 : 1);
    const seed = number(form.seed, "Seed", 0);
    if (form.kind === "lbr") {
      return { kind: "lbr", subject, agent: form.first, settings: { hands, seed, setting: form.setting || null } };
    }
    const { duplicate, aivat } = form;
    const common_random_numbers = duplicate && form.common_random_numbers;
    const values = aivat && form.values ? form.values : null;
    const settings = { hands, seed, duplicate, aivat, values, common_random_numbers };
    return { kind: "match", subject, agents: [form.first, form.second], settings };
  }

  async start(event) {
    event.preventDefault();
    if (this.sending) return;
    this.sending = true;
    this.problem = "";
    this.draw();
    try {
      const job = await this.jobs.add(this.request());
      this.context.go(`/matches/${job.id}`);
    } catch (error) {
      this.problem = error.message;
      say(this.problem);
    }
    this.sending = false;
    this.draw();
  }

  async remove(name) {
    if (!confirm("Delete this result and its file?")) return;
    try {
      await api(`matches/${name}`, { method: "DELETE" });
      const job = this.jobs.all.get(name);
      if (job && hasEnded(job)) await this.jobs.act(name, "delete");
      this.context.go("/matches", true);
      await this.readResults();
      say("The result was deleted.");
    } catch (error) {
      complain(error);
    }
  }

  put(key, value) {
    this.form[key] = value;
    if (key === "game") this.readAgents().catch(complain);
    this.draw();
  }

  // --- views ---------------------------------------------------------------------------------------------------------

  choice(key, label, options) {
    return selectView(`match-${key}`, label, this.form[key], options, (value) => this.put(key, value));
  }

  number(key, label) {
    return html`<div class="field"><label for="match-${key}">${label}</label><input id="match-${key}"
      inputmode="numeric" required autocomplete="off" .value=${this.form[key]}
      @input=${(event) => this.put(key, event.target.value)}></div>`;
  }

  check(key, label, off = false) {
    return checkView(label, this.form[key], (on) => this.put(key, on), off);
  }

  /** What a local best response is told, or a match between two agents. */
  howView() {
    if (this.form.kind === "lbr") {
      return html`<p class="soft">A local best response wins at most what the agent can lose: a lower bound on its
        exploitability.</p>`;
    }
    return html`${this.check("duplicate", "Every deal twice, with the seats exchanged")}
      ${this.check("common_random_numbers", "The same random numbers at both tables", !this.form.duplicate)}
      ${this.check("aivat", "Measure with AIVAT too (less luck)")}
      ${this.form.aivat ? this.choice("values", "Values that AIVAT uses", VALUES) : nothing}`;
  }

  formView() {
    const { form } = this;
    const names = this.agents.map(({ name, title }) => [name, title === name ? title : `${title} (${name})`]);
    const games = this.games.map((game) => [game.name, game.title]);
    const lbr = form.kind === "lbr";
    return html`<form @submit=${(event) => this.start(event)} aria-labelledby="new-match">
      <h2 id="new-match">New match</h2>
      <div class="rooms" role="radiogroup" aria-label="What is measured">${KINDS.map(
        ([kind, text]) => html`<label><input type="radio" name="kind" value=${kind} .checked=${form.kind === kind}
          @change=${() => this.put("kind", kind)}> ${text}</label>`,
      )}</div>
      ${this.choice("game", "Game", games)}
      ${this.choice("first", lbr ? "Agent to be measured" : "First agent (its winnings are measured)", names)}
      ${
        lbr
          ? this.choice("setting", "Actions of the responder", [
              ["", "usual for the game"],
              ...SETTINGS.map((one) => [one, one]),
            ])
          : this.choice("second", "Second agent", names)
      }
      ${this.number("hands", "Hands")}
      ${this.number("seed", "Seed of cards and draws")}
      ${this.howView()}
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      <button class="main" ?disabled=${this.sending}>Start</button>
    </form>`;
  }

  view() {
    const { jobs } = this;
    const { matches, standings, unreadable } = this.found;
    const listed = jobs.newest.filter((job) => job.kind === "lbr" || job.state !== "done");
    const by = (measure) => {
      this.measure = measure;
      this.readResults().catch(complain);
    };
    return html`<h1>Matches</h1><div class="split"><div>${this.formView()}</div><div>
      ${detailView(jobs, this.detail, (name) => this.remove(name))}
      ${
        listed.length
          ? html`<section aria-labelledby="jobs"><h2 id="jobs">Running, stopped and measured</h2>
            <ul class="jobs">${listed.map((job) => part(() => jobView(jobs, job), job.title))}</ul></section>`
          : nothing
      }
      <section aria-labelledby="results"><h2 id="results">Results</h2>${resultsView(matches)}
        ${Object.entries(unreadable).map(([name, why]) => html`<p class="problem">${name}: ${why}</p>`)}</section>
      ${matches.length ? standingsView(standings, this.measure, by) : nothing}</div></div>`;
  }

  // --- the room ------------------------------------------------------------------------------------------------------

  async begin() {
    const [end, found] = await Promise.all([this.jobs.begin(), api("games"), useStyle("matches")]);
    this.end = end;
    this.games = found.games;
    this.draw();
    await Promise.all([this.readAgents(), this.readResults()]);
  }

  /** @param {import("../app.js").Address} address */
  moved(address) {
    this.jobs.chosen = address.name;
    this.detail = null;
    this.draw();
    this.readResults().catch(complain);
  }

  get keys() {
    const form = () => document.getElementById("match-game")?.focus();
    const chosen = () => this.jobs.chosen !== "";
    return [
      { keys: ["m"], what: "go to the form for a new match", run: form },
      { keys: ["Backspace"], what: "show all matches", run: () => this.context.go("/matches"), when: chosen },
    ];
  }

  leave() {
    this.over = true;
    this.end();
  }
}

/** @param {HTMLElement} root  @param {import("../app.js").Context} context
 *  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, context) {
  const room = new MatchesRoom(root, context);
  await room.begin();
  return room;
}
