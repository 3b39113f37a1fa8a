/**
 * The tables of hands: the combos of a class, and all hands of the range with a picture of both ranges.
 *
 * @typedef {{ by: string, hand: string, sort: any, setSort: (sort: any) => void, page: number,
 *   setPage: (page: number) => void, pick: (label: string) => void }} TabOptions
 */

import { cardsView } from "./dom.js";
import { colours, fill } from "./grid.js";
import {
  cards,
  classOf,
  deckOf,
  handItem,
  heard,
  hundredths,
  scaleOf,
  stripes,
  tenths,
  valueColour,
  valueIn,
  weightText,
  worth,
} from "./hands.js";
import { tableView } from "./table.js";
import { html } from "./vendor/lit-html.js";

/** The columns of a table of hands.
 *  @param {import("./hands.js").View} view @param {import("./hands.js").Summary} summary
 *  @param {{ by: string, pick: (label: string) => void }} options */
function columnsOf(view, summary, { by, pick }) {
  const paints = colours(view, summary);
  const pot = view.pot_chips;
  const hand = (item) => {
    if (item === summary.all || item.fixed) return item.label;
    const shown =
      item.hands.length === 1 && item.label === view.hands[item.hands[0]] ? cardsView(item.label) : item.label;
    return html`<button type="button" class="hand" data-hand=${item.label}
      @click=${() => pick(item.label)}>${shown}</button>`;
  };
  const actions = !summary.acts
    ? []
    : [
        {
          name: "mix",
          label: html`<span class="mixed">mix</span>`,
          view: (item) => html`<span class="fill" .style=${fill(item, "strategy", paints, item.weight, [])}></span>`,
        },
        ...view.actions.map((action, a) => ({
          name: by === "ev" ? `EV of ${action.label}` : action.label,
          value: (item) => (by === "ev" ? item.actionEv[a] : item.shares[a]) ?? null,
          view: (item) => (by === "ev" ? worth(item.actionEv[a], pot) : tenths(item.shares[a])),
        })),
      ];
  return [
    { name: "hand", text: true, value: (item) => item.label, view: hand },
    ...actions,
    { name: "EQ", value: (item) => item.equity, view: (item) => hundredths(item.equity) },
    { name: "EV", value: (item) => item.ev, view: (item) => worth(item.ev, pot) },
    { name: "EQR", value: (item) => item.eqr, view: (item) => hundredths(item.eqr, 0) },
    { name: "weight", value: (item) => item.weight, view: (item) => weightText(item.weight) },
  ];
}

const units = (by) =>
  html`<p class="soft">Frequencies, EQ (equity) and EQR (equity realised) in per cent; EV in chips${
    by === "ev" ? "; the columns of actions have the EV of each" : ""
  }.</p>`;

/** The tab with the combos of the chosen class, or with all classes where none is chosen.
 *  @param {import("./hands.js").View} view @param {import("./hands.js").Summary} summary
 *  @param {TabOptions} options */
export function combosView(view, summary, { by, hand, sort, setSort, page, setPage, pick }) {
  const label = summary.byLabel.has(hand) ? hand : classOf(hand);
  const chosen = summary.byLabel.get(label);
  const common = { columns: columnsOf(view, summary, { by, pick }), sort, setSort, page, setPage, things: "hands" };
  if (!chosen) {
    const rows = summary.items.filter((item) => item.weight > 0);
    return html`<h2>All hands</h2>${tableView({
      ...common,
      caption: "Classes of hands",
      rows,
      fixed: [summary.all],
    })}${units(by)}`;
  }
  const rows = chosen.hands.map((i) => handItem(view, summary, i)).filter((item) => item.weight > 0);
  const count = rows.length === 1 ? "1 combo" : `${rows.length} combos`;
  return html`<h2>${chosen.label} · ${count}${chosen.ev === null ? "" : html` · EV ${worth(chosen.ev, view.pot_chips)}`}
      <button type="button" class="quiet" @click=${() => pick("")}>All hands</button></h2>
    ${tableView({
      ...common,
      caption: `Combos of ${chosen.label}`,
      rows,
      fixed: [summary.all, { ...chosen, fixed: true }],
      mark: (item) => item.label === hand,
    })}${units(by)}`;
}

// --- all hands -------------------------------------------------------------------------------------------------------

/** All cards of a deck, from high to low. @param {import("./hands.js").View} view */
function cardsFrom(view) {
  const { ranks, suits } = deckOf(view);
  return ranks.flatMap((rank) => suits.map((suit) => rank + suit));
}

/**
 * Draw every hand of both players: the square of a hand is where the row of one card meets the column of the other,
 * above the diagonal for the player who is shown and below it for the other one.
 * @param {HTMLCanvasElement} canvas @param {import("./hands.js").View} view
 * @param {import("./hands.js").Summary[]} summaries  of the player who is shown, and of the other one
 * @param {string} by
 */
