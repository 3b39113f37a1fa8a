/** A line that is typed, the command that shows the same at the terminal, and exports. */
import { addressOf } from "../api/client";
import type { NodeView, RunOutsView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import type { Study } from "./model";
import { runOutsKey } from "./RunOuts";

const FORMATS = ["csv", "json", "png", "svg"];

type Props = { study: Study; view: NodeView };

export function Tools({ study, view }: Props) {
  const { name, by, whole } = study.state;
  const exported = (format: string) =>
    addressOf(`solutions/${encodeURIComponent(name)}/export`, {
      line: view.line,
      format,
      player: study.player,
      by: by === "weight" ? "strategy" : by,
      whole,
    });
  return (
    <div class="tools">
      <span>
        {(view.kind === "decision" || view.kind === "chance") && (
          <a href={drillAddress(name, view.line)} title="Be asked what you would do here">
            Drill
          </a>
        )}
        <button
          type="button"
          class="quiet"
          aria-expanded={study.typed !== null}
          onClick={() => study.type({ line: view.line, error: "" })}
        >
          Type a line <kbd aria-hidden="true">/</kbd>
        </button>
      </span>
      <CopyButton text={commandOf(study, view)} />
      <span>
        {FORMATS.map((format) => (
          <a
            key={format}
            class="export"
            href={exported(format)}
            aria-label={`Export as ${format.toUpperCase()}`}
            download
          >
            {format.toUpperCase()}
          </a>
        ))}
      </span>
    </div>
  );
}

/** The address of a new round of questions after a line. */
const drillAddress = (solution: string, line: string): string =>
  `/drills?${new URLSearchParams({ solution, ...(line ? { line } : {}) })}`;

/** The command that shows the same at the terminal. */
function commandOf(study: Study, view: NodeView): string {
  const { by, hand, tab } = study.state;
  const runOuts = tab === "runouts" && study.answers.get<RunOutsView>(runOutsKey(study, view)).found;
  if (runOuts) return runOuts.command;
  return [
    view.command,
    ...(["strategy", "weight"].includes(by) ? [] : [`--by ${by}`]),
    ...(study.player === (view.player ?? 0) ? [] : [`--player ${study.player}`]),
    ...(/^[\w*]+$/.test(hand) ? [`--hand ${hand}`] : []),
  ].join(" ");
}
