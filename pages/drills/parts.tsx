/** What a round over a solution asks, and how many questions. */
import type { SolutionView } from "../api/types";
import { Check, type Choice, SelectField, TextField } from "../shared/fields";
import type { DrillForm, Form } from "./form";

export type PartProps = { drill: DrillForm };

/** The seat, the street, the line and the boards. */
export function Where({ drill, solution }: PartProps & { solution: SolutionView }) {
  const { form } = drill;
  const players = solution.player_names.map((name, player): Choice => [String(player), name]);
  const streets = solution.streets.map((name): Choice => [name, name]);
  return (
    <>
      <div class="fields four">
        <SelectField
          id="drill-player"
          label="Your seat"
          value={form.player}
          options={[["", "both"], ...players]}
          put={(player) => drill.put({ player })}
        />
        <SelectField
          id="drill-street"
          label="Street"
          value={form.street}
          options={[["", "every street"], ...streets]}
          put={(street) => drill.put({ street })}
        />
        <Text drill={drill} name="line" label="After the line" hint="any, or: check bet 120" />
        <Text drill={drill} name="boards" label="On the boards" hint="any, or: 7d, 3c" />
      </div>
      <Check
        label="Only against a bet or a raise"
        value={form.facing_bet}
        put={(facing_bet) => drill.put({ facing_bet })}
      />
    </>
  );
}

export function HowMany({ drill }: PartProps) {
  const problem = drill.problems.repeat;
  return (
    <div class="fields">
      <Text drill={drill} name="count" label="Questions" mode="numeric" />
      <div class="field wide-field">
        <Check
          label="Keep wrong answers, and ask them again on later days"
          value={drill.form.repeat}
          put={(repeat) => drill.put({ repeat })}
        />
        <p class={problem ? "problem" : "soft"}>{problem ?? "What is due today comes first."}</p>
      </div>
    </div>
  );
}

export function More({ drill }: PartProps) {
  const { form } = drill;
  return (
    <details open={form.seed !== "" || form.whole}>
      <summary>Seed, and how large files are read</summary>
      <div class="fields">
        <Text drill={drill} name="seed" label="Seed" hint="a random one" mode="numeric" />
        <div class="field wide-field">
          <Check
            label="Read the whole file, so that the EV of every hand is known"
            value={form.whole}
            put={(whole) => drill.put({ whole })}
          />
          <p class="soft">Files of more than 128 MiB are read in parts otherwise.</p>
        </div>
      </div>
    </details>
  );
}

type TextProps = PartProps & {
  name: keyof { [K in keyof Form as Form[K] extends string ? K : never]: string };
  label: string;
  hint?: string;
  mode?: "text" | "numeric";
};

function Text({ drill, name, label, hint, mode }: TextProps) {
  return (
    <div class="cell-field">
      <TextField
        id={`drill-${name}`}
        label={label}
        value={drill.form[name]}
        hint={hint}
        mode={mode}
        put={(text) => drill.put({ [name]: text })}
        problem={drill.problems[name]}
      />
    </div>
  );
}
