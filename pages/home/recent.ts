/** What was worked on last, in all rooms. */
import type { DrillSummary, DueView, JobView, ReportView, SolutionView, TableSummary } from "../api/types";
import { hasEnded } from "../shared/jobs";
import { chips, digits, seconds, whole } from "../shared/numbers";

/** All that the folder holds. */
export type Held = {
  jobs: JobView[];
  solutions: SolutionView[];
  tables: TableSummary[];
  drills: DrillSummary[];
  due: DueView[];
  reports: ReportView[];
};

export type Recent = {
  /** The room that it opens in, and its address. */
  room: string;
  href: string;
  title: string;
  /** How it stands. */
  what: string;
  /** What is wrong; empty if nothing is. */
  problem: string;
  /** In milliseconds since 1970; what runs is newer than everything else. */
  when: number;
  /** How much of it is done, while it runs; null where that is not known. */
  done: number | null;
  running: boolean;
};

const counted = (count: number, one: string): string => `${whole(count)} ${count === 1 ? one : `${one}s`}`;
const isNumber = (value: unknown): value is number => typeof value === "number";

/** The rooms of jobs; the rest of them is listed by what it makes. */
const ROOMS: Record<string, string> = {
  solve: "solve",
  review: "reviews",
  report: "reports",
  match: "matches",
  lbr: "matches",
};
/** What jobs count, one thing of it. */
const COUNTED = { flops: "flop", spots: "spot", hands: "hand" };
const KINDS: Record<string, string> = { lbr: "local best response" };
const STATES: Partial<Record<JobView["state"], string>> = {
  queued: "waits for other jobs",
  stopping: "stopping",
  stopped: "stopped",
  failed: "failed",
};

type Numbers = Record<string, unknown>;

/** How far a job is: in words, and as a share. */
function standing(progress: Numbers): { words: string[]; done: number | null } {
  for (const [key, one] of Object.entries(COUNTED)) {
    const [now, wanted] = [progress[key], progress[`${key}_wanted`]];
    if (!isNumber(now) || !isNumber(wanted)) continue;
    return { words: [`${whole(now)} of ${counted(wanted, one)}`], done: wanted ? now / wanted : null };
  }
  const off = progress.exploitability_pot_percent;
  return { words: isNumber(off) ? [`exploitable by ${digits(off)} % of the pot so far`] : [], done: null };
}

/** What a job has found. */
function foundBy({ kind, result }: JobView): string[] {
  const found = { ...result } as Numbers;
  if (kind === "review" && isNumber(found.decisions) && isNumber(found.loss_chips)) {
    return [counted(found.decisions, "decision"), `${digits(found.loss_chips)} ${found.unit} lost`];
  }
  return isNumber(found.hands) ? [counted(found.hands, "hand")] : [];
}

function ofJob(job: JobView): Recent {
  const room = ROOMS[job.kind] ?? "solve";
  const running = !hasEnded(job);
  const progress = (running ? { ...job.progress } : {}) as Numbers;
  const { words, done } = standing(progress);
  const left = progress.seconds_left;
  const state = STATES[job.state] ?? "";
  const said = [
    KINDS[job.kind] ?? job.kind,
    state,
    ...(running ? words : foundBy(job)),
    isNumber(left) ? `about ${seconds(Math.max(1, Math.round(left)))} left` : "",
  ];
  return {
    room,
    href: `/${room}/${job.id}`,
    title: job.title,
    what: said.filter(Boolean).join(", "),
    problem: job.error?.message ?? "",
    when: Date.parse(job.finished ?? job.created),
    done: running ? done : null,
    running,
  };
}

const still = { done: null, running: false };

const ofSolution = (one: SolutionView): Recent => ({
  ...still,
  room: "study",
  href: `/study/${encodeURIComponent(one.name)}`,
  title: one.title || one.name,
  what: one.exploitability ? `exploitable by ${digits(one.exploitability.pot_percent)} % of the pot` : one.status,
  problem: one.error,
  when: 1000 * one.modified,
});

const ofTable = (one: TableSummary): Recent => ({
  ...still,
  room: "play",
  href: `/play/${one.id}`,
  title: `Against ${one.opponent}`,
  what: [
    counted(one.hands, "hand"),
    one.hands ? `${one.won_chips < 0 ? "−" : "+"}${chips(Math.abs(one.won_chips))} chips` : "",
    one.in_hand ? `in hand ${whole(one.hands + 1)}` : "",
  ]
    .filter(Boolean)
    .join(", "),
  problem: one.damaged,
  when: 1000 * one.modified,
});

const ofDrill = (one: DrillSummary): Recent => ({
  ...still,
  room: "drills",
  href: `/drills/${one.id}`,
  title: one.title,
  what: one.totals
    ? `drill, ${whole(one.totals.answers)} of ${counted(one.count, "answer")}, ${whole(one.totals.right)} right`
    : "",
  problem: one.damaged,
  when: 1000 * one.modified,
});

/** What is asked again today, which is as new as today. */
const ofDue = (one: DueView): Recent => ({
  ...still,
  room: "drills",
  href: `/drills?solution=${encodeURIComponent(one.solution)}`,
  title: one.title || one.solution,
  what: `${counted(one.due, "decision")} to be asked again today`,
  problem: "",
  when: Date.now(),
});

const ofReport = (one: ReportView): Recent => ({
  ...still,
  room: "reports",
  href: `/reports/${one.name}`,
  title: one.title,
  what: `report, ${whole(one.flops)} of ${counted(one.flops_wanted, "flop")}`,
  problem: one.error,
  when: 1000 * one.modified,
});

/** What was worked on last; a job whose solution or report is listed is not listed itself. */
export function recentOf({ jobs, solutions, tables, drills, due, reports }: Held, most: number): Recent[] {
  const made = new Set([...solutions.map((one) => one.name), ...reports.map((one) => one.name)]);
  const running = new Set(jobs.filter((job) => !hasEnded(job)).map((job) => job.id));
  const shownByJob = (name: string) => running.has(name);
  const all = [
    ...jobs.filter((job) => running.has(job.id) || !made.has(job.solution ?? job.id)).map(ofJob),
    ...solutions.filter((one) => !one.shipped && !shownByJob(one.name)).map(ofSolution),
    ...reports.filter((one) => !shownByJob(one.name)).map(ofReport),
    ...tables.map(ofTable),
    ...drills.map(ofDrill),
    ...due.map(ofDue),
  ];
  return all.sort((a, b) => Number(b.running) - Number(a.running) || b.when - a.when).slice(0, most);
}

const SPANS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago something was; the day, where it is a week or more. */
export function ago(when: number, now = Date.now()): string {
  const passed = Math.max(0, now - when);
  if (passed >= 7 * SPANS[0][1]) return new Date(when).toLocaleDateString("en-GB", { dateStyle: "medium" });
  const span = SPANS.find(([, length]) => passed >= length);
  return span ? AGO.format(-Math.floor(passed / span[1]), span[0]) : "just now";
}
