/** A node as it is shown: its EVs in a unit, and its hands with a filter. */
import type { NodeView, ReadingView } from "../api/types";
import { chosenBy, narrowed, wordsOf } from "./filters";
import { type Summary, summarise } from "./hands";
import { factorOf, multiplied, type Unit } from "./units";

export class Shown {
  readonly node: NodeView;
  /** The hands of the player who is shown, of which a filter may leave some, and all hands of the other one. */
  readonly summaries: Summary[];

  constructor(
    readonly view: NodeView,
    readonly player: number,
    readonly unit: Unit,
    readonly only: string,
    readonly reading: ReadingView | null,
  ) {
    this.node = multiplied(view, factorOf(unit, view));
    const [mine, other] = [player, 1 - player].map((p) => summarise(this.node, p));
    const inside = reading && chosenBy(wordsOf(only), view, reading);
    this.summaries = [reading && inside ? narrowed(this.node, mine, reading, inside) : mine, other];
  }

  /** Whether it was made of these. */
  is(...of: [NodeView, number, Unit, string, ReadingView | null]): boolean {
    return [this.view, this.player, this.unit, this.only, this.reading].every((one, i) => one === of[i]);
  }
}
