/**
 * The fields of a spot as the form has them, and the text of its file (docs/spots.md).  Numbers are texts, as they were
 * typed; the server says what is wrong with them, and `fieldOf` where.
 *
 * @typedef {{ bet: string, raise: string, donk: string }} Menu
 * @typedef {{ title: string, board: string, pot: string, stacks: string[], blinds: string[], ranges: string[],
 *   bets: { [street: string]: { players: Menu[], cap: string, limp: boolean, flat: boolean } },
 *   thresholds: { [name: string]: string }, rake: { percent: string, cap: string, no_drop: boolean } }} Form
 */
import { cardsOf } from "./board.js";
import { readNumber } from "./numbers.js";

export const STREETS = ["preflop", "flop", "turn", "river"];
export const PLAYERS = ["oop", "ip"];
export const THRESHOLDS = ["add_all_in", "force_all_in", "merging"];
/** What is typed for "no such bet" where an empty field means that the bets of the street hold. */
const NONE = "none";

/** The streets that are left on a board. @param {string} board */
export function streetsLeft(board) {
  const count = cardsOf(board)?.length ?? 0;
  return STREETS.slice(count < 3 ? (count ? 1 : 0) : count - 2);
}

const text = (value) => (value === undefined || value === null ? "" : String(value));

/**
 * The form of a spot that the server has read; null if the form has no fields for it.
 * @param {any} fields  @returns {Form | null}
 */
export function toForm(fields) {
  if (fields.limit) return null;
  const bets = {};
  for (const street of STREETS) {
    // A board of fewer cards has streets that the spot did not have; there is betting on them, too.
    const found = fields.bets[street] ?? (street === "preflop" ? {} : Object.values(fields.bets)[0]);
    bets[street] = {
      cap: text(found.raise_cap),
      limp: found.limp ?? true,
      flat: found.flat ?? true,
      players: PLAYERS.map((player) => {
        const menu = found[player] ?? found;
        return {
          bet: text(menu.bet),
          raise: text(menu.raise),
          donk: player === "ip" || menu.donk === undefined ? "" : menu.donk || NONE,
        };
      }),
    };
  }
  const [small, big] = fields.blinds ?? ["", fields.big_blind];
  return {
    title: fields.title ?? "",
    board: fields.board,
    pot: text(fields.pot),
    stacks: (fields.stacks ?? [fields.stack, fields.stack]).map(text),
    blinds: [text(small), text(big)],
    ranges: PLAYERS.map((player) => fields.ranges[player]),
    bets,
    thresholds: Object.fromEntries(THRESHOLDS.map((name) => [name, text(fields.thresholds?.[name])])),
    rake: {
      percent: text(fields.rake?.percent),
      cap: text(fields.rake?.cap),
      no_drop: fields.rake?.no_flop_no_drop ?? false,
    },
  };
}

/** A value of TOML: a number, and anything else as a text, about which the server complains. @param {string} typed */
const number = (typed) => readNumber(typed).text || JSON.stringify(typed);

/** A text of TOML. @param {string} value */
const quoted = (value) => JSON.stringify(value).replaceAll("\u007f", "\\u007f");

/** The text of the file. @param {Form} form  @returns {string} */
export function toText(form) {
  /** @type {string[]} */ const lines = [];
  const put = (...more) => lines.push(...more);
  const preflop = cardsOf(form.board)?.length === 0;
  if (form.title) put(`title = ${quoted(form.title)}`);
  put(`board = ${quoted(form.board)}`);
  if (preflop) put(`blinds = [${form.blinds.map(number)}]`);
  else {
    put(`pot = ${number(form.pot)}`);
    if (form.blinds[1].trim()) put(`big_blind = ${number(form.blinds[1])}`);
  }
  if (form.stacks[0].trim() === form.stacks[1].trim()) put(`stack = ${number(form.stacks[0])}`);
  else put(`stacks = [${form.stacks.map(number)}]`);
  put("", "[ranges]");
  for (const [index, player] of PLAYERS.entries()) {
    put(`${player} = ${quoted(form.ranges[index].replace(/\s+/g, " ").trim())}`);
  }
  for (const street of streetsLeft(form.board)) {
    const { players, cap, limp, flat } = form.bets[street];
    const [oop, ip] = players;
    const alike = oop.bet.trim() === ip.bet.trim() && oop.raise.trim() === ip.raise.trim();
    put("", `[bets.${street}]`);
    if (cap.trim()) put(`raise_cap = ${number(cap)}`);
    if (street === "preflop" && !limp) put("limp = false");
    if (street === "preflop" && !flat) put("flat = false");
    players.forEach((menu, index) => {
      if (alike && index) return;
      if (!alike) put(`[bets.${street}.${PLAYERS[index]}]`);
      if (street !== "preflop" || menu.bet.trim()) put(`bet = ${quoted(menu.bet.trim())}`);
      put(`raise = ${quoted(menu.raise.trim())}`);
      const donk = menu.donk.trim();
      if (donk && !index && street !== "preflop") put(`donk = ${quoted(donk.toLowerCase() === NONE ? "" : donk)}`);
    });
  }
  const thresholds = THRESHOLDS.filter((name) => form.thresholds[name].trim());
  if (thresholds.length) {
    put("", "[thresholds]");
    for (const name of thresholds) put(`${name} = ${number(form.thresholds[name])}`);
  }
  if (form.rake.percent.trim()) {
    put("", "[rake]");
    put(`percent = ${number(form.rake.percent)}`);
    if (form.rake.cap.trim()) put(`cap = ${number(form.rake.cap)}`);
    if (form.rake.no_drop) put("no_flop_no_drop = true");
  }
  return `${lines.join("\n")}\n`;
}

const FIELDS = {
  stack: "stacks-0",
  stacks: "stacks-0",
  blinds: "blinds-1",
  big_blind: "blinds-1",
  "ranges.oop": "range-0",
  "ranges.ip": "range-1",
  "rake.percent": "rake-percent",
  "rake.cap": "rake-cap",
};

/** The id of the field for a key of the file; empty if there is none. @param {string[]} key */
export function fieldOf([table, ...rest]) {
  if (table === "thresholds") return rest[0] ?? "";
  if (table !== "bets") return FIELDS[[table, ...rest].join(".")] ?? (rest.length || table === "ranges" ? "" : table);
  const [street, ...last] = rest;
  if (last[0] === "raise_cap") return `${street}-cap`;
  // A menu that both players have stands with the first of them.
  const menu = last.at(-1) ?? "";
  return ["bet", "raise", "donk"].includes(menu) ? `${street}-${last[0] === "ip" ? 1 : 0}-${menu}` : "";
}

/**
 * The first field of numbers with a comma that can be read in two ways, and what is to be said of it; null if none has.
 * @param {Form} form  @returns {{ field: string, message: string } | null}
 */
export function ambiguity(form) {
  const preflop = cardsOf(form.board)?.length === 0;
  const typed = {
    ...(preflop ? { "blinds-0": form.blinds[0] } : { pot: form.pot }),
    "blinds-1": form.blinds[1],
    "stacks-0": form.stacks[0],
    "stacks-1": form.stacks[1],
    "rake-percent": form.rake.percent,
    "rake-cap": form.rake.cap,
    ...form.thresholds,
    ...Object.fromEntries(streetsLeft(form.board).map((street) => [`${street}-cap`, form.bets[street].cap])),
  };
  for (const [field, text] of Object.entries(typed)) {
    if (text.includes(",") && readNumber(text).problem) return { field, message: readNumber(text).problem };
  }
  return null;
}
