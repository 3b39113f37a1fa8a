/** Results of matches: one of them, the list of all, and the standings. */
import { seconds } from "./curve.js";
import { copyButton } from "./dom.js";
import { optionsView } from "./fields.js";
import { bar, curve, measureName, reach, signed, span } from "./intervals.js";
import { hasEnded } from "./jobs.js";
import { smallTable } from "./table.js";
import { html, nothing } from "./vendor/lit-html.js";

const STATES = { queued: "waits", stopping: "is stopping" };
const MEASURES = ["chips", "aivat"];
const whole = (count) => count.toLocaleString("en");
const handsOf = (now) => `${whole(now.hands)} of ${whole(now.hands_wanted)} hands`;
const tone = (one) => (one.low === null ? "" : one.low > 0 ? "win" : one.high < 0 ? "loss" : "");

/** The means of a match and their intervals. @param {any[]} measures  @param {string} unit  @param {string} caption */
function measuresView(measures, unit, caption) {
  const most = span(measures);
  return html`<div class="wide"><table><caption class="unseen">${caption}</caption>
    <thead><tr><th scope="col">Measure</th><th scope="col">${unit}</th><th scope="col">95 % interval</th>
      <th scope="col" class="text">Around 0</th></tr></thead>
    <tbody>${measures.map(
      (one) => html`<tr><th scope="row">${measureName(one.name)}</th><td class=${tone(one)}>${signed(one.mean)}</td>
        <td>${reach(one)}</td><td class="plot">${bar(one, most)}</td></tr>`,
    )}</tbody></table></div>`;
}

/** A match that is played or measured, in the list. @param {import("./jobs.js").Jobs} jobs  @param {any} job */
export function jobView(jobs, job) {
  const running = !hasEnded(job);
  // What has ended is its result, with the intervals of results; the last point came a little earlier.
  const now = !running && job.result?.measures ? job.result : job.progress;
  const first = now?.measures?.[0];
  const left = job.state === "running" && now?.seconds_left;
  const button = (label, run, off = false) =>
    html`<button type="button" ?disabled=${off} @click=${run}>${label}</button>`;
  const remove = () => {
    // The result of a match is a file of its own; that of a measurement goes with the job.
    if (job.kind === "match" || !job.progress || confirm("Delete this measurement?")) jobs.act(job.id, "delete");
  };
  return html`<li>
    <div class="row"><a href="/matches/${job.id}"
      aria-current=${job.id === jobs.chosen ? "page" : nothing}>${job.title}</a>
      <span class="state ${job.state}">${STATES[job.state] ?? job.state}</span>
      ${now ? html`<span>${handsOf(now)}</span>` : nothing}
      ${first ? html`<span>${signed(first.mean)} ${now.unit} (${reach(first)})</span>` : nothing}
      ${left ? html`<span class="soft">about ${seconds(left)} left</span>` : nothing}</div>
    ${
      running && now
        ? html`<progress max=${now.hands_wanted} .value=${now.hands} aria-label="Hands of ${job.title}"></progress>`
        : nothing
    }
    ${job.error ? html`<p class="problem">${job.error.message}</p>` : nothing}
    ${job.waits ? html`<p class="soft">${job.waits}</p>` : nothing}
    <div class="row">
      ${running ? button("Stop", () => jobs.act(job.id, "stop"), job.state === "stopping") : nothing}
      ${
        ["stopped", "failed"].includes(job.state)
          ? button(job.starts_again ? "Play it again" : "Resume", () => jobs.act(job.id, "resume"))
          : nothing
      }
      ${running ? nothing : button(job.kind === "match" ? "Remove from this list" : "Delete", remove)}
      ${copyButton(job.command)}
    </div></li>`;
}

/** The course of a measure, as results have it. @param {any[]} points  @param {number} index */
const courseOf = (points, index) => {
  const column = (key) => points.map((point) => point.measures[index]?.[key] ?? null);
  const hands = points.map((point) => point.hands);
  return { hands, mean: column("mean"), low: column("low"), high: column("high") };
};

/** The match that the address names.
 *  @param {import("./jobs.js").Jobs} jobs  @param {any} detail  its result  @param {(name: string) => void} remove */
export function detailView(jobs, detail, remove) {
  const job = jobs.all.get(jobs.chosen);
  if (!job && !detail) {
    return jobs.chosen ? html`<p class="problem">There is no match called ${jobs.chosen}.</p>` : nothing;
  }
  const points = jobs.points(jobs.chosen);
  const finished = detail && (!job || hasEnded(job));
  const now = finished ? detail : points.at(-1);
  const unit = now?.unit ?? "";
  const measures = now?.measures ?? [];
  const title = detail ? `${detail.players[0]} against ${detail.players[1]}` : job.title;
  const how = finished ? `, ${detail.duplicate ? "every deal twice" : "seats alternate"}, seed ${detail.seed}` : "";
  const what =
    job?.kind === "lbr"
      ? "In expectation the agent's exploitability is at least what is won."
      : "What the first agent wins.";
  return html`<section aria-labelledby="one-match"><h2 id="one-match">${title}</h2>
    <p>${detail ? `${detail.game}, ` : ""}${now ? handsOf(now) : "no hand yet"}${how}. ${what}</p>
    ${measures.length ? measuresView(measures, unit, title) : nothing}
    ${measures.map((one, i) => curve(finished ? one.curve : courseOf(points, i), measureName(one.name), unit))}
    ${finished ? partsView(detail, remove) : nothing}
    <p><a href="/matches">All matches</a></p></section>`;
}

