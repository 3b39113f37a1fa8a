/** The cards that may be dealt, as buttons: what follows each, where a single card comes. */
import { useEffect, useState } from "preact/hooks";
import type { NodeView } from "../api/types";
import { Card, suitName } from "../shared/Cards";
import { useRunOuts } from "./askRunOuts";
import { colours, fill, scaleOf } from "./colours";
import { deckSummary, pictured } from "./deckSummary";
import { deckOf, type Mode } from "./hands";
import type { Study } from "./model";
import { cellText, heard } from "./texts";

type Props = { study: Study; view: NodeView };

/** Milliseconds after which a deal is looked at and not only passed: to evaluate all cards takes the server a while. */
const LOOKED = 300;

/** Where several cards come at once, the user chooses all of them. */
export function Deck({ study, view }: Props) {
  const { ranks, suits } = deckOf(view.cards);
  const count = view.deal_count;
  const chosen = study.local.cards;
  const [lookedAt, setLookedAt] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setLookedAt(view.line), LOOKED);
    return () => clearTimeout(timer);
  }, [view.line]);
  const found = useRunOuts(study, view, count === 1 && lookedAt === view.line).found;
  const summary = found && deckSummary(found, view.cards, study.player);
  const by: Mode = found ? pictured(study.state.by, found) : "weight";
  const paints = found && summary ? colours(found, summary) : [];
  const scale = scaleOf(by, summary?.items.filter((item) => item.weight > 0) ?? []);
  return (
    <div class="deck" role="group" aria-label={count > 1 ? `Choose ${count} cards` : "Choose the next card"}>
      <p class="soft">
        {count > 1 ? `Choose ${count} cards; ${count - chosen.length} to go.` : "Choose the next card."}
        {by === "strategy" && found?.player_name && ` The colours show what ${found.player_name} does on it.`}
      </p>
      {suits.map((suit) => (
        <div class="suit" key={suit}>
          {ranks.map((rank) => {
            const card = rank + suit;
            if (!view.deals.includes(card)) return <span key={card} class="gone" aria-hidden="true" />;
            const item = summary?.byLabel.get(card);
            const name = `${rank} of ${suitName(suit)}`;
            return (
              <button
                key={card}
                type="button"
                aria-pressed={chosen.includes(card)}
                aria-label={found && item ? heard({ ...item, label: name }, by, found) : name}
                onClick={() => study.choose(view, card)}
              >
                <Card card={card} />
                {found && summary && item && (
                  <span class="fill" style={fill(item, by, paints, summary.full, scale)}>
                    {cellText(item, by, found.pot_chips)}
                  </span>
                )}
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}
