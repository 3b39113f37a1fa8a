/** The unit in which EVs are shown. */
import type { NodeView } from "../api/types";
import type { Hands } from "./hands";

export const UNITS = [
  ["chips", "chips"],
  ["bb", "bb"],
  ["pot", "% of pot"],
] as const;
export type Unit = (typeof UNITS)[number][0];

/** The name of a unit. */
export const unitName = (unit: Unit): string => UNITS.find(([one]) => one === unit)?.[1] ?? unit;

/** The units that a node has: big blinds where its game or spot names one. */
export const unitsOf = ({ big_blind_chips: blind }: Pick<NodeView, "big_blind_chips">) =>
  UNITS.filter(([unit]) => unit !== "bb" || blind);

/** What chips are multiplied by; what a node does not have is shown in chips. */
export function factorOf(unit: Unit, { big_blind_chips: blind, pot_chips: pot }: NodeView): number {
  if (unit === "bb" && blind) return 1 / blind;
  return unit === "pot" && pot > 0 ? 100 / pot : 1;
}

type Chips = number | null;
type Worth = Hands & { pot_chips: number; sunk_chips?: number[] };

/** The same hands with EVs and the pot, on whose size decimals depend, multiplied by a factor. */
export function multiplied<W extends Worth>(view: W, by: number): W {
  if (by === 1) return view;
  const one = (chips: Chips) => (chips === null ? null : chips * by);
  const row = (chips: Chips[]) => chips.map(one);
  const rows = (chips: Chips[][] | null) => chips?.map(row) ?? null;
  return {
    ...view,
    pot_chips: view.pot_chips * by,
    ...(view.sunk_chips && { sunk_chips: view.sunk_chips.map((chips) => chips * by) }),
    actions: view.actions.map((action) => ({ ...action, ev_chips: one(action.ev_chips) })),
    ranges: { ...view.ranges, ev_chips: row(view.ranges.ev_chips) },
    classes: {
      ...view.classes,
      players: view.classes.players.map((player) => ({
        ...player,
        ev_chips: row(player.ev_chips),
        action_ev_chips: rows(player.action_ev_chips),
      })),
    },
    ev_chips: view.ev_chips.map(row),
    action_ev_chips: rows(view.action_ev_chips),
  };
}
