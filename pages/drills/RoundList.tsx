/** All rounds: their totals, and what goes on with them or removes them. */
import type { DrillSummary } from "../api/types";
import { Item } from "../shared/Items";
import { counted } from "../shared/numbers";
import type { Rounds } from "./rounds";
import { lossText } from "./words";

export function RoundList({ rounds }: { rounds: Rounds }) {
  const { all, problem } = rounds;
  return (
    <section aria-labelledby="rounds" aria-busy={!all && !problem}>
      <h2 id="rounds">Your rounds</h2>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {!all && !problem && <p class="soft">Reading the rounds …</p>}
      {all?.length === 0 && <p class="soft">None so far.</p>}
      <ul class="items">
        {all?.map((one) => (
          <Round key={one.id} one={one} remove={() => rounds.remove(one)} />
        ))}
      </ul>
    </section>
  );
}

function Round({ one, remove }: { one: DrillSummary; remove: () => void }) {
  const { totals, damaged, title, over, count } = one;
  const when = new Date(1000 * one.modified).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const figure = totals?.answers ? `${Math.round((100 * totals.right) / totals.answers)} % right` : "";
  return (
    <Item title={title} href={damaged ? "" : `/drills/${one.id}`} figure={figure} problem={damaged}>
      <p class="soft">
        {totals && `${totals.answers} of ${count}, ${over ? "over" : "goes on"}`}
        {!!totals?.mistake && `; ${counted(totals.mistake, "mistake")}`}
        {!!totals?.answers && `; ${lossText(totals.loss_pot_percent)} of the pot lost per answer`}
        <br />
        {when}
      </p>
      <button type="button" class="quiet" aria-label={`Delete the round ${title} of ${when}`} onClick={remove}>
        Delete
      </button>
    </Item>
  );
}
