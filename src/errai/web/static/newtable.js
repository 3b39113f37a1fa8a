/** The form for a new table: the game, the opponent, the seat. */

import { api } from "./api.js";
import { readWhole } from "./numbers.js";
import { html, nothing } from "./vendor/lit-html.js";

const MOST_CHIPS = 1_000_000;
const KEPT = "errai-new-table";

/** What was chosen last, or what suits a beginner. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

/**
 * Make the form.
 * @param {() => void} changed  called when it has to be drawn again
 * @param {(tables: any[]) => void} made  called with the new tables
 */
export function newTableForm(changed, made) {
  const kept = remembered();
  const form = {
    of: kept.of ?? "game:holdem.nolimit.2p",
    opponent: kept.opponent ?? "",
    seating: kept.seating ?? "alternate",
    advisor: "",
    open: Boolean(kept.open),
    count: 1,
    stack: "",
    spot: "",
  };
  let games = [],
    solutions = [],
    agents = [],
    problem = "",
    busy = false,
    asked = "";
  /** The opponent that was chosen last; another one takes its place where it cannot play. */
  let wanted = { name: form.opponent, title: "" };

  const limit = () => games.find((one) => `game:${one.name}` === form.of)?.limit ?? true;

  /** The stacks that are typed; 0 where they are those of the game. */
  const stack = () =>
    form.stack.trim() && form.of.startsWith("game:") && !limit()
      ? readWhole(form.stack, "Stacks", 1, MOST_CHIPS)
      : { value: 0, problem: "" };

  async function begin(solution) {
    [games, solutions] = await Promise.all([
      api("games").then((found) => found.games),
      api("solutions").then(
        (found) => found.solutions.filter((one) => one.kind === "solution"),
        () => [],
      ),
    ]);
    if (solution) {
      Object.assign(form, { of: `solution:${solution}`, opponent: `solution:${solution}` });
      wanted = { name: form.opponent, title: solution };
    }
    const known = [
      ...games.map((one) => `game:${one.name}`),
      ...solutions.map((one) => `solution:${one.name}`),
      "spot:",
    ];
    if (!known.includes(form.of)) form.of = "game:holdem.nolimit.2p";
    await askAgents();
  }

  async function askAgents() {
    const [kind, name] = split();
    problem = stack().problem;
    if (problem) return changed();
    const path =
      kind === "spot"
        ? ""
        : `agents?${kind}=${encodeURIComponent(name)}${stack().value ? `&stack=${stack().value}` : ""}`;
    if (!path) {
      agents = [
        ["resolver", "Resolver"],
        ["uniform", "Random actions"],
        ["always-call", "Always calls"],
      ].map(([name, title]) => ({ name, title, what: "", seconds: null }));
    } else if (path !== asked) {
      asked = path;
      try {
        agents = (await api(path)).agents;
        problem = "";
      } catch (error) {
        problem = error.message;
      }
    }
    const same = agents.find((one) => one.name === wanted.name) ?? (wanted.title ? undefined : agents[0]);
    if (same) wanted = { name: same.name, title: same.title };
    form.opponent = (same ?? agents[0])?.name ?? "";
    if (!agents.some((one) => one.name === form.advisor)) form.advisor = "";
    changed();
  }

  /** @returns {[string, string]} */
  function split() {
    const at = form.of.indexOf(":");
    return [form.of.slice(0, at), form.of.slice(at + 1)];
  }

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    const [kind, name] = split();
    problem = stack().problem;
    if (problem) return changed();
    busy = true;
    changed();
    try {
      const body = {
        [kind]: kind === "spot" ? form.spot : name,
        opponent: form.opponent,
        seating: form.seating,
        open: form.open,
        ...(form.advisor ? { advisor: form.advisor } : {}),
        ...(kind === "game" && stack().value ? { stack: stack().value } : {}),
      };
      const tables = [];
      for (let number = 0; number < form.count; number++) tables.push(await api("tables", { body }));
      const { of, opponent, seating, open } = form;
      localStorage.setItem(KEPT, JSON.stringify({ of, opponent, seating, open }));
      made(tables);
    } catch (error) {
      problem = error.message;
    }
    busy = false;
    changed();
  }

  const set = (key, value, again = false) => {
    form[key] = value;
    if (again) askAgents();
    changed();
  };
  const option = (value, text, chosen) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`;

  function view() {
    if (!games.length) return html`<p class="soft">Reading the games …</p>`;
    const chosen = agents.find((one) => one.name === form.opponent);
    return html`<form class="panel new" @submit=${submit}>
      <h2>New table</h2>
      <div class="fields">
        <div class="field game"><label for="new-game">Game</label><select id="new-game"
          @change=${(event) => set("of", event.target.value, true)}>
          ${games.map((one) => option(`game:${one.name}`, one.title, form.of))}
          ${
            solutions.length
              ? html`<optgroup label="Games and spots of solutions">${solutions.map((one) =>
                  option(`solution:${one.name}`, `${one.name}: ${one.title}`, form.of),
                )}</optgroup>`
              : nothing
          }
          ${option("spot:", "A spot from a file", form.of)}
        </select></div>
        ${
          form.of === "spot:"
            ? html`<div class="field whole"><label for="new-spot">Spot (TOML)</label><textarea id="new-spot" rows="6"
              required .value=${form.spot} @input=${(event) => set("spot", event.target.value)}></textarea>
              <input type="file" accept=".toml" aria-label="Read the spot from a file"
                @change=${async (event) => set("spot", (await event.target.files[0]?.text()) ?? "")}></div>`
            : nothing
        }
        <div class="field"><label for="new-opponent">Opponent</label><select id="new-opponent" @change=${(event) => {
          wanted = agents.find((one) => one.name === event.target.value);
          set("opponent", wanted.name);
        }} aria-describedby="opponent-what">
          ${agents.map((one) => option(one.name, one.title, form.opponent))}
        </select></div>
        <p id="opponent-what" class="whole soft">${chosen?.what ?? ""}${
          chosen?.seconds ? `; up to ${chosen.seconds} seconds for a decision` : ""
        }${
          form.stack && wanted.title && chosen?.name !== wanted.name
            ? html`<br>${wanted.title} does not play with these stacks.`
            : nothing
        }</p>
        <div class="field"><label for="new-seat">Your seat</label><select id="new-seat"
          @change=${(event) => set("seating", event.target.value)}>
          ${option(
            "alternate",
            "changes every hand",
            form.seating,
          )}${option("first", "always acts first", form.seating)}
          ${option("second", "always acts second", form.seating)}
        </select></div>
        <div class="field"><label for="new-tables">Tables</label><select id="new-tables"
          @change=${(event) => set("count", Number(event.target.value))}>
          ${[1, 2, 3, 4].map((count) => option(String(count), String(count), String(form.count)))}
        </select></div>
        ${
          form.of.startsWith("game:") && !limit()
            ? html`<div class="field"><label for="new-stack">Stacks</label><input id="new-stack" inputmode="numeric"
              autocomplete="off" placeholder="as usual" .value=${form.stack}
              @change=${(event) => set("stack", event.target.value, true)}></div>`
            : nothing
        }
        <div class="field"><label for="new-advisor">Hints from</label><select id="new-advisor"
          @change=${(event) => set("advisor", event.target.value)}>
          ${option("", "the opponent", form.advisor)}${agents.map((one) => option(one.name, one.title, form.advisor))}
        </select></div>
        <label class="check"><input type="checkbox" .checked=${form.open}
          @change=${(event) => set("open", event.target.checked)}>
          Show the opponent's cards after every hand</label>
      </div>
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
      <button class="main" ?disabled=${busy || !form.opponent}>Play</button>
    </form>`;
  }

  return { begin, view };
}
