/** What a new round is to ask. */
import { api, messageOf, Problem } from "../api/client";
import type { DrillRequest, JobView, SolutionView } from "../api/types";
import { Model } from "../shared/model";
import { readWhole } from "../shared/numbers";

const KEPT = "errai-new-drill";
const MOST_QUESTIONS = 1000;
const MOST_TITLE = 200;
/** The fields whose mistakes the server names by the type of its error. */
const FIELDS: Record<string, keyof Form> = { LineError: "line", CardParseError: "boards", CardsError: "boards" };

export type Form = {
  /** A kind and a name: solution:turn, or review:hands-k3x9. */
  of: string;
  /** 0, 1 or empty for both. */
  player: string;
  street: string;
  /** Whether only decisions against a bet or a raise are asked. */
  facing_bet: boolean;
  line: string;
  boards: string;
  count: string;
  seed: string;
  /** Whether wrong answers are kept for another day. */
  repeat: boolean;
  /** Whether a large file is read as a whole. */
  whole: boolean;
};
/** What is wrong with fields; under the empty name with all of it. */
export type Problems = Partial<Record<keyof Form | "", string>>;

export const EMPTY: Form = {
  of: "",
  player: "",
  street: "",
  facing_bet: false,
  line: "",
  boards: "",
  count: "20",
  seed: "",
  repeat: false,
  whole: false,
};

/** What was chosen last. */
function remembered(): Form {
  try {
    return { ...EMPTY, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}"), seed: "" };
  } catch {
    return EMPTY; // What another version has kept is left.
  }
}

/** The form that an address asks for, such as /drills?solution=turn&line=check; else what was chosen last. */
export function formOf(query: URLSearchParams): Form {
  const [solution, review] = [query.get("solution"), query.get("review")];
  if (!solution && !review) return remembered();
  const { count, repeat } = remembered();
  const of = solution ? `solution:${solution}` : `review:${review}`;
  return { ...EMPTY, count, repeat, of, line: query.get("line") ?? "" };
}

/** The kind and the name of what is drilled. */
export function subjectOf(of: string): { kind: string; name: string } {
  const [kind, ...name] = of.split(":");
  return { kind, name: name.join(":") };
}

/** The boards that are typed. */
const boardsOf = ({ boards }: Form): string[] =>
  boards
    .split(/[,;]/)
    .map((board) => board.trim())
    .filter(Boolean);

/** How a round over a part of a solution is called. */
export function titleOf(form: Form, solution: SolutionView | undefined): string {
  const parts = [
    solution?.title,
    form.street,
    form.player && solution?.player_names[Number(form.player)],
    form.facing_bet && "against a bet",
    form.line.trim() && `after ${form.line.trim()}`,
    form.boards.trim() && `on ${boardsOf(form).join(", ")}`,
  ];
  return parts.filter(Boolean).join(" · ").slice(0, MOST_TITLE);
}

/** The request of a form, and what is wrong with its fields. */
export function requestOf(
  form: Form,
  solution: SolutionView | undefined,
  review: JobView | undefined,
): { body: DrillRequest; problems: Problems } {
  const { kind, name } = subjectOf(form.of);
  const count = readWhole(form.count, "Questions", 1, MOST_QUESTIONS);
  const seed = form.seed.trim() ? readWhole(form.seed, "Seed", 0) : { value: null, problem: "" };
  const problems: Problems = {};
  if (!name) problems.of = "Choose what to train from.";
  if (count.problem) problems.count = count.problem;
  if (kind === "review") {
    const title = `Mistakes of ${review?.title ?? name}`.slice(0, MOST_TITLE);
    return { body: { review: name, count: count.value, repeat: form.repeat, title }, problems };
  }
  if (seed.problem) problems.seed = seed.problem;
  const body: DrillRequest = {
    solution: name,
    count: count.value,
    repeat: form.repeat,
    whole: form.whole,
    boards: boardsOf(form),
    title: titleOf(form, solution) || null,
    player: form.player ? Number(form.player) : null,
    street: form.street || null,
    facing_bet: form.facing_bet,
    line: form.line.trim() || null,
    seed: seed.value,
  };
  return { body, problems };
}

/** The field that something is wrong with. */
function fieldOf(error: unknown): keyof Form | "" {
  if (!(error instanceof Problem)) return "";
  const named = error.field.split(".")[0];
  return named in EMPTY ? (named as keyof Form) : (FIELDS[error.type] ?? "");
}

export class DrillForm extends Model {
  form: Form;
  problems: Problems = {};
  busy = false;

  constructor(query: URLSearchParams) {
    super();
    this.form = formOf(query);
  }

  put(changes: Partial<Form>): void {
    // Another solution has other streets, lines and boards.
    const rest =
      changes.of && changes.of !== this.form.of
        ? { player: "", street: "", facing_bet: false, line: "", boards: "" }
        : {};
    this.form = { ...this.form, ...rest, ...changes };
    for (const field of Object.keys(changes)) delete this.problems[field as keyof Form];
    delete this.problems[""];
    this.changed();
  }

  /** Choose something that there is, unless that is chosen. */
  fit(solutions: SolutionView[], reviews: JobView[] | null): void {
    const { kind, name } = subjectOf(this.form.of);
    if (kind === "review" && !reviews) return;
    const names = kind === "review" ? (reviews ?? []).map((one) => one.id) : solutions.map((one) => one.name);
    if (!names.includes(name) && solutions.length) this.put({ of: `solution:${solutions[0].name}` });
  }

  /** Make the round. @returns its name; empty if something is wrong */
  async make(solution: SolutionView | undefined, review: JobView | undefined): Promise<string> {
    if (this.busy) return "";
    const { body, problems } = requestOf(this.form, solution, review);
    this.problems = problems;
    let made = "";
    if (!Object.keys(problems).length) {
      this.busy = true;
      this.changed();
      try {
        made = (await api("POST drills", { body })).id;
        localStorage.setItem(KEPT, JSON.stringify(this.form));
      } catch (error) {
        const field = fieldOf(error);
        this.problems = { [field]: field && error instanceof Problem ? error.text : messageOf(error) };
      }
      this.busy = false;
    }
    this.changed();
    return made;
  }
}
