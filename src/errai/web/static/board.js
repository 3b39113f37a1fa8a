/** The deck as 13 x 4 buttons, from which a board is picked. */
import { html } from "./vendor/lit-html.js";

export const RANKS = "AKQJT98765432";
const SUITS = [
  ["s", "♠", "spades"],
  ["h", "♥", "hearts"],
  ["d", "♦", "diamonds"],
  ["c", "♣", "clubs"],
];

/**
 * The keys that move the focus in a grid of buttons, of which one can be reached by Tab.
 * @param {KeyboardEvent} event  @param {number} rows  @param {number} columns
 */
export function moveInGrid(event, rows, columns) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const grid = /** @type {HTMLElement} */ (event.currentTarget);
  const from = /** @type {Element} */ (event.target).closest("button");
  if (!from || event.ctrlKey || event.metaKey || event.altKey) return false;
  const cells = [...grid.querySelectorAll("button")];
  const place = cells.indexOf(from);
  let to = place;
  if (step) {
    const row = Math.min(rows - 1, Math.max(0, Math.floor(place / columns) + step[0]));
    const column = Math.min(columns - 1, Math.max(0, (place % columns) + step[1]));
    to = row * columns + column;
  } else if (event.key === "Home") to = place - (place % columns);
  else if (event.key === "End") to = place - (place % columns) + columns - 1;
  else return false;
  event.preventDefault();
  for (const cell of cells) cell.tabIndex = -1;
  cells[to].tabIndex = 0;
  cells[to].focus();
  return true;
}

/** The cards of a text such as "Qs Jh 2c"; null if it has anything else. @param {string} text */
export function cardsOf(text) {
  const cards = text.replace(/[\s,]+/g, "").match(/..?/g) ?? [];
  const found = cards.map((card) => card[0].toUpperCase() + (card[1] ?? "").toLowerCase());
  return found.every((card) => /^[AKQJT2-9][shdc]$/.test(card)) ? found : null;
}

/**
 * The picker.
 * @param {string[]} board  the cards picked so far, in their order  @param {(board: string[]) => void} picked
 */
export function boardPicker(board, picked) {
  return html`<div class="deck" role="group" aria-label="Cards of the board"
    @keydown=${(event) => moveInGrid(event, 4, 13)}>
    ${SUITS.map(([suit, sign, name], row) =>
      [...RANKS].map((rank, column) => {
        const card = rank + suit;
        const place = board.indexOf(card);
        const full = board.length >= 5 && place < 0;
        return html`<button type="button" class="pick ${suit}" tabindex=${row + column ? -1 : 0}
          aria-pressed=${place >= 0}
        aria-disabled=${full} aria-label="${rank} of ${name}"
        @click=${() => !full && picked(place >= 0 ? board.filter((one) => one !== card) : [...board, card])}
        ><span aria-hidden="true">${rank}<br>${sign}</span></button>`;
      }),
    )}
  </div>`;
}
