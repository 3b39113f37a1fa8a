import { expect, test } from "vitest";
import { NODE } from "../testing/node";
import { button, click, press, shown } from "../testing/page";
import { Grid } from "./Grid";
import { summarise } from "./hands";

const grid = (chosen: string, pick: (label: string) => void, follow = true) => (
  <Grid view={NODE} summary={summarise(NODE, 0)} by="strategy" chosen={chosen} title="Hands" {...{ pick, follow }} />
);

test("a cell is a button with all its numbers in its name, and one of them is reached by Tab", async () => {
  const picked: string[] = [];
  const root = shown(grid("QQ", (label) => picked.push(label)));
  expect([...root.querySelectorAll("button")].map((one) => one.getAttribute("aria-label"))).toEqual([
    "AKs: check 25 %, bet 50 75 %, EV 60.0",
    "QQ: check 100 %, EV 30.0",
    "KK: not in the range",
    "AA: on the board",
  ]);
  expect(root.querySelectorAll("[tabindex='0']")).toHaveLength(1);
  expect(root.querySelector("[aria-pressed=true]")?.textContent).toBe("QQ");
  await click(button(root, "KK: not in the range"));
  await press(root.querySelector("[tabindex='0']"), "ArrowDown");
  expect(picked).toEqual(["KK", "AA"]);
  expect(document.activeElement?.textContent).toBe("AA");
});

test("arrows do not choose where they only lead the eye", async () => {
  const picked: string[] = [];
  const root = shown(grid("", (label) => picked.push(label), false));
  // Without a choice the first hand of the range is the entry.
  expect(root.querySelector("[tabindex='0']")?.textContent).toBe("AKs");
  await press(root.querySelector("[tabindex='0']"), "ArrowRight");
  expect(picked).toEqual([]);
  expect(document.activeElement?.textContent).toBe("QQ");
});
