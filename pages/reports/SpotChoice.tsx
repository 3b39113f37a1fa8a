/** Where the spot of a report comes from: the library, a solution, or a text. */
import type { TargetedEvent } from "preact";
import { useState } from "preact/hooks";
import { Options, SelectField } from "../shared/fields";
import { say } from "../shared/Said";
import { useSolutions } from "../shared/solutions";
import { Lines } from "./fields";
import type { ReportForm } from "./form";

const WAYS = [
  ["library", "From the library"],
  ["solution", "From a solution"],
  ["text", "As text or a file"],
] as const;
type Way = (typeof WAYS)[number][0];

/** The most that a spot may have, in bytes. */
const MOST = 1 << 20;

export function SpotChoice({ model }: { model: ReportForm }) {
  const [way, setWay] = useState<Way>("library");
  const problem = model.problemOf("from");
  // What is wrong with a spot is said where its text is.
  const shown = model.problemOf("spot") && model.form.spot ? "text" : way;
  return (
    <>
      <div class="choice" role="group" aria-label="Where the spot comes from">
        {WAYS.map(([value, text]) => (
          <button key={value} type="button" aria-pressed={shown === value} onClick={() => setWay(value)}>
            {text}
          </button>
        ))}
      </div>
      {shown === "library" && <OfLibrary model={model} />}
      {shown === "solution" && <OfSolution model={model} />}
      {shown === "text" && <AsText model={model} />}
      {problem && (
        <p id="report-from-said" class="problem" role="alert">
          {problem}
        </p>
      )}
      {shown !== "text" && model.problemOf("spot") && <p class="problem">{model.problemOf("spot")}</p>}
    </>
  );
}

type Props = { model: ReportForm };

function OfLibrary({ model }: Props) {
  const { library, form } = model;
  const chosen = library.find((one) => one.spot === form.spot)?.name ?? "";
  const groups = [
    ["Yours", library.filter((one) => one.own)],
    ["Of the package", library.filter((one) => !one.own)],
  ] as const;
  return (
    <>
      <div class="field">
        <label for="report-from">Spot</label>
        <select
          id="report-from"
          value={chosen}
          onChange={(event) => {
            const found = library.find((one) => one.name === event.currentTarget.value);
            if (found) model.put({ spot: found.spot, locks: "" });
          }}
        >
          <Options options={[["", library.length ? "Choose …" : "Reading the library …"]]} chosen={chosen} />
          {groups.map(
            ([label, spots]) =>
              spots.length > 0 && (
                <optgroup key={label} label={label}>
                  <Options options={spots.map((one) => [one.name, one.title])} chosen={chosen} />
                </optgroup>
              ),
          )}
        </select>
      </div>
      <p class="soft">
        Ranges, stacks and bet sizes come with it; <a href="/solve">Solve</a> changes them.
      </p>
    </>
  );
}

function OfSolution({ model }: Props) {
  const { solutions } = useSolutions();
  const [from, setFrom] = useState("");
  const choices = solutions?.filter((one) => one.kind === "solution" && !one.error) ?? [];
  const take = (name: string) => {
    setFrom(name);
    if (name) model.from(name);
  };
  return (
    <SelectField
      id="report-from"
      label="The spot of"
      value={from}
      options={[
        ["", solutions ? "Choose …" : "Reading the solutions …"],
        ...choices.map((one) => [one.name, `${one.title} (${one.name})`] as const),
      ]}
      put={take}
      describedBy={model.problemOf("from") ? "report-from-said" : undefined}
    />
  );
}

function AsText({ model }: Props) {
  const open = async (event: TargetedEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    const file = field.files?.[0];
    if (file && file.size <= MOST) model.put({ spot: await file.text() });
    else if (file) say(`${file.name} has more than 1 MiB, the most that a spot may have.`);
    field.value = "";
  };
  return (
    <>
      <label for="report-spot" class="soft">
        The spot as text, as <a href="/solve">Solve</a> has it; its flop is replaced
      </label>
      <Lines model={model} at="spot" rows={9} hint={'board = "Ks 7h 2d"\npot = 45\nstack = 180\n[ranges]\noop = "…"'} />
      <label class="button file" for="report-file">
        Open a file …
        <input class="unseen" id="report-file" type="file" accept=".toml" onChange={open} />
      </label>
    </>
  );
}
