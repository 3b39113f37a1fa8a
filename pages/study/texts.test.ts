import { expect, test } from "vitest";
import { tenths, worth } from "../shared/numbers";
import { NODE } from "../testing/node";
import { summarise } from "./hands";
import { cellText, heard, hundredths, named, reachedText, weightText } from "./texts";

test("small shares are not rounded to 0, nor large ones to 100", () => {
  expect([0, 1, 0.5, 1e-5, 0.99999, null].map((share) => tenths(share))).toEqual([
    "0",
    "100",
    "50.0",
    "<0.1",
    ">99.9",
    "–",
  ]);
  expect(tenths(0.996, 0)).toBe(">99");
});

test("an EV has the decimals that its pot is worth", () => {
  expect([worth(12.3456, 100), worth(1234.56, 10000), worth(1 / 3, 2), worth(-1e-9, 100), worth(null, 1)]).toEqual([
    "12.3",
    "1,235",
    "0.333",
    "0.0",
    "–",
  ]);
});

test("weights and probabilities that are small keep a digit", () => {
  expect([0, 0.0004321, 0.25, 123.44, null].map(weightText)).toEqual(["0", "0.0004", "0.25", "123.4", "–"]);
  expect([0, 1e-5, 0.02].map(reachedText)).toEqual(["never", "once in 100,000 hands", "2.0 %"]);
  expect(hundredths(0.4567)).toBe("45.7");
});

test("actions have the names that players give them", () => {
  expect(named({ label: "bet 120", all_in: false })).toBe("bet 120");
  expect([named({ label: "raise 20000", all_in: true }), named({ label: "fold" })]).toEqual(["all-in 20,000", "fold"]);
});

test("a screen reader hears what a cell shows", () => {
  const { items } = summarise(NODE, 0);
  expect(heard(items[0], "strategy", NODE)).toBe("AKs: check 25 %, bet 50 75 %, EV 60.0");
  expect(heard(items[1], "equity", NODE)).toBe("QQ: check 100 %, equity 40.0 %, EV 30.0");
  expect(heard(items[2], "ev", NODE)).toBe("KK: not in the range");
  expect(heard(items[3], "ev", NODE)).toBe("AA: on the board");
  expect(heard(summarise(NODE, 1).items[0], "strategy", NODE)).toBe("AKs: weight 1.00, EV 45.0");
  expect([cellText(items[0], "ev", 100), cellText(items[0], "strategy", 100), cellText(items[2], "ev", 100)]).toEqual([
    "60.0",
    "",
    "",
  ]);
  expect(cellText({ ...items[0], ev: 23456 }, "ev", 100000)).toBe("23k");
});
