/**
 * The fields of a spot as the form has them, and the text of its file (docs/spots.md).  Numbers are texts, as they were
 * typed; the server says what is wrong with them, and `fieldOf` where.
 */
import { readNumber } from "../shared/numbers";
import { cardsOf, isPreflop } from "./board";
import { sizesText } from "./sizes";

type Menu = { bet: string; raise: string; donk: string };
export type Street = { players: Menu[]; cap: string; limp: boolean; flat: boolean };
export type Form = {
  title: string;
  /** What the players are called, such as BB and BTN; empty texts for players without such a name. */
  positions: string[];
  board: string;
  pot: string;
  stacks: string[];
  blinds: string[];
  ranges: string[];
  bets: Record<string, Street>;
  thresholds: Record<string, string>;
  rake: { percent: string; cap: string; no_drop: boolean };
};

/** A street, or the menu of a player on it, as the server reads it. */
type MenuFields = { bet?: unknown; raise?: unknown; donk?: string };
type StreetFields = MenuFields & { raise_cap?: unknown; limp?: boolean; flat?: boolean } & Record<
    string,
    MenuFields | unknown
  >;
/** A spot as the server reads it. */
export type Fields = {
  limit?: unknown;
  title?: string;
  positions?: string[];
  board: string;
  pot?: unknown;
  stack?: unknown;
  stacks?: unknown[];
  blinds?: unknown[];
  big_blind?: unknown;
  ranges: Record<string, string>;
  bets: Record<string, StreetFields>;
  thresholds?: Record<string, unknown>;
  rake?: { percent?: unknown; cap?: unknown; no_flop_no_drop?: boolean };
};

/** The most chips that a spot may have (errai.games.spot_tables). */
const MOST_CHIPS = 1e9;
const STREETS = ["preflop", "flop", "turn", "river"];
export const PLAYERS = ["oop", "ip"];
export const THRESHOLDS = ["add_all_in", "force_all_in", "merging"];
/** What is typed for "no such bet" where an empty field means that the bets of the street hold. */
const NONE = "none";

/** The streets that are left on a board. */
export function streetsLeft(board: string): string[] {
  const count = cardsOf(board)?.length ?? 0;
  return STREETS.slice(count < 3 ? (count ? 1 : 0) : count - 2);
}

const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

function toStreet(found: StreetFields): Street {
  const menu = (player: string): Menu => {
    const { bet, raise, donk } = (found[player] ?? found) as MenuFields;
    const own = player === "ip" || donk === undefined ? "" : donk || NONE;
    return { bet: text(bet), raise: text(raise), donk: own };
  };
  const { raise_cap: cap, limp = true, flat = true } = found;
  return { cap: text(cap), limp, flat, players: PLAYERS.map(menu) };
}

/** The form of a spot that the server has read; null if the form has no fields for it. */
export function toForm(fields: Fields): Form | null {
  if (fields.limit) return null;
  // A board of fewer cards has streets that the spot did not have; there is betting on them, too.
  const other = (street: string) => (street === "preflop" ? {} : Object.values(fields.bets)[0]);
  const bets = STREETS.map((street) => [street, toStreet(fields.bets[street] ?? other(street))]);
  const { thresholds, rake } = fields;
  return {
    title: fields.title ?? "",
    positions: fields.positions ?? ["", ""],
    board: fields.board,
    pot: text(fields.pot),
    stacks: (fields.stacks ?? [fields.stack, fields.stack]).map(text),
    blinds: (fields.blinds ?? ["", fields.big_blind]).map(text),
    ranges: PLAYERS.map((player) => fields.ranges[player]),
    bets: Object.fromEntries(bets),
    thresholds: Object.fromEntries(THRESHOLDS.map((name) => [name, text(thresholds?.[name])])),
    rake: { percent: text(rake?.percent), cap: text(rake?.cap), no_drop: rake?.no_flop_no_drop ?? false },
  };
}

/** A value of TOML: a number, and anything else as a text, about which the server complains. */
const number = (typed: string): string => readNumber(typed).text || JSON.stringify(typed);

/** A text of TOML. */
const quoted = (value: string): string => JSON.stringify(value).replaceAll("\u007f", "\\u007f");

/** The lines of a menu. */
function menuLines({ bet, raise, donk }: Menu, preflop: boolean, index: number): string[] {
  const [bets, raises, own] = [bet, raise, donk].map(sizesText);
  const lines = preflop && !bets ? [] : [`bet = ${quoted(bets)}`];
  lines.push(`raise = ${quoted(raises)}`);
  if (own && !index && !preflop) lines.push(`donk = ${quoted(own === NONE ? "" : own)}`);
  return lines;
}

/** The lines of a street; menus that are alike are written once. */
function streetLines(street: string, { players, cap, limp, flat }: Street): string[] {
  const preflop = street === "preflop";
  const [oop, ip] = players;
  const alike = sizesText(oop.bet) === sizesText(ip.bet) && sizesText(oop.raise) === sizesText(ip.raise);
  const lines = ["", `[bets.${street}]`];
  if (cap.trim()) lines.push(`raise_cap = ${number(cap)}`);
  if (preflop && !limp) lines.push("limp = false");
  if (preflop && !flat) lines.push("flat = false");
  if (alike) return [...lines, ...menuLines(oop, preflop, 0)];
  for (const [index, menu] of players.entries()) {
    lines.push(`[bets.${street}.${PLAYERS[index]}]`, ...menuLines(menu, preflop, index));
  }
  return lines;
}

