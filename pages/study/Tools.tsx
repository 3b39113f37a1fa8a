/** What leads elsewhere from a node: a drill, a note, a line that is typed, and exports. */
import { addressOf } from "../api/client";
import type { NodeView } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { Icon } from "../shared/Icon";
import { runOutsFound } from "./askRunOuts";
import { Menu } from "./Menu";
import type { Study } from "./model";

const FORMATS = [
  ["csv", "Table"],
  ["json", "Data"],
  ["png", "Picture"],
  ["svg", "Drawing"],
];
const STAR = "M12 4l2.5 5.2 5.7.7-4.2 3.9 1.1 5.7-5.1-2.8-5.1 2.8L8 13.8 3.8 9.9l5.7-.7z";

type Props = { study: Study; view: NodeView };

export function Tools({ study, view }: Props) {
  const { name, by, whole } = study.state;
  const marked = study.notes.at(view.line) !== "";
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
      <button
        type="button"
        class={marked ? "quiet marked" : "quiet"}
        aria-pressed={marked}
        onClick={() => study.bookmark()}
      >
        <Icon path={STAR} /> Bookmark
      </button>
      <button
        type="button"
        class="quiet"
        aria-expanded={study.typed !== null}
        onClick={() => study.type({ line: view.line, error: "" })}
      >
        Type a line <kbd aria-hidden="true">/</kbd>
      </button>
      <Menu title="Export">
        {FORMATS.map(([format, title]) => (
          <a
            key={format}
            class="export"
            href={exported(format)}
            aria-label={`Export as ${format.toUpperCase()}`}
            download
          >
            {title} <span class="soft">{format.toUpperCase()}</span>
          </a>
        ))}
        <CopyButton text={commandOf(study, view)} />
      </Menu>
      {(view.kind === "decision" || view.kind === "chance") && (
        <a class="button" href={drillAddress(name, view.line)} title="Be asked what you would do here">
          Drill
        </a>
      )}
    </div>
  );
}

/** The address of a new round of questions after a line. */
const drillAddress = (solution: string, line: string): string =>
  `/drills?${new URLSearchParams({ solution, ...(line ? { line } : {}) })}`;

/** The command that shows the same at the terminal. */
function commandOf(study: Study, view: NodeView): string {
  const { by, hand, tab } = study.state;
  const runOuts = tab === "runouts" && runOutsFound(study, view);
  if (runOuts) return runOuts.command;
  return [
    view.command,
    ...(["strategy", "weight"].includes(by) ? [] : [`--by ${by}`]),
    ...(study.player === (view.player ?? 0) ? [] : [`--player ${study.player}`]),
    ...(/^[\w*]+$/.test(hand) ? [`--hand ${hand}`] : []),
  ].join(" ");
}
