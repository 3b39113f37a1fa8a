/** The room Solve: a spot is put together, its size is said while it is typed, and solves run as jobs. */

import { api } from "../api.js";
import { boardPicker, cardsOf } from "../board.js";
import { bytes, seconds } from "../curve.js";
import { cardsView, copyButton, say, useStyle } from "../dom.js";
import { readNumber } from "../numbers.js";
import { Painter } from "../painter.js";
import { Solves } from "../solves.js";
import { ambiguity, PLAYERS, streetsLeft, THRESHOLDS, toForm, toText } from "../spot.js";
import { html, nothing, render } from "../vendor/lit-html.js";

const EXAMPLES = [
  ["river", "River, any two cards"],
  ["turn", "Turn, queen-high"],
  ["flop", "Flop, ten-high"],
  ["push-or-fold", "Push or fold, 10 big blinds"],
];
const WHO = ["Out of position (oop, acts first)", "In position (ip)"];
const WHO_PREFLOP = ["Big blind (oop after the flop)", "Small blind (ip after the flop, acts first)"];
const ALGORITHMS =
  "dcfr-foresight dcfr dcfr4 dcfr4+ cfr+ pcfr+ linear cfr hs-dcfr-30 hs-dcfr-15 hs-pcfr+-30 hs-pcfr+-15".split(" ");
/** What may stand after the first street, and the first street that it fits; the others fit every street but the last. */
const NETS = [
  ["flop", "estimate with the network for the flop", "preflop"],
  ["turn", "estimate with the network for the turn", "flop"],
  ["leduc", "estimate with the network for Leduc", "leduc"],
  ["check-down", "check it down"],
  ["zero", "count it as worth nothing"],
];
const NET_GAMES = { preflop: "holdem.nolimit.2p", leduc: "leduc.nolimit" };
const SETTINGS = {
  target: "0.5%pot",
  max_iterations: "",
  seconds: "",
  algorithm: "",
  precision: "",
  threads: "",
  net: "",
  menu: "",
  start_from: "",
};
const NUMBERS = ["max_iterations", "seconds", "threads"];
const DRAFT = "errai-solve";
const WAIT = 300;
const LABELS = {
  add_all_in: "Add all-in below (pots)",
  force_all_in: "Force all-in below (pots left)",
  merging: "Merge sizes closer than (pots)",
};

/**
 * What an error says where its field is marked: without the line, the key and the syntax of a file, and in plain words.
 * @param {string} message
 */
