import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import { shown } from "../testing/page";
import { Answers, useAnswer } from "./answers";
import { useModel } from "./model";

test("an answer is asked for once, and kept by its key", async () => {
  const answers = new Answers();
  const asked: string[] = [];
  const View = ({ of }: { of: string }) => {
    useModel(answers);
    const { found, problem, busy } = useAnswer(answers, of, async () => {
      asked.push(of);
      if (of === "bad") throw new Error("No.");
      return of.toUpperCase();
    });
    return <b>{busy ? "…" : (found ?? problem)}</b>;
  };
  const root = shown(<View of="" />);
  expect(root.textContent).toBe("");
  for (const [of, text] of [
    ["a", "A"],
    ["bad", "No."],
    ["a", "A"],
  ]) {
    root.show(<View of={of} />);
    await act(async () => {});
    expect(root.textContent).toBe(text);
  }
  expect(asked).toEqual(["a", "bad"]);
  await act(() => answers.clear());
  expect(answers.get("a").found).toBeNull();
});
