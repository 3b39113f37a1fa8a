/** The line of play: a column for each decision and each card, and the cards that may come. */

import { cardsView, cardView } from "./dom.js";
import { after, deckOf, otherCard, paint, tenths } from "./hands.js";
import { html } from "./vendor/lit-html.js";

const SHORT = { "out of position": "OOP", "in position": "IP" };
const SUITS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

/** A long name of a player in a few letters. @param {string} name */
export const shortName = (name) => SHORT[name] ?? name;

/**
 * @param {import("./hands.js").View} view
 * @param {{ to: (line: string) => void, soon: (line: string) => void }} options
 *   `to` goes to a line; `soon` says that the user may go there
 */
export function lineView(view, { to, soon }) {
  const column = (one, at) => {
    if (one.kind === "card") {
      const other = (by) => {
        const line = otherCard(view, by, at);
        return html`<button type="button" class="turn" ?disabled=${line === null}
          aria-label=${`${by < 0 ? "Previous" : "Next"} ${one.street} card`}
          @click=${() => line !== null && to(line)}>${by < 0 ? "‹" : "›"}</button>`;
      };
      return html`<div class="column deal" role="group" aria-label=${one.street}><span
        class="who">${one.street}</span><span class="cards"
        >${other(-1)}<button type="button" @click=${() => to(one.line)}><span class="unseen">Choose another card than
          </span
        >${cardsView(one.card)}</button>${other(1)}</span></div>`;
    }
    return html`<div class="column" role="group" aria-label=${`${one.player_name}, ${one.street}`}><span
      class="who">${shortName(one.player_name)}</span
      ><span class="options">${one.options.map((option) => {
        const line = after(one.line, option.step);
        return html`<button type="button" aria-pressed=${!!option.taken} .style=${`--colour:${paint(option.colour)}`}
          @pointerenter=${() => soon(line)} @click=${() => to(line)}>${option.label}${
            option.frequency === null || option.frequency === undefined
              ? ""
              : html` <span class="soft">${tenths(option.frequency, 0)}&nbsp;%</span>`
          }</button>`;
      })}</span></div>`;
  };
  return html`<nav class="line" aria-label="Line of play">${view.columns.map(column)}</nav>`;
}

/** The button that goes back to the root, with the cards that lie there. @param {import("./hands.js").View} view
 *  @param {(line: string) => void} to */
export function rootView(view, to) {
  const dealt = view.columns.map((one) => one.card ?? "").join("").length / 2;
  const board = view.board.slice(0, view.board.length - dealt);
  return html`<button type="button" class="root" aria-current=${view.columns.length ? "false" : "true"}
    @click=${() => to("")}>${
      board.length ? cardsView(board.join("")) : ""
    }<span class=${board.length ? "unseen" : ""}>root</span></button>`;
}

/** The cards that may be dealt, as a deck of buttons.  Where several cards come at once, the user chooses all of them.
 *  @param {import("./hands.js").View} view @param {string[]} chosen  cards that are chosen already
 *  @param {(card: string) => void} pick */
export function deckView(view, chosen, pick) {
  const { ranks, suits } = deckOf(view);
  const count = view.deal_count;
  return html`<div class="deck" role="group" aria-label=${count > 1 ? `Choose ${count} cards` : "Choose the next card"}>
    <p class="soft">${
      count > 1 ? `Choose ${count} cards; ${count - chosen.length} to go.` : "Choose the next card."
    }</p>
    ${suits.map(
      (suit) =>
        html`<div class="suit">${ranks.map((rank) => {
          const card = rank + suit;
          return view.deals.includes(card)
            ? html`<button type="button" aria-pressed=${chosen.includes(card)}
              aria-label=${`${rank} of ${SUITS[suit]}`} @click=${() => pick(card)}>${cardView(card)}</button>`
            : html`<span class="gone" aria-hidden="true"></span>`;
        })}</div>`,
    )}</div>`;
}
