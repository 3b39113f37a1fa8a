/** One table: the seats, the board, and how it stands. */

import { Hand } from "../shared/Hand";
import { Actions } from "./Actions";
import type { Play } from "./model";
import { stateWords } from "./words";

export function Table({ play, id, number }: { play: Play; id: string; number: number }) {
  const table = play.tables.get(id);
  const { problem } = play.side(id);
  if (!table) {
    return (
      <section class="table">
        <p>{problem || "Opening the table …"}</p>
      </section>
    );
  }
  const { shown, state } = table;
  return (
    <section
      class={`table ${id === play.focus ? "current" : ""} ${state}`}
      data-table={id}
      tabIndex={-1}
      aria-label={`Table ${number}, against ${table.opponent}`}
      onFocusIn={() => {
        if (id !== play.focus) play.goTo(play.open, id);
      }}
    >
      <header>
        <h2>{`${play.open.length > 1 ? `${number}. ` : ""}${table.opponent}`}</h2>{" "}
        <span class="soft">hand {shown?.hand ?? "–"}</span>{" "}
        <button
          type="button"
          class="quiet"
          onClick={() => play.leaveTable(id)}
          aria-label={`Leave table ${number}; its session is saved`}
        >
          Leave
        </button>
      </header>
      {shown && <Hand hand={shown} />}
      <p class={shown?.result && state === "over" ? "state result" : "state"}>{stateWords(table)}</p>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <Actions play={play} table={table} />
    </section>
  );
}
