/** The list of solutions: find, open, take in, delete. */
import type { TargetedEvent } from "preact";
import { useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import type { SolutionView } from "../api/types";
import { say } from "../shared/Said";
import { type Sort, SortedTable } from "../shared/SortedTable";
import { useSolutions } from "../shared/solutions";
import { useTitle } from "../shared/title";
import { ALL, found, groupsOf } from "./list";
import { columnsOf } from "./solutionColumns";

/** The name that a file gets: its own without the ending, and with hyphens for what a name cannot have. */
export const nameOf = (file: string): string =>
  file
    .replace(/\.errai$/i, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100) || "solution";

export function SolutionList() {
  useTitle("Study");
  const { solutions, problem: unread, read } = useSolutions();
  const [sort, setSort] = useState<Sort | null>(null);
  const [busy, setBusy] = useState("");
  const [problem, setProblem] = useState("");
  const [typed, setTyped] = useState("");
  const [group, setGroup] = useState(ALL);
  const upload = async (event: TargetedEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    const file = field.files?.[0];
    if (!file) return;
    setBusy(`Checking ${file.name} …`);
    setProblem("");
    try {
      const one = await api("POST solutions", { query: { name: nameOf(file.name) }, body: file });
      say(`${one.title} has been taken in.`);
      await read();
    } catch (error) {
      setProblem(messageOf(error));
    }
    field.value = "";
    setBusy("");
  };
  const remove = async ({ name }: SolutionView) => {
    if (!window.confirm(`Delete the solution ${name}? Its file is removed from the disk.`)) return;
    setProblem("");
    try {
      await api("DELETE solutions/{name}", { path: { name } });
      say(`${name} has been deleted.`);
    } catch (error) {
      setProblem(messageOf(error));
    }
    await read();
  };
  const shown = found(solutions ?? [], typed, group);
  return (
    <div class="list">
      <div class="top">
        <h1>Study</h1>
        <label class="button" for="file">
          {busy || "Add a file"}
          <span class="unseen">, a solution (.errai)</span>
          <input id="file" class="unseen" type="file" accept=".errai" disabled={busy !== ""} onChange={upload} />
        </label>
      </div>
      <p class="problem" role="alert">
        {problem || unread}
      </p>
      {solutions?.every((one) => one.shipped) && (
        <div class="panel row empty">
          <p>
            <b>There are no solutions yet.</b> Solve a spot, begin with a ready solution, or look at a blueprint below.
          </p>
          <a class="button main" href="/solve">
            Solve a spot
          </a>
          <a class="button" href="/home">
            Ready solutions
          </a>
        </div>
      )}
      {solutions && solutions.length > 0 && (
        <>
          <div class="row found">
            <input
              type="search"
              aria-label="Find solutions"
              placeholder="Find by name or board"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
            <div class="choice" role="group" aria-label="Which solutions">
              {[ALL, ...groupsOf(solutions)].map((one) => (
                <button key={one} type="button" aria-pressed={group === one} onClick={() => setGroup(one)}>
                  {one}
                </button>
              ))}
            </div>
          </div>
          <section class="wide" aria-label="Solutions" tabIndex={0}>
            <SortedTable caption="Solutions" columns={columnsOf(remove)} rows={shown} sort={sort} setSort={setSort} />
          </section>
          {!shown.length && <p class="soft">No solution is like that.</p>}
        </>
      )}
    </div>
  );
}
