import { expect, test, vi } from "vitest";
import { click, settled, shown } from "../testing/page";
import { CopyButton } from "./CopyButton";
import { Said } from "./Said";

test("a command is copied, and that is said", async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const root = shown(
    <>
      <CopyButton text="errai show x" />
      <Said />
    </>,
  );
  await click(root.querySelector("button"));
  await settled();
  expect(writeText).toHaveBeenCalledWith("errai show x");
  expect(root.querySelector("[role=status]")?.textContent).toBe("Copied.");
  expect(root.querySelector("[role=status]")?.className).toBe("shown");
});
