import { expect, test } from "vitest";
import type { TreeNodeView } from "../api/types";
import { shown } from "../testing/page";
import { type Form, toForm } from "./spot";
import { TreePreview } from "./TreePreview";

const node = (parent: number | null, action: string, changes: Partial<TreeNodeView> = {}): TreeNodeView => ({
  parent,
  action,
  pot_percent: null,
  all_in: false,
  player_name: "",
  kind: "decision",
  pot_chips: 100,
  ...changes,
});
const NODES = [
  node(null, "", { player_name: "out of position" }),
  node(0, "check", { kind: "chance" }),
  node(0, "bet 75", { pot_percent: 75.02, player_name: "in position", pot_chips: 175 }),
  node(2, "fold", { kind: "fold" }),
  node(2, "raise 300", { pot_percent: 90, all_in: true, kind: "showdown", pot_chips: 700 }),
];

test("the first decisions are read from the top, with sizes in chips and in per cent", () => {
  const root = shown(<TreePreview nodes={NODES} spot={null} />);
  const lines = [...root.querySelectorAll(".acts, summary, .end")].map((one) => one.textContent);
  expect(lines).toEqual([
    "out of position acts, pot 100",
    "check next street, pot 100",
    "bet 75 (75 %)",
    "in position acts, pot 175",
    "fold ",
    "raise 300 (90 %, all-in) showdown, pot 700",
  ]);
  expect(root.querySelector("details")?.open).toBe(true);
  const spot = toForm({
    board: "",
    blinds: [1, 2],
    stack: 20,
    ranges: { oop: "AA", ip: "KK" },
    bets: { preflop: { raise: "a" } },
  }) as Form;
  root.show(<TreePreview nodes={NODES} spot={spot} />);
  expect(root.querySelector(".acts")?.textContent).toBe("Big blind acts, pot 100");
  root.show(<TreePreview nodes={[]} spot={spot} />);
  expect(root.textContent).toContain("as soon as the spot can be read");
});
