/**
 * The fields of a spot.
 *
 * @typedef {import("./spot.js").Form} Form
 * @typedef {(id: string, label: string, of: any, key: string | number, more?: object) => any} Field
 *   the view of a field whose text is kept under a key
 */
import { boardPicker, cardsOf } from "./board.js";
import { cardsView } from "./dom.js";
import { checkView } from "./fields.js";
import { PLAYERS, streetsLeft, THRESHOLDS } from "./spot.js";
import { html, nothing } from "./vendor/lit-html.js";

const STREET_OF_CARDS = ["before the flop", "", "", "flop", "turn", "river"];
const LABELS = {
  add_all_in: "Add all-in below (pots)",
  force_all_in: "Force all-in below (pots left)",
  merging: "Merge sizes closer than (pots)",
};

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The fields of a spot but those of its ranges, which stand in between.
 *  @param {Form} form  @param {Field} field  @param {() => void} changed  @param {any} ranges */
export function spotView(form, field, changed, ranges) {
  const preflop = cardsOf(form.board)?.length === 0;
  return html`${field("title", "Title", form, "title", { hint: "optional", width: "long" })}
    <div class="top">${boardView(form, field, changed)} ${chipsView(form, field, changed, preflop)}</div>
    <div class="ranges">${ranges}</div>
    ${betsView(form, field, changed)}`;
}

function boardView(form, field, changed) {
  const cards = cardsOf(form.board);
  const put = (text) => {
    form.board = text;
    changed();
  };
  const street = cards && STREET_OF_CARDS[cards.length];
  return html`<fieldset><legend>Board</legend>
    <div class="row">${field("board", "Cards", form, "board", { hint: "none: before the flop" })}
      <span>${cardsView((cards ?? []).join(""))} <span class="soft">${
        street || "a board has 3, 4 or 5 cards, or none"
      }</span></span>
      <button type="button" @click=${() => put("")}>Clear</button></div>
    ${boardPicker(cards ?? [], (board) => put(board.join(" ")))}
  </fieldset>`;
}

/** A box whose state is kept under a key. */
const check = (label, of, key, changed) =>
  checkView(label, of[key], (on) => {
    of[key] = on;
    changed();
  });

function chipsView(form, field, changed, preflop) {
  const stack = preflop ? "with the blind" : "behind";
  const mode = "decimal";
  return html`<fieldset><legend>Chips</legend><div class="fields">
    ${preflop ? field("blinds-0", "Small blind", form.blinds, 0, { mode }) : field("pot", "Pot", form, "pot", { mode })}
    ${field("blinds-1", "Big blind", form.blinds, 1, { mode, hint: preflop ? "" : "optional" })}
    ${PLAYERS.map((player, i) => field(`stacks-${i}`, `Stack of ${player}, ${stack}`, form.stacks, i, { mode }))}
    ${field("rake-percent", "Rake, %", form.rake, "percent", { mode, hint: "none" })}
    ${field("rake-cap", "Rake at most, chips", form.rake, "cap", { mode, hint: "no cap" })}
    </div>${
      preflop ? check("No rake of hands that end before the flop", form.rake, "no_drop", changed) : nothing
    }</fieldset>`;
}

function betsView(form, field, changed) {
  const streets = streetsLeft(form.board);
  const copy = () => {
    for (const other of streets.slice(1)) form.bets[other] = structuredClone(form.bets[streets[0]]);
    changed();
  };
  return html`<fieldset class="bets"><legend>Bets</legend>
    <p class="soft">Sizes with commas between them: 33% of the pot, 2.5x the bet, 100c chips, 3bb, e (equal shares over
      the streets), a (all-in), min. A donk bet is one into the player who bet or raised last on the street before;
      “none” forbids it.</p>
    ${streets.map((street, at) => streetView(form.bets[street], street, at, field, changed, at ? null : copy))}
    <details><summary>Thresholds for all-in and for sizes that are nearly the same</summary><div class="fields">
      ${THRESHOLDS.map((name) => field(name, LABELS[name], form.thresholds, name, { hint: "0", mode: "decimal" }))}
    </div></details></fieldset>`;
}

/** The bets of a street. @param {(() => void) | null} copy  copies them to the later streets */
function streetView(bets, street, at, field, changed, copy) {
  const preflop = street === "preflop";
  const menu = (index, kind, label, hint = "none") =>
    field(`${street}-${index}-${kind}`, label, bets.players[index], kind, { hint });
  return html`<fieldset><legend>${capital(street)}</legend>
    ${PLAYERS.map(
      (player, index) => html`<div class="fields">
      ${preflop ? nothing : menu(index, "bet", `${player}: bet`)}
      ${menu(index, "raise", `${player}: raise`)}
      ${index || at === 0 ? nothing : menu(0, "donk", "oop: donk bet", "as bet")}
    </div>`,
    )}
    <div class="fields">${field(`${street}-cap`, "Most bets and raises", bets, "cap", {
      hint: "no cap",
      mode: "numeric",
    })}
    ${
      copy && street !== "river" && !preflop
        ? html`<div class="field"><button type="button" @click=${copy}>Copy to the later streets</button></div>`
        : nothing
    }</div>
    ${
      preflop
        ? html`${check("The small blind may limp", bets, "limp", changed)}
        ${check("A raise may be called with chips behind", bets, "flat", changed)}`
        : nothing
    }
  </fieldset>`;
}
