/** What a file of hands that is dropped here is reviewed against, and by whom. */
import type { Routes } from "../api/types";
import { HEAD_BYTES, headOf } from "../reviews/file";

/** The query of a review of a file, with what the form of Reviews has at the beginning. */
export async function queryFor(file: File): Promise<Routes["POST reviews"]["query"]> {
  const { hero, log, many } = headOf(await file.slice(0, HEAD_BYTES).text());
  return {
    charts: many ? "six-handed" : "heads-up",
    player: hero || null,
    format: log ? "acpc" : null,
    title: file.name.replace(/\.[^.]*$/, "").slice(0, 200) || null,
  };
}
