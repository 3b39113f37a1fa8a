/** The strip at the foot of the form: how large the solve is, what is wrong, and the button. */
import { memory, roughly, seconds, whole } from "../shared/numbers";
import { targetText } from "./draft";
import type { SolveForm } from "./model";

type Props = { form: SolveForm };
const NODES = "Betting nodes";

export function Strip({ form, solve }: Props & { solve: () => void }) {
  const { why } = form;
  return (
    <div class="strip">
      <div class="size" role="status" aria-live="polite" aria-busy={form.estimate.counting}>
        <Size form={form} />
        {why && <Why form={form} why={why} />}
      </div>
      <button
        type="button"
        class="main"
        disabled={why !== ""}
        aria-describedby={why ? "why" : undefined}
        onClick={solve}
      >
        Solve
      </button>
    </div>
  );
}

function Size({ form: { estimate, draft } }: Props) {
  const { size, counting } = estimate;
  if (!size || size.nodes === null) return counting ? <p class="soft">The size is being counted.</p> : null;
  const { nodes, memory_bytes: bytes, free_bytes: free, seconds_per_iteration: each, seconds_to_target: time } = size;
  const facts: [string, string, string?][] = [
    [NODES, whole(nodes)],
    ["Memory", memory(bytes ?? 0), free === null ? "" : ` of ${memory(free)} free`],
  ];
  if (time !== null) facts.push([`To ${targetText(draft.settings.target)}`, roughly(time)]);
  else if (each !== null) facts.push(["One iteration", `about ${seconds(each)}`]);
  return (
    <>
      <dl>
        {facts.map(([name, text, more]) => (
          <div key={name} class={name === NODES ? "nodes" : ""}>
            <dt>{name}</dt>
            <dd>
              {text}
              {more && <span class="free">{more}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {size.note && <p class="soft">{size.note}</p>}
    </>
  );
}

/** Why it cannot be solved, and what can be done about it. */
function Why({ form, why }: Props & { why: string }) {
  const { wrong } = form.estimate;
  const field = form.waits ? "" : (wrong?.field ?? "");
  return (
    <p id="why" class="problem">
      {why}{" "}
      {field && (
        <button type="button" class="quiet" onClick={() => goToField(field)}>
          Show where
        </button>
      )}
      {!wrong && !form.waits && form.stray && (
        <>
          <button type="button" onClick={() => form.forget()}>
            Remove what is of another spot
          </button>{" "}
          <button type="button" onClick={() => form.adopt()}>
            Use it here as well
          </button>
        </>
      )}
    </p>
  );
}

/** Go to the field that is wrong. */
function goToField(id: string): void {
  const found = document.getElementById(id) ?? document.getElementById(`${id}-text`);
  const around = found?.closest("details");
  if (around) around.open = true;
  found?.focus();
}
