/** The grid of hands: a button for each class, one of which is in the order of the tab key; arrows reach the others. */
import type { TargetedKeyboardEvent } from "preact";
import { Card } from "../shared/Cards";
import { colours, fill, scaleOf } from "./colours";
import type { Actions, Mode, Summary } from "./hands";
import { cellText, heard } from "./texts";

const STEPS: Record<string, [rows: number, columns: number]> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -99],
  End: [0, 99],
};

/** The place that an arrow leads to from a place of the grid; -1 for another key. */
export function moved(key: string, i: number, columns: number, count: number): number {
  const step = STEPS[key];
  if (!step) return -1;
  const within = (value: number, end: number) => Math.min(end - 1, Math.max(0, value));
  const row = within(Math.floor(i / columns) + step[0], Math.ceil(count / columns));
  return Math.min(count - 1, row * columns + within((i % columns) + step[1], columns));
}

type Props = {
  view: Actions;
  summary: Summary;
  by: Mode;
  /** The label of the class that is selected, or nothing. */
  chosen: string;
  title: string;
  pick: (label: string) => void;
  /** Whether arrows select what they reach. */
  follow?: boolean;
};

export function Grid({ view, summary, by, chosen, title, pick, follow = true }: Props) {
  const { items, columns, full } = summary;
  const paints = colours(view, summary);
  const held = items.filter((item) => item.weight > 0);
  const scale = scaleOf(by, held);
  const entry = summary.byLabel.has(chosen) ? chosen : held[0]?.label;
  const press = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const from = (event.target as Element).closest<HTMLElement>("button")?.dataset.i;
    if (from === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    const to = moved(event.key, Number(from), columns, items.length);
    if (to < 0) return;
    event.preventDefault();
    (event.currentTarget.children[to] as HTMLElement).focus();
    if (follow) pick(items[to].label);
  };
  return (
    <div class="hands" role="group" aria-label={title} style={{ "--columns": columns }} onKeyDown={press}>
      {items.map((item, i) => (
        <button
          key={item.label}
          type="button"
          class={item.weight > 0 ? "cell" : "cell out"}
          data-i={i}
          tabIndex={item.label === entry ? 0 : -1}
          aria-pressed={item.label === chosen}
          aria-label={heard(item, by, view)}
          onClick={() => pick(item.label)}
        >
          <span class="label">{/^.[cdhs]$/.test(item.label) ? <Card card={item.label} /> : item.label}</span>
          <span class="fill" style={fill(item, by, paints, full, scale)}>
            {cellText(item, by, view.pot_chips)}
          </span>
        </button>
      ))}
    </div>
  );
}
