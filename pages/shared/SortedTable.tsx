/** Tables: one whose rows can be sorted by every column, with rows at its top that stay; and a plain one. */
import type { ComponentChildren, TargetedEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import { whole } from "./numbers";

export type Column<Row> = {
  /** The plain heading. */
  name: string;
  /** What is shown in its place. */
  label?: ComponentChildren;
  /** What rows are sorted by; a column without it cannot be sorted by. */
  value?: (row: Row) => number | string | null;
  view: (row: Row) => ComponentChildren;
  text?: boolean;
};
export type Sort = { by: string; down: boolean };

/** Rows on a page: to lay out more of them takes longer than all else that a node needs. */
const PAGE = 50;

/** Rows by the value of a column; those without a value come last. */
export function sorted<Row>(rows: Row[], columns: Column<Row>[], sort: Sort | null): Row[] {
  const value = sort && columns.find((one) => one.name === sort.by)?.value;
  if (!value) return rows;
  const sign = sort.down ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    return sign * (typeof a.key === "string" ? a.key.localeCompare(String(b.key)) : a.key - Number(b.key));
  });
  return keyed.map((one) => one.row);
}

/** How a table is sorted and which of its pages is shown, and how that is changed. */
export type Ordered = {
  sort: Sort | null;
  setSort: (sort: Sort) => void;
  /** Without it all rows are on one page. */
  setPage?: (page: number) => void;
  page?: number;
};

type Props<Row> = Ordered & {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  /** Rows that stay at the top. */
  fixed?: Row[];
  /** Says which row is chosen. */
  mark?: (row: Row) => boolean;
  /** What the rows are, in the plural. */
  things?: string;
};

export function SortedTable<Row>(props: Props<Row>) {
  const { caption, columns, rows, fixed = [], sort, setSort, mark, page = 0, setPage, things = "rows" } = props;
  const pages = setPage ? Math.max(1, Math.ceil(rows.length / PAGE)) : 1;
  const at = Math.min(page, pages - 1);
  const from = at * PAGE;
  const to = pages > 1 ? Math.min(rows.length, from + PAGE) : rows.length;
  return (
    <>
      <table class="sorted">
        <caption class="unseen">{caption}</caption>
        <thead>
          <Headings columns={columns} sort={sort} setSort={setSort} />
          {fixed.map((row) => (
            <Line row={row} columns={columns} />
          ))}
        </thead>
        <tbody>
          {sorted(rows, columns, sort)
            .slice(from, to)
            .map((row) => (
              <Line row={row} columns={columns} chosen={mark?.(row)} />
            ))}
        </tbody>
      </table>
      {pages > 1 && (
        <p class="row">
          <button type="button" disabled={at === 0} onClick={() => setPage?.(at - 1)}>
            Previous {things}
          </button>
          <span>
            {from + 1} to {to} of {whole(rows.length)}
          </span>
          <button type="button" disabled={at === pages - 1} onClick={() => setPage?.(at + 1)}>
            Next {things}
          </button>
        </p>
      )}
    </>
  );
}

type HeadingsProps<Row> = { columns: Column<Row>[]; sort: Sort | null; setSort: (sort: Sort) => void };

/** The row of headings. */
function Headings<Row>({ columns, sort, setSort }: HeadingsProps<Row>) {
  return (
    <tr>
      {columns.map((one, i) => (
        <Heading key={i} column={one} sort={sort} setSort={setSort} />
      ))}
    </tr>
  );
}

type LineProps<Row> = { row: Row; columns: Column<Row>[]; chosen?: boolean; place?: number };

/** A row; `place` is its place in a table of which not all rows are drawn. */
function Line<Row>({ row, columns, chosen = false, place }: LineProps<Row>) {
  return (
    <tr aria-current={chosen} aria-rowindex={place}>
      {columns.map((one, i) =>
        i === 0 ? (
          <th key={i} scope="row">
            {one.view(row)}
          </th>
        ) : (
          <td key={i} class={one.text ? "text" : ""}>
            {one.view(row)}
          </td>
        ),
      )}
    </tr>
  );
}

type TallProps<Row> = HeadingsProps<Row> & {
  caption: string;
  rows: Row[];
  /** What tells rows apart. */
  id: (row: Row) => string;
  /** The height of a row in pixels; a style sheet gives it to all of them. */
  height: number;
};

/** Rows above and below what is seen that are drawn as well, so that a tab or a turn of the wheel finds them. */
const SPARE = 12;

/** The rows that a part of a table shows, from `top` on; with the spare ones. */
export function rowsSeen(top: number, part: number, height: number, count: number): [from: number, to: number] {
  const from = Math.max(0, Math.min(count, Math.floor(top / height)) - SPARE);
  return [from, Math.min(count, Math.ceil((top + part) / height) + SPARE)];
}

/** A table of thousands of rows, which scrolls: those that are seen are drawn. */
export function TallTable<Row>({ caption, columns, rows, id, height, sort, setSort }: TallProps<Row>) {
  const [[top, part], setSeen] = useState([0, 800]);
  const all = useMemo(() => sorted(rows, columns, sort), [rows, columns, sort]);
  const [from, to] = rowsSeen(top, part, height, all.length);
  const look = (event: TargetedEvent<HTMLElement>) => {
    const { scrollTop, clientHeight } = event.currentTarget;
    setSeen([scrollTop, clientHeight]);
  };
  const gap = (count: number) => count > 0 && <tr aria-hidden="true" style={{ height: `${count * height}px` }} />;
  return (
    <section class="tall" aria-label={caption} tabIndex={0} onScroll={look}>
      <table class="sorted" aria-rowcount={all.length + 1}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <Headings columns={columns} sort={sort} setSort={setSort} />
        </thead>
        <tbody>
          {gap(from)}
          {all.slice(from, to).map((row, i) => (
            <Line key={id(row)} row={row} columns={columns} place={from + i + 2} />
          ))}
          {gap(all.length - to)}
        </tbody>
      </table>
    </section>
  );
}

type HeadingProps<Row> = { column: Column<Row>; sort: Sort | null; setSort: (sort: Sort) => void };

function Heading<Row>({ column, sort, setSort }: HeadingProps<Row>) {
  const shown = column.label ?? column.name;
  const style = column.text ? "text" : "";
  if (!column.value) {
    return (
      <th scope="col" class={style}>
        {shown}
      </th>
    );
  }
  const order = sort?.by !== column.name ? "none" : sort.down ? "descending" : "ascending";
  const down = order === "none" ? !column.text : order === "ascending";
  return (
    <th scope="col" class={style} aria-sort={order}>
      <button type="button" onClick={() => setSort({ by: column.name, down })}>
        {shown}
        <span aria-hidden="true">{{ descending: " ↓", ascending: " ↑", none: "" }[order]}</span>
      </button>
    </th>
  );
}

type SmallProps = { caption: string; heads: ComponentChildren[]; rows: ComponentChildren[][] };

/** A table without sorting, of which the first cell of a row is its heading. */
export function SmallTable({ caption, heads, rows }: SmallProps) {
  return (
    <div class="wide">
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...cells]) => (
            <tr>
              <th scope="row">{first}</th>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
