/** The room Reviews: hands that were played are held against charts or a solution, and the mistakes are listed. */
import { useEffect } from "preact/hooks";
import { go, type RoomProps } from "../app/address";
import { useKeys } from "../app/keys";
import { useBegun } from "../shared/model";
import { Part } from "../shared/Part";
import { useTitle } from "../shared/title";
import { Reviews } from "./model";
import { NewReview } from "./NewReview";
import { OneReview } from "./OneReview";
import { ReviewList } from "./ReviewList";
import "./style.css";

export default function ReviewsRoom({ address: { name, query } }: RoomProps) {
  const reviews = useBegun(() => new Reviews());
  useEffect(() => {
    reviews.jobs.choose(name);
    window.scrollTo(0, 0);
  }, [reviews, name]);
  useTitle("Reviews");
  const chosen = () => name !== "";
  useKeys([
    { keys: ["n"], what: "new review", run: () => go("/reviews"), when: chosen },
    { keys: ["x"], what: "stop this review", run: () => void reviews.jobs.act(name, "stop"), when: chosen },
    { keys: ["d"], what: "drill the mistakes", run: () => void reviews.drill(name), when: chosen },
    { keys: ["j"], what: "go to the next decision", run: () => step(1), when: chosen },
    { keys: ["k"], what: "go to the decision before", run: () => step(-1), when: chosen },
  ]);
  if (name) {
    return (
      <Part name={name}>
        <OneReview key={name} reviews={reviews} name={name} query={query} />
      </Part>
    );
  }
  return (
    <>
      <h1>Reviews</h1>
      <p class="soft lead">
        The hands that you played, decision by decision: what each gave up against the best action, and where most is
        lost.
      </p>
      <div class="formlist">
        <NewReview reviews={reviews} />
        <ReviewList reviews={reviews} />
      </div>
    </>
  );
}

/** Give the focus to the link of a decision that is so many places after the one that has it. */
function step(by: number): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".decisions .node")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
}
