/** Numbers as people type them: one reader for all fields of the page. */

/** What a field says of a number with a comma that may mean either of two things. @param {string} typed */
const ambiguous = (typed) =>
  `${typed} can be read in two ways: write a point before decimals (1.5), and commas only between groups of three ` +
  "digits (1,500).";

/**
 * Read a number.  It is written as the page writes numbers: a point before decimals, and commas between groups of three
 * digits or none.  Any other comma is refused, because half of the world reads it as a point.
 * @param {string} typed
 * @returns {{ text: string, problem: string }}  the number without commas, empty if it is none; and what is wrong
 */
export function readNumber(typed) {
  const given = typed
    .trim()
    .replace("−", "-")
    .replace(/^(-?)\./, "$10.");
  if (/^-?\d+(\.\d+)?$/.test(given)) return { text: given.replace(/^(-?)0+(?=\d)/, "$1"), problem: "" };
  if (/^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(given)) return { text: given.replaceAll(",", ""), problem: "" };
  if (/^-?[\d.,\s]*,[\d.,\s]*$/.test(given)) return { text: "", problem: ambiguous(given) };
  return { text: "", problem: given ? `${given} is not a number.` : "Write a number here." };
}

/**
 * Read a whole number within bounds.
 * @param {string} typed  @param {string} what  names it in sentences  @param {number} least  @param {number} [most]
 * @returns {{ value: number, problem: string }}
 */
export function readWhole(typed, what, least, most = Number.MAX_SAFE_INTEGER) {
  const { text, problem } = readNumber(typed);
  if (problem) return { value: NaN, problem: `${what}: ${problem}` };
  const value = Number(text);
  const inside = Number.isSafeInteger(value) && value >= least && value <= most;
  const bounds =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most.toLocaleString("en")}`;
  return { value, problem: inside ? "" : `${what}: write a whole number ${bounds}.` };
}
