/** The form for a new match. */
import type { TargetedSubmitEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import type { AgentModel, GameView } from "../api/types";
import { go } from "../app/address";
import { Check, type Choice, SelectField } from "../shared/fields";
import type { Jobs } from "../shared/jobs";
import { say } from "../shared/Said";
import type { Now } from "./model";
import { EMPTY, type Form, requestOf } from "./request";

const KINDS = [
  ["match", "Two agents"],
  ["lbr", "Local best response"],
] as const;
const VALUES: Choice[] = [
  ["", "equity"],
  ["agents", "the agents' own values (small games)"],
  ["street:blueprint-nl", "the blueprint's bets, then equity"],
];
const SETTINGS = ["limit", "fcpa", "fc4", "56bets", "2r56bets", "fcpa4", "56bets4"];

/** The form with agents that there are. */
function withAgents(form: Form, agents: AgentModel[]): Form {
  const names = agents.map((agent) => agent.name);
  // Agents that take seconds for a decision are for those who choose them.
  const quick = agents.filter((agent) => agent.seconds === null).map((agent) => agent.name);
  const first = names.includes(form.first) ? form.first : (quick[0] ?? names[0] ?? "");
  const other = quick.find((name) => name !== first) ?? first;
  return { ...form, first, second: names.includes(form.second) ? form.second : other };
}

export function NewMatch({ jobs }: { jobs: Jobs<Now> }) {
  const [form, setForm] = useState(EMPTY);
  const [games, setGames] = useState<GameView[]>([]);
  const [agents, setAgents] = useState<AgentModel[]>([]);
  const [problem, setProblem] = useState("");
  const [sending, setSending] = useState(false);
  const complain = (error: unknown) => say(messageOf(error));
  useEffect(() => {
    api("GET games").then((found) => setGames(found.games), complain);
  }, []);
  useEffect(() => {
    let current = true;
    api("GET agents", { query: { game: form.game } }).then((found) => {
      if (!current) return;
      setAgents(found.agents);
      setForm((now) => withAgents(now, found.agents));
    }, complain);
    return () => {
      current = false;
    };
  }, [form.game]);
  const start = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    setProblem("");
    try {
      const job = await jobs.add(requestOf(form));
      go(`/matches/${job.id}`);
    } catch (error) {
      setProblem(messageOf(error));
      complain(error);
    }
    setSending(false);
  };
  return (
    <form onSubmit={start} aria-labelledby="new-match">
      <h2 id="new-match">New match</h2>
      <Fields form={form} games={games} agents={agents} put={(changes) => setForm((now) => ({ ...now, ...changes }))} />
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button class="main" disabled={sending}>
        Start
      </button>
    </form>
  );
}

type FieldsProps = { form: Form; games: GameView[]; agents: AgentModel[]; put: (changes: Partial<Form>) => void };

function Fields({ form, games, agents, put }: FieldsProps) {
  const lbr = form.kind === "lbr";
  const names = agents.map(({ name, title }): Choice => [name, title === name ? title : `${title} (${name})`]);
  const choice = (key: "game" | "first" | "second" | "setting" | "values", label: string, options: Choice[]) => (
    <SelectField
      id={`match-${key}`}
      label={label}
      value={form[key]}
      options={options}
      put={(value) => put({ [key]: value })}
    />
  );
  const number = (key: "hands" | "seed", label: string) => (
    <div class="field">
      <label for={`match-${key}`}>{label}</label>{" "}
      <input
        id={`match-${key}`}
        inputMode="numeric"
        required
        autocomplete="off"
        value={form[key]}
        onInput={(event) => put({ [key]: event.currentTarget.value })}
      />
    </div>
  );
  return (
    <>
      <div class="rooms" role="radiogroup" aria-label="What is measured">
        {KINDS.map(([kind, text]) => (
          <label key={kind}>
            <input type="radio" name="kind" value={kind} checked={form.kind === kind} onChange={() => put({ kind })} />
            {` ${text}`}
          </label>
        ))}
      </div>
      {choice(
        "game",
        "Game",
        games.map((game) => [game.name, game.title]),
      )}
      {choice("first", lbr ? "Agent to be measured" : "First agent (its winnings are measured)", names)}
      {lbr
        ? choice("setting", "Actions of the responder", [
            ["", "usual for the game"],
            ...SETTINGS.map((one): Choice => [one, one]),
          ])
        : choice("second", "Second agent", names)}
      {number("hands", "Hands")}
      {number("seed", "Seed of cards and draws")}
      {lbr ? (
        <p class="soft">
          A local best response wins at most what the agent can lose: a lower bound on its exploitability.
        </p>
      ) : (
        <>
          <Check
            label="Every deal twice, with the seats exchanged"
            value={form.duplicate}
            put={(duplicate) => put({ duplicate })}
          />
          <Check
            label="The same random numbers at both tables"
            value={form.common_random_numbers}
            put={(on) => put({ common_random_numbers: on })}
            off={!form.duplicate}
          />
          <Check label="Measure with AIVAT too (less luck)" value={form.aivat} put={(aivat) => put({ aivat })} />
          {form.aivat && choice("values", "Values that AIVAT uses", VALUES)}
        </>
      )}
    </>
  );
}
