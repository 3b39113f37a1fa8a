/** Numbers as people type and read them: one reader for all fields of the pages, and the writers of most of them. */

/** What a field says of a number with a comma that may mean either of two things. */
const ambiguous = (typed: string): string =>
  `${typed} can be read in two ways: write a point before decimals (1.5), and commas only between groups of three ` +
  "digits (1,500).";

/**
 * Read a number.  It is written as the page writes numbers: a point before decimals, and commas between groups of three
 * digits or none.  Any other comma is refused, because half of the world reads it as a point.
 * @returns the number without commas, empty if it is none; and what is wrong
 */
export function readNumber(typed: string): { text: string; problem: string } {
  const given = typed
    .trim()
    .replace("−", "-")
    .replace(/^(-?)\./, "$10.");
  if (/^-?\d+(\.\d+)?$/.test(given)) return { text: given.replace(/^(-?)0+(?=\d)/, "$1"), problem: "" };
  if (/^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(given)) return { text: given.replaceAll(",", ""), problem: "" };
  if (/^-?[\d.,\s]*,[\d.,\s]*$/.test(given)) return { text: "", problem: ambiguous(given) };
  return { text: "", problem: given ? `${given} is not a number.` : "Write a number here." };
}

/** Read a whole number within bounds; `what` names it in sentences. */
export function readWhole(
  typed: string,
  what: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): { value: number; problem: string } {
  const { text, problem } = readNumber(typed);
  if (problem) return { value: NaN, problem: `${what}: ${problem}` };
  const value = Number(text);
  const inside = Number.isSafeInteger(value) && value >= least && value <= most;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${whole(most)}`;
  return { value, problem: inside ? "" : `${what}: write a whole number ${bounds}.` };
}

/** A whole number, with commas between groups of three digits. */
export const whole = (count: number): string => count.toLocaleString("en");

/** A number with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;

const PLACES = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
export type Maybe = number | null | undefined;

/** Chips, with at most one decimal. */
export const chips = (value: Maybe): string => (value === null || value === undefined ? "–" : PLACES.format(value));

/** A share as a percentage. */
export const percent = (share: Maybe, places = 1): string =>
  share === null || share === undefined ? "–" : `${(100 * share).toFixed(share > 0 && share < 1 ? places : 0)} %`;

/** A number with three digits that count. */
export const digits = (value: number): string => Number(value.toPrecision(3)).toString();

/** A share of the pot in per cent. */
export const potPercent = (value: number): string => `${digits(value)} % of the pot`;

/** An amount of memory. */
export function memory(bytes: number): string {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  return `${digits(bytes / 1024 ** power)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

/** The size of a file. */
export function fileSize(bytes: number): string {
  const at = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${digits(bytes / 1000 ** at)} ${["B", "kB", "MB", "GB", "TB"][at]}`;
}

/** A duration. */
export function seconds(value: number): string {
  if (value < 1e-3) return `${digits(value * 1e6)} µs`;
  if (value < 1) return `${digits(value * 1e3)} ms`;
  if (value < 120) return `${digits(value)} s`;
  return value < 7200 ? `${digits(value / 60)} min` : `${digits(value / 3600)} h`;
}

/** An estimated duration, to about a tenth. */
export function roughly(value: number): string {
  if (value < 1) return "less than 1 s";
  if (value < 90) return `about ${Math.round(value)} s`;
  if (value < 5400) return `about ${Math.round(value / 60)} min`;
  return `about ${Number((value / 3600).toPrecision(2))} h`;
}

// A page has thousands of numbers, and toLocaleString looks up its rules for each of them anew.
const FORMATS = [0, 1, 2, 3, 4].map(
  (places) => new Intl.NumberFormat("en", { minimumFractionDigits: places, maximumFractionDigits: places }),
);
/** A number with so many decimals, and commas between groups of three digits. */
export const grouped = (value: number, places: number): string =>
  FORMATS[places].format(Math.abs(value) < 0.5 * 10 ** -places ? 0 : value);

/** An EV to about a thousandth of the pot. */
export function worth(chips: Maybe, pot: number): string {
  if (chips === null || chips === undefined) return "–";
  return grouped(chips, pot > 0 ? Math.min(4, Math.max(0, 3 - Math.floor(Math.log10(pot)))) : 2);
}

/** A frequency in per cent, without the sign; small shares are not rounded to 0, nor large ones to 100. */
export function tenths(share: Maybe, places = 1): string {
  if (share === null || share === undefined) return "–";
  const least = 10 ** -places;
  if (share > 0 && 100 * share < least / 2) return `<${least}`;
  if (share < 1 - 1e-7 && 100 * share >= 100 - least / 2 && share <= 1) return `>${100 - least}`;
  return share === 0 || share === 1 ? String(100 * share) : (100 * share).toFixed(places);
}
