/** The deck as 13 x 4 buttons, from which a board is picked. */
import { suitName, suitSign } from "../shared/Cards";
import { moveFocus } from "../shared/gridKeys";
import { RANKS } from "./board";

const MOST = 5;

type Props = { /** The cards picked so far, in their order. */ board: string[]; put: (board: string[]) => void };

export function BoardPicker({ board, put }: Props) {
  return (
    <div
      class="deck"
      role="group"
      aria-label="Cards of the board"
      onKeyDown={(event) => moveFocus(event, event.currentTarget, RANKS.length)}
    >
      {[..."shdc"].flatMap((suit, row) =>
        [...RANKS].map((rank, column) => {
          const card = rank + suit;
          const picked = board.includes(card);
          const full = board.length >= MOST && !picked;
          return (
            <button
              key={card}
              type="button"
              class={`pick ${suit}`}
              tabIndex={row + column ? -1 : 0}
              aria-pressed={picked}
              aria-disabled={full}
              aria-label={`${rank} of ${suitName(suit)}`}
              onClick={() => !full && put(picked ? board.filter((one) => one !== card) : [...board, card])}
            >
              <span aria-hidden="true">
                {rank}
                <br />
                {suitSign(suit)}
              </span>
            </button>
          );
        }),
      )}
    </div>
  );
}
