/** The tab Run-outs: what follows every card that can come, as a table and as a picture. */

import { api } from "./api.js";
import { cardsView } from "./dom.js";
import { gridView } from "./grid.js";
import { after, cards, deckOf, hundredths, paint, tenths, worth } from "./hands.js";
import { shortName } from "./line.js";
import { sorted, tableView } from "./table.js";
import { html } from "./vendor/lit-html.js";

/** The line after which cards come: that of the node itself, or of the last deal before it; null if none has come.
 *  @param {import("./hands.js").View} view */
export const dealLine = (view) =>
  view.kind === "chance" ? view.line : (view.columns.findLast((one) => one.kind === "card")?.line ?? null);

/** Run-outs of single cards as a grid of the deck: a row for each suit.
 *  @param {any} found  the answer of the API @param {import("./hands.js").View} view @param {number} player
 *  @returns {import("./hands.js").Summary} */
export function deckSummary(found, view, player) {
  const { ranks, suits } = deckOf(view);
  const byCard = new Map(found.rows.flatMap((row) => row.deals.map((deal) => [deal, row])));
  const items = suits.flatMap((suit) =>
    ranks.map((rank) => {
      const label = rank + suit,
        row = byCard.get(label);
      return {
        label,
        hands: [],
        possible: row ? 1 : 0,
        weight: row?.probability ? row.probability / row.deals.length : 0,
        shares: row ? row.frequencies.map((share) => share ?? 0) : [],
        ev: row?.ev_chips[player] ?? null,
        equity: row?.equity[player] ?? null,
        eqr: null,
        actionEv: [],
      };
    }),
  );
  const full = Math.max(0, ...items.map((item) => item.weight));
  return {
    columns: ranks.length,
    items,
    byLabel: new Map(items.map((item) => [item.label, item])),
    full,
    acts: found.actions.length > 0,
    player,
    all: items[0],
  };
}

/** Draw the frequencies after each deal as columns, in the order of the table.
 *  @param {HTMLCanvasElement} canvas @param {any[]} rows @param {string[]} paints */
export function drawColumns(canvas, rows, paints) {
  const ratio = window.devicePixelRatio || 1,
    style = getComputedStyle(canvas);
  canvas.width = Math.floor(canvas.clientWidth * ratio);
  canvas.height = Math.floor(canvas.clientHeight * ratio);
  const { width, height } = canvas;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  context.fillStyle = style.getPropertyValue("--empty").trim();
  context.fillRect(0, 0, width, height);
  const colours = paints.map((one) =>
    one.replace(/var\((--[a-z-]+)\)/, (_, name) => style.getPropertyValue(name).trim()),
  );
  rows.forEach((row, i) => {
    const from = Math.floor((i * width) / rows.length),
      to = Math.max(from + 1, Math.floor(((i + 1) * width) / rows.length));
    let below = height;
    row.frequencies.forEach((share, a) => {
      const tall = (share ?? 0) * height;
      context.fillStyle = colours[a];
      context.fillRect(from, below - tall, to - from, tall);
      below -= tall;
    });
  });
}

/** @type {{ key: string, found: any, problem: string, busy: boolean, page: number }} */
let held = { key: "", found: null, problem: "", busy: false, page: 0 };

/** @param {{ view: any }} options */
export const command = ({ view }) =>
  held.found && held.key.endsWith(` ${dealLine(view)}`) ? held.found.command : null;

/** @param {any} options  what the room Study hands to a tab */
export function panelView({ view, state, to, redraw, by, sort, setSort, summaries }) {
  const line = dealLine(view);
  if (line === null) {
    const why =
      view.kind === "leaf"
        ? "The tree is cut here, so no card follows in it."
        : view.street === "river"
          ? "No card follows: the board is complete."
          : "No card has been dealt on this line. Go on until the street closes, for example with a bet and a call.";
    return html`<h2>Run-outs</h2><p>${why}</p>`;
  }
  const key = `${state.name} ${state.whole} ${line}`;
  if (held.key !== key) held = { key, found: null, problem: "", busy: false, page: 0 };
  const mine = held;
  const ask = () => {
    mine.busy = true;
    api(
      `solutions/${encodeURIComponent(state.name)}/runouts?${new URLSearchParams({
        line,
        whole: String(state.whole),
      })}`,
    )
      .then(
        (found) => {
          mine.found = found;
        },
        (error) => {
          mine.problem = error.message;
        },
      )
      .finally(() => {
        mine.busy = false;
        if (held === mine) redraw();
      });
  };
  // A flop has thousands of run-outs, which take a while; the user asks for them.
  const many =
    view.kind === "chance"
      ? view.deal_count > 1
      : (view.columns.findLast((one) => one.kind === "card")?.card.length ?? 2) > 2;
  if (!mine.found && !mine.problem && !mine.busy && !many) ask();
  if (mine.problem) return html`<h2>Run-outs</h2><p class="problem" role="alert">${mine.problem}</p>`;
  if (!mine.found) {
    return html`<h2>Run-outs</h2>${
      mine.busy
        ? html`<p aria-busy="true">Looking at every card …</p>`
        : html`<p>There are thousands of flops, so this takes a while. <button type="button" @click=${() => {
            ask();
            redraw();
          }}>Look at every flop</button></p>`
    }`;
  }
  return shown(mine, { view, state, line, to, redraw, by, sort, setSort, player: summaries[0].player });
}

