/** The columns of the list of solutions. */
import type { SolutionView } from "../api/types";
import { Cards } from "../shared/Cards";
import { CopyButton } from "../shared/CopyButton";
import { chips, fileSize } from "../shared/numbers";
import type { Column } from "../shared/SortedTable";
import { inBlinds } from "./list";

const dated = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** What is left to play with: the shorter stack. */
const behind = ({ stacks_chips: stacks }: SolutionView): number | null =>
  stacks.length && stacks.every((one) => one !== null) ? Math.min(...(stacks as number[])) : null;

export const columnsOf = (remove: (one: SolutionView) => void): Column<SolutionView>[] => [
  {
    name: "solution",
    text: true,
    value: (one) => one.title,
    view: (one) => (
      <>
        <a href={`/study/${encodeURIComponent(one.name)}`}>{one.title || one.name}</a>
        <small>{one.name}</small>
        {one.error && <span class="problem">{one.error}</span>}
      </>
    ),
  },
  {
    name: "board",
    text: true,
    value: (one) => one.board.join(""),
    view: (one) =>
      one.board.length ? (
        <Cards text={one.board.join("")} />
      ) : (
        <span class="soft">{one.streets[0] === "preflop" ? "preflop" : ""}</span>
      ),
  },
  {
    name: "pot",
    value: (one) => one.pot_chips,
    view: (one) => (
      <>
        {chips(one.pot_chips)}
        <small>{inBlinds(one.pot_chips, one.big_blind_chips)}</small>
      </>
    ),
  },
  {
    name: "stacks",
    value: behind,
    view: (one) => (
      <>
        {chips(behind(one))}
        <small>{inBlinds(behind(one), one.big_blind_chips)}</small>
      </>
    ),
  },
  {
    name: "exploitability",
    label: "exploitability, % of the pot",
    value: (one) => one.exploitability?.pot_percent ?? null,
    view: (one) => (
      <>
        {one.exploitability ? Number(one.exploitability.pot_percent.toPrecision(2)) : "–"}
        <small>
          {one.status}
          {one.certified && <span class="good">, verified</span>}
          {one.certified === false && <span class="problem">, differs</span>}
        </small>
      </>
    ),
  },
  {
    name: "size",
    value: (one) => one.bytes + one.start_bytes,
    view: (one) => (
      <>
        {fileSize(one.bytes)}
        {one.start_bytes > 0 && <small>and {fileSize(one.start_bytes)} to solve again</small>}
      </>
    ),
  },
  { name: "changed", value: (one) => one.modified, view: (one) => (one.shipped ? "" : dated(one.modified)) },
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
