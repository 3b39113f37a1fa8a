import { expect, test } from "vitest";
import { SolveForm } from "./model";

test("nothing is solved while another spot is read, and the last that was chosen remains", async () => {
  const form = new SolveForm();
  const shown: string[] = [];
  let answer = () => {};
  const slow = form.opening(async () => {
    await new Promise<void>((done) => {
      answer = done;
    });
    shown.push("slow");
  });
  const quick = form.opening(async () => void shown.push("quick"));
  await Promise.resolve();
  expect(form.why).toBe("The spot is being read.");
  answer();
  await Promise.all([slow, quick]);
  expect([shown, form.waits]).toEqual([["slow", "quick"], ""]);
});

test("a spot that cannot be read does not keep the next one from being shown", async () => {
  const form = new SolveForm();
  const broken = form.opening(async () => Promise.reject(new Error("The server does not answer.")));
  const next = form.opening(async () => {
    form.draft.given = "next";
  });
  await expect(broken).rejects.toThrow("does not answer");
  await next;
  expect([form.draft.given, form.waits]).toEqual(["next", ""]);
});
