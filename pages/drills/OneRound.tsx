/** A round: the question with its table, what the answer is worth, and how the round goes. */
import { useEffect, useState } from "preact/hooks";
import { useKeys } from "../app/keys";
import { Hand, Streets } from "../shared/Hand";
import { PageHead } from "../shared/Items";
import { useModel } from "../shared/model";
import { useTitle } from "../shared/title";
import { About } from "./About";
import { Choices } from "./Choices";
import { keysOf } from "./keys";
import { Round } from "./model";
import { Over } from "./Over";
import { Verdict } from "./Verdict";
import { placeWords } from "./words";

export function OneRound({ id }: { id: string }) {
  const [round] = useState(() => new Round(id));
  useModel(round);
  useEffect(() => round.begin(), [round]);
  const { drill, problem } = round;
  useTitle(drill?.title ?? "Drills");
  useKeys(keysOf(round));
  return (
    <>
      <p class="unseen" role="log" aria-live="polite" data-heard>
        {round.heard}
      </p>
      <PageHead back="/drills" all="Drills" title={drill?.title ?? id} />
      {drill?.totals ? (
        <div class={`round ${round.over ? "over" : ""}`}>
          <section id="round" class="asked" tabIndex={-1} aria-label="Question" aria-busy={round.busy}>
            <Now round={round} />
          </section>
          <About round={round} drill={drill} totals={drill.totals} />
        </div>
      ) : problem ? (
        <>
          <p class="problem" role="alert">
            {problem}
          </p>
          <p>
            <a href="/drills">All rounds</a>
          </p>
        </>
      ) : (
        <div class="round">
          <section class="asked" aria-busy="true">
            <div class="felt opening">Opening the round …</div>
          </section>
        </div>
      )}
    </>
  );
}

/** The question that waits, the answer that is shown, or the end. */
function Now({ round }: { round: Round }) {
  const { drill, answered, problem, note } = round;
  const question = answered?.question ?? round.question;
  if (!drill) return null;
  if (!question) return drill.over ? <Over round={round} drill={drill} /> : <NoQuestion error={drill.error} />;
  return (
    <>
      <header>
        <h2>
          Question {question.number} of {drill.count}
        </h2>
        {question.again && <span class="again">asked again</span>}
        {(drill.totals?.streak ?? 0) > 1 && <span class="again">{drill.totals?.streak} right in a row</span>}
        <progress max={drill.count} value={drill.totals?.answers ?? 0} aria-label="Questions that are answered" />
      </header>
      <Hand hand={question} />
      <p class="state">{placeWords(question)}</p>
      <Streets hand={question} />
      {note && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {answered ? <Verdict round={round} answered={answered} /> : <Choices round={round} question={question} />}
    </>
  );
}

function NoQuestion({ error }: { error: string }) {
  return (
    <>
      <h2>No question</h2>
      <p class="problem" role="alert">
        {error || "No question was found."}
      </p>
      <p>
        <a href="/drills">Start another round</a>
      </p>
    </>
  );
}
