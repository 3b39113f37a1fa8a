import { expect, test } from "vitest";
import type { JobView, ReviewJob } from "../api/types";
import { standing } from "./model";

const job = (state: JobView["state"], progress: ReviewJob["progress"]) =>
  ({ kind: "review", state, progress, waits: null }) as ReviewJob;

test("how a review stands", () => {
  const progress = { spots: 2, spots_wanted: 8, title: "BTN against BB, 9c8d3h" };
  expect(standing(job("running", progress))).toEqual({
    words: "Spot 3 of 8, BTN against BB",
    cards: "9c8d3h",
    done: 2,
    wanted: 8,
  });
  expect(standing(job("running", { ...progress, spots: 8 })).words).toBe("Spot 8 of 8, BTN against BB");
  expect(standing(job("running", { hands: 40, hands_wanted: 200 })).words).toBe("Hand 40 of 200");
  expect(standing(job("running", null)).words).toBe("The hands are being read.");
  expect(standing(job("queued", null)).words).toContain("waits");
});
