/** What can be done with a job: stop, resume, delete, and copy its command. */
import type { JobView } from "../api/types";
import { CopyButton } from "./CopyButton";
import { hasEnded } from "./jobs";

type Props = {
  job: JobView;
  act: (action: "stop" | "resume") => void;
  /** Deletes the job and what it has made. */
  remove: () => void;
  /** What the buttons say that begin a job again from nothing, and that delete it. */
  again?: string;
  gone?: string;
};

export function JobButtons({ job, act, remove, again = "Begin again", gone = "Delete" }: Props) {
  const ended = hasEnded(job);
  return (
    <>
      {!ended && (
        <button type="button" disabled={job.state === "stopping"} onClick={() => act("stop")}>
          Stop
        </button>
      )}
      {(job.state === "stopped" || job.state === "failed") && (
        <button type="button" onClick={() => act("resume")}>
          {job.starts_again ? again : "Resume"}
        </button>
      )}
      {ended && (
        <button type="button" onClick={remove}>
          {gone}
        </button>
      )}
      {job.command && <CopyButton text={job.command} />}
    </>
  );
}

const STATES: Partial<Record<JobView["state"], string>> = { queued: "in the queue" };

/** The state of a job in a word. */
export function JobState({ job }: { job: JobView }) {
  return <span class={`state ${job.state}`}>{STATES[job.state] ?? job.state}</span>;
}
