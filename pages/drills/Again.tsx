/** What was answered wrongly before and comes again: how much of it is due today, and when the rest is. */
import { useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import type { AgainView } from "../api/types";
import { go } from "../app/address";
import { counted } from "../shared/numbers";
import { say } from "../shared/Said";
import { dayText } from "./words";

/** So many questions at most make a round of what is due. */
const MOST = 1000;

export function Again({ again }: { again: AgainView[] }) {
  const [busy, setBusy] = useState(false);
  if (!again.length) return null;
  const start = async ({ solution, title, due }: AgainView) => {
    setBusy(true);
    try {
      const count = Math.min(MOST, due);
      const body = { solution, count, repeat: true, title: `${title} · due again` };
      go(`/drills/${(await api("POST drills", { body })).id}`);
    } catch (error) {
      say(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <section class="panel due" aria-labelledby="again">
      <h2 id="again">What comes again</h2>
      <ul>
        {again.map((one) => (
          <li key={one.solution}>
            <span>
              <strong>{one.title}</strong>
              <span class="soft">
                {one.due > 0
                  ? `${counted(one.due, "decision")} due today, of ${one.kept} that are kept`
                  : `${counted(one.kept, "decision")} kept${one.next_day ? `, the next ${dayText(one.next_day)}` : ""}`}
              </span>
            </span>
            {one.due > 0 && (
              <button type="button" class="main" disabled={busy} onClick={() => start(one)}>
                Answer {one.due === 1 ? "it" : "them"} now<span class="unseen">: {one.title}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
