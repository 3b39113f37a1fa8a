/** What a file of hands that is dropped here is reviewed against, and by whom. */
import type { Routes } from "../api/types";
import { HEAD_BYTES, headOf } from "../reviews/file";

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** The charts of the package for the tables of a file: those for two players, or those for six. */
export function chartsFor(text: string): string {
  const hands = count(text, /^Poker.*Hand #/gm);
  const seated = count(text, /^Seat \d+: .+ in chips/gm);
  const stacks = [...text.matchAll(/^starting_stacks\s*=\s*\[([^\]]*)\]/gm)].map((found) => found[1].split(",").length);
  return seated > 2 * hands || stacks.some((players) => players > 2) ? "six-handed" : "heads-up";
}

/** The query of a review of a file, with what the form of Reviews has at the beginning. */
export async function queryFor(file: File): Promise<Routes["POST reviews"]["query"]> {
  const text = await file.slice(0, HEAD_BYTES).text();
  const { hero, log } = headOf(text);
  return {
    charts: chartsFor(text),
    player: hero || null,
    format: log ? "acpc" : null,
    title: file.name.replace(/\.[^.]*$/, "").slice(0, 200) || null,
  };
}
