/** Locks: the strategy of some hands that is given. */
import type { NodeView } from "../api/types";
import { tenths } from "../shared/numbers";
import { classOf, type Summary } from "./hands";

/** Frequencies of actions, or the best answer. */
export type Plays = Record<string, number> | "best";
/** Line, hands, action: as errai.solve takes them. */
export type Locks = Record<string, Record<string, Plays>>;

/** The locks of an address; none if the text is not one. */
export function locksOf(text: string): Locks {
  try {
    const found = JSON.parse(text || "{}");
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

/** Locks with those of some hands on a line changed, or removed by null. */
export function changed(locks: Locks, line: string, hands: string, plays: Plays | null): Locks {
  const { [hands]: _, ...others } = locks[line] ?? {};
  const { [line]: __, ...lines } = locks;
  const next = plays === null ? others : { ...locks[line], [hands]: plays };
  return Object.keys(next).length ? { ...locks, [line]: next } : lines;
}

/** Locks as a file for errai solve --lock. */
export function tomlOf(locks: Locks): string {
  const text = (word: string) => JSON.stringify(word);
  const plays = (one: Plays) => {
    if (one === "best") return text(one);
    const parts = Object.entries(one).map(([action, p]) => `${text(action)} = ${p}`);
    return `{ ${parts.join(", ")} }`;
  };
  const tables = Object.entries(locks).map(([line, hands]) =>
    [`[${text(line)}]`, ...Object.entries(hands).map(([one, how]) => `${text(one)} = ${plays(how)}`)].join("\n"),
  );
  return `${tables.join("\n\n")}\n`;
}

/** The text of two files of locks as one; a line of the second replaces the same line of the first. */
export function joined(first: string, second: string): string {
  const parts = first.split(/^(?=\[)/m).filter((part) => part.trim());
  const taken = new Set(second.split("\n").filter((line) => line.startsWith("[")));
  const kept = parts.filter((part) => !taken.has(part.split("\n")[0].trim()));
  return [...kept.map((part) => `${part.trim()}\n`), second].join("\n");
}

/** Per cents as frequencies that sum to 1, or a sentence that says why they cannot be. */
export function frequenciesOf(percents: number[], labels: string[]): Record<string, number> | string {
  if (percents.some((one) => !(one >= 0 && one <= 100))) return "Each frequency is a number from 0 to 100.";
  const sum = percents.reduce((a, b) => a + b, 0);
  if (Math.abs(sum - 100) > 0.05) return `The frequencies sum to ${Number(sum.toFixed(2))} %, not to 100 %.`;
  const parts = percents.map((one) => Math.round(10000 * (one / sum)));
  parts[parts.indexOf(Math.max(...parts))] += 10000 - parts.reduce((a, b) => a + b, 0);
  return Object.fromEntries(labels.flatMap((label, a) => (parts[a] ? [[label, parts[a] / 10000]] : [])));
}

/** The hands that a choice names, as locks write them: * without a choice, a class if the player may hold all of it. */
export function handsText(view: Pick<NodeView, "hands" | "strategy">, summary: Summary, hand: string): string {
  if (!hand) return "*";
  if (view.hands.includes(hand) && !summary.byLabel.has(hand)) return hand;
  const item = summary.byLabel.get(hand) ?? summary.byLabel.get(classOf(hand));
  const held = (item?.hands ?? []).filter((i) => view.strategy?.[i]?.[0] != null);
  return item && held.length === item.possible ? item.label : held.map((i) => view.hands[i]).join(", ");
}

/** How hands play, in words. */
export const told = (plays: Plays): string =>
  plays === "best"
    ? "always the best answer"
    : Object.entries(plays)
        .map(([action, p]) => `${action} ${tenths(p)} %`)
        .join(", ");
