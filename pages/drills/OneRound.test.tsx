import { act } from "preact/test-utils";
import { expect, test, vi } from "vitest";
import type { DrillView } from "../api/types";
import { KeysDialog } from "../app/keys";
import { ANSWER, DRILL, QUESTION, TOTALS } from "../testing/drill";
import { button, click, press, type Request, serving, shown } from "../testing/page";
import { OneRound } from "./OneRound";

const NEXT: DrillView = { ...DRILL, question: { ...QUESTION, number: 4, hand: ["7c", "7d"] } };
const settled = () => act(() => new Promise((done) => setTimeout(done, 5)));

/** A server with a round, whose questions are those of `drills`, one after the other. */
function server(drills: DrillView[], answer: (request: Request) => { status?: number; body?: unknown }): Request[] {
  let at = 0;
  return serving((request) => {
    if (request.url.includes("/answers?")) return { body: { answers: [], total: 0 } };
    if (request.url.endsWith("/answers")) return answer(request);
    return { body: drills[Math.min(at++, drills.length - 1)] };
  });
}

async function opened(): Promise<HTMLElement> {
  window.scrollTo = vi.fn();
  Element.prototype.scrollIntoView = vi.fn();
  const root = shown(
    <>
      <OneRound id="turn-1" />
      <KeysDialog />
    </>,
  );
  await settled();
  return root;
}

test("a question is answered by keys, graded at once, and the next one comes by Enter", async () => {
  const totals = { ...TOTALS, answers: 3, mistake: 1, streak: 0 };
  const asked = server([DRILL, NEXT], () => ({ body: { answer: ANSWER, drill: { ...DRILL, totals } } }));
  const root = await opened();
  const heard = () => root.querySelector("[data-heard]")?.textContent ?? "";
  expect(heard()).toContain("Question 3.");
  expect(root.querySelector(".verdict, .graded, a[href^='/study']")).toBeNull();
  await press(document.body, "9");
  await press(document.body, "c");
  await settled();
  expect(asked.filter((one) => one.method === "POST").map((one) => one.body)).toEqual([{ number: 3, action: "call" }]);
  expect(heard()).toBe("Mistake. Call loses 15.8 chips (7.9 % of the pot, 1.58 bb) against fold.");
  const rows = [...root.querySelectorAll(".graded tbody tr")];
  expect(rows.map((row) => row.getAttribute("aria-current"))).toEqual([null, "true", null]);
  expect(rows[1].textContent).toContain("yours");
  expect(rows[2].textContent).toContain("best");
  expect(root.querySelector("#in-study")?.getAttribute("href")).toBe("/study/turn?line=check+bet+100&hand=AcKd");
  await press(document.body, "2");
  await press(document.body, "Enter");
  await settled();
  expect(heard()).toContain("Question 4. You hold 7 of clubs and 7 of diamonds.");
  expect(root.querySelector(".verdict")).toBeNull();
  expect(asked.filter((one) => one.method === "POST")).toHaveLength(1);
});

test("letters name actions, and one that means several goes to the first of them", async () => {
  const bets = [...QUESTION.actions, { ...QUESTION.actions[2], action: "raise 200", all_in: false }];
  const asked = server([{ ...DRILL, question: { ...QUESTION, actions: bets } }], () => ({
    body: { answer: ANSWER, drill: DRILL },
  }));
  const root = await opened();
  await press(document.body, "r");
  expect(document.activeElement?.textContent).toContain("raise 300");
  await press(document.body, "a");
  await settled();
  expect(asked.find((one) => one.method === "POST")?.body).toEqual({ number: 3, action: "raise 300" });
  expect(root.querySelector(".verdict")).not.toBeNull();
});

test("a question that was answered elsewhere gives way to the one that waits", async () => {
  const error = { type: "StaleError", message: "Question 3 is not the one that waits." };
  server([DRILL, NEXT], () => ({ status: 409, body: { error } }));
  const root = await opened();
  await press(document.body, "1");
  await settled();
  expect(root.querySelector("h2")?.textContent).toBe("Question 4 of 5");
  expect(root.querySelector(".note")?.textContent).toContain("Question 3 has been answered already");
});

test("what is wrong is said beside the question, which can be answered again", async () => {
  const error = { type: "RunInUseError", message: "The file is in use by another drill." };
  let fails = true;
  server([DRILL, NEXT], () => (fails ? { status: 409, body: { error } } : { body: { answer: ANSWER, drill: DRILL } }));
  const root = await opened();
  await click(button(root, "fold 1"));
  await settled();
  expect(root.querySelector(".problem")?.textContent).toContain("in use by another drill");
  expect(root.querySelector("h2")?.textContent).toBe("Question 3 of 5");
  fails = false;
  await press(document.body, "1");
  await settled();
  expect(root.querySelector(".problem")).toBeNull();
  expect(root.querySelector(".verdict strong")?.textContent).toBe("Mistake");
});

test("without a server the page says so, and goes on when it is back", async () => {
  let down = false;
  const drills = [DRILL, NEXT];
  serving(({ url }) => {
    if (down) throw new Error("no connection");
    if (url.includes("/answers?")) return { body: { answers: [], total: 0 } };
    if (!url.endsWith("/answers")) return { body: drills.shift() ?? NEXT };
    down = true;
    return { body: { answer: ANSWER, drill: DRILL } };
  });
  const root = await opened();
  await press(document.body, "1");
  await settled();
  await press(document.body, "Enter");
  await settled();
  expect(root.querySelector(".problem")?.textContent).toContain("The server does not answer");
  expect(root.querySelector(".verdict")).not.toBeNull();
  down = false;
  await act(() => new Promise((done) => setTimeout(done, 1700)));
  expect(root.querySelector("h2")?.textContent).toBe("Question 4 of 5");
  expect(root.querySelector(".problem")).toBeNull();
});

test("the end has the totals by street and by line, and what comes again", async () => {
  const sum = { decisions: 5, right: 4, loss_pot_percent: 1.25 };
  const coming = [
    { line: "", hand: ["Ac", "Kd"], due: new Date(Date.now() + 864e5).toISOString() },
    { line: "check", hand: ["7c", "7d"], due: new Date(0).toISOString() },
  ];
  const over = {
    ...DRILL,
    over: true,
    question: null,
    totals: {
      ...TOTALS,
      answers: 5,
      right: 4,
      mistake: 1,
      by_street: [{ name: "turn", ...sum }],
      by_line: [{ name: "", ...sum }],
    },
    repetition: { file: "", kept: 2, due: 1, next_day: null, coming },
  };
  server([over], () => ({}));
  const root = await opened();
  expect(root.querySelector(".result")?.textContent).toBe("4 of 5 right");
  expect(root.querySelector(".sum")?.textContent).toBe("0 inaccurate, 1 mistake; 0 % of the pot lost per answer.");
  const cells = [...root.querySelectorAll(".over table tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
  expect(cells).toEqual([
    ["turn", "4 of 5", "", "1.3 %"],
    ["at the root", "4 of 5", "", "1.3 %"],
  ]);
  const days = [...root.querySelectorAll(".coming dt")].map((one) => one.textContent);
  expect(days).toEqual(["tomorrow", "today"]);
});

test("a round that cannot be opened says why, and leads to the others", async () => {
  serving(() => ({ status: 404, body: { error: { type: "UnknownNameError", message: "There is no such drill." } } }));
  const root = await opened();
  expect(root.querySelector("[role=alert]")?.textContent).toBe("There is no such drill.");
  expect([...root.querySelectorAll("a[href='/drills']")]).toHaveLength(2);
});
