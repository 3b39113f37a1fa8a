/** What can be chosen about the grid: what the hands show, whose they are, the unit of EVs, and which hands. */
import type { NodeView } from "../api/types";
import { wordsOf } from "./filters";
import { MODES } from "./hands";
import type { Study } from "./model";
import { shortName } from "./texts";
import { type Unit, unitsOf } from "./units";

export function Modes({ study, view }: { study: Study; view: NodeView }) {
  const { by, unit, only } = study.state;
  const filters = wordsOf(only).length;
  return (
    <div class="modes">
      <div class="choice" role="group" aria-label="What the hands show">
        {MODES.map(([one, key, title]) => (
          <button
            key={one}
            type="button"
            aria-pressed={by === one}
            title={`Key ${key}`}
            onClick={() => study.set({ by: one })}
          >
            {title}
          </button>
        ))}
      </div>
      <div class="choice" role="group" aria-label="Whose hands">
        {view.player_names.map((name, i) => (
          <button
            key={name}
            type="button"
            aria-pressed={study.player === i}
            title={`${name}; key o for the other player`}
            onClick={() => study.set({ player: i })}
          >
            {shortName(name)}
          </button>
        ))}
      </div>
      <select
        aria-label="EV in"
        value={unit}
        onChange={(event) => study.set({ unit: event.currentTarget.value as Unit })}
      >
        {unitsOf(view).map(([one, title]) => (
          <option key={one} value={one} selected={one === unit}>
            EV in {title}
          </option>
        ))}
      </select>
      {filters > 0 && (
        <button type="button" class="filtered" onClick={() => study.set({ only: "" })}>
          {filters === 1 ? "1 filter" : `${filters} filters`} <span aria-hidden="true">✕</span>
          <span class="unseen">, remove the filter</span>
        </button>
      )}
    </div>
  );
}
