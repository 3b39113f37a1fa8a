/** The form for a new review. */
import type { TargetedSubmitEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { go } from "../app/address";
import { FileField } from "../shared/FileField";
import { type Choice, SelectField, TextField } from "../shared/fields";
import { Step } from "../shared/Step";
import { useSolutions } from "../shared/solutions";
import { ChartsChoice } from "./ChartsChoice";
import { HEAD_BYTES, type Head, headOf } from "./file";
import { MoreFields } from "./MoreFields";
import type { Reviews } from "./model";
import { chartsFor, EMPTY, type Form, placed, queryOf, type Wrong } from "./request";
import { WhatHappens } from "./WhatHappens";

const NOBODY: Head = { players: [], hero: "", log: false, many: false };

/** How the form is filled and sent. */
function useForm(reviews: Reviews) {
  const [form, setForm] = useState(EMPTY);
  const [head, setHead] = useState(NOBODY);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [sending, setSending] = useState(false);
  const newest = useRef<File | null>(null);
  const put = (changes: Partial<Form>) => {
    setWrong(null);
    setForm((now) => ({ ...now, ...changes }));
  };
  /** Fill fields in without the person: what was said of others stays. */
  const fill = (changes: Partial<Form>) => {
    setWrong((now) => (now && now.field in changes ? null : now));
    setForm((now) => ({ ...now, ...changes }));
  };
  const take = async (file: File) => {
    newest.current = file;
    put({ file });
    const found = headOf(await file.slice(0, HEAD_BYTES).text());
    if (newest.current !== file) return;
    setHead(found);
    const charts = chartsFor(reviews.charts ?? [], found.many);
    fill({ player: found.hero, format: found.log ? "acpc" : "", ...(charts && { charts }) });
  };
  const start = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending) return;
    const { query, wrong: found } = queryOf(form);
    setWrong(found);
    if (found || !form.file) return void document.getElementById(`review-${found?.field}`)?.focus();
    setSending(true);
    try {
      const job = await api("POST reviews", { query, body: form.file });
      reviews.jobs.take(job);
      go(`/reviews/${job.id}`);
    } catch (error) {
      const at = placed(error);
      setWrong(at);
      setSending(false);
      document.getElementById(`review-${at.field}`)?.focus();
    }
  };
  return { form, head, wrong, sending, put, fill, take, start };
}

export function NewReview({ reviews }: { reviews: Reviews }) {
  const { form, head, wrong, sending, put, fill, take, start } = useForm(reviews);
  const problemOf = (field: string) => (wrong?.field === field ? wrong.message : "");
  const known = ["file", "player", "charts", "against", "target", "seconds", "memory"];
  const text = (key: "player" | "target" | "seconds" | "memory", label: string, hint = "", list = "") => (
    <TextField
      id={`review-${key}`}
      label={label}
      value={form[key]}
      put={(value) => put({ [key]: value })}
      hint={hint}
      list={list}
      mode={key === "seconds" || key === "memory" ? "decimal" : "text"}
      problem={problemOf(key)}
    />
  );
  if (!form.file) {
    return (
      <section aria-labelledby="new-review">
        <h2 id="new-review">New review</h2>
        <FileField file={null} take={take} problem={problemOf("file")} />
        <WhatHappens />
      </section>
    );
  }
  return (
    <form class="form" onSubmit={start} aria-labelledby="new-review">
      <h2 id="new-review">New review</h2>
      <Step number={1} title="Your hands">
        <FileField file={form.file} take={take} problem={problemOf("file")} />
        <MoreFields form={form} put={put} />
      </Step>
      <Step number={2} title="Your name at the table">
        {text("player", "Whose decisions", "everybody’s", "players")}
        <datalist id="players">
          {head.players.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <p class="soft">Empty, the decisions of all players whose cards are known are reviewed.</p>
      </Step>
      <Step number={3} title="What they are compared with">
        <div class="choice" role="group" aria-label="Reviewed against">
          <button type="button" aria-pressed={form.by === "charts"} onClick={() => put({ by: "charts" })}>
            Spots solved from charts
          </button>
          <button type="button" aria-pressed={form.by === "against"} onClick={() => put({ by: "against" })}>
            A solution or blueprint
          </button>
        </div>
        {form.by === "charts" ? (
          <>
            <ChartsChoice
              reviews={reviews}
              form={form}
              put={put}
              fill={fill}
              problem={problemOf("charts")}
              many={head.many}
            />
            <details open={["seconds", "memory", "target"].includes(wrong?.field ?? "") || undefined}>
              <summary>Time, memory and accuracy of each spot</summary>
              <div class="fields">
                {text("seconds", "Time at most, seconds")}
                {text("memory", "Memory at most, MiB", "1,024, or what is free")}
                {text("target", "Exploitability to reach", "such as 0.5%pot")}
              </div>
            </details>
          </>
        ) : (
          <SolutionChoice form={form} put={put} problem={problemOf("against")} />
        )}
      </Step>
      {wrong && !known.includes(wrong.field) && (
        <p class="problem" role="alert">
          {wrong.message}
        </p>
      )}
      <div class="begin">
        <button class="main" disabled={sending}>
          {sending ? "The hands are being sent …" : "Review the hands"}
        </button>
        <span class="soft">It goes on when this page is closed.</span>
      </div>
    </form>
  );
}

type Fields = { form: Form; put: (changes: Partial<Form>) => void };

/** What there is to review against. */
function SolutionChoice({ form, put, problem }: Fields & { problem: string }) {
  const { solutions, problem: unread } = useSolutions();
  const usable = solutions?.filter((one) => !one.error) ?? [];
  const options: Choice[] = [
    ["", solutions ? "Choose one …" : "Reading the solutions …"],
    ...usable.map((one): Choice => [one.name, `${one.title} (${one.name})`]),
  ];
  return (
    <>
      <SelectField
        id="review-against"
        label="Solution, run or blueprint"
        value={form.against}
        options={options}
        put={(against) => put({ against })}
        describedBy={problem ? "review-against-said" : undefined}
      />
      <p id="review-against-said" class={problem || unread ? "problem" : "soft"}>
        {problem || unread || "Hands are reviewed as far as the solution has their actions."}
      </p>
    </>
  );
}
