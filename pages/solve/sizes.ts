/** Bet sizes as people type them, and menus of sizes in words. */
import type { MenuView } from "../api/types";
import { digits } from "../shared/numbers";
import type { Form } from "./spot";

/** A number below this is no share of the pot that anybody bets; it may be meant as a multiple or as chips. */
const LEAST_SHARE = 10;

/** Sizes as the server reads them: spaces may stand between sizes and before a unit, and a bare 33 is 33 %. */
export function sizesText(typed: string): string {
  if (/^\s*none\s*$/i.test(typed)) return "none";
  return typed
    .replace(/(\d)\s+(?=(%|x|c|bb|e)(?![a-z]))/gi, "$1")
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((size) => (/^\d+(\.\d+)?$/.test(size) && Number(size) >= LEAST_SHARE ? `${size}%` : size))
    .join(", ");
}

const COUNTS = ["No", "One", "Two", "Three", "Four", "Five", "Six"];
const WORDS: Record<string, string> = { a: "all-in" };
const listed = (sizes: string[]): string => sizes.map((size) => WORDS[size] ?? size.replace("%", " %")).join(", ");

/** A menu in a few words: how many sizes of bets, which, and what it costs to have no others. */
export function menuWords({ bet, raise, cost_pot_percent: cost }: MenuView): string {
  const [bets, raises] = [bet, raise].map((text) => text.split(", ").filter(Boolean));
  const sizes = bets.filter((size) => size !== "a").length;
  const raised = raises.length ? `raises ${listed(raises)}` : "no raises";
  const costs =
    cost === null
      ? ""
      : ` (costs about ${cost < 0.05 ? "nothing" : `${digits(Number(cost.toFixed(1)))} % of the pot`})`;
  return `${COUNTS[sizes]} size${sizes === 1 ? "" : "s"}: ${listed(bets)}; ${raised}${costs}`;
}

/** Give both players the sizes of a menu on all streets after the flop has come. */
export function putMenu(form: Form, { bet, raise }: MenuView): void {
  for (const [street, table] of Object.entries(form.bets)) {
    if (street !== "preflop") table.players = table.players.map(() => ({ bet, raise, donk: "" }));
  }
}
