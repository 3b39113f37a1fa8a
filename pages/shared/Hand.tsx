/** A hand as it lies on the table, and what was done in it. */
import type { HandModel, SeatModel } from "../api/types";
import { inWords, suitSign } from "./Cards";
import { chips } from "./numbers";
import "./hand.css";

/** A card as it lies on the table; an empty text is one face down. */
function Face({ card }: { card: string }) {
  if (!card) {
    return (
      <span class="face down">
        <span class="unseen">a card face down</span>
      </span>
    );
  }
  return (
    <span class={`face ${card[1]}`}>
      <span aria-hidden="true">
        <b>{card[0] === "T" ? "10" : card[0]}</b>
        <i>{suitSign(card[1])}</i>
      </span>
      <span class="unseen">{inWords(card)}</span>
    </span>
  );
}

/** A player: the cards, and beside them who it is, with how much behind, and the dealer button. */
function Seat({ seat, own }: { seat: SeatModel; own: boolean }) {
  return (
    <div class={`seat ${own ? "own" : ""} ${seat.acts ? "acts" : ""}`}>
      <div class="faces">
        {seat.cards.map((card, i) => (
          <Face key={i} card={card} />
        ))}
      </div>
      <div class="plate">
        <strong>{seat.name}</strong>
        {seat.stack_chips !== null && (
          <div class="stack">
            {chips(seat.stack_chips)} <span class="unseen">behind</span>
          </div>
        )}
        {seat.note && <div class="made">{seat.note}</div>}
      </div>
      {seat.dealer && (
        <span class="dealer" title="dealer">
          D<span class="unseen">, dealer</span>
        </span>
      )}
    </div>
  );
}

/** What a player has in on this street, as it lies before the seat; the place is kept where it is nothing. */
function Bet({ seat }: { seat: SeatModel }) {
  return (
    <div class="bet">
      {seat.bet_chips !== 0 && (
        <span title="in on this street">
          <i aria-hidden="true" />
          {chips(seat.bet_chips)}
          <span class="unseen"> in on this street</span>
        </span>
      )}
    </div>
  );
}

type Laid = Pick<HandModel, "seats" | "board" | "board_places" | "pot_chips">;

/** The cards, the pot and the players of a hand: the opponent, and the user. */
export function Hand({ hand }: { hand: Laid }) {
  const [other, own] = hand.seats;
  return (
    <div class="felt">
      <div class="laid">
        <Seat seat={other} own={false} />
        <Bet seat={other} />
        <div class="middle">
          {hand.board_places > 0 && (
            <div class="faces board">
              {Array.from({ length: hand.board_places }, (_, i) =>
                i < hand.board.length ? <Face key={i} card={hand.board[i]} /> : <span key={i} class="face blank" />,
              )}
            </div>
          )}
          <div class="pot">
            pot <b>{chips(hand.pot_chips)}</b>
          </div>
        </div>
        <Bet seat={own} />
        <Seat seat={own} own={true} />
      </div>
    </div>
  );
}

/** What was done, street by street. */
export function Streets({ hand }: { hand: Pick<HandModel, "streets"> }) {
  return (
    <dl class="streets">
      {hand.streets.map((one) => (
        <div key={one.street}>
          <dt>{one.street}</dt>
          <dd>{one.said.length ? one.said.join("; ") : <span class="soft">nothing yet</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
