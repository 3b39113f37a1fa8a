/** All sessions that can go on. */
import type { TableModel, TableSummary } from "../api/types";
import { chips } from "../shared/numbers";
import type { Play } from "./model";
import { signedChips } from "./words";

export function Sessions({ play }: { play: Play }) {
  const found = [...play.listed.values()].sort((a, b) => b.modified - a.modified);
  if (!found.length) return null;
  return (
    <>
      <h2>Sessions</h2>
      <p class="soft">Every action is saved; a session goes on where it stopped, here or at the terminal.</p>
      <div class="wide">
        <table class="sessions">
          <caption class="unseen">Sessions</caption>
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col">Hands</th>
              <th scope="col">Won</th>
              <th scope="col">Last played</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {found.map((one) => (
              <Session key={one.id} one={one} remove={() => play.remove(one.id)} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Session({ one, remove }: { one: TableModel | TableSummary; remove: () => void }) {
  const when = new Date(1000 * one.modified);
  const day = when.toLocaleDateString("en-GB", { dateStyle: "medium" });
  const hour = when.toLocaleTimeString("en-GB", { timeStyle: "short" });
  return (
    <tr>
      <td>
        <a href={`/play/${one.id}`}>{one.opponent}</a>
        {one.in_hand && <span class="soft"> in hand {one.hands + 1}</span>}
        <div class="soft">{one.title}</div>
        {one.damaged && <p class="problem">{one.damaged}</p>}
      </td>
      <td>{chips(one.hands)}</td>
      <td>{signedChips(one.won_chips)}</td>
      <td>
        <span class="when">{day},</span> <span class="when">{hour}</span>
      </td>
      <td>
        <button
          type="button"
          class="quiet"
          aria-label={`Delete the session against ${one.opponent} of ${day}, ${hour}`}
          onClick={remove}
        >
          Delete
        </button>
      </td>
    </tr>
  );
}
