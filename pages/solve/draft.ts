/** What is to be solved, and how; it is kept in the browser, so that a closed page loses nothing. */
import type { EstimateRequest, JobsOptionView } from "../api/types";
import { readNumber } from "../shared/numbers";
import { cardsOf } from "./board";
import { type Form, toText } from "./spot";

export const MODES = [
  ["form", "Spot"],
  ["text", "Spot as text"],
  ["game", "More games"],
] as const;
export type Mode = (typeof MODES)[number][0];

export type Draft = {
  form: Form | null;
  mode: Mode;
  text: string;
  game: string;
  locks: string;
  /** Options of the solve, as they were typed. */
  settings: Record<string, string>;
  /** The title that a spot came with, and what of it holds on every board; both are empty if it came with none. */
  given: string;
  lasting: string;
  /** Of which board or game the locks and the start are; empty if there are none. */
  belongs: string;
};

/**
 * The target of a new solve.  On the turn 9 8 7 6 of a spot of the library aces, which call every bet, still fold in 15
 * of a hundred cases at .5 % of the pot, and in one of a thousand at .1 %.
 */
export const TARGET = "0.1%pot";
/** The target of a whole game. */
export const GAME_TARGET = "1mbb";

/** Settings of a new solve; those that are not here are empty. */
export const SETTINGS: Record<string, string> = {
  target: TARGET,
  max_iterations: "",
  seconds: "",
  algorithm: "",
  precision: "",
  threads: "",
  net: "",
  menu: "",
  start_from: "",
};
const KEPT = "errai-solve";

export const emptyDraft = (): Draft => ({
  form: null,
  mode: "form",
  text: "",
  game: "leduc",
  locks: "",
  settings: { ...SETTINGS },
  given: "",
  lasting: "",
  belongs: "",
});

/** The draft that was kept; null if there is none. */
export function keptDraft(): Draft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null");
    if (!kept?.settings || !(kept.form || kept.text)) return null;
    if (kept.form) kept.form.positions ??= ["", ""];
    return { ...emptyDraft(), ...kept, settings: { ...SETTINGS, ...kept.settings } };
  } catch {
    // A draft of another version is left.
    return null;
  }
}

/** Keep a draft, which is given as JSON. */
export function keepDraft(draft: string): void {
  try {
    localStorage.setItem(KEPT, draft);
  } catch {
    /* Without room for it the draft is not kept. */
  }
}

/** Give a spot on another board another title, if the one that it has came with it and speaks of a board. */
export function retitle(draft: Draft): void {
  const { form, given, lasting } = draft;
  if (!form || form.title !== given) return;
  const board = cardsOf(form.board)?.join(" ") ?? "";
  form.title = draft.given = lasting && board ? `${lasting}, ${board}` : lasting;
}

/** The text of the spot. */
export const written = ({ form, mode, text }: Draft): string => (mode === "form" && form ? toText(form) : text);

/** The names of options that are numbers. */
export const numbersOf = (options: JobsOptionView[]): string[] =>
  options.filter(({ kind }) => kind === "count" || kind === "seconds").map(({ name }) => name);

/** What is asked of the server; `numbers` are the names of settings that are numbers. */
export function requestOf(draft: Draft, numbers: string[]): EstimateRequest {
  const settings: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(draft.settings)) {
    const typed = value.trim();
    if (!typed || (key === "menu" && draft.mode !== "game")) continue;
    const text = numbers.includes(key) ? readNumber(typed).text : "";
    settings[key] = text ? Number(text) : typed;
  }
  if (draft.locks.trim()) settings.locks = draft.locks;
  return { subject: draft.mode === "game" ? { game: draft.game } : { spot: written(draft) }, settings };
}

/** A target as it is read: "0.5 % of the pot"; the default of the server where none was typed. */
export function targetText(typed: string): string {
  const share = /^\s*([\d.]+)\s*%\s*pot\s*$/.exec(typed);
  return share ? `${share[1]} % of the pot` : typed.trim() || "the usual target";
}

/** What is solved, as far as locks and a start depend on it: the game, or the cards of the board. */
export function placeOf({ mode, game, form, text }: Draft): string {
  if (mode === "game") return game;
  const board = mode === "form" && form ? form.board : (/^\s*board\s*=\s*["'](.*?)["']/m.exec(text)?.[1] ?? "");
  return (cardsOf(board) ?? [board]).join(" ") || "before the flop";
}

/** A shell command that does the same as a request. */
export function commandOf({ subject, settings }: EstimateRequest): string {
  // A checkpoint for the command line is no file of the page.
  const { locks, start_from: _, ...rest } = settings ?? {};
  const file = (name: string, text: string) => `cat > ${name} <<'END'\n${text.trimEnd()}\nEND\n`;
  const word = (text: string) => (/^[\w.,+%:/=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
  const options = Object.entries(rest).map(([key, value]) => ` --${key.replaceAll("_", "-")} ${word(String(value))}`);
  const [spot, what] = "spot" in subject ? [file("spot.toml", subject.spot), "spot.toml"] : ["", subject.game];
  const lock = locks ? " --lock locks.toml" : "";
  const given = locks ? file("locks.toml", locks) : "";
  return `${spot}${given}errai solve ${what}${options.join("")}${lock} -o solution.errai`;
}
