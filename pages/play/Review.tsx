/** What each decision of a hand lost. */
import type { ReviewModel, TableModel } from "../api/types";
import type { Found } from "../shared/answers";
import { chips } from "../shared/numbers";
import type { Play } from "./model";

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
  loss_chips: number;
  /** Whether the loss is larger than what the solution itself may be wrong by. */
  counted: boolean;
};
type Props = { play: Play; table: TableModel; hand: number };

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
  return (
    <>
      <div class="row">
        <button type="button" disabled={!usual && !against} onClick={() => play.review(id, hand)}>
          Review hand {hand}
        </button>
        <label>
          against{" "}
          <select value={against} onChange={(event) => play.reviewAgainst(id, event.currentTarget.value)}>
            <option value="">{usual ?? "choose a solution"}</option>
            {play.solutions
              .filter((name) => name !== usual)
              .map((name) => (
                <option key={name} value={name} selected={name === against}>
                  {name}
                </option>
              ))}
          </select>
        </label>
      </div>
      {review && <Reviewed review={review} />}
    </>
  );
}

/** What a review has found. */
function Reviewed({ review }: { review: Found<ReviewModel> }) {
  const { found, problem, busy } = review;
  if (busy) return <p class="soft">Reviewing …</p>;
  if (!found) return <p class="problem">{problem}</p>;
  return (
    <>
      {found.decisions > 0 && <Losses found={found} />}
      {Object.keys(found.left_out).map((why) => (
        <p key={why} class="soft">
          {why}
        </p>
      ))}
    </>
  );
}

function Losses({ found }: { found: ReviewModel }) {
  const decisions = found.greatest as unknown as Decision[];
  const inOrder = decisions.toSorted((a, b) => a.board.length - b.board.length || a.line.length - b.line.length);
  const mbb = found.loss_mbb === null ? "" : ` (${chips(found.loss_mbb)} mbb)`;
  return (
    <div class="wide">
      <table>
        <caption>{`${found.loss_chips.toFixed(2)} chips lost${mbb}`}</caption>
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
          {inOrder.map((one) => (
            <tr key={`${one.board} ${one.line}`}>
              <td>{one.street}</td>
              <td class="text">{one.mapped ? `~ ${one.action} (${one.played})` : one.action}</td>
              <td class="text">{one.best}</td>
              <td>
                {one.counted || one.loss_chips === 0 ? (
                  one.loss_chips.toFixed(2)
                ) : (
                  <span class="soft" title="smaller than what the solution itself may be wrong by">
                    ({one.loss_chips.toFixed(2)})
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
