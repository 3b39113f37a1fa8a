import { expect, test } from "vitest";
import type { ResponsesView } from "../api/types";
import { NODE } from "../testing/node";
import { usual } from "./Blockers";

const after = (step: string): ResponsesView => ({ step, actions: [], frequencies: [], with_hand: [], removed: [] });
const often = (frequencies: number[]) => ({
  ...NODE,
  actions: ["check", "bet 50", "bet 100"].map((step, i) => ({
    ...NODE.actions[0],
    step,
    label: step,
    frequency: frequencies[i],
  })),
});

test("the answers to the bet that is made most often come first, and those to a check without one", () => {
  const all = ["check", "bet 50", "bet 100"].map(after);
  expect(usual(often([0.7, 0.2, 0.1]), all)?.step).toBe("bet 50");
  expect(usual(often([0, 0.2, 0.8]), all)?.step).toBe("bet 100");
  expect(usual(often([1, 0, 0]), all.slice(0, 1))?.step).toBe("check");
  expect(usual(often([1, 0, 0]), [after("")])?.step).toBe("");
  expect(usual(NODE, [])).toBeUndefined();
});
