/** A review: how it stands, what was lost and where, and every decision. */
import { api } from "../api/client";
import type { JobView, ReviewView } from "../api/types";
import { go } from "../app/address";
import { useAnswer, useLatest } from "../shared/answers";
import { Cards } from "../shared/Cards";
import { PageHead } from "../shared/Items";
import { JobButtons, JobState } from "../shared/JobButtons";
import { hasEnded } from "../shared/jobs";
import { counted, whole } from "../shared/numbers";
import { addressOf, type Chosen, chosenBy, PAGE, queryOf } from "./address";
import { Decision } from "./Decision";
import { summaryOf } from "./decision";
import { Filters } from "./Filters";
import { type Reviews, standing } from "./model";
import { Sums } from "./Sums";

type Props = { reviews: Reviews; name: string; query: URLSearchParams };

export function OneReview({ reviews, name, query }: Props) {
  const { jobs, answers } = reviews;
  const job = jobs.all.get(name);
  const ended = job !== undefined && hasEnded(job);
  const path = { name };
  const { found, problem } = useAnswer(answers, ended ? `${name} ${job.finished}` : "", () =>
    api("GET reviews/{name}", { path }),
  );
  const review = useLatest(found);
  return (
    <>
      <PageHead back="/reviews" all="Reviews" title={job?.title ?? "Review"}>
        {job && <Buttons reviews={reviews} job={job} review={review} />}
      </PageHead>
      {!job && (
        <p class="soft" aria-busy={!jobs.known}>
          {jobs.known ? `There is no review called ${name}.` : "Reading the review …"}
        </p>
      )}
      {job && <Standing job={job} review={review} />}
      {job && ended && !review && !problem && (
        <p class="soft" aria-busy="true">
          Reading what was found …
        </p>
      )}
      {/* A job that has found nothing says itself why. */}
      {problem && !job?.error && <p class="problem">{problem}</p>}
      {review && <Found reviews={reviews} name={name} review={review} chosen={chosenBy(query)} />}
    </>
  );
}

/** How the job stands. */
function Standing({ job, review }: { job: JobView; review: ReviewView | null }) {
  const now = standing(job);
  const ended = hasEnded(job);
  return (
    <>
      {job.error && <p class="problem">{job.error.message}</p>}
      {!ended && (
        <div class="panel now">
          <p role="status">
            <JobState job={job} /> {now.words} <Cards text={now.cards} />
          </p>
          {now.wanted > 0 && <progress max={now.wanted} value={now.done} aria-label={`Progress of ${job.title}`} />}
          <p class="soft">It goes on when this page is closed. What is found stands here when it has ended.</p>
        </div>
      )}
      {job.state === "stopped" && (
        <p>
          <JobState job={job} />: {review ? "what follows was found until then." : "nothing was found until then."}
        </p>
      )}
    </>
  );
}

/** What can be done with a review. */
function Buttons({ reviews, job, review }: { reviews: Reviews; job: JobView; review: ReviewView | null }) {
  return (
    <>
      {review && review.decisions > review.not_counted && (
        <button type="button" class="main" onClick={() => reviews.drill(job.id)}>
          Drill the mistakes
        </button>
      )}
      <JobButtons job={job} act={(action) => reviews.jobs.act(job.id, action)} remove={() => reviews.remove(job)} />
    </>
  );
}

type FoundProps = { reviews: Reviews; name: string; review: ReviewView; chosen: Chosen };

function Found({ reviews, name, review, chosen }: FoundProps) {
  const put = (changes: Partial<Chosen>) => go(addressOf(name, { ...chosen, page: 0, ...changes }));
  const { lost, rate, found } = summaryOf(review);
  const by = review.charts
    ? `Each spot was solved with the ranges of the charts “${review.charts}”.`
    : `Compared with ${review.against}.`;
  return (
    <>
      <p class="summary">
        {lost} {rate && <span class="soft">{rate}</span>}
      </p>
      <p class="soft">
        {found} {by}
      </p>
      {review.decisions > 0 && (
        <div class="found">
          <section aria-labelledby="decisions">
            <h2 id="decisions">The greatest losses first</h2>
            <Filters chosen={chosen} put={put} />
            <List reviews={reviews} name={name} review={review} chosen={chosen} put={put} />
          </section>
          <Sums review={review} chosen={chosen} put={put} />
        </div>
      )}
      <Rest review={review} />
    </>
  );
}

type ListProps = FoundProps & { put: (changes: Partial<Chosen>) => void };

/** The decisions that are chosen, a page of them. */
function List({ reviews, name, review, chosen, put }: ListProps) {
  const query = queryOf(chosen);
  const key = `${name} ${review.job.finished} ${JSON.stringify(query)}`;
  const answer = useAnswer(reviews.answers, key, () => api("GET reviews/{name}/decisions", { path: { name }, query }));
  const found = useLatest(answer.found);
  if (answer.problem) return <p class="problem">{answer.problem}</p>;
  if (!found) {
    return (
      <p class="soft" aria-busy="true">
        Reading the decisions …
      </p>
    );
  }
  const from = chosen.page * PAGE;
  const to = Math.min(found.total, from + PAGE);
  const what = counted(found.total, chosen.all ? "decision" : "mistake");
  const said = !found.total
    ? `No ${chosen.all ? "decision" : "mistake"} is like this.`
    : found.total > PAGE
      ? `${whole(from + 1)} to ${whole(to)} of ${what}`
      : what;
  return (
    <div aria-busy={answer.busy}>
      <p class="soft" role="status">
        {said}
      </p>
      <ol class="decisions">
        {found.decisions.map((one, i) => (
          <Decision key={`${from + i} ${one.hand} ${one.line}`} decision={one} unit={review.unit} />
        ))}
      </ol>
      {found.total > PAGE && (
        <p class="row">
          <button type="button" disabled={!chosen.page} onClick={() => put({ page: chosen.page - 1 })}>
            Previous decisions
          </button>
          <button type="button" disabled={to >= found.total} onClick={() => put({ page: chosen.page + 1 })}>
            Next decisions
          </button>
        </p>
      )}
    </div>
  );
}

/** What was left out, and what could not be read. */
function Rest({ review: { left_out, not_read } }: { review: ReviewView }) {
  const reasons = Object.entries(left_out).sort((a, b) => b[1] - a[1]);
  return (
    <div class="rest">
      {reasons.length > 0 && (
        <section aria-labelledby="left-out">
          <h2 id="left-out">Left out</h2>
          <ul>
            {reasons.map(([why, count]) => (
              <li key={why}>
                <strong>{whole(count)}</strong> {why}
              </li>
            ))}
          </ul>
        </section>
      )}
      {not_read.length > 0 && (
        <section aria-labelledby="not-read">
          <h2 id="not-read">Could not be read</h2>
          <ul>
            {not_read.map(({ line, reason }) => (
              <li key={`${line} ${reason}`}>
                {line !== null && <strong>Line {whole(line)}:</strong>} {reason}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
