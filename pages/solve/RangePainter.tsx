/** A range to be typed, painted, or taken from the library. */
import type {
  ComponentChildren,
  TargetedEvent,
  TargetedKeyboardEvent,
  TargetedMouseEvent,
  TargetedPointerEvent,
} from "preact";
import type { LibraryRangeView } from "../api/types";
import { Groups } from "../shared/fields";
import { moveFocus } from "../shared/gridKeys";
import { useModel } from "../shared/model";
import { whole } from "../shared/numbers";
import { Brush } from "./Brush";
import { cellsBetween } from "./drag";
import { className, type Painting, type RangeText, rangesByChart, SIDE } from "./rangeText";

const HANDS = 1326;

type Props = {
  /** Used for the ids of elements. */
  id: string;
  label: string;
  range: RangeText;
  library: LibraryRangeView[];
  take: (found: LibraryRangeView) => void;
  /** What puts the range into the library. */
  kept?: ComponentChildren;
  /** What is wrong with the range in this spot, though its text can be read. */
  wrong: string;
};

export function RangePainter({ id, label, range, library, take, kept, wrong }: Props) {
  useModel(range);
  const problem = range.problem || wrong;
  const count = Number(range.hands.toFixed(2)).toLocaleString("en");
  const choose = (event: TargetedEvent<HTMLSelectElement>) => {
    const found = library.find(({ name }) => name === event.currentTarget.value);
    event.currentTarget.value = "";
    if (found) take(found);
  };
  return (
    <fieldset class="range">
      <legend>{label}</legend>
      <div class="row">
        <label class="unseen" for={`${id}-library`}>
          Choose a range
        </label>
        <select id={`${id}-library`} value="" onChange={choose}>
          <Groups groups={rangesByChart(library)} first="Choose a range …" />
        </select>
        <button type="button" onClick={() => range.read("random", "whole")}>
          All hands
        </button>
        <button type="button" onClick={() => range.read("", "whole")}>
          None
        </button>
        {kept}
      </div>
      <label class="unseen" for={`${id}-text`}>
        {label} as text
      </label>{" "}
      <textarea
        id={`${id}-text`}
        rows={2}
        spellcheck={false}
        value={range.text}
        placeholder="such as 22+, A2s+, KQo, or 20%"
        aria-invalid={problem !== ""}
        aria-describedby={`${id}-said`}
        onInput={(event) => range.read(event.currentTarget.value, "typed")}
      />
      <p id={`${id}-said`} class={problem ? "problem" : "soft"}>
        {problem || `${count} of ${whole(HANDS)} combos, ${((100 * range.hands) / HANDS).toFixed(1)} %`}
      </p>
      <Cells label={label} range={range} />
      <div class="row">
        <Best range={range} />
        <Brush range={range} />
      </div>
    </fieldset>
  );
}

/** The best hands, as many as a slider says. */
function Best({ range }: { range: RangeText }) {
  const share = Math.round((100 * range.hands) / HANDS);
  return (
    <label class="best">
      Best hands{" "}
      <input
        type="range"
        min="0"
        max="100"
        value={share}
        aria-valuetext={`${share} %`}
        onInput={(event) =>
          range.read(event.currentTarget.value === "0" ? "" : `${event.currentTarget.value}%`, "typed")
        }
      />{" "}
      <output>{share} %</output>
    </label>
  );
}

/** What the pointer and the keys do in the grid. */
function painting(range: RangeText) {
  const end = () => {
    range.painting = null;
  };
  /** Paint what the pointer has crossed since it was last heard of. */
  const draw = (event: TargetedPointerEvent<HTMLElement>) => {
    if (range.painting === null || mayScroll(event, range.painting)) return;
    const box = event.currentTarget.getBoundingClientRect();
    const coalesced = event.getCoalescedEvents?.() ?? [];
    for (const { clientX: x, clientY: y } of coalesced.length ? coalesced : [event]) {
      for (const place of cellsBetween(box, range.painting, { x, y }, SIDE)) range.paint(place, range.painting.weight);
      Object.assign(range.painting, { x, y, drawn: true });
    }
  };
  return {
    onPointerDown(event: TargetedPointerEvent<HTMLElement>) {
      const place = placeOf(event.target);
      if (place === null || event.button) return;
      range.painting = { weight: range.toggled(place), x: event.clientX, y: event.clientY, drawn: false };
      // A finger may be about to scroll the page; it paints when it moves to the side or is taken away.
      if (event.pointerType !== "touch") range.paint(place, range.painting.weight);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: draw,
    onPointerUp(event: TargetedPointerEvent<HTMLElement>) {
      draw(event);
      end();
    },
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

/** How far a finger goes to the side before it is clear that it does not scroll the page. */
const SIDEWAYS = 8;

/** Whether a finger may still be about to scroll the page. */
function mayScroll({ pointerType, type, clientX, clientY }: PointerEvent, from: Painting): boolean {
  if (pointerType !== "touch" || type !== "pointermove" || from.drawn) return false;
  return Math.abs(clientX - from.x) < Math.max(SIDEWAYS, Math.abs(clientY - from.y));
}

/** The number of the cell of an element. */
function placeOf(target: EventTarget | null): number | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-place]") : null;
  return cell ? Number(cell.dataset.place) : null;
}

function Cells({ label, range }: { label: string; range: RangeText }) {
  return (
    <div class="hands paint" role="group" aria-label={`${label}, hand by hand`} {...painting(range)}>
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
              class={weight > 0 ? "cell" : "cell out"}
            >
              <span class="label" aria-hidden="true">
                {name}
              </span>
              <span class="fill" style={{ backgroundSize: `100% ${100 * weight}%` }} />
            </button>
          );
        }),
      )}
    </div>
  );
}
