/** The form for a new match. */
import type { TargetedSubmitEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import type { AgentModel, GameView } from "../api/types";
import { go } from "../app/address";
import { Check, type Choice, SelectField, TextField } from "../shared/fields";
import { GameOptions } from "../shared/Games";
import type { Jobs } from "../shared/jobs";
import { say } from "../shared/Said";
import type { Now } from "./model";
import { agentName, EMPTY, type Form, placed, requestOf, type Wrong } from "./request";

const KINDS = [
  ["match", "Two agents"],
  ["lbr", "Local best response"],
] as const;
const VALUES: Choice[] = [
  ["", "by its equity"],
  ["agents", "by the agents themselves, in small games"],
  ["street:blueprint-nl", "by the blueprint to the end of the street, then equity"],
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
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [sending, setSending] = useState(false);
  const complain = (error: unknown) => say(messageOf(error));
  const refuse = (found: Wrong) => {
    setWrong(found);
    document.getElementById(`match-${found.field}`)?.focus();
  };
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
    const asked = requestOf(form);
    if ("message" in asked) return refuse(asked);
    setSending(true);
    setWrong(null);
    try {
      const job = await jobs.add(asked);
      go(`/matches/${job.id}`);
    } catch (error) {
      refuse(placed(error));
    }
    setSending(false);
  };
  return (
    <form class="panel" onSubmit={start} aria-labelledby="new-match">
      <h2 id="new-match">New match</h2>
      <Fields
        form={form}
        games={games}
        agents={agents}
        problemOf={(field) => (wrong?.field === field ? wrong.message : "")}
        put={(changes) => setForm((now) => ({ ...now, ...changes }))}
      />
      {wrong && !wrong.field && (
        <p class="problem" role="alert">
          {wrong.message}
        </p>
      )}
      <button class="main" disabled={sending}>
        Start
      </button>
    </form>
  );
}

type FieldsProps = {
  form: Form;
  games: GameView[];
  agents: AgentModel[];
  problemOf: (field: string) => string;
  put: (changes: Partial<Form>) => void;
};

function Fields({ form, games, agents, problemOf, put }: FieldsProps) {
  const lbr = form.kind === "lbr";
  // Results have the names of the command line.
  const names = agents.map(({ name, title }): Choice => [name, `${title} (${agentName(name)})`]);
  const choice = (key: "first" | "second" | "setting" | "values", label: string, options: Choice[]) => (
    <SelectField
      id={`match-${key}`}
      label={label}
      value={form[key]}
      options={options}
      put={(value) => put({ [key]: value })}
    />
  );
  const number = (key: "hands" | "seed", label: string) => (
    <TextField
      id={`match-${key}`}
      label={label}
      value={form[key]}
      mode="numeric"
      problem={problemOf(key)}
      put={(value) => put({ [key]: value })}
    />
  );
  return (
    <>
      <div class="choice" role="group" aria-label="What is measured">
        {KINDS.map(([kind, text]) => (
          <button key={kind} type="button" aria-pressed={form.kind === kind} onClick={() => put({ kind })}>
            {text}
          </button>
        ))}
      </div>
      <div class="field">
        <label for="match-game">Game</label>{" "}
        <select id="match-game" value={form.game} onChange={(event) => put({ game: event.currentTarget.value })}>
          <GameOptions games={games} chosen={form.game} />
        </select>
      </div>
      {choice("first", lbr ? "Agent to be measured" : "First agent, whose winnings are shown", names)}
      {lbr
        ? choice("setting", "Actions of the responder", [
            ["", "usual for the game"],
            ...SETTINGS.map((one): Choice => [one, one]),
          ])
        : choice("second", "Second agent", names)}
      {number("hands", "Hands")}
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
          <Check label="Without luck too, by AIVAT" value={form.aivat} put={(aivat) => put({ aivat })} />
        </>
      )}
      <details open={problemOf("seed") !== "" || undefined}>
        <summary>More settings</summary>
        {number("seed", "Seed of the cards")}
        {!lbr && (
          <Check
            label="The same random numbers at both tables"
            value={form.common_random_numbers}
            put={(on) => put({ common_random_numbers: on })}
            off={!form.duplicate}
          />
        )}
        {!lbr && form.aivat && choice("values", "How AIVAT values a hand", VALUES)}
      </details>
    </>
  );
}
