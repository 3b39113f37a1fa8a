/**
 * Hands and classes of hands.
 *
 * The classes are those of `errai show`: a class has the mean of its hands, weighted by how often the player gets here
 * with each of them.  Arrays of a node are by hand, in the order of `hands`.
 */
import type { ActionView, LabelView, NodeView } from "../api/types";

/** What is needed of a node to summarise it. */
export type Hands = Pick<
  NodeView,
  | "player"
  | "classes"
  | "hands"
  | "weights"
  | "strategy"
  | "ev_chips"
  | "equity"
  | "equity_realised"
  | "action_ev_chips"
  | "ranges"
> & { actions: Pick<ActionView, "frequency" | "ev_chips" | "label" | "colour" | "all_in">[] };
/** What is needed to draw items: the names and colours of actions, and the pot, on whose size decimals depend. */
export type Actions = {
  actions: (Pick<LabelView, "label" | "colour"> & { all_in?: boolean })[];
  pot_chips: number;
};

type Value = number | null;
export type Item = {
  label: string;
  /** Places in the hands of the node. */
  hands: number[];
  /** How many hands the board leaves. */
  possible: number;
  /** The mean weight of the hands. */
  weight: number;
  /** The frequency of each action; empty without weight, or where the player does not act. */
  shares: number[];
  /** In chips. */
  ev: Value;
  equity: Value;
  eqr: Value;
  actionEv: Value[];
};
export type Summary = {
  columns: number;
  /** All classes, row by row. */
  items: Item[];
  byLabel: Map<string, Item>;
  /** The largest weight of a class. */
  full: number;
  acts: boolean;
  player: number;
  /** The whole range as one item. */
  all: Item;
};

/** What the grid can show: its name in the address, its key and its name on the screen. */
export const MODES = [
  ["strategy", "s", "Strategy"],
  ["ev", "e", "EV"],
  ["equity", "q", "Equity"],
  ["eqr", "r", "EQR"],
  ["weight", "w", "Weight"],
] as const;
export type Mode = (typeof MODES)[number][0];

const RANKS = "23456789TJQKA";
const SUITS = "cdhs";

/** Cut "AhKd" into cards. */
export const cards = (text: string): string[] => text.match(/../g) ?? [];

/** The class of a hand: AhKh is in AKs, AhAd in AA; hands that are not of two cards are classes of their own. */
export function classOf(hand: string): string {
  const found = cards(hand);
  if (found.length !== 2) return hand;
  const [high, low] = found.sort((a, b) => RANKS.indexOf(b[0]) - RANKS.indexOf(a[0]));
  return high[0] + low[0] + (high[0] === low[0] ? "" : high[1] === low[1] ? "s" : "o");
}

/** The ranks and suits of a deck, the highest first. */
export function deckOf(deck: string[]): { ranks: string[]; suits: string[] } {
  const letters = (place: number, order: string) =>
    [...new Set(deck.map((card) => card[place]))].sort((a, b) => order.indexOf(b) - order.indexOf(a));
  return { ranks: letters(0, RANKS), suits: letters(1, SUITS) };
}

const largest = (items: Item[]): number => Math.max(0, ...items.map((item) => item.weight));

/** A summary of items that are drawn row by row. */
export function summaryOf(parts: Omit<Summary, "byLabel" | "full">): Summary {
  return { ...parts, byLabel: new Map(parts.items.map((item) => [item.label, item])), full: largest(parts.items) };
}

/** All classes of the hands of a player. */
export function summarise(node: Hands, player: number): Summary {
  const { columns, labels, of_hands, possible, players } = node.classes;
  const acts = node.player === player && node.strategy !== null;
  const mine = players[player];
  const hands: number[][] = labels.map(() => []);
  for (const [i, place] of of_hands.entries()) hands[place].push(i);
  const items = labels.map((label, i) => ({
    label,
    hands: hands[i],
    possible: possible[i],
    weight: mine.weight[i],
    ev: mine.ev_chips[i],
    equity: mine.equity[i],
    eqr: mine.equity_realised[i],
    shares: acts && mine.weight[i] > 0 ? (mine.shares?.[i] ?? []).map((share) => share ?? 0) : [],
    actionEv: acts ? (mine.action_ev_chips?.[i] ?? []) : [],
  }));
  const all = {
    label: "all hands",
    hands: node.hands.map((_, i) => i),
    possible: node.hands.length,
    weight: node.weights[player].reduce((sum: number, w) => sum + (w ?? 0), 0),
    shares: acts ? node.actions.map((action) => action.frequency ?? 0) : [],
    ev: node.ranges.ev_chips[player],
    equity: node.ranges.equity[player],
    eqr: node.ranges.equity_realised[player],
    actionEv: acts ? node.actions.map((action) => action.ev_chips) : [],
  };
  return summaryOf({ columns, items, acts, player, all });
}

/** One hand as an item. */
export function handItem(node: Hands, { player, acts }: Summary, i: number): Item {
  const shares = acts ? (node.strategy?.[i] ?? []) : [];
  return {
    label: node.hands[i],
    hands: [i],
    possible: 1,
    weight: node.weights[player][i] ?? 0,
    ev: node.ev_chips[player][i],
    equity: node.equity[player][i],
    eqr: node.equity_realised[player][i],
    shares: shares.every((share) => share !== null) ? shares : [],
    actionEv: acts ? (node.action_ev_chips?.[i] ?? []) : [],
  };
}

/** The hands that a player can hold, as items. */
export const heldItems = (node: Hands, summary: Summary, hands: number[]): Item[] =>
  hands.map((i) => handItem(node, summary, i)).filter((item) => item.weight > 0);

/** The class that is chosen by a class or a hand. */
export const labelOf = (summary: Summary, hand: string): string => (summary.byLabel.has(hand) ? hand : classOf(hand));

/** The number that a mode shows of an item. */
export function valueIn(item: Item, by: Mode): Value {
  if (by === "strategy") return null;
  if (by === "weight") return item.possible ? item.weight : null;
  return item[by];
}
