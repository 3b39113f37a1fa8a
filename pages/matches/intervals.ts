/** Means with their 95 % intervals, as texts and as curves over the hands. */
import type { CurveView, MeasureView } from "../api/types";

const NAMES: Record<string, string> = {
  chips: "chips won",
  aivat: "AIVAT",
  importance: "importance sampling",
  lbr: "local best response",
};

/** A mean and its interval. */
export type Interval = Pick<MeasureView, "mean" | "low" | "high">;

/** The name of a measure for people. */
export const measureName = (name: string): string => NAMES[name] ?? name;

/** A number with its sign and four digits. */
export function signed(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const rounded = Math.abs(value) < 1e-9 ? 0 : Number(value.toPrecision(4));
  return `${rounded > 0 ? "+" : ""}${rounded.toLocaleString("en", { maximumSignificantDigits: 4 })}`.replace("-", "−");
}

/** The interval in words. */
export const reach = ({ low, high }: Interval): string =>
  low === null ? "too few hands" : `${signed(low)} to ${signed(high)}`;

/** The greatest distance from 0 in some intervals. */
export const span = (all: Interval[]): number =>
  Math.max(1e-9, ...all.flatMap((one) => [one.mean, one.low, one.high]).map((value) => Math.abs(value ?? 0)));

/** Whether an interval lies above 0, or below it, by more than rounding. */
export function tone({ low, high }: Interval): "win" | "loss" | "" {
  if (low === null || high === null) return "";
  return low > 1e-9 ? "win" : high < -1e-9 ? "loss" : "";
}

type Point = { hands: number; mean: number; low: number; high: number };

/** The points of a curve that are drawn, and the ends of its axis; null if there are too few. */
export function drawnPoints({ hands, mean, low, high }: CurveView) {
  // An interval of a few hands is so wide that nothing else could be seen.
  const from = hands.length > 20 ? Math.ceil(hands.length / 20) : 0;
  const points: Point[] = hands
    .map((count, i) => ({
      hands: count,
      mean: mean[i] ?? 0,
      low: low[i] ?? mean[i] ?? 0,
      high: high[i] ?? mean[i] ?? 0,
    }))
    .slice(from);
  if (points.length < 2) return null;
  const bottom = Math.min(0, ...points.map((point) => point.low));
  const top = Math.max(0, ...points.map((point) => point.high), bottom + 1e-9);
  return { points, bottom, top };
}

/** The course of a measure in points of progress, as results have it. */
export function courseOf(points: { hands: number; measures: MeasureView[] }[], index: number): CurveView {
  const column = (key: keyof Interval) => points.map((point) => point.measures[index]?.[key] ?? null);
  const mean = column("mean").map((value) => value ?? 0);
  return { hands: points.map((point) => point.hands), mean, low: column("low"), high: column("high") };
}
