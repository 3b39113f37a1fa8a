/** What the player who acts first does with each hand, while a solve runs and when it has ended. */
import { useState } from "preact/hooks";
import type { FirstDecisionView } from "../api/types";
import { Cards } from "../shared/Cards";
import { paint } from "../shared/colours";
import { chips, tenths, whole } from "../shared/numbers";
import { Grid } from "../study/Grid";
import { type Item, summaryOf } from "../study/hands";
import { heard } from "../study/texts";

type Props = { view: FirstDecisionView; ended: boolean };

export function FirstDecision({ view, ended }: Props) {
  const [chosen, setChosen] = useState("");
  const summary = summaryFrom(view);
  const item = summary.byLabel.get(chosen);
  const stacks = view.stacks_chips.map((stack) => (stack === null ? null : chips(stack)));
  const name = view.player_name[0].toUpperCase() + view.player_name.slice(1);
  const when = ended ? "in the solution" : `after ${whole(view.iteration)} iterations`;
  const title = `${name} acts first, ${when}`;
  return (
    <section class="panel" aria-labelledby="first">
      <h2 id="first">{title}</h2>
      <p class="stands">
        {view.board.length > 0 && <Cards text={view.board.join("")} />}
        <span>pot {chips(view.pot_chips)}</span>
        {stacks[0] !== null && <span>stacks {stacks[0] === stacks[1] ? stacks[0] : stacks.join(" / ")}</span>}
      </p>
      <ul class="mix">
        {[...view.actions].reverse().map(({ label, colour, frequency }) => (
          <li key={label}>
            <i style={{ background: paint(colour) }} />
            {label} <b>{tenths(frequency)} %</b>
          </li>
        ))}
      </ul>
      <Grid view={view} summary={summary} by="strategy" chosen={chosen} title={`Hands: ${title}`} pick={setChosen} />
      <p class="soft" role="status">
        {item ? heard(item, "strategy", view) : "Choose a hand for its numbers."}
      </p>
    </section>
  );
}

function summaryFrom({ actions, columns, labels, player, shares, weights }: FirstDecisionView) {
  const unknown = { ev: null, equity: null, eqr: null, actionEv: [] };
  const items = labels.map(
    (label, i): Item => ({
      ...unknown,
      label,
      hands: [],
      possible: 1,
      weight: weights[i],
      shares: weights[i] > 0 ? shares[i].map((share) => share ?? 0) : [],
    }),
  );
  const all = { ...unknown, label: "all hands", hands: [], possible: 1, weight: 1 };
  const frequencies = actions.map(({ frequency }) => frequency ?? 0);
  return summaryOf({ columns, items, acts: true, player: player ?? 0, all: { ...all, shares: frequencies } });
}