/** The text of the file. */
export function toText(form: Form): string {
  const lines: string[] = [];
  if (form.title) lines.push(`title = ${quoted(form.title)}`);
  if (form.positions.every((name) => name.trim())) {
    lines.push(`positions = [${form.positions.map((name) => quoted(name.trim())).join(", ")}]`);
  }
  lines.push(`board = ${quoted(form.board)}`);
  if (isPreflop(form.board)) lines.push(`blinds = [${form.blinds.map(number)}]`);
  else {
    lines.push(`pot = ${number(form.pot)}`);
    if (form.blinds[1].trim()) lines.push(`big_blind = ${number(form.blinds[1])}`);
  }
  if (form.stacks[0].trim() === form.stacks[1].trim()) lines.push(`stack = ${number(form.stacks[0])}`);
  else lines.push(`stacks = [${form.stacks.map(number)}]`);
  lines.push("", "[ranges]");
  for (const [index, player] of PLAYERS.entries()) {
    lines.push(`${player} = ${quoted(form.ranges[index].replace(/\s+/g, " ").trim())}`);
  }
  for (const street of streetsLeft(form.board)) lines.push(...streetLines(street, form.bets[street]));
  const thresholds = THRESHOLDS.filter((name) => form.thresholds[name].trim());
  if (thresholds.length) {
    lines.push("", "[thresholds]", ...thresholds.map((name) => `${name} = ${number(form.thresholds[name])}`));
  }
  if (form.rake.percent.trim()) {
    lines.push("", "[rake]", `percent = ${number(form.rake.percent)}`);
    if (form.rake.cap.trim()) lines.push(`cap = ${number(form.rake.cap)}`);
    if (form.rake.no_drop) lines.push("no_flop_no_drop = true");
  }
  return `${lines.join("\n")}\n`;
}

const FIELDS: Record<string, string> = {
  stack: "stacks-0",
  positions: "positions-0",
  blinds: "blinds-1",
  big_blind: "blinds-1",
  "ranges.oop": "range-0",
  "ranges.ip": "range-1",
  "rake.percent": "rake-percent",
  "rake.cap": "rake-cap",
};

/** The stack that is meant where the file only says that one of them is wrong: what is no amount, or the shorter. */
function wrongStack({ stacks }: Form): number {
  const [first, second] = stacks.map((typed) => Number(readNumber(typed).text || "0"));
  const isAmount = (chips: number) => chips > 0 && chips <= MOST_CHIPS;
  if (isAmount(first) !== isAmount(second)) return isAmount(first) ? 1 : 0;
  return second < first ? 1 : 0;
}

/** The id of the field for a key of the file; empty if there is none. */
export function fieldOf([table, ...rest]: string[], form: Form): string {
  if (table === "thresholds") return rest[0] ?? "";
  if (table === "stacks") return `stacks-${wrongStack(form)}`;
  if (table !== "bets") return FIELDS[[table, ...rest].join(".")] ?? (rest.length || table === "ranges" ? "" : table);
  const [street, ...last] = rest;
  if (last[0] === "raise_cap") return `${street}-cap`;
  // A menu that both players have stands with the first of them.
  const menu = last.at(-1) ?? "";
  return ["bet", "raise", "donk"].includes(menu) ? `${street}-${last[0] === "ip" ? 1 : 0}-${menu}` : "";
}

/** What is wrong with a field. */
export type Wrong = { field: string; message: string };

/** What is wrong with a form though its text is none: half of something, or a number that can be read in two ways. */
export function faultOf(form: Form): Wrong | null {
  const { rake, positions } = form;
  if (!rake.percent.trim() && rake.cap.trim()) {
    return { field: "rake-percent", message: "A cap alone takes no rake; write how many per cent are taken." };
  }
  const unnamed = positions.findIndex((name) => !name.trim());
  if (unnamed >= 0 && positions[1 - unnamed].trim()) {
    return { field: `positions-${unnamed}`, message: "Name both players, or neither." };
  }
  return ambiguity(form);
}

/** The first field of numbers with a comma that can be read in two ways; null if none has. */
function ambiguity(form: Form): Wrong | null {
  const first: Record<string, string> = isPreflop(form.board) ? { "blinds-0": form.blinds[0] } : { pot: form.pot };
  const typed = {
    ...first,
    "blinds-1": form.blinds[1],
    "stacks-0": form.stacks[0],
    "stacks-1": form.stacks[1],
    "rake-percent": form.rake.percent,
    "rake-cap": form.rake.cap,
    ...form.thresholds,
    ...Object.fromEntries(streetsLeft(form.board).map((street) => [`${street}-cap`, form.bets[street].cap])),
  };
  return ambiguousIn(typed);
}

/** The first of some texts, by field, with a comma that can be read in two ways. */
export function ambiguousIn(typed: Record<string, string>): Wrong | null {
  for (const [field, text] of Object.entries(typed)) {
    const { problem } = readNumber(text);
    if (text.includes(",") && problem) return { field, message: problem };
  }
  return null;
}
