/** The means of a node: how often each action is taken, and what it is worth to both players. */
import type { TableView } from "../api/types";
import { paint } from "../shared/colours";
import { chips, percent, worth } from "../shared/numbers";
import { SmallTable } from "../shared/SortedTable";
import { stripes } from "../study/colours";
import { sharesOf } from "./table";

type Props = { table: TableView /** Chips of a big blind; 0 where it is not known. */; blind: number };

export function Means({ table, blind }: Props) {
  const { mean, actions, colours, player_name: acts, player_names: names, pot_chips: pot } = table;
  const paints = colours.map(paint);
  const ofPot = (ev: number | null) => percent(ev === null || !pot ? null : ev / pot, 0);
  const inBlinds = (ev: number | null) => (ev === null ? "–" : `${(ev / blind).toFixed(2)} bb`);
  return (
    <>
      {actions.length > 0 && (
        <>
          <p class="soft">
            {acts ? `${acts[0].toUpperCase()}${acts.slice(1)} acts` : "A card is dealt"}; the pot is {chips(pot)} chips.
          </p>
          <ul class="legend">
            {actions
              .map((action, a) => (
                <li key={action}>
                  <span class="swatch" style={{ background: paints[a] }} /> {action}{" "}
                  <strong>{percent(mean.frequencies[a])}</strong>
                </li>
              ))
              .reverse()}
          </ul>
          <div class="mixbar" aria-hidden="true" style={{ backgroundImage: stripes(sharesOf(mean), paints) }} />
        </>
      )}
      <SmallTable
        caption="Means of both players"
        heads={["Player", "EV, chips", ...(blind ? ["EV, bb"] : []), "EV, % pot", "Equity", EQR]}
        rows={names.map((name, p) => [
          name,
          worth(mean.ev_chips[p], pot),
          ...(blind ? [inBlinds(mean.ev_chips[p])] : []),
          ofPot(mean.ev_chips[p]),
          percent(mean.equity[p]),
          percent(mean.equity_realised[p], 0),
        ])}
      />
    </>
  );
}

const EQR = <abbr title="Equity realised: the share of the pot that is won, of the equity">EQR</abbr>;
