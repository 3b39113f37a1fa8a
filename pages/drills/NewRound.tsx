/** The form for a new round: what is asked, and how many questions. */
import type { TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { JobView, SolutionView } from "../api/types";
import { Check, type Choice, Options, SelectField, TextField } from "../shared/fields";
import { drawn, useModel } from "../shared/model";
import { Step } from "../shared/Step";
import { useSolutions } from "../shared/solutions";
import { DrillForm, type Form, subjectOf } from "./form";

type Props = {
  query: URLSearchParams /** Null until they are known. */;
  reviews: JobView[] | null;
  made?: (id: string) => void;
};

export function NewRound({ query, reviews, made }: Props) {
  const [drill] = useState(() => new DrillForm(query));
  useModel(drill);
  const { solutions, problem: unread } = useSolutions();
  const usable = solutions?.filter((one) => !one.error) ?? null;
  useEffect(() => {
    if (usable) drill.fit(usable, reviews);
  }, [drill, solutions, reviews?.length]);
  const start = useRef<HTMLButtonElement>(null);
  // Whoever comes from a node or a review has chosen what is asked, and may begin at once.
  const chosen = query.size > 0 && usable !== null;
  useEffect(() => {
    if (chosen) start.current?.focus();
  }, [chosen]);
  const { kind, name } = subjectOf(drill.form.of);
  const solution = kind === "solution" ? usable?.find((one) => one.name === name) : undefined;
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const id = await drill.make(
      solution,
      reviews?.find((one) => one.id === name),
    );
    if (id) return made?.(id);
    await drawn();
    form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  };
  if (!usable || (kind === "review" && !reviews)) {
    return (
      <section aria-busy={!unread}>
        <h2>New round</h2>
        <p class={unread ? "problem" : "soft"}>{unread || "Reading the solutions …"}</p>
      </section>
    );
  }
  return (
    <form class="form" onSubmit={submit} aria-labelledby="new-round">
      <h2 id="new-round">New round</h2>
      {usable.every((one) => one.shipped) && (
        <p>
          You have no solution of your own yet: <a href="/solve">solve a spot</a> with your sizes, or train from a
          blueprint of the package.
        </p>
      )}
      <Step number={1} title="What you train from">
        <Subject drill={drill} solutions={usable} reviews={reviews ?? []} />
      </Step>
      {solution && (
        <Step number={2} title="Which decisions">
          <Where drill={drill} solution={solution} />
        </Step>
      )}
      <Step number={solution ? 3 : 2} title="How many">
        <HowMany drill={drill} />
        {kind === "solution" && <More drill={drill} />}
      </Step>
      <p class="problem" role="alert">
        {drill.problems[""]}
      </p>
      <div class="begin">
        <button class="main" ref={start} disabled={drill.busy}>
          {drill.busy ? "Choosing the first question …" : "Start"}
        </button>
      </div>
    </form>
  );
}

type PartProps = { drill: DrillForm };

function Subject({ drill, solutions, reviews }: PartProps & { solutions: SolutionView[]; reviews: JobView[] }) {
  const { of } = drill.form;
  const groups: [string, Choice[]][] = [
    ["Your solutions", solutions.filter((one) => !one.shipped).map(choiceOf)],
    ["Of the package", solutions.filter((one) => one.shipped).map(choiceOf)],
    ["Mistakes of a review", reviews.map((one): Choice => [`review:${one.id}`, one.title])],
  ];
  const problem = drill.problems.of ?? "";
  return (
    <div class="field">
      <label for="drill-of">Train from</label>{" "}
      <select
        id="drill-of"
        value={of}
        aria-invalid={problem !== ""}
        aria-describedby={problem ? "drill-of-said" : undefined}
        onChange={(event) => drill.put({ of: event.currentTarget.value })}
      >
        {groups.map(
          ([label, options]) =>
            options.length > 0 && (
              <optgroup key={label} label={label}>
                <Options options={options} chosen={of} />
              </optgroup>
            ),
        )}
      </select>
      {problem && (
        <p id="drill-of-said" class="problem">
          {problem}
        </p>
      )}
      {of.startsWith("review:") && (
        <p class="soft">Its mistakes are asked as they were met, the greatest loss first.</p>
      )}
    </div>
  );
}

const choiceOf = ({ name, title }: SolutionView): Choice => [
  `solution:${name}`,
  title && title !== name ? `${title} (${name})` : name,
];

/** The seat, the street, the line and the boards. */
function Where({ drill, solution }: PartProps & { solution: SolutionView }) {
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

function HowMany({ drill }: PartProps) {
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

function More({ drill }: PartProps) {
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
