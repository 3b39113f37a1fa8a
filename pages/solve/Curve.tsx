/** The exploitability of a solve over time, as a picture and as a table. */
import { digits, potPercent, seconds, whole } from "../shared/numbers";
import { type Measured, type Measurement, measurements, powersOf, thinned } from "./measurements";

const WIDTH = 560;
const HEIGHT = 220;
const LEFT = 56;
const RIGHT = WIDTH - 8;
const BOTTOM = 28;
const MOST_ROWS = 60;

type Props = { points: Measured[]; title: string };

export function Curve({ points, title }: Props) {
  const found = measurements(points);
  if (!found.length) return <p class="soft">Nothing has been measured yet.</p>;
  return (
    <>
      {found.length > 1 && <Picture points={points} found={found} title={title} />}
      <details>
        <summary>The curve as a table</summary>
        <div class="wide">
          <table>
            <caption class="unseen">Exploitability over time</caption>
            <thead>
              <tr>
                <th scope="col">Iteration</th>
                <th scope="col">Time</th>
                <th scope="col">% of the pot</th>
              </tr>
            </thead>
            <tbody>
              {thinned(found, MOST_ROWS).map((point) => (
                <tr key={point.measured_at}>
                  <td>{whole(point.measured_at)}</td>
                  <td>{seconds(point.seconds)}</td>
                  <td>{digits(point.exploitability_pot_percent)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

/** The picture: logarithmic in the exploitability, linear in time. */
function Picture({ points, found, title }: Props & { found: Measurement[] }) {
  const target = points.map((point) => point.target_pot_percent).find((value) => value !== null && value > 0) ?? null;
  const values = found.map((point) => point.exploitability_pot_percent);
  const { low, high, powers } = powersOf(target === null ? values : [...values, target]);
  const last = found[found.length - 1];
  const end = Math.max(points[points.length - 1].seconds, last.seconds) || 1e-9;
  const x = (time: number) => LEFT + ((RIGHT - LEFT) * time) / end;
  const y = (value: number) => 8 + ((HEIGHT - BOTTOM - 8) * (high - Math.log10(value))) / (high - low);
  const at = ({ seconds: time, exploitability_pot_percent: value }: Measurement) => [x(time), y(value)] as const;
  const said =
    `${title}: ${potPercent(last.exploitability_pot_percent)} after ${seconds(last.seconds)}` +
    (target === null ? "" : `; the target is ${digits(target)} %`);
  const [endX, endY] = at(last);
  return (
    <figure class="curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={said}>
        {powers.map((power) => (
          <g key={power}>
            <line class="rule" x1={LEFT} x2={RIGHT} y1={y(10 ** power)} y2={y(10 ** power)} />
            <text x={LEFT - 6} y={y(10 ** power) + 4} text-anchor="end">
              {power >= -6 ? Number((10 ** power).toPrecision(1)) : `1e${power}`} %
            </text>
          </g>
        ))}
        <text x={LEFT} y={HEIGHT - 8}>
          0
        </text>
        <text x={RIGHT} y={HEIGHT - 8} text-anchor="end">
          {seconds(end)}
        </text>
        {target !== null && (
          <>
            <line class="target" x1={LEFT} x2={RIGHT} y1={y(target)} y2={y(target)} />
            <text x={LEFT + 6} y={y(target) - 4}>
              target {digits(target)} %
            </text>
          </>
        )}
        <polyline
          points={found
            .map((point) =>
              at(point)
                .map((value) => value.toFixed(1))
                .join(","),
            )
            .join(" ")}
        />
        <circle cx={endX} cy={endY} r="3.5" />
      </svg>
      <figcaption class="soft">Exploitability in % of the pot (logarithmic) over time</figcaption>
    </figure>
  );
}
