/** How a round went: by street, by line, and answer by answer. */
import type { AnswerView, DrillSum, DrillView } from "../api/types";
import { Cards } from "../shared/Cards";
import { SmallTable } from "../shared/SortedTable";
import type { Round } from "./model";
import { GRADES, lineText, lossText, rightText, studyAddress, totalsWords } from "./words";

const LINES = 12;

export function Over({ round, drill: { totals, solution, review } }: { round: Round; drill: DrillView }) {
  const again = new URLSearchParams(solution ? { solution } : { review: review ?? "" });
  if (!totals) return null;
  const words = totalsWords(totals);
  return (
    <>
      <h2>The round is over</h2>
      <p class="result">{words.right}</p>
      <p class="sum soft">{words.others}</p>
      <p class="row">
        <a class="button main" href="/drills">
          New round
        </a>
        {solution && (
          <a class="button" href={`/study/${encodeURIComponent(solution)}`}>
            Study the solution
          </a>
        )}
        {review && (
          <a class="button" href={`/drills?${again}`}>
            The same mistakes again
          </a>
        )}
      </p>
      <div class="sums">
        <Sums caption="By street" heading="Street" sums={totals.by_street} />
        <Sums caption="By line" heading="Line" sums={totals.by_line.slice(0, LINES)} />
      </div>
      {totals.by_line.length > LINES && (
        <p class="soft">
          The {LINES} lines with the greatest losses, of {totals.by_line.length}.
        </p>
      )}
      <h3>Answers</h3>
      <div class="answers">
        <SmallTable
          caption="Answers"
          heads={[<span class="unseen">Question</span>, "Grade", "Hand", "Board", "You", "Best", "Pot lost"]}
          rows={round.answers.map(answerCells)}
        />
      </div>
      {round.answers.length < round.total && (
        <button type="button" disabled={round.busy} onClick={() => round.more()}>
          Earlier answers
        </button>
      )}
    </>
  );
}

function Sums({ caption, heading, sums }: { caption: string; heading: string; sums: DrillSum[] }) {
  return (
    <section class="panel">
      <h3>{caption}</h3>
      <SmallTable
        caption={caption}
        heads={[heading, "Right", <span class="unseen">Share</span>, "Pot lost"]}
        rows={sums.map((one) => [
          lineText(one.name),
          rightText(one),
          <progress class="thin" max={one.decisions} value={one.right} aria-label={`Right, ${lineText(one.name)}`} />,
          lossText(one.loss_pot_percent),
        ])}
      />
    </section>
  );
}

const answerCells = (one: AnswerView) => [
  <a href={studyAddress(one)}>
    {one.number}
    <span class="unseen">, open in Study</span>
  </a>,
  <span class={`sign ${one.grade}`}>
    <span aria-hidden="true">{GRADES[one.grade].sign} </span>
    {GRADES[one.grade].name}
  </span>,
  <Cards text={one.hand.join("")} />,
  <Cards text={one.board.join("")} />,
  one.action,
  one.best,
  lossText(one.loss_pot_percent),
];
