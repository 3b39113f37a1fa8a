/** What is solved: a game of the catalogue, a spot as text, or a spot in fields. */
import { LinesField, SelectField } from "../shared/fields";
import { isPreflop } from "./board";
import { Setting } from "./fields";
import type { SolveForm } from "./model";
import { RangePainter } from "./RangePainter";
import { SpotFields } from "./SpotFields";

const WHO = ["Out of position (oop, acts first)", "In position (ip)"];
const WHO_PREFLOP = ["Big blind (oop after the flop)", "Small blind (ip after the flop, acts first)"];

export function Subject({ form }: { form: SolveForm }) {
  const { draft } = form;
  if (draft.mode === "game") return <Game form={form} />;
  if (draft.mode === "text" || !draft.form) {
    return (
      <fieldset>
        <legend>Spot as text</legend>
        <label for="text" class="unseen">
          Spot as text
        </label>
        <LinesField
          id="text"
          value={draft.text}
          put={(typed) => form.put(draft, "text", typed)}
          rows={22}
          problem={form.problemOf("text")}
        />
      </fieldset>
    );
  }
  const who = isPreflop(draft.form.board) ? WHO_PREFLOP : WHO;
  return (
    <SpotFields form={form} spot={draft.form}>
      {form.ranges.map((range, index) => (
        <RangePainter
          key={index}
          id={`range-${index}`}
          label={who[index]}
          range={range}
          wrong={form.problemOf(`range-${index}`)}
        />
      ))}
    </SpotFields>
  );
}

function Game({ form }: { form: SolveForm }) {
  const { draft, games } = form;
  const noLimit = games.find((one) => one.name === draft.game)?.limit === false;
  return (
    <fieldset>
      <legend>Game</legend>
      <div class="fields">
        <SelectField
          id="game"
          label="Game of the catalogue"
          value={draft.game}
          options={games.map((one) => [one.name, one.title])}
          put={(value) => form.put(draft, "game", value)}
        />
        {noLimit && <Setting form={form} id="menu" label="Bet sizes" hint="100%, a" />}
      </div>
    </fieldset>
  );
}
