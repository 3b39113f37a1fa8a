import { expect, test } from "vitest";
import type { ReviewJob } from "../api/types";
import { shown } from "../testing/page";
import { Item } from "./Items";

const JOB: ReviewJob = {
  ...{ finished: null, error: null, solution: null, title: "Tuesday", command: "", created: "", starts_again: false },
  ...{ id: "a", state: "running", started: null, points: 0, waits: null },
  kind: "review",
  progress: null,
  result: null,
};

test("what is being made says how far it is, and what is done says what it came to", () => {
  const item = (job: ReviewJob) => (
    <Item title="Tuesday" href="/reviews/a" job={job} figure="−6 bb" progress={{ done: 2, wanted: 8 }} />
  );
  const root = shown(item(JOB));
  expect(root.textContent).toBe("Tuesdayrunning");
  expect(root.querySelector("progress")?.value).toBe(2);
  root.show(item({ ...JOB, state: "done" }));
  expect(root.textContent).toBe("Tuesday−6 bb");
  expect(root.querySelector("progress")).toBeNull();
  root.show(item({ ...JOB, state: "failed" }));
  expect(root.textContent).toBe("Tuesdayfailed");
});

test("what is damaged cannot be opened, and says why", () => {
  const root = shown(<Item title="Tuesday" href="" problem="The file is cut." />);
  expect(root.querySelector("a")).toBeNull();
  expect(root.querySelector(".problem")?.textContent).toBe("The file is cut.");
});
