/** The first part of a spot: the board, the players, and the chips. */
import { Cards } from "../shared/Cards";
import { BoardPicker } from "./BoardPicker";
import { cardsOf, isPreflop } from "./board";
import { Field, Flag } from "./fields";
import type { SolveForm } from "./model";
import type { Form } from "./spot";

const STREET_OF_CARDS = ["before the flop", "", "", "flop", "turn", "river"];
const POSITIONS = ["UTG", "LJ", "HJ", "CO", "BTN", "SB", "BB"];

type Props = { form: SolveForm; spot: Form };

export function Situation({ form, spot }: Props) {
  return (
    <div class="situation">
      <Board form={form} spot={spot} />
      <Chips form={form} spot={spot} />
    </div>
  );
}

function Board({ form, spot }: Props) {
  const cards = cardsOf(spot.board);
  const put = (text: string) => form.put(spot, "board", text);
  return (
    <div>
      <div class="row typed">
        <Field form={form} id="board" of={spot} at="board" hint="none" />
        <span class="street">
          <Cards text={(cards ?? []).join("")} />{" "}
          <span class="soft">{(cards && STREET_OF_CARDS[cards.length]) || "a board has 3, 4 or 5 cards, or none"}</span>
        </span>
        <button type="button" class="quiet" disabled={!spot.board} onClick={() => put("")}>
          Clear
        </button>
      </div>
      <BoardPicker board={cards ?? []} put={(board) => put(board.join(" "))} />
    </div>
  );
}

function Chips({ form, spot }: Props) {
  const preflop = isPreflop(spot.board);
  const { blinds, positions, rake, stacks } = spot;
  const number = { form, mode: "decimal" } as const;
  return (
    <div class="fields two">
      {[0, 1].map((player) => (
        <>
          <Field
            key={`name-${player}`}
            form={form}
            id={`positions-${player}`}
            of={positions}
            at={player}
            hint="such as BB"
            list="positions"
          />
          <Field key={`stack-${player}`} {...number} id={`stacks-${player}`} of={stacks} at={player} />
        </>
      ))}
      <datalist id="positions">
        {POSITIONS.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {preflop ? (
        <Field {...number} id="blinds-0" of={blinds} at={0} />
      ) : (
        <Field {...number} id="pot" of={spot} at="pot" />
      )}
      <Field {...number} id="blinds-1" of={blinds} at={1} hint={preflop ? "" : "optional"} />
      <Field {...number} id="rake-percent" of={rake} at="percent" hint="none" />
      <Field {...number} id="rake-cap" of={rake} at="cap" hint="no cap" />
      <Field form={form} id="title" of={spot} at="title" hint="optional" width="whole" />
      <p class="soft whole">{preflop ? "Stacks count the blinds." : "Stacks are what is behind, besides the pot."}</p>
      {preflop && <Flag form={form} label="No rake of hands that end before the flop" of={rake} at="no_drop" />}
    </div>
  );
}
