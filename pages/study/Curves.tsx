/** The equities of both ranges as curves, with their quartiles and their parts of the strongest hands. */
import type { NodeView, ReadingView } from "../api/types";
import { tenths } from "../shared/numbers";
import { SmallTable } from "../shared/SortedTable";
import { curveOf, equityAt, pathOf, placeOf } from "./curves";
import type { Item } from "./hands";
import { hundredths, shortName } from "./texts";

const SIDE = 240;
const QUARTERS: [share: number, words: string][] = [
  [0.25, "A quarter has at most"],
  [0.5, "Half has at most"],
  [0.75, "Three quarters at most"],
];

type Props = {
  view: NodeView;
  reading: ReadingView;
  /** The hand that is chosen, and whose it is. */
  chosen: Item | undefined;
  player: number;
};

export function Curves({ view, reading, chosen, player }: Props) {
  const curves = [0, 1].map((p) => curveOf(view.equity[p], reading.pair_weights[p]));
  const names = view.player_names.map(shortName);
  if (!curves[0].length || !curves[1].length) return <p class="soft">Equities are not known here.</p>;
  const { nuts } = reading;
  const equity = chosen && chosen.weight > 0 ? chosen.equity : null;
  const at = equity === null ? null : placeOf(curves[player], equity);
  return (
    <div class="curves">
      <svg
        viewBox={`-34 -8 ${SIDE + 44} ${SIDE + 34}`}
        role="img"
        aria-label="Equities of both ranges; the table has the quartiles"
      >
        {[0, 0.25, 0.5, 0.75, 1].map((at) => (
          <g key={at} class="grid">
            <path d={`M0 ${SIDE * at}H${SIDE}M${SIDE * at} 0V${SIDE}`} />
            <text x={-6} y={SIDE * (1 - at) + 4} text-anchor="end">
              {100 * at}
            </text>
            <text x={SIDE * at} y={SIDE + 16} text-anchor="middle">
              {100 * at}
            </text>
          </g>
        ))}
        {curves.map((curve, p) => (
          <path key={p} class={`curve player${p}`} d={pathOf(curve, SIDE)} />
        ))}
        {at && (
          <>
            <circle class={`point player${player}`} cx={SIDE * at[0]} cy={SIDE * (1 - at[1])} r={4.5} />
            <text class="named" x={SIDE * at[0] + 8} y={SIDE * (1 - at[1]) + 12}>
              {chosen?.label}
            </text>
          </>
        )}
      </svg>
      <div>
        <SmallTable
          caption="Equities of both ranges"
          heads={["equity", ...names.map((name, p) => <span class={`key player${p}`}>{name}</span>)]}
          rows={[
            ...QUARTERS.map(([share, words]) => [
              words,
              ...curves.map((curve) => `${hundredths(equityAt(curve, share))} %`),
            ]),
            ...(nuts
              ? [[`In the top ${100 * nuts.top} % of hands`, ...nuts.fractions.map((part) => `${tenths(part)} %`)]]
              : []),
          ]}
        />
        <p class="soft">Up: the equity of a hand. Across: the share of the range, the weakest hands first.</p>
      </div>
    </div>
  );
}
