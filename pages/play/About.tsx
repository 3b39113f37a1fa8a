/** What stands beside a table: the score, the hand or an earlier one, hints, and the session. */
import type { TargetedMouseEvent } from "preact";
import type { TableModel } from "../api/types";
import { CopyButton } from "../shared/CopyButton";
import { Check } from "../shared/fields";
import { Hand, Streets } from "../shared/Hand";
import { Hint } from "./Hint";
import type { Play } from "./model";
import { Review } from "./Review";
import { Score } from "./Score";

export function About({ play, id }: { play: Play; id: string }) {
  const table = play.tables.get(id);
  if (!table) return null;
  // Enter deals, and belongs to a button only when the keyboard went there.
  const clicked = (event: TargetedMouseEvent<HTMLElement>) => {
    if (event.detail) (event.target as Element).closest("button")?.blur();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: it only gives up the focus that a pointer has left on a button.
    <aside aria-label="About this table" onClick={clicked}>
      {play.open.length > 1 && (
        <p>
          <strong>Table {play.open.indexOf(id) + 1}</strong>
        </p>
      )}
      <p class="soft">{table.title}</p>
      <h2>Score</h2>
      <Score score={play.side(id).score} />
      <ThisHand play={play} table={table} />
      {table.has_hints ? (
        <Hints play={play} table={table} />
      ) : (
        <p class="soft">There are no hints: the opponent does not state its strategy.</p>
      )}
      <h2>Session</h2>
      <div class="row">
        {table.hands > 0 && (
          <a class="button" href={`/api/v1/tables/${id}/history.phh`} download={`${id}.phhs`}>
            Hands as PHH
          </a>
        )}
        <CopyButton text={table.command} />
        <button type="button" class="quiet" onClick={() => play.remove(id)}>
          Delete
        </button>
      </div>
    </aside>
  );
}

type Props = { play: Play; table: TableModel };

/** The hand that is played, or an earlier one, and what leads to others. */
function ThisHand({ play, table }: Props) {
  const { id, hands, shown, state } = table;
  const { before } = play.side(id);
  const reviewed = before !== null || (state === "over" && hands > 0);
  const at = before?.hand ?? hands + 1;
  const streets = before ?? shown;
  return (
    <>
      {reviewed && <Review play={play} table={table} hand={before?.hand ?? hands} />}
      <h2>{before ? `Hand ${before.hand}` : "This hand"}</h2>
      {before && (
        <>
          <Hand hand={before} />
          <p>{before.result?.words}</p>
        </>
      )}
      {streets && <Streets hand={streets} />}
      <div class="row">
        <button type="button" disabled={at <= 1} onClick={() => play.earlier(id, at - 1)}>
          ‹ Earlier hand <kbd>v</kbd>
        </button>
        <button type="button" disabled={!before} onClick={() => play.earlier(id, at + 1)}>
          Later ›
        </button>
        {before && (
          <button type="button" onClick={() => play.earlier(id, 0)}>
            Back to the table
          </button>
        )}
      </div>
    </>
  );
}

function Hints({ play, table }: Props) {
  return (
    <>
      <h2>Hints</h2>
      <div class="row">
        <button type="button" disabled={table.state !== "turn"} onClick={() => play.hint(table.id)}>
          Hint <kbd>h</kbd>
        </button>
        <Check label="at every turn" value={play.always} put={(on) => play.hintAlways(on)} />
      </div>
      <Hint hint={play.side(table.id).hint} />
    </>
  );
}
