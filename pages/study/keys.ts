/** The keys of a solution. */
import type { NodeView } from "../api/types";
import type { Key } from "../app/keys";
import { MODES } from "./hands";
import { after, otherCard } from "./lines";
import type { Study } from "./model";

/** The keys; `body` is the element in which the solution is drawn. */
export function keysOf(study: Study, body: () => HTMLElement | null): Key[] {
  /** Go to a line that depends on the node, once the node is shown. */
  const later = (line: (view: NodeView, key: string) => string | null) => (event: KeyboardEvent) =>
    study.later(() => {
      const to = study.view && line(study.view, event.key);
      if (to !== null) study.to(to);
    });
  const act = (view: NodeView, key: string) => {
    // The largest bet stands first, as on the cards.
    const one = view.actions.at(-Number(key));
    return one ? after(view.line, one.step) : null;
  };
  return [
    { keys: [..."123456789"], what: "take the first, second, ... action", run: later(act) },
    { keys: ["Backspace"], what: "go back one step", run: later((view) => view.columns.at(-1)?.line ?? null) },
    {
      keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
      what: "go to the grid of hands, and move in it",
      run: () => body()?.querySelector<HTMLElement>(".hands [tabindex='0']")?.focus(),
    },
    ...MODES.map(([by, key, title]) => ({
      keys: [key],
      what: `show ${by === "ev" || by === "eqr" ? title : title.toLowerCase()}`,
      run: () => study.set({ by }),
    })),
    { keys: ["o"], what: "show the other player's hands", run: () => study.set({ player: 1 - study.player }) },
    { keys: ["b"], what: "bookmark this place, or write to its note", run: () => study.bookmark() },
    { keys: ["n"], what: "next card", run: later((view) => otherCard(view, 1)) },
    { keys: ["p"], what: "previous card", run: later((view) => otherCard(view, -1)) },
    {
      keys: ["/"],
      what: "type a line in the words of errai show",
      run: () => study.view && study.type({ line: study.view.line, error: "" }),
    },
  ];
}
