/** The form: a spot in three parts, how near it is solved, and how large that is. */
import type { ComponentChildren } from "preact";
import { LinesField, SelectField } from "../shared/fields";
import { Accuracy } from "./Accuracy";
import { BetsTable } from "./BetsTable";
import { Setting } from "./fields";
import { Keep } from "./Keep";
import type { SolveForm } from "./model";
import { longName } from "./names";
import { RangePainter } from "./RangePainter";
import { Situation } from "./Situation";
import { Strip } from "./Strip";
import { Tools } from "./Tools";

type Props = { form: SolveForm };

export function FormPage({ form, solve }: Props & { solve: () => void }) {
  if (!form.ready) {
    return (
      <>
        <h1>Solve</h1>
        <p class="soft" aria-busy="true">
          Reading the games …
        </p>
      </>
    );
  }
  return (
    <>
      <Tools form={form} />
      <Subject form={form} />
      <Strip form={form} solve={solve} />
    </>
  );
}

/** A part of the form, with its number where there are several. */
function FormPart({ number, title, children }: { number?: number; title: string; children: ComponentChildren }) {
  const id = `part-${title.toLowerCase().replaceAll(" ", "-")}`;
  return (
    <section class="panel part" aria-labelledby={id}>
      <h2 id={id}>
        {number && <span class="number">{number}</span>} {title}
      </h2>
      {children}
    </section>
  );
}

function Subject({ form }: Props) {
  const { draft } = form;
  const accuracy = (number: number) => (
    <FormPart number={number} title="Accuracy">
      <Accuracy form={form} />
    </FormPart>
  );
  if (draft.mode === "game") {
    return (
      <>
        <FormPart number={1} title="Game">
          <Game form={form} />
        </FormPart>
        {accuracy(2)}
      </>
    );
  }
  if (draft.mode === "text" || !draft.form) {
    return (
      <>
        <FormPart number={1} title="Spot as text">
          <label for="text" class="unseen">
            Text of the spot
          </label>
          <LinesField
            id="text"
            value={draft.text}
            put={(typed) => form.put(draft, "text", typed)}
            rows={22}
            problem={form.problemOf("text")}
          />
        </FormPart>
        {accuracy(2)}
      </>
    );
  }
  const spot = draft.form;
  return (
    <>
      <FormPart number={1} title="Situation">
        <Situation form={form} spot={spot} />
      </FormPart>
      <FormPart number={2} title="Ranges">
        <div class="ranges">
          {form.ranges.map((range, index) => (
            <RangePainter
              key={index}
              id={`range-${index}`}
              label={longName(spot, index)}
              range={range}
              library={form.library.ranges}
              take={(found) => form.takeRange(index, found)}
              kept={
                <Keep
                  id={`keep-range-${index}`}
                  what="range"
                  own={form.own("ranges")}
                  keep={(name) => form.keepRange(name, index)}
                  remove={(name) => form.removeKept("ranges", name)}
                />
              }
              wrong={form.problemOf(`range-${index}`)}
            />
          ))}
        </div>
      </FormPart>
      <FormPart number={3} title="Bets">
        <BetsTable form={form} spot={spot} />
      </FormPart>
      {accuracy(4)}
    </>
  );
}

function Game({ form }: Props) {
  const { draft, games } = form;
  const noLimit = games.find((one) => one.name === draft.game)?.limit === false;
  return (
    <div class="row">
      <SelectField
        id="game"
        label="Game"
        value={draft.game}
        options={games.map((one) => [one.name, one.title])}
        put={(value) => form.put(draft, "game", value)}
      />
      {noLimit && <Setting form={form} id="menu" hint="100%, a" />}
    </div>
  );
}
