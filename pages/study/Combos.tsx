/** The tab with the combos of the chosen class, or with all classes where none is chosen. */

import { worth } from "../shared/numbers";
import { SortedTable } from "../shared/SortedTable";
import { columnsOf, Units } from "./columns";
import { heldItems, labelOf } from "./hands";
import type { PanelProps } from "./Tabs";

export function Combos({ study, view: node }: PanelProps) {
  const { hand, unit } = study.state;
  const view = study.inUnit(node);
  const [summary] = study.summaries(node);
  const pick = (label: string) => study.set({ hand: label });
  const chosen = summary.byLabel.get(labelOf(summary, hand));
  const fixed = chosen ? [summary.all, chosen] : [summary.all];
  const rows = chosen ? heldItems(view, summary, chosen.hands) : summary.items.filter((item) => item.weight > 0);
  const count = rows.length === 1 ? "1 combo" : `${rows.length} combos`;
  const ev = chosen && chosen.ev !== null ? ` · EV ${worth(chosen.ev, view.pot_chips)}` : "";
  return (
    <>
      {chosen ? (
        <h2>
          {`${chosen.label} · ${count}${ev} `}
          <button type="button" class="quiet" onClick={() => pick("")}>
            All hands
          </button>
        </h2>
      ) : (
        <h2>All hands</h2>
      )}
      <SortedTable
        {...study.ordered("combos")}
        caption={chosen ? `Combos of ${chosen.label}` : "Classes of hands"}
        columns={columnsOf(view, summary, { pick, fixed })}
        rows={rows}
        fixed={fixed}
        mark={(item) => item.label === hand}
        things="hands"
      />
      <Units unit={unit} />
    </>
  );
}
