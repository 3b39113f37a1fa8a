/**
 * State outside of components.
 *
 * A model is a plain class with fields and methods, which can be tested without a page.  Whoever changes its fields
 * calls `changed`, and the components that use it are drawn again.
 */
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

export class Model {
  #followers = new Set<() => void>();
  #version = 0;

  /** How often it has changed. */
  get version(): number {
    return this.#version;
  }

  /** Say that something has changed. */
  changed(): void {
    this.#version++;
    for (const one of this.#followers) one();
  }

  /** Be told of changes. @returns ends that */
  follow(told: () => void): () => void {
    this.#followers.add(told);
    return () => void this.#followers.delete(told);
  }
}

/** Draw the component again whenever a model changes. */
export function useModel<M extends Model>(model: M): M {
  const [, again] = useReducer((count: number, _: null) => count + 1, 0);
  const { version } = model;
  useLayoutEffect(() => {
    // What has changed between drawing and following is drawn as well.
    if (model.version !== version) again(null);
    return model.follow(() => again(null));
  }, [model]);
  return model;
}

/** A model of a room, which is made once, begins when the room is opened and ends when it is left. */
export function useBegun<M extends Model & { begin(): () => void }>(make: () => M): M {
  const [model] = useState(make);
  useEffect(() => model.begin(), [model]);
  return useModel(model);
}

/** A value that changes often, as it was at most so many milliseconds ago. */
export function useSlow<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const at = useRef(0);
  useEffect(() => {
    if (value === shown) return;
    const put = () => {
      at.current = Date.now();
      setShown(() => value);
    };
    const timer = setTimeout(put, Math.max(0, at.current + ms - Date.now()));
    return () => clearTimeout(timer);
  }, [value, shown, ms]);
  return shown;
}

/** Settled when what has changed is drawn. */
export const drawn = (): Promise<void> => new Promise((done) => setTimeout(done));
