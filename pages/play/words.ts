/** What happens at a table, in words. */
import type { ChoiceModel, HandModel, ReviewModel, TableModel } from "../api/types";
import { inWords } from "../shared/Cards";
import { chips } from "../shared/numbers";

/** Chips won, with their sign. */
export const signedChips = (value: number): string =>
  `${value > 0 ? "+" : value < 0 ? "−" : ""}${chips(Math.abs(value))}`;

/** Whole seconds since the agent began to think; 0 unless it does. */
export const waited = ({ thinking_since: since }: Pick<TableModel, "thinking_since">): number =>
  Math.max(0, Math.floor(Date.now() / 1000 - (since ?? Infinity)));

const inSeconds = (count: number): string => `${chips(count)} ${count === 1 ? "second" : "seconds"}`;

/** How the table stands, in a sentence. */
export function stateWords(table: TableModel): string {
  switch (table.state) {
    case "turn":
      return "Your turn.";
    case "thinking": {
      const seconds = waited(table);
      if (seconds < 1) return `${table.opponent} is thinking.`;
      const { decision_seconds: most } = table;
      const allowed = most === null ? "" : `; it has ${inSeconds(most)} for a decision`;
      return `${table.opponent} has been thinking for ${inSeconds(seconds)}${allowed}.`;
    }
    case "waiting":
      return table.ahead === 1 ? "One other agent thinks first." : `${table.ahead} other agents think first.`;
    case "failed":
      return `${table.opponent} failed: ${table.error}`;
    default:
      return table.shown?.result?.words ?? "";
  }
}

/** What was done and dealt, and how the hand ended, since an earlier view of the same hand. */
function handNews(now: HandModel, before: HandModel | null): string[] {
  const said = before ? [] : [`Hand ${now.hand}. You hold ${now.seats[1].cards.map(inWords).join(" and ")}.`];
  now.streets.forEach((street, number) => {
    const fresh = street.said.slice(before?.streets[number]?.said.length ?? 0);
    if (fresh.length) said.push(`${fresh.join("; ")}.`);
  });
  const fresh = now.board.slice(before?.board.length ?? 0);
  if (fresh.length) said.push(`On the table: ${fresh.map(inWords).join(", ")}.`);
  if (now.result && !before?.result) {
    const shown = now.seats[0].cards.filter(Boolean);
    if (shown.length) said.push(`${now.seats[0].name} shows ${shown.map(inWords).join(" and ")}.`);
    said.push(now.result.words);
  }
  return said;
}

/** What a listener has to hear between two views of a table. */
export function news(before: TableModel | null, after: TableModel): string {
  const now = after.shown;
  if (!now) return "";
  const said = handNews(now, before?.shown?.hand === now.hand ? before.shown : null);
  if (after.state === "turn" && (before?.state !== "turn" || said.length)) {
    said.push(`Your turn: ${after.choices.map((one) => one.label).join(", ")}.`);
  }
  if (after.state === "thinking" && before?.state === "turn") said.push(`${after.opponent} is thinking.`);
  if (after.state === "failed" && before?.state !== "failed") said.push(stateWords(after));
  return said.join(" ");
}

/** Whether an action is a bet or raise of everything. */
export const isAllIn = ({ label, total_chips }: Pick<ChoiceModel, "label" | "total_chips">): boolean =>
  total_chips !== null && label.endsWith(", all-in");

/** What a button says: of a bet of everything, that first. */
export const sizedLabel = (one: Pick<ChoiceModel, "label" | "total_chips">): string =>
  isAllIn(one) ? `all-in ${chips(one.total_chips)}` : one.label;

/** What is typed as a bet: the field asks for a size, so a number needs no letter before it. */
export const actionOf = (typed: string): string => typed.replace(/^\s*(?=[\d.,]+\s*$)/, "r ");

/** What a hand lost, in chips and big blinds. */
export function lostWords({ loss_chips, loss_mbb }: Pick<ReviewModel, "loss_chips" | "loss_mbb">): string {
  if (!(loss_chips > 0)) return "Nothing lost";
  const blinds = loss_mbb === null ? "" : `, ${chips(loss_mbb / 1000)} bb`;
  return `${chips(loss_chips)} chips${blinds} lost`;
}

const EARLY = "Where many cards are still to come no EV is known: the percentages say how often each action is taken.";

/** Why decisions have no EV, or are left out; the reason that only differs in its numbers is said once. */
export const leftOutWords = (leftOut: Record<string, number>): string[] => [
  ...new Set(Object.keys(leftOut).map((why) => (why.startsWith("Values of hands are not computed") ? EARLY : why))),
];
