/** The form: what is solved, how, and how large that is. */
import type { TargetedEvent } from "preact";
import { CopyButton } from "../shared/CopyButton";
import { type Choice, Options } from "../shared/fields";
import { say } from "../shared/Said";
import { MODES, written } from "./draft";
import type { SolveForm } from "./model";
import { Settings } from "./Settings";
import { Strip } from "./Strip";
import { Subject } from "./Subject";

const EXAMPLES: Choice[] = [
  ["", "Begin with an example …"],
  ["river", "River, any two cards"],
  ["turn", "Turn, queen-high"],
  ["flop", "Flop, ten-high"],
  ["push-or-fold", "Push or fold, 10 big blinds"],
];
/** The most that a spot may have, in bytes. */
const MOST = 1 << 20;

type Props = { form: SolveForm; solve: () => void };

export function FormPage({ form, solve }: Props) {
  if (!form.ready) {
    return (
      <>
        <h1>Solve</h1>
        <p class="soft" aria-busy="true">
          Reading the games …
        </p>
      </>
    );
  }
  return (
    <>
      <h1>Solve</h1>
      <Tools form={form} />
      <Subject form={form} />
      <Settings form={form} />
      <Strip form={form} solve={solve} />
    </>
  );
}

/** What kind of thing is solved, where it comes from, and where it can go. */
function Tools({ form }: { form: SolveForm }) {
  const { mode } = form.draft;
  const begin = (event: TargetedEvent<HTMLSelectElement>) => {
    const { value } = event.currentTarget;
    event.currentTarget.value = "";
    if (value) form.example(value);
  };
  return (
    <div class="row" role="group" aria-label="What is solved">
      {MODES.map(([one, label]) => (
        <button key={one} type="button" aria-pressed={mode === one} onClick={() => form.turnTo(one)}>
          {label}
        </button>
      ))}
      <label class="unseen" for="example">
        Begin with an example
      </label>
      <select id="example" value="" onChange={begin}>
        <Options options={EXAMPLES} chosen="" />
      </select>
      <label class="button file" for="file">
        Open a file …
        <input
          class="unseen"
          id="file"
          type="file"
          accept=".toml"
          onChange={(event) => openFile(form, event.currentTarget)}
        />
      </label>
      {mode !== "game" && (
        <button type="button" onClick={() => download(written(form.draft))}>
          Download
        </button>
      )}
      <CopyButton text={form.command()} />
    </div>
  );
}

async function openFile(form: SolveForm, field: HTMLInputElement): Promise<void> {
  const given = field.files?.[0];
  if (given && given.size <= MOST) await form.replace(await given.text(), given.name);
  else if (given) say(`${given.name} has more than 1 MiB, the most that a spot may have.`);
  field.value = "";
}

function download(text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
  link.download = "spot.toml";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
