/** All solves, the newest first. */
import { Part } from "../shared/Part";
import { State } from "./OneSolve";
import type { Solves } from "./solves";

export function SolveList({ solves }: { solves: Solves }) {
  const all = solves.newest;
  return (
    <section aria-labelledby="solves">
      <h2 id="solves">Solves</h2>
      {all.length ? (
        <ul class="jobs">
          {all.map((job) => (
            <li key={job.id}>
              <a href={`/solve/${job.id}`} aria-current={job.id === solves.chosen ? "page" : undefined}>
                {job.title}
              </a>
              <br />
              <Part name={job.title}>
                <State job={job} />
              </Part>
            </li>
          ))}
        </ul>
      ) : (
        <p class="soft">None so far. Solves go on when this page or the server is closed.</p>
      )}
    </section>
  );
}
