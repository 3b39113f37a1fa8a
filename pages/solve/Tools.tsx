/** What stands above the form: what is solved, where it comes from, how it is taken back, and where it can go. */
import type { TargetedEvent } from "preact";
import { CopyButton } from "../shared/CopyButton";
import { Groups } from "../shared/fields";
import { Icon } from "../shared/Icon";
import { say } from "../shared/Said";
import { MODES, written } from "./draft";
import { Keep } from "./Keep";
import type { SolveForm } from "./model";
import { openPreset, presets, replace } from "./opening";

/** The most that a spot may have, in bytes. */
const MOST = 1 << 20;
const BACK = "M9 6L4 11l5 5M4 11h10a6 6 0 0 1 0 12";
const AGAIN = "M15 6l5 5l-5 5M20 11h-10a6 6 0 0 0 0 12";

type StepProps = { name: string; keys: string; path: string; can: boolean; go: () => void };

/** A button that goes a step back or forward in what was done. */
const Step = ({ name, keys, path, can, go }: StepProps) => (
  <button type="button" class="icon" aria-label={name} title={`${name} (${keys})`} disabled={!can} onClick={go}>
    <Icon path={path} />
  </button>
);

export function Tools({ form }: { form: SolveForm }) {
  const { mode } = form.draft;
  const begin = (event: TargetedEvent<HTMLSelectElement>) => {
    const { value } = event.currentTarget;
    event.currentTarget.value = "";
    if (value) form.opening(() => openPreset(form, value));
  };
  return (
    <div class="tools">
      <div class="row">
        <h1>Solve</h1>
        <div class="choice" role="group" aria-label="What is solved">
          {MODES.map(([one, label]) => (
            <button key={one} type="button" aria-pressed={mode === one} onClick={() => form.turnTo(one)}>
              {label}
            </button>
          ))}
        </div>
      </div>
      <div class="row">
        <label class="unseen" for="preset">
          Choose a spot
        </label>
        <select id="preset" value="" onChange={begin}>
          <Groups groups={presets(form)} first="Choose a spot …" />
        </select>
        <button type="button" onClick={() => form.anew()}>
          Start over
        </button>
        <Step name="Undo" keys="Ctrl+Z" path={BACK} can={form.history.canGoBack} go={() => form.undo()} />
        <Step name="Redo" keys="Ctrl+Shift+Z" path={AGAIN} can={form.history.canGoForward} go={() => form.redo()} />
        <span class="end">
          <label class="button quiet file" for="file">
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
            <>
              <button type="button" class="quiet" onClick={() => download(written(form.draft))}>
                Download
              </button>
              <Keep
                id="keep-spot"
                what="spot"
                own={form.own("spots")}
                keep={(name) => form.keepSpot(name)}
                remove={(name) => form.removeKept("spots", name)}
              />
            </>
          )}
          <CopyButton text={form.command()} />
        </span>
      </div>
    </div>
  );
}

async function openFile(form: SolveForm, field: HTMLInputElement): Promise<void> {
  const given = field.files?.[0];
  if (given && given.size <= MOST) await form.opening(async () => replace(form, await given.text(), given.name));
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
