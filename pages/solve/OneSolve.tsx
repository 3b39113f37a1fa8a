/** A solve: how it stands, its curve, what it has found, and what can be done with it. */
import type { JobView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { hasEnded } from "../shared/jobs";
import { potPercent, seconds, whole } from "../shared/numbers";
import { Part } from "../shared/Part";
import { Curve } from "./Curve";
import { doing, factsOf, progressOf, resultOf, type Solves } from "./solves";

type Props = { solves: Solves; name: string; again: (job: JobView) => void };

export function OneSolve({ solves, name, again }: Props) {
  const job = solves.all.get(name);
  return (
    <>
      <p>
        <a href="/solve">New solve</a>
      </p>
      <h1>{job?.title ?? "Solve"}</h1>
      {!job ? (
        solves.known && <p>There is no solve called {name}.</p>
      ) : (
        <>
          {job.error && <p class="problem">{job.error.message}</p>}
          <Buttons solves={solves} job={job} again={again} />
          <Part name={job.title}>
            <Course solves={solves} job={job} />
          </Part>
        </>
      )}
    </>
  );
}

type ButtonsProps = Pick<Props, "solves" | "again"> & { job: JobView };

function Buttons({ solves, job, again }: ButtonsProps) {
  const ended = hasEnded(job);
  const button = (label: string, action: "stop" | "resume" | "delete", off = false) => (
    <button type="button" disabled={off} onClick={() => solves.act(job.id, action)}>
      {label}
    </button>
  );
  return (
    <div class="row">
      {job.solution && (
        <a class="button main" href={`/study/${job.solution}`}>
          Study it
        </a>
      )}
      {!ended && button("Stop", "stop", job.state === "stopping")}
      {(job.state === "stopped" || job.state === "failed") && button("Resume", "resume")}
      {ended && button("Delete", "delete")}
      {job.command && (
        <>
          <button type="button" onClick={() => again(job)}>
            Change it and solve again
          </button>
          <CopyButton text={job.command} />
        </>
      )}
    </div>
  );
}

/** How a job stands, in a few words. */
export function State({ job }: { job: JobView }) {
  const result = resultOf(job);
  const progress = progressOf(job);
  // While the cost of a network is measured, the progress is that of other solves.
  const at = result?.exploitability.pot_percent ?? (progress?.measuring ? null : progress?.exploitability_pot_percent);
  return (
    <>
      <span class={`state ${job.state}`}>{job.state === "queued" ? "waits" : job.state}</span>
      {!!at && <span>{` ${potPercent(at)}${result?.net ? " in the cut game" : ""}`}</span>}
    </>
  );
}

/** How a job stands, and what it has found. */
function Course({ solves, job }: Pick<ButtonsProps, "solves" | "job">) {
  const at = progressOf(job);
  const result = resultOf(job);
  return (
    <>
      <p>
        <State job={job} /> <span class="soft">{doing(job)}</span>
      </p>
      <Curve points={solves.points(job.id)} title={job.title} />
      {result ? (
        <dl class="facts">
          {factsOf(result).map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      ) : (
        !!at?.iteration && (
          <p class="soft">
            {whole(at.iteration)} iterations in {seconds(at.seconds)}
          </p>
        )
      )}
    </>
  );
}
