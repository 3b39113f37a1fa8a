/** How a round goes: its totals, the last answers, and what comes again. */
import type { AnswerView, DrillView, RepetitionView, TotalsView } from "../api/types";
import { Cards } from "../shared/Cards";
import type { Round } from "./model";
import { blindsText, dayText, GRADES, lineText, lossText, studyAddress } from "./words";

const LAST = 12;

type Props = { round: Round; drill: DrillView; totals: TotalsView };

export function About({ round, drill, totals }: Props) {
  const last = round.answers.slice(0, LAST);
  return (
    <aside aria-label="This round">
      <section class="panel">
        <h2>So far</h2>
        <Totals totals={totals} />
      </section>
      {last.length > 0 && !round.over && (
        <section class="panel">
          <h2>Last answers</h2>
          <ol class="last">
            {last.map((one) => (
              <LastAnswer key={one.number} answer={one} />
            ))}
          </ol>
        </section>
      )}
      {drill.repetition && <Coming repetition={drill.repetition} />}
    </aside>
  );
}

function Totals({ totals }: { totals: TotalsView }) {
  const figures: [string, string | number, string?][] = [
    ["right", totals.right, "right"],
    ["inaccurate", totals.inaccurate, "inaccurate"],
    ["mistakes", totals.mistake, "mistake"],
    ["of the pot lost per answer", lossText(totals.loss_pot_percent)],
    ["streak", totals.streak],
    ["best streak", totals.longest_streak],
  ];
  const blinds = blindsText(totals.loss_mbb);
  return (
    <>
      <dl class="totals">
        {figures.map(([name, value, grade]) => (
          <div key={name} class={grade}>
            <dt>
              {grade && <span aria-hidden="true">{GRADES[grade as AnswerView["grade"]].sign} </span>}
              {name}
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {blinds && <p class="soft">{blinds} lost in all.</p>}
    </>
  );
}

function LastAnswer({ answer }: { answer: AnswerView }) {
  const { name, sign } = GRADES[answer.grade];
  return (
    <li>
      <a href={studyAddress(answer)}>
        <span class={`sign ${answer.grade}`}>
          <span aria-hidden="true">{sign}</span>
          <span class="unseen">{name}: </span>
        </span>{" "}
        <Cards text={answer.hand.join("")} /> {answer.action}
        {answer.action !== answer.best && answer.grade !== "right" && <span class="soft"> (best: {answer.best})</span>}
        <span class="unseen">, open in Study</span>
      </a>
    </li>
  );
}

/** What comes again, and when. */
export function Coming({ repetition: { kept, coming } }: { repetition: RepetitionView }) {
  const days = new Map<string, RepetitionView["coming"]>();
  for (const one of coming) days.set(dayText(one.due), [...(days.get(dayText(one.due)) ?? []), one]);
  return (
    <section class="panel">
      <h2>Asked again</h2>
      {kept === 0 && <p class="soft">Nothing yet: what you answer wrongly is kept for later days.</p>}
      <dl class="coming">
        {[...days].map(([day, decisions]) => (
          <div key={day}>
            <dt>{day}</dt>
            <dd>
              {decisions.slice(0, LAST).map((one) => (
                <span key={`${one.line} ${one.hand}`} class="again" title={lineText(one.line)}>
                  <Cards text={one.hand.join("")} />
                </span>
              ))}
              {decisions.length > LAST && <span class="soft">and {decisions.length - LAST} more</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
