/** What each decision of a hand lost. */
import type { ReviewModel, TableModel } from "../api/types";
import type { Found } from "../shared/answers";
import { type Choice, SelectField } from "../shared/fields";
import { percent } from "../shared/numbers";
import type { Play } from "./model";
import { leftOutWords, lostWords } from "./words";

/** A decision and what it lost. */
type Decision = {
  street: string;
  board: string;
  line: string;
  action: string;
  /** What was typed, where the solution has another size in its place. */
  played: string;
  mapped: boolean;
  best: string;
  probabilities: Record<string, number>;
  loss_chips: number;
  /** Whether the loss is larger than what the solution itself may be wrong by. */
  counted: boolean;
};
type Props = { play: Play; table: TableModel; hand: number };

/** The names of what comes with the package. */
const SHIPPED: Record<string, string> = { blueprint: "the blueprint", "blueprint-nl": "the blueprint" };

export function Review({ play, table: { id, reviewed_by: usual }, hand }: Props) {
  const { against, review } = play.side(id);
  if (!usual && !play.solutions.length) {
    return (
      <p class="soft">
        A review says what each of your decisions lost. It needs a solution of this game, or of a spot that the hand
        came to: make one in <a href="/solve">Solve</a>.
      </p>
    );
  }
  const titleOf = (name: string) => SHIPPED[name] ?? play.solutions.find((one) => one.name === name)?.title ?? name;
  const others = play.solutions.filter(({ name }) => name !== usual);
  const choices: Choice[] = [
    ["", usual ? titleOf(usual) : "choose a solution"],
    ...others.map(({ name, title }): Choice => [name, title || name]),
  ];
  return (
    <section class="review" aria-labelledby="review-title">
      <h2 id="review-title">Review of hand {hand}</h2>
      {review && <Reviewed review={review} />}
      <div class="row">
        <SelectField
          id="review-against"
          label="against"
          value={against}
          options={choices}
          put={(name) => play.reviewAgainst(id, name, hand)}
        />
        {!review && (
          <button type="button" disabled={!usual && !against} onClick={() => play.review(id, hand)}>
            Review hand {hand}
          </button>
        )}
      </div>
    </section>
  );
}

/** What a review has found. */
function Reviewed({ review }: { review: Found<ReviewModel> }) {
  const { found, problem, busy } = review;
  if (busy) return <p class="soft">Reviewing …</p>;
  if (!found) return <p class="problem">{problem}</p>;
  return (
    <>
      {found.decisions + found.unvalued.length > 0 && <Decisions found={found} />}
      {leftOutWords(found.left_out).map((why) => (
        <p key={why} class="soft">
          {why}
        </p>
      ))}
    </>
  );
}

/** An action and how often the solution takes it with this hand. */
function Taken({ action, often }: { action: string; often: number | undefined }) {
  return (
    <>
      {action} {often !== undefined && <small class="soft">{percent(often, 0)}</small>}
    </>
  );
}

function Decisions({ found }: { found: ReviewModel }) {
  const valued = found.greatest as unknown as Decision[];
  const unvalued = found.unvalued as unknown as Decision[];
  const all = [...valued, ...unvalued].toSorted(
    (a, b) => a.board.length - b.board.length || a.line.length - b.line.length,
  );
  return (
    <>
      {valued.length > 0 && <p class={found.loss_chips > 0 ? "lost" : "lost none"}>{lostWords(found)}</p>}
      <div class="wide">
        <table>
          <caption class="unseen">Your decisions, and how often each action is taken with this hand</caption>
          <thead>
            <tr>
              <th scope="col">Street</th>
              <th scope="col" class="text">
                You
              </th>
              <th scope="col" class="text">
                Best
              </th>
              <th scope="col">EV lost</th>
            </tr>
          </thead>
          <tbody>
            {all.map((one) => (
              <tr key={`${one.board} ${one.line}`}>
                <td>{one.street}</td>
                <td class="text">
                  <Taken
                    action={one.mapped ? `~ ${one.action} (${one.played})` : one.action}
                    often={one.probabilities[one.action]}
                  />
                </td>
                <td class="text">
                  <Taken action={one.best} often={one.probabilities[one.best]} />
                </td>
                <td>
                  <Lost one={one} valued={valued.includes(one)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** What a decision lost; in brackets what is smaller than what the solution itself may be wrong by. */
function Lost({ one, valued }: { one: Decision; valued: boolean }) {
  if (!valued) return "–";
  if (one.counted || one.loss_chips === 0) return one.loss_chips.toFixed(2);
  return (
    <span class="soft" title="smaller than what the solution itself may be wrong by">
      ({one.loss_chips.toFixed(2)})
    </span>
  );
}
