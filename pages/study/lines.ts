/** Lines of play: what leads from the root to a node. */
import type { ColumnView, NodeView } from "../api/types";

/** A line with one more step; a deal is written "/ Ah /". */
export const after = (line: string, step: string, deal = false): string =>
  `${line} ${deal ? `/ ${step} /` : step}`.trim();

/** A line with one of the columns of a node as its last step. */
const through = (line: string, { kind, card, options }: ColumnView): string =>
  kind === "card" ? after(line, card ?? "", true) : after(line, options.find((one) => one.taken)?.step ?? "");

/** The line with another card at a column of a single card, the next one or the one before (`by` is 1 or -1); null if
 *  there is none.  Cards that stand elsewhere on the board are left out, and the last card is meant by default. */
export function otherCard(
  { columns, cards, board }: Pick<NodeView, "columns" | "cards" | "board">,
  by: number,
  at = columns.findLastIndex((column) => column.kind === "card"),
): string | null {
  const card = columns[at]?.card;
  if (card?.length !== 2) return null;
  const possible = cards.filter((one) => one === card || !board.includes(one));
  if (possible.length < 2) return null;
  const next = possible[(possible.indexOf(card) + by + possible.length) % possible.length];
  return columns.slice(at + 1).reduce(through, after(columns[at].line, next, true));
}

/** The line after which cards come: that of the node itself, or of the last deal before it; null if none has come. */
export const dealLine = ({ kind, line, columns }: Pick<NodeView, "kind" | "line" | "columns">): string | null =>
  kind === "chance" ? line : (columns.findLast((one) => one.kind === "card")?.line ?? null);

/** A line with * for every deal. */
export const anyCard = (line: string): string => line.replace(/\/ [^/]+ \//g, "/ * /");
