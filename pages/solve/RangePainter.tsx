/** A range to be typed or painted. */
import type { TargetedKeyboardEvent, TargetedMouseEvent, TargetedPointerEvent } from "preact";
import { useState } from "preact/hooks";
import { moveFocus } from "../shared/gridKeys";
import { useModel } from "../shared/model";
import { readNumber, whole } from "../shared/numbers";
import { say } from "../shared/Said";
import { className, type RangeText, SIDE } from "./rangeText";

const HANDS = 1326;

type Props = {
  /** Used for the ids of elements. */
  id: string;
  label: string;
  range: RangeText;
  /** What is wrong with the range in this spot, though its text can be read. */
  wrong: string;
};

export function RangePainter({ id, label, range, wrong }: Props) {
  useModel(range);
  const problem = range.problem || wrong;
  const count = Number(range.hands.toFixed(2)).toLocaleString("en");
  return (
    <fieldset class="range">
      <legend>{label}</legend>
      <label class="unseen" for={`${id}-text`}>
        {label} as text
      </label>{" "}
      <textarea
        id={`${id}-text`}
        rows={3}
        spellcheck={false}
        value={range.text}
        aria-invalid={problem !== ""}
        aria-describedby={`${id}-said`}
        onInput={(event) => range.read(event.currentTarget.value, true)}
      />
      <p id={`${id}-said`} class={problem ? "problem" : "soft"}>
        {problem || `${count} of ${whole(HANDS)} combos, ${((100 * range.hands) / HANDS).toFixed(1)} %`}
      </p>
      <Cells label={label} range={range} />
      <div class="row">
        <Brush range={range} />
        <button type="button" onClick={() => range.read("random", true)}>
          All hands
        </button>
        <button type="button" onClick={() => range.read("", true)}>
          None
        </button>
      </div>
    </fieldset>
  );
}

/** The number of the cell of an element. */
function placeOf(target: EventTarget | null): number | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-place]") : null;
  return cell ? Number(cell.dataset.place) : null;
}

/** What the pointer and the keys do in the grid. */
function painting(range: RangeText) {
  const end = () => {
    range.painting = null;
  };
  return {
    onPointerDown(event: TargetedPointerEvent<HTMLElement>) {
      const place = placeOf(event.target);
      if (place === null || event.button) return;
      range.painting = range.toggled(place);
      range.paint(place, range.painting);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: TargetedPointerEvent<HTMLElement>) {
      if (range.painting === null) return;
      // While the pointer is captured the event does not say which cell it is over.
      const over = document.elementFromPoint(event.clientX, event.clientY);
      const place = over && event.currentTarget.contains(over) ? placeOf(over) : null;
      if (place !== null) range.paint(place, range.painting);
    },
    onPointerUp: end,
    onPointerCancel: end,
    onKeyDown(event: TargetedKeyboardEvent<HTMLElement>) {
      if (moveFocus(event, event.currentTarget, SIDE) !== null) return;
      if (!/^[0-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      range.brushKey(event.key);
      event.preventDefault();
    },
    /** Enter, space and screen readers click without a pointer. */
    onClick(event: TargetedMouseEvent<HTMLElement>) {
      const place = placeOf(event.target);
      if (place !== null && event.detail === 0) range.paint(place, range.toggled(place));
    },
  };
}

function Cells({ label, range }: { label: string; range: RangeText }) {
  return (
    <div class="paint" role="group" aria-label={`${label}, hand by hand`} {...painting(range)}>
      {range.grid.flatMap((cells, row) =>
        cells.map((weight, column) => {
          const name = className(row, column);
          return (
            <button
              key={name}
              type="button"
              data-place={SIDE * row + column}
              tabIndex={row + column ? -1 : 0}
              aria-label={`${name}, ${Math.round(100 * weight)} %`}
              style={{ "--weight": `${100 * weight}%` }}
              class={weight > 0 ? "in" : ""}
            >
              <span aria-hidden="true">{name}</span>
            </button>
          );
        }),
      )}
    </div>
  );
}

/** The weight that a click gives. */
function Brush({ range }: { range: RangeText }) {
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
    <label>
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
