/** The nodes of a solution: fetched once, kept, and fetched ahead of time while nothing else is asked. */
import { api, quiet } from "../api/client";
import type { NodeView } from "../api/types";
import { after } from "./lines";

const MOST = 300;
// Not every browser says when it is idle.
const whenIdle: (run: () => void) => void = window.requestIdleCallback ?? ((run) => setTimeout(run, 50));

export class Nodes {
  #known = new Map<string, Promise<NodeView>>();

  /** Fetch a node, or take one that was fetched; those that were asked for last are kept. */
  get(name: string, line: string, whole: boolean): Promise<NodeView> {
    const key = `${whole} ${line}`;
    const asked = this.#known.get(key) ?? api("GET solutions/{name}/node", { path: { name }, query: { line, whole } });
    this.#known.delete(key);
    if (this.#known.size >= MOST) this.#known.delete(this.#known.keys().next().value ?? "");
    this.#known.set(key, asked);
    asked.catch(() => this.#known.delete(key));
    return asked;
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Wait until nothing else is asked or drawn, or `over` says that it is no longer of use. */
const idle = (over: () => boolean): Promise<void> =>
  new Promise((done) => {
    const look = () => (quiet() || over() ? done() : setTimeout(again, 200));
    const again = () => whenIdle(look);
    again();
  });

/** Fetch what follows each action, one after the other.  The server may have to read much for a node of a solution that
 *  it does not hold as a whole, so there nothing is fetched ahead. */
export async function lookAhead(
  { line, actions, certificate }: NodeView,
  fetch: (line: string) => Promise<unknown>,
  over: () => boolean,
): Promise<void> {
  if (certificate.checked === "part") return;
  for (const { step } of actions) {
    await idle(over);
    if (over()) return;
    await fetch(after(line, step)).catch(() => {});
  }
}
