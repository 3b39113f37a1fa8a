/** What stands around the grid of a node: the next actions, the facts, and what can be chosen. */
import { mixBar } from "./combos.js";
import { copyButton } from "./dom.js";
import { after, MODES, paint, reachedText, tenths, worth } from "./hands.js";
import { deckView } from "./line.js";
import { html } from "./vendor/lit-html.js";

export const TABS = [
  ["combos", "Combos"],
  ["ranges", "Ranges"],
  ["runouts", "Run-outs"],
  ["compare", "Compare"],
  ["lock", "Lock"],
];
const CHIPS = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const ENDS = {
  showdown: "The hands are shown.",
  fold: "The hand is over: a player has folded.",
  leaf: "The tree is cut here: given values stand in the place of the later streets.",
};

export function nextView(room) {
  if (room.view.kind === "chance") return deckView(room.view, room.local.cards, (card) => room.choose(card));
  if (!room.view.actions.length) {
    return html`<p class="soft">${ENDS[room.view.kind] ?? "No player acts here."}</p>`;
  }
  return html`<ul class="actions">${room.view.actions.map((one, i) => {
    const line = after(room.view.line, one.step);
    return html`<li><button type="button" .style=${`--colour:${paint(one.colour)}`}
      @pointerenter=${() => room.soon(line)}
        @focus=${() => room.soon(line)}
        @click=${() => room.to(line)}><b>${one.label}</b>${
          i < 9 ? html`<kbd aria-hidden="true">${i + 1}</kbd>` : ""
        }<span
          class="numbers"><span>${tenths(one.frequency)} %</span
        ><span>${
          one.ev_chips === null ? "" : `EV ${worth(one.ev_chips, room.view.pot_chips)}`
        }</span></span></button></li>`;
  })}</ul>${mixBar(
    room.view.actions.map((one) => one.frequency ?? 0),
    room.view.actions.map((one) => paint(one.colour)),
  )}`;
}

export function modesView(room, player) {
  return html`<div class="choice" role="group" aria-label="What the hands show">${MODES.map(
    ([by, key, title]) => html`<button type="button"
        aria-pressed=${room.state.by === by} @click=${() => room.set({ by })}>${title} <kbd
          aria-hidden="true">${key}</kbd></button>`,
  )}</div>
      <div class="choice" role="group" aria-label="Whose hands">${room.view.player_names.map(
        (name, i) => html`<button type="button" aria-pressed=${player === i}
        @click=${() => room.set({ player: i })}>${name}${
          i === player ? "" : html` <kbd aria-hidden="true">o</kbd>`
        }</button>`,
      )}</div>`;
}

/** How the hand stands, in a line. @param {any} view */
function factsOf(view) {
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
  ];
  return facts.filter(Boolean).join(" · ");
}

/** What the certificate says, and whether it holds. */
function proofView(room) {
  const { certificate: proof } = room.view;
  const { busy, verified: done } = room.local;
  const said =
    proof.pot_percent === null
      ? proof.text
      : html`exploitability ${proof.cut ? "of the cut game " : ""}${Number(proof.pot_percent.toPrecision(2))} % of the
        pot, ${proof.status === "running" ? "not certified yet" : "certified"}`;
  const tone = () => (done.certified ? "good" : done.certified === null ? "" : "problem");
  return html`<p>${said}
    ${
      proof.status === "trained"
        ? ""
        : html`<button type="button" class="quiet" title=${proof.text} ?disabled=${busy === "verify"}
            @click=${() => room.verify()}>${busy === "verify" ? "Verifying …" : "Verify"}</button>`
    }
    ${
      done
        ? html`<span class=${tone()} role="status">${done.text}${
            done.certified === null ? copyButton(done.command) : ""
          }</span>`
        : ""
    }</p>`;
}

/** What is locked at a node. @param {any} locked */
function lockedView(locked) {
  if (!Object.keys(locked).length) return "";
  const shares = (plays) => Object.entries(plays).map(([action, p]) => `${action} ${tenths(p)} %`);
  const said = Object.entries(locked).map(([hands, plays]) => {
    return `${hands === "*" ? "every hand" : hands}: ${
      plays === "best" ? "the best answer" : shares(plays).join(", ")
    }`;
  });
  return html`<p>Locked here: ${said.join("; ")}</p>`;
}

export function factsView(room) {
  const { view } = room;
  const why = view.why_no_ev || view.why_no_equity;
  return html`<div class="facts"><p role="status">${factsOf(view)}</p>
    ${proofView(room)}
    ${
      why
        ? html`<p class="soft">${why}
      ${
        view.reads_more
          ? html`<button type="button" @click=${() => room.set({ whole: true })}>Read the whole file</button>`
          : ""
      }</p>`
        : ""
    }
    ${lockedView(view.locked)}</div>`;
}

export function tabsView(room) {
  const arrow = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = TABS.findIndex(([tab]) => tab === room.state.tab);
    const [tab] = TABS[(at + by + TABS.length) % TABS.length];
    room.set({ tab });
    /** @type {HTMLElement} */ (room.root.querySelector(`#tab-${tab}`)).focus();
  };
  return html`<div class="tabs" role="tablist" aria-label="Tables" @keydown=${arrow}>${TABS.map(
    ([tab, title]) => html`<button type="button" role="tab"
      id=${`tab-${tab}`} aria-selected=${room.state.tab === tab} aria-controls="panel"
        tabindex=${room.state.tab === tab ? 0 : -1} @click=${() => room.set({ tab })}>${title}</button>`,
  )}</div>`;
}

/** The field for a line that is typed. */
export function typedView(room) {
  const submit = (event) => {
    event.preventDefault();
    const line = event.target.elements.line.value.trim();
    room.node(line).then(
      (found) => {
        room.typed = null;
        room.to(found.line);
        room.draw();
        room.focusActions();
      },
      (error) => {
        room.typed = { line, error: error.message };
        room.draw();
      },
    );
  };
  const close = (event) => {
    if (event.key !== "Escape") return;
    room.typed = null;
    room.draw();
    room.focusActions();
  };
  return html`<form class="typed" @submit=${submit} @keydown=${close}><label for="typed">Line, as for errai
      show</label>
      <input id="typed" name="line" autocomplete="off" spellcheck="false" size="48" .value=${room.typed.line}
        placeholder="check bet 120 / Ah / check"
        aria-describedby="typed-error" aria-invalid=${room.typed.error ? "true" : "false"}><button>Go</button>
      <p id="typed-error" class="problem" role="alert">${room.typed.error}</p></form>`;
}
