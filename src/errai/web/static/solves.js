/** The solves of the room Solve: jobs with their progress, the curve of one of them, and what can be done with them. */

import { api, listen } from "./api.js";
import { bytes, curveView, potPercent, seconds } from "./curve.js";
import { copyButton, part, say } from "./dom.js";
import { PLAYERS } from "./spot.js";
import { html, nothing } from "./vendor/lit-html.js";

const ENDED = ["done", "stopped", "failed"];
const STATES = {
  queued: "waits",
  running: "running",
  stopping: "stopping",
  done: "done",
  stopped: "stopped",
  failed: "failed",
};
const ENDS = {
  "target met": "The target was met.",
  interrupted: "It was stopped; this is the result so far.",
  "iteration limit": "The limit of iterations was reached.",
  "time limit": "The limit of seconds was reached.",
  "precision limit": "The numbers are too coarse for the target; a wider precision may reach it.",
};
/** Jobs of the room: the solves, and those that are too damaged to say what they are. */
const mine = (job) => job.kind !== "match" && job.kind !== "lbr";
const short = (value) => Number(value.toPrecision(3));

export class Solves {
  /**
   * @param {(path: string, replace?: boolean) => void} go  @param {() => void} drawn  draws the page again
   * @param {(job: any) => void} again  opens the form with what a job has solved
   */
  constructor(go, drawn, again) {
    this.go = go;
    this.drawn = drawn;
    this.again = again;
    /** The job that the address names; empty if it names none. */
    this.chosen = "";
    /** @type {Map<string, any>} */ this.jobs = new Map();
    /** @type {Map<string, { points: any[], next: number, busy: boolean }>} */ this.curves = new Map();
  }

  /** Read the jobs, and follow them. @returns {Promise<() => void>} ends following them */
  async begin() {
    const end = listen("job", (job) => this.seen(job));
    for (const job of (await api("jobs")).jobs) if (mine(job)) this.jobs.set(job.id, job);
    return end;
  }

  /** Show a job. @param {string} name */
  choose(name) {
    this.chosen = name;
    if (name) this.fetch(name);
  }

  seen(job) {
    if (job.gone) this.jobs.delete(job.id);
    else if (mine(job)) {
      const before = this.jobs.get(job.id);
      this.jobs.set(job.id, job);
      if (before && before.state !== job.state && ENDED.includes(job.state)) say(`${job.title}: ${STATES[job.state]}.`);
      if (job.id === this.chosen) this.fetch(job.id);
    }
    this.drawn();
  }

  /** Fetch the points of progress that are new. @param {string} id */
  async fetch(id) {
    if (!this.curves.has(id)) this.curves.set(id, { points: [], next: 0, busy: false });
    const curve = this.curves.get(id);
    if (!curve || curve.busy) return;
    curve.busy = true;
    try {
      while (curve.next < (this.jobs.get(id)?.points ?? 0)) {
        const found = await api(`jobs/${id}/progress?after=${curve.next}`);
        if (!found.points.length) break;
        curve.points.push(...found.points);
        curve.next = found.next;
        this.drawn();
      }
    } catch {
      /* The next event asks again. */
    }
    curve.busy = false;
  }

  /** Stop, resume or delete a job. @param {string} id  @param {"stop" | "resume" | "delete"} action */
  async act(id, action) {
    const job = this.jobs.get(id);
    const unfinished = job && job.state !== "done";
    if (
      action === "delete" &&
      unfinished &&
      !window.confirm("Delete this solve? It cannot be resumed then. A solution that it has made stays.")
    )
      return;
    try {
      if (action === "delete") {
        await api(`jobs/${id}`, { method: "DELETE" });
        this.jobs.delete(id);
        if (this.chosen === id) this.go("/solve", true);
      } else this.jobs.set(id, await api(`jobs/${id}/${action}`, { method: "POST" }));
    } catch (error) {
      say(error.message);
    }
    this.drawn();
  }

  // --- views ---------------------------------------------------------------------------------------------------------

  state(job) {
    // While the cost of a network is measured, the progress is that of other solves.
    const at =
      job.result?.exploitability.pot_percent ??
      (job.progress?.measuring ? null : job.progress?.exploitability_pot_percent);
    return html`<span class="state ${job.state}">${STATES[job.state]}</span>${
      at ? html` <span>${potPercent(at)}${job.result?.net ? " in the cut game" : ""}</span>` : nothing
    }`;
  }

