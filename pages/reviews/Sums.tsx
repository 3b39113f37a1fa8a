/** Sums of decisions by street, line, hand class and player, as tables that sort; a row narrows the list to it. */
import { useState } from "preact/hooks";
import type { ReviewView } from "../api/types";
import { whole } from "../shared/numbers";
import { type Column, type Sort, SortedTable } from "../shared/SortedTable";
import { type Chosen, FILTERS, type Filter } from "./address";
import { LineText } from "./Decision";
import { amount } from "./decision";
import { type Sum, sumsOf } from "./Filters";

const NAMES: Record<Filter, string> = { street: "By street", line: "By line", class: "By hands", player: "By player" };
const ORDER: Filter[] = ["street", "line", "class", "player"];

type Props = { review: ReviewView; chosen: Chosen; put: (changes: Partial<Chosen>) => void };

export function Sums({ review, chosen, put }: Props) {
  const [by, setBy] = useState<Filter>("street");
  const [sort, setSort] = useState<Sort | null>({ by: "lost", down: true });
  const [page, setPage] = useState(0);
  const show = (next: Filter) => {
    setBy(next);
    setPage(0);
  };
  return (
    <>
      <div class="choice" role="group" aria-label="Sums">
        {ORDER.map((one) => (
          <button key={one} type="button" aria-pressed={by === one} onClick={() => show(one)}>
            {NAMES[one]}
          </button>
        ))}
      </div>
      <section class="wide" aria-label={NAMES[by]} tabIndex={0}>
        <SortedTable
          caption={`Sums ${NAMES[by].toLowerCase()}`}
          columns={columnsOf(by, review, (name) => put({ [by]: chosen[by] === name ? undefined : name }))}
          rows={sumsOf(review, by)}
          sort={sort}
          setSort={setSort}
          page={page}
          setPage={setPage}
          mark={(row) => chosen[by] === row.name}
          things="sums"
        />
      </section>
      <p class="soft">A row shows its decisions alone.</p>
    </>
  );
}

function columnsOf(by: Filter, { unit }: ReviewView, pick: (name: string) => void): Column<Sum>[] {
  const title = FILTERS.find(([key]) => key === by)?.[1] ?? by;
  return [
    {
      name: title.toLowerCase(),
      text: true,
      value: (row) => row.name,
      view: (row) => (
        <button type="button" class="hand" onClick={() => pick(row.name)}>
          {by === "line" ? <LineText line={row.name} /> : row.name}
        </button>
      ),
    },
    { name: "decisions", value: (row) => row.decisions, view: (row) => whole(row.decisions) },
    {
      name: "lost",
      label: `lost, ${unit}`,
      value: (row) => row.loss_chips,
      view: (row) => amount(row.loss_chips, unit),
    },
    {
      name: "each",
      value: (row) => row.loss_chips / row.decisions,
      view: (row) => amount(row.loss_chips / row.decisions, unit),
    },
  ];
}
