/**
 * A range: its text and a grid of 13 x 13 buttons, always in step.  The server reads and writes the text, so a range
 * means the same here and at the command line.
 */

import { api } from "./api.js";
import { moveInGrid, RANKS } from "./board.js";
import { say } from "./dom.js";
import { readNumber } from "./numbers.js";
import { html } from "./vendor/lit-html.js";

/** The name of the class of hands in a cell. @param {number} row  @param {number} column */
export const className = (row, column) =>
  row === column
    ? RANKS[row] + RANKS[row]
    : row < column
      ? `${RANKS[row]}${RANKS[column]}s`
      : `${RANKS[column]}${RANKS[row]}o`;

const HANDS = 1326;

export class Painter {
  /**
   * @param {string} id  used for the ids of elements  @param {string} label
   * @param {(text: string) => void} changed  called with the new text after each change by the user
   * @param {() => void} redraw  draws the page again
   */
  constructor(id, label, changed, redraw) {
    this.id = id;
    this.label = label;
    this.changed = changed;
    this.redraw = redraw;
    this.text = "";
    this.problem = "";
    this.hands = 0;
    this.brush = 1;
    /** @type {number[][]} */
    this.grid = Array.from({ length: 13 }, () => Array(13).fill(0));
    /** @type {Map<number, number>} cells that were painted and are not in the text yet */
    this.waiting = new Map();
    /** @type {number | null} the weight that is being painted, while the pointer is down */
    this.painting = null;
    this.turn = 0;
    this.busy = false;
  }

  /** Show another text. @param {string} text  @param {boolean} [byUser] */
  async read(text, byUser = false) {
    this.text = text;
    this.waiting.clear();
    const mine = ++this.turn;
    if (byUser) this.changed(text);
    try {
      const found = await api("ranges", { body: { text } });
      if (mine !== this.turn) return;
      this.take(found, "");
    } catch (error) {
      if (mine === this.turn) this.problem = error.text;
    }
    this.redraw();
  }

  take(found, problem) {
    this.grid = found.grid;
    this.hands = found.hands;
    this.problem = problem;
    for (const [place, weight] of this.waiting) this.grid[Math.floor(place / 13)][place % 13] = weight;
  }

  /** Give a cell a weight, and bring the text in step soon. @param {number} place  @param {number} weight */
  paint(place, weight) {
    if (this.grid[Math.floor(place / 13)][place % 13] === weight) return;
    this.grid[Math.floor(place / 13)][place % 13] = weight;
    this.waiting.set(place, weight);
    this.redraw();
    this.send();
  }

  async send() {
    if (this.busy || !this.waiting.size) return;
    this.busy = true;
    const sent = new Map(this.waiting);
    const mine = this.turn;
    const cells = [...sent].map(([place, weight]) => ({ row: Math.floor(place / 13), column: place % 13, weight }));
    try {
      const found = await api("ranges", { body: { text: this.text, cells } });
      if (mine === this.turn) {
        for (const [place, weight] of sent) if (this.waiting.get(place) === weight) this.waiting.delete(place);
        this.text = found.text;
        this.take(found, "");
        this.changed(found.text);
      }
    } catch (error) {
      // A text with an error in it cannot be painted on; the cells go back to what was read last.
      if (mine === this.turn) {
        this.waiting.clear();
        this.problem = error.text;
        if (error.status) this.read(this.text).then(() => this.redraw());
      }
    }
    this.busy = false;
    this.redraw();
    this.send();
  }

  /** The weight that a click gives a cell: out if it has the weight of the brush already. @param {number} place */
  toggled(place) {
    return this.grid[Math.floor(place / 13)][place % 13] === this.brush ? 0 : this.brush;
  }

  /** @param {PointerEvent} event */
  down(event) {
    const place = placeOf(event.target);
    if (place === null || event.button) return;
    this.painting = this.toggled(place);
    this.paint(place, this.painting);
    const grid = /** @type {HTMLElement} */ (event.currentTarget);
    grid.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.painting === null) return;
    // While the pointer is captured the event does not say which cell it is over.
    const grid = /** @type {HTMLElement} */ (event.currentTarget);
    const over = document.elementFromPoint(event.clientX, event.clientY);
    const place = over && grid.contains(over) ? placeOf(over) : null;
    if (place !== null) this.paint(place, this.painting);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (moveInGrid(event, 13, 13)) return;
    if (/^[0-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      this.brush = event.key === "0" ? 1 : Number(event.key) / 10;
      event.preventDefault();
      this.redraw();
    }
  }

  /** Enter, space and screen readers click without a pointer. @param {MouseEvent} event */
  click(event) {
    const place = placeOf(event.target);
    if (place !== null && event.detail === 0) this.paint(place, this.toggled(place));
  }

  /** @param {string} [wrong]  what is wrong with the range in this spot, though its text can be read */
  view(wrong = "") {
    const share = (100 * this.hands) / HANDS;
    const problem = this.problem || wrong;
    const count = Number(this.hands.toFixed(2)).toLocaleString("en");
    const end = () => (this.painting = null);
    return html`<fieldset class="range"><legend>${this.label}</legend>
      <label class="unseen" for="${this.id}-text">${this.label} as text</label>
      <textarea id="${this.id}-text" rows="3" spellcheck="false" .value=${this.text} aria-invalid=${problem !== ""}
        aria-describedby="${this.id}-said" @input=${(event) => this.read(event.target.value, true)}></textarea>
      <p id="${this.id}-said" class=${problem ? "problem" : "soft"}>${
        problem || `${count} of ${HANDS.toLocaleString("en")} combos, ${share.toFixed(1)} %`
      }</p>
      <div class="paint" role="group" aria-label="${this.label}, hand by hand"
        @pointerdown=${(event) => this.down(event)}
        @pointermove=${(event) => this.move(event)} @pointerup=${end} @pointercancel=${end}
          @keydown=${(event) => this.key(event)}
        @click=${(event) => this.click(event)}>
        ${this.grid.map((cells, row) =>
          cells.map(
            (weight, column) => html`<button type="button" data-place=${13 * row + column}
          tabindex=${row + column ? -1 : 0} aria-label="${className(row, column)}, ${Math.round(100 * weight)} %"
          .style=${`--weight:${100 * weight}%`} class=${weight > 0 ? "in" : ""}
          ><span aria-hidden="true">${className(row, column)}</span></button>`,
          ),
        )}
      </div>
      <div class="row">
        <label>Brush <input inputmode="decimal" autocomplete="off" .value=${String(Math.round(100 * this.brush))}
          @input=${(event) => {
            const value = Number(readNumber(event.target.value).text);
            if (value >= 1 && value <= 100) this.brush = value / 100;
          }} @change=${(event) => {
            const { text, problem } = readNumber(event.target.value);
            if (problem || Number(text) < 1 || Number(text) > 100) say(problem || "The brush is from 1 to 100 %.");
            event.target.value = String(Math.round(100 * this.brush));
          }}> %</label>
        <button type="button" @click=${() => this.read("random", true)}>All hands</button>
        <button type="button" @click=${() => this.read("", true)}>None</button>
      </div>
    </fieldset>`;
  }
}

/** The number of the cell of an element. @param {EventTarget | null} target */
function placeOf(target) {
  const cell = target instanceof Element ? target.closest("[data-place]") : null;
  return cell ? Number(/** @type {HTMLElement} */ (cell).dataset.place) : null;
}
