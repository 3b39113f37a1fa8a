/** The charts that hands are reviewed by: one is chosen, and one's own are taken in. */
import type { TargetedEvent, TargetedKeyboardEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, messageOf, Problem } from "../api/client";
import { type Choice, LinesField, SelectField, TextField } from "../shared/fields";
import { say } from "../shared/Said";
import type { Reviews } from "./model";
import { aboutCharts, chartsFor, type Form } from "./request";

type Props = {
  reviews: Reviews;
  form: Form;
  put: (changes: Partial<Form>) => void;
  fill: (changes: Partial<Form>) => void;
  problem: string;
  /** Whether more than two play at a table of the file. */
  many: boolean;
};

export function ChartsChoice({ reviews, form, put, fill, problem, many }: Props) {
  const { charts } = reviews;
  const chosen = charts?.find((one) => one.name === form.charts);
  useEffect(() => {
    if (charts && !chosen) fill({ charts: chartsFor(charts, many) });
  }, [charts, chosen]);
  const options = charts?.map(
    ({ name, shipped }): Choice => [name, shipped ? `${name} (of the package)` : `${name} (yours)`],
  );
  const remove = async () => {
    if (!chosen || !window.confirm(`Delete the charts ${chosen.name}?`)) return;
    try {
      await api("DELETE charts/{name}", { path: { name: chosen.name } });
      await reviews.readCharts();
    } catch (error) {
      say(messageOf(error));
    }
  };
  return (
    <>
      <SelectField
        id="review-charts"
        label="Charts: the ranges of each position before the flop"
        value={form.charts}
        options={options ?? [["", "Reading the charts …"]]}
        put={(name) => put({ charts: name })}
        describedBy="review-charts-said"
      />
      <p id="review-charts-said" class={problem || chosen?.error ? "problem" : "soft"}>
        {problem || (chosen ? aboutCharts(chosen) : "")}
      </p>
      {chosen && !chosen.shipped && (
        <button type="button" class="quiet" onClick={remove}>
          Delete these charts
        </button>
      )}
      <AddCharts
        added={async (name) => {
          await reviews.readCharts();
          put({ charts: name });
        }}
      />
    </>
  );
}

const EXAMPLE = '[[chart]]\nraises = 1\nraiser = "BTN"\n[chart.ranges]\nBTN = "22+, A2s+, …"\nBB = "TT-22, …"';

/** Takes in charts of one's own, typed, pasted or from a file. */
function AddCharts({ added }: { added: (name: string) => Promise<void> }) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState({ name: "", text: "" });
  const [open, setOpen] = useState(false);
  const read = async (event: TargetedEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    const file = field.files?.[0];
    if (file) {
      setText(await file.text());
      setName((now) => now || file.name.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9_-]+/g, "-"));
    }
    field.value = "";
  };
  const add = async () => {
    if (!name.trim()) return setWrong({ name: "Write a name for the charts.", text: "" });
    if (!text.trim()) return setWrong({ name: "", text: "Paste charts here, or open a file." });
    try {
      await api("POST charts", { body: { name: name.trim(), text } });
      setWrong({ name: "", text: "" });
      await added(name.trim());
      say(`The charts ${name.trim()} have been taken in.`);
      setName("");
      setText("");
      setOpen(false);
    } catch (error) {
      const named = error instanceof Problem && (error.field === "name" || error.type === "InputError");
      setWrong(named ? { name: error.text, text: "" } : { name: "", text: messageOf(error) });
    }
  };
  const enter = (event: TargetedKeyboardEvent<HTMLElement>) => {
    // Enter in a field of these would send the form around them.
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement) || event.target.type === "file") return;
    event.preventDefault();
    add();
  };
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} onKeyDown={enter}>
      <summary>Charts of your own</summary>
      <TextField id="charts-name" label="Name" value={name} put={setName} problem={wrong.name} />
      <label for="charts-text" class="soft">
        A file of charts; docs/histories.md says how it is written
      </label>
      <LinesField id="charts-text" value={text} put={setText} rows={7} hint={EXAMPLE} problem={wrong.text} />
      <div class="row">
        <button type="button" onClick={add}>
          Add the charts
        </button>
        <label class="button file" for="charts-file">
          Open a file …
          <input class="unseen" id="charts-file" type="file" accept=".toml,.txt" onChange={read} />
        </label>
      </div>
    </details>
  );
}
