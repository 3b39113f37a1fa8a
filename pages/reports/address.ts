/** What is shown of a report; the address of the page says it. */
import type { Mode } from "../study/hands";

/** What the grid of hands can show. */
export const SHOWN = [
  ["strategy", "Strategy"],
  ["ev", "EV"],
  ["equity", "Equity"],
] as const satisfies readonly (readonly [Mode, string])[];
export type Shown = (typeof SHOWN)[number][0];

export type State = {
  /** Null for the first line of the report. */
  line: string | null;
  /** Words that the flops must all have. */
  only: string;
  by: Shown;
  /** The player whose hands are shown; null for the one who acts. */
  player: number | null;
  /** The column that flops are sorted by. */
  sort: string;
  down: boolean;
};

export function stateOf(query: URLSearchParams): State {
  const by = query.get("by");
  const player = query.get("player");
  return {
    line: query.get("line"),
    only: query.get("only") ?? "",
    by: SHOWN.find(([one]) => one === by)?.[0] ?? "strategy",
    player: player === "0" || player === "1" ? Number(player) : null,
    sort: query.get("sort") ?? "",
    down: query.get("down") === "1",
  };
}

export function addressOf(name: string, state: State): string {
  const query = new URLSearchParams();
  if (state.line !== null) query.set("line", state.line);
  if (state.only) query.set("only", state.only);
  if (state.by !== "strategy") query.set("by", state.by);
  if (state.player !== null) query.set("player", String(state.player));
  if (state.sort) query.set("sort", state.sort);
  if (state.sort && state.down) query.set("down", "1");
  const text = query.toString();
  return `/reports/${encodeURIComponent(name)}${text && "?"}${text}`;
}

/** Words with one of them put in, in place of others of its kind, or taken out if it is there. */
export function toggled(only: string, word: string, kinds: string[]): string {
  const words = only.split(/\s+/).filter(Boolean);
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const others = words.filter((one) => !kinds.some((kind) => same(kind, one)));
  const there = words.some((one) => same(one, word));
  return (there ? others : [...others, word]).join(" ");
}

/** Whether a word is among words. */
export const has = (only: string, word: string): boolean =>
  only.toLowerCase().split(/\s+/).includes(word.toLowerCase());

/** A line as a button has it. */
export const lineName = (line: string): string => (line === "" ? "first decision" : `after ${line}`);
