/**
 * One table: the seats, the board, what can be done, and words for what has happened.
 *
 * @typedef {{ asked: { path: string } | null, problem: string, typed: string }} Mood
 *   what the user is doing at a table; `asked` is the request that is not answered yet
 */

import { chips } from "./dom.js";
import { html, nothing } from "./vendor/lit-html.js";

const LONG_SECONDS = 3;
const SUITS = { s: ["♠", "spades"], h: ["♥", "hearts"], d: ["♦", "diamonds"], c: ["♣", "clubs"] };
const RANKS = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };

/** A card in words. @param {string} card */
const inWords = (card) => `${RANKS[card[0]] ?? card[0]} of ${(SUITS[card[1]] ?? ["", "?"])[1]}`;

/** A card as it lies on the table; an empty text is one face down. @param {string} card */
export function faceView(card) {
  if (!card) return html`<span class="face down"><span class="unseen">a card face down</span></span>`;
  const rank = card[0] === "T" ? "10" : card[0];
  return html`<span class="face ${card[1]}"
    ><span aria-hidden="true"><b>${rank}</b><i>${(SUITS[card[1]] ?? ["", ""])[0]}</i></span
    ><span class="unseen">${inWords(card)}</span></span>`;
}

/** A player. @param {any} seat  @param {boolean} own */
function seatView(seat, own) {
  return html`<div class="seat ${own ? "own" : ""} ${seat.acts ? "acts" : ""}">
    <div class="faces">${seat.cards.map(faceView)}</div>
    <div class="who">
      <strong>${seat.name}</strong>${
        seat.dealer ? html` <span class="dealer" title="dealer">D<span class="unseen">, dealer</span></span>` : nothing
      }
      ${seat.stack_chips === null ? nothing : html`<div>${chips(seat.stack_chips)} behind</div>`}
      <div class="soft">${seat.note}</div>
    </div>
    ${
      seat.bet_chips
        ? html`<div class="bet" title="in on this street">${chips(seat.bet_chips)}<span class="unseen"> in on this
          street</span></div>`
        : nothing
    }
  </div>`;
}

/** The cards, the pot and the players of a hand. @param {any} hand */
export function handView(hand) {
  const blanks = Array.from({ length: hand.board_places - hand.board.length });
  return html`<div class="felt">
    ${seatView(hand.seats[0], false)}
    <div class="middle">
      ${
        hand.board_places
          ? html`<div class="faces board">${hand.board.map(faceView)}${blanks.map(
              () => html`<span class="face blank"></span>`,
            )}</div>`
          : nothing
      }
      <div class="pot">pot <b>${chips(hand.pot_chips)}</b></div>
    </div>
    ${seatView(hand.seats[1], true)}
  </div>`;
}

/** What was done, street by street. @param {any} hand */
export const streetsView = (hand) =>
  html`<dl class="streets">${hand.streets.map(
    (one) =>
      html`<div><dt>${one.street}</dt><dd>${
        one.said.join("; ") || html`<span class="soft">nothing yet</span>`
      }</dd></div>`,
  )}</dl>`;

/** Whole seconds since the agent began to think; 0 unless it does. @param {any} table */
const waited = (table) => Math.max(0, Math.floor(Date.now() / 1000 - (table.thinking_since ?? Infinity)));

const inSeconds = (count) => `${chips(count)} ${count === 1 ? "second" : "seconds"}`;

/** How the table stands, in a sentence. @param {any} table */
export function stateWords(table) {
  if (table.state === "turn") return "Your turn.";
  if (table.state === "thinking") {
    const seconds = waited(table);
    if (seconds < 1) return `${table.opponent} is thinking.`;
    const allowed =
      table.decision_seconds === null ? "" : `; it has ${inSeconds(table.decision_seconds)} for a decision`;
    return `${table.opponent} has been thinking for ${inSeconds(seconds)}${allowed}.`;
  }
  if (table.state === "waiting") {
    return table.ahead === 1 ? "One other agent thinks first." : `${table.ahead} other agents think first.`;
  }
  if (table.state === "failed") return `${table.opponent} failed: ${table.error}`;
  return table.shown?.result?.words ?? "";
}

