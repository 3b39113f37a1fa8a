/** The form for a new match, and the job that it asks for. */
import type { LbrRequest, LbrSettings, MatchRequest } from "../api/types";
import { readWhole } from "../shared/numbers";

export type Form = {
  kind: "match" | "lbr";
  game: string;
  first: string;
  second: string;
  hands: string;
  seed: string;
  /** Values that AIVAT uses. */
  values: string;
  /** Actions of the local best response. */
  setting: string;
  duplicate: boolean;
  common_random_numbers: boolean;
  aivat: boolean;
};

export const EMPTY: Form = {
  kind: "match",
  game: "leduc",
  first: "",
  second: "",
  hands: "10000",
  seed: "0",
  values: "",
  setting: "",
  duplicate: true,
  common_random_numbers: false,
  aivat: true,
};

/** The job that the form asks for.  Throws an Error with a sentence if a number of it cannot be read. */
export function requestOf(form: Form): MatchRequest | LbrRequest {
  const subject = { game: form.game };
  const number = (typed: string, what: string, least: number) => {
    const found = readWhole(typed, what, least);
    if (found.problem) throw new Error(found.problem);
    return found.value;
  };
  const hands = number(form.hands, "Hands", form.kind === "lbr" ? 4 : 1);
  const seed = number(form.seed, "Seed", 0);
  if (form.kind === "lbr") {
    const setting = (form.setting || null) as LbrSettings["setting"];
    return { kind: "lbr", subject, agent: form.first, settings: { hands, seed, setting } };
  }
  const { duplicate, aivat } = form;
  const common_random_numbers = duplicate && form.common_random_numbers;
  const values = aivat && form.values ? form.values : null;
  const settings = { hands, seed, duplicate, aivat, values, common_random_numbers };
  return { kind: "match", subject, agents: [form.first, form.second], settings };
}
