/** The room Matches: agents play each other, or a local best response; results and standings as they come in. */
import { useEffect } from "preact/hooks";
import type { JobView } from "../api/types";
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
  const done = (job: JobView) => job.state === "done";
  const unfinished = jobs.newest.filter((job) => !done(job));
  const measured = jobs.newest.filter((job) => job.kind === "lbr" && done(job));
  return (
    <>
      <h1>Matches</h1>
      <div class="split">
        <div>
          <NewMatch jobs={jobs} />
        </div>
        <div>
          <OneMatch matches={matches} name={name} />
          <Listed id="unfinished" title="Not finished" jobs={jobs} listed={unfinished} />
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
          <Listed id="measured" title="Local best responses" jobs={jobs} listed={measured} />
        </div>
      </div>
    </>
  );
}

type ListedProps = { id: string; title: string; jobs: Matches["jobs"]; listed: JobView[] };

/** Some of the jobs, if there are any. */
function Listed({ id, title, jobs, listed }: ListedProps) {
  if (!listed.length) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="jobs">
        {listed.map((job) => (
          <Part key={job.id} name={job.title}>
            <MatchJob jobs={jobs} job={job} />
          </Part>
        ))}
      </ul>
    </section>
  );
}
