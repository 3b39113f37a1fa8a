/** The tab with both ranges: curves of their equities, a picture of all hands, and a table of one player's. */
import { SortedTable } from "../shared/SortedTable";
import { useReading } from "./Categories";
import { Curves } from "./Curves";
import { columnsOf, Units } from "./columns";
import { heldItems, labelOf } from "./hands";
import { RangesPicture } from "./RangesPicture";
import type { PanelProps } from "./Tabs";

export function Ranges({ study, view: node }: PanelProps) {
  const { by, hand, unit } = study.state;
  const view = study.inUnit(node);
  const summaries = study.summaries(node);
  const { found } = useReading(study, node);
  const [shown] = summaries;
  const name = view.player_names[shown.player];
  const pick = (label: string) => study.set({ hand: label });
  return (
    <>
      <h2>Equity of both ranges</h2>
      {found ? (
        <Curves view={view} reading={found} player={shown.player} chosen={shown.byLabel.get(labelOf(shown, hand))} />
      ) : (
        <div class="curves" aria-busy="true" />
      )}
      {view.hands[0]?.length === 4 && <RangesPicture view={view} summaries={summaries} by={by} pick={pick} />}
      <h3>Hands of {name}</h3>
      <SortedTable
        {...study.ordered("ranges")}
        caption={`All hands of ${name}`}
        columns={columnsOf(view, shown, { pick, fixed: [shown.all] })}
        rows={heldItems(view, shown, shown.all.hands)}
        fixed={[shown.all]}
        mark={(item) => item.label === hand}
        things="hands"
      />
      <Units unit={unit} />
    </>
  );
}
