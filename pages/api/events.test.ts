import { afterEach, expect, test, vi } from "vitest";
import { connected, serving, tell } from "../testing/page";
import { listen } from "./events";

afterEach(() => vi.useRealTimers());

test("events go to those who listen to their kind", async () => {
  const heard: unknown[] = [];
  const ends = [listen("job", (job) => heard.push(job)), listen("table", () => heard.push("table"))];
  await tell("job", { id: "one", gone: true });
  for (const end of ends) end();
  await tell("job", { id: "two", gone: true });
  expect(heard).toEqual([{ id: "one", gone: true }]);
});

test("a server that is gone is said once, and that it is back", async () => {
  vi.useFakeTimers();
  serving(() => {
    throw new TypeError("failed to fetch");
  });
  const said: string[] = [];
  const ends = [listen("job", () => {}), listen("server", (problem) => said.push(problem))];
  for (let i = 0; i < 3; i++) {
    connected(false);
    await vi.advanceTimersByTimeAsync(3000);
  }
  connected(true);
  expect(said).toEqual(["The server does not answer. Start errai serve again.", ""]);
  for (const end of ends) end();
});
