/** The fields of a spot: board, chips and bets; those of its ranges stand in between. */
import type { ComponentChildren } from "preact";
import { Cards } from "../shared/Cards";
import { BoardPicker } from "./BoardPicker";
import { cardsOf, isPreflop } from "./board";
import { Field, Flag } from "./fields";
import type { SolveForm } from "./model";
import { type Form, PLAYERS, type Street, streetsLeft, THRESHOLDS } from "./spot";

const STREET_OF_CARDS = ["before the flop", "", "", "flop", "turn", "river"];
const LABELS: Record<string, string> = {
  add_all_in: "Add all-in below (pots)",
  force_all_in: "Force all-in below (pots left)",
  merging: "Merge sizes closer than (pots)",
};

type Props = { form: SolveForm; spot: Form };

export function SpotFields({ form, spot, children }: Props & { children: ComponentChildren }) {
  return (
    <>
      <Field form={form} id="title" label="Title" of={spot} at="title" hint="optional" width="long" />
      <div class="top">
        <Board form={form} spot={spot} />
        <Chips form={form} spot={spot} />
      </div>
      <div class="ranges">{children}</div>
      <Bets form={form} spot={spot} />
    </>
  );
}

function Board({ form, spot }: Props) {
  const cards = cardsOf(spot.board);
  const put = (text: string) => form.put(spot, "board", text);
  return (
    <fieldset>
      <legend>Board</legend>
      <div class="row">
        <Field form={form} id="board" label="Cards" of={spot} at="board" hint="none: before the flop" />
        <span>
          <Cards text={(cards ?? []).join("")} />{" "}
          <span class="soft">{(cards && STREET_OF_CARDS[cards.length]) || "a board has 3, 4 or 5 cards, or none"}</span>
        </span>
        <button type="button" onClick={() => put("")}>
          Clear
        </button>
      </div>
      <BoardPicker board={cards ?? []} put={(board) => put(board.join(" "))} />
    </fieldset>
  );
}

function Chips({ form, spot }: Props) {
  const preflop = isPreflop(spot.board);
  const stack = preflop ? "with the blind" : "behind";
  const { blinds, stacks, rake } = spot;
  const common = { form, mode: "decimal" } as const;
  return (
    <fieldset>
      <legend>Chips</legend>
      <div class="fields">
        {preflop ? (
          <Field {...common} id="blinds-0" label="Small blind" of={blinds} at={0} />
        ) : (
          <Field {...common} id="pot" label="Pot" of={spot} at="pot" />
        )}
        <Field {...common} id="blinds-1" label="Big blind" of={blinds} at={1} hint={preflop ? "" : "optional"} />
        {PLAYERS.map((player, i) => (
          <Field
            key={player}
            {...common}
            id={`stacks-${i}`}
            label={`Stack of ${player}, ${stack}`}
            of={stacks}
            at={i}
          />
        ))}
        <Field {...common} id="rake-percent" label="Rake, %" of={rake} at="percent" hint="none" />
        <Field {...common} id="rake-cap" label="Rake at most, chips" of={rake} at="cap" hint="no cap" />
      </div>
      {preflop && <Flag form={form} label="No rake of hands that end before the flop" of={rake} at="no_drop" />}
    </fieldset>
  );
}

function Bets({ form, spot }: Props) {
  const streets = streetsLeft(spot.board);
  const copy = () => {
    for (const other of streets.slice(1)) spot.bets[other] = structuredClone(spot.bets[streets[0]]);
    form.edited();
  };
  return (
    <fieldset class="bets">
      <legend>Bets</legend>
      <p class="soft">
        Sizes with commas between them: 33% of the pot, 2.5x the bet, 100c chips, 3bb, e (equal shares over the
        streets), a (all-in), min. A donk bet is one into the player who bet or raised last on the street before; “none”
        forbids it.
      </p>
      {streets.map((street, at) => (
        <StreetFields
          key={street}
          form={form}
          bets={spot.bets[street]}
          street={street}
          first={at === 0}
          copy={at === 0 && street !== "river" && street !== "preflop" ? copy : null}
        />
      ))}
      <details>
        <summary>Thresholds for all-in and for sizes that are nearly the same</summary>
        <div class="fields">
          {THRESHOLDS.map((name) => (
            <Field
              key={name}
              form={form}
              id={name}
              label={LABELS[name]}
              of={spot.thresholds}
              at={name}
              hint="0"
              mode="decimal"
            />
          ))}
        </div>
      </details>
    </fieldset>
  );
}

type StreetProps = {
  form: SolveForm;
  bets: Street;
  street: string;
  /** Whether it is the first street of the spot. */
  first: boolean;
  /** Copies the bets to the later streets. */
  copy: (() => void) | null;
};

/** The bets of a street. */
function StreetFields({ form, bets, street, first, copy }: StreetProps) {
  const preflop = street === "preflop";
  const menu = (index: number, at: "bet" | "raise" | "donk", label: string, hint = "none") => (
    <Field form={form} id={`${street}-${index}-${at}`} label={label} of={bets.players[index]} at={at} hint={hint} />
  );
  return (
    <fieldset>
      <legend>{street[0].toUpperCase() + street.slice(1)}</legend>
      {PLAYERS.map((player, index) => (
        <div key={player} class="fields">
          {!preflop && menu(index, "bet", `${player}: bet`)}
          {menu(index, "raise", `${player}: raise`)}
          {index === 0 && !first && menu(0, "donk", "oop: donk bet", "as bet")}
        </div>
      ))}
      <div class="fields">
        <Field
          form={form}
          id={`${street}-cap`}
          label="Most bets and raises"
          of={bets}
          at="cap"
          hint="no cap"
          mode="numeric"
        />
        {copy && (
          <div class="field">
            <button type="button" onClick={copy}>
              Copy to the later streets
            </button>
          </div>
        )}
      </div>
      {preflop && (
        <>
          <Flag form={form} label="The small blind may limp" of={bets} at="limp" />
          <Flag form={form} label="A raise may be called with chips behind" of={bets} at="flat" />
        </>
      )}
    </fieldset>
  );
}
