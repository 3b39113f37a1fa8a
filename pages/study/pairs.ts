/** Two nodes side by side. */
import type { ComparisonView } from "../api/types";
import type { Hands, Item } from "./hands";

/** One of the two nodes of a comparison, the first (0) or the second (1). */
export const side = (found: ComparisonView, k: number): Hands & { pot_chips: number } => ({
  classes: found.classes[k],
  hands: found.hands,
  player: found.player,
  pot_chips: found.pot_chips[k],
  actions: found.actions.map((one) => ({
    label: one.label,
    colour: one.colour,
    all_in: one.all_in,
    frequency: one.frequency[k],
    ev_chips: one.ev_chips[k],
  })),
  weights: found.weights[k],
  strategy: found.player === null ? null : (found.strategies?.[k] ?? null),
  action_ev_chips: found.action_ev_chips?.[k] ?? null,
  ev_chips: found.ev_chips[k],
  equity: found.equity[k],
  equity_realised: found.equity[k].map((hands) => hands.map(() => null)),
  ranges: { ev_chips: found.ranges.ev_chips[k], equity: found.ranges.equity[k], equity_realised: [null, null] },
});

/** A class of hands, or all hands, in both nodes. */
export type Pair = {
  label: string;
  /** Null where the player has no hand of it. */
  mixes: (number[] | null)[];
  evs: (number | null)[];
  /** How much more EV the second node has. */
  gain: number | null;
  /** The share of the play that differs, from 0 to 1. */
  apart: number | null;
};

export function pair(label: string, items: (Item | undefined)[]): Pair {
  const mixes = items.map((item) => (item?.shares.length ? item.shares : null));
  const evs = items.map((item) => item?.ev ?? null);
  const [one, other] = mixes;
  return {
    label,
    mixes,
    evs,
    gain: evs[0] === null || evs[1] === null ? null : evs[1] - evs[0],
    apart: one && other ? one.reduce((sum, share, a) => sum + Math.abs(share - other[a]), 0) / 2 : null,
  };
}
