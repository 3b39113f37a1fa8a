/** The room Study: the list of solutions, and a solution with its line, its grid of hands and its tables. */

import { api, quiet } from "../api.js";
import { combosView, drawRanges, mixBar, rangesView } from "../combos.js";
import { copyButton, say, useStyle } from "../dom.js";
import { colours, gridView } from "../grid.js";
import { after, classOf, MODES, otherCard, paint, reachedText, summarise, tenths, worth } from "../hands.js";
import { listView } from "../library.js";
import { deckView, lineView, rootView } from "../line.js";
import { html, render } from "../vendor/lit-html.js";

const TABS = [
  ["combos", "Combos"],
  ["ranges", "Ranges"],
  ["runouts", "Run-outs"],
  ["compare", "Compare"],
  ["lock", "Lock"],
];
/** Tabs with a module of their own, which is loaded when the tab is opened first. */
const MODULES = { runouts: "runouts", compare: "compare", lock: "locks" };
const MOST_NODES = 300;
const CHIPS = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const FORMATS = ["csv", "json", "png", "svg"];
// Not every browser says when it is idle.
const whenIdle = window.requestIdleCallback ?? ((run) => setTimeout(run, 50));

/** @typedef {{ name: string, line: string, by: string, player: number | null, hand: string, tab: string, with: string,
 *              lock: string, whole: boolean }} State  what the address says */

/** @param {import("../app.js").Address} address @returns {State} */
export function stateOf({ name, query }) {
  const one = (key, allowed) => (allowed.includes(query.get(key)) ? query.get(key) : allowed[0]);
  return {
    name,
    line: query.get("line") ?? "",
    by: one(
      "by",
      MODES.map(([by]) => by),
    ),
    tab: one(
      "tab",
      TABS.map(([tab]) => tab),
    ),
    player: /^[01]$/.test(query.get("player") ?? "") ? Number(query.get("player")) : null,
    hand: query.get("hand") ?? "",
    with: query.get("with") ?? "",
    lock: query.get("lock") ?? "",
    whole: query.get("whole") === "1",
  };
}

/** The address of a state. @param {State} state */
export function addressOf(state) {
  const query = new URLSearchParams();
  const rest = { line: "", by: "strategy", player: null, hand: "", tab: "combos", with: "", lock: "" };
  for (const [key, usual] of Object.entries(rest)) if (state[key] !== usual) query.set(key, String(state[key]));
  if (state.whole) query.set("whole", "1");
  const text = query.toString();
  return `/study/${encodeURIComponent(state.name)}${text ? `?${text}` : ""}`;
}

