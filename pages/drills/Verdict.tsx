/** What an answer is worth, and what the solution does there. */
import { useEffect, useRef } from "preact/hooks";
import { Cards } from "../shared/Cards";
import { Graded } from "../shared/Graded";
import { worth } from "../shared/numbers";
import type { Answered, Round } from "./model";
import { GRADES, lossText, studyAddress, worthWords } from "./words";

export function Verdict({ round, answered: { question, answer } }: { round: Round; answered: Answered }) {
  const { name, sign } = GRADES[answer.grade];
  const last = round.drill?.over;
  const table = useRef<HTMLTableElement>(null);
  // On a phone the table stands below what is seen.
  useEffect(() => table.current?.scrollIntoView({ block: "nearest" }), [answer.number]);
  const colours = new Map(question.actions.map((one) => [one.action, one.colour]));
  const actions = answer.actions.map(({ action, frequency, ev_chips: ev, loss_chips: loss }) => ({
    action,
    frequency,
    colour: colours.get(action) ?? "",
    ev: ev === null ? null : worth(ev, answer.pot_chips),
    loses: loss === null ? null : lossText((100 * loss) / answer.pot_chips),
  }));
  return (
    <>
      <div class={`verdict ${answer.grade}`}>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>
        <div>
          <strong>{name}</strong>
          <p>{worthWords(answer)}</p>
        </div>
      </div>
      <Graded
        caption={
          <>
            What the solution does with <Cards text={answer.hand.join("")} />
          </>
        }
        actions={actions}
        chosen={answer.action}
        called="yours"
        best={answer.best}
        bestCalled={answer.grade === "right" && answer.best !== answer.action ? "highest EV" : "best"}
        unit="chips"
        style={answer.grade}
        table={table}
      />
      <div class="onward row">
        <button type="button" class="main" disabled={round.busy} onClick={() => round.next()}>
          {last ? "How the round went" : "Next question"} <kbd>Enter</kbd>
        </button>
        <a class="button" id="in-study" href={studyAddress(answer)}>
          Open in Study
        </a>
      </div>
    </>
  );
}