  buttons(job) {
    const ended = ENDED.includes(job.state);
    const button = (label, action, off = false) =>
      html`<button type="button" ?disabled=${off} @click=${() => this.act(job.id, action)}>${label}</button>`;
    return html`<div class="row">
      ${job.solution ? html`<a class="button main" href="/study/${job.solution}">Study it</a>` : nothing}
      ${ended ? nothing : button("Stop", "stop", job.state === "stopping")}
      ${job.state === "stopped" || job.state === "failed" ? button("Resume", "resume") : nothing}
      ${ended ? button("Delete", "delete") : nothing}
      ${
        job.command
          ? html`<button type="button" @click=${() => this.again(job)}>Change it and solve again</button>
      ${copyButton(job.command)}`
          : nothing
      }</div>`;
  }

  /** What a solve has found. @param {any} found */
  facts(found) {
    const { chips, mbb, pot_percent: percent } = found.exploitability;
    const cost = found.cost;
    const facts = [
      ["End", ENDS[found.status]],
      ...(cost
        ? [
            [
              "Exploitability",
              cost.error ??
                `${potPercent(cost.pot_percent)}, from ${short(
                  cost.least_pot_percent,
                )} % to ${short(cost.most_pot_percent)} %`,
            ],
          ]
        : []),
      [
        found.net
          ? `Exploitability in the game that is cut, with ${found.net} in place of the later streets`
          : "Exploitability",
        `${potPercent(percent)}, ${short(chips)} chips${mbb === null ? "" : `, ${short(mbb)} mbb`}`,
      ],
      [
        "Values",
        `${found.values_chips.map((value, index) => `${PLAYERS[index]} ${value.toFixed(3)}`).join(", ")} chips`,
      ],
      ["Iterations", `${found.iterations.toLocaleString("en")} in ${seconds(found.seconds)}`],
      ["Memory", `${bytes(found.memory_bytes)}, ${found.precision}`],
    ];
    return html`<dl class="facts">${facts.map(
      ([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`,
    )}</dl>`;
  }

  /** The chosen job. */
  view() {
    const job = this.jobs.get(this.chosen);
    const back = html`<p><a href="/solve">New solve</a></p>`;
    if (!job) return html`${back}<h1>Solve</h1><p>There is no solve called ${this.chosen}.</p>`;
    const head = html`${back}<h1>${job.title}</h1>${
      job.error ? html`<p class="problem">${job.error.message}</p>` : nothing
    }${this.buttons(job)}`;
    return html`${head}${part(() => this.course(job), job.title)}`;
  }

  /** How a job stands, and what it has found. */
  course(job) {
    const at = job.progress;
    let note = job.waits ?? (job.state === "queued" ? "It begins when the job before it has ended." : "");
    if (job.state === "running" && !at) note = "It is about to begin.";
    else if (job.state === "running" && at.to_prepare)
      note = `The network is being prepared: ${at.prepared.toLocaleString("en")} of ${at.to_prepare.toLocaleString(
        "en",
      )} boards.`;
    else if (job.state === "running" && at.built < 1)
      note = `The tree is being built, ${Math.round(100 * at.built)} %.`;
    else if (job.state === "running" && at.measuring)
      note = `The exploitability in the whole game is being measured: ${at.measuring}.`;
    return html`<p>${this.state(job)} <span class="soft">${note}</span></p>
      ${curveView(this.curves.get(job.id)?.points ?? [], job.title)}
      ${
        job.result
          ? this.facts(job.result)
          : at?.iteration
            ? html`<p class="soft">${at.iteration.toLocaleString("en")} iterations in ${seconds(at.seconds)}</p>`
            : nothing
      }`;
  }

  /** All solves, the newest first. */
  list() {
    const all = [...this.jobs.values()].sort((a, b) => (a.created < b.created ? 1 : -1));
    return html`<aside aria-labelledby="solves"><h2 id="solves">Solves</h2>
      ${
        all.length
          ? html`<ul class="jobs">${all.map(
              (job) => html`<li>
        <a href="/solve/${job.id}" aria-current=${
          job.id === this.chosen ? "page" : nothing
        }>${job.title}</a><br>${part(() => this.state(job), job.title)}</li>`,
            )}</ul>`
          : html`<p class="soft">None so far. Solves go on when this page or the server is closed.</p>`
      }</aside>`;
  }
}
