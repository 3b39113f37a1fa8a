/** The line of play: a column for each decision and each card. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ColumnView, NodeView } from "../api/types";
import { Cards } from "../shared/Cards";
import { paint } from "../shared/colours";
import { Icon } from "../shared/Icon";
import { chips, tenths } from "../shared/numbers";
import { LOCK } from "./Grid";
import { after, otherCard } from "./lines";
import { named, shortName } from "./texts";

type Going = { to: (line: string) => void /** The user may go there. */; soon: (line: string) => void };
type Props = Going & { view: NodeView };

export function Line({ view, to, soon }: Props) {
  const line = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (line.current) line.current.scrollLeft = line.current.scrollWidth;
  }, [view]);
  return (
    <nav class="line" aria-label="Line of play" ref={line}>
      {view.columns.map((one, at) =>
        one.kind === "card" ? (
          <Dealt key={at} view={view} column={one} at={at} to={to} />
        ) : (
          <Decided key={at} column={one} to={to} soon={soon} />
        ),
      )}
    </nav>
  );
}

type DealtProps = Pick<Props, "view" | "to"> & { column: ColumnView; at: number };

function Dealt({ view, column, at, to }: DealtProps) {
  const turn = (by: number) => {
    const line = otherCard(view, by, at);
    return (
      <button
        type="button"
        class="turn"
        disabled={line === null}
        aria-label={`${by < 0 ? "Previous" : "Next"} ${column.street} card`}
        onClick={() => line !== null && to(line)}
      >
        {by < 0 ? "‹" : "›"}
      </button>
    );
  };
  return (
    <div class="column deal" role="group" aria-label={column.street}>
      <span class="who">{column.street}</span>
      <span class="cards">
        {turn(-1)}
        <button type="button" onClick={() => to(column.line)}>
          <span class="unseen">Choose another card than </span>
          <Cards text={column.card ?? ""} />
        </button>
        {turn(1)}
      </span>
    </div>
  );
}

function Decided({ column, to, soon }: Going & { column: ColumnView }) {
  return (
    <div class="column" role="group" aria-label={`${column.player_name}, ${column.street}`}>
      <span class="who">
        {shortName(column.player_name)} <span class="soft">pot {chips(column.pot_chips)}</span>
        {column.locked && (
          <>
            <Icon path={LOCK} />
            <span class="unseen">locked</span>
          </>
        )}
      </span>
      <span class="options">
        {[...column.options].reverse().map((option) => {
          const line = after(column.line, option.step);
          return (
            <button
              key={option.step}
              type="button"
              aria-pressed={option.taken}
              style={{ "--colour": paint(option.colour) }}
              onPointerEnter={() => soon(line)}
              onClick={() => to(line)}
            >
              {named(option)}
              {option.frequency !== null && <span class="soft"> {tenths(option.frequency, 0)}&nbsp;%</span>}
            </button>
          );
        })}
      </span>
    </div>
  );
}

/** The button that goes back to the root, with the cards that lie there. */
export function Root({ view, to }: Pick<Props, "view" | "to">) {
  const dealt = view.columns.map((one) => one.card ?? "").join("").length / 2;
  const board = view.board.slice(0, view.board.length - dealt);
  return (
    <button type="button" class="root" aria-current={view.columns.length === 0} onClick={() => to("")}>
      <span class="who">
        {view.columns[0]?.street ?? view.street}
        <span class="unseen"> start of the line</span>
      </span>
      <span class="board">{board.length ? <Cards text={board.join("")} /> : "Start"}</span>
      <span class="soft">pot {chips(view.columns[0]?.pot_chips ?? view.pot_chips)}</span>
    </button>
  );
}
