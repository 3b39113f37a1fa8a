/** The tab with the notes on a solution: that of this place, to be written, and all others, which lead to theirs. */
import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../api/client";
import { LinesField } from "../shared/fields";
import { useModel } from "../shared/model";
import type { Study } from "./model";
import type { PanelProps } from "./Tabs";

export function NotesPanel({ study, view }: PanelProps) {
  const notes = useModel(study.notes);
  const here = notes.at(view.line);
  const others = notes.all.filter((note) => note.line !== view.line);
  return (
    <>
      <h2>{view.line ? `Note after ${view.line}` : "Note at the start"}</h2>
      {notes.problem && (
        <p class="problem" role="alert">
          {notes.problem}
        </p>
      )}
      <Editor key={`${view.line}\n${here}`} study={study} line={view.line} text={here} />
      {others.length > 0 && (
        <>
          <h3>Other places with notes</h3>
          <ul class="notes">
            {others.map(({ line, text }) => (
              <li key={line}>
                <button type="button" class="quiet" onClick={() => study.to(line)}>
                  {line || "Start"}
                </button>
                <p>{text}</p>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="soft">Notes lie beside the file of the solution; errai show and errai note have them too.</p>
    </>
  );
}

function Editor({ study, line, text }: { study: Study; line: string; text: string }) {
  const [typed, setTyped] = useState(text);
  const [problem, setProblem] = useState("");
  const write = async (next: string) => {
    try {
      await study.notes.write(line, next);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (typed.trim() || text) write(typed);
  };
  return (
    <form class="note" onSubmit={submit}>
      <label for="note" class="unseen">
        Note
      </label>
      <LinesField
        id="note"
        value={typed}
        put={setTyped}
        rows={4}
        hint="What do you want to remember?"
        problem={problem}
      />
      <p class="row">
        <button disabled={typed === text || (!typed.trim() && !text)}>Save</button>
        {text && (
          <button type="button" class="quiet" onClick={() => write("")}>
            Remove
          </button>
        )}
      </p>
    </form>
  );
}
