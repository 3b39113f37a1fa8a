/** The form for a new review. */
import type { TargetedSubmitEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client";
import type { GameView } from "../api/types";
import { go } from "../app/address";
import { type Choice, SelectField, TextField } from "../shared/fields";
import { useSolutions } from "../shared/solutions";
import { ChartsChoice } from "./ChartsChoice";
import { FileField } from "./FileField";
import { HEAD_BYTES, type Head, headOf } from "./file";
import type { Reviews } from "./model";
import { EMPTY, FORMATS, type Form, placed, queryOf, type Wrong } from "./request";

const NOBODY: Head = { players: [], hero: "", log: false };

/** How the form is filled and sent. */
function useForm(reviews: Reviews) {
  const [form, setForm] = useState(EMPTY);
  const [head, setHead] = useState(NOBODY);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [sending, setSending] = useState(false);
  const put = (changes: Partial<Form>) => {
    setWrong(null);
    setForm((now) => ({ ...now, ...changes }));
  };
  const take = async (file: File) => {
    put({ file });
    const found = headOf(await file.slice(0, HEAD_BYTES).text());
    setHead(found);
    put({ player: found.hero, format: found.log ? "acpc" : "" });
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
  return { form, head, wrong, sending, put, take, start };
}

export function NewReview({ reviews }: { reviews: Reviews }) {
  const { form, head, wrong, sending, put, take, start } = useForm(reviews);
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
  return (
    <form class="new" onSubmit={start} aria-labelledby="new-review">
      <h2 id="new-review">New review</h2>
      <FileField file={form.file} take={take} problem={problemOf("file")} />
      {text("player", "Whose decisions", "everybody’s", "players")}
      <datalist id="players">
        {head.players.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <fieldset>
        <legend>Against</legend>
        <div class="choice" role="group" aria-label="Reviewed against">
          <button type="button" aria-pressed={form.by === "charts"} onClick={() => put({ by: "charts" })}>
            Charts
          </button>
          <button type="button" aria-pressed={form.by === "against"} onClick={() => put({ by: "against" })}>
            A solution or blueprint
          </button>
        </div>
        {form.by === "charts" ? (
          <>
            <ChartsChoice reviews={reviews} form={form} put={put} problem={problemOf("charts")} />
            <div class="fields">
              {text("seconds", "Seconds for a spot")}
              {text("memory", "Memory for a spot, MiB", "1,024, or what is free")}
              {text("target", "Target: exploitability", "such as 0.5%pot")}
            </div>
          </>
        ) : (
          <SolutionChoice form={form} put={put} problem={problemOf("against")} />
        )}
      </fieldset>
      <More form={form} put={put} />
      {wrong && !known.includes(wrong.field) && (
        <p class="problem" role="alert">
          {wrong.message}
        </p>
      )}
      <button class="main" disabled={sending}>
        {sending ? "The hands are being sent …" : "Review the hands"}
      </button>
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
        {problem || unread || "Hands of its game count as far as they follow its tree."}
      </p>
    </>
  );
}

/** The format and the game of the file, and how the review is called. */
function More({ form, put }: Fields) {
  const [games, setGames] = useState<GameView[]>([]);
  const log = form.format === "acpc";
  useEffect(() => {
    if (log && !games.length)
      api("GET games").then(
        (found) => setGames(found.games),
        () => {},
      );
  }, [log]);
  return (
    <details open={log || undefined}>
      <summary>Format and name</summary>
      <div class="fields">
        <SelectField
          id="review-format"
          label="Format"
          value={form.format}
          options={FORMATS}
          put={(format) => put({ format })}
        />
        {log && (
          <SelectField
            id="review-game"
            label="Game of the log"
            value={form.game}
            options={[["", "heads-up hold’em"], ...games.map((game): Choice => [game.name, game.title])]}
            put={(game) => put({ game })}
          />
        )}
        <TextField
          id="review-title"
          label="Name of the review"
          value={form.title}
          hint="that of the file"
          put={(title) => put({ title })}
        />
      </div>
    </details>
  );
}
