/** What a new table is to be: the game, who plays it, and the seat. */
import { api, messageOf } from "../api/client";
import type { AgentModel, GameView, NewTable, SolutionView } from "../api/types";
import { Model } from "../shared/model";
import { readWhole } from "../shared/numbers";

const MOST_CHIPS = 1_000_000;
const KEPT = "errai-new-table";
const USUAL = "game:holdem.nolimit.2p";
/** Who plays a spot that is not known yet. */
const OF_SPOTS: AgentModel[] = [
  ["resolver", "Resolver"],
  ["uniform", "Random actions"],
  ["always-call", "Always calls"],
].map(([name, title]) => ({ name, title, what: "", seconds: null }));

export type Form = {
  /** A kind and a name: game:leduc, solution:river, or spot: for one from a file. */
  of: string;
  opponent: string;
  seating: NonNullable<NewTable["seating"]>;
  /** Whether the opponent's cards are shown after every hand. */
  open: boolean;
  advisor: string;
  count: string;
  stack: string;
  spot: string;
};

/** What was chosen last, or what suits a beginner. */
function remembered(): Form {
  let kept: Partial<Form> = {};
  try {
    kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    /* What another version has kept is left. */
  }
  const { of = USUAL, opponent = "", seating = "alternate", open = false } = kept;
  return { of, opponent, seating, open: Boolean(open), advisor: "", count: "1", stack: "", spot: "" };
}

export class TableForm extends Model {
  form = remembered();
  games: GameView[] = [];
  solutions: SolutionView[] = [];
  agents: AgentModel[] = [];
  /** The opponent that was chosen last; another one takes its place where it cannot play. */
  wanted = { name: this.form.opponent, title: "" };
  problem = "";
  busy = false;
  #asked = "";
  #known: Promise<void> = Promise.resolve();

  /** What is played: a kind and a name. */
  get subject(): { kind: string; name: string } {
    const [kind, ...name] = this.form.of.split(":");
    return { kind, name: name.join(":") };
  }

  /** Whether the game has no limit on bets, so that stacks can be chosen. */
  get hasStacks(): boolean {
    return this.games.find((one) => `game:${one.name}` === this.form.of)?.limit === false;
  }

  /** The stacks that are typed; 0 where they are those of the game. */
  #stack(): { value: number; problem: string } {
    const { stack } = this.form;
    return stack.trim() && this.hasStacks ? readWhole(stack, "Stacks", 1, MOST_CHIPS) : { value: 0, problem: "" };
  }

  /** Read what can be played; a solution is given whose game or spot is chosen. */
  async begin(solution: string | null): Promise<void> {
    const found = await Promise.all([api("GET games"), api("GET solutions").catch(() => ({ solutions: [] }))]);
    this.games = found[0].games;
    this.solutions = found[1].solutions.filter((one) => one.kind === "solution");
    if (solution) {
      this.form = { ...this.form, of: `solution:${solution}`, opponent: `solution:${solution}` };
      this.wanted = { name: this.form.opponent, title: solution };
    }
    const names = (kind: string, list: { name: string }[]) => list.map((one) => `${kind}:${one.name}`);
    const known = [...names("game", this.games), ...names("solution", this.solutions), "spot:"];
    if (!known.includes(this.form.of)) this.form = { ...this.form, of: USUAL };
    await this.askAgents();
  }

  put(changes: Partial<Form>): void {
    this.form = { ...this.form, ...changes };
    if ("of" in changes) this.askAgents();
    this.changed();
  }

  /** Choose an opponent. */
  choose(name: string): void {
    this.wanted = this.agents.find((one) => one.name === name) ?? this.wanted;
    this.put({ opponent: name });
  }

  /** Ask who plays the game with these stacks; tables are made once that is known. */
  askAgents(): Promise<void> {
    const { kind, name } = this.subject;
    const { value, problem } = this.#stack();
    this.problem = problem;
    const asked = `${kind} ${name} ${value}`;
    if (!problem && asked !== this.#asked) {
      this.#asked = asked;
      this.#known = this.#ask({ [kind]: name, stack: value || null });
    }
    this.changed();
    return this.#known;
  }

  async #ask(query: Record<string, string | number | null>): Promise<void> {
    const asked = this.#asked;
    if (this.subject.kind === "spot") this.agents = OF_SPOTS;
    else {
      const answer = await api("GET agents", { query }).catch(messageOf);
      // Another game or other stacks may have been chosen since then.
      if (asked !== this.#asked) return;
      if (typeof answer === "string") {
        this.problem = answer;
        this.#asked = "";
      } else this.agents = answer.agents;
    }
    this.#fitAgents();
    this.changed();
  }

  /** Take the opponent that was chosen last if it plays this, and otherwise the first one. */
  #fitAgents(): void {
    const { agents, wanted } = this;
    const same = agents.find((one) => one.name === wanted.name) ?? (wanted.title ? undefined : agents[0]);
    if (same) this.wanted = same;
    const advises = agents.some((one) => one.name === this.form.advisor);
    const opponent = (same ?? agents[0])?.name ?? "";
    this.form = { ...this.form, opponent, advisor: advises ? this.form.advisor : "" };
  }

  /** Make the tables. @returns their names; none if something is wrong */
  async make(): Promise<string[]> {
    await this.#known;
    const { value, problem } = this.#stack();
    this.problem = problem;
    if (problem || this.busy) {
      this.changed();
      return [];
    }
    this.busy = true;
    this.changed();
    const made: string[] = [];
    try {
      const { of, opponent, seating, open, advisor, count, spot } = this.form;
      const { kind, name } = this.subject;
      const body = {
        [kind]: kind === "spot" ? spot : name,
        opponent,
        seating,
        open,
        ...(advisor ? { advisor } : {}),
        ...(kind === "game" && value ? { stack: value } : {}),
      };
      for (let number = 0; number < Number(count); number++) made.push((await api("POST tables", { body })).id);
      localStorage.setItem(KEPT, JSON.stringify({ of, opponent, seating, open }));
    } catch (error) {
      this.problem = messageOf(error);
    }
    this.busy = false;
    this.changed();
    return this.problem ? [] : made;
  }
}
