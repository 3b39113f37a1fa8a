/** The match that the address names. */
import type { JobView, MatchDetail, MeasureView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { hasEnded } from "../shared/jobs";
import { whole } from "../shared/numbers";
import { SmallTable } from "../shared/SortedTable";
import { Bar, Course } from "./IntervalPictures";
import { courseOf, measureName, reach, signed, span, tone } from "./intervals";
import { handsOf } from "./MatchJob";
import type { Matches, Now } from "./model";

export function OneMatch({ matches, name }: { matches: Matches; name: string }) {
  const { jobs, detail } = matches;
  const job = jobs.all.get(name);
  if (!job && !detail) return name && jobs.known ? <p class="problem">There is no match called {name}.</p> : null;
  const points = jobs.points(name);
  const result = detail && (!job || hasEnded(job)) ? detail : null;
  const now: Now | undefined = result ?? points.at(-1);
  const title = detail ? `${detail.players[0]} against ${detail.players[1]}` : job?.title;
  const unit = now?.unit ?? "";
  return (
    <section aria-labelledby="one-match">
      <h2 id="one-match">{title}</h2>
      <p>{aboutOf(now, job, detail, result)}</p>
      {now && now.measures.length > 0 && <Measures measures={now.measures} unit={unit} caption={title ?? ""} />}
      {now?.measures.map((one, i) => (
        <Course
          key={one.name}
          curve={result ? result.measures[i].curve : courseOf(points, i)}
          title={measureName(one.name)}
          unit={unit}
        />
      ))}
      {result && <Parts detail={result} remove={() => matches.remove(result.name)} />}
      <p>
        <a href="/matches">All matches</a>
      </p>
    </section>
  );
}

/** What was played and how, and what the numbers say. */
function aboutOf(
  now: Now | undefined,
  job: JobView | undefined,
  detail: MatchDetail | null,
  result: MatchDetail | null,
) {
  const how = result ? `, ${result.duplicate ? "every deal twice" : "seats alternate"}, seed ${result.seed}` : "";
  const what =
    job?.kind === "lbr"
      ? "In expectation the agent's exploitability is at least what is won."
      : "What the first agent wins.";
  return `${detail ? `${detail.game}, ` : ""}${now ? handsOf(now) : "no hand yet"}${how}. ${what}`;
}

/** Means and their intervals. */
function Measures({ measures, unit, caption }: { measures: MeasureView[]; unit: string; caption: string }) {
  const most = span(measures);
  return (
    <div class="wide">
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col">{unit}</th>
            <th scope="col">95 % interval</th>
            <th scope="col" class="text">
              Around 0
            </th>
          </tr>
        </thead>
        <tbody>
          {measures.map((one) => (
            <tr key={one.name}>
              <th scope="row">{measureName(one.name)}</th>
              <td class={tone(one)}>{signed(one.mean)}</td>
              <td>{reach(one)}</td>
              <td class="plot">
                <Bar interval={one} most={most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A result by seat and by ending, and what can be done with it. */
function Parts({ detail, remove }: { detail: MatchDetail; remove: () => void }) {
  const seats = detail.measures[0].by_seat.map((seat, i) => [i + 1, whole(seat.hands), signed(seat.mean), reach(seat)]);
  const endings = detail.endings.map((end) => [
    `${end.showdown ? "showdown" : "fold"}, ${end.street}`,
    whole(end.hands),
    signed(end.won),
  ]);
  return (
    <>
      <h3>By seat and by how the hands ended</h3>
      <SmallTable
        caption="By seat"
        heads={["Seat of the first agent", "Hands", detail.unit, "95 % interval"]}
        rows={seats}
      />
      <SmallTable caption="Endings" heads={["Ending", "Hands", "Won (chips)"]} rows={endings} />
      <p class="row">
        <a class="button" href={`/api/v1/matches/${detail.name}/file`} download>
          Download
        </a>
        <button type="button" onClick={remove}>
          Delete
        </button>
        <CopyButton text={detail.command} />
      </p>
    </>
  );
}
