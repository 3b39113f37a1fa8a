/** Run-outs of single cards as a grid of the deck. */
import type { RunOutsView, RunOutView } from "../api/types";
import { deckOf, type Mode, type Summary, summaryOf } from "./hands";

/** A row, and its place in the answer; the mean has none. */
export type Row = RunOutView & { place?: number };

/** What is shown of run-outs in a mode: EQR is known for hands alone. */
export function pictured(by: Mode, { actions }: Pick<RunOutsView, "actions">): Mode {
  if (by === "eqr" || (["strategy", "weight"].includes(by) && !actions.length)) return "equity";
  return by === "weight" ? "strategy" : by;
}

/** The cards as items, a row for each suit. */
export function deckSummary(found: RunOutsView, deck: string[], player: number): Summary {
  const { ranks, suits } = deckOf(deck);
  const byCard = new Map(found.rows.flatMap((row) => row.deals.map((deal) => [deal, row] as const)));
  const items = suits.flatMap((suit) =>
    ranks.map((rank) => {
      const row = byCard.get(rank + suit);
      return {
        label: rank + suit,
        hands: [],
        possible: row ? 1 : 0,
        weight: row?.probability ? row.probability / row.deals.length : 0,
        shares: row ? row.frequencies.map((share) => share ?? 0) : [],
        ev: row?.ev_chips[player] ?? null,
        equity: row?.equity[player] ?? null,
        eqr: null,
        actionEv: [],
      };
    }),
  );
  return summaryOf({ columns: ranks.length, items, acts: found.actions.length > 0, player, all: items[0] });
}
