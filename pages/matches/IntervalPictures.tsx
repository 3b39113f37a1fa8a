/** Intervals as pictures: a bar in a row of a table, and a curve over the hands. */
import type { CurveView } from "../api/types";
import { whole } from "../shared/numbers";
import { drawnPoints, type Interval, signed } from "./intervals";

/** An interval as a bar around its mean; 0 is in the middle, and `most` at the ends. */
export function Bar({ interval: { mean, low, high }, most }: { interval: Interval; most: number }) {
  if (mean === null) return null;
  const x = (value: number) => `${(50 + 48 * (value / most)).toFixed(2)}%`;
  return (
    <svg class="interval" height="16" aria-hidden="true">
      <line class="zero" x1="50%" x2="50%" y1="0" y2="16" />
      {low !== null && high !== null && <line x1={x(low)} x2={x(high)} y1="8" y2="8" />}
      <circle cx={x(mean)} cy="8" r="4" />
    </svg>
  );
}

const HEIGHT = 180;

/** A mean and its interval over the hands. */
export function Course({ curve, title, unit }: { curve: CurveView; title: string; unit: string }) {
  const shown = drawnPoints(curve);
  if (!shown) return <p class="soft">There are too few hands for a curve.</p>;
  const { points, bottom, top } = shown;
  const first = points[0].hands;
  const end = points[points.length - 1];
  const x = (count: number) => ((1000 * (count - first)) / Math.max(1, end.hands - first)).toFixed(1);
  const y = (value: number) => ((HEIGHT * (top - value)) / (top - bottom)).toFixed(2);
  const path = (key: "mean" | "low" | "high") => points.map((point) => `${x(point.hands)},${y(point[key])}`);
  const said =
    `${title}: ${signed(end.mean)} ${unit} after ${whole(end.hands)} hands, ` +
    `95 % from ${signed(end.low)} to ${signed(end.high)}`;
  return (
    <figure class="course">
      <div class="ends" aria-hidden="true">
        <span>{signed(top)}</span>
        <span>{signed(bottom)}</span>
      </div>
      <svg viewBox={`0 0 1000 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={said}>
        <polygon points={[...path("high"), ...path("low").reverse()].join(" ")} />
        <line class="zero" x1="0" x2="1000" y1={y(0)} y2={y(0)} />
        <polyline points={path("mean").join(" ")} />
      </svg>
      <figcaption class="soft">
        {title} in {unit}, with its 95 % interval, from {whole(first)} to {whole(end.hands)} hands
      </figcaption>
    </figure>
  );
}
