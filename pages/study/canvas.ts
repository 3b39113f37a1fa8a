/** Pictures of more hands than there can be elements for. */
import { useEffect, useRef } from "preact/hooks";
import type { NodeView, RunOutView } from "../api/types";
import { colours, scaleOf, valueColour } from "./colours";
import { cards, deckOf, heldItems, type Item, type Mode, type Summary, valueIn } from "./hands";

/** A canvas that is painted after each drawing, and again when the colours or the size of the page change. */
export function useCanvas(paint: (canvas: HTMLCanvasElement) => void) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const again = () => canvas.current && paint(canvas.current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    again();
    dark.addEventListener("change", again);
    window.addEventListener("resize", again);
    return () => {
      dark.removeEventListener("change", again);
      window.removeEventListener("resize", again);
    };
  });
  return canvas;
}

/** The context of a canvas, and what gives it the colours of the style sheet. */
function prepared(canvas: HTMLCanvasElement) {
  const style = getComputedStyle(canvas);
  const variable = (name: string) => style.getPropertyValue(name).trim();
  const context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  return { context, colour: (text: string) => text.replace(/var\((--[a-z-]+)\)/, (_, name) => variable(name)) };
}

/** All cards of a deck, from high to low. */
function cardsFrom(deck: string[]): string[] {
  const { ranks, suits } = deckOf(deck);
  return ranks.flatMap((rank) => suits.map((suit) => rank + suit));
}

type Square = { x: number; y: number; width: number; height: number };

/**
 * Draw every hand of both players: the square of a hand is where the row of one card meets the column of the other,
 * above the diagonal for the player who is shown, the first of the summaries, and below it for the other one.
 */
export function drawRanges(canvas: HTMLCanvasElement, view: NodeView, summaries: Summary[], by: Mode): void {
  const deck = cardsFrom(view.cards);
  const place = new Map(deck.map((card, i) => [card, i]));
  const side = Math.max(deck.length * 4, Math.floor(canvas.clientWidth * (window.devicePixelRatio || 1)));
  if (canvas.width !== side) canvas.width = canvas.height = side;
  const { context, colour } = prepared(canvas);
  const edge = (i: number) => Math.round((i * side) / deck.length);
  const square = (row: number, column: number): Square => ({
    x: edge(column),
    y: edge(row),
    width: edge(column + 1) - edge(column) - 1,
    height: edge(row + 1) - edge(row) - 1,
  });
  context.fillStyle = colour("var(--paper)");
  context.fillRect(0, 0, side, side);
  context.fillStyle = colour("var(--empty)");
  for (const i of deck.keys()) {
    for (const j of deck.keys()) {
      const { x, y, width, height } = square(i, j);
      if (i !== j) context.fillRect(x, y, width, height);
    }
  }
  summaries.forEach((summary, below) => {
    const items = heldItems(view, summary, summary.all.hands);
    const paints = colours(view, summary).map(colour);
    const full = Math.max(0, ...items.map((item) => item.weight));
    const scale = scaleOf(by, items);
    for (const item of items) {
      const both = cards(item.label)
        .map((card) => place.get(card) ?? 0)
        .sort((a, b) => (below ? b - a : a - b));
      const at = square(both[0], both[1]);
      if (by === "strategy") {
        drawMix(context, at, item, paints, full);
        continue;
      }
      const value = valueIn(item, by);
      if (value === null) continue;
      context.fillStyle = `rgb(${valueColour(value, scale, by)})`;
      context.fillRect(at.x, at.y, at.width, at.height);
    }
  });
}

/** Draw the mix of a hand into its square, as high as its weight is. */
function drawMix(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: Square,
  item: Item,
  paints: string[],
  full: number,
) {
  const tall = Math.max(1, Math.round((height * item.weight) / full));
  let from = x;
  const shares = item.shares.length ? item.shares : [1];
  // The largest bet stands at the left.
  [...shares.keys()].reverse().forEach((k) => {
    const to = k === 0 ? x + width : Math.min(x + width, from + Math.round(width * shares[k]));
    context.fillStyle = paints[k];
    if (to > from) context.fillRect(from, y + height - tall, to - from, tall);
    from = to;
  });
}

/** The hand at a point of the picture of ranges, and whether it is the other player's; null on the diagonal. */
export function handAt(
  canvas: HTMLCanvasElement,
  view: NodeView,
  { offsetX, offsetY }: { offsetX: number; offsetY: number },
): { i: number; other: boolean } | null {
  const deck = cardsFrom(view.cards);
  const cell = canvas.clientWidth / deck.length;
  const [row, column] = [Math.floor(offsetY / cell), Math.floor(offsetX / cell)];
  if (row === column || !deck[row] || !deck[column]) return null;
  const both = [deck[row] + deck[column], deck[column] + deck[row]];
  const i = view.hands.findIndex((hand) => both.includes(hand));
  return i < 0 ? null : { i, other: row > column };
}

/** Draw the frequencies after each deal as columns, in the order of the rows. */
export function drawColumns(canvas: HTMLCanvasElement, rows: RunOutView[], paints: string[]): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.floor(canvas.clientWidth * ratio);
  canvas.height = Math.floor(canvas.clientHeight * ratio);
  const { width, height } = canvas;
  const { context, colour } = prepared(canvas);
  context.fillStyle = colour("var(--empty)");
  context.fillRect(0, 0, width, height);
  const filled = paints.map(colour);
  rows.forEach((row, i) => {
    const from = Math.floor((i * width) / rows.length);
    const to = Math.max(from + 1, Math.floor(((i + 1) * width) / rows.length));
    let below = height;
    row.frequencies.forEach((share, a) => {
      const tall = (share ?? 0) * height;
      context.fillStyle = filled[a];
      context.fillRect(from, below - tall, to - from, tall);
      below -= tall;
    });
  });
}
