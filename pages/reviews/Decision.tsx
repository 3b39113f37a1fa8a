/** A decision of a review: the cards, the line in words, what was played, what is best, and each action's numbers. */
import type { DecisionView } from "../api/types";
import { Card, Cards } from "../shared/Cards";
import { percent } from "../shared/numbers";
import { amount, lostText, rowsOf, type Unit, verdictOf } from "./decision";
import { lineName } from "./Filters";
import { type Part, partsOf, sentenceOf } from "./line";

type Props = { decision: DecisionView; unit: Unit };

const cut = (cards: string): string[] => cards.match(/../g) ?? [];

export function Decision({ decision, unit }: Props) {
  const { cards, board, street, player, hand, pot_chips: pot, counted } = decision;
  const query = new URLSearchParams({ line: decision.line, hand: cards });
  const parts = partsOf(decision.line, street);
  const lost = lostText(decision.loss_chips, unit);
  return (
    <li class={counted ? "decision" : "decision small"}>
      <div class="head">
        <span class="lost" title={counted ? undefined : "The solution itself may be wrong by more there."}>
          {lost}
        </span>
        {!counted && lost !== "no loss" && <span class="soft">too small to count</span>}
        <Tiles name="Hand" cards={cards} />
        {board && <Tiles name="Board" cards={board} />}
      </div>
      <div class="told">
        <p>
          <strong>{player}</strong> on the {street} <span class="soft">hand {hand}</span>
        </p>
        <p class="line">
          {parts.map((part, i) => (
            <Street key={i} part={part} player={player} />
          ))}
          {pot > 0 && (
            <span class="soft">
              The pot is {amount(pot, unit)} {unit}.
            </span>
          )}
        </p>
        <p class="verdict">{verdictOf(decision)}</p>
        {decision.solution && (
          <a class="node" href={`/study/${encodeURIComponent(decision.solution)}?${query}`}>
            Open in Study<span class="unseen"> {`hand ${hand}, ${street}`}</span>
          </a>
        )}
      </div>
      <Actions decision={decision} unit={unit} />
    </li>
  );
}

/** Cards as tiles. */
function Tiles({ name, cards }: { name: string; cards: string }) {
  return (
    <span class="tiles">
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
        <span key={i}>{/^([2-9TJQKA][cdhs])+$/.test(word) ? <Cards text={word} /> : `${word} `}</span>
      ))}
    </>
  );
}

/** How often each action is taken, and what it is worth. */
function Actions({ decision, unit }: Props) {
  return (
    <table class="actions">
      <caption class="unseen">
        {`Actions with ${decision.cards}: how often the solution takes them, and their EV in ${unit}`}
      </caption>
      <thead>
        <tr>
          <th scope="col">Action</th>
          <th scope="col">How often</th>
          <th scope="col">
            <span class="unseen">Bar</span>
          </th>
          <th scope="col">EV, {unit}</th>
        </tr>
      </thead>
      <tbody>
        {rowsOf(decision).map((row) => (
          <tr key={row.action} class={row.best ? "best" : ""}>
            <th scope="row">
              {row.action}
              {row.best && <span class="mark best">best</span>}
              {row.played && <span class={`mark played ${row.best ? "right" : ""}`}>played</span>}
            </th>
            <td>{percent(row.frequency)}</td>
            <td class="bar">
              <span style={{ width: `${(100 * row.frequency).toFixed(1)}%`, background: row.colour }} />
            </td>
            <td>{row.ev === null ? "–" : amount(row.ev, unit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
