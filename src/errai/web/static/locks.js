/** The tab Lock: the strategy of some hands is given, and the rest is solved again. */

import { api } from "./api.js";
import { copyButton } from "./dom.js";
import { classOf, handItem, paint, tenths } from "./hands.js";
import { readNumber } from "./numbers.js";
import { html } from "./vendor/lit-html.js";

/** Line, hands, action: as errai.solve takes them.
 *  @typedef {Record<string, Record<string, Record<string, number> | "best">>} Locks */

/** The locks of an address; none if the text is not one. @param {string} text @returns {Locks} */
export function locksOf(text) {
  try {
    const found = JSON.parse(text || "{}");
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

/** Locks as a file for errai solve --lock. @param {Locks} locks */
export function tomlOf(locks) {
  const text = (word) => JSON.stringify(word);
  const plays = (one) =>
    one === "best"
      ? text("best")
      : `{ ${Object.entries(one)
          .map(([action, p]) => `${text(action)} = ${p}`)
          .join(", ")} }`;
  const tables = Object.entries(locks).map(([line, hands]) =>
    [`[${text(line)}]`, ...Object.entries(hands).map(([one, how]) => `${text(one)} = ${plays(how)}`)].join("\n"),
  );
  return `${tables.join("\n\n")}\n`;
}

/** The text of two files of locks as one; a line of the second replaces the same line of the first.
 *  @param {string} first  as the API writes it @param {string} second */
export function joined(first, second) {
  const parts = first.split(/^(?=\[)/m).filter((part) => part.trim());
  const taken = new Set(second.split("\n").filter((line) => line.startsWith("[")));
  return [
    ...parts.filter((part) => !taken.has(part.split("\n")[0].trim())).map((part) => `${part.trim()}\n`),
    second,
  ].join("\n");
}

/** Per cents as frequencies that sum to 1, or a sentence that says why they cannot be.
 *  @param {number[]} percents @param {string[]} labels @returns {Record<string, number> | string} */
export function frequenciesOf(percents, labels) {
  if (percents.some((one) => !(one >= 0 && one <= 100))) return "Each frequency is a number from 0 to 100.";
  const sum = percents.reduce((a, b) => a + b, 0);
  if (Math.abs(sum - 100) > 0.05) return `The frequencies sum to ${Number(sum.toFixed(2))} %, not to 100 %.`;
  const parts = percents.map((one) => Math.round(10000 * (one / sum)));
  parts[parts.indexOf(Math.max(...parts))] += 10000 - parts.reduce((a, b) => a + b, 0);
  return Object.fromEntries(labels.flatMap((label, a) => (parts[a] ? [[label, parts[a] / 10000]] : [])));
}

/** The hands that a choice names, as locks write them: * without a choice, a class if the player may hold all of it.
 *  @param {import("./hands.js").View} view @param {import("./hands.js").Summary} summary @param {string} hand */
export function handsText(view, summary, hand) {
  if (!hand) return "*";
  if (view.hands.includes(hand) && !summary.byLabel.has(hand)) return hand;
  const item = summary.byLabel.get(hand) ?? summary.byLabel.get(classOf(hand));
  const held = (item?.hands ?? []).filter((i) => view.strategy[i]?.[0] != null);
  return item && held.length === item.possible ? item.label : held.map((i) => view.hands[i]).join(", ");
}

/** A line with * for every deal. @param {string} line */
export const anyCard = (line) => line.replace(/\/ [^/]+ \//g, "/ * /");

const told = (plays) =>
  plays === "best"
    ? "always the best answer"
    : Object.entries(plays)
        .map(([action, p]) => `${action} ${tenths(p)} %`)
        .join(", ");

let problem = "",
  wide = false,
  shownFor = "";
/** Locks with which a solution was made, by its name. @type {Map<string, string>} */
const own = new Map();

/** @param {any} options  what the room Study hands to a tab */
export function panelView({ view, summaries, state, set, redraw, pick }) {
  const locks = locksOf(state.lock);
  if (!own.has(state.name)) {
    own.set(state.name, "");
    api(`solutions/${encodeURIComponent(state.name)}/spot`).then(
      (found) => {
        own.set(state.name, found.settings.locks ?? "");
        redraw();
      },
      () => {},
    );
  }
  const before = own.get(state.name) ?? "",
    text = joined(before, tomlOf(locks));
  const change = (line, hands, plays) => {
    const next = structuredClone(locks);
    next[line] ??= {};
    if (plays === null) delete next[line][hands];
    else next[line][hands] = plays;
    if (!Object.keys(next[line]).length) delete next[line];
    set({ lock: Object.keys(next).length ? JSON.stringify(next) : "" });
  };
  return html`<h2>Lock</h2>${
    view.player === null
      ? html`<p>No player acts here; go to a decision to lock it.</p>`
      : editor({
          view,
          summary: summaries.find((one) => one.player === view.player),
          state,
          locks,
          change,
          redraw,
          pick,
        })
  }
    <h3>Locks</h3>${
      Object.keys(locks).length
        ? html`<ul class="locks">${Object.entries(locks).flatMap(([line, hands]) =>
            Object.entries(hands).map(
              ([one, plays]) => html`<li
      ><b>${line || "root"}</b>, ${one === "*" ? "every other hand" : one}: ${told(plays)} <button type="button"
        class="quiet"
      aria-label=${`Remove the lock of ${one === "*" ? "every other hand" : one} after ${line || "the root"}`}
        @click=${() => change(line, one, null)}>Remove</button></li>`,
            ),
          )}</ul>
      <p class="row"><a class="button main"
        href=${`/solve?${new URLSearchParams({ from: state.name, lock: text })}`}>Solve again with
          ${
            Object.values(locks).reduce((n, one) => n + Object.keys(one).length, 0) > 1 ? "these locks" : "this lock"
          }</a>
      ${copyButton(text, "Copy as a file for errai solve --lock")}</p>`
        : html`<p class="soft">Nothing is locked yet.</p>`
    }
    ${
      before
        ? html`<p class="soft">The solution was made with locks; they stay, except on lines that are locked
          here.</p><pre>${before}</pre>`
        : ""
    }`;
}

function editor({ view, summary, state, locks, change, redraw, pick }) {
  const hands = handsText(view, summary, state.hand);
  const dealt = view.columns.some((one) => one.kind === "card");
  const line = wide && dealt ? anyCard(view.line) : view.line;
  const i = view.hands.indexOf(state.hand);
  const item = !state.hand
    ? summary.all
    : i >= 0 && !summary.byLabel.has(state.hand)
      ? handItem(view, summary, i)
      : (summary.byLabel.get(state.hand) ?? summary.byLabel.get(classOf(state.hand)) ?? summary.all);
  const labels = view.actions.map((one) => one.label);
  const now = locks[line]?.[hands];
  const given = labels.map((label, a) => (now && now !== "best" ? (now[label] ?? 0) : (item.shares[a] ?? 0)));
  const key = `${view.solution} ${line} ${hands} ${JSON.stringify(now)}`;
  if (key !== shownFor) {
    shownFor = key;
    problem = "";
  }
  if (!hands) return html`<p>The player cannot hold ${state.hand} here. Choose another hand in the grid.</p>`;
  const submit = (event) => {
    event.preventDefault();
    const typed = labels.map((_, a) => readNumber(event.target.elements[`share${a}`].value || "0"));
    const found =
      typed.find((one) => one.problem)?.problem ??
      frequenciesOf(
        typed.map((one) => Number(one.text)),
        labels,
      );
    problem = typeof found === "string" ? found : "";
    if (typeof found === "string") redraw();
    else change(line, hands, found);
  };
  const only = ({ target }, a) => {
    for (const b of labels.keys()) target.form.elements[`share${b}`].value = a === b ? "100" : "0";
  };
  return html`<form class="panel lock" @submit=${submit}><p>How ${view.player_name} plays
    <b>${hands === "*" ? "every hand" : hands}</b> after ${line ? html`<b>${line}</b>` : "the root"}, in per cent:
      ${hands === "*" ? "" : html`<button type="button" class="quiet" @click=${() => pick("")}>Every hand</button>`}</p>
    <div class="row">${labels.map(
      (
        label,
        a,
      ) => html`<label .style=${`--colour:${paint(view.actions[a].colour)}`}>${label}<br><input name=${`share${a}`}
        inputmode="decimal" autocomplete="off" required
      .value=${String(Number((100 * given[a]).toFixed(2)))}><button type="button" class="quiet"
        aria-label=${`Always ${label}`} @click=${(event) => only(event, a)}>all</button></label>`,
    )}</div>
    ${
      dealt
        ? html`<p><label><input type="checkbox" .checked=${wide} @change=${(event) => {
            wide = event.target.checked;
            redraw();
          }}> on whatever card comes</label></p>`
        : ""
    }
    <p class="problem" role="alert">${problem}</p>
    <p class="row"><button>${now ? "Change the lock" : "Lock"}</button><button type="button"
      @click=${() => change(line, hands, "best")}>Always the best answer</button>
      <span class="soft">Choose a class in the grid, or a hand in the combos, to lock it alone.</span></p></form>`;
}
