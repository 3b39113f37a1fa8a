/** A review: how it stands, what was lost and where, and every decision. */
import { api } from "../api/client";
import type { JobView, ReviewView } from "../api/types";
import { go } from "../app/address";
import { useAnswer, useLatest } from "../shared/answers";
import { Cards } from "../shared/Cards";
import { JobButtons, JobState } from "../shared/JobButtons";
import { hasEnded } from "../shared/jobs";
import { whole } from "../shared/numbers";
import { addressOf, type Chosen, chosenBy, isChosen, PAGE, queryOf } from "./address";
import { Decision } from "./Decision";
import { counted, summaryOf } from "./decision";
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
      <p class="row">
        <a href="/reviews">All reviews, and a new one</a>
      </p>
      <h1>{job?.title ?? "Review"}</h1>
      {!job && (
        <p class="soft" aria-busy={!jobs.known}>
          {jobs.known ? `There is no review called ${name}.` : "Reading the review …"}
        </p>
      )}
      {job && <Standing reviews={reviews} job={job} review={review} />}
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

/** How the job stands, and what can be done with it. */
function Standing({ reviews, job, review }: { reviews: Reviews; job: JobView; review: ReviewView | null }) {
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
      <div class="row buttons">
        {review && review.decisions > review.not_counted && (
          <button type="button" class="main" onClick={() => reviews.drill(job.id)}>
            Drill the mistakes
          </button>
        )}
        <JobButtons job={job} act={(action) => reviews.jobs.act(job.id, action)} remove={() => reviews.remove(job)} />
      </div>
    </>
  );
}

type FoundProps = { reviews: Reviews; name: string; review: ReviewView; chosen: Chosen };

function Found({ reviews, name, review, chosen }: FoundProps) {
  const put = (changes: Partial<Chosen>) => go(addressOf(name, { ...chosen, page: 0, ...changes }));
  const by = review.charts ?? review.against;
  const bets = review.unit === "bb" ? "Losses, EVs and bets are in big blinds." : "";
  return (
    <>
      <p class="summary">{summaryOf(review)}</p>
      <p class="soft">
        {counted(review.read, "hand")} read, reviewed against {review.charts ? "the charts " : ""}
        {by}. {bets}
      </p>
      {review.decisions > 0 && (
        <div class="found">
          <section aria-labelledby="decisions">
            <h2 id="decisions">The greatest losses first</h2>
            <Filters review={review} chosen={chosen} put={put} />
            <List reviews={reviews} name={name} review={review} chosen={chosen} put={put} />
          </section>
          <section aria-labelledby="sums" class="sums">
            <h2 id="sums">Where it was lost</h2>
            <Sums review={review} chosen={chosen} put={put} />
          </section>
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
  return (
    <div aria-busy={answer.busy}>
      <p class="soft" role="status">
        {found.total
          ? `${whole(from + 1)} to ${whole(to)} of ${counted(found.total, "decision")}`
          : "No decision is like this."}
        {!isChosen(chosen) && found.total < review.decisions && "; all others are in the sums alone"}
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
