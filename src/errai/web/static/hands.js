/**
 * Hands, classes of hands and their texts and colours; nothing here touches the page.
 *
 * The classes are those of `errai show`: a class has the mean of its hands, weighted by how often the player gets here
 * with each of them.  Arrays of a node are by hand, in the order of `view.hands`.
 *
 * @typedef {Record<string, any>} View  a node, as GET solutions/{name}/node answers it
 * @typedef {{ label: string, hands: number[], possible: number, weight: number, shares: number[], ev: number | null,
 *             equity: number | null, eqr: number | null, actionEv: (number | null)[] }} Item
 *   A class: its hands as places in `view.hands`; how many hands the board leaves; their mean weight; the frequency of
 *   each action (empty without weight, or where the player does not act); EV in chips, equity and EQR.
 * @typedef {{ columns: number, items: Item[], byLabel: Map<string, Item>, full: number, acts: boolean, player: number,
 *             all: Item }} Summary
 *   All classes, row by row; the largest weight of one; the whole range as one item.
 */

const RANKS = "23456789TJQKA";
const SUITS = "cdhs";

/** What the grid can show: its name in the address, its key and its name on the screen. */
export const MODES = [
  ["strategy", "s", "Strategy"],
  ["ev", "e", "EV"],
  ["equity", "q", "Equity"],
  ["eqr", "r", "EQR"],
  ["weight", "w", "Weight"],
];

/** Cut "AhKd" into cards. @param {string} text @returns {string[]} */
export const cards = (text) => text.match(/../g) ?? [];

/** The class of a hand: AhKh is in AKs, AhAd in AA; hands that are not of two cards are classes of their own.
 *  @param {string} hand */
export function classOf(hand) {
  const found = cards(hand);
  if (found.length !== 2) return hand;
  const [high, low] = found.sort((a, b) => RANKS.indexOf(b[0]) - RANKS.indexOf(a[0]));
  return high[0] + low[0] + (high[0] === low[0] ? "" : high[1] === low[1] ? "s" : "o");
}

/** The ranks and suits of the deck, the highest first. @param {View} view */
export function deckOf(view) {
  const letters = (place, order) =>
    [...new Set(view.cards.map((card) => card[place]))].sort((a, b) => order.indexOf(b) - order.indexOf(a));
  return { ranks: letters(0, RANKS), suits: letters(1, SUITS) };
}

/** The classes of the hands of a player. @param {View} view @param {number} player @returns {Summary} */
export function summarise(view, player) {
  const { columns, labels, of_hands, possible, players } = view.classes;
  const acts = view.player === player && view.strategy !== null;
  const mine = players[player];
  const hands = labels.map(() => /** @type {number[]} */ ([]));
  for (const [i, place] of of_hands.entries()) hands[place].push(i);
  const items = labels.map((label, i) => ({
    label,
    hands: hands[i],
    possible: possible[i],
    weight: mine.weight[i],
    ev: mine.ev_chips[i],
    equity: mine.equity[i],
    eqr: mine.equity_realised[i],
    shares: acts && mine.weight[i] > 0 ? mine.shares[i].map((share) => share ?? 0) : [],
    actionEv: acts ? mine.action_ev_chips[i] : [],
  }));
  const weights = view.weights[player];
  const all = {
    label: "all hands",
    hands: view.hands.map((_, i) => i),
    possible: view.hands.length,
    weight: weights.reduce((sum, w) => sum + (w ?? 0), 0),
    shares: acts ? view.actions.map((action) => action.frequency ?? 0) : [],
    ev: view.ranges.ev_chips[player],
    equity: view.ranges.equity[player],
    eqr: view.ranges.equity_realised[player],
    actionEv: acts ? view.actions.map((action) => action.ev_chips) : [],
  };
  const full = Math.max(0, ...items.map((item) => item.weight));
  return { columns, items, byLabel: new Map(items.map((item) => [item.label, item])), full, acts, player, all };
}

/** One hand as an item. @param {View} view @param {Summary} summary @param {number} i @returns {Item} */
export function handItem(view, summary, i) {
  const { player, acts } = summary;
  return {
    label: view.hands[i],
    hands: [i],
    possible: 1,
    weight: view.weights[player][i] ?? 0,
    ev: view.ev_chips[player][i],
    equity: view.equity[player][i],
    eqr: view.equity_realised[player][i],
    shares: acts && view.strategy[i]?.[0] != null ? view.strategy[i] : [],
    actionEv: acts ? (view.action_ev_chips?.[i] ?? []) : [],
  };
}