/** @param {HTMLElement} root  @param {import("../app.js").Context} context  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, { address, go }) {
  let state = stateOf(address);
  /** @type {Map<string, Promise<any>>} */
  const known = new Map();
  /** @type {Record<string, any>} */
  const modules = {};
  /** @type {any} */
  let view = null;
  /** @type {any[]} */
  let summaries = [];
  let problem = "",
    typed = null,
    turn = 0,
    timer = 0;
  /** Settled once the address is shown; keys that are pressed earlier wait for it, one after the other. */
  let shown = Promise.resolve(),
    queue = Promise.resolve();
  /** What belongs to one solution and is not in the address; the page of a table, and its order, by tab. */
  const fresh = () => ({ sort: {}, page: {}, cards: [], verified: null, busy: "" });
  let local = fresh();
  const room = {
    title: "Study",
    moved,
    keys: [],
    leave: () => {
      turn++;
      clearTimeout(timer);
      dark.removeEventListener("change", paintAll);
    },
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", paintAll);
  window.addEventListener("resize", paintAll);

  // --- state -------------------------------------------------------------------------------------------------------

  /** Change what is shown; a new line, tab or solution is a new place in the history. @param {Partial<State>} changes */
  function set(changes) {
    const next = { ...state, ...changes };
    const place =
      next.line !== state.line ||
      next.tab !== state.tab ||
      next.lock !== state.lock ||
      next.with !== state.with ||
      next.whole !== state.whole;
    clearTimeout(timer);
    if (place) return go(addressOf(next));
    state = next;
    draw();
    // Browsers refuse to change the address hundreds of times while an arrow key is held.
    timer = setTimeout(() => history.replaceState(null, "", addressOf(state)), 150);
  }

  /** Go to a line; the hand and the way of showing it stay. @param {string} line */
  function to(line) {
    if (line === (view?.line ?? state.line)) return;
    // The server can begin before the address has changed.
    node(line).catch(() => {});
    set({ line });
  }

  /** Fetch a node, or take one that was fetched; those that were shown last are kept. @param {string} line */
  function node(line) {
    const key = `${state.whole} ${line}`;
    const asked =
      known.get(key) ??
      api(
        `solutions/${encodeURIComponent(state.name)}/node?${new URLSearchParams({ line, whole: String(state.whole) })}`,
      );
    known.delete(key);
    if (known.size >= MOST_NODES) known.delete(known.keys().next().value);
    known.set(key, asked);
    asked.catch(() => known.delete(key));
    return asked;
  }

  async function moved(next) {
    const before = state;
    state = stateOf(next);
    if (state.name !== before.name) {
      local = fresh();
      view = null;
      known.clear();
    }
    shown = show();
    await shown;
  }

  /** Show what the address says. */
  async function show() {
    const mine = ++turn;
    problem = "";
    typed = null;
    if (!state.name) {
      room.title = "Study";
      room.keys = [];
      return listView(root, () => mine === turn);
    }
    const waiting = setTimeout(() => mine === turn && root.setAttribute("aria-busy", "true"), 150);
    try {
      const [found] = await Promise.all([node(state.line), load(state.tab)]);
      if (mine !== turn) return;
      if (found !== view) {
        view = found;
        summaries = [];
        local.page = {};
        local.cards = [];
      }
    } catch (error) {
      if (mine !== turn) return;
      problem = error.message;
      if (!view) view = await node("").catch(() => null);
      if (mine !== turn) return;
    } finally {
      clearTimeout(waiting);
      if (mine === turn) root.removeAttribute("aria-busy");
    }
    room.title = view?.title ?? "Study";
    document.title = `${room.title} - Errai`;
    room.keys = keys();
    const lost = document.activeElement;
    draw();
    const nav = root.querySelector(".line");
    if (nav) nav.scrollLeft = nav.scrollWidth;
    // An action whose button is gone leaves the focus nowhere; the next decision is where the user wants to go on.
    if (lost && lost !== document.body && !lost.isConnected) focusActions();
    if (view && !problem) lookAhead(mine);
  }

  /** Fetch what follows each action, one after the other and only while nothing else is asked or drawn.  The server may
   *  have to read much for a node of a solution that it does not hold as a whole. @param {number} mine */
  async function lookAhead(mine) {
    const { line, actions, certificate } = view;
    if (certificate.checked === "part") return;
    for (const { step } of actions) {
      await new Promise((done) => {
        const wait = () => (quiet() || mine !== turn ? done(undefined) : setTimeout(idle, 200));
        const idle = () => whenIdle(wait);
        idle();
      });
      if (mine !== turn) return;
      await node(after(line, step)).catch(() => {});
    }
  }

  const focusActions = () =>
    /** @type {HTMLElement | null} */ (
      root.querySelector(".actions button, .deck button, .line [aria-current=true]")
    )?.focus();

  async function load(tab) {
    if (MODULES[tab]) modules[tab] ??= await import(`../${MODULES[tab]}.js`);
  }

  // --- drawing -----------------------------------------------------------------------------------------------------

  const shownPlayer = () => state.player ?? view.player ?? 0;

  function draw() {
    if (!view) {
      return render(
        html`<h1>Study</h1><p class="problem" role="alert">${problem}</p><p><a href="/study">All solutions</a></p>`,
        root,
      );
    }
    const player = shownPlayer();
    if (summaries[0]?.player !== player) summaries = [player, 1 - player].map((one) => summarise(view, one));
    const [summary] = summaries;
    const label = summary.byLabel.has(state.hand) ? state.hand : classOf(state.hand);
    const whose = `Hands of ${view.player_names[player]}`;
    render(
      html`<div class="top"><div class="from"><h1><a href="/study">Study</a> <span aria-hidden="true">/</span>
        ${view.title}</h1>${rootView(view, to)}</div>
        ${lineView(view, { to, soon })}
        <div class="tools"><button type="button" class="quiet" aria-expanded=${typed !== null} @click=${openField}>Type
          a line <kbd aria-hidden="true">/</kbd></button>
        ${copyButton(command())}<span>${FORMATS.map(
          (format) =>
            html`<a class="export" href=${exported(format)} aria-label=${`Export as ${format.toUpperCase()}`}
              download>${format.toUpperCase()}</a>`,
        )}</span></div></div>
      ${typed === null ? "" : fieldView()}
      ${
        problem && typed === null
          ? html`<p class="problem" role="alert">${problem} <button type="button"
            @click=${() => set({ line: view.line })}>Back</button></p>`
          : ""
      }
      <div class="body">
        <section class="next" aria-label="Next">${nextView()}</section>
        <div class="modes">${modesView(player)}</div>
        <section class="range" aria-label=${whose}>${gridView(view, summary, {
          by: state.by,
          chosen: label,
          title: whose,
          pick,
        })}</section>
        ${factsView()}
        <section class="side" aria-label="Tables">${tabsView()}<div id="panel" role="tabpanel" tabindex="0"
          aria-labelledby=${`tab-${state.tab}`}>${panel()}</div></section>
      </div>`,
      root,
    );
    paintAll();
  }

  function paintAll() {
    const canvas = root.querySelector(".all canvas");
    if (canvas && view) drawRanges(/** @type {HTMLCanvasElement} */ (canvas), view, summaries, state.by);
    for (const one of root.querySelectorAll("canvas.own")) /** @type {any} */ (one).paint?.();
  }

  function pick(hand) {
    set({ hand });
  }

  /** Fetch a node ahead of time if the server is free. @param {string} line */
  function soon(line) {
    if (quiet()) node(line).catch(() => {});
  }

  function nextView() {
    if (view.kind === "chance") return deckView(view, local.cards, choose);
    if (!view.actions.length) {
      const ends = {
        showdown: "The hands are shown.",
        fold: "The hand is over: a player has folded.",
        leaf: "The tree is cut here: given values stand in the place of the later streets.",
      };
      return html`<p class="soft">${ends[view.kind] ?? "No player acts here."}</p>`;
    }
    return html`<ul class="actions">${view.actions.map((one, i) => {
      const line = after(view.line, one.step);
      return html`<li><button type="button" .style=${`--colour:${paint(one.colour)}`} @pointerenter=${() => soon(line)}
        @focus=${() => soon(line)}
        @click=${() => to(line)}><b>${one.label}</b>${i < 9 ? html`<kbd aria-hidden="true">${i + 1}</kbd>` : ""}<span
          class="numbers"><span>${tenths(one.frequency)} %</span
        ><span>${one.ev_chips === null ? "" : `EV ${worth(one.ev_chips, view.pot_chips)}`}</span></span></button></li>`;
    })}</ul>${mixBar(
      view.actions.map((one) => one.frequency ?? 0),
      view.actions.map((one) => paint(one.colour)),
    )}`;
  }

  /** Take a card that is dealt; a deal of several cards waits for all of them. @param {string} card */
  function choose(card) {
    const cards = local.cards.includes(card) ? local.cards.filter((one) => one !== card) : [...local.cards, card];
    if (cards.length >= view.deal_count) return to(after(view.line, cards.join(""), true));
    local.cards = cards;
    draw();
  }

  function modesView(player) {
    return html`<div class="choice" role="group" aria-label="What the hands show">${MODES.map(
      ([by, key, title]) => html`<button type="button"
        aria-pressed=${state.by === by} @click=${() => set({ by })}>${title} <kbd
          aria-hidden="true">${key}</kbd></button>`,
    )}</div>
      <div class="choice" role="group" aria-label="Whose hands">${view.player_names.map(
        (name, i) => html`<button type="button" aria-pressed=${player === i}
        @click=${() => set({ player: i })}>${name}${
          i === player ? "" : html` <kbd aria-hidden="true">o</kbd>`
        }</button>`,
      )}</div>`;
  }

  function factsView() {
    const { certificate: proof } = view;
    // Null in games without a limit on stacks.
    const [first, second] = view.stacks_chips.map((stack) => (stack === null ? null : CHIPS.format(stack)));
    const facts = [
      view.player === null ? null : `${view.player_name} to act`,
      `pot ${CHIPS.format(view.pot_chips)}`,
      view.to_call_chips ? `to call ${CHIPS.format(view.to_call_chips)}` : null,
      first === null ? null : `behind ${first === second ? first : `${first} / ${second}`}`,
      view.reached < 1 ? `reached ${reachedText(view.reached)}` : null,
      view.unconverged === null || !view.columns.length
        ? null
        : `still to gain ${tenths(view.unconverged, 2)} % of the pot`,
    ].filter(Boolean);
    const done = local.verified;
    return html`<div class="facts"><p role="status">${facts.join(" · ")}</p>
      <p>${
        proof.pot_percent === null
          ? proof.text
          : html`exploitability ${proof.cut ? "of the cut game " : ""}${Number(proof.pot_percent.toPrecision(2))} % of
            the pot, ${proof.status === "running" ? "not certified yet" : "certified"}`
      }
        <button type="button" class="quiet" title=${proof.text} ?disabled=${local.busy === "verify"}
          @click=${verify}>${local.busy === "verify" ? "Verifying …" : "Verify"}</button>
        ${
          done
            ? html`<span class=${done.certified ? "good" : done.certified === null ? "" : "problem"}
              role="status">${done.text}${done.certified === null ? copyButton(done.command) : ""}</span>`
            : ""
        }</p>
      ${
        view.why_no_ev || view.why_no_equity
          ? html`<p class="soft">${view.why_no_ev || view.why_no_equity}
        ${
          view.reads_more
            ? html`<button type="button" @click=${() => set({ whole: true })}>Read the whole file</button>`
            : ""
        }</p>`
          : ""
      }
      ${
        Object.keys(view.locked).length
          ? html`<p>Locked here: ${Object.entries(view.locked)
              .map(
                ([hands, plays]) =>
                  `${hands === "*" ? "every hand" : hands}: ${
                    plays === "best"
                      ? "the best answer"
                      : Object.entries(plays)
                          .map(([action, p]) => `${action} ${tenths(p)} %`)
                          .join(", ")
                  }`,
              )
              .join("; ")}</p>`
          : ""
      }</div>`;
  }

  async function verify() {
    const { name } = state;
    local.busy = "verify";
    local.verified = null;
    draw();
    try {
      const found = await api(`solutions/${encodeURIComponent(name)}/verify`, { method: "POST" });
      if (name !== state.name) return;
      local.verified = found;
    } catch (error) {
      say(error.message);
    }
    local.busy = "";
    draw();
  }

  function tabsView() {
    const arrow = (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const at = TABS.findIndex(([tab]) => tab === state.tab);
      const [tab] = TABS[(at + by + TABS.length) % TABS.length];
      set({ tab });
      /** @type {HTMLElement} */ (root.querySelector(`#tab-${tab}`)).focus();
    };
    return html`<div class="tabs" role="tablist" aria-label="Tables" @keydown=${arrow}>${TABS.map(
      ([tab, title]) => html`<button type="button" role="tab"
      id=${`tab-${tab}`} aria-selected=${state.tab === tab} aria-controls="panel"
        tabindex=${state.tab === tab ? 0 : -1} @click=${() => set({ tab })}>${title}</button>`,
    )}</div>`;
  }

  function panel() {
    const { tab } = state;
    const options = {
      by: state.by,
      hand: state.hand,
      pick,
      sort: local.sort[tab] ?? null,
      setSort: (sort) => {
        local.sort[tab] = sort;
        local.page[tab] = 0;
        draw();
      },
      page: local.page[tab] ?? 0,
      setPage: (page) => {
        local.page[tab] = page;
        draw();
      },
    };
    if (tab === "combos") return combosView(view, summaries[0], options);
    if (tab === "ranges") return rangesView(view, summaries, options);
    return modules[tab]?.panelView({ view, summaries, state, set, to, redraw: draw, ...options }) ?? "";
  }

  // --- commands ----------------------------------------------------------------------------------------------------

  /** The command that shows the same at the terminal. */
  function command() {
    const own = modules[state.tab]?.command?.({ view, state });
    if (own) return own;
    const hand = /^[\w*]+$/.test(state.hand) ? ` --hand ${state.hand}` : "";
    return (
      view.command +
      (["strategy", "weight"].includes(state.by) ? "" : ` --by ${state.by}`) +
      (shownPlayer() === (view.player ?? 0) ? "" : ` --player ${shownPlayer()}`) +
      hand
    );
  }

  const exported = (format) =>
    `/api/v1/solutions/${encodeURIComponent(state.name)}/export?${new URLSearchParams({
      line: view.line,
      format,
      player: String(shownPlayer()),
      by: state.by === "weight" ? "strategy" : state.by,
      whole: String(state.whole),
    })}`;

  function fieldView() {
    const submit = (event) => {
      event.preventDefault();
      const line = event.target.elements.line.value.trim();
      node(line).then(
        (found) => {
          typed = null;
          to(found.line);
          draw();
          focusActions();
        },
        (error) => {
          typed = { line, error: error.message };
          draw();
        },
      );
    };
    const close = (event) => {
      if (event.key !== "Escape") return;
      typed = null;
      draw();
      focusActions();
    };
    return html`<form class="typed" @submit=${submit} @keydown=${close}><label for="typed">Line, as for errai
      show</label>
      <input id="typed" name="line" autocomplete="off" spellcheck="false" size="48" .value=${typed.line}
        placeholder="check bet 120 / Ah / check"
        aria-describedby="typed-error" aria-invalid=${typed.error ? "true" : "false"}><button>Go</button>
      <p id="typed-error" class="problem" role="alert">${typed.error}</p></form>`;
  }

  function openField() {
    typed = { line: view.line, error: "" };
    draw();
    const field = /** @type {HTMLInputElement} */ (root.querySelector("#typed"));
    field.focus();
    field.select();
  }

  function intoGrid() {
    const cell = /** @type {HTMLElement | null} */ (root.querySelector(".hands [tabindex='0']"));
    cell?.focus();
  }

  function keys() {
    const later = (run) => (event) => {
      queue = queue
        .then(() => shown)
        .then(() => run(event))
        .catch((error) => say(error.message));
    };
    const act = (event) => {
      const one = view.actions[Number(event.key) - 1];
      if (one) to(after(view.line, one.step));
    };
    const back = () => to(view.columns.at(-1)?.line ?? view.line);
    const card = (by) => () => {
      const line = otherCard(view, by);
      if (line !== null) to(line);
    };
    return [
      { keys: [..."123456789"], what: "take the first, second, ... action", run: later(act) },
      { keys: ["Backspace"], what: "go back one step", run: later(back) },
      {
        keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
        what: "go to the grid of hands, and move in it",
        run: intoGrid,
      },
      ...MODES.map(([by, key, title]) => ({
        keys: [key],
        what: `show ${by === "strategy" || by === "equity" || by === "weight" ? title.toLowerCase() : title}`,
        run: () => set({ by }),
      })),
      { keys: ["o"], what: "show the other player's hands", run: () => set({ player: 1 - shownPlayer() }) },
      { keys: ["n"], what: "next card", run: later(card(1)) },
      { keys: ["p"], what: "previous card", run: later(card(-1)) },
      { keys: ["/"], what: "type a line in the words of errai show", run: openField },
    ];
  }

  await useStyle("study");
  await show();
  return room;
}
