/** What follows each card that can come: the run-outs of a line. */
import { api } from "../api/client";
import type { NodeView, RunOutsView, RunOutView } from "../api/types";
import { type Found, useAnswer } from "../shared/answers";
import { dealLine } from "./lines";
import type { Study } from "./model";
import { factorOf } from "./units";

const keyOf = (study: Study, view: NodeView): string => `runouts ${study.state.whole} ${dealLine(view)}`;

/** The run-outs that have been found, in chips. */
export const runOutsFound = (study: Study, view: NodeView): RunOutsView | null =>
  study.answers.get<RunOutsView>(keyOf(study, view)).found;

/** The run-outs of the line, with EVs and the pot in the unit that is shown; asked for at once, or by `ask`. */
export function useRunOuts(study: Study, view: NodeView, now: boolean): Found<RunOutsView> & { ask: () => void } {
  const line = dealLine(view);
  const key = keyOf(study, view);
  const { name, whole, unit } = study.state;
  const get = () => api("GET solutions/{name}/runouts", { path: { name }, query: { line: line ?? "", whole } });
  const asked = useAnswer(study.answers, line !== null && now ? key : "", get);
  const { found, ...state } = now ? asked : study.answers.get<RunOutsView>(key);
  const shown = found && inUnit(found, factorOf(unit, { ...view, pot_chips: found.pot_chips }));
  return { ...state, found: shown, ask: () => study.answers.ask(key, get) };
}

function inUnit(found: RunOutsView, factor: number): RunOutsView {
  const row = (one: RunOutView): RunOutView => ({
    ...one,
    ev_chips: one.ev_chips.map((ev) => (ev === null ? null : ev * factor)),
  });
  return { ...found, pot_chips: found.pot_chips * factor, rows: found.rows.map(row), mean: row(found.mean) };
}
