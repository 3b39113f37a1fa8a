/** The fields of forms: a label, what is typed or chosen, and what is wrong with it. */
import type { ComponentChildren } from "preact";

type TextProps = {
  id: string;
  label: string;
  value: string;
  put: (text: string) => void;
  hint?: string;
  width?: string;
  /** An inputmode of HTML. */
  mode?: "text" | "decimal" | "numeric";
  problem?: string;
  /** The id of a list of texts that are offered. */
  list?: string;
};

/** A field of text.  What is wrong with it stands below it, in a row of fields below the row. */
export function TextField(props: TextProps) {
  const { id, label, value, put, hint = "", width = "", mode = "text", problem = "", list = "" } = props;
  return (
    <>
      <div class={`field ${width}`}>
        <label for={id}>{label}</label>{" "}
        <input
          id={id}
          value={value}
          inputMode={mode}
          placeholder={hint}
          list={list || undefined}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem !== ""}
          aria-describedby={problem ? `${id}-said` : undefined}
          onInput={(event) => put(event.currentTarget.value)}
        />
      </div>
      {problem && (
        <p id={`${id}-said`} class="problem">
          {problem}
        </p>
      )}
    </>
  );
}

type LinesProps = {
  id: string;
  value: string;
  put: (text: string) => void;
  rows: number;
  hint?: string;
  problem?: string;
};

/** A field of several lines. */
export function LinesField({ id, value, put, rows, hint = "", problem = "" }: LinesProps) {
  return (
    <>
      <textarea
        id={id}
        rows={rows}
        spellcheck={false}
        value={value}
        aria-invalid={problem !== ""}
        aria-describedby={`${id}-said`}
        placeholder={hint}
        onInput={(event) => put(event.currentTarget.value)}
      />
      <p id={`${id}-said`} class="problem">
        {problem}
      </p>
    </>
  );
}

type CheckProps = { label: ComponentChildren; value: boolean; put: (on: boolean) => void; off?: boolean };

/** A box to be checked. */
export function Check({ label, value, put, off = false }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        disabled={off}
        checked={value && !off}
        onChange={(event) => put(event.currentTarget.checked)}
      />{" "}
      {label}
    </label>
  );
}

/** A value of a choice and its text. */
export type Choice = readonly [value: string, text: string];

/** The choices of a select. */
export function Options({ options, chosen }: { options: readonly Choice[]; chosen: string }) {
  return options.map(([value, text]) => (
    <option key={value} value={value} selected={value === chosen}>
      {text}
    </option>
  ));
}

/** Choices that belong together, and what they are called. */
export type Group = readonly [label: string, choices: Choice[]];

/** Groups of choices of a select, none of which is chosen before. */
export function Groups({ groups, first }: { groups: readonly Group[]; first: string }) {
  return (
    <>
      <option value="">{first}</option>
      {groups.map(([label, choices]) => (
        <optgroup key={label} label={label}>
          <Options options={choices} chosen="" />
        </optgroup>
      ))}
    </>
  );
}

type SelectProps = {
  id: string;
  label: string;
  value: string;
  options: readonly Choice[];
  put: (value: string) => void;
  describedBy?: string;
};

/** A choice. */
export function SelectField({ id, label, value, options, put, describedBy }: SelectProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>{" "}
      <select id={id} value={value} aria-describedby={describedBy} onChange={(event) => put(event.currentTarget.value)}>
        <Options options={options} chosen={value} />
      </select>
    </div>
  );
}
