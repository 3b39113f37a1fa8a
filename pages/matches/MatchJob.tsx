/** A match that is played or measured, in the list. */
import type { JobView } from "../api/types";
import { JobButtons, JobState } from "../shared/JobButtons";
import { hasEnded, type Jobs } from "../shared/jobs";
import { seconds, whole } from "../shared/numbers";
import { reach, signed } from "./intervals";
import type { Now } from "./model";

/** How many hands have been played. */
export const handsOf = (now: Now): string => `${whole(now.hands)} of ${whole(now.hands_wanted)} hands`;

/** How a job stands.  What has ended is its result, with the intervals of results: the last point came a little
 *  earlier. */
function nowOf(job: JobView): Now | null {
  if (job.kind !== "match" && job.kind !== "lbr") return null;
  return (job.kind === "match" && hasEnded(job) && job.result) || job.progress;
}

export function MatchJob({ jobs, job }: { jobs: Jobs<Now>; job: JobView }) {
  const running = !hasEnded(job);
  const now = nowOf(job);
  const first = now?.measures?.[0];
  const left = job.state === "running" && now?.seconds_left;
  return (
    <li>
      <div class="row">
        <a href={`/matches/${job.id}`} aria-current={job.id === jobs.chosen ? "page" : undefined}>
          {job.title}
        </a>{" "}
        <JobState job={job} /> {now && <span>{`${handsOf(now)} `}</span>}
        {now && first && (
          <span>
            {signed(first.mean)} {now.unit} ({reach(first)})
          </span>
        )}{" "}
        {left && <span class="soft">about {seconds(left)} left</span>}
      </div>
      {running && now && <progress max={now.hands_wanted} value={now.hands} aria-label={`Hands of ${job.title}`} />}
      {job.error && <p class="problem">{job.error.message}</p>}
      {job.waits && <p class="soft">{job.waits}</p>}
      <Buttons jobs={jobs} job={job} />
    </li>
  );
}

function Buttons({ jobs, job }: { jobs: Jobs<Now>; job: JobView }) {
  const remove = () => {
    // The result of a match is a file of its own; that of a measurement goes with the job.
    const asks = job.kind !== "match" && job.progress;
    if (!asks || window.confirm("Delete this measurement?")) jobs.act(job.id, "delete");
  };
  return (
    <div class="row">
      <JobButtons
        job={job}
        act={(action) => jobs.act(job.id, action)}
        remove={remove}
        again="Play it again"
        gone={job.kind === "match" ? "Remove from this list" : "Delete"}
      />
    </div>
  );
}
