/** The exploitability of a solve over time, as a picture and as a table, and its numbers as texts. */
import { html, nothing, svg } from "./vendor/lit-html.js";

const WIDTH = 560;
const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 28;

/**
 * The measurements among the points of progress.  A run that was killed and resumed goes back to its checkpoint; what
 * came after it then is left out.
 * @param {any[]} points
 */
export function measurements(points) {
  /** @type {any[]} */ const found = [];
  for (const point of points) {
    if (!(point.exploitability_pot_percent > 0) || point.measuring) continue;
    while (found.length && found[found.length - 1].measured_at > point.measured_at) found.pop();
    const last = found[found.length - 1];
    // The last point of a solve has the exact figure of its certificate.
    if (last && last.measured_at === point.measured_at) found[found.length - 1] = { ...point, seconds: last.seconds };
    else found.push(point);
  }
  return found;
}

/** An amount of memory. @param {number} count */
export function bytes(count) {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log2(Math.max(1, count)) / 10)));
  return `${digits(count / 1024 ** power)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

const digits = (value) => Number(value.toPrecision(3)).toString();
export const seconds = (value) =>
  value < 1e-3
    ? `${digits(value * 1e6)} µs`
    : value < 1
      ? `${digits(value * 1e3)} ms`
      : value < 120
        ? `${digits(value)} s`
        : value < 7200
          ? `${digits(value / 60)} min`
          : `${digits(value / 3600)} h`;
export const potPercent = (value) => `${digits(value)} % of the pot`;

/**
 * The curve: logarithmic in the exploitability, linear in time.
 * @param {any[]} points  @param {string} title
 */
export function curveView(points, title) {
  const found = measurements(points);
  if (!found.length) return html`<p class="soft">Nothing has been measured yet.</p>`;
  const shown =
    found.length > 60
      ? found.filter((_, index) => index % Math.ceil(found.length / 60) === 0 || index === found.length - 1)
      : found;
  return html`${found.length > 1 ? pictureOf(points, found, title) : nothing}
  <details><summary>The curve as a table</summary><div class="wide"><table>
    <caption class="unseen">Exploitability over time</caption>
    <thead><tr><th scope="col">Iteration</th><th scope="col">Time</th><th scope="col">% of the pot</th></tr></thead>
    <tbody>${shown.map(
      (point) => html`<tr><td>${point.measured_at.toLocaleString("en")}</td><td>${seconds(point.seconds)}</td>
      <td>${digits(point.exploitability_pot_percent)}</td></tr>`,
    )}</tbody></table></div></details>`;
}

/** The picture.
 *  @param {any[]} points  @param {any[]} found  the measurements among the points  @param {string} title */
function pictureOf(points, found, title) {
  const target = points.map((point) => point.target_pot_percent).find((value) => value > 0) ?? null;
  const values = [...found.map((point) => point.exploitability_pot_percent), ...(target ? [target] : [])];
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const end = Math.max(points[points.length - 1].seconds, found[found.length - 1].seconds) || 1e-9;
  const x = (time) => LEFT + ((WIDTH - LEFT - 8) * time) / end;
  const y = (value) => 8 + ((HEIGHT - BOTTOM - 8) * (high - Math.log10(value))) / (high - low);
  const step = Math.ceil((high - low) / 6);
  const powers = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);
  const last = found[found.length - 1];
  const said = `${title}: ${potPercent(last.exploitability_pot_percent)} after ${seconds(last.seconds)}${
    target ? `; the target is ${digits(target)} %` : ""
  }`;
  return html`<figure class="curve">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${said}>
      ${powers.map(
        (power) => svg`<line class="rule" x1=${LEFT} x2=${WIDTH - 8} y1=${y(10 ** power)} y2=${y(10 ** power)} />
        <text x=${LEFT - 6} y=${y(10 ** power) + 4}
          text-anchor="end">${10 ** power >= 1e-6 ? Number((10 ** power).toPrecision(1)) : `1e${power}`} %</text>`,
      )}
      <text x=${LEFT} y=${HEIGHT - 8}>0</text>
      <text x=${WIDTH - 8} y=${HEIGHT - 8} text-anchor="end">${seconds(end)}</text>
      ${
        target
          ? svg`<line class="target" x1=${LEFT} x2=${WIDTH - 8} y1=${y(target)} y2=${y(target)} />
        <text x=${LEFT + 6} y=${y(target) - 4}>target ${digits(target)} %</text>`
          : ""
      }
      <polyline points=${found
        .map((point) => `${x(point.seconds).toFixed(1)},${y(point.exploitability_pot_percent).toFixed(1)}`)
        .join(" ")} />
      <circle cx=${x(last.seconds)} cy=${y(last.exploitability_pot_percent)} r="3.5" />
    </svg>
    <figcaption class="soft">Exploitability in % of the pot (logarithmic) over time</figcaption>
  </figure>`;
}
