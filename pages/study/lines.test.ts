import { expect, test } from "vitest";
import type { ColumnView } from "../api/types";
import { after, anyCard, dealLine, otherCard } from "./lines";

const option = (step: string, taken = false) => ({
  step,
  label: step,
  colour: "#000",
  all_in: false,
  frequency: null,
  taken,
});
const column = (line: string, more: Partial<ColumnView>): ColumnView => ({
  line,
  street: "turn",
  pot_chips: 10,
  kind: "action",
  player: 0,
  player_name: "oop",
  options: [],
  card: null,
  locked: false,
  ...more,
});
const COLUMNS = [
  column("", { options: [option("check", true), option("bet 5")] }),
  column("check", { kind: "card", card: "Ah" }),
  column("check / Ah /", { options: [option("check"), option("bet 5", true)] }),
];

test("a line goes on by an action or a deal", () => {
  expect(after("", "check")).toBe("check");
  expect(after("check", "Ah", true)).toBe("check / Ah /");
  expect(anyCard("check / QsJh2c / check / Ah /")).toBe("check / * / check / * /");
});

test("another card keeps the actions after it, and no card of the board is taken", () => {
  const view = { columns: COLUMNS, cards: ["Ad", "Ah", "As", "Kh"], board: ["Ah", "As"] };
  expect(otherCard(view, 1)).toBe("check / Kh / bet 5");
  expect(otherCard(view, -1)).toBe("check / Ad / bet 5");
  expect(otherCard({ ...view, cards: ["Ah", "As"] }, 1)).toBeNull();
  expect(otherCard({ ...view, columns: COLUMNS.slice(0, 1) }, 1)).toBeNull();
});

test("cards come after the node itself, or after the last deal", () => {
  expect(dealLine({ kind: "chance", line: "check", columns: COLUMNS.slice(0, 1) })).toBe("check");
  expect(dealLine({ kind: "decision", line: "check / Ah / bet 5", columns: COLUMNS })).toBe("check");
  expect(dealLine({ kind: "decision", line: "check", columns: COLUMNS.slice(0, 1) })).toBeNull();
});
