/** The room Reports: a spot of a flop is solved on many flops, and what is played on each is shown and compared. */
import { useEffect } from "preact/hooks";
import { go, type RoomProps } from "../app/address";
import { useKeys } from "../app/keys";
import { useBegun } from "../shared/model";
import { Part } from "../shared/Part";
import { useTitle } from "../shared/title";
import { Reports } from "./model";
import { NewReport } from "./NewReport";
import { OneReport } from "./OneReport";
import { ReportList } from "./ReportList";
import "./style.css";

export default function ReportsRoom({ address: { name, query } }: RoomProps) {
  const reports = useBegun(() => new Reports());
  useEffect(() => {
    reports.jobs.choose(name);
    window.scrollTo(0, 0);
  }, [reports, name]);
  useTitle("Reports");
  const chosen = () => name !== "";
  const focus = (place: string) => () => document.querySelector<HTMLElement>(place)?.focus();
  useKeys([
    { keys: ["n"], what: "new report", run: () => go("/reports"), when: chosen },
    { keys: ["x"], what: "stop this report", run: () => void reports.jobs.act(name, "stop"), when: chosen },
    { keys: ["/"], what: "choose flops by words", run: focus("#only"), when: chosen },
    { keys: ["t"], what: "go to the table of flops", run: focus(".tall"), when: chosen },
    { keys: ["g"], what: "go to the grid of hands", run: focus(".hands [tabindex='0']"), when: chosen },
  ]);
  if (name) {
    return (
      <Part name={name}>
        <OneReport key={name} reports={reports} name={name} query={query} />
      </Part>
    );
  }
  return (
    <>
      <h1>Reports</h1>
      <p class="soft lead">
        One spot on many flops: how often each action is taken on them, what that is worth, and which flops are alike.
      </p>
      <div class="formlist">
        <NewReport reports={reports} />
        <ReportList reports={reports} />
      </div>
    </>
  );
}
