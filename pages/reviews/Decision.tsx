/** A decision of a review: the cards, the line in words, what was played, what is best, and each action's numbers. */
import type { DecisionView } from "../api/types";
import { Card, Cards } from "../shared/Cards";
import { Graded } from "../shared/Graded";
import { digits } from "../shared/numbers";
import { amount, gradedOf, lostText, spaced, type Unit, verdictOf } from "./decision";
import { lineName, type Part, partsOf, sentenceOf } from "./line";

type Props = { decision: DecisionView; unit: Unit };

const cut = (cards: string): string[] => cards.match(/../g) ?? [];

export function Decision({ decision, unit }: Props) {
  const { cards, board, street, player, hand, pot_chips: pot, counted, loss_chips: loss } = decision;
  const query = new URLSearchParams({ line: decision.line, hand: cards });
  const parts = partsOf(decision.line, street);
  const lost = lostText(loss, unit);
  const share = pot > 0 && lost !== "no loss" ? `${digits((100 * loss) / pot)} % of the pot` : "";
  return (
    <li class={counted ? "decision panel" : "decision panel small"}>
      <div class="head">
        <span class="lost">{lost}</span>
        <span class="soft">
          {share}
          {!counted && share && ": too small to count, since the solution may be wrong by more there"}
        </span>
        <span class="soft which">
          {player}, {street}, hand {hand}
        </span>
      </div>
      <div class="cards">
        <Tiles name="Hand" cards={cards} />
        {board && <Tiles name="Board" cards={board} />}
      </div>
      <div class="told">
        <p class="verdict">{verdictOf(decision)}</p>
        <p class="line">
          {parts.map((part, i) => (
            <Street key={i} part={part} player={player} />
          ))}
          {pot > 0 && (
            <span class="part soft">
              The pot is {amount(pot, unit)} {unit}.
            </span>
          )}
        </p>
      </div>
      <Graded
        caption={<span class="unseen">{`Actions with ${cards}`}</span>}
        actions={gradedOf(decision, unit)}
        chosen={spaced(decision.action)}
        called="played"
        best={spaced(decision.best)}
        unit={unit}
        style={counted ? "mistake" : ""}
      />
      {decision.solution && (
        <a class="node button" href={`/study/${encodeURIComponent(decision.solution)}?${query}`}>
          Open in Study<span class="unseen"> {`hand ${hand}, ${street}`}</span>
        </a>
      )}
    </li>
  );
}

/** Cards as tiles. */
function Tiles({ name, cards }: { name: string; cards: string }) {
  return (
    <span class={`tiles ${name.toLowerCase()}`}>
      <span class="unseen">{name}:</span>
      {cut(cards).map((card) => (
        <Card key={card} card={card} />
      ))}
    </span>
  );
}

/** What was done on a street. */
function Street({ part, player }: { part: Part; player: string }) {
  const text = sentenceOf(part, player);
  if (!text && !part.cards) return null;
  const name = part.street && part.street[0].toUpperCase() + part.street.slice(1);
  return (
    <span class="part">
      {name && <span class="street">{name}</span>} {part.cards && <Cards text={part.cards} />} {text}
    </span>
  );
}

/** A line as it is written, with its cards in colour. */
export function LineText({ line }: { line: string }) {
  if (!line) return <>{lineName(line)}</>;
  return (
    <>
      {line.split(" ").map((word, i) => (
        <span key={i}>{/^([2-9TJQKA][cdhs])+$/.test(word) ? <Cards text={word} /> : `${spaced(word)} `}</span>
      ))}
    </>
  );
}