function shown(mine, { view, state, line, to, redraw, by, sort, setSort, player }) {
  const { found } = mine;
  const names = found.player_names.map(shortName);
  const go = (deal) => to(after(line, deal, true));
  const current = view.kind === "chance" ? "" : view.columns.findLast((one) => one.kind === "card").card;
  const columns = [
    {
      name: "card",
      text: true,
      value: (row) => row.place ?? -1,
      view: (row) =>
        row.deals.length
          ? row.deals.map(
              (deal) =>
                html`<button type="button" class="hand" data-hand=${deal}
                  @click=${() => go(deal)}>${cardsView(deal)}</button>`,
            )
          : "mean",
    },
    { name: "comes, %", value: (row) => row.probability, view: (row) => tenths(row.probability) },
    ...found.actions.map((action, a) => ({
      name: action.label,
      value: (row) => row.frequencies[a],
      view: (row) => tenths(row.frequencies[a]),
    })),
    ...[0, 1].map((p) => ({
      name: `EV ${names[p]}`,
      value: (row) => row.ev_chips[p],
      view: (row) => worth(row.ev_chips[p], found.pot_chips),
    })),
    ...[0, 1].map((p) => ({
      name: `EQ ${names[p]}`,
      value: (row) => row.equity[p],
      view: (row) => hundredths(row.equity[p]),
    })),
  ];
  const rows = found.rows.map((row, place) => ({ ...row, place }));
  const single = cards(rows[0]?.deals[0] ?? "").length === 1;
  const setPage = (page) => {
    mine.page = page;
    redraw();
  };
  const acts =
    found.player === null ? "nobody has a choice after the card" : `how ${found.player_name} plays after each card`;
  const pictured =
    by === "eqr" || (["strategy", "weight"].includes(by) && !found.actions.length)
      ? "equity"
      : by === "weight"
        ? "strategy"
        : by;
  const picture = single
    ? gridView(found, deckSummary(found, view, player), {
        by: by === "weight" ? by : pictured,
        chosen: current,
        title: `Run-outs: ${acts}`,
        pick: go,
        follow: false,
      })
    : html`<canvas class="own" role="img" aria-label=${`${acts}, a column for each deal in the order of the table`}
      .paint=${
        /** @this {HTMLCanvasElement} */ function () {
          drawColumns(
            this,
            sorted(rows, columns, sort),
            found.actions.map((one) => paint(one.colour)),
          );
        }
      }></canvas>`;
  const why = found.why_no_ev || found.why_no_equity;
  const exportView = (format) => {
    const asked = { line, format, player: String(player), by: pictured, whole: String(state.whole) };
    const path = `/api/v1/solutions/${encodeURIComponent(state.name)}/runouts/export?${new URLSearchParams(asked)}`;
    const name = format.toUpperCase();
    return html`<a class="export" aria-label=${`Export the run-outs as ${name}`} href=${path} download>${name}</a> `;
  };
  return html`<h2>Run-outs · ${acts}</h2>
    ${picture}${why ? html`<p class="soft">${why}</p>` : ""}
    ${tableView({
      caption: "Run-outs",
      columns,
      rows,
      fixed: [found.mean],
      sort,
      setSort,
      mark: (row) => row.deals.includes(current),
      page: mine.page,
      setPage,
      things: "deals",
    })}
    <p>Run-outs as ${(single ? ["csv", "json", "png", "svg"] : ["csv", "json"]).map(exportView)}</p>
    <p class="soft">Frequencies and EQ (equity) in per cent, EV in chips. Cards in one row are alike: a change of suits
      takes one to the other.</p>`;
}
