/** The cards of a board. */

export const RANKS = "AKQJT98765432";

/** The cards of a text such as "Qs Jh 2c"; null if it has anything else. */
export function cardsOf(text: string): string[] | null {
  const cards = text.replace(/[\s,]+/g, "").match(/..?/g) ?? [];
  const found = cards.map((card) => card[0].toUpperCase() + (card[1] ?? "").toLowerCase());
  return found.every((card) => /^[AKQJT2-9][shdc]$/.test(card)) ? found : null;
}

/** Whether no card is on the board. */
export const isPreflop = (board: string): boolean => cardsOf(board)?.length === 0;
