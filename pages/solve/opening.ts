/** Spots that come from elsewhere: presets, files, solutions, and what was solved before. */
import { api, messageOf } from "../api/client";
import type { JobView, SolutionModelsSpotView } from "../api/types";
import { go } from "../app/address";
import type { Choice, Group } from "../shared/fields";
import { say } from "../shared/Said";
import { retitle, SETTINGS } from "./draft";
import type { SolveForm } from "./model";
import { type Fields, toForm } from "./spot";

/** The files of the folder examples that the pages have. */
const EXAMPLES: Choice[] = [
  ["river", "River, any two cards"],
  ["turn", "Turn, queen-high"],
  ["flop", "Flop, ten-high"],
  ["raised-pot", "Cutoff against big blind, 20 big blinds"],
  ["push-or-fold", "Push or fold, 10 big blinds"],
];
const EXAMPLE = "example:";

/** What the form has when nothing has been typed. */
export const FIRST = "btn-vs-bb-srp";

type Taken = { subject: SolutionModelsSpotView["subject"]; settings: Record<string, unknown> };

/** The spots to begin with, by where they come from. */
export function presets({ library: { spots } }: SolveForm): Group[] {
  const of = (own: boolean): Choice[] => spots.filter((one) => one.own === own).map((one) => [one.name, one.title]);
  const groups: Group[] = [
    ["Your library", of(true)],
    ["Library", of(false)],
    ["Examples", EXAMPLES.map(([name, title]) => [EXAMPLE + name, title])],
  ];
  return groups.filter(([, choices]) => choices.length > 0);
}

/** Show a spot of the library or an example. */
export async function openPreset(form: SolveForm, name: string): Promise<void> {
  const found = form.library.spots.find((one) => one.name === name);
  const example = name.replace(EXAMPLE, "");
  const text = found?.spot ?? (await (await fetch(`/static/spots/${example}.toml`)).text());
  Object.assign(form.draft.settings, { net: "", menu: "" });
  await replace(form, text, found?.title ?? example, found !== undefined);
}

/** Show another spot, without what belonged to the one before; `lasting` is a title that holds on every board. */
export async function replace(form: SolveForm, text: string, name: string, lasting = false): Promise<void> {
  const { locks, settings } = form.draft;
  if (locks.trim() || settings.start_from) say("The locks and the start of the spot before were removed.");
  form.draft.locks = settings.start_from = "";
  await openText(form, text, name, lasting);
}

/** Show the text of a spot in the form, or as text where the form has no fields for it. */
export async function openText(form: SolveForm, text: string, name: string, lasting = false): Promise<void> {
  const { draft } = form;
  draft.text = text;
  try {
    const { fields } = await api("POST spots/read", { body: { spot: text } });
    const found = toForm(fields as Fields);
    draft.mode = found ? "form" : "text";
    draft.given = found?.title ?? "";
    draft.lasting = lasting ? draft.given : "";
    if (found) {
      form.show(found);
      if (lasting) retitle(draft);
    } else say("The form has no fields for limit betting, so the spot is shown as text.");
  } catch (error) {
    draft.mode = "text";
    say(`${name}: ${messageOf(error)} Undo leads back to the spot before.`);
  }
  form.edited();
}

/** Show what was solved before, and how: settings that were not given then are not given now. */
async function take(
  form: SolveForm,
  { subject, settings: { locks, ...settings } }: Taken,
  name: string,
): Promise<void> {
  const { draft } = form;
  draft.locks = typeof locks === "string" ? locks : "";
  draft.settings = { ...SETTINGS, target: "" };
  for (const [key, value] of Object.entries(settings)) {
    if (value !== null && value !== undefined) draft.settings[key] = String(value);
  }
  draft.belongs = "";
  if ("game" in subject) {
    Object.assign(draft, { mode: "game", game: subject.game });
    form.edited();
  } else await openText(form, subject.spot, name);
}

/** Show the preset or the spot of the solution that an address names, with the locks of the address. */
export async function openAddress(form: SolveForm, query: URLSearchParams): Promise<void> {
  const name = query.get("from");
  const preset = query.get("spot");
  if (preset && presets(form).some(([, choices]) => choices.some(([one]) => one === preset))) {
    return openPreset(form, preset);
  }
  if (!name) return;
  try {
    const { subject, settings } = await api("GET solutions/{name}/spot", { path: { name } });
    // Study has put its own locks and those of the solution together; two tables for one line would be an error.
    const lock = query.get("lock");
    const start_from = settings.net ? null : name;
    await take(form, { subject, settings: { ...settings, locks: lock ?? settings.locks, start_from } }, name);
    // Two solutions of one title cannot be told apart in a list.
    const { mode, form: spot } = form.draft;
    if (lock && mode === "form" && spot && !spot.title.endsWith(", locked")) {
      form.put(spot, "title", `${spot.title || spot.board}, locked`);
    }
  } catch (error) {
    say(messageOf(error));
  }
}

/** Open the form with what a job has solved. */
export async function openJob(form: SolveForm, { id, title }: JobView): Promise<void> {
  try {
    const { subject, settings } = await api("GET jobs/{name}/solve", { path: { name: id } });
    // The job may have ended since the page was told how it stands.
    const { solution } = await api("GET jobs/{name}", { path: { name: id } });
    // What was typed last is shown first, so that it does not take the place of this.
    await form.begun;
    await form.opening(() =>
      take(form, { subject, settings: { ...settings, start_from: settings?.net ? null : solution } }, title),
    );
    go("/solve");
  } catch (error) {
    say(messageOf(error));
  }
}
