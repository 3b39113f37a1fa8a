/** What stands at and beside a table, and the list of sessions. */

import { chips, copyButton, percent } from "./dom.js";
import { actionsView, handView, stateWords, streetsView } from "./felt.js";
import { html, nothing } from "./vendor/lit-html.js";

/** Chips won, with their sign. @param {number} value */
const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${chips(Math.abs(value))}`;

export function tableView(room, id, number) {
  const table = room.tables.get(id);
  const mine = room.side(id);
  if (!table) return html`<section class="table"><p>${mine.problem || "Opening the table …"}</p></section>`;
  const does = {
    act: (text) => room.act(id, text),
    deal: () => room.deal(id),
    again: () => room.send(id, "again", {}),
    type: (text) => {
      mine.typed = text;
      room.draw();
    },
  };
  return html`<section class="table ${id === room.focus ? "current" : ""} ${table.state}" data-table=${id} tabindex="-1"
        aria-label=${`Table ${number + 1}, against ${table.opponent}`}
          @focusin=${() => id !== room.focus && room.goTo(room.open, id)}>
      <header><h2>${room.open.length > 1 ? `${number + 1}. ` : ""}${table.opponent}</h2>
        <span class="soft">hand ${table.shown?.hand ?? "–"}</span>
        <button type="button" class="quiet" @click=${() =>
          room.goTo(
            room.open.filter((one) => one !== id),
            room.open.find((one) => one !== id) ?? "",
          )}
          aria-label=${`Leave table ${number + 1}; its session is saved`}>Leave</button></header>
      ${table.shown ? handView(table.shown) : nothing}
      <p class="state ${table.shown?.result && table.state === "over" ? "result" : ""}">${stateWords(table)}</p>
      ${mine.problem ? html`<p class="problem" role="alert">${mine.problem}</p>` : nothing}
      ${actionsView(table, mine, does)}
    </section>`;
}

function scoreView(found) {
  if (!found?.chips.hands) return html`<p class="soft">No hand has been finished yet.</p>`;
  const perHand = (one) => {
    if (one.half_width_chips === null) return nothing;
    const [unit, scale] = found.big_blind_chips ? ["mbb a hand", 1000 / found.big_blind_chips] : ["chips a hand", 1];
    const places = { maximumFractionDigits: found.big_blind_chips ? 0 : 2 };
    const text = (value) => (value * scale).toLocaleString("en", places);
    return html`<div class="soft">${text(one.total_chips / one.hands)} ± ${text(one.half_width_chips)} ${unit}</div>`;
  };
  return html`<dl class="score">
      <div><dt>Won in ${chips(found.chips.hands)} ${found.chips.hands === 1 ? "hand" : "hands"}</dt>
        <dd><b class="won">${signed(found.chips.total_chips)}</b>${perHand(found.chips)}</dd></div>
      ${
        found.measure
          ? html`<div><dt title=${found.measure}>Without luck</dt>
            <dd>${
              found.without_luck
                ? html`<b class="without">${signed(found.without_luck.total_chips)}</b>${perHand(found.without_luck)}`
                : html`<span class="soft">${found.to_measure} to be measured</span>`
            }</dd></div>`
          : html`<div><dt>Without luck</dt><dd class="soft">not known: the opponent does not state its
            strategy</dd></div>`
      }
    </dl>`;
}

function hintView(found) {
  if (!found) return nothing;
  if (found.waiting) return html`<p class="soft">The advisor is thinking …</p>`;
  if (found.problem) return html`<p class="problem">${found.problem}</p>`;
  if (!found.actions.length) return html`<p>${found.advisor} never comes here with this hand, so there is no hint.</p>`;
  return html`<table class="hint"><caption>${found.advisor} with your hand</caption><tbody>${found.actions.map(
    (one) => html`<tr><th scope="row">${one.label}${one.all_in ? ", all-in" : ""}</th>
        <td class="bar"><span .style=${`width:${100 * one.probability}%;background:${one.colour}`}></span></td>
        <td>${percent(one.probability)}</td></tr>`,
  )}</tbody></table>${found.warning ? html`<p class="problem">${found.warning}</p>` : nothing}`;
}

function reviewView(room, id, table, hand) {
  const mine = room.side(id);
  const solutions = [...room.solutions];
  if (!table.reviewed_by && !solutions.length) {
    return html`<p class="soft">A review says what each of your decisions lost. It needs a solution of this game, or
        of a spot that the hand came to: make one in <a href="/solve">Solve</a>.</p>`;
  }
  return html`<div class="row">
        <button type="button" ?disabled=${!table.reviewed_by && !mine.against}
          @click=${() => room.review(id, hand)}>Review
          hand ${hand}</button>
        <label>against <select @change=${(event) => {
          mine.against = event.target.value;
          room.draw();
        }}>
          <option value="" ?selected=${!mine.against}>${table.reviewed_by ?? "choose a solution"}</option>
          ${solutions
            .filter((name) => name !== table.reviewed_by)
            .map((name) => html`<option value=${name} ?selected=${name === mine.against}>${name}</option>`)}
        </select></label></div>
      ${reviewedView(mine.review)}`;
}

/** What a review has found. @param {any} found */
function reviewedView(found) {
  if (!found) return nothing;
  if (found.waiting) return html`<p class="soft">Reviewing …</p>`;
  if (found.problem) return html`<p class="problem">${found.problem}</p>`;
  const reasons = Object.keys(found.left_out).map((why) => html`<p class="soft">${why}</p>`);
  if (!found.decisions) return reasons;
  const lost = (one) => {
    const text = one.loss_chips.toFixed(2);
    if (one.counted || one.loss_chips === 0) return text;
    return html`<span class="soft" title="smaller than what the solution itself may be wrong by">(${text})</span>`;
  };
  const inOrder = [...found.greatest].sort((a, b) => a.board.length - b.board.length || a.line.length - b.line.length);
  const mbb = found.loss_mbb === null ? "" : ` (${chips(found.loss_mbb)} mbb)`;
  return html`<div class="wide"><table><caption>${found.loss_chips.toFixed(2)} chips lost${mbb}</caption>
    <thead><tr><th scope="col">Street</th><th scope="col" class="text">You</th>
      <th scope="col" class="text">Best</th><th scope="col">EV lost</th></tr></thead>
    <tbody>${inOrder.map(
      (one) => html`<tr><td>${one.street}</td>
        <td class="text">${one.mapped ? `~ ${one.action} (${one.played})` : one.action}</td>
        <td class="text">${one.best}</td><td>${lost(one)}</td></tr>`,
    )}</tbody></table></div>${reasons}`;
}

export function sideView(room, id) {
  const table = room.tables.get(id);
  const mine = room.side(id);
  if (!table) return nothing;
  const earlierHand = mine.before;
  const at = earlierHand?.hand ?? table.hands + 1;
  const path = `/api/v1/tables/${id}`;
  // Enter deals, and belongs to a button only when the keyboard went there.
  const clicked = (event) => event.detail && /** @type {HTMLElement | null} */ (event.target.closest("button"))?.blur();
  return html`<aside aria-label="About this table" @click=${clicked}>
      ${room.open.length > 1 ? html`<p><strong>Table ${room.open.indexOf(id) + 1}</strong></p>` : nothing}
      <p class="soft">${table.title}</p>
      <h2>Score</h2>${scoreView(mine.score)}
      <h2>${earlierHand ? `Hand ${earlierHand.hand}` : "This hand"}</h2>
      ${earlierHand ? handView(earlierHand) : nothing}
      ${earlierHand ? html`<p>${earlierHand.result?.words}</p>` : nothing}
      ${earlierHand ? streetsView(earlierHand) : table.shown ? streetsView(table.shown) : nothing}
      ${
        earlierHand || (table.state === "over" && table.hands)
          ? reviewView(room, id, table, earlierHand?.hand ?? table.hands)
          : nothing
      }
      <div class="row">
        <button type="button" ?disabled=${at <= 1} @click=${() => room.earlier(id, at - 1)}>‹ Earlier hand
          <kbd>v</kbd></button>
        <button type="button" ?disabled=${!earlierHand} @click=${() => room.earlier(id, at + 1)}>Later ›</button>
        ${
          earlierHand
            ? html`<button type="button" @click=${() => room.earlier(id, 0)}>Back to the table</button>`
            : nothing
        }
      </div>
      ${
        table.has_hints
          ? html`<h2>Hints</h2><div class="row"><button type="button" ?disabled=${table.state !== "turn"}
            @click=${() => room.hint(id)}>Hint <kbd>h</kbd></button>
            <label class="check"><input type="checkbox" .checked=${room.always}
              @change=${(event) => room.hintAlways(event.target.checked)}> at every
                turn</label></div>${hintView(mine.hint)}`
          : html`<p class="soft">There are no hints: the opponent does not state its strategy.</p>`
      }
      <h2>Session</h2>
      <div class="row">
        ${
          table.hands
            ? html`<a class="button" href=${`${path}/history.phh`} download=${`${id}.phhs`}>Hands as PHH</a>`
            : nothing
        }
        ${copyButton(table.command)}
        <button type="button" class="quiet" @click=${() => room.remove(id)}>Delete</button>
      </div>
    </aside>`;
}

export function listView(room) {
  const found = [...room.listed.values()].sort((a, b) => b.modified - a.modified);
  if (!found.length) return nothing;
  return html`<h2>Sessions</h2><p class="soft">Every action is saved; a session goes on where it stopped, here or at
      the terminal.</p>
      <div class="wide"><table class="sessions"><caption class="unseen">Sessions</caption>
      <thead><tr><th scope="col">Session</th><th scope="col">Hands</th><th scope="col">Won</th><th scope="col">Last
        played</th><td></td></tr></thead>
      <tbody>${found.map((one) => {
        const when = new Date(1000 * one.modified);
        const day = when.toLocaleDateString("en-GB", { dateStyle: "medium" });
        const hour = when.toLocaleTimeString("en-GB", { timeStyle: "short" });
        return html`<tr><td><a href=${`/play/${one.id}`}>${one.opponent}</a>${
          one.in_hand ? html` <span class="soft">in hand ${one.hands + 1}</span>` : nothing
        }
            <div class="soft">${one.title}</div>${
              one.damaged ? html`<p class="problem">${one.damaged}</p>` : nothing
            }</td>
          <td>${chips(one.hands)}</td><td>${signed(one.won_chips)}</td><td><span class="when">${day},</span> <span
            class="when">${hour}</span></td>
          <td><button type="button" class="quiet"
            aria-label=${`Delete the session against ${one.opponent} of ${day}, ${hour}`}
              @click=${() => room.remove(one.id)}>Delete</button></td></tr>`;
      })}</tbody></table></div>`;
}
