/** Which cells of a grid a pointer has crossed. */

type Point = { x: number; y: number };
type Box = { left: number; top: number; width: number; height: number };

/** The cell of a square grid at a point; null outside. */
export function cellAt({ left, top, width, height }: Box, { x, y }: Point, side: number): number | null {
  const column = Math.floor((side * (x - left)) / width);
  const row = Math.floor((side * (y - top)) / height);
  return row >= 0 && column >= 0 && row < side && column < side ? side * row + column : null;
}

/** The cells on the way between two points, in order: a fast pointer says only now and then where it is. */
export function cellsBetween(box: Box, from: Point, to: Point, side: number): number[] {
  const step = Math.min(box.width, box.height) / side / 4;
  const count = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / step));
  const found: number[] = [];
  for (let i = 0; i <= count; i++) {
    const at = { x: from.x + ((to.x - from.x) * i) / count, y: from.y + ((to.y - from.y) * i) / count };
    const cell = cellAt(box, at, side);
    if (cell !== null && cell !== found.at(-1)) found.push(cell);
  }
  return found;
}
