/** Which decisions are listed, and what they are narrowed to. */
import type { ReviewView } from "../api/types";
import { type Chosen, FILTERS, type Filter } from "./address";
import { LineText } from "./Decision";

/** The sums of a review by what they are gathered by, the greatest loss first. */
export function sumsOf(review: ReviewView, by: Filter) {
  if (by === "player") return review.by_player.map((one) => ({ ...one, name: one.player }));
  if (by === "street") return review.by_street.map((one) => ({ ...one, name: one.street }));
  if (by === "class") return review.by_class.map((one) => ({ ...one, name: one.class }));
  return review.by_line.map((one) => ({ ...one, name: one.line }));
}
export type Sum = ReturnType<typeof sumsOf>[number];

type Props = { chosen: Chosen; put: (changes: Partial<Chosen>) => void };

export function Filters({ chosen, put }: Props) {
  return (
    <div class="row filters">
      <div class="choice" role="group" aria-label="Which decisions">
        <button type="button" aria-pressed={!chosen.all} onClick={() => put({ all: false })}>
          Mistakes
        </button>
        <button type="button" aria-pressed={chosen.all} onClick={() => put({ all: true })}>
          All decisions
        </button>
      </div>
      {FILTERS.map(([key, label]) => {
        const value = chosen[key];
        return (
          value !== undefined && (
            <button key={key} type="button" class="chip" onClick={() => put({ [key]: undefined })}>
              <span class="unseen">No longer only {label.toLowerCase()} </span>
              {key === "line" ? <LineText line={value} /> : value} <span aria-hidden="true">×</span>
            </button>
          )
        );
      })}
    </div>
  );
}
