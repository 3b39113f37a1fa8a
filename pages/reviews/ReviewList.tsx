/** All reviews, the newest first. */
import { Cards } from "../shared/Cards";
import { Item } from "../shared/Items";
import { hasEnded } from "../shared/jobs";
import { counted } from "../shared/numbers";
import { lostText } from "./decision";
import { type Reviews, standing } from "./model";

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
      {jobs.known && !all.length && <p class="soft">None so far.</p>}
      <ul class="items">
        {all.map((job) => {
          const result = job.kind === "review" ? job.result : null;
          const now = standing(job);
          return (
            <Item
              key={job.id}
              title={job.title}
              href={`/reviews/${job.id}`}
              job={job}
              figure={result?.decisions ? lostText(result.loss_chips, result.unit) : ""}
              problem={job.error?.message}
              progress={now}
            >
              <p class="soft">
                {result ? (
                  `${counted(result.decisions, "decision")} in ${counted(result.hands, "hand")}`
                ) : (
                  <>
                    {!hasEnded(job) && now.words} <Cards text={now.cards} />
                  </>
                )}
              </p>
            </Item>
          );
        })}
      </ul>
    </section>
  );
}
