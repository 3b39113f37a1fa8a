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
import { SolveList } from "./SolveList";
import { Solves } from "./solves";
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
    if (form.ready) form.from(new URLSearchParams(from));
  }, [form, from]);
  useTitle("Solve");
  const chosen = () => name !== "";
  const told = { run: () => {}, when: () => false };
  useKeys([
    { keys: ["s"], what: "solve", run: () => form.solve((body) => solves.add(body)), when: () => !chosen() },
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
          <OneSolve solves={solves} name={name} again={(job) => form.again(job)} />
        ) : (
          <FormPage form={form} solve={() => form.solve((body) => solves.add(body))} />
        )}
      </div>
      <SolveList solves={solves} />
    </div>
  );
}
