/** What was lost by street, player, hands and line, as bars; a bar narrows the list to its decisions. */
import { useState } from "preact/hooks";
import type { ReviewView } from "../api/types";
import { counted } from "../shared/numbers";
import type { Chosen, Filter } from "./address";
import { LineText } from "./Decision";
import { amount, type Unit } from "./decision";
import { type Sum, sumsOf } from "./Filters";

const GROUPS: [Filter, string][] = [
  ["street", "By street"],
  ["player", "By player"],
  ["class", "By hand"],
  ["line", "By line"],
];
/** So many bars are shown at first. */
const FIRST = 6;

type Props = { review: ReviewView; chosen: Chosen; put: (changes: Partial<Chosen>) => void };

export function Sums({ review, chosen, put }: Props) {
  // Where the page is narrow they stand above the decisions, and would push them out of sight.
  const [wide] = useState(() => matchMedia("(min-width: 951px)").matches);
  return (
    <details class="sums" open={wide}>
      <summary>
        <h2>Where it was lost</h2>
      </summary>
      {GROUPS.map(([by, title]) => {
        const sums = sumsOf(review, by);
        return (
          (sums.length > 1 || chosen[by] !== undefined) && (
            <Group key={by} {...{ by, title, sums, unit: review.unit, chosen, put }} />
          )
        );
      })}
    </details>
  );
}

type GroupProps = Omit<Props, "review"> & { by: Filter; title: string; sums: Sum[]; unit: Unit };

function Group({ by, title, sums, unit, chosen, put }: GroupProps) {
  const [open, setOpen] = useState(false);
  const most = Math.max(1e-9, ...sums.map((one) => one.loss_chips));
  return (
    <section class="panel" aria-label={title}>
      <h3>{title}</h3>
      <ul class="bars">
        {(open ? sums : sums.slice(0, FIRST)).map(({ name, decisions, loss_chips: loss }) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={chosen[by] === name}
              onClick={() => put({ [by]: chosen[by] === name ? undefined : name })}
            >
              <span class="name">{by === "line" ? <LineText line={name} /> : name}</span>
              <span class="sum">
                {amount(loss, unit)} <small>{unit}</small>
              </span>
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${((100 * loss) / most).toFixed(1)}%` }} />
              </span>
              <small>{counted(decisions, "decision")}</small>
            </button>
          </li>
        ))}
      </ul>
      {sums.length > FIRST && (
        <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Fewer" : `All ${sums.length}`}
          <span class="unseen"> {title.toLowerCase()}</span>
        </button>
      )}
    </section>
  );
}
