/** The field for a line that is typed. */
import type { TargetedEvent, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { drawn } from "../shared/model";
import type { Study } from "./model";

type Props = {
  study: Study;
  typed: { line: string; error: string };
  /** Called when the field has been closed. */
  gone: () => void;
};

export function TypedLine({ study, typed, gone }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const submit = async (event: TargetedEvent) => {
    event.preventDefault();
    if (await study.goTyped(field.current?.value.trim() ?? "")) {
      await study.shown;
      await drawn();
      gone();
    }
  };
  const close = async (event: TargetedKeyboardEvent<HTMLFormElement>) => {
    if (event.key !== "Escape") return;
    study.type(null);
    await drawn();
    gone();
  };
  return (
    <form class="typed" onSubmit={submit} onKeyDown={close}>
      <label for="typed">Line, as for errai show</label>{" "}
      <input
        id="typed"
        name="line"
        autocomplete="off"
        spellcheck={false}
        size={48}
        defaultValue={typed.line}
        ref={field}
        placeholder="check bet 120 / Ah / check"
        aria-describedby="typed-error"
        aria-invalid={typed.error !== ""}
      />
      <button>Go</button>
      <p id="typed-error" class="problem" role="alert">
        {typed.error}
      </p>
    </form>
  );
}
