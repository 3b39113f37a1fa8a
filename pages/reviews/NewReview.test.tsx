import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import { button, click, settled, shown } from "../testing/page";
import { Reviews } from "./model";
import { NewReview } from "./NewReview";

const CHARTS = { name: "heads-up", shipped: true, error: null, situations: [] };

/** A file whose text comes when the test says so. */
function late(name: string, size: number): { file: File; read: () => void } {
  let read = () => {};
  const text = new Promise<string>((done) => {
    read = () => done("");
  });
  return { file: { name, size, slice: () => ({ text: () => text }) } as unknown as File, read };
}

test("what is said of a form that was sent stays when its file and the charts are read later", async () => {
  const reviews = new Reviews();
  const root = shown(<NewReview reviews={reviews} />);
  const { file, read } = late("empty.txt", 0);
  const field = root.querySelector<HTMLInputElement>("#review-file");
  await act(() => {
    Object.defineProperty(field, "files", { value: [file] });
    field?.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await click(button(root, "Review the hands"));
  const said = () => root.querySelector("[role=alert]")?.textContent;
  expect(said()).toBe("empty.txt is empty.");
  read();
  await settled();
  expect(said()).toBe("empty.txt is empty.");
  reviews.charts = [CHARTS] as unknown as Reviews["charts"];
  root.show(<NewReview reviews={reviews} />);
  await settled();
  expect(said()).toBe("empty.txt is empty.");
});
