import { beforeEach, expect, test, vi } from "vitest";
import type { ReviewView } from "../api/types";
import { click, shown } from "../testing/page";
import { Filters } from "./Filters";
import { Sums } from "./Sums";

const sum = (loss: number) => ({ decisions: 2, loss_chips: loss, loss_mbb: 1000 * loss });
const REVIEW = {
  unit: "bb",
  by_street: [
    { street: "river", ...sum(4) },
    { street: "flop", ...sum(1) },
  ],
  by_player: [{ player: "Ann", ...sum(5) }],
  by_class: ["AA", "KK", "QQ", "JJ", "TT", "99", "88", "77"].map((name, i) => ({ class: name, ...sum(8 - i) })),
  by_line: [],
} as unknown as ReviewView;
const ALL = { all: false, page: 0 };

beforeEach(() => vi.stubGlobal("matchMedia", () => ({ matches: true })));

test("bars are as long as what was lost, and choose and unchoose what they are of", async () => {
  const put = vi.fn();
  const root = shown(<Sums review={REVIEW} chosen={ALL} put={put} />);
  const section = (name: string) => root.querySelector(`section[aria-label="${name}"]`);
  const widths = [...(section("By street")?.querySelectorAll<HTMLElement>(".bar > span") ?? [])];
  expect(widths.map(({ style }) => style.width)).toEqual(["100.0%", "25.0%"]);
  // What all decisions have in common is no choice.
  expect(section("By player")).toBeNull();
  await click(section("By street")?.querySelector("button"));
  root.show(<Sums review={REVIEW} chosen={{ ...ALL, street: "river" }} put={put} />);
  await click(section("By street")?.querySelector("[aria-pressed=true]"));
  expect(put.mock.calls).toEqual([[{ street: "river" }], [{ street: undefined }]]);
});

test("the greatest sums are shown first, and the others on demand", async () => {
  const root = shown(<Sums review={REVIEW} chosen={ALL} put={() => {}} />);
  const hands = () => root.querySelectorAll('section[aria-label="By hand"] li').length;
  expect(hands()).toBe(6);
  await click(root.querySelector('section[aria-label="By hand"] > button'));
  expect(hands()).toBe(8);
});

test("what the list is narrowed to is a chip, which undoes it", async () => {
  const put = vi.fn();
  const root = shown(<Filters chosen={{ ...ALL, line: "", street: "river" }} put={put} />);
  const chips = [...root.querySelectorAll(".chip")];
  expect(chips.map((one) => one.textContent)).toEqual([
    "No longer only street river ×",
    "No longer only line first decision ×",
  ]);
  await click(chips[1]);
  expect(put).toHaveBeenCalledWith({ line: undefined });
});
