/** All reports, the newest first; those that have not begun are jobs. */
import type { JobView, ReportView } from "../api/types";
import { Item } from "../shared/Items";
import { hasEnded } from "../shared/jobs";
import { counted } from "../shared/numbers";
import { flopsOf, type Reports, standing, targetText } from "./model";

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
        <p class="soft">None so far. A report can be read while it is made, and goes on when this page is closed.</p>
      )}
      <ul class="items">
        {begun.map((job) => (
          <Item
            key={job.id}
            title={job.title}
            href={`/reports/${job.id}`}
            job={job}
            problem={job.error?.message}
            progress={standing(job)}
          >
            <p class="soft">{!hasEnded(job) && standing(job).words}</p>
          </Item>
        ))}
        {found?.map((one) => (
          <Made
            key={one.name}
            report={one}
            job={jobs.all.get(one.name)}
            remove={() => reports.remove(one.name, one.title)}
          />
        ))}
      </ul>
    </section>
  );
}

type Props = { report: ReportView; job: JobView | undefined; remove: () => void };

/** A report that has flops, or whose file is damaged. */
function Made({ report, job, remove }: Props) {
  const { name, title, flops, flops_wanted: wanted, target, locked, net, error } = report;
  const open = job !== undefined && !hasEnded(job);
  return (
    <Item
      title={title}
      href={`/reports/${name}`}
      job={job}
      figure={error ? "" : counted(flops, "flop")}
      problem={error}
      progress={job && standing(job)}
    >
      {error ? (
        <button type="button" class="quiet" onClick={remove}>
          Delete<span class="unseen"> {title}</span>
        </button>
      ) : (
        <p class="soft">
          {open ? standing(job).words : flopsOf(flops, wanted)}, each solved to {targetText(target)}
          {locked && ", with locks"}
          {net && `, cut after the flop, over ${net}`}
        </p>
      )}
    </Item>
  );
}
