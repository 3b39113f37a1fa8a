/** The tab Compare: the same line in another solution, beside the one that is open. */
import { html } from "./vendor/lit-html.js";
import { api } from "./api.js";
import { copyButton } from "./dom.js";
import { gridView } from "./grid.js";
import { classOf, summarise, tenths, worth } from "./hands.js";
import { tableView } from "./table.js";

/** How far two mixes are from each other: the share of the play that differs, from 0 to 1.
 *  @param {Record<string, number>} one @param {Record<string, number>} other  by the label of an action */
export function apart(one, other) {
  const labels = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...labels].reduce((sum, label) => sum + Math.abs((one[label] ?? 0) - (other[label] ?? 0)), 0) / 2;
}

/** @param {import("./hands.js").View} view @param {import("./hands.js").Item | undefined} item */
const mixOf = (view, item) => (item?.shares.length ? Object.fromEntries(view.actions.map((one, a) => [one.label, item.shares[a]])) : null);

/** Classes that one of two players holds, with both items and the difference of their play.
 *  @param {import("./hands.js").View[]} views @param {import("./hands.js").Summary[]} summaries */
export function pairs(views, summaries) {
  const pair = (label, items) => {
    const mixes = items.map((item, k) => mixOf(views[k], item));
    const evs = items.map((item) => item?.ev ?? null);
    return { label, mixes, evs, apart: mixes[0] && mixes[1] ? apart(mixes[0], mixes[1]) : null, gain: evs.includes(null) ? null : evs[1] - evs[0] };
  };
  const labels = summaries[0].items.map((item) => item.label);
  const rows = labels.map((label) => pair(label, summaries.map((one) => one.byLabel.get(label))))
    .filter((row) => summaries.some((one) => (one.byLabel.get(row.label)?.weight ?? 0) > 0));
  return [pair("all hands", summaries.map((one) => one.all)), ...rows];
}

/** @type {{ list: any[] | null, key: string, view: any, problem: string }} */
const held = { list: null, key: "", view: null, problem: "" };

/** @param {any} options  what the room Study hands to a tab */
export function panelView({ view, summaries, state, set, redraw, node, by, pick, sort, setSort }) {
  if (!held.list) {
    held.list = [];
    api("solutions").then((found) => { held.list = found.solutions.filter((one) => !one.error); redraw(); }, (error) => { held.list = null; held.problem = error.message; });
  }
  const key = `${state.with} ${view.solution} ${view.line} ${state.whole}`;
  if (state.with && held.key !== key) {
    Object.assign(held, { key, view: null, problem: "" });
    node(view.line, state.with).then((found) => { if (held.key === key) { held.view = found; redraw(); } },
      (error) => { if (held.key === key) { held.problem = error.message; redraw(); } });
  }
  const others = held.list.filter((one) => one.name !== state.name);
  const choice = html`<p class="row"><label for="with">Compare with</label><select id="with" @change=${(event) => set({ with: event.target.value })}>
    <option value="" ?selected=${!state.with}>choose a solution</option>${others.map((one) => html`<option value=${one.name} ?selected=${one.name === state.with}>${one.title} (${one.name})</option>`)}</select>
    ${state.with && held.view ? copyButton(held.view.command) : ""}</p>`;
  if (!state.with) return html`<h2>Compare</h2>${choice}${others.length ? "" : html`<p class="soft">There is no other solution.</p>`}`;
  if (held.problem) return html`<h2>Compare</h2>${choice}<p class="problem" role="alert">${held.problem}</p>`;
  if (!held.view) return html`<h2>Compare</h2>${choice}<p aria-busy="true">Opening ${state.with} …</p>`;
  return html`<h2>Compare</h2>${choice}${both([view, held.view], summaries[0], { by, hand: state.hand, pick, sort, setSort })}`;
}

function both(views, summary, { by, hand, pick, sort, setSort }) {
  const [first, second] = views;
  const summaries = [summary, summarise(second, summary.player)];
  const who = second.player_names[summary.player];
  const labels = [...new Set(views.flatMap((one) => (one.player === summary.player ? one.actions.map((action) => action.label) : [])))];
  const [all, ...rows] = pairs(views, summaries);
  const arrow = (texts) => html`${texts[0]} <span class="soft"><span aria-hidden="true">→</span><span class="unseen">in the other</span></span> ${texts[1]}`;
  const columns = [
    { name: "hand", text: true, value: (row) => row.label, view: (row) => (row === all ? row.label : html`<button type="button" class="hand" data-hand=${row.label} @click=${() => pick(row.label)}>${row.label}</button>`) },
    ...labels.map((label) => ({
      name: label, value: (row) => (row.mixes[0] && row.mixes[1] ? (row.mixes[1][label] ?? 0) - (row.mixes[0][label] ?? 0) : null),
      view: (row) => arrow(row.mixes.map((mix, k) => (mix && views[k].actions.some((one) => one.label === label) ? tenths(mix[label] ?? 0) : "–"))),
    })),
    { name: "play differs, %", value: (row) => row.apart, view: (row) => tenths(row.apart) },
    { name: "EV", value: (row) => row.gain, view: (row) => arrow(row.evs.map((ev, k) => worth(ev, views[k].pot_chips))) },
  ];
  const label = summaries[1].byLabel.has(hand) ? hand : classOf(hand);
  return html`<h3>${second.title} (${second.solution})</h3>
    <p class="soft">pot ${worth(second.pot_chips, 1000)} · exploitability ${second.certificate.pot_percent === null ? "not certified" : `${Number(second.certificate.pot_percent.toPrecision(2))} % of the pot`}, here ${
      first.certificate.pot_percent === null ? "not certified" : `${Number(first.certificate.pot_percent.toPrecision(2))} %`}</p>
    ${gridView(second, summaries[1], { by, chosen: label, title: `Hands of ${who} in ${second.solution}`, pick })}
    <h3>Differences</h3>${tableView({ caption: `Differences from ${first.solution} to ${second.solution}`, columns, rows, fixed: [all], sort: sort ?? { by: "play differs, %", down: true }, setSort, mark: (row) => row.label === label })}
    <p class="soft">Each entry is that of ${first.solution}, then that of ${second.solution}. “Play differs” is the share of a hand's play that is another action.</p>`;
}