// --- texts -----------------------------------------------------------------------------------------------------------

// A page has thousands of numbers, and toLocaleString looks up its rules for each of them anew.
const FORMATS = [0, 1, 2, 3, 4].map(
  (places) => new Intl.NumberFormat("en", { minimumFractionDigits: places, maximumFractionDigits: places }),
);
const grouped = (value, places) => FORMATS[places].format(Math.abs(value) < 0.5 * 10 ** -places ? 0 : value);

/** An EV to about a thousandth of the pot, as `errai show` writes it. @param {number | null | undefined} chips
 *  @param {number} pot */
export function worth(chips, pot) {
  if (chips === null || chips === undefined) return "–";
  return grouped(chips, pot > 0 ? Math.min(4, Math.max(0, 3 - Math.floor(Math.log10(pot)))) : 2);
}

/** An equity, or an equity realised to the whole, in per cent. @param {number | null | undefined} share */
export const hundredths = (share, places = 1) =>
  share === null || share === undefined ? "–" : grouped(100 * share, places);

/** A frequency in per cent, without the sign; small shares are not rounded to 0, nor large ones to 100.
 *  @param {number | null | undefined} share */
export function tenths(share, places = 1) {
  if (share === null || share === undefined) return "–";
  const least = 10 ** -places;
  if (share > 0 && 100 * share < least / 2) return `<${least}`;
  if (share < 1 - 1e-7 && 100 * share >= 100 - least / 2 && share <= 1) return `>${100 - least}`;
  return share === 0 || share === 1 ? String(100 * share) : (100 * share).toFixed(places);
}

/** A weight, or a sum of weights; small ones to one digit. @param {number | null | undefined} weight */
export const weightText = (weight) =>
  weight === null || weight === undefined
    ? "–"
    : weight === 0
      ? "0"
      : weight >= 0.005
        ? grouped(weight, weight < 100 ? 2 : 1)
        : String(Number(weight.toPrecision(1)));

/** How often something is reached, rare ones too. @param {number} probability */
export function reachedText(probability) {
  if (!(probability > 0)) return "never";
  if (probability >= 0.001) return `${tenths(probability)} % of hands`;
  return `1 of ${Number((1 / probability).toPrecision(3)).toLocaleString("en")} hands`;
}

/** The number that a mode shows of an item. @param {Item} item @param {string} by @returns {number | null} */
export const valueIn = (item, by) =>
  by === "weight" ? (item.possible ? item.weight : null) : by === "strategy" ? null : item[by];

/** The text of a value. @param {number | null} value @param {string} by @param {number} pot */
export function valueText(value, by, pot) {
  if (by === "ev") return worth(value, pot);
  if (by === "weight") return weightText(value);
  return hundredths(value, by === "eqr" ? 0 : 1);
}

/** What stands in a cell, which has room for about four characters. @param {Item} item @param {string} by
 *  @param {number} pot */
export function cellText(item, by, pot) {
  const value = valueIn(item, by);
  if (by === "strategy" || value === null || item.weight === 0) return "";
  const text = valueText(value, by, pot);
  if (by !== "ev" || text.replace("-", "").length <= 4) return text;
  return Math.abs(value) >= 9999.5
    ? `${(value / 1000).toFixed(0)}k`
    : grouped(value, Math.abs(value) >= 99.95 ? 0 : 1).replace(",", "");
}

/** What a screen reader says of an item: "AKs: check 40 %, bet 120 60 %, EV 156".
 *  @param {Item} item @param {string} by @param {View} view */
export function heard(item, by, view) {
  if (!item.possible) return `${item.label}: on the board`;
  if (!(item.weight > 0)) return `${item.label}: not in the range`;
  const said = item.shares.flatMap((share, a) =>
    share >= 0.0005 ? [`${view.actions[a].label} ${tenths(share).replace(/\.0$/, "")} %`] : [],
  );
  const pot = view.pot_chips;
  if (by === "equity" || by === "eqr") said.push(`${by === "eqr" ? "EQR" : by} ${valueText(item[by], by, pot)} %`);
  if (by === "weight" || !said.length) said.push(`weight ${weightText(item.weight)}`);
  if (item.ev !== null) said.push(`EV ${worth(item.ev, pot)}`);
  return `${item.label}: ${said.join(", ")}`;
}

