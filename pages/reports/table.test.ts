import { expect, test } from "vitest";
import type { FlopRow, ReportsClassesView, TableView } from "../api/types";
import { csvOf, gridOf } from "./table";

const means = { ev_chips: [16, 29], equity: [0.45, 0.55], equity_realised: [0.8, 1.2] };
const ROW: FlopRow = {
  ...means,
  flop: "Ks 7h 2d",
  weight: 24,
  suits: "rainbow",
  pairing: "unpaired",
  straights: "0",
  high: "K",
  share: 1,
  frequencies: [0.25, 0.75],
  exploitability_pot_percent: 0.5,
};
const TABLE: TableView = {
  line: "check",
  player: 1,
  player_name: "in position",
  player_names: ["out of position", "in position"],
  actions: ["check", "bet 27"],
  colours: ["#8ae4a0", "#de4e28"],
  pot_chips: 45,
  net: "",
  mean: { ...means, frequencies: [0.25, 0.75] },
  groups: {},
  flops: [ROW],
};
const CLASSES: ReportsClassesView = {
  line: "check",
  actions: TABLE.actions,
  labels: ["AA", "AKs", "AKo"],
  weights: [
    [6, 0, 12],
    [3, 4, 0],
  ],
  ev_chips: [
    [40, null, 20],
    [44, 22, null],
  ],
  equity: [
    [0.8, null, 0.6],
    [0.9, 0.5, null],
  ],
  frequencies: [
    [0.5, 0, null],
    [0.5, 1, null],
  ],
};

test("classes weigh as much as their hands are held", () => {
  const grid = gridOf(CLASSES, TABLE, 1);
  expect(grid.items.map((item) => item.weight)).toEqual([0.5, 1, 0]);
  expect(grid.items.map((item) => item.shares)).toEqual([[0.5, 0.5], [0, 1], []]);
  expect(grid.all.ev).toBe(29);
  const other = gridOf(CLASSES, TABLE, 0);
  expect([other.acts, other.items.map((item) => item.weight), other.items[0].shares]).toEqual([false, [1, 0, 1], []]);
});

test("the table as CSV", () => {
  const text = csvOf(TABLE, [{ ...ROW, equity: [null, 0.55] }]);
  const [head, row] = text.trim().split("\n");
  expect(head.split(",").slice(0, 9)).toEqual(
    "flop weight suits pairing straights high share check".split(" ").concat("bet 27"),
  );
  expect(head).toContain('"exploitability, % of the pot"');
  expect(csvOf({ ...TABLE, net: "turn" }, [ROW])).toContain('"exploitability of the cut game, % of the pot"');
  expect(row).toBe("Ks 7h 2d,24,rainbow,unpaired,0,K,1,0.25,0.75,16,29,,0.55,0.8,1.2,0.5");
});
