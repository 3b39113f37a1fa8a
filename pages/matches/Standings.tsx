/** The standings of all games. */
import type { StandingsView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { Options } from "../shared/fields";
import { SmallTable } from "../shared/SortedTable";
import { measureName, signed } from "./intervals";
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
        <GameStandings key={one.game + one.unit} one={one} />
      ))}
    </section>
  );
}

function GameStandings({ one }: { one: StandingsView }) {
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

/** The ranks in a game. */
function Ranks({ one }: { one: StandingsView }) {
  if (one.missing) return <p class="soft">There are no ranks: {one.missing}</p>;
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
            <th scope="col">95 % interval</th>
            <th scope="col">Ahead of the next in</th>
          </tr>
        </thead>
        <tbody>
          {one.ranks.map((rank) => (
            <tr key={rank.player}>
              <td>{rank.place}</td>
              <th scope="row" class="text">
                {rank.player}
              </th>
              <td>{signed(rank.score)}</td>
              <td>
                {signed(rank.low)} to {signed(rank.high)}
              </td>
              <td>{rank.above_next === null ? "" : `${(100 * rank.above_next).toFixed(1)} %`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
