/** Small things that all rooms need: messages, numbers and cards. */
import { html, render } from "./vendor/lit-html.js";

/** Say something to the user, on the screen and to screen readers. @param {string} text */
export function say(text) {
  const place = /** @type {HTMLElement} */ (document.getElementById("said"));
  place.textContent = text;
  place.classList.toggle("shown", text !== "");
  clearTimeout(Number(place.dataset.timer));
  place.dataset.timer = String(setTimeout(() => place.classList.remove("shown"), 8000));
}

/** Show an error in place of a room. @param {HTMLElement} root  @param {any} error */
export function showProblem(root, error) {
  render(html`<h1>This did not work</h1><p class="problem">${String(error?.message ?? error)}</p>`, root);
}

/**
 * A part of a room.  One whose data are damaged says so, and the rest of the room is drawn.
 * @param {() => any} draw  @param {string} name
 */
export function part(draw, name) {
  try {
    return draw();
  } catch (error) {
    return html`<p class="problem">${name} cannot be shown, because a file of it is damaged (${error.message}). Delete
      it.</p>`;
  }
}

const PLACES = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** Chips, with at most one decimal. @param {number | null} value */
export const chips = (value) => (value === null || value === undefined ? "–" : PLACES.format(value));

/** A share as a percentage. @param {number | null} share  @param {number} [places] */
export const percent = (share, places = 1) =>
  share === null || share === undefined ? "–" : `${(100 * share).toFixed(share > 0 && share < 1 ? places : 0)} %`;

const SUITS = { s: ["♠", "spades"], h: ["♥", "hearts"], d: ["♦", "diamonds"], c: ["♣", "clubs"] };

/** A card such as "Ah" with its colour; screen readers read "A of hearts". @param {string} card */
export function cardView(card) {
  const [sign, name] = SUITS[card[1]] ?? ["", ""];
  return html`<span class="card ${card[1]}"><span aria-hidden="true">${card[0]}${sign}</span
    ><span class="unseen">${card[0]} of ${name}</span></span>`;
}

/** A text of cards such as "AhKd". @param {string} text */
export const cardsView = (text) => (text.replace(/\s+/g, "").match(/../g) ?? []).map(cardView);

/** A button that copies a text. @param {string} text  @param {string} [label] */
export const copyButton = (text, label = "Copy as command") =>
  html`<button type="button" class="quiet" title=${text} @click=${async () => {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`);
  }}>${label}</button>`;

const STYLES = new Map();

/** Load the style sheet of a room once, and wait for it. @param {string} room  @returns {Promise<void>} */
export function useStyle(room) {
  if (!STYLES.has(room)) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = `/static/rooms/${room}.css`;
    // A style sheet that is missing must not keep the room from being shown.
    STYLES.set(room, new Promise((done) => (link.onload = link.onerror = () => done(undefined))));
    document.head.append(link);
  }
  return STYLES.get(room);
}
