/** What was answered wrongly before and comes again today. */
import { useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import type { DueView } from "../api/types";
import { go } from "../app/address";
import { counted } from "../shared/numbers";
import { say } from "../shared/Said";

/** So many questions at most make a round of what is due. */
const MOST = 1000;

export function Due({ due }: { due: DueView[] }) {
  const [busy, setBusy] = useState(false);
  if (!due.length) return null;
  const start = async ({ solution, title, due: number }: DueView) => {
    setBusy(true);
    try {
      const count = Math.min(MOST, number);
      const body = { solution, count, repeat: true, title: `${title} · due again` };
      go(`/drills/${(await api("POST drills", { body })).id}`);
    } catch (error) {
      say(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <section class="panel due" aria-labelledby="due">
      <h2 id="due">Due today</h2>
      <ul>
        {due.map((one) => (
          <li key={one.solution}>
            <span>
              <strong>{one.title}</strong>
              <span class="soft">{counted(one.due, "decision")} that you got wrong before</span>
            </span>
            <button type="button" class="main" disabled={busy} onClick={() => start(one)}>
              Answer {one.due === 1 ? "it" : "them"} now<span class="unseen">: {one.title}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
