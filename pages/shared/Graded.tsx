/** The actions of a decision as a table with bars: how often the solution takes each, its EV, and what it loses. */
import type { ComponentChildren, Ref } from "preact";
import { paint } from "./colours";
import { tenths } from "./numbers";
import "./graded.css";

export type GradedAction = {
  action: string;
  frequency: number;
  colour: string;
  /** Null where it is not known. */
  ev: string | null;
  /** The share of the pot that it loses against the best action, where that is to be said of each. */
  loses?: string | null;
};

type Props = {
  caption: ComponentChildren;
  actions: GradedAction[];
  /** The action that was taken, and what that is called. */
  chosen: string;
  called: string;
  best: string;
  /** What the best one is called. */
  bestCalled?: string;
  /** The unit of EVs. */
  unit: string;
  style?: string;
  table?: Ref<HTMLTableElement>;
};

export function Graded({
  caption,
  actions,
  chosen,
  called,
  best,
  bestCalled = "best",
  unit,
  style = "",
  table,
}: Props) {
  const known = actions.some((one) => one.ev !== null);
  const all = known && actions.some((one) => one.loses);
  return (
    <table class={`graded ${style}`} ref={table}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Action</th>
          <td />
          <th scope="col">Solution</th>
          {known && <th scope="col">EV, {unit}</th>}
          {all && <th scope="col">Pot lost</th>}
        </tr>
      </thead>
      <tbody>
        {[...actions].reverse().map((one) => {
          const [mine, right] = [one.action === chosen, one.action === best];
          return (
            <tr
              key={one.action}
              class={`${mine ? "chosen" : ""} ${right ? "best" : ""}`}
              aria-current={mine ? "true" : undefined}
            >
              <th scope="row">
                {one.action}
                {mine && <small>{called}</small>}
                {right && known && <small class="best">{bestCalled}</small>}
              </th>
              <td class="bar">
                {one.frequency > 0 && (
                  <span style={{ width: `${(100 * one.frequency).toFixed(1)}%`, background: paint(one.colour) }} />
                )}
              </td>
              <td>{tenths(one.frequency)} %</td>
              {known && <td>{one.ev ?? "–"}</td>}
              {all && <td>{one.loses ?? "–"}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
