/** The third part of a spot: the sizes of bets as one table, and menus that fill it. */
import type { TargetedEvent } from "preact";
import { Field, Flag } from "./fields";
import type { SolveForm } from "./model";
import { longName } from "./names";
import { menuWords, sizesText } from "./sizes";
import { type Form, streetsLeft, THRESHOLDS } from "./spot";

type Props = { form: SolveForm; spot: Form };

export function BetsTable({ form, spot }: Props) {
  const streets = streetsLeft(spot.board);
  // A donk bet needs a street before it.
  const donks = streets.filter((street) => street !== "preflop").length > 1;
  const widths = [donks ? 3 : 2, 2];
  const { preflop } = spot.bets;
  return (
    <>
      <Menus form={form} spot={spot} />
      <div class="wide">
        <table class="bets">
          <caption class="unseen">Sizes of bets</caption>
          <thead>
            <tr>
              <td />
              {widths.map((width, player) => (
                <th key={player} scope="colgroup" colSpan={width}>
                  {longName(spot, player)}
                </th>
              ))}
              <td />
            </tr>
            <tr>
              <th scope="col">Street</th>
              {["Bet", "Raise", ...(donks ? ["Donk bet"] : []), "Bet", "Raise", "Cap"].map((name, i) => (
                <th key={i} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {streets.map((street, at) => (
              <StreetRow key={street} form={form} spot={spot} street={street} donk={donks ? at > 0 : null} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">
        <code>33</code> or <code>33%</code> is a share of the pot, <code>2.5x</code> a multiple of the bet,{" "}
        <code>100c</code> chips, <code>3bb</code> big blinds, <code>e</code> geometric (the same share on each street
        left), <code>a</code> all-in, <code>min</code> the smallest bet. A donk bet goes into the player who bet or
        raised last on the street before; <code>none</code> forbids it. The cap is the most bets and raises on a street.
      </p>
      {streets[0] === "preflop" && (
        <>
          <Flag form={form} label="The small blind may limp" of={preflop} at="limp" />
          <Flag form={form} label="A raise may be called with chips behind" of={preflop} at="flat" />
        </>
      )}
      <details>
        <summary>Thresholds for all-in and for sizes that are nearly the same</summary>
        <div class="fields">
          {THRESHOLDS.map((name) => (
            <Field key={name} form={form} id={name} of={spot.thresholds} at={name} hint="0" mode="decimal" />
          ))}
        </div>
      </details>
    </>
  );
}

/** Menus from few sizes to many, and the sizes of the first street for all. */
function Menus({ form, spot }: Props) {
  const streets = streetsLeft(spot.board).filter((street) => street !== "preflop");
  const choose = (event: TargetedEvent<HTMLSelectElement>) => {
    const menu = form.library.menus[Number(event.currentTarget.value)];
    event.currentTarget.value = "";
    if (menu) form.takeMenu(menu);
  };
  const copy = () => {
    for (const other of streets.slice(1)) spot.bets[other] = structuredClone(spot.bets[streets[0]]);
    form.edited();
  };
  return (
    <div class="row">
      <label class="unseen" for="menus">
        Sizes for all streets
      </label>
      <select id="menus" value="" onChange={choose}>
        <option value="">Sizes for all streets …</option>
        {form.library.menus.map((menu, i) => (
          <option key={menu.bet + menu.raise} value={String(i)}>
            {menuWords(menu)}
          </option>
        ))}
      </select>
      {streets.length > 1 && (
        <button type="button" onClick={copy}>
          Copy the {streets[0]} to the later streets
        </button>
      )}
    </div>
  );
}

type RowProps = Props & {
  street: string;
  /** Whether there is a donk bet on the street; null if the table has no column for it. */
  donk: boolean | null;
};

function StreetRow({ form, spot, street, donk }: RowProps) {
  const bets = spot.bets[street];
  const cells: [id: string, kind: "bet" | "raise" | "donk" | "", player: number][] = [
    [street === "preflop" ? "" : `${street}-0-bet`, "bet", 0],
    [`${street}-0-raise`, "raise", 0],
    ...(donk === null ? [] : [[donk ? `${street}-0-donk` : "", "donk", 0] as [string, "donk", number]]),
    [street === "preflop" ? "" : `${street}-1-bet`, "bet", 1],
    [`${street}-1-raise`, "raise", 1],
  ];
  const cap = `${street}-cap`;
  const wrong = [...cells.map(([id]) => id), cap].find((id) => id && form.problemOf(id));
  return (
    <>
      <tr>
        <th scope="row">{street[0].toUpperCase() + street.slice(1)}</th>
        {cells.map(([id, kind, player], i) => (
          <td key={i} class={id ? "" : "none"}>
            {kind && id && <Sizes form={form} id={id} of={bets.players[player]} at={kind} wrong={id === wrong} />}
          </td>
        ))}
        <td>
          <Sizes form={form} id={cap} of={bets} at="cap" wrong={cap === wrong} />
        </td>
      </tr>
      {wrong && (
        <tr>
          <td colSpan={cells.length + 2} class="text">
            <p id={`${wrong}-said`} class="problem">
              {form.problemOf(wrong)}
            </p>
          </td>
        </tr>
      )}
    </>
  );
}

const HINTS: Record<string, string> = { donk: "as bet", cap: "no cap" };

type SizesProps<T> = { form: SolveForm; id: string; of: T; at: keyof T & string; wrong: boolean };

/** The sizes of a cell, which are written in full when the field is left. */
function Sizes<T extends object>({ form, id, of, at, wrong }: SizesProps<T>) {
  const put = (text: string) => form.put(of, at, text as T[keyof T & string]);
  const typed = String(of[at]);
  const settle = () => {
    const text = at === "cap" ? typed : sizesText(typed);
    if (text !== typed) put(text);
  };
  return (
    <label>
      {/* On a narrow screen the headings of the columns are not there. */}
      <span class="name">{form.nameOf(id)}</span>
      <input
        id={id}
        value={typed}
        placeholder={HINTS[at] ?? "none"}
        inputMode={at === "cap" ? "numeric" : "text"}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={wrong}
        aria-describedby={wrong ? `${id}-said` : undefined}
        onInput={(event) => put(event.currentTarget.value)}
        onBlur={settle}
      />
    </label>
  );
}