export function drawRanges(canvas, view, summaries, by) {
  const style = getComputedStyle(canvas);
  const colour = (text) => text.replace(/var\((--[a-z-]+)\)/, (_, name) => style.getPropertyValue(name).trim());
  const deck = cardsFrom(view),
    place = new Map(deck.map((card, i) => [card, i]));
  const ratio = window.devicePixelRatio || 1;
  const side = Math.max(deck.length * 4, Math.floor(canvas.clientWidth * ratio));
  if (canvas.width !== side) canvas.width = canvas.height = side;
  const cell = side / deck.length;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  context.fillStyle = style.getPropertyValue("--paper").trim();
  context.fillRect(0, 0, side, side);
  context.fillStyle = style.getPropertyValue("--empty").trim();
  const edge = (i) => Math.round(i * cell);
  for (let i = 0; i < deck.length; i++) {
    for (let j = 0; j < deck.length; j++) {
      if (i !== j) context.fillRect(edge(j), edge(i), edge(j + 1) - edge(j) - 1, edge(i + 1) - edge(i) - 1);
    }
  }
  summaries.forEach((summary, below) => {
    const paints = colours(view, summary).map(colour);
    const items = view.hands.map((_, i) => handItem(view, summary, i)).filter((item) => item.weight > 0);
    const full = Math.max(0, ...items.map((item) => item.weight));
    const scale = scaleOf(
      by,
      items.map((item) => valueIn(item, by)),
    );
    for (const item of items) {
      const [a, b] = cards(item.label)
        .map((card) => place.get(card) ?? 0)
        .sort((x, y) => x - y);
      const [row, column] = below ? [b, a] : [a, b];
      const x = edge(column),
        y = edge(row),
        width = edge(column + 1) - x - 1,
        height = edge(row + 1) - y - 1;
      if (by !== "strategy") {
        const value = valueIn(item, by);
        if (value === null) continue;
        context.fillStyle = `rgb(${valueColour(value, scale, by)})`;
        context.fillRect(x, y, width, height);
        continue;
      }
      const tall = Math.max(1, Math.round((height * item.weight) / full));
      let from = x;
      (item.shares.length ? item.shares : [1]).forEach((share, k, all) => {
        const to = k === all.length - 1 ? x + width : Math.min(x + width, from + Math.round(width * share));
        context.fillStyle = paints[k];
        if (to > from) context.fillRect(from, y + height - tall, to - from, tall);
        from = to;
      });
    }
  });
}

/** The hand at a point of the picture, and whether it is the other player's; null on the diagonal.
 *  @param {HTMLCanvasElement} canvas @param {import("./hands.js").View} view
 *  @param {{ offsetX: number, offsetY: number }} point */
export function handAt(canvas, view, { offsetX, offsetY }) {
  const deck = cardsFrom(view),
    cell = canvas.clientWidth / deck.length;
  const row = Math.floor(offsetY / cell),
    column = Math.floor(offsetX / cell);
  if (row === column || !deck[row] || !deck[column]) return null;
  const both = [deck[row] + deck[column], deck[column] + deck[row]];
  const i = view.hands.findIndex((hand) => both.includes(hand));
  return i < 0 ? null : { i, other: row > column };
}

/** The tab with both ranges.
 *  @param {import("./hands.js").View} view @param {import("./hands.js").Summary[]} summaries  shown and other player
 *  @param {TabOptions} options */
export function rangesView(view, summaries, { by, hand, sort, setSort, page, setPage, pick }) {
  const [shown] = summaries;
  const names = view.player_names;
  const rows = shown.all.hands.map((i) => handItem(view, shown, i)).filter((item) => item.weight > 0);
  const both = summaries.map(({ player, all }) => ({
    ...all,
    label: names[player],
    fixed: true,
    count: view.weights[player].filter((w) => w > 0).length,
  }));
  const point = (event) => {
    const found = handAt(event.currentTarget, view, event);
    const told = found && heard(handItem(view, summaries[Number(found.other)], found.i), by, view);
    event.currentTarget.nextElementSibling.textContent = told
      ? `${names[summaries[Number(found.other)].player]}, ${told}`
      : " ";
    return found;
  };
  const picture =
    view.hands[0]?.length !== 4
      ? ""
      : html`<figure class="all"><canvas role="img"
      aria-label=${
        `All hands: above the diagonal ${names[shown.player]}, below it ${names[1 - shown.player]}; ` +
        "the table has the numbers"
      }
      @pointermove=${point} @click=${(event) => {
        const found = point(event);
        if (found) pick(view.hands[found.i]);
      }}></canvas>
    <figcaption class="soft"> </figcaption><p class="soft">Above the diagonal: ${names[shown.player]}. Below it:
      ${names[1 - shown.player]}.</p></figure>`;
  return html`<h2>Ranges</h2>
    <table><caption class="unseen">Both ranges</caption><thead><tr><th scope="col">player</th><th
      scope="col">hands</th><th scope="col">combos</th
      ><th scope="col">EQ</th><th scope="col">EV</th><th scope="col">EQR</th></tr></thead><tbody>${both.map(
        (one) => html`<tr><th scope="row">${one.label}</th
      ><td>${one.count}</td><td>${weightText(one.weight)}</td><td>${hundredths(one.equity)}</td><td>${worth(
        one.ev,
        view.pot_chips,
      )}</td><td>${hundredths(one.eqr, 0)}</td></tr>`,
      )}</tbody></table>
    ${picture}
    <h3>Hands of ${names[shown.player]}</h3>
    ${tableView({
      caption: `All hands of ${names[shown.player]}`,
      columns: columnsOf(view, shown, { by, pick }),
      rows,
      fixed: [shown.all],
      sort,
      setSort,
      mark: (item) => item.label === hand,
      page,
      setPage,
      things: "hands",
    })}${units(by)}`;
}

/** A bar with shares side by side. @param {number[]} shares @param {string[]} paints */
export const mixBar = (shares, paints) =>
  html`<div class="mixbar" aria-hidden="true" .style=${`background-image:${stripes(shares, paints)}`}></div>`;
