/** The form for a new match, and the job that it asks for. */
import { Problem } from "../api/client";
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
  game: "holdem.nolimit.2p",
  first: "",
  second: "",
  hands: "10,000",
  seed: "0",
  values: "",
  setting: "",
  duplicate: true,
  common_random_numbers: false,
  aivat: true,
};

/** What is wrong, and with which field; none is that of the whole form. */
export type Wrong = { field: string; message: string };

/** The job that the form asks for, or what is wrong with it. */
export function requestOf(form: Form): MatchRequest | LbrRequest | Wrong {
  const subject = { game: form.game };
  const hands = readWhole(form.hands, "Hands", form.kind === "lbr" ? 4 : 1);
  const seed = readWhole(form.seed, "Seed", 0);
  if (hands.problem) return { field: "hands", message: hands.problem };
  if (seed.problem) return { field: "seed", message: seed.problem };
  const both = { hands: hands.value, seed: seed.value };
  if (form.kind === "lbr") {
    const setting = (form.setting || null) as LbrSettings["setting"];
    return { kind: "lbr", subject, agent: form.first, settings: { ...both, setting } };
  }
  const { duplicate, aivat } = form;
  if (duplicate && both.hands % 2) {
    return { field: "hands", message: "Hands: write an even number, because every deal is played twice." };
  }
  const common_random_numbers = duplicate && form.common_random_numbers;
  const values = aivat && form.values ? form.values : null;
  const settings = { ...both, duplicate, aivat, values, common_random_numbers };
  return { kind: "match", subject, agents: [form.first, form.second], settings };
}

/** Where an error of the server belongs. */
export function placed(error: unknown): Wrong {
  if (!(error instanceof Problem))
    return { field: "", message: error instanceof Error ? error.message : String(error) };
  const field = error.field.split(".").at(-1) ?? "";
  return field === "hands" || field === "seed" ? { field, message: error.text } : { field: "", message: error.text };
}

/** A name as results have it, without what its title says. */
export const agentName = (name: string): string => name.replace(/^solution:/, "");

/** The name by which an agent of a result is asked for: results have the files of solutions. */
export const agentOf = (player: string): string => player.replace(/^(solution:.*)\.errai$/, "$1");
