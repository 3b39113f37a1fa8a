/** Decisions and sums of reviews as numbers and sentences. */
import type { DecisionView, ReviewView } from "../api/types";
import { digits, whole } from "../shared/numbers";

export type Unit = ReviewView["unit"];

/** A number with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;

/** An amount with two decimals in big blinds, and of chips with three digits that count; noise is 0. */
export function amount(value: number, unit: Unit): string {
  if (Math.abs(value) < 1e-9) return "0";
  if (unit === "chips") return Math.abs(value) < 1000 ? digits(value) : whole(Math.round(value));
  if (Math.abs(value) >= 0.005) return value.toFixed(2);
  return Math.abs(value) < 0.001 ? (value > 0 ? "<0.001" : "0") : value.toFixed(3);
}

/** What a decision lost, with its unit. */
export const lostText = (loss: number, unit: Unit): string => {
  const text = amount(loss, unit);
  return text === "0" ? "no loss" : `−${text} ${unit}`;
};

/** A loss with its unit. */
export const lossText = (value: number, unit: Unit): string => `${amount(value, unit)} ${unit}`;

/** A review in one sentence or two. */
export function summaryOf(
  review: Pick<ReviewView, "hands" | "decisions" | "loss_chips" | "not_counted" | "unit">,
): string {
  const { hands, decisions, loss_chips: loss, not_counted: small, unit } = review;
  if (!decisions) return "No decision of these hands was reviewed.";
  const what = unit === "bb" ? (amount(loss, unit) === "1.00" ? "big blind" : "big blinds") : "chips";
  const first = `${counted(hands, "hand")}, ${counted(decisions, "decision")}: ${amount(loss, unit)} ${what} lost.`;
  if (!small) return first;
  const losses = small === 1 ? "1 loss was" : `${whole(small)} losses were`;
  return `${first} ${losses} too small to count.`;
}

export type ActionRow = {
  action: string;
  frequency: number;
  ev: number | null;
  colour: string;
  played: boolean;
  best: boolean;
};

/** The amount of an action; null for fold, check and call. */
const size = (action: string): number | null => {
  const found = /(\d[\d.]*)(?:bb)?$/.exec(action);
  return found ? Number(found[1]) : null;
};

/** The colours of actions, as pictures have them: fold blue, check and call green, bets from amber to red. */
export function coloursOf(actions: string[]): string[] {
  const sizes = actions.map(size).filter((one) => one !== null);
  const order = [...sizes].sort((a, b) => a - b);
  return actions.map((action) => {
    const one = size(action);
    if (one === null) return action === "fold" ? "var(--fold)" : action === "all-in" ? "var(--all-in)" : "var(--call)";
    if (order.length === 1) return "rgb(222 78 40)";
    const share = (100 * order.indexOf(one)) / (order.length - 1);
    return `color-mix(in srgb, rgb(150 16 28) ${share.toFixed(0)}%, rgb(255 172 48))`;
  });
}

/** What a decision could be, with how often and how well. */
export function rowsOf({ probabilities, ev_chips: evs, action: played, best }: DecisionView): ActionRow[] {
  const actions = [...new Set([...Object.keys(probabilities), ...Object.keys(evs)])];
  const colours = coloursOf(actions);
  return actions.map((action, i) => ({
    action,
    frequency: probabilities[action] ?? 0,
    ev: evs[action] ?? null,
    colour: colours[i],
    played: action === played,
    best: action === best,
  }));
}

const PAST: Record<string, string> = {
  check: "checked",
  call: "called",
  fold: "folded",
  bet: "bet",
  raise: "raised to",
};

/** What a player did: "raise to 300" is "raised to 300". */
export function did(label: string): string {
  const [verb, ...rest] = label.split(" ").filter((word) => word !== "to");
  return [PAST[verb] ?? verb, ...rest].join(" ");
}

/** What was played and what is best. */
export function verdictOf({ played, action, best, player }: DecisionView): string {
  const as = did(played) === did(action) ? "" : `, read as ${action}`;
  return `${player} ${did(played)}${as}. ${action === best ? "No action is better." : `Best: ${best}.`}`;
}
