/** A range: its text and a grid of 13 x 13 weights, always in step.  The server reads and writes the text, so a range
 *  means the same here and at the command line. */
import { api, Problem } from "../api/client";
import type { LibraryRangeView, RangeView } from "../api/types";
import type { Choice, Group } from "../shared/fields";
import { Model } from "../shared/model";
import { RANKS } from "./board";

export const SIDE = RANKS.length;

/** The name of the class of hands in a cell. */
export function className(row: number, column: number): string {
  if (row === column) return RANKS[row] + RANKS[row];
  return row < column ? `${RANKS[row]}${RANKS[column]}s` : `${RANKS[column]}${RANKS[row]}o`;
}

/** The ranges of a library by the file of charts that they are in. */
export function rangesByChart(ranges: LibraryRangeView[]): Group[] {
  const charts = [...new Set(ranges.map(({ charts }) => charts))];
  const title = (name: string) => name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");
  const of = (name: string): Choice[] =>
    ranges.filter(({ charts }) => charts === name).map((one) => [one.name, one.title]);
  return charts.map((name) => [title(name), of(name)]);
}

const rowOf = (place: number): number => Math.floor(place / SIDE);
const problemOf = (error: unknown): string => (error instanceof Problem ? error.text : String(error));

/** The weight that is being painted, where the pointer was last, and whether it has painted anything on its way. */
export type Painting = { weight: number; x: number; y: number; drawn: boolean };

const emptyGrid = (): number[][] => Array.from({ length: SIDE }, () => Array(SIDE).fill(0));

export class RangeText extends Model {
  text = "";
  problem = "";
  /** How many hands the range has, by weight. */
  hands = 0;
  /** The weight that a click gives. */
  brush = 1;
  grid = emptyGrid();
  /** What is being painted, while the pointer is down. */
  painting: Painting | null = null;
  /** Cells that were painted and are not in the text yet. */
  #waiting = new Map<number, number>();
  #turn = 0;
  #busy = false;

  /** `put` is called with the new text after each change by the user, and whether that was a change of the whole. */
  constructor(readonly put: (text: string, whole: boolean) => void) {
    super();
  }

  /** Show another text, which a user has typed or has chosen as a whole. */
  async read(text: string, how: "" | "typed" | "whole" = ""): Promise<void> {
    this.text = text;
    // Whoever paints at once after "None" begins with nothing.
    if (!text) this.grid = emptyGrid();
    this.#waiting.clear();
    const mine = ++this.#turn;
    if (how) this.put(text, how === "whole");
    this.changed();
    try {
      const found = await api("POST ranges", { body: { text } });
      if (mine === this.#turn) this.#take(found);
    } catch (error) {
      if (mine === this.#turn) this.problem = problemOf(error);
    }
    this.changed();
  }

  #take(found: RangeView): void {
    Object.assign(this, { grid: found.grid, hands: found.hands, problem: "" });
    for (const [place, weight] of this.#waiting) this.grid[rowOf(place)][place % SIDE] = weight;
  }

  /** Give a cell a weight, and bring the text in step soon. */
  paint(place: number, weight: number): void {
    if (this.weightAt(place) === weight) return;
    this.grid[rowOf(place)][place % SIDE] = weight;
    this.#waiting.set(place, weight);
    this.changed();
    this.#send();
  }

  async #send(): Promise<void> {
    if (this.#busy || !this.#waiting.size) return;
    this.#busy = true;
    const sent = new Map(this.#waiting);
    const mine = this.#turn;
    const cells = [...sent].map(([place, weight]) => ({ row: rowOf(place), column: place % SIDE, weight }));
    try {
      const found = await api("POST ranges", { body: { text: this.text, cells } });
      if (mine === this.#turn) {
        for (const [place, weight] of sent) if (this.#waiting.get(place) === weight) this.#waiting.delete(place);
        this.text = found.text;
        this.#take(found);
        this.put(found.text, false);
      }
    } catch (error) {
      // A text with an error in it cannot be painted on; the cells go back to what was read last.
      if (mine === this.#turn) {
        this.#waiting.clear();
        this.problem = problemOf(error);
        if (error instanceof Problem && error.status) this.read(this.text);
      }
    }
    this.#busy = false;
    this.changed();
    this.#send();
  }

  weightAt(place: number): number {
    return this.grid[rowOf(place)][place % SIDE];
  }

  /** The weight that a click gives a cell: out if it has the weight of the brush already. */
  toggled(place: number): number {
    return this.weightAt(place) === this.brush ? 0 : this.brush;
  }

  /** Set the brush by a digit: 1 is 10 %, 0 is 100 %. */
  brushKey(digit: string): void {
    this.brush = digit === "0" ? 1 : Number(digit) / 10;
    this.changed();
  }
}
