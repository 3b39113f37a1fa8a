/** Questions and grades in words. */
import type { AnswerView, ChoiceView, DrillSum, Grade, QuestionView, TotalsView } from "../api/types";
import { inWords } from "../shared/Cards";
import { chips, counted, digits, whole } from "../shared/numbers";

/** Grades: their names, and signs that tell them apart without colours. */
export const GRADES: Record<Grade, { name: string; sign: string }> = {
  right: { name: "Right", sign: "✓" },
  inaccurate: { name: "Inaccurate", sign: "≈" },
  mistake: { name: "Mistake", sign: "✗" },
};

/** A sentence that begins with a capital letter. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What an answer is worth, without its grade. */
export const worthWords = ({ words }: Pick<AnswerView, "words">): string =>
  sentence(words.replace(/^\w+: /, "")).replace(/(\d)%/g, "$1 %");

/** What is said of the size of an action: "60 % of the pot", "100 chips", "all-in". */
export function sizeWords({ action, chips: cost, pot_percent: percent, all_in: allIn }: ChoiceView): string {
  const named = Number(action.match(/[\d.]+$/)?.[0] ?? NaN);
  const parts = [
    allIn && "all-in",
    cost > 0 && named !== cost && !allIn && (Number.isNaN(named) ? `${chips(cost)} chips` : `${chips(cost)} more`),
    percent !== null && `${digits(percent)} % pot`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** Where the user decides: "Turn, out of position, pot 200, 100 to call". */
export function placeWords(question: QuestionView): string {
  const { street, player_name: seat, pot_chips: pot, to_call_chips: cost } = question;
  const parts = [sentence(street), seat, `pot ${chips(pot)}`, cost > 0 && `${chips(cost)} to call`];
  return parts.filter(Boolean).join(", ");
}

/** What a listener has to hear of a question. */
export function questionHeard(question: QuestionView): string {
  const { number, again, hand, board, streets, actions } = question;
  const done = streets.filter((one) => one.said.length).map((one) => `${one.street}: ${one.said.join("; ")}.`);
  const table = board.length ? [`On the table: ${board.map(inWords).join(", ")}.`] : [];
  const choices = actions.map((one, i) => [`${i + 1} ${one.action}`, sizeWords(one)].filter(Boolean).join(", "));
  return [
    `Question ${number}${again ? ", asked again" : ""}.`,
    `You hold ${hand.map(inWords).join(" and ")}.`,
    ...table,
    ...done,
    `${placeWords(question)}.`,
    `Your choices: ${choices.join("; ")}.`,
  ].join(" ");
}

/** What a listener has to hear of an answer. */
export const answerHeard = (answer: AnswerView): string => `${GRADES[answer.grade].name}. ${worthWords(answer)}`;

/** A mean loss of the pot; a dash where no EV is known. */
export const lossText = (percent: number | null): string =>
  percent === null ? "–" : `${Number(percent.toPrecision(2))} %`;

/** A line as it is listed. */
export const lineText = (line: string): string => line.replace(/ \/$/, "") || "at the root";

/** A sum of big blinds lost; empty without any. */
export const blindsText = (mbb: number | null): string => (mbb ? `${digits(mbb / 1000)} bb` : "");

/** How many answers there were and how many were right, such as "7 of 8". */
export const rightText = ({ right, decisions }: Pick<DrillSum, "right" | "decisions">): string =>
  `${whole(right)} of ${whole(decisions)}`;

/** The totals: how many were right, and what the others were. */
export function totalsWords(totals: TotalsView): { right: string; others: string } {
  const { answers, right, inaccurate, mistake, loss_pot_percent: loss } = totals;
  const each = loss === null ? "" : `; ${lossText(loss)} of the pot lost per answer`;
  const others = `${inaccurate} inaccurate, ${counted(mistake, "mistake")}${each}.`;
  return { right: `${rightText({ right, decisions: answers })} right`, others };
}

/** The address of a decision in Study. */
export function studyAddress({ solution, line, hand }: Pick<AnswerView, "solution" | "line" | "hand">): string {
  const query = new URLSearchParams({ ...(line ? { line } : {}), hand: hand.join("") });
  return `/study/${encodeURIComponent(solution)}?${query}`;
}

/** A day of another time: "today", "tomorrow", "Mon, 30 November". */
export function dayText(due: string, now = new Date()): string {
  const day = new Date(due);
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  if (day < midnight) return "today";
  midnight.setDate(midnight.getDate() + 1);
  if (day < midnight) return "tomorrow";
  return day.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "long" });
}
