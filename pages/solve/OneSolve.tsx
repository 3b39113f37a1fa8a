/** A solve: how it stands, what is done first so far, its curve, and what can be done with it. */
import type { JobView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { hasEnded } from "../shared/jobs";
import { digits, potPercent, roughly, seconds, whole } from "../shared/numbers";
import { Part } from "../shared/Part";
import { Curve } from "./Curve";
import { FirstDecision } from "./FirstDecision";
import { nextTarget, secondsLeft } from "./measurements";
import { doing, factsOf, progressOf, resultOf, type Solves } from "./solves";

type Props = { solves: Solves; name: string; again: (job: JobView) => void };

export function OneSolve({ solves, name, again }: Props) {
  const job = solves.all.get(name);
  const first = solves.first.get(name);
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
          <Part name={job.title}>
            <Standing solves={solves} job={job} />
          </Part>
          <Buttons solves={solves} job={job} again={again} />
          <div class="run">
            {first && <FirstDecision view={first} ended={hasEnded(job)} />}
            <section class="panel" aria-labelledby="course">
              <h2 id="course">Exploitability</h2>
              <Part name={job.title}>
                <Curve points={solves.points(job.id)} title={job.title} />
                <Facts job={job} players={first?.player_names ?? ["oop", "ip"]} />
              </Part>
            </section>
          </div>
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
  const result = job.state === "done" ? resultOf(job) : null;
  const next = result && !result.net ? nextTarget(result.exploitability.pot_percent ?? 0) : null;
  return (
    <div class="row">
      {job.solution && (
        <a class="button main" href={`/study/${job.solution}`}>
          Study it
        </a>
      )}
      {!ended && button("Stop", "stop", job.state === "stopping")}
      {(job.state === "stopped" || job.state === "failed") && button("Resume", "resume")}
      {next !== null && (
        <button type="button" onClick={() => solves.goOn(job, next)}>
          Go on to {next} %
        </button>
      )}
      {job.command && (
        <button type="button" onClick={() => again(job)}>
          Change it and solve again
        </button>
      )}
      {ended && button("Delete", "delete")}
      {job.command && <CopyButton text={job.command} />}
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
      <span class={`state ${job.state}`}>{job.state}</span>
      {!!at && <span>{` ${potPercent(at)}${result?.net ? " in the cut game" : ""}`}</span>}
    </>
  );
}

/** How a job stands, what it does, and how long it may take. */
function Standing({ solves, job }: Pick<ButtonsProps, "solves" | "job">) {
  const points = solves.points(job.id);
  const at = progressOf(job);
  const left = job.state === "running" && !at?.measuring ? secondsLeft(points) : null;
  return (
    <p class="said" role="status">
      <State job={job} />{" "}
      {left !== null && (
        <span>
          · {roughly(left)} left to {digits(at?.target_pot_percent ?? 0)} %
        </span>
      )}{" "}
      <span class="soft">{doing(job)}</span>
    </p>
  );
}

/** What a job has found. */
function Facts({ job, players }: { job: JobView; players: string[] }) {
  const at = progressOf(job);
  const result = resultOf(job);
  if (!result) {
    const so_far = at?.iteration && `${whole(at.iteration)} iterations in ${seconds(at.seconds)}`;
    return so_far ? <p class="soft">{so_far}</p> : null;
  }
  return (
    <dl class="facts">
      {factsOf(result, players).map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
