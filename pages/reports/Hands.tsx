/** The 169 classes of hands: what they do and what they are worth in the mean over the flops. */
import { useState } from "preact/hooks";
import type { ReportsClassesView, TableView } from "../api/types";
import { Grid } from "../study/Grid";
import type { Actions } from "../study/hands";
import { heard } from "../study/texts";
import { SHOWN, type State } from "./address";
import { gridOf } from "./table";

type Props = {
  classes: ReportsClassesView;
  table: TableView;
  state: State;
  put: (changes: Partial<State>, replace?: boolean) => void;
};

export function Hands({ classes, table, state, put }: Props) {
  const [chosen, setChosen] = useState("");
  const player = state.player ?? table.player ?? 0;
  const summary = gridOf(classes, table, player);
  const view: Actions = {
    actions: table.actions.map((label, a) => ({ label, colour: table.colours[a] })),
    pot_chips: table.pot_chips,
  };
  const item = summary.byLabel.get(chosen);
  return (
    <>
      <div class="row modes">
        <div class="choice" role="group" aria-label="What the hands show">
          {SHOWN.map(([by, title]) => (
            <button key={by} type="button" aria-pressed={state.by === by} onClick={() => put({ by }, true)}>
              {title}
            </button>
          ))}
        </div>
        <div class="choice" role="group" aria-label="Whose hands">
          {table.player_names.map((name, p) => (
            <button key={name} type="button" aria-pressed={player === p} onClick={() => put({ player: p }, true)}>
              {name}
            </button>
          ))}
        </div>
      </div>
      <Grid
        view={view}
        summary={summary}
        by={state.by}
        chosen={chosen}
        title={`Hands ${table.player_names[player]}, the mean of the flops`}
        pick={setChosen}
      />
      <p class="soft" role="status">
        {item
          ? heard(item, state.by, view)
          : "Choose hands for their numbers. A bar is as high as the hands are frequent."}
      </p>
    </>
  );
}
