/** What the list of solutions shows: kinds, and what is found by words. */
import type { SolutionView } from "../api/types";

export const ALL = "all";

/** What a solution is listed under: the street on which its spot begins, games from their first card, or blueprints. */
export function groupOf({ kind, game, streets }: SolutionView): string {
  if (kind === "blueprint") return "blueprints";
  return game === "spot" ? (streets[0] ?? "spots") : "games";
}

const ORDER = ["preflop", "flop", "turn", "river", "games", "blueprints"];

/** The groups that a list has. */
export function groupsOf(solutions: SolutionView[]): string[] {
  const found = [...new Set(solutions.map(groupOf))];
  return found.sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
}

/** What a solution is found by: its names, its board as it is typed, and how it ended. */
const wordsOf = ({ title, name, game, board, status, streets }: SolutionView): string =>
  [title, name, game, board.join(""), board.join(" "), status, ...streets].join(" ").toLowerCase();

/** The solutions of a group in which every word is found. */
export function found(solutions: SolutionView[], typed: string, group: string): SolutionView[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return solutions.filter(
    (one) => (group === ALL || groupOf(one) === group) && words.every((word) => wordsOf(one).includes(word)),
  );
}

/** Chips, with big blinds where there are some. */
export const inBlinds = (chips: number | null, blind: number | null): string =>
  chips === null || !blind ? "" : `${Number((chips / blind).toPrecision(3))} bb`;
