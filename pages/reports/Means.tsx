/** The means of a node: how often each action is taken, and what it is worth to both players. */
import type { TableView } from "../api/types";
import { paint } from "../shared/colours";
import { chips, percent, worth } from "../shared/numbers";
import { SmallTable } from "../shared/SortedTable";
import { stripes } from "../study/colours";
import { sharesOf } from "./table";

export function Means({ table }: { table: TableView }) {
  const { mean, actions, colours, player_name: acts, player_names: names, pot_chips: pot } = table;
  const paints = colours.map(paint);
  return (
    <>
      {actions.length > 0 && (
        <>
          <p class="acts">
            {acts ? `${acts[0].toUpperCase()}${acts.slice(1)} acts` : "A card is dealt"}, the pot is {chips(pot)}:
          </p>
          <ul class="legend">
            {actions.map((action, a) => (
              <li key={action}>
                <span class="swatch" style={{ background: paints[a] }} /> {action}{" "}
                <strong>{percent(mean.frequencies[a])}</strong>
              </li>
            ))}
          </ul>
          <div class="mixbar" aria-hidden="true" style={{ backgroundImage: stripes(sharesOf(mean), paints) }} />
        </>
      )}
      <SmallTable
        caption="Means of both players"
        heads={["Player", "EV", "Equity", "EQR"]}
        rows={names.map((name, p) => [
          name,
          worth(mean.ev_chips[p], pot),
          percent(mean.equity[p]),
          percent(mean.equity_realised[p], 0),
        ])}
      />
    </>
  );
}
