/** The last part: how near to an equilibrium, within which limits, and all other options of the server. */
import type { JobsOptionView } from "../api/types";
import { type Choice, LinesField } from "../shared/fields";
import { Setting, SettingChoice } from "./fields";
import type { SolveForm } from "./model";
import { netsOf } from "./nets";

/** Options that have a place and words of their own; all others stand under "More settings" as the server says. */
const PLACED = ["target", "max_iterations", "seconds", "menu", "locks", "net", "start_from"];
const LOCKS = '["check"]\n"TT-88" = { check = 0.5, "bet 50" = 0.5 }\n"*" = { check = 1 }';
/** Targets of spots, in words that say what they are good for. */
const TARGETS = [
  ["1%pot", "1 %: a first look"],
  ["0.5%pot", "0.5 %"],
  ["0.25%pot", "0.25 %"],
  ["0.1%pot", "0.1 %: for study"],
  ["0.02%pot", "0.02 %"],
];

type Props = { form: SolveForm };

export function Accuracy({ form }: Props) {
  const { draft } = form;
  const nets = netsOf(draft, form.games);
  return (
    <>
      {draft.mode !== "game" && (
        <div class="choice" role="group" aria-label="Target in per cent of the pot">
          {TARGETS.map(([target, words]) => (
            <button
              key={target}
              type="button"
              aria-pressed={draft.settings.target === target}
              onClick={() => form.put(draft.settings, "target", target)}
            >
              {words}
            </button>
          ))}
        </div>
      )}
      <p class="soft">
        The target is the exploitability at which the solve ends: what the best answer to the strategy may still win.
      </p>
      <div class="fields">
        <Setting form={form} id="target" hint="such as 0.5%pot, 1mbb, 0.5chips" />
        <Setting form={form} id="seconds" hint="no limit" mode="decimal" />
        <Setting form={form} id="max_iterations" hint="no limit" mode="numeric" />
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
    </>
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
  if (!choices.length) {
    return <Setting form={form} id={name} hint={help} mode={kind === "count" ? "numeric" : "text"} />;
  }
  const others = choices.filter((choice) => choice !== usual).map((choice): Choice => [choice, choice]);
  return <SettingChoice form={form} id={name} options={[["", `${usual} (default)`], ...others]} />;
}
