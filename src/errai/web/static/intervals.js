/** Means with their 95 % intervals: as text, in a row of a table, and as a curve over the hands. */
import { html, nothing, svg } from "./vendor/lit-html.js";

/** @typedef {{ name: string, mean: number | null, low: number | null, high: number | null }} Measure */

const NAMES = { chips: "chips won", aivat: "AIVAT", importance: "importance sampling", lbr: "local best response" };

/** The name of a measure for people. @param {string} name */
export const measureName = (name) => NAMES[name] ?? name;

/** A number with its sign and four digits. @param {number | null} value */
export function signed(value) {
  if (value === null || value === undefined) return "–";
  const rounded = Math.abs(value) < 1e-9 ? 0 : Number(value.toPrecision(4));
  return `${rounded > 0 ? "+" : ""}${rounded.toLocaleString("en", { maximumSignificantDigits: 4 })}`.replace("-", "−");
}

/** The interval in words. @param {Measure} measure */
export const reach = (measure) =>
  measure.low === null ? "too few hands" : `${signed(measure.low)} to ${signed(measure.high)}`;

/** The greatest distance from 0 in some intervals. @param {Measure[]} measures */
export const span = (measures) =>
  Math.max(1e-9, ...measures.flatMap((one) => [one.mean, one.low, one.high]).map((value) => Math.abs(value ?? 0)));

/** An interval as a bar around its mean; 0 is in the middle. @param {Measure} measure  @param {number} most */
export function bar(measure, most) {
  if (measure.mean === null) return nothing;
  const x = (value) => `${(50 + 48 * (value / most)).toFixed(2)}%`;
  return html`<svg class="interval" height="16" aria-hidden="true">
    <line class="zero" x1="50%" x2="50%" y1="0" y2="16" />
    ${measure.low === null ? nothing : svg`<line x1=${x(measure.low)} x2=${x(measure.high)} y1="8" y2="8" />`}
    <circle cx=${x(measure.mean)} cy="8" r="4" /></svg>`;
}

const HEIGHT = 180;

/**
 * A mean and its interval over the hands.
 * @param {{ hands: number[], mean: number[], low: (number | null)[], high: (number | null)[] }} curve
 * @param {string} title  @param {string} unit
 */
export function curve({ hands, mean, low, high }, title, unit) {
  // An interval of a few hands is so wide that nothing else could be seen.
  const from = hands.length > 20 ? Math.ceil(hands.length / 20) : 0;
  const points = hands.map((count, i) => [count, mean[i], low[i] ?? mean[i], high[i] ?? mean[i]]).slice(from);
  if (points.length < 2) return html`<p class="soft">There are too few hands for a curve.</p>`;
  const bottom = Math.min(0, ...points.map((point) => point[2]));
  const top = Math.max(0, ...points.map((point) => point[3]), bottom + 1e-9);
  const [first, last] = [points[0][0], points[points.length - 1][0]];
  const x = (count) => ((1000 * (count - first)) / Math.max(1, last - first)).toFixed(1);
  const y = (value) => ((HEIGHT * (top - value)) / (top - bottom)).toFixed(2);
  const path = (column) => points.map((point) => `${x(point[0])},${y(point[column])}`);
  const end = points[points.length - 1];
  const said = `${title}: ${signed(end[1])} ${unit} after ${last.toLocaleString(
    "en",
  )} hands, 95 % from ${signed(end[2])} to ${signed(end[3])}`;
  return html`<figure class="course">
    <div class="ends" aria-hidden="true"><span>${signed(top)}</span><span>${signed(bottom)}</span></div>
    <svg viewBox="0 0 1000 ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${said}>
      <polygon points=${[...path(3), ...path(2).reverse()].join(" ")} />
      <line class="zero" x1="0" x2="1000" y1=${y(0)} y2=${y(0)} />
      <polyline points=${path(1).join(" ")} />
    </svg>
    <figcaption class="soft">${title} in ${unit}, with its 95 % interval, from ${first.toLocaleString("en")} to
      ${last.toLocaleString("en")} hands</figcaption>
  </figure>`;
}
