/** What comes next: the actions with their frequencies, or the cards that may be dealt. */
import type { ActionView, NodeView } from "../api/types";
import { Card, suitName } from "../shared/Cards";
import { paint } from "../shared/colours";
import { tenths, worth } from "../shared/numbers";
import { stripes } from "./colours";
import { deckOf } from "./hands";
import { after } from "./lines";
import type { Study } from "./model";

const ENDS: Record<string, string> = {
  showdown: "The hands are shown.",
  fold: "The hand is over: a player has folded.",
  leaf: "The tree is cut here: given values stand in the place of the later streets.",
};

type Props = { study: Study; view: NodeView };

export function Next({ study, view }: Props) {
  if (view.kind === "chance")
    return <Deck view={view} chosen={study.local.cards} pick={(card) => study.choose(view, card)} />;
  if (!view.actions.length) return <p class="soft">{ENDS[view.kind] ?? "No player acts here."}</p>;
  const shares = view.actions.map((one) => one.frequency ?? 0);
  const paints = view.actions.map((one) => paint(one.colour));
  return (
    <>
      <ul class="actions">
        {view.actions.map((action, i) => (
          <li key={i}>
            <ActionButton study={study} view={view} action={action} number={i + 1} />
          </li>
        ))}
      </ul>
      <div class="mixbar" aria-hidden="true" style={{ backgroundImage: stripes(shares, paints) }} />
    </>
  );
}

function ActionButton({ study, view, action, number }: Props & { action: ActionView; number: number }) {
  const line = after(view.line, action.step);
  const soon = () => study.soon(line);
  return (
    <button
      type="button"
      style={{ "--colour": paint(action.colour) }}
      onPointerEnter={soon}
      onFocus={soon}
      onClick={() => study.to(line)}
    >
      <b>{action.label}</b>
      {number <= 9 && <kbd aria-hidden="true">{number}</kbd>}
      <span class="numbers">
        <span>{tenths(action.frequency)} %</span>
        <span>{action.ev_chips !== null && `EV ${worth(action.ev_chips, view.pot_chips)}`}</span>
      </span>
    </button>
  );
}

type DeckProps = { view: NodeView; chosen: string[]; pick: (card: string) => void };

/** The cards that may be dealt, as buttons.  Where several cards come at once, the user chooses all of them. */
function Deck({ view, chosen, pick }: DeckProps) {
  const { ranks, suits } = deckOf(view.cards);
  const count = view.deal_count;
  return (
    <div class="deck" role="group" aria-label={count > 1 ? `Choose ${count} cards` : "Choose the next card"}>
      <p class="soft">
        {count > 1 ? `Choose ${count} cards; ${count - chosen.length} to go.` : "Choose the next card."}
      </p>
      {suits.map((suit) => (
        <div class="suit" key={suit}>
          {ranks.map((rank) => {
            const card = rank + suit;
            if (!view.deals.includes(card)) return <span key={card} class="gone" aria-hidden="true" />;
            return (
              <button
                key={card}
                type="button"
                aria-pressed={chosen.includes(card)}
                aria-label={`${rank} of ${suitName(suit)}`}
                onClick={() => pick(card)}
              >
                <Card card={card} />
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}
