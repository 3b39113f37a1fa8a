/** The tab Run-outs: what follows every card that can come, as a table and as a picture. */
import { addressOf } from "../api/client";
import type { NodeView, RunOutsView } from "../api/types";
import { Cards } from "../shared/Cards";
import { paint } from "../shared/colours";
import { tenths, worth } from "../shared/numbers";
import { type Column, SortedTable, sorted } from "../shared/SortedTable";
import { useRunOuts } from "./askRunOuts";
import { drawColumns, useCanvas } from "./canvas";
import { deckSummary, pictured, type Row } from "./deckSummary";
import { Grid } from "./Grid";
import { cards } from "./hands";
import { after, dealLine } from "./lines";
import type { Study } from "./model";
import type { PanelProps } from "./Tabs";
import { hundredths, named, shortName } from "./texts";
import { unitName } from "./units";

function whyNone({ kind, street }: NodeView): string {
  if (kind === "leaf") return "The tree is cut here, so no card follows in it.";
  if (street === "river") return "No card follows: the board is complete.";
  return "No card has been dealt on this line. Go on until the street closes, for example with a bet and a call.";
}

export function RunOuts({ study, view }: PanelProps) {
  const line = dealLine(view);
  const last = view.columns.findLast((one) => one.kind === "card");
  // A flop has thousands of run-outs, which take a while; the user asks for them.
  const many = view.kind === "chance" ? view.deal_count > 1 : (last?.card?.length ?? 2) > 2;
  const asked = useRunOuts(study, view, !many);
  if (asked.found && line !== null) return <Found study={study} view={view} found={asked.found} line={line} />;
  return (
    <>
      <h2>Run-outs</h2>
      {line === null ? (
        <p>{whyNone(view)}</p>
      ) : asked.problem ? (
        <p class="problem" role="alert">
          {asked.problem}
        </p>
      ) : many && !asked.busy ? (
        <p>
          There are thousands of flops, so this takes a while.{" "}
          <button type="button" onClick={asked.ask}>
            Look at every flop
          </button>
        </p>
      ) : (
        <p aria-busy="true">Looking at every card …</p>
      )}
    </>
  );
}

type FoundProps = PanelProps & { found: RunOutsView; line: string };

function Found({ study, view, found, line }: FoundProps) {
  const ordered = study.ordered("runouts");
  const go = (deal: string) => study.to(after(line, deal, true));
  const columns = columnsOf(found, go);
  const rows: Row[] = found.rows.map((row, place) => ({ ...row, place }));
  const single = cards(rows[0]?.deals[0] ?? "").length === 1;
  const last = view.columns.findLast((one) => one.kind === "card");
  const current = view.kind === "chance" ? "" : (last?.card ?? "");
  const acts = found.player === null ? "both are all-in" : `what ${found.player_name} does on each card`;
  const by = pictured(study.state.by, found);
  const why = found.why_no_ev || found.why_no_equity;
  return (
    <>
      <h2>Run-outs · {acts}</h2>
      {single ? (
        <Grid
          view={found}
          summary={deckSummary(found, view.cards, study.player)}
          by={study.state.by === "weight" ? "weight" : by}
          chosen={current}
          title={`Run-outs: ${acts}`}
          pick={go}
          follow={false}
        />
      ) : (
        <Columns found={found} rows={sorted(rows, columns, ordered.sort)} title={acts} />
      )}
      {why && <p class="soft">{why}</p>}
      <SortedTable
        {...ordered}
        caption="Run-outs"
        columns={columns}
        rows={rows}
        fixed={[found.mean]}
        mark={(row) => row.deals.includes(current)}
        things="deals"
      />
      <p>
        Run-outs as{" "}
        {(single ? ["csv", "json", "png", "svg"] : ["csv", "json"]).map((format) => (
          <Export key={format} study={study} line={line} format={format} by={by} />
        ))}
      </p>
      <p class="soft">
        Frequencies and EQ (equity) in per cent, EV in {unitName(study.state.unit)}. Cards in one row play alike: only
        their suits differ.
      </p>
    </>
  );
}

function columnsOf(found: RunOutsView, go: (deal: string) => void): Column<Row>[] {
  const names = found.player_names.map(shortName);
  return [
    {
      name: "card",
      text: true,
      value: (row) => row.place ?? -1,
      view: (row) =>
        row.deals.length
          ? row.deals.map((deal) => (
              <button key={deal} type="button" class="hand" data-hand={deal} onClick={() => go(deal)}>
                <Cards text={deal} />
              </button>
            ))
          : "mean",
    },
    { name: "chance, %", value: (row) => row.probability, view: (row) => tenths(row.probability) },
    ...found.actions
      .map(
        (action, a): Column<Row> => ({
          name: named(action),
          value: (row) => row.frequencies[a],
          view: (row) => tenths(row.frequencies[a]),
        }),
      )
      .reverse(),
    ...names.map(
      (name, p): Column<Row> => ({
        name: `EV ${name}`,
        value: (row) => row.ev_chips[p],
        view: (row) => worth(row.ev_chips[p], found.pot_chips),
      }),
    ),
    ...names.map(
      (name, p): Column<Row> => ({
        name: `EQ ${name}`,
        value: (row) => row.equity[p],
        view: (row) => hundredths(row.equity[p]),
      }),
    ),
  ];
}

/** Thousands of deals as columns of a picture. */
function Columns({ found, rows, title }: { found: RunOutsView; rows: Row[]; title: string }) {
  const paints = found.actions.map((one) => paint(one.colour));
  const canvas = useCanvas((one) => drawColumns(one, rows, paints));
  const label = `${title}, a column for each deal in the order of the table`;
  return <canvas class="own" role="img" ref={canvas} aria-label={label} />;
}

function Export({ study, line, format, by }: { study: Study; line: string; format: string; by: string }) {
  const { name, whole } = study.state;
  const path = `solutions/${encodeURIComponent(name)}/runouts/export`;
  const href = addressOf(path, { line, format, player: study.player, by, whole });
  return (
    <>
      <a class="export" aria-label={`Export the run-outs as ${format.toUpperCase()}`} href={href} download>
        {format.toUpperCase()}
      </a>{" "}
    </>
  );
}
