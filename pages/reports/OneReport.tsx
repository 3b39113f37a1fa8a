/** A report: how it stands, and what its flops have in common and what not. */
import { api } from "../api/client";
import type { JobView, ReportDetail, TableView } from "../api/types";
import { go } from "../app/address";
import { useAnswer, useLatest } from "../shared/answers";
import { PageHead } from "../shared/Items";
import { JobButtons, JobState } from "../shared/JobButtons";
import { hasEnded } from "../shared/jobs";
import { useSlow } from "../shared/model";
import { counted, digits } from "../shared/numbers";
import { addressOf, lineName, type State, stateOf } from "./address";
import { FlopTable } from "./FlopTable";
import { Hands } from "./Hands";
import { Means } from "./Means";
import { flopsOf, progressOf, type Reports, standing, targetText } from "./model";
import { Only, Textures } from "./Textures";

type Props = { reports: Reports; name: string; query: URLSearchParams };

/** While a report is made it is read again after so many milliseconds at most. */
const AGAIN_MS = 2000;

export function OneReport({ reports, name, query }: Props) {
  const { jobs, answers } = reports;
  const job = jobs.all.get(name);
  const listed = reports.found?.find((one) => one.name === name);
  const flops = progressOf(job)?.flops ?? listed?.flops ?? 0;
  const solved = useSlow(flops, AGAIN_MS);
  const asked = useAnswer(answers, solved ? `${name} ${solved}` : "", () =>
    api("GET reports/{name}", { path: { name } }),
  );
  const detail = useLatest(asked.found);
  const title = job?.title ?? listed?.title ?? detail?.title ?? "Report";
  const known = jobs.known && reports.found !== null;
  const remove = () => reports.remove(name, title);
  return (
    <>
      <PageHead back="/reports" all="Reports" title={title}>
        {job ? (
          <JobButtons job={job} act={(action) => jobs.act(job.id, action)} remove={remove} />
        ) : (
          listed && (
            <button type="button" onClick={remove}>
              Delete
            </button>
          )
        )}
      </PageHead>
      {!known && (
        <p class="soft" aria-busy="true">
          Reading the report …
        </p>
      )}
      {known && !job && !listed && <p class="soft">There is no report called {name}.</p>}
      {listed?.error && <p class="problem">{listed.error}</p>}
      {job && <Standing title={title} job={job} />}
      {asked.problem && <p class="problem">{asked.problem}</p>}
      {flops > 0 && !detail && !asked.problem && (
        <p class="soft" aria-busy="true">
          Reading its flops …
        </p>
      )}
      {detail && <Found reports={reports} detail={detail} state={stateOf(query)} solved={solved} />}
    </>
  );
}

/** How the job stands. */
function Standing({ title, job }: { title: string; job: JobView }) {
  const now = standing(job);
  const running = !hasEnded(job);
  return (
    <>
      {job.error && <p class="problem">{job.error.message}</p>}
      {running && (
        <div class="panel now">
          <p role="status">
            <JobState job={job} /> {now.words}
          </p>
          {now.wanted > 0 && <progress max={now.wanted} value={now.done} aria-label={`Progress of ${title}`} />}
          <p class="soft">Flops that are done can be read below; it goes on when this page is closed.</p>
        </div>
      )}
      {job.state === "stopped" && (
        <p>
          <JobState job={job} />: {now.wanted ? flopsOf(now.done, now.wanted) : "no flop"} solved. Resume it for the
          others.
        </p>
      )}
    </>
  );
}

/** What is certified of a report whose flops were cut. */
const CutAfterFlop = ({ net }: { net: string }) => (
  <> in the game that is cut after the flop, over the values of the network {net}: the whole game is not certified</>
);

/** What is read of the spot of a report. */
type Spot = { pot?: number; stack?: number; stacks?: number[]; big_blind?: number | null };

type FoundProps = { reports: Reports; detail: ReportDetail; state: State; solved: number };

function Found({ reports, detail, state, solved }: FoundProps) {
  const { name } = detail;
  const line = state.line ?? detail.lines[0] ?? "";
  const put = (changes: Partial<State>, replace = false) => go(addressOf(name, { ...state, ...changes }), replace);
  const query = { line, only: state.only };
  const key = `${name} ${solved} ${JSON.stringify(query)}`;
  const asked = useAnswer(reports.answers, key, () => api("GET reports/{name}/table", { path: { name }, query }));
  const table = useLatest(asked.found);
  const { pot, stack, stacks, big_blind: blind } = detail.spot as Spot;
  const behind = stack ?? stacks?.join(" and ");
  return (
    <>
      <p class="soft">
        {flopsOf(detail.flops, detail.flops_wanted)}, each solved to {targetText(detail.target)}
        {detail.locked && ", with locks"}
        {detail.net && <CutAfterFlop net={detail.net} />}. The pot is {pot} chips
        {blind ? `, ${digits((pot ?? 0) / blind)} bb` : ""}; {behind} chips behind.
      </p>
      <div class="row where">
        <div class="choice" role="group" aria-label="Line">
          {detail.lines.map((one) => (
            <button key={one} type="button" aria-pressed={one === line} onClick={() => put({ line: one })}>
              {lineName(one)}
            </button>
          ))}
        </div>
        <Only only={state.only} problem={asked.problem} put={(only) => put({ only }, true)} />
      </div>
      {!table && !asked.problem && (
        <p class="soft" aria-busy="true">
          Reading the table …
        </p>
      )}
      {table && (
        <Shown reports={reports} detail={detail} state={state} table={table} keyed={key} busy={asked.busy} put={put} />
      )}
    </>
  );
}

type ShownProps = Pick<FoundProps, "reports" | "detail" | "state"> & {
  table: TableView;
  /** What the table was asked for by. */
  keyed: string;
  busy: boolean;
  put: (changes: Partial<State>, replace?: boolean) => void;
};

function Shown({ reports, detail, state, table, keyed, busy, put }: ShownProps) {
  const { name } = detail;
  const query = { line: table.line, only: state.only };
  const asked = useAnswer(reports.answers, `classes ${keyed}`, () =>
    api("GET reports/{name}/classes", { path: { name }, query }),
  );
  const classes = useLatest(asked.found);
  return (
    <div aria-busy={busy} class={busy ? "waits" : ""}>
      <div class="top">
        <section aria-labelledby="means" class="panel">
          <h2 id="means">
            {table.flops.length === detail.flops
              ? "Mean of all flops"
              : `Mean of ${counted(table.flops.length, "flop")}`}
          </h2>
          <Means table={table} blind={(detail.spot as Spot).big_blind ?? 0} />
          <Textures table={table} detail={detail} only={state.only} put={(only) => put({ only })} />
        </section>
        <section aria-labelledby="hands" class="panel">
          <h2 id="hands">Hands</h2>
          {/* Another line has other actions. */}
          {classes && classes.line === table.line ? (
            <Hands classes={classes} table={table} state={state} put={put} />
          ) : (
            <p class={asked.problem ? "problem" : "soft"} aria-busy={asked.busy}>
              {asked.problem || "Reading the hands …"}
            </p>
          )}
        </section>
      </div>
      <FlopTable name={name} table={table} state={state} put={put} />
    </div>
  );
}
