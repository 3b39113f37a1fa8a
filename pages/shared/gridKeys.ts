/** Keys in a grid of buttons, of which one can be reached by Tab and the others by arrows. */

const STEPS: Record<string, [rows: number, columns: number]> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -99],
  End: [0, 99],
};

/** The place that a key leads to from a place of a grid that is filled row by row; -1 for another key. */
export function moved(key: string, i: number, columns: number, count: number): number {
  const step = STEPS[key];
  if (!step) return -1;
  const within = (value: number, end: number) => Math.min(end - 1, Math.max(0, value));
  const row = within(Math.floor(i / columns) + step[0], Math.ceil(count / columns));
  return Math.min(count - 1, row * columns + within((i % columns) + step[1], columns));
}

/** The button that a key leads to, which gets the focus; null if it leads nowhere. */
export function moveFocus(event: KeyboardEvent, grid: HTMLElement, columns: number): number | null {
  const from = (event.target as Element).closest("button");
  if (!from || event.ctrlKey || event.metaKey || event.altKey) return null;
  const cells = [...grid.querySelectorAll("button")];
  const to = moved(event.key, cells.indexOf(from), columns, cells.length);
  if (to < 0) return null;
  event.preventDefault();
  for (const cell of cells) cell.tabIndex = -1;
  cells[to].tabIndex = 0;
  cells[to].focus();
  return to;
}
