/** The form for a new report, and the job that it asks for. */
import { messageOf, Problem } from "../api/client";
import type { ReportEstimateRequest, ReportSettings } from "../api/types";
import { readWhole } from "../shared/numbers";

export type Form = {
  /** The text of the spot. */
  spot: string;
  /** Number of flops of a set, or "own". */
  flops: string;
  /** Flops of one's own. */
  list: string;
  /** A line in each row; none for the usual ones. */
  lines: string;
  target: string;
  locks: string;
  processes: string;
  title: string;
};

export const EMPTY: Form = {
  spot: "",
  flops: "25",
  list: "",
  lines: "",
  target: "0.5%pot",
  locks: "",
  processes: "",
  title: "",
};

export const SETS = [
  ["25", "25 flops"],
  ["49", "49"],
  ["95", "95"],
  ["184", "184"],
  ["1755", "all 1,755"],
  ["own", "my own"],
] as const;

export type Wrong = { field: string; message: string };

/** The request of a form, and what is wrong with it. */
export function requestOf(form: Form): { request: ReportEstimateRequest; wrong: Wrong | null } {
  const settings: ReportSettings = { target: form.target.trim() };
  if (form.flops === "own") settings.flop_list = form.list;
  else settings.flops = Number(form.flops);
  const lines = form.lines.split("\n").map((line) => line.trim());
  const typed = lines.filter(Boolean);
  // The first decision is always read.
  if (typed.length) settings.lines = ["", ...new Set(typed)];
  if (form.locks.trim()) settings.locks = form.locks;
  const request = { subject: { spot: form.spot }, settings };
  const wrong = (field: string, message: string) => ({ request, wrong: { field, message } });
  if (!form.spot.trim()) return wrong("spot", "Choose a spot.");
  if (form.flops === "own" && !form.list.trim()) return wrong("list", "Write flops here, one in each row.");
  if (form.processes.trim()) {
    const { value, problem } = readWhole(form.processes, "Processes", 1, 256);
    if (problem) return wrong("processes", problem);
    settings.processes = value;
  }
  return { request, wrong: null };
}

const FIELDS: Record<string, string> = { LineError: "lines", LockError: "locks", TargetError: "target" };

/** Where an error of the server belongs. */
export function placed(error: unknown, form: Form): Wrong {
  const message = messageOf(error);
  if (!(error instanceof Problem)) return { field: "", message };
  const [part, ...rest] = error.field.split(".");
  if (part === "settings") return { field: rest[0] === "flop_list" ? "list" : (rest[0] ?? ""), message: error.text };
  if (part === "spot" || part === "subject") return { field: "spot", message };
  if (FIELDS[error.type]) return { field: FIELDS[error.type], message };
  if (form.flops === "own" && /flop/.test(message) && error.type === "InputError") return { field: "list", message };
  return { field: error.status === 422 ? "spot" : "", message };
}
