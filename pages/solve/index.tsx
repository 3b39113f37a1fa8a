/** The room Solve: a spot is put together, its size is said while it is typed, and solves run as jobs. */
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/client";
import { go, type RoomProps } from "../app/address";
import { useKeys } from "../app/keys";
import { useModel } from "../shared/model";
import { say } from "../shared/Said";
import { useTitle } from "../shared/title";
import { FormPage } from "./FormPage";
import { SolveForm } from "./model";
import { OneSolve } from "./OneSolve";
import { openAddress, openJob } from "./opening";
import { SolveList } from "./SolveList";
import { Solves } from "./solves";
import { TreePreview } from "./TreePreview";
import "./style.css";

export default function SolveRoom({ address: { name, query } }: RoomProps) {
  const [form] = useState(() => new SolveForm());
  const [solves] = useState(() => new Solves());
  useModel(form);
  useModel(solves);
  const from = query.toString();
  useEffect(() => {
    const complain = (error: unknown) => say(messageOf(error));
    const end = solves.begin();
    solves.read().catch(complain);
    form.begin(query).catch(complain);
    return () => {
      end();
      form.leave();
    };
  }, [form, solves]);
  useEffect(() => {
    solves.choose(name);
    window.scrollTo(0, 0);
  }, [solves, name]);
  useEffect(() => {
    if (form.ready) form.opening(() => openAddress(form, new URLSearchParams(from)));
  }, [form, from]);
  useTitle("Solve");
  const chosen = () => name !== "";
  const writing = () => name === "";
  const solve = () => form.solve((body) => solves.add(body));
  const told = { run: () => {}, when: () => false };
  useKeys([
    { keys: ["Ctrl+Enter"], what: "solve", run: solve, when: writing, inFields: true },
    { keys: ["Ctrl+z"], what: "undo", run: () => form.undo(), when: writing },
    { keys: ["Ctrl+Z", "Ctrl+y"], what: "redo", run: () => form.redo(), when: writing },
    { keys: ["n"], what: "new solve", run: () => go("/solve"), when: chosen },
    { keys: ["x"], what: "stop this solve", run: () => solves.act(name, "stop"), when: chosen },
    { keys: ["1", "…", "9", "0"], what: "in a range: set the brush to 10 % … 90 %, 100 %", ...told },
    {
      keys: ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"],
      what: "in a range or the deck: go to another cell",
      ...told,
    },
  ]);
  return (
    <div class="split">
      <div class="what">
        {name ? (
          <OneSolve solves={solves} name={name} again={(job) => openJob(form, job)} />
        ) : (
          <FormPage form={form} solve={solve} />
        )}
      </div>
      <aside>
        {!name && form.draft.mode !== "game" && (
          <section class="preview" aria-labelledby="first-decisions">
            <h2 id="first-decisions">The first decisions</h2>
            <TreePreview
              nodes={form.estimate.size?.tree ?? []}
              spot={form.draft.mode === "form" ? form.draft.form : null}
            />
          </section>
        )}
        <SolveList solves={solves} />
      </aside>
    </div>
  );
}
