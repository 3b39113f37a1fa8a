/** All results of matches. */
import type { MatchSummary } from "../api/types";
import { whole } from "../shared/numbers";
import { Bar } from "./IntervalPictures";
import { measureName, reach, signed, span, tone } from "./intervals";

export function Results({ matches }: { matches: MatchSummary[] }) {
  if (!matches.length) {
    return (
      <p class="soft">
        No match has a result yet. Start one with the form, or put files *.match.json of errai match into the folder
        matches.
      </p>
    );
  }
  /** The bars of one unit have one scale. */
  const most = (unit: string) => span(matches.filter((one) => one.unit === unit).flatMap((one) => one.measures));
  return (
    <div class="wide">
      <table class="results">
        <caption class="unseen">Results of matches</caption>
        <thead>
          <tr>
            <th scope="col">Match</th>
            <th scope="col">Hands</th>
            <th scope="col" class="text">
              Measure
            </th>
            <th scope="col">Won a hand</th>
            <th scope="col" class="text">
              95 % interval
            </th>
          </tr>
        </thead>
        {matches.map((match) => (
          <Result key={match.name} match={match} most={most(match.unit)} />
        ))}
      </table>
      <p class="soft">
        1,000 mbb/g are a big blind a hand. AIVAT takes most of the luck away and favours no player. Green and red are
        intervals wholly above and below 0.
      </p>
    </div>
  );
}

function Result({ match, most }: { match: MatchSummary; most: number }) {
  const rows = match.measures.length;
  return (
    <tbody>
      {match.measures.map((one, index) => (
        <tr key={one.name}>
          {index === 0 && (
            <>
              <th scope="rowgroup" rowSpan={rows} class="names">
                <a href={`/matches/${match.name}`}>
                  {match.players[0]} against {match.players[1]}
                </a>
                <br />
                {match.game}
                {match.status === "done" ? "" : `, ${match.status}`}
              </th>
              <td rowSpan={rows}>{whole(match.hands)}</td>
            </>
          )}
          <td class="text">{measureName(one.name)}</td>
          <td class={tone(one)}>
            {signed(one.mean)} {match.unit}
          </td>
          <td class="plot text">
            <Bar interval={one} most={most} />
            {reach(one)}
          </td>
        </tr>
      ))}
    </tbody>
  );
}
