/** The room Matches: agents play each other, or a local best response; results and standings as they come in. */

import { api, listen } from "../api.js";
import { seconds } from "../curve.js";
import { copyButton, part, say, useStyle } from "../dom.js";
import { bar, curve, measureName, reach, signed, span } from "../intervals.js";
import { readWhole } from "../numbers.js";
import { html, nothing, render } from "../vendor/lit-html.js";

const ENDED = ["done", "stopped", "failed"];
const STATES = { queued: "waits", stopping: "is stopping" };
const VALUES = [
  ["", "equity"],
  ["agents", "the agents' own values (small games)"],
  ["street:blueprint-nl", "the blueprint's bets, then equity"],
];
const SETTINGS = ["limit", "fcpa", "fc4", "56bets", "2r56bets", "fcpa4", "56bets4"];
const MEASURES = ["chips", "aivat"];
const whole = (count) => count.toLocaleString("en");

/** @param {HTMLElement} root  @param {import("../app.js").Context} context  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, context) {
  const styled = useStyle("matches");
  const form = {
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
  let games = /** @type {any[]} */ ([]);
  let agents = /** @type {any[]} */ ([]);
  let found = /** @type {any} */ ({ matches: [], standings: [], unreadable: {} });
  let measure = "chips";
  let chosen = context.address.name;
  let problem = "";
  let over = false;
  let sending = false;
  /** @type {any} */ let detail = null;
  /** @type {Map<string, any>} */ const jobs = new Map();
  /** The points of progress of the job that is shown. @type {{ id: string, points: any[], next: number, busy: boolean }} */
  let course = { id: "", points: [], next: 0, busy: false };
  const draw = () => !over && render(view(), root);

  // --- what comes from the server ------------------------------------------------------------------------------------

  async function readAgents() {
    agents = (await api(`agents?game=${encodeURIComponent(form.game)}`)).agents;
    const names = agents.map((agent) => agent.name);
    // Agents that take seconds for a decision are for those who choose them.
    const quick = agents.filter((agent) => agent.seconds === null).map((agent) => agent.name);
    if (!names.includes(form.first)) form.first = quick[0] ?? names[0] ?? "";
    if (!names.includes(form.second)) form.second = quick.find((name) => name !== form.first) ?? form.first;
    draw();
  }

  async function readResults() {
    found = await api(`matches?measure=${measure}`);
    await readDetail();
  }

  async function readDetail() {
    const known = found.matches.some((match) => match.name === chosen);
    detail = known ? await api(`matches/${chosen}`) : null;
    draw();
    await readCourse();
  }

  async function readCourse() {
    const job = jobs.get(chosen);
    if (!job) return;
    if (course.id !== chosen) course = { id: chosen, points: [], next: 0, busy: false };
    const mine = course;
    if (mine.busy) return;
    mine.busy = true;
    try {
      while (mine.next < (jobs.get(mine.id)?.points ?? 0)) {
        const more = await api(`jobs/${mine.id}/progress?after=${mine.next}`);
        if (!more.points.length) break;
        for (const point of more.points) {
          // A match that was killed goes on from its checkpoint, before the last points.
          while (mine.points.length && mine.points[mine.points.length - 1].hands >= point.hands) mine.points.pop();
          mine.points.push(point);
        }
        mine.next = more.next;
        draw();
      }
    } catch {
      /* The next event asks again. */
    }
    mine.busy = false;
  }

  function seen(job) {
    if (job.gone) jobs.delete(job.id);
    else if (job.kind === "match" || job.kind === "lbr") {
      const before = jobs.get(job.id);
      jobs.set(job.id, job);
      if (before && before.state !== job.state && ENDED.includes(job.state)) {
        say(`${job.title}: ${job.state}.`);
        readResults().catch(() => {});
      }
      if (job.id === chosen) readCourse();
    }
    draw();
  }

  // --- what the user does --------------------------------------------------------------------------------------------

  function request() {
    const subject = { game: form.game };
    const numbers = {};
    for (const [key, what, least] of [
      ["hands", "Hands", form.kind === "lbr" ? 4 : 1],
      ["seed", "Seed", 0],
    ]) {
      const found = readWhole(String(form[key]), what, least);
      if (found.problem) throw new Error(found.problem);
      numbers[key] = found.value;
    }
    if (form.kind === "lbr") {
      return { kind: "lbr", subject, agent: form.first, settings: { ...numbers, setting: form.setting || null } };
    }
    const { duplicate, aivat } = form;
    const common = duplicate && form.common_random_numbers;
    const values = aivat && form.values ? form.values : null;
    return {
      kind: "match",
      subject,
      agents: [form.first, form.second],
      settings: { ...numbers, duplicate, aivat, values, common_random_numbers: common },
    };
  }

  async function start(event) {
    event.preventDefault();
    if (sending) return;
    sending = true;
    problem = "";
    draw();
    try {
      const job = await api("jobs", { body: request() });
      jobs.set(job.id, job);
      context.go(`/matches/${job.id}`);
    } catch (error) {
      problem = error.message;
      say(problem);
    }
    sending = false;
    draw();
  }

  async function act(id, action) {
    try {
      if (action === "delete") {
        await api(`jobs/${id}`, { method: "DELETE" });
        jobs.delete(id);
      } else seen(await api(`jobs/${id}/${action}`, { method: "POST" }));
    } catch (error) {
      say(error.message);
    }
    draw();
  }

  async function remove(name) {
    if (!confirm("Delete this result and its file?")) return;
    try {
      await api(`matches/${name}`, { method: "DELETE" });
      if (jobs.has(name) && ENDED.includes(jobs.get(name).state)) await act(name, "delete");
      context.go("/matches", true);
      await readResults();
      say("The result was deleted.");
    } catch (error) {
      say(error.message);
    }
  }

  // --- the form ------------------------------------------------------------------------------------------------------

  const set = (key) => (event) => {
    const field = event.target;
    form[key] = field.type === "checkbox" ? field.checked : field.value;
    if (key === "game") readAgents().catch((error) => say(error.message));
    draw();
  };
  const field = (key, label, control) =>
    html`<div class="field"><label for="match-${key}">${label}</label>${control}</div>`;
  const choice = (key, label, options) =>
    field(
      key,
      label,
      html`<select id="match-${key}" .value=${form[key]} @change=${set(key)}>
    ${options.map(
      ([value, text]) => html`<option value=${value} ?selected=${value === form[key]}>${text}</option>`,
    )}</select>`,
    );
  const number = (key, label) =>
    field(
      key,
      label,
      html`<input id="match-${key}" inputmode="numeric" required autocomplete="off"
    .value=${String(form[key])} @input=${set(key)}>`,
    );
  const check = (
    key,
    label,
    off = false,
  ) => html`<label class="check"><input type="checkbox" ?disabled=${off} .checked=${form[key] && !off}
    @change=${set(key)}> ${label}</label>`;

  function formView() {
    const names = agents.map((agent) => [
      agent.name,
      `${agent.title}${agent.title === agent.name ? "" : ` (${agent.name})`}`,
    ]);
    const lbr = form.kind === "lbr";
    return html`<form @submit=${start} aria-labelledby="new-match">
      <h2 id="new-match">New match</h2>
      <div class="rooms" role="radiogroup" aria-label="What is measured">${[
        ["match", "Two agents"],
        ["lbr", "Local best response"],
      ].map(
        ([kind, text]) =>
          html`<label><input type="radio" name="kind" value=${kind} .checked=${form.kind === kind}
            @change=${set("kind")}> ${text}</label>`,
      )}</div>
      ${choice(
        "game",
        "Game",
        games.map((game) => [game.name, game.title]),
      )}
      ${choice("first", lbr ? "Agent to be measured" : "First agent (its winnings are measured)", names)}
      ${
        lbr
          ? choice("setting", "Actions of the responder", [
              ["", "usual for the game"],
              ...SETTINGS.map((one) => [one, one]),
            ])
          : choice("second", "Second agent", names)
      }
      ${number("hands", "Hands")}
      ${number("seed", "Seed of cards and draws")}
      ${
        lbr
          ? html`<p class="soft">A local best response wins at most what the agent can lose: a lower bound on its
            exploitability.</p>`
          : html`
        ${check("duplicate", "Every deal twice, with the seats exchanged")}
        ${check("common_random_numbers", "The same random numbers at both tables", !form.duplicate)}
        ${check("aivat", "Measure with AIVAT too (less luck)")}
        ${form.aivat ? choice("values", "Values that AIVAT uses", VALUES) : nothing}`
      }
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
      <button class="main" ?disabled=${sending}>Start</button>
    </form>`;
  }

  // --- results -------------------------------------------------------------------------------------------------------

  const tone = (one) => (one.low === null ? "" : one.low > 0 ? "win" : one.high < 0 ? "loss" : "");

  function measuresView(measures, unit, caption) {
    const most = span(measures);
    return html`<div class="wide"><table><caption class="unseen">${caption}</caption>
      <thead><tr><th scope="col">Measure</th><th scope="col">${unit}</th><th scope="col">95 % interval</th><th
        scope="col" class="text">Around 0</th></tr></thead>
      <tbody>${measures.map(
        (one) => html`<tr><th scope="row">${measureName(one.name)}</th><td class=${tone(one)}>${signed(one.mean)}</td>
        <td>${reach(one)}</td><td class="plot">${bar(one, most)}</td></tr>`,
      )}</tbody></table></div>`;
  }

  function jobView(job) {
    const running = !ENDED.includes(job.state);
    // What has ended is its result, with the intervals of results; the last point came a little earlier.
    const now = !running && job.result?.measures ? job.result : job.progress;
    const first = now?.measures?.[0];
    return html`<li>
      <div class="row"><a href="/matches/${job.id}"
        aria-current=${job.id === chosen ? "page" : nothing}>${job.title}</a>
        <span class="state ${job.state}">${STATES[job.state] ?? job.state}</span>
        ${now ? html`<span>${whole(now.hands)} of ${whole(now.hands_wanted)} hands</span>` : nothing}
        ${first ? html`<span>${signed(first.mean)} ${now.unit} (${reach(first)})</span>` : nothing}
        ${
          job.state === "running" && now?.seconds_left
            ? html`<span class="soft">about ${seconds(now.seconds_left)} left</span>`
            : nothing
        }</div>
      ${
        running && now
          ? html`<progress max=${now.hands_wanted} .value=${now.hands} aria-label="Hands of ${job.title}"></progress>`
          : nothing
      }
      ${job.error ? html`<p class="problem">${job.error.message}</p>` : nothing}
      ${job.waits ? html`<p class="soft">${job.waits}</p>` : nothing}
      <div class="row">
        ${
          running
            ? html`<button type="button" ?disabled=${job.state === "stopping"}
              @click=${() => act(job.id, "stop")}>Stop</button>`
            : nothing
        }
        ${
          ["stopped", "failed"].includes(job.state)
            ? html`<button type="button" @click=${() => act(job.id, "resume")}>${
                job.starts_again ? "Play it again" : "Resume"
              }</button>`
            : nothing
        }
        ${
          running
            ? nothing
            : html`<button type="button" @click=${() => {
                // The result of a match is a file of its own; that of a measurement goes with the job.
                if (job.kind === "match" || !job.progress || confirm("Delete this measurement?")) act(job.id, "delete");
              }}>${job.kind === "match" ? "Remove from this list" : "Delete"}</button>`
        }
        ${copyButton(job.command)}
      </div></li>`;
  }

  function detailView() {
    const job = jobs.get(chosen);
    if (!job && !detail) return chosen ? html`<p class="problem">There is no match called ${chosen}.</p>` : nothing;
    const points = course.id === chosen ? course.points : [];
    const last = points[points.length - 1];
    const finished = detail && (!job || ENDED.includes(job.state));
    const now = finished ? detail : last;
    const unit = now?.unit ?? "";
    const measures = now?.measures ?? [];
    const columns = (index) => ({
      hands: points.map((point) => point.hands),
      ...Object.fromEntries(
        ["mean", "low", "high"].map((key) => [key, points.map((point) => point.measures[index]?.[key] ?? null)]),
      ),
    });
    const title = detail ? `${detail.players[0]} against ${detail.players[1]}` : job.title;
    return html`<section aria-labelledby="one-match"><h2 id="one-match">${title}</h2>
      <p>${detail ? `${detail.game}, ` : ""}${
        now ? `${whole(now.hands)} of ${whole(now.hands_wanted)} hands` : "no hand yet"
      }${finished ? `, ${detail.duplicate ? "every deal twice" : "seats alternate"}, seed ${detail.seed}` : ""}. ${
        job?.kind === "lbr"
          ? "In expectation the agent's exploitability is at least what is won."
          : "What the first agent wins."
      }</p>
      ${measures.length ? measuresView(measures, unit, title) : nothing}
      ${measures.map((one, index) => curve(finished ? one.curve : columns(index), measureName(one.name), unit))}
      ${
        finished
          ? html`
        <h3>By seat and by how the hands ended</h3>
        <div class="wide"><table><caption class="unseen">By seat</caption><thead><tr><th scope="col">Seat of the first
          agent</th><th scope="col">Hands</th>
          <th scope="col">${unit}</th><th scope="col">95 %
            interval</th></tr></thead><tbody>${detail.measures[0].by_seat.map(
              (seat, index) =>
                html`<tr><th scope="row">${index + 1}</th><td>${whole(seat.hands)}</td><td>${signed(
                  seat.mean,
                )}</td><td>${reach(seat)}</td></tr>`,
            )}</tbody></table></div>
        <div class="wide"><table><caption class="unseen">Endings</caption><thead><tr><th scope="col">Ending</th><th
          scope="col">Hands</th><th scope="col">Won (chips)</th></tr></thead>
          <tbody>${detail.endings.map(
            (end) => html`<tr><th scope="row">${end.showdown ? "showdown" : "fold"},
              ${end.street}</th><td>${whole(end.hands)}</td>
            <td>${signed(end.won)}</td></tr>`,
          )}</tbody></table></div>
        <p class="row"><a class="button" href="/api/v1/matches/${detail.name}/file" download>Download</a>
          <button type="button" @click=${() => remove(detail.name)}>Delete</button>${copyButton(detail.command)}</p>`
          : nothing
      }
      <p><a href="/matches">All matches</a></p></section>`;
  }

  function resultsView() {
    if (!found.matches.length)
      return html`<p class="soft">No match has a result yet. Start one with the form, or put files *.match.json of
        errai match into the folder matches.</p>`;
    const most = {};
    for (const match of found.matches) most[match.unit] = Math.max(most[match.unit] ?? 0, span(match.measures));
    return html`<div class="wide"><table class="results"><caption class="unseen">Results of matches</caption>
      <thead><tr><th scope="col">Match</th><th scope="col">Hands</th><th scope="col" class="text">Measure</th><th
        scope="col">Won a hand</th><th scope="col" class="text">95 % interval</th></tr></thead>
      ${found.matches.map(
        (match) =>
          html`<tbody>${match.measures.map(
            (one, index) => html`<tr>
        ${
          index
            ? nothing
            : html`<th scope="rowgroup" rowspan=${match.measures.length} class="names"><a
              href="/matches/${match.name}">${match.players[0]} against ${match.players[1]}</a><br>
          ${match.game}${match.status === "done" ? "" : `, ${match.status}`}</th><td
            rowspan=${match.measures.length}>${whole(match.hands)}</td>`
        }
        <td class="text">${measureName(one.name)}</td><td class=${tone(one)}>${signed(one.mean)} ${match.unit}</td>
        <td class="plot text">${bar(one, most[match.unit])}${reach(one)}</td></tr>`,
          )}</tbody>`,
      )}
    </table></div>`;
  }

  function standingsView() {
    if (!found.matches.length) return nothing;
    return html`<section aria-labelledby="standings"><h2 id="standings">Standings</h2>
      <p class="row"><label for="match-measure">Measured by</label><select id="match-measure" @change=${(event) => {
        measure = event.target.value;
        readResults().catch((error) => say(error.message));
      }}>${MEASURES.map(
        (one) => html`<option value=${one} ?selected=${one === measure}>${measureName(one)}</option>`,
      )}</select></p>
      ${found.standings.length ? nothing : html`<p class="soft">No match was measured by ${measureName(measure)}.</p>`}
      ${found.standings.map(
        (one) => html`<h3>${one.game}, ${one.unit}</h3>
        ${
          one.missing
            ? html`<p class="soft">There are no ranks: ${one.missing}</p>`
            : html`<div class="wide"><table><caption class="unseen">Ranks in ${one.game}</caption>
          <thead><tr><th scope="col">Place</th><th scope="col" class="text">Player</th><th
            scope="col">${one.unit}</th><th scope="col">95 % interval</th><th scope="col">Ahead of the next
              in</th></tr></thead>
          <tbody>${one.ranks.map(
            (rank) => html`<tr><td>${rank.place}</td><th scope="row"
              class="text">${rank.player}</th><td>${signed(rank.score)}</td>
            <td>${signed(rank.low)} to ${signed(rank.high)}</td><td>${
              rank.above_next === null ? "" : `${(100 * rank.above_next).toFixed(1)} %`
            }</td></tr>`,
          )}</tbody></table></div>`
        }
        <div class="wide"><table><caption class="unseen">Row against column in ${one.game}</caption>
          <thead><tr><th scope="col">Row against
            column</th>${one.players.map((player) => html`<th scope="col">${player}</th>`)}</tr></thead>
          <tbody>${one.players.map(
            (player, i) =>
              html`<tr><th scope="row">${player}</th>${one.players.map(
                (_, j) =>
                  html`<td>${
                    one.mean[i][j] === null
                      ? ""
                      : `${signed(one.mean[i][j])} ± ${signed(one.half_width[i][j]).replace("+", "")}`
                  }</td>`,
              )}</tr>`,
          )}</tbody></table></div>
        <p>${copyButton(one.command)}</p>`,
      )}
    </section>`;
  }

  function view() {
    const listed = [...jobs.values()]
      .filter((job) => job.kind === "lbr" || job.state !== "done")
      .sort((a, b) => (a.created < b.created ? 1 : -1));
    const bad = Object.entries(found.unreadable);
    return html`<h1>Matches</h1><div class="split"><div>${formView()}</div><div>
      ${detailView()}
      ${
        listed.length
          ? html`<section aria-labelledby="jobs"><h2 id="jobs">Running, stopped and measured</h2><ul
            class="jobs">${listed.map((job) => part(() => jobView(job), job.title))}</ul></section>`
          : nothing
      }
      <section aria-labelledby="results"><h2 id="results">Results</h2>${resultsView()}
        ${bad.map(([name, why]) => html`<p class="problem">${name}: ${why}</p>`)}</section>
      ${standingsView()}</div></div>`;
  }

  const end = listen("job", seen);
  const [listedGames, listedJobs] = await Promise.all([api("games"), api("jobs"), styled]);
  games = listedGames.games;
  for (const job of listedJobs.jobs) if (job.kind === "match" || job.kind === "lbr") jobs.set(job.id, job);
  draw();
  await Promise.all([readAgents(), readResults()]);
  return {
    title: "Matches",
    moved(address) {
      chosen = address.name;
      detail = null;
      draw();
      readResults().catch((error) => say(error.message));
    },
    keys: [
      {
        keys: ["m"],
        what: "go to the form for a new match",
        run: () => document.getElementById("match-game")?.focus(),
      },
      { keys: ["Backspace"], what: "show all matches", run: () => context.go("/matches"), when: () => chosen !== "" },
    ],
    leave() {
      over = true;
      end();
    },
  };
}
