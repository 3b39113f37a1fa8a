import { expect, test } from "vitest";
import { shown } from "../testing/page";
import { Part } from "./Part";

const Result = ({ value }: { value: number | null }) => {
  if (value === null) throw new Error("result.json: no value");
  return <b>{value}</b>;
};
const parts = (value: number | null) => (
  <>
    <Part name="A solve">
      <Result value={value} />
    </Part>
    <i>the rest</i>
  </>
);

test("a damaged part says so, the rest is drawn, and it is drawn once it is whole", () => {
  const root = shown(parts(null));
  expect(root.textContent).toContain(
    "A solve cannot be shown, because a file of it is damaged (result.json: no value).",
  );
  expect(root.textContent).toContain("the rest");
  root.show(parts(3));
  expect(root.querySelector("b")?.textContent).toBe("3");
});
