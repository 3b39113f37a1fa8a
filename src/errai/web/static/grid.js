/** The grid of hands: a button for each class, one of which is in the order of the tab key; arrows reach the others. */

import { cardView } from "./dom.js";
import { cellText, heard, inkOn, paint, RANGE, scaleOf, stripes, valueColour, valueIn } from "./hands.js";
import { html } from "./vendor/lit-html.js";

const STEPS = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -99],
  End: [0, 99],
};

/** The colours of the actions of a node, or of the range where the player does not act.
 *  @param {import("./hands.js").View} view @param {import("./hands.js").Summary} summary */
export const colours = (view, summary) => (summary.acts ? view.actions.map((one) => paint(one.colour)) : [RANGE]);

/** The style of what fills a cell. @param {import("./hands.js").Item} item @param {string} by
 *  @param {string[]} paints @param {number} full @param {number[]} scale */
export function fill(item, by, paints, full, scale) {
  if (!(item.weight > 0)) return "";
  if (by === "strategy") {
    const height = Math.max(10, (100 * item.weight) / full).toFixed(1);
    return `background-image:${stripes(
      item.shares.length ? item.shares : [1],
      paints,
    )};background-size:100% ${height}%`;
  }
  const value = valueIn(item, by);
  if (value === null) return "";
  const colour = valueColour(value, scale, by);
  return `background-color:rgb(${colour});color:${inkOn(colour)}`;
}

/** The place that an arrow leads to from a place of the grid; -1 for another key.
 *  @param {string} key @param {number} i @param {number} columns @param {number} count */
export function moved(key, i, columns, count) {
  const step = STEPS[key];
  if (!step) return -1;
  const row = Math.floor(i / columns),
    rows = Math.ceil(count / columns);
  const within = (value, end) => Math.min(end - 1, Math.max(0, value));
  return Math.min(count - 1, within(row + step[0], rows) * columns + within((i % columns) + step[1], columns));
}

/**
 * @param {import("./hands.js").View} view  @param {import("./hands.js").Summary} summary
 * @param {{ by: string, chosen: string, title: string, pick: (label: string) => void, follow?: boolean }} options
 *   `chosen` is the label of the class that is selected, or ""; arrows select what they reach, unless `follow` is false
 */
export function gridView(view, summary, { by, chosen, title, pick, follow = true }) {
  const { items, columns, full } = summary;
  const paints = colours(view, summary);
  const scale = scaleOf(
    by,
    items.filter((item) => item.weight > 0).map((item) => valueIn(item, by)),
  );
  const entry = chosen && summary.byLabel.has(chosen) ? chosen : items.find((item) => item.weight > 0)?.label;
  const key = (event) => {
    const at = Number(event.target.closest("button")?.dataset.i ?? -1);
    const to =
      at < 0 || event.ctrlKey || event.altKey || event.metaKey ? -1 : moved(event.key, at, columns, items.length);
    if (to < 0) return;
    event.preventDefault();
    event.currentTarget.children[to].focus();
    if (follow) pick(items[to].label);
  };
  return html`<div class="hands" role="group" aria-label=${title} .style=${`--columns:${columns}`}
    @keydown=${key}>${items.map(
      (item, i) => html`<button type="button" class=${`cell ${item.weight > 0 ? "" : "out"}`} data-i=${i}
      tabindex=${item.label === entry ? 0 : -1} aria-pressed=${item.label === chosen}
        aria-label=${heard(item, by, view)}
      @click=${() => pick(item.label)}><span
        class="label">${/^.[cdhs]$/.test(item.label) ? cardView(item.label) : item.label}</span><span class="fill"
      .style=${fill(item, by, paints, full, scale)}>${cellText(item, by, view.pot_chips)}</span></button>`,
    )}</div>`;
}
