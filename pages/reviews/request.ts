/** The form for a new review, and the query that it asks for. */
import { Problem } from "../api/client";
import type { ChartsView, Routes } from "../api/types";
import { readNumber } from "../shared/numbers";

export type Query = Routes["POST reviews"]["query"];

export type Form = {
  file: File | null;
  by: "charts" | "against";
  charts: string;
  against: string;
  player: string;
  target: string;
  seconds: string;
  /** In MiB. */
  memory: string;
  format: string;
  game: string;
  title: string;
};

export const EMPTY: Form = {
  file: null,
  by: "charts",
  charts: "",
  against: "",
  player: "",
  target: "0.5%pot",
  seconds: "60",
  memory: "",
  format: "",
  game: "",
  title: "",
};

export const FORMATS = [
  ["", "recognise it"],
  ["pokerstars", "PokerStars"],
  ["ggpoker", "GGPoker"],
  ["phh", "PHH"],
  ["acpc", "a dealer's log"],
] as const;

/** What is wrong, and with which field; none is that of the whole form. */
export type Wrong = { field: string; message: string };

const MIB = 1 << 20;

/** A number of a field that is above 0, or what is wrong with it. */
function positive(typed: string, field: string): { value: number; wrong: Wrong | null } {
  const { text, problem } = readNumber(typed);
  const value = Number(text);
  const message = problem || (value > 0 ? "" : "Write a number above 0.");
  return { value, wrong: message ? { field, message } : null };
}

/** The query of a form; or what is wrong with it. */
export function queryOf(form: Form): { query: Query; wrong: Wrong | null } {
  const wrong = (field: string, message: string) => ({ query: {}, wrong: { field, message } });
  if (!form.file) return wrong("file", "Choose a file with hands.");
  if (!form.file.size) return wrong("file", `${form.file.name} is empty.`);
  const query: Query = {
    player: form.player.trim() || null,
    format: (form.format || null) as Query["format"],
    game: form.game || null,
    title: form.title.trim() || form.file.name.replace(/\.[^.]*$/, "").slice(0, 200) || null,
  };
  if (form.by === "against") {
    if (!form.against) return wrong("against", "Choose what the hands are reviewed against.");
    return { query: { ...query, against: form.against }, wrong: null };
  }
  if (!form.charts) return wrong("charts", "Choose charts.");
  const seconds = positive(form.seconds, "seconds");
  const memory = form.memory.trim() ? positive(form.memory, "memory") : null;
  const charted = { ...query, charts: form.charts, target: form.target.trim(), seconds: seconds.value };
  const bytes = memory ? { memory: Math.round(memory.value * MIB) } : {};
  return { query: { ...charted, ...bytes }, wrong: seconds.wrong ?? memory?.wrong ?? null };
}

/** The fields of errors that do not name theirs. */
const FIELDS: Record<string, string> = {
  HistoryError: "file",
  MatchError: "player",
  ChartError: "charts",
  TargetError: "target",
  NoMemoryError: "memory",
};

/** Where an error of the server belongs. */
export function placed(error: unknown): Wrong {
  if (!(error instanceof Problem))
    return { field: "", message: String(error instanceof Error ? error.message : error) };
  if (error.field) return { field: error.field.replace("settings.", ""), message: error.text };
  return { field: FIELDS[error.type] ?? "", message: error.message };
}

/** What a pot is called by the raises before the flop. */
const POTS = ["limped", "single-raised", "three-bet", "four-bet", "five-bet"];

/** What charts have, in a sentence. */
export function aboutCharts({ situations, bets, error }: ChartsView): string {
  if (error) return error;
  const pots = situations.map(({ raises }) => POTS[raises] ?? "larger");
  const counts = [...new Set(pots)].map((pot) => `${pots.filter((one) => one === pot).length} ${pot}`);
  const size = bets ? "Their bet sizes are used." : "Bet sizes are chosen by time and memory.";
  const count = situations.length === 1 ? "1 situation" : `${situations.length} situations`;
  return `${count} (${counts.join(", ")}). ${size}`;
}

/** The charts for a file: one's own first, then those of the package for as many players. */
export function chartsFor(charts: ChartsView[], many: boolean): string {
  const seats = (one: ChartsView) => new Set(one.situations.flatMap(({ positions }) => positions)).size;
  const usable = charts.filter((one) => !one.error);
  const fit = usable.find((one) => !one.shipped || seats(one) > 2 === many) ?? usable[0];
  return fit?.name ?? "";
}
