/** What the address says of a solution. */
import type { Address } from "../app/address";
import { MODES, type Mode } from "./hands";
import { UNITS, type Unit } from "./units";

/** The tabs beside the grid: their names in the address and on the screen. */
export const TABS = [
  ["combos", "Combos"],
  ["categories", "Categories"],
  ["ranges", "Ranges"],
  ["blockers", "Blockers"],
  ["runouts", "Run-outs"],
  ["compare", "Compare"],
  ["lock", "Lock"],
  ["notes", "Notes"],
] as const;
export type Tab = (typeof TABS)[number][0];

export type State = {
  name: string;
  line: string;
  by: Mode;
  /** The player whose hands are shown; null for the one who acts. */
  player: number | null;
  /** A class, a hand, or none. */
  hand: string;
  /** The words of a filter, with commas between. */
  only: string;
  unit: Unit;
  tab: Tab;
  /** The solution to compare with. */
  with: string;
  /** Locks, as JSON. */
  lock: string;
  /** Whether the whole file is read. */
  whole: boolean;
};

/** The state that an address says. */
export function stateOf({ name, query }: Address): State {
  const one = <T extends string>(key: string, allowed: readonly (readonly [T, ...string[]])[]): T =>
    (allowed.find(([value]) => value === query.get(key)) ?? allowed[0])[0];
  const player = query.get("player") ?? "";
  return {
    name,
    line: query.get("line") ?? "",
    by: one("by", MODES),
    tab: one("tab", TABS),
    player: /^[01]$/.test(player) ? Number(player) : null,
    hand: query.get("hand") ?? "",
    only: query.get("only") ?? "",
    unit: one("unit", UNITS),
    with: query.get("with") ?? "",
    lock: query.get("lock") ?? "",
    whole: query.get("whole") === "1",
  };
}

/** The address of a state. */
export function addressOf(state: State): string {
  const usual = {
    ...{ line: "", by: "strategy", player: null, hand: "", only: "", unit: "chips" },
    ...{ tab: "combos", with: "", lock: "" },
  };
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(usual)) {
    const now = state[key as keyof State];
    if (now !== value) query.set(key, String(now));
  }
  if (state.whole) query.set("whole", "1");
  const text = query.toString();
  return `/study/${encodeURIComponent(state.name)}${text && "?"}${text}`;
}
