/** Equities of a range as a curve: from the weakest hand to the strongest. */

type Value = number | null;
/** The share of the range up to and with a hand, and its equity. */
export type Step = [share: number, equity: number];

/** The curve of a range, whose hands count by their weight; none if an equity is not known. */
export function curveOf(equities: Value[], weights: Value[]): Step[] {
  const hands = equities.map((equity, i) => [equity, weights[i] ?? 0] as const).filter(([, weight]) => weight > 0);
  if (hands.some(([equity]) => equity === null)) return [];
  const sorted = (hands as [number, number][]).sort(([one], [other]) => one - other);
  const total = sorted.reduce((sum, [, weight]) => sum + weight, 0);
  let upTo = 0;
  return sorted.map(([equity, weight]) => {
    upTo += weight;
    return [upTo / total, equity];
  });
}

/** The equity that a share of the range has at most. */
export const equityAt = (curve: Step[], share: number): Value =>
  (curve.find(([upTo]) => upTo >= share - 1e-12) ?? curve.at(-1))?.[1] ?? null;

/** Where hands of an equity stand on the curve: with the weakest hand that has as much. */
export const placeOf = (curve: Step[], equity: number): Step | null => {
  const at = curve.find(([, one]) => one >= equity - 1e-9);
  return at ? [at[0], equity] : null;
};

/** The curve as a path in a square of a given side; each hand is a step as wide as its weight. */
export function pathOf(curve: Step[], side: number): string {
  let from = 0;
  const steps = curve.map(([upTo, equity]) => {
    const y = (side * (1 - equity)).toFixed(1);
    const step = `${(side * from).toFixed(1)} ${y}L${(side * upTo).toFixed(1)} ${y}`;
    from = upTo;
    return step;
  });
  return steps.length ? `M${steps.join("L")}` : "";
}
