/** What the beginning of a file of hands says, before it is sent: its players, whose cards are shown, its format. */

export type Head = {
  /** Those who play most hands first. */
  players: string[];
  /** The player whose cards are dealt face up; empty if there is none. */
  hero: string;
  /** Whether it is a dealer's log, which does not say its game. */
  log: boolean;
  /** Whether more than two play at a table. */
  many: boolean;
};

/** So much of a file is looked at. */
export const HEAD_BYTES = 1 << 20;
const MOST_PLAYERS = 40;

/** Names by how often they come, the most frequent first. */
function byCount(names: string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((found) => found[1]);

/** Read the beginning of a file of hands. */
export function headOf(text: string): Head {
  const log = /^STATE:/m.test(text);
  const seats = all(text, /^Seat \d+: (.+?) \(\D{0,3}[\d.,]+ in chips/gm);
  // The last field of a line of a dealer's log and `players` of a hand in PHH have the names.
  const states = all(text, /^STATE:\d+:.*:([^:\n\r]+)[\n\r]/gm).map((names) => names.split("|"));
  const lists = all(text, /^players\s*=\s*\[([^\]]*)\]/gm).map((list) => all(list, /["']([^"']+)["']/g));
  const dealt = byCount(all(text, /^Dealt to (.+?) \[/gm));
  const hands = all(text, /^(Poker.*Hand #)/gm).length;
  const stacks = all(text, /^starting_stacks\s*=\s*\[([^\]]*)\]/gm).map((list) => list.split(","));
  const many =
    (hands > 0 && seats.length > 2 * hands) || [...states, ...lists, ...stacks].some((one) => one.length > 2);
  const players = byCount([...seats, ...[...states, ...lists].flat()]).slice(0, MOST_PLAYERS);
  return { players, hero: dealt[0] ?? "", log, many };
}
