/** Fields whose texts are kept in the form. */
import { Check, type Choice, SelectField, TextField } from "../shared/fields";
import type { SolveForm } from "./model";

type More = { hint?: string; width?: string; mode?: "text" | "decimal" | "numeric" };
type FieldProps<T> = More & {
  form: SolveForm;
  id: string;
  label: string;
  /** Where the text is kept, and under which key. */
  of: T;
  at: keyof T;
};

export function Field<T extends object>({ form, id, label, of, at, ...more }: FieldProps<T>) {
  const put = (text: string) => form.put(of, at, text as T[keyof T]);
  return <TextField id={id} label={label} value={String(of[at])} put={put} problem={form.problemOf(id)} {...more} />;
}

type SettingProps = More & { form: SolveForm; id: string; label: string };

/** An option of the solve as a text. */
export function Setting({ form, id, label, ...more }: SettingProps) {
  const { settings } = form.draft;
  const put = (text: string) => form.put(settings, id, text);
  return (
    <TextField id={id} label={label} value={settings[id] ?? ""} put={put} problem={form.problemOf(id)} {...more} />
  );
}

/** An option of the solve as a choice. */
export function SettingChoice({ form, id, label, options }: SettingProps & { options: Choice[] }) {
  const { settings } = form.draft;
  const put = (value: string) => form.put(settings, id, value);
  return <SelectField id={id} label={label} value={settings[id] ?? ""} options={options} put={put} />;
}

type FlagProps<T> = { form: SolveForm; label: string; of: T; at: keyof T };

/** A box whose state is kept. */
export function Flag<T extends object>({ form, label, of, at }: FlagProps<T>) {
  return <Check label={label} value={Boolean(of[at])} put={(on) => form.put(of, at, on as T[keyof T])} />;
}
