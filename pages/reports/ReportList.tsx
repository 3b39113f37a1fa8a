/** All reports, the newest first; those that have not begun are jobs. */
import { JobState } from "../shared/JobButtons";
import { hasEnded } from "../shared/jobs";
import { Part } from "../shared/Part";
import { flopsOf, type Reports, standing } from "./model";

export function ReportList({ reports }: { reports: Reports }) {
  const { found, jobs } = reports;
  const named = new Set(found?.map((one) => one.name));
  const begun = jobs.newest.filter((job) => !named.has(job.id));
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">Your reports</h2>
      {!found && (
        <p class="soft" aria-busy="true">
          Reading the reports …
        </p>
      )}
      {found && !found.length && !begun.length && (
        <p class="soft">
          None so far. Choose a spot and start: a report can be read while it is made, and goes on when this page is
          closed.
        </p>
      )}
      <ul class="jobs">
        {begun.map((job) => (
          <li key={job.id}>
            <Part name={job.title}>
              <div class="row">
                <a href={`/reports/${job.id}`}>{job.title}</a> <JobState job={job} />
              </div>
              {!hasEnded(job) && <p class="soft">{standing(job).words}</p>}
              {job.error && <p class="problem">{job.error.message}</p>}
            </Part>
          </li>
        ))}
        {found?.map(({ name, title, flops, flops_wanted: wanted, target, locked, net, error }) => {
          const job = jobs.all.get(name);
          return (
            <li key={name}>
              <Part name={title}>
                <div class="row">
                  <a href={`/reports/${name}`}>{title}</a> {job && <JobState job={job} />}
                </div>
                {error ? (
                  <>
                    <p class="problem">{error}</p>
                    <button type="button" onClick={() => reports.remove(name, title)}>
                      Delete
                    </button>
                  </>
                ) : (
                  <p class="soft">
                    {job && !hasEnded(job) ? standing(job).words : flopsOf(flops, wanted)}, each to {target}
                    {locked && ", with locks"}
                    {net && `, cut after the flop, over ${net}`}
                  </p>
                )}
              </Part>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
