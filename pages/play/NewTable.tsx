/** The form for a new table: the game, the opponent, the seat. */
import type { TargetedEvent } from "preact";
import { useEffect } from "preact/hooks";
import { messageOf } from "../api/client";
import { Check, type Choice, Options, SelectField } from "../shared/fields";
import { GameOptions } from "../shared/Games";
import { useModel } from "../shared/model";
import { say } from "../shared/Said";
import type { Form, TableForm } from "./tableForm";

const SEATINGS: Choice[] = [
  ["alternate", "changes every hand"],
  ["first", "always acts first"],
  ["second", "always acts second"],
];
const COUNTS = ["1", "2", "3", "4"].map((count): Choice => [count, count]);

type Props = {
  table: TableForm;
  /** Whose game or spot is chosen. */
  solution: string | null;
  made: (ids: string[]) => void;
};

export function NewTable({ table, solution, made }: Props) {
  useModel(table);
  useEffect(() => void table.begin(solution).catch((error) => say(messageOf(error))), [table, solution]);
  if (!table.games.length) return <p class="soft">Reading the games …</p>;
  const { form } = table;
  const select = (key: "seating" | "count" | "advisor", id: string, label: string, options: Choice[]) => (
    <SelectField
      id={id}
      label={label}
      value={form[key]}
      options={options}
      put={(value) => table.put({ [key]: value } as Partial<Form>)}
    />
  );
  const advisors = table.agents.map((one): Choice => [one.name, one.title]);
  const submit = async (event: TargetedEvent) => {
    event.preventDefault();
    const ids = await table.make();
    if (ids.length) made(ids);
  };
  return (
    <form class="panel new" onSubmit={submit}>
      <h2>New table</h2>
      <div class="fields">
        <Game table={table} />
        {form.of === "spot:" && <Spot table={table} />}
        <Opponent table={table} />
        {select("seating", "new-seat", "Your seat", SEATINGS)}
      </div>
      <details open={form.open || undefined}>
        <summary>More settings</summary>
        <div class="fields">
          {select("count", "new-tables", "Tables", COUNTS)}
          {table.hasStacks && <Stacks table={table} />}
          {select("advisor", "new-advisor", "Hints from", [["", "the opponent"], ...advisors])}
          <Check
            label="Show the opponent's cards after every hand"
            value={form.open}
            put={(open) => table.put({ open })}
          />
        </div>
      </details>
      {table.problem && (
        <p class="problem" role="alert">
          {table.problem}
        </p>
      )}
      <button class="main" disabled={table.busy || !form.opponent}>
        Play
      </button>
    </form>
  );
}

type PartProps = { table: TableForm };

function Game({ table }: PartProps) {
  const { of } = table.form;
  const solutions = table.solutions.map((one): Choice => [`solution:${one.name}`, one.title || one.name]);
  return (
    <div class="field game">
      <label for="new-game">Game</label>{" "}
      <select id="new-game" value={of} onChange={(event) => table.put({ of: event.currentTarget.value })}>
        <GameOptions games={table.games} chosen={of} kind="game:">
          {solutions.length > 0 && (
            <optgroup label="Your solutions">
              <Options options={solutions} chosen={of} />
            </optgroup>
          )}
          <Options options={[["spot:", "A spot from a file"]]} chosen={of} />
        </GameOptions>
      </select>
    </div>
  );
}

function Spot({ table }: PartProps) {
  const read = async (event: TargetedEvent<HTMLInputElement>) =>
    table.put({ spot: (await event.currentTarget.files?.[0]?.text()) ?? "" });
  return (
    <div class="field whole">
      <label for="new-spot">Spot (TOML)</label>{" "}
      <textarea
        id="new-spot"
        rows={6}
        required
        value={table.form.spot}
        onInput={(event) => table.put({ spot: event.currentTarget.value })}
      />
      <input type="file" accept=".toml" aria-label="Read the spot from a file" onChange={read} />
    </div>
  );
}

function Opponent({ table }: PartProps) {
  const { form, agents, wanted } = table;
  const chosen = agents.find((one) => one.name === form.opponent);
  const seconds = chosen?.seconds ? `; up to ${chosen.seconds} seconds for a decision` : "";
  const other = form.stack && wanted.title && chosen?.name !== wanted.name;
  return (
    <>
      <SelectField
        id="new-opponent"
        label="Opponent"
        value={form.opponent}
        options={agents.map((one) => [one.name, one.title])}
        put={(name) => table.choose(name)}
        describedBy="opponent-what"
      />
      <p id="opponent-what" class="whole soft">
        {`${chosen?.what ?? ""}${seconds}`}
        {other && (
          <>
            <br />
            {`${wanted.title} does not play with these stacks.`}
          </>
        )}
      </p>
    </>
  );
}

function Stacks({ table }: PartProps) {
  return (
    <div class="field">
      <label for="new-stack">Stacks, chips</label>{" "}
      <input
        id="new-stack"
        inputMode="numeric"
        autocomplete="off"
        placeholder="those of the game"
        value={table.form.stack}
        onInput={(event) => table.put({ stack: event.currentTarget.value })}
        onChange={() => table.askAgents()}
      />
    </div>
  );
}
