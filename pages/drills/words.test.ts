import { expect, test } from "vitest";
import { ANSWER, QUESTION } from "../testing/drill";
import { blindsText, dayText, lineText, lossText, questionHeard, sizeWords, studyAddress, worthWords } from "./words";

test("a question is heard with everything that the table shows", () => {
  expect(questionHeard(QUESTION)).toBe(
    "Question 3. You hold ace of clubs and king of diamonds. On the table: queen of spades, jack of hearts, " +
      "2 of spades, 8 of hearts. turn: you check; in position bets 100. " +
      "Turn, out of position, pot 200, 100 to call. " +
      "Your choices: 1 fold; 2 call, 100 chips; 3 raise 300, all-in, 66.7 % pot.",
  );
  expect(questionHeard({ ...QUESTION, again: true })).toContain("Question 3, asked again.");
});

test("a size is said once", () => {
  const bet = { action: "bet 120", chips: 120, pot_percent: 60, all_in: false, colour: "" };
  expect(sizeWords(bet)).toBe("60 % pot");
  expect(sizeWords({ ...bet, action: "raise 180" })).toBe("120 more, 60 % pot");
  expect(sizeWords({ ...bet, action: "check", chips: 0, pot_percent: null })).toBe("");
});

test("what an answer is worth stands without its grade", () => {
  expect(worthWords(ANSWER)).toBe("Call loses 15.8 chips (7.9 % of the pot, 1.58 bb) against fold.");
});

test("losses that are not known are dashes", () => {
  expect([null, 0, 0.123].map(lossText)).toEqual(["–", "0 %", "0.12 %"]);
  expect([null, 0, 1580].map(blindsText)).toEqual(["", "", "1.58 bb"]);
  expect(["", "check check / Ts /", "check"].map(lineText)).toEqual(["at the root", "check check / Ts", "check"]);
});

test("a decision is opened in Study with its hand", () => {
  expect(studyAddress(ANSWER)).toBe("/study/turn?line=check+bet+100&hand=AcKd");
  expect(studyAddress({ ...ANSWER, line: "" })).toBe("/study/turn?hand=AcKd");
});

test("days are named as people do", () => {
  const now = new Date(2026, 10, 28, 22, 0);
  const day = (n: number, hour = 9) => dayText(new Date(2026, 10, n, hour).toISOString(), now);
  expect([day(27), day(28, 23), day(29, 1), day(30), day(31)]).toEqual([
    "today",
    "today",
    "tomorrow",
    "Mon 30 November",
    "Tue 1 December",
  ]);
});
