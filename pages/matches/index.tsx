/** The room Matches: agents play each other, or a local best response; results and standings as they come in. */
import { useEffect } from "preact/hooks";
import { go, type RoomProps } from "../app/address";
import { useKeys } from "../app/keys";
import { useBegun } from "../shared/model";
import { Part } from "../shared/Part";
import { useTitle } from "../shared/title";
import { MatchJob } from "./MatchJob";
import { Matches } from "./model";
import { NewMatch } from "./NewMatch";
import { OneMatch } from "./OneMatch";
import { Results } from "./Results";
import { Standings } from "./Standings";
import "./style.css";

export default function MatchesRoom({ address: { name } }: RoomProps) {
  const matches = useBegun(() => new Matches());
  useEffect(() => matches.choose(name), [matches, name]);
  useTitle("Matches");
  useKeys([
    {
      keys: ["m"],
      what: "go to the form for a new match",
      run: () => document.getElementById("match-game")?.focus(),
    },
    { keys: ["Backspace"], what: "show all matches", run: () => go("/matches"), when: () => name !== "" },
  ]);
  const { found, jobs } = matches;
  const listed = jobs.newest.filter((job) => job.kind === "lbr" || job.state !== "done");
  return (
    <>
      <h1>Matches</h1>
      <div class="split">
        <div>
          <NewMatch jobs={jobs} />
        </div>
        <div>
          <OneMatch matches={matches} name={name} />
          {listed.length > 0 && (
            <section aria-labelledby="jobs">
              <h2 id="jobs">Running, stopped and measured</h2>
              <ul class="jobs">
                {listed.map((job) => (
                  <Part key={job.id} name={job.title}>
                    <MatchJob jobs={jobs} job={job} />
                  </Part>
                ))}
              </ul>
            </section>
          )}
          <section aria-labelledby="results">
            <h2 id="results">Results</h2>
            <Results matches={found.matches} />
            {Object.entries(found.unreadable).map(([file, why]) => (
              <p key={file} class="problem">
                {file}: {why}
              </p>
            ))}
          </section>
          {found.matches.length > 0 && <Standings matches={matches} />}
        </div>
      </div>
    </>
  );
}
