/** The form for a new report, in steps. */
import type { TargetedSubmitEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ReportEstimate } from "../api/types";
import { go } from "../app/address";
import { useModel } from "../shared/model";
import { memory, seconds } from "../shared/numbers";
import { Step } from "../shared/Step";
import { Lines, Text } from "./fields";
import { ReportForm } from "./form";
import type { Reports } from "./model";
import { SETS } from "./request";
import { SpotChoice } from "./SpotChoice";

const FIELDS = ["from", "spot", "list", "lines", "target", "locks", "processes"];

export function NewReport({ reports }: { reports: Reports }) {
  const [model] = useState(() => new ReportForm());
  const { form, wrong, sending } = useModel(model);
  useEffect(() => model.begin(), [model]);
  const start = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending) return;
    const job = await model.start();
    if (!job) return void document.getElementById(`report-${model.wrong?.field}`)?.focus();
    reports.jobs.take(job);
    go(`/reports/${job.id}`);
  };
  return (
    <form class="form" onSubmit={start} aria-labelledby="new-report">
      <h2 id="new-report">New report</h2>
      <Step number={1} title="The spot on the flop">
        <SpotChoice model={model} />
      </Step>
      <Step number={2} title="On which flops">
        <div class="choice" role="group" aria-label="Flops">
          {SETS.map(([value, text]) => (
            <button
              key={value}
              type="button"
              aria-pressed={form.flops === value}
              onClick={() => model.put({ flops: value })}
            >
              {text}
            </button>
          ))}
        </div>
        {form.flops === "own" ? (
          <>
            <label for="report-list" class="soft">
              A flop in each row, with a weight if it has one
            </label>
            <Lines model={model} at="list" rows={4} hint={"Ks7h2d: 24\nTh9h2h"} />
          </>
        ) : (
          <p class="soft">
            {form.flops === "1755"
              ? "Every flop, as far as suits make a difference."
              : "A choice with weights, whose means are near those of all 1,755 flops."}
          </p>
        )}
      </Step>
      <Step number={3} title="Which decisions are read">
        <p class="soft">
          The first decision, and {form.lines.trim() ? "those below." : "the answer to each of its actions."}
        </p>
        <details open={model.problemOf("lines") !== "" || undefined}>
          <summary>Lines of your own</summary>
          <label for="report-lines" class="soft">
            A line in each row
          </label>
          <Lines model={model} at="lines" rows={3} hint={"check\ncheck bet 27"} />
        </details>
      </Step>
      <Step number={4} title="Accuracy">
        <p class="soft">How much a perfect opponent could still win on average, in % of the pot; less takes longer.</p>
        <div class="fields">
          <Text model={model} at="target" label="Exploitability of each flop" hint="such as 0.5%pot" />
          <Text model={model} at="title" label="Name of the report" hint="the title of the spot" />
        </div>
        <details open={["locks", "processes"].some((one) => model.problemOf(one) !== "") || undefined}>
          <summary>Locks and processes</summary>
          <label for="report-locks" class="soft">
            Locks as text; docs/spots.md says how they are written
          </label>
          <Lines model={model} at="locks" rows={3} hint={'["check"]\n"*" = { check = 1 }'} />
          <Text model={model} at="processes" label="Processes" hint="one for each core" />
        </details>
      </Step>
      <div class="begin">
        <button class="main" disabled={sending}>
          {sending ? "The report is being sent …" : "Make the report"}
        </button>
        <div class="size" role="status" aria-busy={model.counting}>
          <Size size={model.size} counting={model.counting} />
        </div>
      </div>
      {wrong && !FIELDS.includes(wrong.field) && (
        <p class="problem" role="alert">
          {wrong.message}
        </p>
      )}
    </form>
  );
}

/** What the report will take. */
function Size({ size, counting }: { size: ReportEstimate | null; counting: boolean }) {
  if (!size) {
    const what = counting ? "Counting what it takes …" : "Time and memory are said here once there is a spot.";
    return <span class="soft">{what}</span>;
  }
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
