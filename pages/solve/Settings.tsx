/** How it is solved: the target, limits, networks, locks, and all other options of the server. */
import type { JobsOptionView } from "../api/types";
import { type Choice, LinesField } from "../shared/fields";
import { Setting, SettingChoice } from "./fields";
import type { SolveForm } from "./model";
import { netsOf } from "./nets";

/** Options that have a place and words of their own; all others stand under "More settings" as the server says. */
const PLACED = ["target", "max_iterations", "seconds", "menu", "locks", "net", "start_from"];
const LOCKS = '["check"]\n"TT-88" = { check = 0.5, "bet 50" = 0.5 }\n"*" = { check = 1 }';

type Props = { form: SolveForm };

export function Settings({ form }: Props) {
  const nets = netsOf(form.draft, form.games);
  return (
    <fieldset>
      <legend>How to solve it</legend>
      <div class="fields">
        <Setting form={form} id="target" label="Target: exploitability" hint="such as 0.5%pot, 1mbb, 0.5chips" />
        <Setting form={form} id="seconds" label="At most, seconds" hint="no limit" mode="decimal" />
        <Setting form={form} id="max_iterations" label="At most, iterations" hint="no limit" mode="numeric" />
        {nets.length > 0 && (
          <SettingChoice
            form={form}
            id="net"
            label="After the first street"
            options={[["", "solve it exactly"], ...nets]}
          />
        )}
      </div>
      <Locks form={form} />
      <details>
        <summary>More settings</summary>
        <div class="fields">
          {form.options
            .filter(({ name }) => !PLACED.includes(name))
            .map((option) => (
              <OtherSetting key={option.name} form={form} option={option} />
            ))}
          <Start form={form} />
        </div>
      </details>
    </fieldset>
  );
}

function Locks({ form }: Props) {
  const { draft } = form;
  const inUse = draft.locks.trim() !== "";
  const problem = form.problemOf("locks");
  return (
    <details open={problem !== "" || inUse}>
      <summary>Locks: parts of the strategy that are fixed{inUse ? " (in use)" : ""}</summary>
      <label for="locks">Locks as text; docs/spots.md says how they are written</label>
      <LinesField
        id="locks"
        value={draft.locks}
        put={(text) => form.put(draft, "locks", text)}
        rows={5}
        hint={LOCKS}
        problem={problem}
      />
    </details>
  );
}

/** What a solve starts from, where there is something. */
function Start({ form }: Props) {
  const start = form.draft.settings.start_from;
  if (!start) return null;
  const options: Choice[] = [
    [start, `${start}, where lines and hands are the same`],
    ["", "nothing"],
  ];
  return <SettingChoice form={form} id="start_from" label="Start from" options={options} />;
}

/** An option that has no words here: a choice, or a text whose help stands where nothing is typed. */
function OtherSetting({ form, option }: Props & { option: JobsOptionView }) {
  const { name, choices, help, kind, default: usual } = option;
  const label = `${name[0].toUpperCase()}${name.slice(1)}`.replaceAll("_", " ");
  if (!choices.length) {
    return <Setting form={form} id={name} label={label} hint={help} mode={kind === "count" ? "numeric" : "text"} />;
  }
  const others = choices.filter((choice) => choice !== usual).map((choice): Choice => [choice, choice]);
  return <SettingChoice form={form} id={name} label={label} options={[["", `${usual} (default)`], ...others]} />;
}
