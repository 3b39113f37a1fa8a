/** The form for a new report. */
import type { TargetedEvent, TargetedSubmitEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ReportEstimate } from "../api/types";
import { go } from "../app/address";
import { type Choice, LinesField, SelectField, TextField } from "../shared/fields";
import { useModel } from "../shared/model";
import { memory, seconds } from "../shared/numbers";
import { say } from "../shared/Said";
import { useSolutions } from "../shared/solutions";
import { ReportForm } from "./form";
import type { Reports } from "./model";
import { type Form, SETS } from "./request";

const FIELDS = ["from", "spot", "list", "lines", "target", "locks", "processes"];
/** The most that a spot may have, in bytes. */
const MOST = 1 << 20;

export function NewReport({ reports }: { reports: Reports }) {
  const [model] = useState(() => new ReportForm());
  const { form, wrong, sending } = useModel(model);
  useEffect(() => () => model.leave(), [model]);
  const start = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending) return;
    const job = await model.start();
    if (!job) return void document.getElementById(`report-${model.wrong?.field}`)?.focus();
    reports.jobs.take(job);
    go(`/reports/${job.id}`);
  };
  return (
    <form class="new" onSubmit={start} aria-labelledby="new-report">
      <h2 id="new-report">New report</h2>
      <Spot model={model} />
      <SelectField
        id="report-flops"
        label="Flops"
        value={form.flops}
        options={SETS}
        put={(flops) => model.put({ flops })}
      />
      {form.flops === "own" && (
        <>
          <label for="report-list" class="soft">
            A flop in each row, with a weight if it has one
          </label>
          <Lines model={model} at="list" rows={4} hint={"Ks7h2d: 24\nTh9h2h"} />
        </>
      )}
      <div class="fields">
        <Text model={model} at="target" label="Target: exploitability of each flop" hint="such as 0.5%pot" />
        <Text model={model} at="title" label="Name of the report" hint="the title of the spot" />
      </div>
      <details open={model.problemOf("lines") !== "" || undefined}>
        <summary>
          Lines that are read: the first decision, and {form.lines.trim() ? "those below" : "its answers"}
        </summary>
        <label for="report-lines" class="soft">
          A line in each row; empty for the answers to each action of the first decision
        </label>
        <Lines model={model} at="lines" rows={3} hint={"check\ncheck bet 27"} />
      </details>
      <details open={model.problemOf("locks") !== "" || undefined}>
        <summary>Locks and processes</summary>
        <label for="report-locks" class="soft">
          Locks as text; docs/spots.md says how they are written
        </label>
        <Lines model={model} at="locks" rows={3} hint={'["check"]\n"*" = { check = 1 }'} />
        <Text model={model} at="processes" label="Processes" hint="one for each core" />
      </details>
      <div class="size" role="status" aria-busy={model.counting}>
        <Size size={model.size} counting={model.counting} />
      </div>
      {wrong && !FIELDS.includes(wrong.field) && (
        <p class="problem" role="alert">
          {wrong.message}
        </p>
      )}
      <button class="main" disabled={sending}>
        {sending ? "The report is being sent …" : "Make the report"}
      </button>
    </form>
  );
}

type FieldProps<K extends keyof Form> = { model: ReportForm; at: K; hint: string };

function Lines({ model, at, rows, hint }: FieldProps<"list" | "lines" | "locks" | "spot"> & { rows: number }) {
  return (
    <LinesField
      id={`report-${at}`}
      value={model.form[at]}
      put={(text) => model.put({ [at]: text })}
      rows={rows}
      hint={hint}
      problem={model.problemOf(at)}
    />
  );
}

function Text({ model, at, label, hint }: FieldProps<"target" | "title" | "processes"> & { label: string }) {
  return (
    <TextField
      id={`report-${at}`}
      label={label}
      value={model.form[at]}
      put={(text) => model.put({ [at]: text })}
      hint={hint}
      problem={model.problemOf(at)}
    />
  );
}

/** Where the spot comes from, and its text. */
function Spot({ model }: { model: ReportForm }) {
  const { solutions } = useSolutions();
  const [from, setFrom] = useState("");
  const choices = solutions?.filter((one) => one.kind === "solution" && !one.error) ?? [];
  const take = (value: string) => {
    setFrom(value);
    if (value.startsWith("=")) model.from(value.slice(1));
    else if (value) model.example(value);
  };
  const open = async (event: TargetedEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    const file = field.files?.[0];
    if (file && file.size <= MOST) model.put({ spot: await file.text() });
    else if (file) say(`${file.name} has more than 1 MiB, the most that a spot may have.`);
    setFrom("");
    field.value = "";
  };
  const problem = model.problemOf("from");
  return (
    <fieldset>
      <legend>Spot on the flop</legend>
      <div class="row source">
        <SelectField
          id="report-from"
          label="Take that of"
          value={from}
          options={[
            ["", "Choose …"],
            ["raised-pot", "an example: a raised pot, 20 big blinds"],
            ...choices.map((one): Choice => [`=${one.name}`, `${one.title} (${one.name})`]),
          ]}
          put={take}
          describedBy={problem ? "report-from-said" : undefined}
        />
        <label class="button file" for="report-file">
          Open a file …
          <input class="unseen" id="report-file" type="file" accept=".toml" onChange={open} />
        </label>
      </div>
      {problem && (
        <p id="report-from-said" class="problem" role="alert">
          {problem}
        </p>
      )}
      <label for="report-spot" class="soft">
        The spot as text, as <a href="/solve">Solve</a> has it; its flop is replaced
      </label>
      <Lines model={model} at="spot" rows={9} hint={'board = "Ks 7h 2d"\npot = 45\nstack = 180\n[ranges]\noop = "…"'} />
    </fieldset>
  );
}

/** What the report will take. */
function Size({ size, counting }: { size: ReportEstimate | null; counting: boolean }) {
  if (!size) return counting ? <p class="soft">Counting what it takes …</p> : null;
  const { flops, processes, memory_bytes: bytes, free_bytes: free, seconds: time, fits } = size;
  const facts = [
    ["Flops", String(flops)],
    ["Time", time === null ? "not known" : `about ${seconds(time)}`],
    ["Memory", `${memory(bytes)}${free === null ? "" : ` of ${memory(free)} free`}`],
    ["Processes", String(processes)],
  ];
  return (
    <>
      <dl class="facts">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {!fits && <p class="problem">It does not fit into the memory. With fewer processes it takes less.</p>}
    </>
  );
}
