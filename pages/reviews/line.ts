/** Lines of solutions in words. */
import { spaced } from "./decision";

export type Act = {
  /** What is done, as the line has it. */
  label: string;
  /** Whether the player who decides next does it; null where that is not known. */
  mine: boolean | null;
};
export type Part = {
  /** The street; empty where it is not known. */
  street: string;
  /** The cards that were dealt before it; empty for the first street of the line. */
  cards: string;
  acts: Act[];
};

const STREETS = ["preflop", "flop", "turn", "river"];
const CARDS = /^(?:[2-9TJQKA][cdhs])+$/;

/** The actions of a text such as "check bet 165 call": an amount belongs to the word before it. */
const actionsOf = (text: string): string[] => text.match(/[^\s\d]+(?: [\d.]+(?:bb)?)?/g) ?? [];

/**
 * Cut a line into its streets.  On each street after the flop the same player acts first, and then both in turns; who
 * that is follows from the actions before the decision.
 */
export function partsOf(line: string, street: string): Part[] {
  const pieces = line.split("/").map((piece) => piece.trim());
  const parts: { cards: string; acts: string[] }[] = [];
  let cards = "";
  for (const piece of pieces) {
    if (CARDS.test(piece.replace(/\s+/g, "")) && piece) cards = piece;
    else {
      parts.push({ cards, acts: actionsOf(piece) });
      cards = "";
    }
  }
  const last = parts.length - 1;
  const end = STREETS.indexOf(street);
  const before = parts[last].acts.length;
  return parts.map(({ cards: dealt, acts }, i) => {
    const at = end < 0 ? -1 : end - last + i;
    const known = i === last || (at > 0 && end > 0);
    return {
      street: STREETS[at] ?? "",
      cards: dealt,
      acts: acts.map((label, k) => ({ label, mine: known ? (k - before) % 2 === 0 : null })),
    };
  });
}

const VERBS: Record<string, string> = {
  check: "checks",
  call: "calls",
  fold: "folds",
  bet: "bets",
  raise: "raises to",
};

/** An action as a sentence says it: "bet 165" is "bets 165". */
export function said(label: string): string {
  const [verb, ...rest] = label.split(" ");
  const amount = rest.filter((word) => word !== "to").join(" ");
  return spaced(`${VERBS[verb] ?? verb}${amount && ` ${amount}`}`);
}

/** What was done on a street in a sentence; `player` decides next. */
export function sentenceOf({ acts }: Part, player: string): string {
  const parts = acts.map(({ label, mine }) => {
    const who = mine === null ? "" : mine ? `${player} ` : "the opponent ";
    return `${who}${said(label)}`;
  });
  const text = parts.join(", ");
  return text && `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** A line in a list: the first decision has an empty one. */
export const lineName = (line: string): string => line || "first decision";
