import { expect, test } from "vitest";
import { shown } from "../testing/page";
import { Graded } from "./Graded";

const fold = { action: "fold", frequency: 0.25, colour: "#2464be", ev: "0.0" };
const call = { action: "call", frequency: 0.75, colour: "#8ae4a0", ev: "12.5" };
const common = { caption: "Actions", chosen: "fold", called: "yours", best: "call", unit: "chips" };
const cells = (root: Element) =>
  [...root.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent));

test("actions with their frequency, EV and loss; what was taken and what is best are named, the largest first", () => {
  const root = shown(
    <Graded
      {...common}
      actions={[
        { ...fold, loses: "6 %" },
        { ...call, loses: "0 %" },
      ]}
    />,
  );
  expect(cells(root)).toEqual([
    ["Action", "", "Solution", "EV, chips", "Pot lost"],
    ["callbest", "", "75.0 %", "12.5", "0 %"],
    ["foldyours", "", "25.0 %", "0.0", "6 %"],
  ]);
  expect([...root.querySelectorAll("[aria-current]")].map((row) => row.textContent?.slice(0, 4))).toEqual(["fold"]);
  const bars = [...root.querySelectorAll<HTMLElement>(".bar span")].map(({ style }) => style.width);
  expect(bars).toEqual(["75.0%", "25.0%"]);
});

test("where nothing is said of losses or EVs, there is no column of them", () => {
  expect(cells(shown(<Graded {...common} actions={[fold, call]} />))[0]).toEqual([
    "Action",
    "",
    "Solution",
    "EV, chips",
  ]);
  const unknown = shown(
    <Graded
      {...common}
      actions={[
        { ...fold, ev: null },
        { ...call, ev: null },
      ]}
    />,
  );
  expect(cells(unknown)).toEqual([
    ["Action", "", "Solution"],
    ["call", "", "75.0 %"],
    ["foldyours", "", "25.0 %"],
  ]);
});
