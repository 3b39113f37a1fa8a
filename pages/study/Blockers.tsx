/** The tab with what the chosen hand takes away: from the opponent's range, and from each of his actions. */
import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { BlockersView, NodeView, ResponsesView } from "../api/types";
import { useAnswer } from "../shared/answers";
import { Cards } from "../shared/Cards";
import { tenths } from "../shared/numbers";
import { type Column, SortedTable } from "../shared/SortedTable";
import { labelOf } from "./hands";
import type { PanelProps } from "./Tabs";
import { named } from "./texts";

/** A hand, and its place in the answer; the row of all hands has none. */
type Row = { hand: string; i: number };
const ALL: Row = { hand: "all hands", i: -1 };

export function Blockers({ study, view }: PanelProps) {
  const { name, hand, whole } = study.state;
  const { player } = study;
  const [summary] = study.summaries(view);
  const holds = (summary.byLabel.get(labelOf(summary, hand))?.weight ?? 0) > 0;
  const { found, problem } = useAnswer<BlockersView>(
    study.answers,
    hand && holds ? `blockers ${whole} ${player} ${hand} ${view.line}` : "",
    () => api("GET solutions/{name}/blockers", { path: { name }, query: { hand, player, line: view.line, whole } }),
  );
  return (
    <>
      <h2>{hand ? `What ${hand} blocks` : "Blockers"}</h2>
      {!hand || !holds ? (
        <p class="soft">
          Choose a hand of {view.player_names[player]} in the grid to see what its cards take away from the opponent.
        </p>
      ) : problem ? (
        <p class="problem" role="alert">
          {problem}
        </p>
      ) : !found ? (
        <p aria-busy="true">Counting …</p>
      ) : (
        <Found study={study} view={view} found={found} />
      )}
    </>
  );
}

/** What is shown first: the answers to the bet that is made most often, or to a check where no bet is made. */
export function usual({ actions }: NodeView, responses: ResponsesView[]): ResponsesView | undefined {
  const often = ({ step }: ResponsesView) =>
    step === "check" ? -1 : (actions.find((one) => one.step === step)?.frequency ?? 0);
  return [...responses].sort((one, other) => often(other) - often(one))[0];
}

/** The name of an action at a node. */
const nameOf = ({ actions }: NodeView, step: string): string =>
  named(actions.find((one) => one.step === step) ?? { label: step });

function Found({ study, view, found }: PanelProps & { found: BlockersView }) {
  const [step, setStep] = useState("");
  const opponent = found.player_names[1 - found.player];
  const shown = found.responses.find((one) => one.step === step) ?? usual(view, found.responses);
  const rows = found.hands.map((hand, i) => ({ hand, i }));
  return (
    <>
      {found.responses.length > 1 && (
        <div class="choice" role="group" aria-label={`After which action of ${found.player_names[found.player]}`}>
          {found.responses
            .map((one) => (
              <button key={one.step} type="button" aria-pressed={one === shown} onClick={() => setStep(one.step)}>
                {nameOf(view, one.step)}
              </button>
            ))
            .reverse()}
        </div>
      )}
      <SortedTable
        {...study.ordered("blockers")}
        caption={`What each hand takes away from ${opponent}`}
        columns={columnsOf(found, shown)}
        rows={rows}
        fixed={shown ? [ALL] : []}
        things="hands"
      />
      <p class="soft">
        “Of range” is the share of the hands of {opponent} that the cards take away, in per cent.{" "}
        {shown ? (
          <>
            In the column of an action stands how often {opponent} takes it against the hand, how much more or less that
            is than against all hands, and which share of the hands that take it is gone.
          </>
        ) : (
          <>{opponent} does not act next.</>
        )}
      </p>
    </>
  );
}

/** A change of a share in points of per cent. */
function points(change: number): string {
  const text = (100 * Math.abs(change)).toFixed(1);
  return text === "0.0" ? "±0.0" : `${change < 0 ? "−" : "+"}${text}`;
}

function columnsOf(found: BlockersView, shown: ResponsesView | undefined): Column<Row>[] {
  const actions = shown?.actions ?? [];
  return [
    {
      name: "hand",
      text: true,
      value: (row) => row.hand,
      view: (row) =>
        row.i < 0 ? (
          row.hand
        ) : (
          <span data-hand={row.hand}>
            <Cards text={row.hand} />
          </span>
        ),
    },
    {
      name: "of range",
      value: ({ i }) => found.removed[i] ?? null,
      view: ({ i }) => (i < 0 ? "" : tenths(found.removed[i])),
    },
    ...actions
      .map((action, a): Column<Row> => {
        const usual = shown?.frequencies[a] ?? 0;
        const often = (i: number) => shown?.with_hand[i]?.[a] ?? null;
        return {
          name: named(action),
          value: ({ i }) => often(i),
          view: ({ i }) => {
            const now = often(i);
            if (i < 0 || now === null) return tenths(i < 0 ? usual : now);
            return (
              <span class="both">
                <span>
                  {tenths(now)} <span class="soft">{points(now - usual)}</span>
                </span>
                <small>{tenths(shown?.removed[i][a])} % gone</small>
              </span>
            );
          },
        };
      })
      .reverse(),
  ];
}
