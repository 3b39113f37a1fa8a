/** A picture of every hand of both players, of which the table has the numbers. */
import type { TargetedMouseEvent } from "preact";
import { useState } from "preact/hooks";
import type { NodeView } from "../api/types";
import { drawRanges, handAt, useCanvas } from "./canvas";
import { handItem, type Mode, type Summary } from "./hands";
import { heard } from "./texts";

type Props = { view: NodeView; summaries: Summary[]; by: Mode; pick: (hand: string) => void };

export function RangesPicture({ view, summaries, by, pick }: Props) {
  const canvas = useCanvas((one) => drawRanges(one, view, summaries, by));
  const [told, setTold] = useState("");
  const [shown, other] = summaries.map(({ player }) => view.player_names[player]);
  const point = (event: TargetedMouseEvent<HTMLCanvasElement>) => {
    const found = handAt(event.currentTarget, view, event);
    const whose = summaries[Number(found?.other ?? false)];
    setTold(found ? `${view.player_names[whose.player]}, ${heard(handItem(view, whose, found.i), by, view)}` : "");
    return found;
  };
  const click = (event: TargetedMouseEvent<HTMLCanvasElement>) => {
    const found = point(event);
    if (found) pick(view.hands[found.i]);
  };
  return (
    <figure class="all">
      <canvas
        role="img"
        ref={canvas}
        aria-label={`All hands: above the diagonal ${shown}, below it ${other}; the table has the numbers`}
        onPointerMove={point}
        onClick={click}
      />
      <figcaption class="soft">{told || " "}</figcaption>
      <p class="soft">
        Above the diagonal: {shown}. Below it: {other}.
      </p>
    </figure>
  );
}
