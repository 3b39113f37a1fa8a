/** The standings of all games. */
import type { Rank, StandingsView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { Options } from "../shared/fields";
import { percent } from "../shared/numbers";
import { SmallTable } from "../shared/SortedTable";
import { Bar } from "./IntervalPictures";
import { type Interval, measureName, reach, signed, span, tone } from "./intervals";
import type { Matches, Measure } from "./model";

const MEASURES: Measure[] = ["chips", "aivat"];

export function Standings({ matches }: { matches: Matches }) {
  const { measure } = matches;
  const { standings } = matches.found;
  return (
    <section aria-labelledby="standings">
      <h2 id="standings">Standings</h2>
      <p class="row">
        <label for="match-measure">Measured by</label>
        <select
          id="match-measure"
          value={measure}
          onChange={(event) => matches.by(event.currentTarget.value as Measure)}
        >
          <Options options={MEASURES.map((one) => [one, measureName(one)])} chosen={measure} />
        </select>
      </p>
      {!standings.length && <p class="soft">No match was measured by {measureName(measure)}.</p>}
      {standings.map((one) => (
        <GameStandings key={one.game + one.unit} one={one} matches={matches} />
      ))}
    </section>
  );
}

function GameStandings({ one, matches }: { one: StandingsView; matches: Matches }) {
  const won = (i: number, j: number) => {
    const mean = one.mean[i][j];
    return mean === null ? "" : `${signed(mean)} ± ${signed(one.half_width[i][j]).replace("+", "")}`;
  };
  return (
    <>
      <h3>
        {one.game}, {one.unit}
      </h3>
      <Ranks one={one} />
      {one.missing && (
        <p class="row">
          <span class="soft">{one.missing}</span>
          {one.subject && (
            <button type="button" onClick={() => matches.playMissing(one)}>
              {one.not_met.length === 1 ? "Play this match" : `Play the ${one.not_met.length} missing matches`}
            </button>
          )}
        </p>
      )}
      <SmallTable
        caption={`Row against column in ${one.game}`}
        heads={["Row against column", ...one.players]}
        rows={one.players.map((player, i) => [player, ...one.players.map((_, j) => won(i, j))])}
      />
      <p>
        <CopyButton text={one.command} />
      </p>
    </>
  );
}

/** The score of a rank as an interval. */
const ranked = ({ score, low, high }: Rank): Interval => ({ mean: score, low, high });

/** The ranks in a game. */
function Ranks({ one }: { one: StandingsView }) {
  const most = span(one.ranks.map(ranked));
  return (
    <div class="wide">
      <table>
        <caption class="unseen">Ranks in {one.game}</caption>
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col" class="text">
              Player
            </th>
            <th scope="col">{one.unit}</th>
            <th scope="col" class="text">
              95 % interval
            </th>
            <th scope="col">Ahead of the next, probability</th>
          </tr>
        </thead>
        <tbody>
          {one.ranks.map((rank) => (
            <tr key={rank.player}>
              <td>{rank.place}</td>
              <th scope="row" class="text">
                {rank.player}
              </th>
              <td class={tone(ranked(rank))}>{signed(rank.score)}</td>
              <td class="plot text">
                <Bar interval={ranked(rank)} most={most} />
                {reach(ranked(rank))}
              </td>
              <td>{percent(rank.above_next)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
