/** What a page knows of a table that does not belong to its session. */
import { messageOf } from "../api/client";
import type { HandModel, HintModel, ReviewModel, ScoreModel, TableModel } from "../api/types";
import type { Found } from "../shared/answers";

export type Side = {
  /** The request that is not answered yet. */
  asked: { path: string } | null;
  problem: string;
  typed: string;
  seen: TableModel | null;
  score: ScoreModel | null;
  hint: Found<HintModel> | null;
  review: Found<ReviewModel> | null;
  /** The earlier hand that is shown, and the one that is fetched. */
  before: HandModel | null;
  wanted: number | null;
  /** The solution to review against; empty for that of the table. */
  against: string;
};

export const emptySide = (): Side => ({
  asked: null,
  problem: "",
  typed: "",
  seen: null,
  score: null,
  hint: null,
  review: null,
  before: null,
  wanted: null,
  against: "",
});

/** An answer that is awaited, and one that did not come. */
export const waiting = () => ({ found: null, problem: "", busy: true });
export const failed = (error: unknown) => ({ found: null, problem: messageOf(error), busy: false });
