/** The tab with both ranges: their totals, a picture of all hands, and a table of those of the player who is shown. */
import type { NodeView } from "../api/types";
import { worth } from "../shared/numbers";
import { SortedTable } from "../shared/SortedTable";
import { columnsOf, Units } from "./columns";
import { heldItems, type Summary } from "./hands";
import { RangesPicture } from "./RangesPicture";
import type { PanelProps } from "./Tabs";
import { hundredths, weightText } from "./texts";

export function Ranges({ study, view }: PanelProps) {
  const { by, hand } = study.state;
  const summaries = study.summaries(view);
  const [shown] = summaries;
  const name = view.player_names[shown.player];
  const pick = (label: string) => study.set({ hand: label });
  return (
    <>
      <h2>Ranges</h2>
      <Totals view={view} summaries={summaries} />
      {view.hands[0]?.length === 4 && <RangesPicture view={view} summaries={summaries} by={by} pick={pick} />}
      <h3>Hands of {name}</h3>
      <SortedTable
        {...study.ordered("ranges")}
        caption={`All hands of ${name}`}
        columns={columnsOf(view, shown, { by, pick, fixed: [shown.all] })}
        rows={heldItems(view, shown, shown.all.hands)}
        fixed={[shown.all]}
        mark={(item) => item.label === hand}
        things="hands"
      />
      <Units by={by} />
    </>
  );
}

function Totals({ view, summaries }: { view: NodeView; summaries: Summary[] }) {
  return (
    <table>
      <caption class="unseen">Both ranges</caption>
      <thead>
        <tr>
          {["player", "hands", "combos", "EQ", "EV", "EQR"].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {summaries.map(({ player, all }) => (
          <tr key={player}>
            <th scope="row">{view.player_names[player]}</th>
            <td>{view.weights[player].filter((w) => (w ?? 0) > 0).length}</td>
            <td>{weightText(all.weight)}</td>
            <td>{hundredths(all.equity)}</td>
            <td>{worth(all.ev, view.pot_chips)}</td>
            <td>{hundredths(all.eqr, 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
