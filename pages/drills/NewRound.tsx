/** The form for a new round: what is asked, and how many questions. */
import type { TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { JobView, SolutionView } from "../api/types";
import { type Choice, Options } from "../shared/fields";
import { drawn, useModel } from "../shared/model";
import { Step } from "../shared/Step";
import { useSolutions } from "../shared/solutions";
import { DrillForm, subjectOf } from "./form";
import { HowMany, More, type PartProps, Where } from "./parts";

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
