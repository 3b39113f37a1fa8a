import { expect, test, vi } from "vitest";
import { button, click, settled, shown } from "../testing/page";
import { Keep } from "./Keep";

test("a range gets a name; what is wrong is said beside it; what is there can be removed", async () => {
  const keep = vi.fn(async (name: string) => {
    if (name === "loose") throw new Error("The library has a range 'loose' already.");
  });
  const remove = vi.fn(async () => {});
  const root = shown(<Keep id="k" what="range" own={["loose"]} keep={keep} remove={remove} />);
  expect(root.querySelector("form")).toBeNull();
  await click(button(root, "Save the range to your library"));
  const field = root.querySelector("input") as HTMLInputElement;
  expect(document.activeElement).toBe(field);
  await click(button(root, "Save"));
  expect(root.querySelector("[role=alert]")?.textContent).toBe("Write a name.");
  field.value = "loose";
  await click(button(root, "Save"));
  await settled();
  expect(root.querySelector("[role=alert]")?.textContent).toContain("already");
  field.value = " tight ";
  await click(button(root, "Save"));
  await settled();
  expect(keep.mock.calls).toEqual([["loose"], ["tight"]]);
  expect(root.querySelector("form")).toBeNull();
  await click(button(root, "Save the range to your library"));
  await click(button(root, "Remove loose from your library"));
  expect(remove.mock.calls).toEqual([["loose"]]);
});
