import { expect, test } from "vitest";
import { click, serving, settled, shown } from "../testing/page";
import { Due } from "./Due";

test("what is due today is a round of as many questions", async () => {
  const asked = serving(() => ({ status: 201, body: { id: "turn-1" } }));
  const due = [{ solution: "turn", title: "Turn", due: 3 }];
  const root = shown(<Due due={due} />);
  expect(root.textContent).toContain("3 decisions that you got wrong before");
  await click(root.querySelector("button"));
  await settled();
  expect(asked.map(({ method, body }) => [method, body])).toEqual([
    ["POST", { solution: "turn", count: 3, repeat: true, title: "Turn · due again" }],
  ]);
  expect(location.pathname).toBe("/drills/turn-1");
  root.show(<Due due={[]} />);
  expect(root.textContent).toBe("");
});
