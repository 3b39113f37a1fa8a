/** The room Play: one to four tables, their scores, hints and reviews, and all sessions that can go on. */

import { api, listen } from "../api.js";
import { chips, copyButton, percent, say, useStyle } from "../dom.js";
import { actionsView, handView, news, stateWords, streetsView } from "../felt.js";
import { newTableForm } from "../newtable.js";
import { html, nothing, render } from "../vendor/lit-html.js";

const MOST = 4;
const ALWAYS = "errai-hints";

/** @param {HTMLElement} root  @param {import("../app.js").Context} context  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, context) {
  await useStyle("play");
  /** @type {Map<string, any>} */
  const tables = new Map();
  /** @type {Map<string, any>} */
  const listed = new Map();
  /** What belongs to a table and not to its session: the score, a hint, a review, an earlier hand, what is typed. */
  const sides = new Map();
  let open = [],
    focus = "",
    heard = "",
    always = localStorage.getItem(ALWAYS) === "yes",
    gone = false;
  const form = newTableForm(draw, (made) => goTo([...open, ...made.map((one) => one.id)].slice(-MOST), made[0].id));

  const side = (id) => {
    if (!sides.has(id))
      sides.set(id, {
        asked: null,
        problem: "",
        typed: "",
        seen: null,
        score: null,
        hint: null,
        review: null,
        before: null,
        wanted: null,
        against: "",
      });
    return sides.get(id);
  };
  const current = () => tables.get(focus);

  /** Show other tables; going from one to another leaves no trace in the history. @param {string[]} ids  @param {string} on */
  function goTo(ids, on) {
    const same = ids.length === open.length && ids.every((one) => open.includes(one));
    context.go(on ? `/play/${on}${ids.length > 1 ? `?tables=${ids.join(",")}` : ""}` : "/play", same);
  }

  /** @param {import("../app.js").Address} address */
  function moved(address) {
    const named = (address.query.get("tables") ?? "").split(",").filter(Boolean);
    // The address has the tables in their places, whichever has the focus.
    const wanted = named.includes(address.name) ? named : [address.name, ...named].filter(Boolean);
    open = [...new Set(wanted)].slice(0, MOST);
    if (!open.includes(address.name) && address.name) open[MOST - 1] = address.name;
    focus = address.name;
    for (const id of sides.keys()) if (!open.includes(id)) sides.delete(id);
    for (const id of open) if (!side(id).seen) load(id);
    if (!focus) form.begin(address.query.get("solution")).catch((error) => say(error.message));
    draw();
  }

  async function load(id) {
    try {
      take(await api(`tables/${id}`));
    } catch (error) {
      side(id).problem = error.message;
    }
    draw();
  }

  /** Take a view of a table, from an answer or an event. */
  function take(view) {
    if (tables.get(view.id)?.version > view.version) return;
    tables.set(view.id, view);
    listed.set(view.id, view);
    if (!open.includes(view.id)) return;
    const mine = side(view.id),
      before = mine.seen;
    mine.seen = view;
    const told = news(before, view);
    if (told) heard = open.length > 1 ? `Table ${open.indexOf(view.id) + 1}: ${told}` : told;
    if (before?.shown?.hand !== view.shown?.hand || before?.shown?.ply !== view.shown?.ply) {
      // An event may say how the hand went on before the action is answered: then the user can act at once.
      Object.assign(mine, { hint: null, typed: "", problem: "", asked: null });
      if (view.state !== "over") Object.assign(mine, { review: null });
      if (always && view.state === "turn" && view.has_hints) hint(view.id);
    }
    if (before?.hands !== view.hands || before?.version !== view.version) score(view.id);
  }

  async function send(id, path, body) {
    const mine = side(id),
      asked = { path };
    if (mine.asked) return;
    Object.assign(mine, { asked, problem: "" });
    draw();
    try {
      take(await api(`tables/${id}/${path}`, { body }));
    } catch (error) {
      // What has happened meanwhile is shown first, and takes away what was said before it.
      if (error.status === 409) await load(id);
      mine.problem = error.message;
    }
    if (mine.asked === asked) mine.asked = null;
    draw();
    stay(id);
  }

  /** Keep the focus at the table when the button that had it is gone. */
  function stay(id) {
    if (document.activeElement && document.activeElement !== document.body) return;
    /** @type {HTMLElement | null} */ (root.querySelector(`[data-table="${id}"]`))?.focus({ preventScroll: true });
  }

  const act = (id, action) => {
    const table = tables.get(id);
    if (table?.state === "turn") send(id, "actions", { action, hand: table.shown.hand, ply: table.shown.ply });
  };
  const deal = (id) => {
    const table = tables.get(id);
    if (table?.state === "over" || table?.state === "new") send(id, "deal", { hand: table.hands + 1 });
  };

  async function score(id) {
    const mine = side(id);
    try {
      mine.score = await api(`tables/${id}/score`);
    } catch (error) {
      mine.score = null;
    }
    draw();
  }

  async function hint(id) {
    const mine = side(id),
      asked = { waiting: true };
    mine.hint = asked;
    draw();
    try {
      const found = await api(`tables/${id}/hint`);
      // Whoever has acted in the meantime is told nothing of the turn before.
      if (mine.hint !== asked) return;
      mine.hint = found;
      heard = found.actions.length
        ? `${found.advisor}: ${found.actions
            .map((one) => `${one.label} ${percent(one.probability, 0)}`)
            .join(", ")}. ${found.warning}`
        : "The advisor never comes here with this hand.";
    } catch (error) {
      if (mine.hint === asked) mine.hint = { problem: error.message };
    }
    draw();
  }

  async function review(id, hand) {
    const mine = side(id);
    mine.review = { waiting: true };
    draw();
    try {
      const against = mine.against ? `&against=${encodeURIComponent(mine.against)}` : "";
      mine.review = await api(`tables/${id}/review?hand=${hand}${against}`);
      heard = mine.review.decisions
        ? `Reviewed: ${mine.review.loss_chips.toFixed(2)} chips lost.`
        : "Nothing of this hand can be reviewed.";
    } catch (error) {
      mine.review = { problem: error.message };
    }
    draw();
  }

  async function earlier(id, hand) {
    const mine = side(id),
      table = tables.get(id);
    if (!table?.hands) return void say("No hand has been finished yet.");
    // A key that is pressed while a hand is fetched goes on from that hand.
    mine.wanted = hand < 1 || hand > table.hands ? null : hand;
    try {
      const found = mine.wanted === null ? null : await api(`tables/${id}/hands/${hand}`);
      if (mine.wanted !== (found === null ? null : hand)) return;
      mine.before = found;
      mine.review = null;
    } catch (error) {
      say(error.message);
    }
    draw();
  }

  async function remove(id) {
    if (!confirm("Delete this table and its session?")) return;
    try {
      await api(`tables/${id}`, { method: "DELETE" });
      drop(id);
    } catch (error) {
      say(error.message);
    }
  }

  /** Forget a table that is no longer there. */
  function drop(id) {
    tables.delete(id);
    listed.delete(id);
    sides.delete(id);
    if (!open.includes(id)) return draw();
    const rest = open.filter((one) => one !== id);
    goTo(rest, focus === id ? (rest[0] ?? "") : focus);
  }

  /** Go to the next table at which the user can do something. @param {number} step */
  function next(step) {
    const at = open.indexOf(focus);
    const order = open.map((_, n) => open[(at + step * (n + 1) + open.length * (n + 1)) % open.length]);
    const waits = order.find((id) => id !== focus && ["turn", "over"].includes(tables.get(id)?.state));
    const found = waits ?? order[0];
    if (!found || found === focus) return;
    goTo(open, found);
    requestAnimationFrame(() =>
      /** @type {HTMLElement | null} */ (root.querySelector(`[data-table="${found}"]`))?.focus(),
    );
  }

  function tableView(id, number) {
    const table = tables.get(id),
      mine = side(id);
    if (!table) return html`<section class="table"><p>${mine.problem || "Opening the table …"}</p></section>`;
    const does = {
      act: (text) => act(id, text),
      deal: () => deal(id),
      again: () => send(id, "again", {}),
      type: (text) => {
        mine.typed = text;
        draw();
      },
    };
    return html`<section class="table ${id === focus ? "current" : ""} ${table.state}" data-table=${id} tabindex="-1"
        aria-label=${`Table ${number + 1}, against ${table.opponent}`} @focusin=${() => id !== focus && goTo(open, id)}>
      <header><h2>${open.length > 1 ? `${number + 1}. ` : ""}${table.opponent}</h2>
        <span class="soft">hand ${table.shown?.hand ?? "–"}</span>
        <button type="button" class="quiet" @click=${() =>
          goTo(
            open.filter((one) => one !== id),
            open.find((one) => one !== id) ?? "",
          )}
          aria-label=${`Leave table ${number + 1}; its session is saved`}>Leave</button></header>
      ${table.shown ? handView(table.shown) : nothing}
      <p class="state ${table.shown?.result && table.state === "over" ? "result" : ""}">${stateWords(table)}</p>
      ${mine.problem ? html`<p class="problem" role="alert">${mine.problem}</p>` : nothing}
      ${actionsView(table, mine, does)}
    </section>`;
  }

  function scoreView(mine) {
    const found = mine.score;
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
    if (!found.actions.length)
      return html`<p>${found.advisor} never comes here with this hand, so there is no hint.</p>`;
    return html`<table class="hint"><caption>${found.advisor} with your hand</caption><tbody>${found.actions.map(
      (one) => html`<tr><th scope="row">${one.label}${one.all_in ? ", all-in" : ""}</th>
        <td class="bar"><span .style=${`width:${100 * one.probability}%;background:${one.colour}`}></span></td>
        <td>${percent(one.probability)}</td></tr>`,
    )}</tbody></table>${found.warning ? html`<p class="problem">${found.warning}</p>` : nothing}`;
  }

  function reviewView(id, table, hand) {
    const mine = side(id),
      found = mine.review;
    const solutions = [...(listed.solutions ?? [])];
    if (!table.reviewed_by && !solutions.length) {
      return html`<p class="soft">A review says what each of your decisions lost. It needs a solution of this game, or
        of a
        spot that the hand came to: make one in <a href="/solve">Solve</a>.</p>`;
    }
    return html`<div class="row">
        <button type="button" ?disabled=${!table.reviewed_by && !mine.against} @click=${() => review(id, hand)}>Review
          hand ${hand}</button>
        <label>against <select @change=${(event) => {
          mine.against = event.target.value;
          draw();
        }}>
          <option value="" ?selected=${!mine.against}>${table.reviewed_by ?? "choose a solution"}</option>
          ${solutions
            .filter((name) => name !== table.reviewed_by)
            .map((name) => html`<option value=${name} ?selected=${name === mine.against}>${name}</option>`)}
        </select></label></div>
      ${
        !found
          ? nothing
          : found.waiting
            ? html`<p class="soft">Reviewing …</p>`
            : found.problem
              ? html`<p class="problem">${found.problem}</p>`
              : html`
        ${
          found.decisions
            ? html`<div class="wide"><table><caption>${found.loss_chips.toFixed(2)} chips
              lost${found.loss_mbb === null ? "" : ` (${chips(found.loss_mbb)} mbb)`}</caption>
          <thead><tr><th scope="col">Street</th><th scope="col" class="text">You</th><th scope="col"
            class="text">Best</th><th scope="col">EV lost</th></tr></thead>
          <tbody>${[...found.greatest]
            .sort((a, b) => a.board.length - b.board.length || a.line.length - b.line.length)
            .map(
              (one) => html`<tr>
            <td>${one.street}</td><td class="text">${
              one.mapped ? `~ ${one.action} (${one.played})` : one.action
            }</td><td class="text">${one.best}</td>
            <td>${
              one.counted || one.loss_chips === 0
                ? one.loss_chips.toFixed(2)
                : html`<span class="soft" title="smaller than what the solution itself may be wrong by">(${one.loss_chips.toFixed(
                    2,
                  )})</span>`
            }</td></tr>`,
            )}</tbody></table></div>`
            : nothing
        }
        ${Object.entries(found.left_out).map(([why]) => html`<p class="soft">${why}</p>`)}`
      }`;
  }

  function sideView(id) {
    const table = tables.get(id),
      mine = side(id);
    if (!table) return nothing;
    const earlierHand = mine.before;
    const at = earlierHand?.hand ?? table.hands + 1;
    const path = `/api/v1/tables/${id}`;
    // Enter deals, and belongs to a button only when the keyboard went there.
    const clicked = (event) =>
      event.detail && /** @type {HTMLElement | null} */ (event.target.closest("button"))?.blur();
    return html`<aside aria-label="About this table" @click=${clicked}>
      ${open.length > 1 ? html`<p><strong>Table ${open.indexOf(id) + 1}</strong></p>` : nothing}
      <p class="soft">${table.title}</p>
      <h2>Score</h2>${scoreView(mine)}
      <h2>${earlierHand ? `Hand ${earlierHand.hand}` : "This hand"}</h2>
      ${earlierHand ? handView(earlierHand) : nothing}
      ${earlierHand ? html`<p>${earlierHand.result?.words}</p>` : nothing}
      ${earlierHand ? streetsView(earlierHand) : table.shown ? streetsView(table.shown) : nothing}
      ${
        earlierHand || (table.state === "over" && table.hands)
          ? reviewView(id, table, earlierHand?.hand ?? table.hands)
          : nothing
      }
      <div class="row">
        <button type="button" ?disabled=${at <= 1} @click=${() => earlier(id, at - 1)}>‹ Earlier hand
          <kbd>v</kbd></button>
        <button type="button" ?disabled=${!earlierHand} @click=${() => earlier(id, at + 1)}>Later ›</button>
        ${earlierHand ? html`<button type="button" @click=${() => earlier(id, 0)}>Back to the table</button>` : nothing}
      </div>
      ${
        table.has_hints
          ? html`<h2>Hints</h2><div class="row"><button type="button" ?disabled=${table.state !== "turn"}
            @click=${() => hint(id)}>Hint <kbd>h</kbd></button>
            <label class="check"><input type="checkbox" .checked=${always} @change=${(event) => {
              always = event.target.checked;
              localStorage.setItem(ALWAYS, always ? "yes" : "no");
              if (always && table.state === "turn") hint(id);
            }}> at every turn</label></div>${hintView(mine.hint)}`
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
        <button type="button" class="quiet" @click=${() => remove(id)}>Delete</button>
      </div>
    </aside>`;
  }

  function listView() {
    const found = [...listed.values()].sort((a, b) => b.modified - a.modified);
    if (!found.length) return nothing;
    return html`<h2>Sessions</h2><p class="soft">Every action is saved; a session goes on where it stopped, here or at
      the terminal.</p>
      <div class="wide"><table class="sessions"><caption class="unseen">Sessions</caption>
      <thead><tr><th scope="col">Session</th><th scope="col">Hands</th><th scope="col">Won</th><th scope="col">Last
        played</th><td></td></tr></thead>
      <tbody>${found.map((one) => {
        const [day, hour] = [{ dateStyle: "medium" }, { timeStyle: "short" }].map((style) =>
          new Date(1000 * one.modified).toLocaleString("en-GB", style),
        );
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
              @click=${() => remove(one.id)}>Delete</button></td></tr>`;
      })}</tbody></table></div>`;
  }

  function draw() {
    if (gone) return;
    const single = open.length === 1;
    render(
      html`<p class="unseen" role="log" aria-live="polite" data-heard>${heard}</p>
        ${
          focus
            ? html`<h1 class="unseen">Play against ${current()?.opponent ?? ""}</h1>
              ${
                single
                  ? nothing
                  : html`<nav class="switch" aria-label="Tables">${open.map((id, number) => {
                      const state = tables.get(id)?.state;
                      return html`<button type="button" aria-current=${id === focus ? "true" : "false"}
                        @click=${() => goTo(open, id)}>
                  Table ${number + 1}${state === "turn" ? " · your turn" : state === "over" ? " · over" : ""}</button>`;
                    })}</nav>`
              }
              <div class="played ${single ? "one" : "many"}"><div
                class="tables">${open.map(tableView)}</div>${sideView(focus)}</div>
              <p class="row"><a href="/play">New table and sessions</a>
                ${
                  open.length > 1
                    ? html`<span class="soft"><kbd>[</kbd> <kbd>]</kbd> go to the next table that waits</span>`
                    : nothing
                }</p>`
            : html`<h1>Play</h1>${form.view()}${listView()}`
        }`,
      root,
    );
  }

  const has = (key) => current()?.choices.find((one) => one.keys.includes(key));
  const press = (key) => () => has(key) && act(focus, has(key).action);
  const field = () => {
    const found = /** @type {HTMLInputElement | null} */ (root.querySelector(`#typed-${CSS.escape(focus)}`));
    found?.focus();
    found?.select();
  };
  const atTable = () => Boolean(focus);
  const keys = [
    { keys: ["f"], what: "fold", when: atTable, run: press("f") },
    { keys: ["k", "c"], what: "check, call", when: atTable, run: press("k") },
    {
      keys: ["r"],
      what: "bet or raise; without a limit, type how much",
      when: atTable,
      run: () => (has("r") ? press("r")() : field()),
    },
    {
      keys: ["1", "2", "3", "4"],
      what: "bet or raise half of the pot, three quarters, the pot, twice the pot",
      when: atTable,
      run: (event) => press(event.key)(),
    },
    { keys: ["a"], what: "all-in", when: atTable, run: press("a") },
    { keys: ["/"], what: "type an amount such as 300, 50% or pot, or an action such as k", when: atTable, run: field },
    { keys: ["Enter"], what: "deal the next hand", when: atTable, run: () => deal(focus) },
    { keys: ["h"], what: "hint", when: atTable, run: () => current()?.state === "turn" && hint(focus) },
    {
      keys: ["v"],
      what: "the hand before this one; again for earlier hands",
      when: atTable,
      run: () => earlier(focus, (side(focus).wanted ?? current().hands + 1) - 1),
    },
    {
      keys: ["]", "["],
      what: "the next table that waits for you, the one before",
      when: atTable,
      run: (event) => next(event.key === "]" ? 1 : -1),
    },
  ];

  const again = () => open.forEach(load);
  const ends = [];
  // What an agent was thinking when the server ended, it thinks again when its table is asked for.
  ends.push(
    listen("server", (problem) => {
      if (problem) return;
      for (const id of open) side(id).problem = "";
      again();
    }),
  );
  // The terminal may have gone on with a session in the meantime.
  const back = () => document.visibilityState === "visible" && again();
  document.addEventListener("visibilitychange", back);
  const clock = setInterval(() => open.some((id) => tables.get(id)?.state === "thinking") && draw(), 1000);
  ends.push(
    () => document.removeEventListener("visibilitychange", back),
    () => clearInterval(clock),
  );

  ends.push(
    listen("table", (view) => {
      if (view.gone) return drop(view.id);
      if ("choices" in view) take(view);
      else listed.set(view.id, view);
      draw();
    }),
  );
  api("solutions").then(
    (found) => {
      listed.solutions = found.solutions.filter((one) => one.kind === "solution").map((one) => one.name);
      draw();
    },
    () => {},
  );
  moved(context.address);
  return {
    title: "Play",
    moved,
    keys,
    leave: () => {
      gone = true;
      for (const end of ends) end();
    },
  };
}

/** Chips won, with their sign. @param {number} value */
const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${chips(Math.abs(value))}`;
