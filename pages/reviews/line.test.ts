import { expect, test } from "vitest";
import { partsOf, sentenceOf } from "./line";

const told = (line: string, street: string) =>
  partsOf(line, street).map((part) => [part.street, part.cards, sentenceOf(part, "Ann")]);

test("a line of a flop is told street by street, with who acts", () => {
  expect(told("check bet 165 call / Kh / check check / 8s / check", "river")).toEqual([
    ["flop", "", "The opponent checks, Ann bets 165, the opponent calls."],
    ["turn", "Kh", "The opponent checks, Ann checks."],
    ["river", "8s", "The opponent checks."],
  ]);
});

test("bets in big blinds stay with their actions", () => {
  expect(told("check bet 3.3bb call / Kh /", "turn")[0][2]).toBe("Ann checks, the opponent bets 3.3 bb, Ann calls.");
});

test("a street that begins has cards and no actions", () => {
  expect(told("check bet 165 call / Kh /", "turn")).toEqual([
    ["flop", "", "Ann checks, the opponent bets 165, Ann calls."],
    ["turn", "Kh", ""],
  ]);
  expect(told("", "flop")).toEqual([["flop", "", ""]]);
});

test("a raise is to an amount, and a raise before the flop is nobody's, as who acts first there is not known", () => {
  expect(told("raise 250 call / 7c6d2h / check bet 300 raise 900", "flop")).toEqual([
    ["preflop", "", "Raises to 250, calls."],
    ["flop", "7c6d2h", "The opponent checks, Ann bets 300, the opponent raises to 900."],
  ]);
  expect(told("call raise 300", "preflop")).toEqual([["preflop", "", "Ann calls, the opponent raises to 300."]]);
});
