/** What the list of decisions can be narrowed to. */
import type { ReviewView } from "../api/types";
import { Check, type Choice, SelectField } from "../shared/fields";
import { whole } from "../shared/numbers";
import { type Chosen, FILTERS, type Filter, isChosen } from "./address";

/** The sums of a review by what they are gathered by. */
export function sumsOf(review: ReviewView, by: Filter) {
  if (by === "player") return review.by_player.map((one) => ({ ...one, name: one.player }));
  if (by === "street") return review.by_street.map((one) => ({ ...one, name: one.street }));
  if (by === "class") return review.by_class.map((one) => ({ ...one, name: one.class }));
  return review.by_line.map((one) => ({ ...one, name: one.line }));
}
export type Sum = ReturnType<typeof sumsOf>[number];

/** A line in a list: the first decision has an empty one. */
export const lineName = (line: string): string => line || "first decision";

type Props = { review: ReviewView; chosen: Chosen; put: (changes: Partial<Chosen>) => void };

/** More options than this are chosen in the tables of sums. */
const MOST = 500;

export function Filters({ review, chosen, put }: Props) {
  return (
    <div class="filters">
      {FILTERS.map(([key, label]) => {
        const sums = sumsOf(review, key);
        if (sums.length < 2 && chosen[key] === undefined) return null;
        const options = sums.slice(0, MOST).map(({ name, decisions }): Choice => {
          return [`=${name}`, `${key === "line" ? lineName(name) : name} (${whole(decisions)})`];
        });
        const value = chosen[key] === undefined ? "" : `=${chosen[key]}`;
        if (value && !options.some(([one]) => one === value)) options.push([value, value.slice(1)]);
        return (
          <SelectField
            key={key}
            id={`filter-${key}`}
            label={label}
            value={value}
            options={[["", "all"], ...options]}
            put={(text) => put({ [key]: text ? text.slice(1) : undefined })}
          />
        );
      })}
      <Check label="only losses that count" value={chosen.counted} put={(on) => put({ counted: on })} />
      {isChosen(chosen) && (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            put({ player: undefined, street: undefined, class: undefined, line: undefined, counted: false })
          }
        >
          Show all
        </button>
      )}
    </div>
  );
}
