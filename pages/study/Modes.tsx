/** What can be chosen about the grid: what the hands show, and whose they are. */
import type { NodeView } from "../api/types";
import { MODES } from "./hands";
import type { Study } from "./model";

export function Modes({ study, view }: { study: Study; view: NodeView }) {
  return (
    <div class="modes">
      <div class="choice" role="group" aria-label="What the hands show">
        {MODES.map(([by, key, title]) => (
          <button key={by} type="button" aria-pressed={study.state.by === by} onClick={() => study.set({ by })}>
            {title} <kbd aria-hidden="true">{key}</kbd>
          </button>
        ))}
      </div>
      <div class="choice" role="group" aria-label="Whose hands">
        {view.player_names.map((name, i) => (
          <button key={name} type="button" aria-pressed={study.player === i} onClick={() => study.set({ player: i })}>
            {name}
            {i !== study.player && (
              <>
                {" "}
                <kbd aria-hidden="true">o</kbd>
              </>
            )}
          </button>
        ))}
      </div>
    </div>
  );
}
