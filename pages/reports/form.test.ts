import { expect, test, vi } from "vitest";
import { serving } from "../testing/page";
import { ReportForm } from "./form";

test("a report waits for the spot of a solution, and of several that are chosen the last counts", async () => {
  const late: (() => void)[] = [];
  const asked = serving(async ({ method, url }) => {
    if (method === "POST") return { body: { id: "j1" } };
    await new Promise<void>((done) => late.push(done));
    return { body: { subject: { spot: url.includes("/first/") ? "the first" : "the second" }, settings: {} } };
  });
  const model = new ReportForm();
  model.from("first");
  model.from("second");
  await vi.waitFor(() => expect(late).toHaveLength(2));
  const started = model.start();
  late[1]();
  await vi.waitFor(() => expect(model.form.spot).toBe("the second"));
  late[0]();
  await started;
  expect(model.form.spot).toBe("the second");
  expect(asked.at(-1)?.body).toMatchObject({ kind: "report", subject: { spot: "the second" } });
  model.from("first");
  await vi.waitFor(() => expect(late).toHaveLength(3));
  model.put({ spot: "typed" });
  late[2]();
  await model.start();
  expect(model.form.spot).toBe("typed");
});
