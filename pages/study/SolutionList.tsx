/** The list of solutions: open, take in, delete. */
import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import type { SolutionView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { fileSize } from "../shared/numbers";
import { say } from "../shared/Said";
import { type Column, type Sort, SortedTable } from "../shared/SortedTable";
import { useSolutions } from "../shared/solutions";
import { useTitle } from "../shared/title";

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
  const upload = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const file = new FormData(form).get("file");
    if (!(file instanceof File) || !file.name) return;
    setBusy(`Checking ${file.name} …`);
    setProblem("");
    try {
      const one = await api("POST solutions", { query: { name: nameOf(file.name) }, body: file });
      say(`${one.title} has been taken in.`);
      await read();
      form.reset();
    } catch (error) {
      setProblem(messageOf(error));
    }
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
  return (
    <>
      <h1>Study</h1>
      {solutions?.every((one) => one.shipped) && (
        <p>
          There are no solutions yet. <a href="/solve">Solve a spot</a>, or take in a file.
        </p>
      )}
      {solutions && solutions.length > 0 && (
        <section class="wide" aria-label="Solutions" tabIndex={0}>
          <SortedTable caption="Solutions" columns={columnsOf(remove)} rows={solutions} sort={sort} setSort={setSort} />
        </section>
      )}
      <form class="row panel upload" onSubmit={upload}>
        <label for="file">A solution file (.errai)</label>
        <input id="file" name="file" type="file" accept=".errai" required />{" "}
        <button disabled={busy !== ""}>{busy || "Take in"}</button>
      </form>
      <p class="problem" role="alert">
        {problem || unread}
      </p>
    </>
  );
}

const columnsOf = (remove: (one: SolutionView) => void): Column<SolutionView>[] => [
  {
    name: "solution",
    text: true,
    value: (one) => one.title,
    view: (one) => (
      <>
        <a href={`/study/${encodeURIComponent(one.name)}`}>{one.title || one.name}</a>
        <br />
        <span class="soft">
          {one.name}
          {one.error && (
            <>
              : <span class="problem">{one.error}</span>
            </>
          )}
        </span>
      </>
    ),
  },
  { name: "game", text: true, value: (one) => one.game, view: (one) => one.game },
  {
    name: "exploitability",
    label: "exploitability, % of the pot",
    value: (one) => one.exploitability?.pot_percent ?? null,
    view: (one) => (one.exploitability ? Number(one.exploitability.pot_percent.toPrecision(2)) : "–"),
  },
  {
    name: "status",
    text: true,
    value: (one) => one.status,
    view: (one) => (
      <>
        {one.status}
        {one.certified && ", verified"}
        {one.certified === false && (
          <>
            , <span class="problem">differs</span>
          </>
        )}
      </>
    ),
  },
  { name: "size", value: (one) => one.bytes, view: (one) => fileSize(one.bytes) },
  {
    name: "changed",
    value: (one) => one.modified,
    view: (one) => new Date(one.modified * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }),
  },
  {
    name: "more",
    text: true,
    label: <span class="unseen">more</span>,
    view: (one) => (
      <>
        <CopyButton text={one.command} />
        {one.shipped ? (
          <span class="soft">comes with Errai</span>
        ) : (
          <button type="button" class="quiet" aria-label={`Delete ${one.name}`} onClick={() => remove(one)}>
            Delete
          </button>
        )}
      </>
    ),
  },
];
