/** Numbers of hands as texts, written as `errai show` writes them. */
import { grouped, type Maybe, tenths, whole, worth } from "../shared/numbers";
import { type Actions, type Item, type Mode, valueIn } from "./hands";

/** An equity, or an equity realised to the whole, in per cent. */
export const hundredths = (share: Maybe, places = 1): string =>
  share === null || share === undefined ? "–" : grouped(100 * share, places);

/** A weight, or a sum of weights; small ones to one digit. */
export function weightText(weight: Maybe): string {
  if (weight === null || weight === undefined) return "–";
  if (weight === 0) return "0";
  return weight >= 0.005 ? grouped(weight, weight < 100 ? 2 : 1) : String(Number(weight.toPrecision(1)));
}

/** How often something is reached, rare ones too. */
export function reachedText(probability: number): string {
  if (!(probability > 0)) return "never";
  if (probability >= 0.001) return `${tenths(probability)} %`;
  return `once in ${Number((1 / probability).toPrecision(3)).toLocaleString("en")} hands`;
}

/** The text of a value. */
function valueText(value: Maybe, by: Mode, pot: number): string {
  if (by === "ev") return worth(value, pot);
  if (by === "weight") return weightText(value);
  return hundredths(value, by === "eqr" ? 0 : 1);
}

/** What stands in a cell, which has room for about four characters. */
export function cellText(item: Item, by: Mode, pot: number): string {
  const value = valueIn(item, by);
  if (by === "strategy" || value === null || item.weight === 0) return "";
  const text = valueText(value, by, pot);
  if (by !== "ev" || text.replace("-", "").length <= 4) return text;
  if (Math.abs(value) >= 9999.5) return `${(value / 1000).toFixed(0)}k`;
  return grouped(value, Math.abs(value) >= 99.95 ? 0 : 1).replace(",", "");
}

/** What a screen reader says of an item: "AKs: check 40 %, bet 120 60 %, EV 156". */
export function heard(item: Item, by: Mode, { actions, pot_chips: pot }: Actions): string {
  if (!item.possible) return `${item.label}: on the board`;
  if (!(item.weight > 0)) return `${item.label}: not in the range`;
  const said = item.shares.flatMap((share, a) =>
    share >= 0.0005 ? [`${named(actions[a])} ${tenths(share).replace(/\.0$/, "")} %`] : [],
  );
  if (by === "equity" || by === "eqr") said.push(`${by === "eqr" ? "EQR" : by} ${valueText(item[by], by, pot)} %`);
  if (by === "weight" || !said.length) said.push(`weight ${weightText(item.weight)}`);
  if (item.ev !== null) said.push(`EV ${worth(item.ev, pot)}`);
  return `${item.label}: ${said.join(", ")}`;
}

/** What an action is called: a bet or raise of all chips is all-in. */
export const named = ({ label, all_in }: { label: string; all_in?: boolean }): string =>
  (all_in ? label.replace(/^(bet|raise)/, "all-in") : label).replace(/\d{4,}/, (chips) => whole(Number(chips)));

const SHORT: Record<string, string> = {
  "out of position": "OOP",
  "in position": "IP",
  "big blind": "BB",
  "small blind": "SB",
};

/** A long name of a player in a few letters. */
export const shortName = (name: string): string => SHORT[name] ?? name;