/** What a listener has to hear between two views of a table. @param {any} before  @param {any} after */
export function news(before, after) {
  const now = after.shown;
  if (!now) return "";
  const same = before?.shown?.hand === now.hand;
  const said = [];
  if (!same) said.push(`Hand ${now.hand}. You hold ${now.seats[1].cards.map(inWords).join(" and ")}.`);
  const old = same ? before.shown.streets.map((one) => one.said.length) : [];
  const cards = same ? before.shown.board.length : 0;
  now.streets.forEach((street, number) => {
    const fresh = street.said.slice(old[number] ?? 0);
    if (fresh.length) said.push(`${fresh.join("; ")}.`);
  });
  if (now.board.length > cards) said.push(`On the table: ${now.board.slice(cards).map(inWords).join(", ")}.`);
  if (now.result && !(same && before.shown.result)) {
    const shown = now.seats[0].cards.filter(Boolean);
    if (shown.length) said.push(`${now.seats[0].name} shows ${shown.map(inWords).join(" and ")}.`);
    said.push(now.result.words);
  }
  if (after.state === "turn" && (before?.state !== "turn" || said.length)) {
    said.push(`Your turn: ${after.choices.map((one) => one.label).join(", ")}.`);
  }
  if (after.state === "thinking" && before?.state === "turn") said.push(`${after.opponent} is thinking.`);
  if (after.state === "failed" && before?.state !== "failed") said.push(stateWords(after));
  return said.join(" ");
}

/**
 * The buttons of a table, and the field for any other bet.
 * @param {any} table  @param {Mood} mood
 * @param {{ act: (text: string) => void, deal: () => void, again: () => void, type: (text: string) => void }} does
 */
export function actionsView(table, mood, does) {
  if (table.state === "over" || table.state === "new") {
    return html`<div class="actions"><button type="button" class="main" ?disabled=${mood.asked} @click=${does.deal}>
      Deal the next hand <kbd>Enter</kbd></button></div>`;
  }
  if (table.state === "failed") {
    return html`<div class="actions"><button type="button" class="main" ?disabled=${mood.asked} @click=${does.again}>
      Let it try again</button></div>`;
  }
  if (table.state !== "turn")
    return html`<div class="actions"><p class="soft">${
      table.state === "thinking" && waited(table) < LONG_SECONDS
        ? nothing
        : "You can leave the table and come back: the hand goes on when the agent has acted."
    }</p></div>`;
  const range = table.raises;
  const most = range?.most_chips === null ? "or more" : `to ${chips(range?.most_chips)}`;
  return html`<div class="actions">
      ${table.choices.map((one) => {
        const size = one.action.startsWith("r ") ? one.action.slice(2) : "";
        const key = one.keys.length > 1 ? one.action : one.keys[0];
        return html`<button type="button" ?disabled=${mood.asked} @click=${() => does.act(one.action)}>
          <span class="stripe" .style=${`background:${one.colour}`}></span>
          <span>${one.label}${size ? html` <small>${size}</small>` : nothing}</span> <kbd>${key}</kbd>
        </button>`;
      })}
    </div>
    ${
      range
        ? html`<form class="row" @submit=${(event) => {
            event.preventDefault();
            // What the field asks for is a size, so a number needs no letter before it.
            does.act(mood.typed.replace(/^\s*(?=[\d.,]+\s*$)/, "r "));
          }}>
          <label for=${`typed-${table.id}`}>Other size</label>
          <input id=${`typed-${table.id}`} class="typed" autocomplete="off" maxlength="40"
            placeholder=${`${range.least_chips}, 50%, pot`}
            .value=${mood.typed} ?disabled=${mood.asked} @input=${(event) => does.type(event.target.value)}
            @keydown=${(event) => {
              if (event.key === "Escape") event.target.blur();
            }}>
          <button ?disabled=${mood.asked || !mood.typed.trim()}>${
            range.verb.startsWith("raise") ? "Raise" : "Bet"
          }</button>
          <span class="soft">${range.verb} ${chips(range.least_chips)} ${most}</span>
        </form>`
        : nothing
    }`;
}
