/** The columns of tables of hands. */
import { Cards } from "../shared/Cards";
import { tenths, worth } from "../shared/numbers";
import type { Column } from "../shared/SortedTable";
import { colours, fill } from "./colours";
import type { Hands, Item, Summary } from "./hands";
import { hundredths, named, weightText } from "./texts";
import { type Unit, unitName } from "./units";

const NO_SCALE = [0, 0, 0] as [number, number, number];

type Options = { pick: (label: string) => void /** Rows that cannot be picked. */; fixed: Item[] };

export function columnsOf(
  view: Hands & { pot_chips: number },
  summary: Summary,
  { pick, fixed }: Options,
): Column<Item>[] {
  const paints = colours(view, summary);
  const pot = view.pot_chips;
  const hand = (item: Item) => {
    if (fixed.includes(item)) return item.label;
    const single = item.hands.length === 1 && item.label === view.hands[item.hands[0]];
    return (
      <button type="button" class="hand" data-hand={item.label} onClick={() => pick(item.label)}>
        {single ? <Cards text={item.label} /> : item.label}
      </button>
    );
  };
  const mix: Column<Item> = {
    name: "mix",
    label: <span class="mixed">mix</span>,
    view: (item) => <span class="fill" style={fill(item, "strategy", paints, item.weight, NO_SCALE)} />,
  };
  const actions = view.actions
    .map(
      (action, a): Column<Item> => ({
        name: named(action),
        label: (
          <>
            {named(action)}
            <span class="unseen">, frequency and EV</span>
          </>
        ),
        value: (one) => one.shares[a] ?? null,
        // A table has hundreds of these, and a node is drawn in the time that its elements take.
        view: (one) => (
          <>
            {tenths(one.shares[a])} <small>{worth(one.actionEv[a] ?? null, pot)}</small>
          </>
        ),
      }),
    )
    .reverse();
  return [
    { name: "hand", text: true, value: (item) => item.label, view: hand },
    ...(summary.acts ? [mix, ...actions] : []),
    { name: "EQ", value: (item) => item.equity, view: (item) => hundredths(item.equity) },
    { name: "EV", value: (item) => item.ev, view: (item) => worth(item.ev, pot) },
    { name: "EQR", value: (item) => item.eqr, view: (item) => hundredths(item.eqr, 0) },
    { name: "weight", value: (item) => item.weight, view: (item) => weightText(item.weight) },
  ];
}

/** What the numbers of such a table are. */
export function Units({ unit }: { unit: Unit }) {
  return (
    <p class="soft">
      Frequencies with the EV of the action below, EQ (equity) and EQR (equity realised) in per cent; EV in{" "}
      {unitName(unit)}. EQR is the share of the pot that is won, of the equity. The frequencies of several hands count
      each hand by the hands that the opponent can hold beside it; weights and combos do not.
    </p>
  );
}
