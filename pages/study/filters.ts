/** Hands that are shown alone: by what they have made, what they draw to, their suits and their kind. */
import type { NodeView, ReadingView } from "../api/types";
import { cards, handItem, type Item, type Summary, summaryOf } from "./hands";

export const SUITS = ["s", "h", "d", "c"];
export const KINDS = ["pairs", "suited", "offsuit"];

/** Words of an address as a list, without what is twice. */
export const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((word) => word.trim())
      .filter(Boolean),
  ),
];

/** The kind of a hand of two cards. */
export function kindOf(hand: string): string {
  const [one, other] = cards(hand);
  return one[0] === other[0] ? "pairs" : one[1] === other[1] ? "suited" : "offsuit";
}

/** The names of the categories of a hand, by its place. */
export const categoriesOf = ({ made, draws, made_of_hands, draws_of_hands }: ReadingView, i: number): string[] => [
  ...(made[made_of_hands[i]] ? [made[made_of_hands[i]]] : []),
  ...draws.filter((_, k) => (draws_of_hands[i] >> k) & 1),
];

/** Which hands a filter leaves: of each of the three kinds of words that it has, a hand has one at least. */
export function chosenBy(words: string[], view: Pick<NodeView, "hands">, reading: ReadingView): boolean[] {
  const suits = words.filter((word) => SUITS.includes(word));
  const kinds = words.filter((word) => KINDS.includes(word));
  const categories = words.filter((word) => !SUITS.includes(word) && !KINDS.includes(word));
  return view.hands.map(
    (hand, i) =>
      (!suits.length || cards(hand).some((card) => suits.includes(card[1]))) &&
      (!kinds.length || kinds.includes(kindOf(hand))) &&
      (!categories.length || categoriesOf(reading, i).some((name) => categories.includes(name))),
  );
}

/** A weighted mean of numbers; null without weight, or if a number with weight is not known. */
function mean(pairs: [weight: number, value: number | null][]): number | null {
  let [total, weighted] = [0, 0];
  for (const [weight, value] of pairs) {
    if (!(weight > 0)) continue;
    if (value === null) return null;
    total += weight;
    weighted += weight * value;
  }
  return total > 0 ? weighted / total : null;
}

const NO_EQUITY = 1e-9;

/** Some hands of a player as one item.  `weights` has a number for each hand of the node; with `taken` the EV of an
 *  action is that of the hands that take it, as over a range. */
function together(view: NodeView, player: number, items: Item[], weights: (number | null)[], taken: boolean) {
  const given = items.map((item) => weights[item.hands[0]] ?? 0);
  const over = (of: (item: Item) => number | null) => mean(items.map((item, k) => [given[k], of(item)]));
  const actions = view.player === player ? view.actions.map((_, a) => a) : [];
  const [ev, equity] = [over((item) => item.ev), over((item) => item.equity)];
  const part = equity === null || equity <= NO_EQUITY ? null : equity * view.pot_chips;
  return {
    hands: items.map((item) => item.hands[0]),
    shares: items.length ? actions.map((a) => over((item) => item.shares[a] ?? 0) ?? 0) : [],
    ev,
    equity,
    eqr: ev === null || part === null ? null : (ev + view.sunk_chips[player]) / part,
    actionEv: actions.map((a) =>
      mean(items.map((item, k) => [given[k] * (taken ? (item.shares[a] ?? 0) : 1), item.actionEv[a] ?? null])),
    ),
  };
}

const held = (view: NodeView, summary: Summary, hands: number[]): Item[] =>
  hands.map((i) => handItem(view, summary, i)).filter((item) => item.weight > 0);

const sum = (items: Item[]): number => items.reduce((all, item) => all + item.weight, 0);

/** Some hands of a range as one item, with the means over all pairs of hands that `errai show --only` has. */
export function partOf(view: NodeView, summary: Summary, reading: ReadingView, hands: number[], label: string): Item {
  const { player } = summary;
  const items = held(view, summary, hands);
  const means = together(view, player, items, reading.pair_weights[player], true);
  return { label, possible: items.length, weight: sum(items), ...means };
}

/** The classes with the hands that a filter leaves alone. */
export function narrowed(view: NodeView, summary: Summary, reading: ReadingView, inside: boolean[]): Summary {
  const { player } = summary;
  const left = (hands: number[]) => hands.filter((i) => inside[i]);
  const items = summary.items.map(({ label, hands, possible }) => {
    const some = held(view, summary, left(hands));
    const means = together(view, player, some, view.weights[player], false);
    return { label, possible, weight: possible ? sum(some) / possible : 0, ...means };
  });
  return summaryOf({ ...summary, items, all: partOf(view, summary, reading, left(summary.all.hands), "these hands") });
}

/** A row of a table of categories. */
export type Category = { name: string; draw: boolean; item: Item /** Of all pairs of hands. */; share: number };

/** The categories that the range of a player has. */
export function categoryRows(view: NodeView, summary: Summary, reading: ReadingView): Category[] {
  const weights = reading.pair_weights[summary.player];
  const total = weights.reduce((all: number, weight) => all + (weight ?? 0), 0);
  const byName = new Map<string, number[]>();
  for (const i of summary.all.hands) {
    for (const name of categoriesOf(reading, i)) byName.set(name, [...(byName.get(name) ?? []), i]);
  }
  return [...reading.made, ...reading.draws].flatMap((name) => {
    const hands = byName.get(name) ?? [];
    const item = partOf(view, summary, reading, hands, name);
    const weight = item.hands.reduce((all, i) => all + (weights[i] ?? 0), 0);
    return item.weight > 0 ? [{ name, draw: reading.draws.includes(name), item, share: weight / total }] : [];
  });
}
