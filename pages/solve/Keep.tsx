/** Puts a spot or a range into the user's library, and removes what is there. */
import type { TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/client";

type Props = {
  id: string;
  what: "spot" | "range";
  /** What the library of the user has of this kind. */
  own: string[];
  keep: (name: string) => Promise<void>;
  remove: (name: string) => Promise<void>;
};

export function Keep({ id, what, own, keep, remove }: Props) {
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [open]);
  const tried = (done: Promise<void>, then: () => void) =>
    done.then(then, (error) => setProblem(messageOf(error))).then(() => field.current?.focus());
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = field.current?.value.trim() ?? "";
    setProblem(name ? "" : "Write a name.");
    if (name) tried(keep(name), () => setOpen(false));
  };
  if (!open) {
    return (
      <button type="button" class="quiet" aria-label={`Save the ${what} to your library`} onClick={() => setOpen(true)}>
        Save …
      </button>
    );
  }
  return (
    <form class="keep" onSubmit={submit} aria-label={`Your library of ${what}s`}>
      <label class="unseen" for={id}>
        Name of the {what} in your library
      </label>
      <input
        id={id}
        ref={field}
        maxLength={100}
        autocomplete="off"
        placeholder="Name"
        aria-invalid={problem !== ""}
        aria-describedby={`${id}-said`}
      />{" "}
      <button type="submit">Save</button>{" "}
      <button type="button" class="quiet" onClick={() => setOpen(false)}>
        Close
      </button>
      <p id={`${id}-said`} class="problem" role="alert">
        {problem}
      </p>
      {own.length > 0 && (
        <ul>
          {own.map((name) => (
            <li key={name}>
              {name}{" "}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${name} from your library`}
                onClick={() => tried(remove(name), () => setProblem(""))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
