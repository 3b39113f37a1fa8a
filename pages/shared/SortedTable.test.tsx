import { useState } from "preact/hooks";
import { expect, test } from "vitest";
import { button, click, shown } from "../testing/page";
import { type Column, rowsSeen, type Sort, SortedTable, sorted, TallTable } from "./SortedTable";

type Row = { name: string; ev: number | null };
const COLUMNS: Column<Row>[] = [
  { name: "hand", text: true, value: (row) => row.name, view: (row) => row.name },
  { name: "EV", value: (row) => row.ev, view: (row) => row.ev ?? "–" },
  { name: "more", view: () => "" },
];
const ROWS: Row[] = [
  { name: "KK", ev: 2 },
  { name: "AA", ev: null },
  { name: "QQ", ev: 3 },
];
const names = (root: Element) => [...root.querySelectorAll("tbody th")].map((one) => one.textContent);

function Shown({ rows }: { rows: Row[] }) {
  const [sort, setSort] = useState<Sort | null>(null);
  const [page, setPage] = useState(0);
  return (
    <SortedTable
      caption="Hands"
      columns={COLUMNS}
      rows={rows}
      fixed={[{ name: "all", ev: 1 }]}
      mark={(row) => row.name === "KK"}
      {...{ sort, setSort, page, setPage }}
    />
  );
}

test("rows are sorted by every column, those without a value last", async () => {
  const root = shown(<Shown rows={ROWS} />);
  expect(names(root)).toEqual(["KK", "AA", "QQ"]);
  const heading = () => root.querySelectorAll("thead th button")[1];
  await click(heading());
  expect(names(root)).toEqual(["QQ", "KK", "AA"]);
  expect(heading().closest("th")?.getAttribute("aria-sort")).toBe("descending");
  await click(heading());
  expect(names(root)).toEqual(["KK", "QQ", "AA"]);
  await click(root.querySelector("thead th button"));
  expect(names(root)).toEqual(["AA", "KK", "QQ"]);
  expect(root.querySelector("[aria-current=true]")?.textContent).toContain("KK");
  expect(root.querySelectorAll("thead tr")[1].textContent).toContain("all");
  expect(root.querySelectorAll("thead th button")).toHaveLength(2);
});

test("many rows have pages", async () => {
  const rows = Array.from({ length: 120 }, (_, i) => ({ name: `h${i}`, ev: i }));
  const root = shown(<Shown rows={rows} />);
  expect(names(root)).toHaveLength(50);
  await click(button(root, "Next rows"));
  await click(button(root, "Next rows"));
  expect(names(root)).toHaveLength(20);
  expect(root.textContent).toContain("101 to 120 of 120");
  expect(button(root, "Next rows")?.disabled).toBe(true);
});

test("a sort that is not of these columns leaves the order", () => {
  expect(sorted(ROWS, COLUMNS, { by: "equity", down: true })).toBe(ROWS);
});

test("of a tall table the rows that are seen are drawn", () => {
  const rows = Array.from({ length: 1755 }, (_, i) => ({ name: `hand ${i}`, ev: i }));
  const sort = { by: "EV", down: true };
  const root = shown(
    <TallTable
      caption="Hands"
      columns={COLUMNS}
      rows={rows}
      id={(row) => row.name}
      height={30}
      sort={sort}
      setSort={() => {}}
    />,
  );
  expect(names(root)[0]).toBe("hand 1754");
  expect(names(root).length).toBeLessThan(60);
  expect(root.querySelector("table")?.getAttribute("aria-rowcount")).toBe("1756");
  expect(root.querySelector("tbody tr")?.getAttribute("aria-rowindex")).toBe("2");
});

test("which rows are seen", () => {
  expect(rowsSeen(0, 300, 30, 1755)).toEqual([0, 22]);
  expect(rowsSeen(3000, 300, 30, 1755)).toEqual([88, 122]);
  expect(rowsSeen(1e6, 300, 30, 1755)).toEqual([1743, 1755]);
  expect(rowsSeen(0, 300, 30, 4)).toEqual([0, 4]);
});
