/** The columns of tables of hands. */
import { Cards } from "../shared/Cards";
import { tenths, worth } from "../shared/numbers";
import type { Column } from "../shared/SortedTable";
import { colours, fill } from "./colours";
import type { Hands, Item, Mode, Summary } from "./hands";
import { hundredths, weightText } from "./texts";

const NO_SCALE = [0, 0, 0] as [number, number, number];

type Options = { by: Mode; pick: (label: string) => void /** Rows that cannot be picked. */; fixed: Item[] };

export function columnsOf(
  view: Hands & { pot_chips: number },
  summary: Summary,
  { by, pick, fixed }: Options,
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
  const actions = view.actions.map((action, a): Column<Item> => {
    if (by !== "ev")
      return { name: action.label, value: (one) => one.shares[a] ?? null, view: (one) => tenths(one.shares[a]) };
    const value = (item: Item) => item.actionEv[a] ?? null;
    return { name: `EV of ${action.label}`, value, view: (item) => worth(value(item), pot) };
  });
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
export function Units({ by }: { by: Mode }) {
  const more = by === "ev" ? "; the columns of actions have the EV of each" : "";
  return <p class="soft">Frequencies, EQ (equity) and EQR (equity realised) in per cent; EV in chips{more}.</p>;
}
