/** The fields of texts of a new report. */
import { LinesField, TextField } from "../shared/fields";
import type { ReportForm } from "./form";
import type { Form } from "./request";

type FieldProps<K extends keyof Form> = { model: ReportForm; at: K; hint: string };

export function Lines({ model, at, rows, hint }: FieldProps<"list" | "lines" | "locks" | "spot"> & { rows: number }) {
  return (
    <LinesField
      id={`report-${at}`}
      value={model.form[at]}
      put={(text) => model.put({ [at]: text })}
      rows={rows}
      hint={hint}
      problem={model.problemOf(at)}
    />
  );
}

export function Text({ model, at, label, hint }: FieldProps<"target" | "title" | "processes"> & { label: string }) {
  return (
    <TextField
      id={`report-${at}`}
      label={label}
      value={model.form[at]}
      put={(text) => model.put({ [at]: text })}
      hint={hint}
      problem={model.problemOf(at)}
    />
  );
}
