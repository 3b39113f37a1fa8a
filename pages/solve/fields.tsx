/** Fields whose texts are kept in the form; their names are those of `fieldName`. */
import { Check, type Choice, SelectField, TextField } from "../shared/fields";
import type { SolveForm } from "./model";

type More = { hint?: string; width?: string; mode?: "text" | "decimal" | "numeric"; list?: string };
type FieldProps<T> = More & {
  form: SolveForm;
  id: string;
  /** Where the text is kept, and under which key. */
  of: T;
  at: keyof T;
};

export function Field<T extends object>({ form, id, of, at, ...more }: FieldProps<T>) {
  const put = (text: string) => form.put(of, at, text as T[keyof T]);
  const { [at]: value } = of;
  return (
    <TextField id={id} label={form.nameOf(id)} value={String(value)} put={put} problem={form.problemOf(id)} {...more} />
  );
}

type SettingProps = More & { form: SolveForm; id: string };

/** An option of the solve as a text. */
export function Setting({ form, id, ...more }: SettingProps) {
  const { settings } = form.draft;
  return <Field form={form} id={id} of={settings} at={id} {...more} />;
}

/** An option of the solve as a choice. */
export function SettingChoice({ form, id, label, options }: SettingProps & { label?: string; options: Choice[] }) {
  const { settings } = form.draft;
  const put = (value: string) => form.put(settings, id, value);
  return (
    <SelectField id={id} label={label ?? form.nameOf(id)} value={settings[id] ?? ""} options={options} put={put} />
  );
}

type FlagProps<T> = { form: SolveForm; label: string; of: T; at: keyof T };

/** A box whose state is kept. */
export function Flag<T extends object>({ form, label, of, at }: FlagProps<T>) {
  return <Check label={label} value={Boolean(of[at])} put={(on) => form.put(of, at, on as T[keyof T])} />;
}
