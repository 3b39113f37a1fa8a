/** The tab Compare: the same line in another solution, beside the one that is open. */

import { api } from "./api.js";
import { copyButton } from "./dom.js";
import { gridView } from "./grid.js";
import { classOf, summarise, tenths, worth } from "./hands.js";
import { followSolutions } from "./library.js";
import { tableView } from "./table.js";
import { html } from "./vendor/lit-html.js";

/** One of the two nodes of a comparison, as {@link summarise} takes nodes.
 *  @param {any} found  as GET solutions/{name}/compare answers it @param {number} k */
const side = (found, k) => ({
  classes: found.classes[k],
  hands: found.hands,
  player: found.player,
  pot_chips: found.pot_chips[k],
  sunk_chips: found.sunk_chips[k],
  actions: found.actions.map((one) => ({
    label: one.label,
    colour: one.colour,
    frequency: one.frequency[k],
    ev_chips: one.ev_chips[k],
  })),
  weights: found.weights[k],
  strategy: found.player === null ? null : found.strategies[k],
  action_ev_chips: found.action_ev_chips[k],
  ev_chips: found.ev_chips[k],
  equity: found.equity[k],
  ranges: { ev_chips: found.ranges.ev_chips[k], equity: found.ranges.equity[k], equity_realised: [null, null] },
});

/**
 * A class of hands, or all hands, in both nodes.  Mixes are null where the player has none; `apart` is the share of the
 * play that differs, from 0 to 1.
 * @param {string} label @param {(import("./hands.js").Item | undefined)[]} items */
function pair(label, items) {
  const mixes = items.map((item) => (item?.shares.length ? item.shares : null));
  const evs = items.map((item) => item?.ev ?? null);
  const [one, other] = mixes;
  return {
    label,
    mixes,
    evs,
    gain: evs[0] === null || evs[1] === null ? null : evs[1] - evs[0],
    apart: one && other ? one.reduce((sum, share, a) => sum + Math.abs(share - other[a]), 0) / 2 : null,
  };
}

/** @type {{ list: any[] | null, key: string, found: any, problem: string, redraw: () => void }} */
const held = { list: null, key: "", found: null, problem: "", redraw: () => {} };

/** @param {any} options  what the room Study hands to a tab */
export function panelView({ view, summaries, state, set, redraw, by, pick, sort, setSort, page, setPage }) {
  held.redraw = redraw;
  if (!held.list) {
    held.list = [];
    followSolutions(
      (found) => {
        held.list = found.filter((one) => !one.error);
        held.redraw();
      },
      () => true,
    ).catch((error) => {
      held.list = null;
      held.problem = error.message;
    });
  }
  const key = `${state.with} ${view.solution} ${view.line} ${state.whole}`;
  if (state.with && held.key !== key) {
    Object.assign(held, { key, found: null, problem: "" });
    const settled = (changes) => {
      if (held.key === key) {
        Object.assign(held, changes);
        held.redraw();
      }
    };
    api(
      `solutions/${encodeURIComponent(view.solution)}/compare?${new URLSearchParams({
        with: state.with,
        line: view.line,
        whole: String(state.whole),
      })}`,
    ).then(
      (found) => settled({ found }),
      (error) => settled({ problem: error.message }),
    );
  }
  const others = held.list.filter((one) => one.name !== state.name);
  const choice = html`<p class="row"><label for="with">Compare with</label><select id="with"
    @change=${(event) => set({ with: event.target.value })}>
    <option value="" ?selected=${!state.with}>choose a
      solution</option>${others.map(
        (one) =>
          html`<option value=${one.name} ?selected=${one.name === state.with}>${one.title} (${one.name})</option>`,
      )}</select>
    ${state.with && held.found ? copyButton(held.found.commands[1]) : ""}</p>`;
  if (!state.with)
    return html`<h2>Compare</h2>${choice}${others.length ? "" : html`<p class="soft">There is no other solution.</p>`}`;
  if (held.problem) return html`<h2>Compare</h2>${choice}<p class="problem" role="alert">${held.problem}</p>`;
  if (!held.found) return html`<h2>Compare</h2>${choice}<p aria-busy="true">Opening ${state.with} …</p>`;
  return html`<h2>Compare</h2>${choice}${both(held.found, summaries[0].player, {
    by,
    hand: state.hand,
    pick,
    sort,
    setSort,
    page,
    setPage,
  })}`;
}

function both(found, player, { by, hand, pick, sort, setSort, page, setPage }) {
  const views = [0, 1].map((k) => side(found, k));
  const summaries = views.map((one) => summarise(one, player));
  const [first, second] = found.solutions;
  const held = (label) => summaries.map((one) => one.byLabel.get(label));
  const all = pair(
    "all hands",
    summaries.map((one) => one.all),
  );
  const rows = summaries[0].items
    .filter(({ label }) => held(label).some((item) => item && item.weight > 0))
    .map(({ label }) => pair(label, held(label)));
  const arrow = (texts) =>
    html`${texts[0]} <span class="soft"><span aria-hidden="true">→</span><span class="unseen">in the
      other</span></span> ${texts[1]}`;
  const actions = found.player === player ? found.actions : [];
  const columns = [
    {
      name: "hand",
      text: true,
      value: (row) => row.label,
      view: (row) =>
        row === all
          ? row.label
          : html`<button type="button" class="hand" data-hand=${row.label}
            @click=${() => pick(row.label)}>${row.label}</button>`,
    },
    ...actions.map((action, a) => ({
      name: action.label,
      value: (row) => (row.apart === null ? null : row.mixes[1][a] - row.mixes[0][a]),
      view: (row) => arrow(row.mixes.map((mix, k) => (mix && action.offered[k] ? tenths(mix[a]) : "–"))),
    })),
    { name: "play differs, %", value: (row) => row.apart, view: (row) => tenths(row.apart) },
    {
      name: "EV",
      value: (row) => row.gain,
      view: (row) => arrow(row.evs.map((ev, k) => worth(ev, found.pot_chips[k]))),
    },
  ];
  const label = summaries[1].byLabel.has(hand) ? hand : classOf(hand);
  const [here, there] = found.certificates.map((one) =>
    one.pot_percent === null ? "not certified" : String(Number(one.pot_percent.toPrecision(2))),
  );
  return html`<h3>${found.titles[1]} (${second})</h3>
    <p class="soft">pot ${worth(found.pot_chips[1], 1000)} · exploitability in per cent of the pot: ${there}, here
      ${here}</p>
    ${gridView(views[1], summaries[1], {
      by,
      chosen: label,
      title: `Hands of ${found.player_names[player]} in ${second}`,
      pick,
    })}
    <h3>Differences</h3>${tableView({
      caption: `Differences from ${first} to ${second}`,
      columns,
      rows,
      fixed: [all],
      sort: sort ?? { by: "play differs, %", down: true },
      setSort,
      mark: (row) => row.label === label,
      page,
      setPage,
      things: "hands",
    })}
    <p class="soft">Each entry is that of ${first}, then that of ${second}. “Play differs” is the share of a hand's
      play that is another action.</p>`;
}
