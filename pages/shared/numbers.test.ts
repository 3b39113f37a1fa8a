import { expect, test } from "vitest";
import { chips, fileSize, memory, percent, readNumber, readWhole, seconds } from "./numbers";

const NUMBERS: Record<string, string> = {
  "1,500": "1500",
  "19,900.5": "19900.5",
  "1,234,567": "1234567",
  "1500": "1500",
  "1.5": "1.5",
  ".5": "0.5",
  "-.5": "-0.5",
  "−3": "-3",
  "007": "7",
  " 20 ": "20",
};
// What half of the world reads as a point is no number, and neither is anything else.
const COMMAS = ["1,5", "0,500", "1,50", "1,5000", "12,34,567", "1.500,00", "1,500,00", "1, 500", ",5", "1,"];
const OTHERS = ["1 500", "1e3", "five", ""];

test("one reader reads all numbers of the pages", () => {
  for (const [typed, text] of Object.entries(NUMBERS)) expect(readNumber(typed), typed).toEqual({ text, problem: "" });
  for (const typed of COMMAS) {
    expect(readNumber(typed).text, typed).toBe("");
    expect(readNumber(typed).problem, typed).toContain("two ways");
  }
  for (const typed of OTHERS) {
    expect(readNumber(typed).text, typed).toBe("");
    expect(readNumber(typed).problem, typed).toMatch(/is not a number|Write a number/);
  }
});

test("it reads what the pages write", () => {
  for (const one of [1500, 19900, 1234567.5, 0.1, 7]) expect(Number(readNumber(chips(one)).text)).toBe(one);
});

test("whole numbers have bounds", () => {
  expect(readWhole("1,000", "Hands", 1)).toEqual({ value: 1000, problem: "" });
  expect(readWhole("0", "Hands", 1).problem).toBe("Hands: write a whole number of at least 1.");
  expect(readWhole("1.5", "Stacks", 1, 10000).problem).toBe("Stacks: write a whole number from 1 to 10,000.");
  expect(readWhole("1,5", "Seed", 0).problem).toContain("Seed: 1,5 can be read in two ways");
});

test("amounts are written in units that fit", () => {
  expect([memory(0), memory(1536), memory(3 * 1024 ** 3)]).toEqual(["0 B", "1.5 KiB", "3 GiB"]);
  expect([fileSize(999), fileSize(1500), fileSize(73_200_000)]).toEqual(["999 B", "1.5 kB", "73.2 MB"]);
  expect([2e-5, 0.25, 90, 600, 9000].map(seconds)).toEqual(["20 µs", "250 ms", "90 s", "10 min", "2.5 h"]);
  expect([percent(0.1234), percent(1), percent(0), percent(null)]).toEqual(["12.3 %", "100 %", "0 %", "–"]);
  expect([chips(null), chips(-2)]).toEqual(["–", "-2"]);
});
