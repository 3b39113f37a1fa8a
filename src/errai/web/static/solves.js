/** The solves of the room Solve: jobs with their progress, the curve of one of them, and what can be done with them. */

import { bytes, curveView, potPercent, seconds } from "./curve.js";
import { copyButton, part } from "./dom.js";
import { hasEnded, Jobs } from "./jobs.js";
import { PLAYERS } from "./spot.js";
import { html, nothing } from "./vendor/lit-html.js";

const ENDS = {
  "target met": "The target was met.",
  interrupted: "It was stopped; this is the result so far.",
  "iteration limit": "The limit of iterations was reached.",
  "time limit": "The limit of seconds was reached.",
  "precision limit": "The numbers are too coarse for the target; a wider precision may reach it.",
};
const short = (value) => Number(value.toPrecision(3));

/** The solves, with their views. */
export class Solves extends Jobs {
  /**
   * @param {(path: string, replace?: boolean) => void} go  @param {() => void} drawn  draws the page again
   * @param {(job: any) => void} again  opens the form with what a job has solved
   */
  constructor(go, drawn, again) {
    // Those that are too damaged to say what they are are shown here as well.
    super((job) => job.kind !== "match" && job.kind !== "lbr", drawn);
    this.go = go;
    this.again = again;
  }

  /** Stop, resume or delete a solve. @param {string} id  @param {"stop" | "resume" | "delete"} action */
  async act(id, action) {
    const unfinished = this.all.get(id)?.state !== "done";
    const question = "Delete this solve? It cannot be resumed then. A solution that it has made stays.";
    if (action === "delete" && unfinished && !window.confirm(question)) return;
    await super.act(id, action);
    if (this.chosen === id && action === "delete" && !this.all.has(id)) this.go("/solve", true);
  }

  // --- views ---------------------------------------------------------------------------------------------------------

  state(job) {
    // While the cost of a network is measured, the progress is that of other solves.
    const at =
      job.result?.exploitability.pot_percent ??
      (job.progress?.measuring ? null : job.progress?.exploitability_pot_percent);
    return html`<span class="state ${job.state}">${job.state === "queued" ? "waits" : job.state}</span>${
      at ? html` <span>${potPercent(at)}${job.result?.net ? " in the cut game" : ""}</span>` : nothing
    }`;
  }

  buttons(job) {
    const ended = hasEnded(job);
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
    const job = this.all.get(this.chosen);
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
      ${curveView(this.points(job.id), job.title)}
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
    const all = this.newest;
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
