import { expect, test, vi } from "vitest";
import { History } from "./history";

test("a step is what was typed into one field without a pause", () => {
  vi.useFakeTimers();
  const history = new History();
  const field = {};
  history.begin("");
  expect(history.canGoBack).toBe(false);
  for (const text of ["1", "12", "123"]) history.put(text, field, "pot");
  history.put("none");
  vi.advanceTimersByTime(5000);
  history.put("4", field, "pot");
  vi.advanceTimersByTime(5000);
  history.put("45", field, "pot");
  expect([history.back(), history.back(), history.back(), history.back(), history.back()]).toEqual([
    "4",
    "none",
    "123",
    "",
    null,
  ]);
  expect(history.forward()).toBe("123");
  // What is typed after a step back is what follows.
  history.put("other");
  expect(history.canGoForward).toBe(false);
  expect(history.back()).toBe("123");
  vi.useRealTimers();
});

test("two changes that are steps of their own are two steps", () => {
  const history = new History();
  history.begin("a");
  history.put("b");
  history.put("c");
  history.put("c");
  expect(history.back()).toBe("b");
  expect(history.back()).toBe("a");
});
