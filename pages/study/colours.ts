/** The colours of hands: mixes of actions, and values on a scale. */
import { paint } from "../shared/colours";
import { type Actions, type Item, type Mode, type Summary, valueIn } from "./hands";

type Rgb = number[];
/** The low end, the middle and the high end. */
export type Scale = [number, number, number];

const RANGE = "#9278c4";
const NEUTRAL = [246, 245, 242];
const BELOW = [190, 96, 10];
const ABOVE = [88, 48, 150];
const IN_RANGE = [146, 120, 196];

/** The colours of the actions of a node, or of the range where the player does not act. */
export const colours = ({ actions }: Pick<Actions, "actions">, summary: Summary): string[] =>
  summary.acts ? actions.map((one) => paint(one.colour)) : [RANGE];

/** Shares side by side, with a seam of one pixel, as a picture of a style sheet.  The largest bet stands at the left
 *  and a fold at the right, as in the pictures of errai show. */
export function stripes(shares: number[], paints: string[]): string {
  const stops: string[] = [];
  let from = 0;
  const shown = shares
    .map((share, a) => [share, a] as const)
    .filter(([share]) => share > 0.002)
    .reverse();
  shown.forEach(([share, a], i) => {
    const last = i === shown.length - 1;
    const to = last ? 100 : from + 100 * share;
    const end = last ? "100%" : `calc(${to.toFixed(2)}% - 1px)`;
    stops.push(`${paints[a]} ${from.toFixed(2)}% ${end}`);
    if (!last) stops.push(`var(--paper) ${end} ${to.toFixed(2)}%`);
    from = to;
  });
  return stops.length ? `linear-gradient(90deg, ${stops.join(", ")})` : "none";
}

/** The scale of a mode for some items. */
export function scaleOf(by: Mode, items: Item[]): Scale {
  if (by === "equity") return [0, 0.5, 1];
  if (by === "eqr") return [0, 1, 2];
  const known = items.map((item) => valueIn(item, by)).filter((value) => value !== null);
  if (by === "weight") return [0, 0, Math.max(1e-12, ...known)];
  const low = Math.min(...known);
  const high = Math.max(...known);
  return [low, Math.min(high, Math.max(low, 0)), high];
}

/** The colour of a value on a scale, as red, green and blue. */
export function valueColour(value: number, [low, middle, high]: Scale, by: Mode): Rgb {
  const reach = Math.max(high - middle, middle - low) || 1;
  const share = (Math.min(high, Math.max(low, value)) - middle) / reach;
  const towards = by === "weight" ? IN_RANGE : share > 0 ? ABOVE : BELOW;
  return NEUTRAL.map((from, i) => Math.round(from + (towards[i] - from) * Math.abs(share)));
}

/** Black or white, whichever has more contrast on a colour. */
export function inkOn(colour: Rgb): string {
  const [r, g, b] = colour.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 0.179 ? "#fff" : "#000";
}

/** What fills a cell: the mix, as high as the weight is, or the colour of a value. */
export function fill(item: Item, by: Mode, paints: string[], full: number, scale: Scale): Record<string, string> {
  if (!(item.weight > 0)) return {};
  if (by === "strategy") {
    const height = Math.max(10, (100 * item.weight) / full).toFixed(1);
    const shares = item.shares.length ? item.shares : [1];
    return { backgroundImage: stripes(shares, paints), backgroundSize: `100% ${height}%` };
  }
  const value = valueIn(item, by);
  if (value === null) return {};
  const colour = valueColour(value, scale, by);
  return { backgroundColor: `rgb(${colour})`, color: inkOn(colour) };
}
