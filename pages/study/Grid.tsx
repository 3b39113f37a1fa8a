/** The grid of hands: a button for each class, one of which is in the order of the tab key; arrows reach the others. */
import type { TargetedKeyboardEvent } from "preact";
import { Card } from "../shared/Cards";
import { moved } from "../shared/gridKeys";
import { Icon } from "../shared/Icon";
import { colours, fill, scaleOf } from "./colours";
import type { Actions, Mode, Summary } from "./hands";
import { cellText, heard } from "./texts";

/** A padlock. */
export const LOCK = "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11";

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
  /** The labels of classes of which a hand is locked. */
  locked?: Set<string>;
};

export function Grid({ view, summary, by, chosen, title, pick, follow = true, locked }: Props) {
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
          aria-label={heard(item, by, view) + (locked?.has(item.label) ? ", locked" : "")}
          onClick={() => pick(item.label)}
        >
          <span class="label">{/^.[cdhs]$/.test(item.label) ? <Card card={item.label} /> : item.label}</span>
          <span class="fill" style={fill(item, by, paints, full, scale)}>
            {cellText(item, by, view.pot_chips)}
          </span>
          {locked?.has(item.label) && <Icon path={LOCK} />}
        </button>
      ))}
    </div>
  );
}
