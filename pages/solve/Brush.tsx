/** The weight that a click on a hand gives. */
import { useState } from "preact/hooks";
import { readNumber } from "../shared/numbers";
import { say } from "../shared/Said";
import type { RangeText } from "./rangeText";

export function Brush({ range }: { range: RangeText }) {
  const [typed, setTyped] = useState<string | null>(null);
  const type = (text: string) => {
    setTyped(text);
    const value = Number(readNumber(text).text);
    if (value >= 1 && value <= 100) range.brush = value / 100;
  };
  const settle = (text: string) => {
    const read = readNumber(text);
    const outside = Number(read.text) < 1 || Number(read.text) > 100;
    if (read.problem || outside) say(read.problem || "The brush is from 1 to 100 %.");
    setTyped(null);
  };
  return (
    <label class="brush">
      Brush{" "}
      <input
        inputMode="decimal"
        autocomplete="off"
        value={typed ?? String(Math.round(100 * range.brush))}
        onInput={(event) => type(event.currentTarget.value)}
        onChange={(event) => settle(event.currentTarget.value)}
      />{" "}
      %
    </label>
  );
}
