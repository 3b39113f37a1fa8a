/** The room Play: one to four tables, their scores, hints and reviews, and all sessions that can go on. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { RoomProps } from "../app/address";
import { useKeys } from "../app/keys";
import { useBegun } from "../shared/model";
import { useTitle } from "../shared/title";
import { About } from "./About";
import { keysOf } from "./keys";
import { Play } from "./model";
import { NewTable } from "./NewTable";
import { Sessions } from "./Sessions";
import { Table } from "./Table";
import { TableForm } from "./tableForm";
import "./style.css";

export default function PlayRoom({ address }: RoomProps) {
  const play = useBegun(() => new Play());
  const [table] = useState(() => new TableForm());
  useLayoutEffect(() => play.moved(address), [play, address]);
  useTitle("Play");
  useKeys(keysOf(play));
  return (
    <>
      <p class="unseen" role="log" aria-live="polite" data-heard>
        {play.heard}
      </p>
      {play.focus ? (
        <Tables play={play} />
      ) : (
        <>
          <h1>Play</h1>
          <NewTable table={table} solution={address.query.get("solution")} made={(ids) => play.made(ids)} />
          <Sessions play={play} />
        </>
      )}
    </>
  );
}

function Tables({ play }: { play: Play }) {
  const { open, focus } = play;
  const single = open.length === 1;
  return (
    <>
      <h1 class="unseen">Play against {play.current()?.opponent ?? ""}</h1>
      {!single && <Switch play={play} />}
      <div class={`played ${single ? "one" : "many"}`}>
        <div class="tables">
          {open.map((id, number) => (
            <Table key={id} play={play} id={id} number={number + 1} />
          ))}
        </div>
        <About play={play} id={focus} />
      </div>
      <p class="row">
        <a href="/play">New table and sessions</a>{" "}
        {!single && (
          <span class="soft">
            <kbd>[</kbd> <kbd>]</kbd> go to the next table that waits
          </span>
        )}
      </p>
    </>
  );
}

const NOTES: Record<string, string> = { turn: " · your turn", over: " · over" };

/** The tables as buttons, of which a phone shows one. */
function Switch({ play }: { play: Play }) {
  const { open, focus } = play;
  return (
    <nav class="switch" aria-label="Tables">
      {open.map((id, number) => (
        <button key={id} type="button" aria-current={id === focus} onClick={() => play.goTo(open, id)}>
          {`Table ${number + 1}${NOTES[play.tables.get(id)?.state ?? ""] ?? ""}`}
        </button>
      ))}
    </nav>
  );
}
