/** What can be done at a table: buttons, and the field for any other bet. */
import type { RaiseModel, TableModel } from "../api/types";
import { ActionButton } from "../shared/ActionButton";
import { Check } from "../shared/fields";
import { chips, digits } from "../shared/numbers";
import type { Play } from "./model";
import { actionOf, isAllIn, sizedLabel, waited } from "./words";

const LONG_SECONDS = 3;

type Props = { play: Play; table: TableModel };

export function Actions({ play, table }: Props) {
  const { id, state } = table;
  const off = play.side(id).asked !== null;
  if (state === "turn") return <Choices play={play} table={table} />;
  if (state === "over" || state === "new") {
    return (
      <div class="choices">
        <button type="button" class="main" disabled={off} onClick={() => play.deal(id)}>
          Deal the next hand <kbd>Enter</kbd>
        </button>
        <Check label="Deal by itself" value={play.auto} put={(on) => play.dealAlone(on)} />
      </div>
    );
  }
  if (state === "failed") {
    return (
      <div class="choices">
        <button type="button" class="main" disabled={off} onClick={() => play.again(id)}>
          Let it try again
        </button>
      </div>
    );
  }
  const short = state === "thinking" && waited(table) < LONG_SECONDS;
  return (
    <div class="choices">
      <p class="soft">
        {!short && "You can leave the table and come back: the hand goes on when the agent has acted."}
      </p>
    </div>
  );
}

function Choices({ play, table }: Props) {
  const off = play.side(table.id).asked !== null;
  return (
    <>
      <div class="choices">
        {table.choices.map((one) => (
          <ActionButton
            key={one.action}
            label={sizedLabel(one)}
            more={one.pot_percent === null || isAllIn(one) ? "" : `${digits(one.pot_percent)} % of pot`}
            colour={one.colour}
            keyed={one.keys.length > 1 ? one.action : one.keys[0]}
            off={off}
            run={() => play.act(table.id, one.action)}
          />
        ))}
      </div>
      {table.raises && <OtherSize play={play} table={table} raises={table.raises} off={off} />}
    </>
  );
}

/** The field for a bet of any size. */
function OtherSize({ play, table: { id }, raises, off }: Props & { raises: RaiseModel; off: boolean }) {
  const { typed } = play.side(id);
  const from = chips(raises.least_chips);
  const range = raises.most_chips === null ? `${from} or more` : `from ${from} up to ${chips(raises.most_chips)}`;
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        play.act(id, actionOf(typed));
      }}
    >
      <label for={`typed-${id}`}>Other size</label>{" "}
      <input
        id={`typed-${id}`}
        class="typed"
        autocomplete="off"
        maxLength={40}
        placeholder={`${chips(raises.least_chips)} or 50%`}
        value={typed}
        disabled={off}
        onInput={(event) => play.type(id, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <button disabled={off || !typed.trim()}>{raises.verb.startsWith("raise") ? "Raise" : "Bet"}</button>
      <span class="soft">{range}</span>
    </form>
  );
}