/** A result by seat and by ending, and what can be done with it.
 *  @param {any} detail  @param {(name: string) => void} remove */
function partsView(detail, remove) {
  const seats = detail.measures[0].by_seat.map((seat, i) => [i + 1, whole(seat.hands), signed(seat.mean), reach(seat)]);
  const endings = detail.endings.map((end) => [
    `${end.showdown ? "showdown" : "fold"}, ${end.street}`,
    whole(end.hands),
    signed(end.won),
  ]);
  return html`<h3>By seat and by how the hands ended</h3>
    ${smallTable("By seat", ["Seat of the first agent", "Hands", detail.unit, "95 % interval"], seats)}
    ${smallTable("Endings", ["Ending", "Hands", "Won (chips)"], endings)}
    <p class="row"><a class="button" href="/api/v1/matches/${detail.name}/file" download>Download</a>
      <button type="button" @click=${() => remove(detail.name)}>Delete</button>${copyButton(detail.command)}</p>`;
}

/** All results. @param {any[]} matches */
export function resultsView(matches) {
  if (!matches.length) {
    return html`<p class="soft">No match has a result yet. Start one with the form, or put files *.match.json of errai
      match into the folder matches.</p>`;
  }
  const most = {};
  for (const match of matches) most[match.unit] = Math.max(most[match.unit] ?? 0, span(match.measures));
  const names = (match) => html`<th scope="rowgroup" rowspan=${match.measures.length} class="names"><a
    href="/matches/${match.name}">${match.players[0]} against ${match.players[1]}</a><br>
    ${match.game}${match.status === "done" ? "" : `, ${match.status}`}</th><td
    rowspan=${match.measures.length}>${whole(match.hands)}</td>`;
  const row = (match, one, index) => html`<tr>${index ? nothing : names(match)}
    <td class="text">${measureName(one.name)}</td><td class=${tone(one)}>${signed(one.mean)} ${match.unit}</td>
    <td class="plot text">${bar(one, most[match.unit])}${reach(one)}</td></tr>`;
  return html`<div class="wide"><table class="results"><caption class="unseen">Results of matches</caption>
    <thead><tr><th scope="col">Match</th><th scope="col">Hands</th><th scope="col" class="text">Measure</th>
      <th scope="col">Won a hand</th><th scope="col" class="text">95 % interval</th></tr></thead>
    ${matches.map((match) => html`<tbody>${match.measures.map((one, i) => row(match, one, i))}</tbody>`)}
  </table></div>`;
}

/** The ranks in a game. @param {any} one */
function ranksView(one) {
  if (one.missing) return html`<p class="soft">There are no ranks: ${one.missing}</p>`;
  return html`<div class="wide"><table><caption class="unseen">Ranks in ${one.game}</caption>
    <thead><tr><th scope="col">Place</th><th scope="col" class="text">Player</th><th scope="col">${one.unit}</th>
      <th scope="col">95 % interval</th><th scope="col">Ahead of the next in</th></tr></thead>
    <tbody>${one.ranks.map(
      (rank) => html`<tr><td>${rank.place}</td><th scope="row" class="text">${rank.player}</th>
        <td>${signed(rank.score)}</td><td>${signed(rank.low)} to ${signed(rank.high)}</td>
        <td>${rank.above_next === null ? "" : `${(100 * rank.above_next).toFixed(1)} %`}</td></tr>`,
    )}</tbody></table></div>`;
}

/** The standings of all games.
 *  @param {any[]} standings  @param {string} measure  @param {(measure: string) => void} by */
export function standingsView(standings, measure, by) {
  const measures = MEASURES.map((one) => [one, measureName(one)]);
  const won = (one, i, j) =>
    one.mean[i][j] === null ? "" : `${signed(one.mean[i][j])} ± ${signed(one.half_width[i][j]).replace("+", "")}`;
  const rows = (one) => one.players.map((player, i) => [player, ...one.players.map((_, j) => won(one, i, j))]);
  return html`<section aria-labelledby="standings"><h2 id="standings">Standings</h2>
    <p class="row"><label for="match-measure">Measured by</label><select id="match-measure"
      @change=${(event) => by(event.target.value)}>${optionsView(measures, measure)}</select></p>
    ${standings.length ? nothing : html`<p class="soft">No match was measured by ${measureName(measure)}.</p>`}
    ${standings.map(
      (one) => html`<h3>${one.game}, ${one.unit}</h3>
      ${ranksView(one)}
      ${smallTable(`Row against column in ${one.game}`, ["Row against column", ...one.players], rows(one))}
      <p>${copyButton(one.command)}</p>`,
    )}
  </section>`;
}
