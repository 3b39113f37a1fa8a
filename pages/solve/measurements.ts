/** The exploitability of a solve over time. */

/** A point of progress, as far as the curve needs it. */
export type Measured = {
  seconds: number;
  /** The iteration at which the exploitability was measured. */
  measured_at: number;
  exploitability_pot_percent: number | null;
  target_pot_percent: number | null;
  /** What is being measured after the solve. */
  measuring?: string | null;
};
/** A measurement of the exploitability. */
export type Measurement = Measured & { exploitability_pot_percent: number };

/**
 * The measurements among the points of progress.  A run that was killed and resumed goes back to its checkpoint; what
 * came after it then is left out.
 */
export function measurements(points: Measured[]): Measurement[] {
  const found: Measurement[] = [];
  for (const point of points) {
    const { exploitability_pot_percent: percent } = point;
    if (percent === null || !(percent > 0) || point.measuring) continue;
    while ((found.at(-1)?.measured_at ?? -1) > point.measured_at) found.pop();
    const last = found.at(-1);
    const measured = { ...point, exploitability_pot_percent: percent };
    // The last point of a solve has the exact figure of its certificate.
    if (last && last.measured_at === point.measured_at)
      found[found.length - 1] = { ...measured, seconds: last.seconds };
    else found.push(measured);
  }
  return found;
}

/** The next of these is what a solve goes on to, in per cent of the pot. */
const STEPS = [1, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/** A target that is worth going on to from an exploitability, in per cent of the pot; null if there is none. */
export const nextTarget = (reached: number): number | null => STEPS.find((step) => step < 0.75 * reached) ?? null;

/** Over how much of the time the curve is followed to the target. */
const RECENT = 0.5;

/**
 * About how many seconds are left until the target: the exploitability falls as a power of the time, which is taken
 * from the latest measurements.  Null while there are too few of them, or where it does not fall.
 */
export function secondsLeft(points: Measured[]): number | null {
  const found = measurements(points);
  const [last, now] = [found.at(-1), points.at(-1)];
  const target = last?.target_pot_percent ?? 0;
  if (!last || !now || !(target > 0)) return null;
  const recent = found.filter((point) => point.seconds >= RECENT * last.seconds);
  const first = (recent.length > 2 ? recent : found.slice(-3))[0];
  if (first.seconds >= last.seconds || first.exploitability_pot_percent <= last.exploitability_pot_percent) return null;
  const power =
    Math.log(first.exploitability_pot_percent / last.exploitability_pot_percent) /
    Math.log(last.seconds / Math.max(first.seconds, 1e-9));
  const at = last.seconds * (last.exploitability_pot_percent / target) ** (1 / power);
  return Number.isFinite(at) ? Math.max(0, at - now.seconds) : null;
}

/** At most so many of some points, evenly, the last among them. */
export function thinned<T>(points: T[], most: number): T[] {
  const step = Math.ceil(points.length / most);
  return points.filter((_, index) => index % step === 0 || index === points.length - 1);
}

/** The powers of ten that stand on the axis of some values. */
export function powersOf(values: number[]): { low: number; high: number; powers: number[] } {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const step = Math.ceil((high - low) / 6);
  const count = Math.floor((high - low) / step) + 1;
  return { low, high, powers: Array.from({ length: count }, (_, index) => low + index * step) };
}
