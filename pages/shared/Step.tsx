/** A step of a form: its number, its heading, and its fields. */
import type { ComponentChildren } from "preact";
import "./form.css";

type Props = { number: number; title: string; children: ComponentChildren };

export function Step({ number, title, children }: Props) {
  return (
    <fieldset class="step">
      <legend>
        <span class="number" aria-hidden="true">
          {number}
        </span>
        {title}
      </legend>
      {children}
    </fieldset>
  );
}
