/** The flops of a report as a table, the hands as a grid, and both as texts. */
import type { FlopRow, MeansView, ReportsClassesView, TableView } from "../api/types";
import { type Item, type Summary, summaryOf } from "../study/hands";

/** The four textures, as sentences name them. */
export const TEXTURES = [
  ["suits", "Suits"],
  ["pairing", "Pairing"],
  ["straights", "Possible straights"],
  ["high", "Highest card"],
] as const;
export type Texture = (typeof TEXTURES)[number][0];

/** Combinations of two cards in a class. */
const combinations = (label: string): number => (label.length === 2 ? 6 : label.endsWith("s") ? 4 : 12);

/** The classes of a player as a grid, with the mean frequencies where the player acts. */
export function gridOf(found: ReportsClassesView, table: TableView, player: number): Summary {
  const acts = table.player === player;
  const items = found.labels.map((label, i): Item => {
    // A class has as many hands as the flop leaves; the share of all that could be dealt is its weight.
    const weight = (found.weights[player][i] ?? 0) / combinations(label);
    return {
      label,
      hands: [],
      possible: 1,
      weight,
      shares: acts && weight > 0 ? found.frequencies.map((row) => row[i] ?? 0) : [],
      ev: found.ev_chips[player][i],
      equity: found.equity[player][i],
      eqr: null,
      actionEv: [],
    };
  });
  const { frequencies, ev_chips, equity } = table.mean;
  const all: Item = {
    label: "all hands",
    hands: [],
    possible: 1,
    weight: 1,
    shares: acts ? frequencies.map((share) => share ?? 0) : [],
    ev: ev_chips[player],
    equity: equity[player],
    eqr: null,
    actionEv: [],
  };
  return summaryOf({ columns: 13, items, acts, player, all });
}

/** Frequencies as shares of a bar. */
export const sharesOf = (means: Pick<MeansView, "frequencies">): number[] => means.frequencies.map((one) => one ?? 0);

const cell = (value: string | number | null): string => {
  if (value === null) return "";
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The table as a file of commas. */
export function csvOf(table: TableView, rows: FlopRow[]): string {
  const names = ["flop", "weight", "suits", "pairing", "straights", "high", "share"];
  const heads = [
    ...names,
    ...table.actions,
    ...["EV", "equity", "EQR"].flatMap((what) => table.player_names.map((name) => `${what} ${name}`)),
    `exploitability${table.net && " of the cut game"}, % of the pot`,
  ];
  const lines = rows.map((row) => [
    ...[row.flop, row.weight, row.suits, row.pairing, row.straights, row.high, row.share],
    ...row.frequencies,
    ...row.ev_chips,
    ...row.equity,
    ...row.equity_realised,
    row.exploitability_pot_percent,
  ]);
  return `${[heads, ...lines].map((line) => line.map(cell).join(",")).join("\n")}\n`;
}
