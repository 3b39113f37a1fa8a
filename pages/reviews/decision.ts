/** Decisions and sums of reviews as numbers and sentences. */
import type { DecisionView, ReviewView } from "../api/types";
import type { GradedAction } from "../shared/Graded";
import { counted, digits, whole } from "../shared/numbers";

export type Unit = ReviewView["unit"];

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

/** What a review comes to: what was lost, that for 100 hands, and what it was found in. */
export function summaryOf(
  review: Pick<
    ReviewView,
    "hands" | "read" | "decisions" | "loss_chips" | "loss_mbb" | "not_counted" | "unit" | "by_player"
  >,
): { lost: string; rate: string; found: string } {
  const { hands, read, decisions, loss_chips: loss, loss_mbb: mbb, not_counted: small, unit } = review;
  if (!decisions) return { lost: "No decision was reviewed", rate: "", found: "" };
  const text = amount(loss, unit);
  const what = unit === "bb" ? (text === "1.00" ? "big blind" : "big blinds") : "chips";
  // What several players lost together is nobody's rate.
  const players = review.by_player.length;
  const rate =
    mbb === null || !read || text === "0" || players > 1 ? "" : `${digits(mbb / 10 / read)} bb per 100 hands`;
  const losses = small === 1 ? "1 loss is too small to count." : `${whole(small)} losses are too small to count.`;
  const found = `${counted(decisions, "decision")} in ${whole(hands)} of ${counted(read, "hand")}.`;
  return {
    lost: text === "0" ? "Nothing lost" : `${text} ${what} lost${players > 1 ? ` by ${players} players` : ""}`,
    rate,
    found: small ? `${found} ${losses}` : found,
  };
}

/** A text of a solution with a space between a number and its unit: "bet 3.3 bb". */
export const spaced = (text: string): string => text.replace(/(\d)bb\b/g, "$1 bb");

/** What the actions of a decision are worth, as a table has it. */
export const gradedOf = ({ probabilities, ev_chips: evs, colours }: DecisionView, unit: Unit): GradedAction[] =>
  Object.entries(colours).map(([action, colour]) => ({
    action: spaced(action),
    frequency: probabilities[action] ?? 0,
    colour,
    ev: action in evs ? amount(evs[action], unit) : null,
  }));

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
  const as = did(played) === did(action) ? "" : `, which is graded as ${action}`;
  const better = action === best ? "No action is better." : `Best: ${best}.`;
  return spaced(`${player} ${did(played)}${as}. ${better}`);
}
