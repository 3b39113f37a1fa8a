/** What comes next: the actions with their sizes, frequencies and EVs, or the cards that may be dealt. */
import type { ActionView, NodeView } from "../api/types";
import { paint } from "../shared/colours";
import { grouped, tenths, worth } from "../shared/numbers";
import { Deck } from "./Deck";
import type { Summary } from "./hands";
import { after } from "./lines";
import type { Study } from "./model";
import { named } from "./texts";

const ENDS: Record<string, string> = {
  showdown: "Showdown.",
  fold: "The hand is over: a player has folded.",
  leaf: "Here a network stands in the place of the later streets.",
};

type Props = { study: Study; view: NodeView };

export function Next({ study, view }: Props) {
  if (view.kind === "chance") return <Deck study={study} view={view} />;
  if (!view.actions.length) return <p class="soft">{ENDS[view.kind] ?? "No player acts here."}</p>;
  const summary = study.summaries(view).find((one) => one.player === view.player) as Summary;
  const shown = study.inUnit(view);
  // The largest bet stands first, as in the cells of the grid and in pictures.
  return (
    <ul class="actions">
      {view.actions
        .map((action, a) => (
          <li key={action.step}>
            <ActionButton
              study={study}
              action={action}
              line={after(view.line, action.step)}
              share={summary.all.shares[a] ?? action.frequency}
              ev={worth(summary.all.actionEv[a] ?? null, shown.pot_chips)}
              combos={combosOf(view, summary, a)}
              number={view.actions.length - a}
            />
          </li>
        ))
        .reverse()}
    </ul>
  );
}

/** How many combos of the hands that are shown take an action. */
const combosOf = ({ weights, strategy }: NodeView, { player, all }: Summary, action: number): number =>
  all.hands.reduce((sum, i) => sum + (weights[player][i] ?? 0) * (strategy?.[i]?.[action] ?? 0), 0);

type ButtonProps = {
  study: Study;
  action: ActionView;
  line: string;
  share: number | null;
  ev: string;
  combos: number;
  number: number;
};

function ActionButton({ study, action, line, share, ev, combos, number }: ButtonProps) {
  const soon = () => study.soon(line);
  return (
    <button
      type="button"
      style={{ "--colour": paint(action.colour) }}
      onPointerEnter={soon}
      onFocus={soon}
      onClick={() => study.to(line)}
    >
      <span class="name">
        <b>{named(action)}</b>{" "}
        {action.pot_percent !== null && (
          <span class="soft" title="Per cent of the pot">
            {grouped(action.pot_percent, 0)} %<span class="unseen"> of the pot</span>
          </span>
        )}
      </span>
      <span class="often">{tenths(share)} %</span> {number <= 9 && <kbd aria-hidden="true">{number}</kbd>}
      <span class="numbers">
        <span class="ev">{ev !== "–" && `EV ${ev}`}</span>{" "}
        <span class="soft">{grouped(combos, combos < 9.95 ? 1 : 0)} combos</span>
      </span>
      <span class="bar" style={{ width: `${(100 * (share ?? 0)).toFixed(1)}%` }} />
    </button>
  );
}
