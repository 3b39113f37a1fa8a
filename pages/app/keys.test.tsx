import { expect, test } from "vitest";
import { press, shown } from "../testing/page";
import { KeysDialog, useKeys } from "./keys";

test("keys run what the room says, unless a field or a button takes them", async () => {
  const ran: string[] = [];
  const Room = () => {
    useKeys([
      { keys: ["k", "c"], what: "check", run: (event) => ran.push(event.key) },
      { keys: ["Enter"], what: "deal", run: () => ran.push("deal") },
      { keys: ["Ctrl+z"], what: "undo", run: () => ran.push("undo") },
      { keys: ["Ctrl+Z"], what: "redo", run: () => ran.push("redo") },
      { keys: ["Ctrl+Enter"], what: "solve", run: () => ran.push("solve"), inFields: true },
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
  // Chords are their own keys; those of a field are left to it, unless the room says otherwise.
  const chord = (element: Element | null, key: string) =>
    element?.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey: true, bubbles: true, cancelable: true }));
  for (const key of ["z", "Z", "k"]) chord(document.body, key);
  for (const key of ["z", "Enter"]) chord(root.querySelector("input"), key);
  chord(root.querySelector("button"), "Enter");
  expect(ran.slice(3)).toEqual(["undo", "redo", "solve", "solve"]);
  await press(document.body, "?");
  expect(root.querySelector("dialog")?.textContent).toContain("check");
  const names = [...root.querySelectorAll("kbd")].map((one) => one.textContent);
  expect(names).toEqual(expect.arrayContaining(["Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Enter", "k"]));
});
