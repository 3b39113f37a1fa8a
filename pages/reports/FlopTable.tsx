/** The flops of a report as a table; a flop is opened in Study, or solved if there is no solution of it. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import type { FlopRow, FlopView, TableView } from "../api/types";
import { go } from "../app/address";
import { Cards } from "../shared/Cards";
import { paint } from "../shared/colours";
import { digits, percent, whole, worth } from "../shared/numbers";
import { say } from "../shared/Said";
import { type Column, type Sort, sorted, TallTable } from "../shared/SortedTable";
import { stripes } from "../study/colours";
import { shortName } from "../study/texts";
import type { State } from "./address";
import { openFlop } from "./model";
import { csvOf, sharesOf } from "./table";

type Props = {
  name: string;
  table: TableView;
  state: State;
  put: (changes: Partial<State>, replace?: boolean) => void;
};

/** The height of a row, which the style sheet gives it. */
const ROW_PX = 36;

export function FlopTable({ name, table, state, put }: Props) {
  const [unsolved, setUnsolved] = useState<FlopView | null>(null);
  const columns = useMemo(() => {
    const open = (flop: string) => openFlop(name, flop, table.line).then(setUnsolved, (error) => say(messageOf(error)));
    return columnsOf(table, open);
  }, [name, table]);
  const sort: Sort | null = useMemo(
    () => (state.sort ? { by: state.sort, down: state.down } : null),
    [state.sort, state.down],
  );
  const save = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csvOf(table, sorted(table.flops, columns, sort))], { type: "text/csv" }));
    link.download = `${name}${table.line && "-"}${table.line.replaceAll(" ", "-")}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };
  return (
    <section aria-labelledby="flops">
      <div class="row">
        <h2 id="flops">{table.flops.length === 1 ? "1 flop" : `${whole(table.flops.length)} flops`}</h2>
        <button type="button" class="quiet" onClick={save}>
          Download as CSV
        </button>
      </div>
      <TallTable
        caption="Flops"
        columns={columns}
        rows={table.flops}
        id={(row) => row.flop}
        height={ROW_PX}
        sort={sort}
        setSort={({ by, down }) => put({ sort: by, down }, true)}
      />
      <p class="soft">
        A flop opens in Study. EQ is the equity, EQR the equity realised; the weight is how many of all 22,100 flops one
        stands for{table.net ? "; the exploitability is in the game that is cut" : ""}.
      </p>
      {unsolved && <Unsolved flop={unsolved} close={() => setUnsolved(null)} />}
    </section>
  );
}

/** Offers to solve a flop of which there is no solution. */
function Unsolved({ flop, close }: { flop: FlopView; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const solve = async () => {
    try {
      const job = await api("POST jobs", { body: flop.request });
      go(`/solve/${job.id}`);
    } catch (error) {
      say(messageOf(error));
      close();
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="unsolved" onClose={close}>
      <h2 id="unsolved">
        <Cards text={flop.flop} /> has no solution here
      </h2>
      <p>
        A report keeps what is played on a flop, not the whole solution. Solve the flop, and Study shows every line.
      </p>
      <div class="row">
        <button type="button" class="main" onClick={solve}>
          Solve this flop
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}

/** Ranks from low to high, by which high cards are sorted. */
const RANKS = "23456789TJQKA";

function columnsOf(table: TableView, open: (flop: string) => void): Column<FlopRow>[] {
  const names = table.player_names.map(shortName);
  const pot = table.pot_chips;
  const text = (key: "suits" | "pairing" | "straights"): Column<FlopRow> => ({
    name: key,
    text: true,
    value: (row) => row[key],
    view: (row) => row[key],
  });
  const ofBoth = (
    what: string,
    key: "ev_chips" | "equity" | "equity_realised",
    unit: string,
    view: (value: number | null) => string,
  ): Column<FlopRow>[] =>
    names.map((name, p) => ({
      name: `${what} ${name}`,
      label: <Unit name={`${what} ${name}`} unit={unit} />,
      value: (row) => row[key][p],
      view: (row) => view(row[key][p]),
    }));
  return [
    {
      name: "flop",
      text: true,
      value: (row) =>
        row.flop
          .split(" ")
          .map((card) => RANKS.indexOf(card[0]) + 10)
          .join(""),
      view: (row) => (
        <button type="button" class="hand" onClick={() => open(row.flop)}>
          <Cards text={row.flop} />
        </button>
      ),
    },
    {
      name: "all actions",
      label: <span class="unseen">All actions</span>,
      view: (row) => <span class="mix" style={{ backgroundImage: stripes(sharesOf(row), table.colours.map(paint)) }} />,
    },
    // The largest bet first, as in the bars.
    ...table.actions
      .map(
        (action, a): Column<FlopRow> => ({
          name: action,
          value: (row) => row.frequencies[a],
          view: (row) => percent(row.frequencies[a]),
        }),
      )
      .reverse(),
    ...ofBoth("EV", "ev_chips", "chips", (value) => worth(value, pot)),
    ...ofBoth("EQ", "equity", "", (value) => percent(value)),
    ...ofBoth("EQR", "equity_realised", "", (value) => percent(value, 0)),
    { name: "weight", value: (row) => row.weight, view: (row) => whole(Math.round(row.weight)) },
    text("suits"),
    text("pairing"),
    text("straights"),
    {
      name: "high",
      text: true,
      value: (row) => RANKS.indexOf(row.high),
      view: (row) => row.high,
    },
    {
      name: "exploitability",
      label: <Unit name="exploitability" unit="% of the pot" />,
      value: (row) => row.exploitability_pot_percent,
      view: (row) => digits(row.exploitability_pot_percent),
    },
  ];
}

/** A heading with its unit. */
const Unit = ({ name, unit }: { name: string; unit: string }) => (
  <>
    {name} {unit && <small>{unit}</small>}
  </>
);