// --- colours ---------------------------------------------------------------------------------------------------------

export const RANGE = "#9278c4";
const NEUTRAL = [246, 245, 242],
  BELOW = [190, 96, 10],
  ABOVE = [88, 48, 150],
  IN_RANGE = [146, 120, 196];

/** The colour of an action in a style sheet: all-in is lighter on a dark page. @param {string} hex */
export const paint = (hex) => (hex.toLowerCase() === "#540e2c" ? "var(--all-in)" : hex);

/** Shares side by side, with a seam of one pixel, as a picture of a style sheet.
 *  @param {number[]} shares @param {string[]} colours */
export function stripes(shares, colours) {
  const stops = [];
  let from = 0;
  const shown = shares
    .map((share, a) => /** @type {[number, number]} */ ([share, a]))
    .filter(([share]) => share > 0.002);
  shown.forEach(([share, a], i) => {
    const to = i === shown.length - 1 ? 100 : from + 100 * share;
    const end = i === shown.length - 1 ? "100%" : `calc(${to.toFixed(2)}% - 1px)`;
    stops.push(`${colours[a]} ${from.toFixed(2)}% ${end}`);
    if (i < shown.length - 1) stops.push(`var(--paper) ${end} ${to.toFixed(2)}%`);
    from = to;
  });
  return stops.length ? `linear-gradient(90deg, ${stops.join(", ")})` : "none";
}

/** The scale of a mode: its low end, middle and high end. @param {string} by @param {(number | null)[]} values */
export function scaleOf(by, values) {
  if (by === "equity") return [0, 0.5, 1];
  if (by === "eqr") return [0, 1, 2];
  const known = values.filter((value) => value !== null).map(Number);
  if (by === "weight") return [0, 0, Math.max(1e-12, ...known)];
  const low = Math.min(...known),
    high = Math.max(...known);
  const middle = Math.min(high, Math.max(low, 0));
  return [low, middle, high];
}

/** The colour of a value on a scale, as red, green and blue. @param {number} value @param {number[]} scale
 *  @param {string} by */
export function valueColour(value, [low, middle, high], by) {
  const reach = Math.max(high - middle, middle - low) || 1;
  const share = (Math.min(high, Math.max(low, value)) - middle) / reach;
  const towards = by === "weight" ? IN_RANGE : share > 0 ? ABOVE : BELOW;
  return NEUTRAL.map((from, i) => Math.round(from + (towards[i] - from) * Math.abs(share)));
}

/** Black or white, whichever has more contrast on a colour. @param {number[]} colour */
export function inkOn(colour) {
  const [r, g, b] = colour.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 0.179 ? "#fff" : "#000";
}

// --- lines -----------------------------------------------------------------------------------------------------------

/** A line with one more step; a deal is written "/ Ah /".
 *  @param {string} line @param {string} step @param {boolean} [deal] */
export const after = (line, step, deal = false) => `${line} ${deal ? `/ ${step} /` : step}`.trim();

/** The line to a column with the steps of the columns from another one on. @param {View} view @param {string} line
 *  @param {number} from */
export const rest = (view, line, from) =>
  view.columns
    .slice(from)
    .reduce(
      (so_far, { kind, card, options }) =>
        kind === "card" ? after(so_far, card, true) : after(so_far, options.find((one) => one.taken).step),
      line,
    );

/** The line with another card at a column of a single card, the next one or the one before; null if there is none.
 *  Cards that stand elsewhere on the board are left out.
 *  @param {View} view @param {number} by  1 or -1 @param {number} [at]  by default the last card */
export function otherCard(view, by, at = view.columns.findLastIndex((column) => column.kind === "card")) {
  const card = view.columns[at]?.card;
  if (card?.length !== 2) return null;
  const possible = view.cards.filter((one) => one === card || !view.board.includes(one));
  if (possible.length < 2) return null;
  const next = possible[(possible.indexOf(card) + by + possible.length) % possible.length];
  return rest(view, after(view.columns[at].line, next, true), at + 1);
}
