/** What the players and the fields of a spot are called. */
import { isPreflop } from "./board";
import { type Form, THRESHOLDS } from "./spot";

/** What a player is called where nothing is said: on the page, and in a few letters. */
const SEATS = [
  ["Out of position", "OOP"],
  ["In position", "IP"],
];
const BLINDS = [
  ["Big blind", "BB"],
  ["Small blind", "SB"],
];
const THRESHOLD_LABELS = [
  "Add all-in below, in pots",
  "Force all-in below, in pots left",
  "Merge sizes closer than, in pots",
];
const FIELDS: Record<string, string> = {
  title: "Title",
  board: "Board",
  pot: "Pot",
  "positions-0": "Out of position",
  "positions-1": "In position",
  "blinds-0": "Small blind",
  "blinds-1": "Big blind",
  "rake-percent": "Rake, %",
  "rake-cap": "Rake cap, chips",
  target: "Target",
  seconds: "Time limit, seconds",
  max_iterations: "Iteration limit",
  ...Object.fromEntries(THRESHOLDS.map((name, i) => [name, THRESHOLD_LABELS[i]])),
};

const capital = (name: string): string => `${name[0].toUpperCase()}${name.slice(1)}`.replaceAll("_", " ");

/** What a player is called in a few letters: the position that was typed, or what is true of every spot. */
export function shortName(form: Form, player: number): string {
  return form.positions[player].trim() || (isPreflop(form.board) ? BLINDS : SEATS)[player][1];
}

/** What a player is called where there is room. */
export function longName(form: Form, player: number): string {
  const [words] = (isPreflop(form.board) ? BLINDS : SEATS)[player];
  const position = form.positions[player].trim();
  return position ? `${position} (${words.toLowerCase()})` : words;
}

/** The name of a field by its id: what its label says, and what stands before a message about it elsewhere. */
export function fieldName(id: string, form: Form | null): string {
  const [head, player, at] = id.split("-");
  if (form && head === "stacks") return `Stack of ${shortName(form, Number(player))}`;
  if (form && head === "range") return `Range of ${shortName(form, Number(player))}`;
  if (player === "cap" && head !== "rake") return `${capital(head)}: cap`;
  if (form && at) return `${capital(head)}, ${shortName(form, Number(player))}: ${at}`;
  return FIELDS[id] ?? capital(id);
}
