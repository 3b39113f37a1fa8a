import { expect, test } from "vitest";
import { press, shown } from "../testing/page";
import { KeysDialog, useKeys } from "./keys";

test("keys run what the room says, unless a field or a button takes them", async () => {
  const ran: string[] = [];
  const Room = () => {
    useKeys([
      { keys: ["k", "c"], what: "check", run: (event) => ran.push(event.key) },
      { keys: ["Enter"], what: "deal", run: () => ran.push("deal") },
      { keys: ["x"], what: "stop", run: () => ran.push("stop"), when: () => false },
    ]);
    return (
      <>
        <input />
        <button type="button">B</button>
      </>
    );
  };
  const root = shown(
    <>
      <Room />
      <KeysDialog />
    </>,
  );
  for (const key of ["k", "c", "x", "Enter"]) await press(document.body, key);
  await press(root.querySelector("input"), "k");
  await press(root.querySelector("button"), "Enter");
  expect(ran).toEqual(["k", "c", "deal"]);
  await press(document.body, "?");
  expect(root.querySelector("dialog")?.textContent).toContain("check");
});