const plain = (message) =>
  message
    .replace(/^line \d+(, column \d+)?: /, "")
    .replace(/^In '[\w.]+': /, "")
    .replace(/^'[\w.]+' must be a (whole )?number.*?; found '?(.*?)'?, which is .*$/, (_, whole = "", found) =>
      found ? `${found} is not a ${whole}number.` : `Write a ${whole}number here.`,
    )
    .replace(/^'[\w.]+' is (?=-?\d)/, "This is ")
    .replace(/^body[\w.]*: Input should be /, "This should be ")
    .replace("a valid integer", "a whole number")
    .replace("a valid number", "a number");

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** @param {HTMLElement} root  @param {import("../app.js").Context} context  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, context) {
  const styled = useStyle("solve");
  /** What is to be solved, and how; it is kept in the browser, so that a closed page loses nothing. */
  const state = {
    /** @type {import("../spot.js").Form | null} */ form: null,
    mode: "form",
    text: "",
    game: "leduc",
    locks: "",
    settings: { ...SETTINGS },
    /** Of which board or game the locks and the start are; empty if there are none. */ belongs: "",
  };
  /** @type {any} */ let size = null;
  /** @type {{ field: string, message: string } | null} */ let wrong = null;
  let games = /** @type {any[]} */ ([]);
  let counting = false;
  let sending = false;
  let timer = 0;
  /** @type {AbortController | null} */ let asking = null;
  let over = false;
  const drawn = () => !over && render(view(), root);
  const solves = new Solves(context.go, drawn, async (job) => {
    try {
      const { subject, settings } = await api(`jobs/${job.id}/solve`);
      await take(subject, { ...settings, start_from: settings.net ? null : job.solution }, job.title);
      context.go("/solve");
    } catch (error) {
      say(error.message);
    }
  });
  const painters = PLAYERS.map(
    (player, index) =>
      new Painter(
        `range-${index}`,
        WHO[index],
        (text) => {
          if (state.form) state.form.ranges[index] = text;
          changed();
        },
        drawn,
      ),
  );

  // --- what is asked for ---------------------------------------------------------------------------------------------

  const written = () => (state.mode === "form" && state.form ? toText(state.form) : { text: state.text, fields: [] });

  function request() {
    const settings = {};
    for (const [key, value] of Object.entries(state.settings)) {
      const typed = String(value).trim();
      if (!typed || (key === "menu" && state.mode !== "game")) continue;
      const text = NUMBERS.includes(key) ? readNumber(typed).text : "";
      settings[key] = text ? Number(text) : typed;
    }
    if (state.locks.trim()) settings.locks = state.locks;
    return { subject: state.mode === "game" ? { game: state.game } : { spot: written().text }, settings };
  }

  /** What is solved, as far as locks and a start depend on it: the game, or the cards of the board. */
  function place() {
    if (state.mode === "game") return state.game;
    const board =
      state.mode === "form" && state.form
        ? state.form.board
        : (/^\s*board\s*=\s*["'](.*?)["']/m.exec(state.text)?.[1] ?? "");
    return (cardsOf(board) ?? [board]).join(" ") || "before the flop";
  }

  /** The locks and the start of another spot are asked about, so that they do not come along unseen. */
  const stray = () => state.belongs !== "" && state.belongs !== place();

  function forget() {
    state.locks = state.settings.start_from = "";
  }

  function changed() {
    if (!state.locks.trim() && !state.settings.start_from) state.belongs = "";
    else state.belongs ||= place();
    try {
      localStorage.setItem(DRAFT, JSON.stringify(state));
    } catch {
      /* Without room for it the draft is not kept. */
    }
    clearTimeout(timer);
    asking?.abort();
    counting = true;
    timer = setTimeout(count, WAIT);
    drawn();
  }

  /** A number that can be read in two ways is asked about here, and not taken for either. */
  function ambiguous() {
    for (const key of NUMBERS) {
      const { problem } = readNumber(String(state.settings[key]));
      if (String(state.settings[key]).includes(",") && problem) return { field: key, message: problem };
    }
    return state.mode === "form" && state.form ? ambiguity(state.form) : null;
  }

  /** Ask how large the solve is. */
  async function count() {
    wrong = ambiguous();
    if (wrong) {
      [size, counting] = [null, false];
      return drawn();
    }
    asking = new AbortController();
    try {
      size = await api("estimate", { body: request(), signal: asking.signal });
      wrong = null;
    } catch (error) {
      if (error.name === "AbortError") return;
      size = null;
      wrong = placed(error);
    }
    counting = false;
    drawn();
  }

  /** The field that an error belongs to. */
  function placed(error) {
    const message = plain(error.message);
    const place = error.place ?? "";
    if (error.type === "LockError") return { field: "locks", message: error.message };
    if (error.type === "TargetError") return { field: "target", message };
    const setting = /\bsettings\.(\w+)/.exec(place);
    if (setting) return { field: setting[1], message: message };
    const line = Number(/^line (\d+)$/.exec(place)?.[1] ?? 0);
    const field = state.mode === "form" && line ? (written().fields[line - 1] ?? "") : "";
    return field
      ? { field, message }
      : { field: state.mode === "text" ? "text" : "", message: state.mode === "form" ? message : error.message };
  }

  const why = () => {
    if (sending) return "The solve is being sent.";
    if (wrong) return wrong.message;
    if (stray()) {
      const what = [state.locks.trim() ? "locks" : "", state.settings.start_from ? "start" : ""]
        .filter(Boolean)
        .join(" and the ");
      return `The ${what} in use belong${what === "start" ? "s" : ""} to another spot (${state.belongs}).`;
    }
    if (size && !size.fits) return `It does not fit into the memory. ${size.advice ?? ""}`;
    return "";
  };

  async function solve() {
    if (why()) return say(why());
    sending = true;
    drawn();
    try {
      const job = await api("jobs", { body: { kind: "solve", ...request() } });
      solves.jobs.set(job.id, job);
      context.go(`/solve/${job.id}`);
    } catch (error) {
      wrong = placed(error);
      say(error.message);
    } finally {
      sending = false;
      drawn();
    }
  }

  /** Show another spot, without what belonged to the one before. */
  async function begin(text, name) {
    if (state.locks.trim() || state.settings.start_from)
      say("The locks and the start of the spot before were removed.");
    forget();
    await open(text, name);
  }

  /** Show the text of a spot in the form, or as text where the form has no fields for it. */
  async function open(text, name) {
    state.text = text;
    try {
      const { fields } = await api("spots/read", { body: { spot: text } });
      const form = toForm(fields);
      state.mode = form ? "form" : "text";
      if (form) show(form);
      else say("The form has no fields for limit betting, so the spot is shown as text.");
    } catch (error) {
      state.mode = "text";
      say(`${name}: ${error.message}`);
    }
    changed();
  }

  function show(form) {
    state.form = form;
    painters.forEach((painter, index) => painter.read(form.ranges[index]));
  }

  const example = async (name) => {
    const text = await (await fetch(`/static/spots/${name}.toml`)).text();
    state.settings = { ...SETTINGS, start_from: state.settings.start_from };
    await begin(text, name);
  };

  /** Show what was solved before, and how: settings that were not given then are not given now. */
  async function take(subject, { locks, ...settings }, name) {
    state.locks = locks ?? "";
    state.settings = { ...SETTINGS, target: "" };
    for (const [key, value] of Object.entries(settings)) if (value !== null) state.settings[key] = String(value);
    if (subject.game) [state.mode, state.game] = ["game", subject.game];
    else await open(subject.spot, name);
    state.belongs = "";
    changed();
  }

  async function from(query) {
    const name = query.get("from");
    if (!name) return;
    try {
      const { subject, settings } = await api(`solutions/${encodeURIComponent(name)}/spot`);
      // Study has put its own locks and those of the solution together; two tables for one line would be an error.
      const lock = query.get("lock");
      await take(subject, { ...settings, locks: lock ?? settings.locks, start_from: settings.net ? null : name }, name);
      // Two solutions of one title cannot be told apart in a list.
      if (lock && state.mode === "form" && state.form && !state.form.title.endsWith(", locked")) {
        state.form.title = `${state.form.title || state.form.board}, locked`;
        changed();
      }
    } catch (error) {
      say(error.message);
    }
  }

  /** Go to another way of saying what is solved. @param {string} mode */
  async function turnTo(mode) {
    if (mode === "text" && state.mode === "form") state.text = written().text;
    if (mode === "form" && state.mode === "text") return open(state.text, "The text");
    state.mode = mode;
    if (mode === "game" && state.settings.target === "0.5%pot") state.settings.target = "1mbb";
    if (mode !== "game" && state.settings.target === "1mbb") state.settings.target = "0.5%pot";
    changed();
  }

  // --- views ---------------------------------------------------------------------------------------------------------

  const problem = (id) => (wrong?.field === id ? wrong.message : "");

  /** A field with its label.  What is wrong with it stands below it, in a row of fields below the row. */
  function field(id, label, value, put, { hint = "", width = "", mode = "text" } = {}) {
    const message = problem(id);
    return html`<div class="field ${width}"><label for=${id}>${label}</label>
      <input id=${id} .value=${value} inputmode=${mode} placeholder=${hint} autocomplete="off" spellcheck="false"
        aria-invalid=${message !== ""} aria-describedby=${message ? `${id}-said` : nothing}
        @input=${(event) => {
          put(event.target.value);
          changed();
        }}></div>${message ? html`<p id="${id}-said" class="problem">${message}</p>` : nothing}`;
  }

  const check = (label, value, put) =>
    html`<label class="check"><input type="checkbox" .checked=${value} @change=${(event) => {
      put(event.target.checked);
      changed();
    }}> ${label}</label>`;

  const select = (id, label, value, options, put) => html`<div class="field"><label for=${id}>${label}</label>
    <select id=${id} @change=${(event) => {
      put(event.target.value);
      changed();
    }}>${options.map(
      ([key, text]) => html`<option value=${key} ?selected=${key === value}>${text}</option>`,
    )}</select></div>`;

  function boardView(form) {
    const cards = cardsOf(form.board);
    const put = (text) => {
      form.board = text;
      changed();
    };
    const street = cards && ["before the flop", "", "", "flop", "turn", "river"][cards.length];
    return html`<fieldset><legend>Board</legend>
      <div class="row">${field("board", "Cards", form.board, (text) => (form.board = text), {
        hint: "none: before the flop",
      })}
        <span>${cardsView((cards ?? []).join(""))} <span
          class="soft">${street || "a board has 3, 4 or 5 cards, or none"}</span></span>
        <button type="button" @click=${() => put("")}>Clear</button></div>
      ${boardPicker(cards ?? [], (board) => put(board.join(" ")))}
    </fieldset>`;
  }

  function chipsView(form, preflop) {
    const stack = preflop ? "with the blind" : "behind";
    return html`<fieldset><legend>Chips</legend><div class="fields">
      ${
        preflop
          ? field("blinds-0", "Small blind", form.blinds[0], (text) => (form.blinds[0] = text), { mode: "decimal" })
          : field("pot", "Pot", form.pot, (text) => (form.pot = text), { mode: "decimal" })
      }
      ${field("blinds-1", "Big blind", form.blinds[1], (text) => (form.blinds[1] = text), {
        mode: "decimal",
        hint: preflop ? "" : "optional",
      })}
      ${[0, 1].map((index) =>
        field(
          `stacks-${index}`,
          `Stack of ${PLAYERS[index]}, ${stack}`,
          form.stacks[index],
          (text) => (form.stacks[index] = text),
          { mode: "decimal" },
        ),
      )}
      ${field("rake-percent", "Rake, %", form.rake.percent, (text) => (form.rake.percent = text), {
        mode: "decimal",
        hint: "none",
      })}
      ${field("rake-cap", "Rake at most, chips", form.rake.cap, (text) => (form.rake.cap = text), {
        mode: "decimal",
        hint: "no cap",
      })}
      </div>${
        preflop
          ? check("No rake of hands that end before the flop", form.rake.no_drop, (on) => (form.rake.no_drop = on))
          : nothing
      }</fieldset>`;
  }

  function betsView(form) {
    const streets = streetsLeft(form.board);
    const menu = (street, index, kind, label, hint = "none") =>
      field(
        `${street}-${index}-${kind}`,
        label,
        form.bets[street].players[index][kind],
        (text) => (form.bets[street].players[index][kind] = text),
        { hint },
      );
    return html`<fieldset class="bets"><legend>Bets</legend>
      <p class="soft">Sizes with commas between them: 33% of the pot, 2.5x the bet, 100c chips, 3bb, e (equal shares
        over the streets), a (all-in), min.
        A donk bet is one into the player who bet or raised last on the street before; “none” forbids it.</p>
      ${streets.map(
        (street, at) => html`<fieldset><legend>${capital(street)}</legend>
        ${PLAYERS.map(
          (player, index) => html`<div class="fields">
          ${street === "preflop" ? nothing : menu(street, index, "bet", `${player}: bet`)}
          ${menu(street, index, "raise", `${player}: raise`)}
          ${index || at === 0 ? nothing : menu(street, 0, "donk", "oop: donk bet", "as bet")}
        </div>`,
        )}
        <div class="fields">${field(
          `${street}-cap`,
          "Most bets and raises",
          form.bets[street].cap,
          (text) => (form.bets[street].cap = text),
          { hint: "no cap", mode: "numeric" },
        )}
        ${
          at === 0 && streets.length > 1 && street !== "preflop"
            ? html`<div class="field"><button type="button" @click=${() => {
                for (const other of streets.slice(1)) form.bets[other] = structuredClone(form.bets[street]);
                changed();
              }}>Copy to the later streets</button></div>`
            : nothing
        }</div>
        ${
          street === "preflop"
            ? html`${check("The small blind may limp", form.bets.preflop.limp, (on) => (form.bets.preflop.limp = on))}
          ${check(
            "A raise may be called with chips behind",
            form.bets.preflop.flat,
            (on) => (form.bets.preflop.flat = on),
          )}`
            : nothing
        }
      </fieldset>`,
      )}
      <details><summary>Thresholds for all-in and for sizes that are nearly the same</summary><div class="fields">
        ${THRESHOLDS.map((name) =>
          field(name, LABELS[name], form.thresholds[name], (text) => (form.thresholds[name] = text), {
            hint: "0",
            mode: "decimal",
          }),
        )}
      </div></details></fieldset>`;
  }

  function settingsView() {
    const settings = state.settings;
    const put = (key) => (text) => (settings[key] = text);
    const street = state.mode === "form" && state.form ? streetsLeft(state.form.board)[0] : "";
    const game = state.mode === "game" ? games.find((one) => one.name === state.game) : null;
    const fits = (where) => {
      if (game) return !game.limit && game.rounds > 1 && (!where || NET_GAMES[where] === game.name);
      return where ? where === street || (!street && where !== "leduc") : street !== "river";
    };
    const nets = [["", "solve it exactly"], ...NETS.filter(([name, , where]) => name === settings.net || fits(where))];
    return html`<fieldset><legend>How to solve it</legend>
      <div class="fields">${field("target", "Target: exploitability", settings.target, put("target"), {
        hint: "such as 0.5%pot, 1mbb, 0.5chips",
      })}
        ${field("seconds", "At most, seconds", settings.seconds, put("seconds"), { hint: "no limit", mode: "decimal" })}
        ${field("max_iterations", "At most, iterations", settings.max_iterations, put("max_iterations"), {
          hint: "no limit",
          mode: "numeric",
        })}
        ${nets.length > 1 ? select("net", "After the first street", settings.net, nets, put("net")) : nothing}</div>
      <details ?open=${problem("locks") !== "" || state.locks.trim() !== ""}><summary>Locks: parts of the strategy that
        are fixed${state.locks.trim() ? " (in use)" : ""}</summary>
        <label for="locks">Locks as text; docs/spots.md says how they are written</label>
        <textarea id="locks" rows="5" spellcheck="false" .value=${state.locks} aria-invalid=${problem("locks") !== ""}
          aria-describedby="locks-said"
          placeholder=${'["check"]\n"TT-88" = { check = 0.5, "bet 50" = 0.5 }\n"*" = { check = 1 }'}
          @input=${(event) => {
            state.locks = event.target.value;
            changed();
          }}></textarea><p id="locks-said" class="problem">${problem("locks")}</p></details>
      <details><summary>More settings</summary><div class="fields">
        ${select(
          "algorithm",
          "Algorithm",
          settings.algorithm,
          [["", `${ALGORITHMS[0]} (default)`], ...ALGORITHMS.slice(1).map((name) => [name, name])],
          put("algorithm"),
        )}
        ${select(
          "precision",
          "Precision",
          settings.precision,
          [
            ["", "auto"],
            ["float64", "float64"],
            ["float32", "float32"],
            ["fixed16", "fixed16"],
            ["average8", "average8"],
          ],
          put("precision"),
        )}
        ${
          settings.start_from
            ? select(
                "start_from",
                "Start from",
                settings.start_from,
                [
                  [settings.start_from, `${settings.start_from}, where lines and hands are the same`],
                  ["", "nothing"],
                ],
                put("start_from"),
              )
            : nothing
        }
        ${field("threads", "Threads", settings.threads, put("threads"), {
          hint: "all",
          mode: "numeric",
        })}</div></details></fieldset>`;
  }

  function subjectView() {
    const form = state.form;
    if (state.mode === "game") {
      return html`<fieldset><legend>Game</legend><div class="fields">
        ${select(
          "game",
          "Game of the catalogue",
          state.game,
          games.map((game) => [game.name, game.title]),
          (name) => (state.game = name),
        )}
        ${
          games.find((game) => game.name === state.game)?.limit === false
            ? field("menu", "Bet sizes", state.settings.menu, (text) => (state.settings.menu = text), {
                hint: "100%, a",
              })
            : nothing
        }</div></fieldset>`;
    }
    if (state.mode === "text" || !form) {
      return html`<fieldset><legend>Spot as text</legend><label for="text" class="unseen">Spot as text</label>
        <textarea id="text" rows="22" spellcheck="false" .value=${state.text} aria-invalid=${problem("text") !== ""}
          aria-describedby="text-said" @input=${(event) => {
            state.text = event.target.value;
            changed();
          }}></textarea><p id="text-said" class="problem">${problem("text")}</p></fieldset>`;
    }
    const preflop = cardsOf(form.board)?.length === 0;
    painters.forEach((painter, index) => {
      painter.label = (preflop ? WHO_PREFLOP : WHO)[index];
    });
    return html`${field("title", "Title", form.title, (text) => (form.title = text), {
      hint: "optional",
      width: "long",
    })}
      <div class="top">${boardView(form)} ${chipsView(form, preflop)}</div>
      <div class="ranges">${painters.map((painter, index) => painter.view(problem(`range-${index}`)))}</div>
      ${betsView(form)}`;
  }

  /** A shell command that does the same as the form. */
  function command() {
    const { subject, settings } = request();
    // A checkpoint for the command line is no file of the page.
    const { locks, start_from, ...rest } = /** @type {any} */ (settings);
    const file = (name, text) => `cat > ${name} <<'END'\n${text.trimEnd()}\nEND\n`;
    const word = (text) => (/^[\w.,+%:/=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
    const options = Object.entries(rest)
      .map(([key, value]) => ` --${key.replaceAll("_", "-")} ${word(String(value))}`)
      .join("");
    return (
      `${subject.game ? "" : file("spot.toml", subject.spot ?? "")}${locks ? file("locks.toml", locks) : ""}` +
      `errai solve ${subject.game ?? "spot.toml"}${options}${locks ? " --lock locks.toml" : ""} -o solution.errai`
    );
  }

  function download() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([written().text], { type: "application/toml" }));
    link.download = "spot.toml";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  /** Go to the field that is wrong. @param {string} id */
  function goToField(id) {
    const found = document.getElementById(id) ?? document.getElementById(`${id}-text`);
    const around = found?.closest("details");
    if (around) around.open = true;
    found?.focus();
  }

  function stripView() {
    const reason = why();
    return html`<div class="strip"><div class="size" role="status" aria-live="polite" aria-busy=${counting}>
      ${
        size && size.nodes !== null
          ? html`<dl>
        <div><dt>Betting nodes</dt><dd id="nodes">${size.nodes.toLocaleString("en")}</dd></div>
        <div><dt>Information sets</dt><dd id="sets">${size.information_sets.toLocaleString("en")}</dd></div>
        <div><dt>Memory</dt><dd>${bytes(size.memory_bytes)}${
          size.free_bytes === null ? "" : ` of ${bytes(size.free_bytes)} free`
        }</dd></div>
        ${
          size.seconds_per_iteration === null
            ? nothing
            : html`<div><dt>One iteration</dt><dd>about ${seconds(size.seconds_per_iteration)}</dd></div>`
        }</dl>
        ${size.note ? html`<p class="soft">${size.note}</p>` : nothing}`
          : counting
            ? html`<p class="soft">The size is being counted.</p>`
            : nothing
      }
      ${
        reason
          ? html`<p id="why" class="problem">${reason} ${
              wrong?.field && !sending
                ? html`<button type="button" class="quiet" @click=${() => goToField(wrong.field)}>Show where</button>`
                : nothing
            }${
              !wrong && !sending && stray()
                ? html`<button type="button" @click=${() => {
                    forget();
                    changed();
                  }}>Remove what is of another spot</button> <button type="button" @click=${() => {
                    state.belongs = place();
                    changed();
                  }}>Use it here as well</button>`
                : nothing
            }</p>`
          : nothing
      }</div>
      <button type="button" class="main" ?disabled=${reason !== ""} aria-describedby=${reason ? "why" : nothing}
        @click=${solve}>Solve</button></div>`;
  }

  function formView() {
    return html`<h1>Solve</h1>
      <div class="row" role="group" aria-label="What is solved">
        ${[
          ["form", "Spot"],
          ["text", "Spot as text"],
          ["game", "Game"],
        ].map(
          ([mode, label]) => html`<button type="button"
          aria-pressed=${state.mode === mode} @click=${() => turnTo(mode)}>${label}</button>`,
        )}
        <label class="unseen" for="example">Begin with an example</label>
        <select id="example" .value=${""} @change=${(event) => {
          if (event.target.value) example(event.target.value);
          event.target.value = "";
        }}><option value="">Begin with an example
          …</option>${EXAMPLES.map(([name, title]) => html`<option value=${name}>${title}</option>`)}</select>
        <label class="button file" for="file">Open a file …<input class="unseen" id="file" type="file" accept=".toml"
          @change=${async (event) => {
            const given = event.target.files[0];
            if (given && given.size <= 1 << 20) begin(await given.text(), given.name);
            else if (given) say("The file is longer than spots are.");
            event.target.value = "";
          }}></label>
        ${state.mode === "game" ? nothing : html`<button type="button" @click=${download}>Download</button>`}
        ${copyButton(command())}
      </div>
      ${subjectView()} ${settingsView()} ${stripView()}`;
  }
  const view = () =>
    html`<div class="split"><div class="what">${
      solves.chosen ? solves.view() : formView()
    }</div>${solves.list()}</div>`;

  // --- begin ---------------------------------------------------------------------------------------------------------

  const [leave, found] = await Promise.all([solves.begin(), api("games"), styled]);
  games = found.games;
  let draft = null;
  try {
    draft = JSON.parse(localStorage.getItem(DRAFT) ?? "null");
  } catch {
    /* A draft of another version is left. */
  }
  if (draft && draft.settings && (draft.form || draft.text)) {
    Object.assign(state, draft, { settings: { ...state.settings, ...draft.settings } });
    if (state.form) show(state.form);
    changed();
  } else if (!context.address.query.get("from")) await example("river");
  await from(context.address.query);
  solves.choose(context.address.name);
  drawn();
  return {
    title: "Solve",
    moved(address) {
      solves.choose(address.name);
      drawn();
      if (address.query.get("from")) from(address.query);
      window.scrollTo(0, 0);
    },
    keys: [
      { keys: ["s"], what: "solve", run: solve, when: () => !solves.chosen },
      { keys: ["n"], what: "new solve", run: () => context.go("/solve"), when: () => solves.chosen !== "" },
      {
        keys: ["x"],
        what: "stop this solve",
        run: () => solves.act(solves.chosen, "stop"),
        when: () => solves.chosen !== "",
      },
      {
        keys: ["1", "…", "9", "0"],
        what: "in a range: set the brush to 10 % … 90 %, 100 %",
        run: () => {},
        when: () => false,
      },
      {
        keys: ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"],
        what: "in a range or the deck: go to another cell",
        run: () => {},
        when: () => false,
      },
    ],
    leave() {
      over = true;
      leave();
      clearTimeout(timer);
      asking?.abort();
    },
  };
}
