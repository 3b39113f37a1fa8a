/** All reviews, the newest first. */
import { Cards } from "../shared/Cards";
import { JobState } from "../shared/JobButtons";
import { hasEnded } from "../shared/jobs";
import { Part } from "../shared/Part";
import { counted, lossText } from "./decision";
import { type Result, type Reviews, standing } from "./model";

export function ReviewList({ reviews: { jobs } }: { reviews: Reviews }) {
  const all = jobs.newest;
  return (
    <section aria-labelledby="reviews">
      <h2 id="reviews">Your reviews</h2>
      {!jobs.known && (
        <p class="soft" aria-busy="true">
          Reading the reviews …
        </p>
      )}
      {jobs.known && !all.length && (
        <p class="soft">None so far. Choose a file of hands, and start: a review goes on when this page is closed.</p>
      )}
      <ul class="jobs">
        {all.map((job) => {
          const result = job.result as Result | null;
          const now = standing(job);
          return (
            <li key={job.id}>
              <Part name={job.title}>
                <div class="row">
                  <a href={`/reviews/${job.id}`}>{job.title}</a> <JobState job={job} />
                  {!!result?.decisions && <strong class="lost">{lossText(result.loss_chips, result.unit)} lost</strong>}
                </div>
                {result ? (
                  <p class="soft">
                    {counted(result.hands, "hand")}, {counted(result.decisions, "decision")}
                  </p>
                ) : (
                  !hasEnded(job) && (
                    <p class="soft">
                      {now.words} <Cards text={now.cards} />
                    </p>
                  )
                )}
                {job.error && <p class="problem">{job.error.message}</p>}
              </Part>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
