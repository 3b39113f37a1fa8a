/** What an answer is worth, and what the solution does there. */
import { useEffect, useRef } from "preact/hooks";
import type { ActionGrade } from "../api/types";
import { Cards } from "../shared/Cards";
import { paint } from "../shared/colours";
import { tenths, worth } from "../shared/numbers";
import type { Answered, Round } from "./model";
import { GRADES, studyAddress, worthWords } from "./words";

export function Verdict({ round, answered: { question, answer } }: { round: Round; answered: Answered }) {
  const { name, sign } = GRADES[answer.grade];
  const last = round.drill?.over;
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
      <Graded actions={answer.actions} {...{ answer, question }} />
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

type GradedProps = Answered & { actions: ActionGrade[] };

/** All actions: how often the solution takes each, its EV, and what it loses. */
function Graded({ actions, answer, question }: GradedProps) {
  const table = useRef<HTMLTableElement>(null);
  // On a phone the table stands below what is seen.
  useEffect(() => table.current?.scrollIntoView({ block: "nearest" }), [answer.number]);
  const known = actions.some((one) => one.ev_chips !== null);
  const colours = new Map(question.actions.map((one) => [one.action, paint(one.colour)]));
  const row = (one: ActionGrade) => {
    const [chosen, best] = [one.action === answer.action, one.action === answer.best];
    return (
      <tr key={one.action} class={chosen ? "chosen" : ""} aria-current={chosen ? "true" : undefined}>
        <th scope="row">
          <span aria-hidden="true">{chosen ? "▸ " : ""}</span>
          {one.action}
          {chosen && <small>yours</small>}
          {best && known && <small class="best">best</small>}
        </th>
        <td class="bar">
          {one.frequency > 0 && (
            <span style={{ width: `${100 * one.frequency}%`, background: colours.get(one.action) }} />
          )}
        </td>
        <td>{tenths(one.frequency)} %</td>
        {known && <td>{worth(one.ev_chips, answer.pot_chips)}</td>}
        {known && <td>{worth(one.loss_chips, answer.pot_chips)}</td>}
      </tr>
    );
  };
  return (
    <table class={`graded ${answer.grade}`} ref={table}>
      <caption>
        What the solution does with <Cards text={answer.hand.join("")} />
        {known && "; EV and losses in chips"}
      </caption>
      <thead>
        <tr>
          <th scope="col">Action</th>
          <td />
          <th scope="col">Solution</th>
          {known && <th scope="col">EV</th>}
          {known && <th scope="col">Loses</th>}
        </tr>
      </thead>
      <tbody>{actions.map(row)}</tbody>
    </table>
  );
}
