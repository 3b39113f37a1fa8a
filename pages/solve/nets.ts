/** What may stand after the first street of a solve. */
import type { GameView } from "../api/types";
import type { Choice } from "../shared/fields";
import type { Draft } from "./draft";
import { streetsLeft } from "./spot";

/** The name, its words, and the first street that it fits; those without one fit every street but the last. */
const NETS = [
  ["flop", "estimate with the network for the flop", "preflop"],
  ["turn", "estimate with the network for the turn", "flop"],
  ["leduc", "estimate with the network for Leduc", "leduc"],
  ["check-down", "check it down", ""],
  ["zero", "count it as worth nothing", ""],
] as const;
const GAMES: Record<string, string> = { preflop: "holdem.nolimit.2p", leduc: "leduc.nolimit" };

/** What fits a draft, and what it has already. */
export function netsOf({ mode, form, game, settings }: Draft, games: GameView[]): Choice[] {
  const of = mode === "game" ? games.find((one) => one.name === game) : null;
  const street = mode === "form" && form ? streetsLeft(form.board)[0] : "";
  const fits = (where: string) => {
    if (of) return !of.limit && of.rounds > 1 && (!where || GAMES[where] === of.name);
    return where ? where === street || (!street && where !== "leduc") : street !== "river";
  };
  return NETS.filter(([name, , where]) => name === settings.net || fits(where)).map(([name, words]) => [name, words]);
}
