/** Answers of the API that do not change while they are looked at, kept by what was asked. */
import { useEffect, useRef } from "preact/hooks";
import { messageOf } from "../api/client";
import { Model } from "./model";

export type Found<T> = { found: T | null; problem: string; busy: boolean };
const NONE = { found: null, problem: "", busy: false };
const MOST = 30;

export class Answers extends Model {
  #held = new Map<string, Found<unknown>>();

  /** What is known of an answer. */
  get<T>(key: string): Found<T> {
    return (this.#held.get(key) ?? NONE) as Found<T>;
  }

  /** Ask for something, unless that has been done. */
  ask<T>(key: string, ask: () => Promise<T>): void {
    if (this.#held.has(key)) return;
    const settle = (found: Found<T>) => {
      if (!this.#held.has(key)) return;
      this.#held.set(key, found);
      this.changed();
    };
    if (this.#held.size >= MOST) this.#held.delete(this.#held.keys().next().value as string);
    this.#held.set(key, { ...NONE, busy: true });
    this.changed();
    ask().then(
      (found) => settle({ found, problem: "", busy: false }),
      (error) => settle({ found: null, problem: messageOf(error), busy: false }),
    );
  }

  /** Forget all of them. */
  clear(): void {
    this.#held.clear();
    this.changed();
  }
}

/** An answer that a component needs; it is asked for when `key` is a new one, and not as long as it is empty. */
export function useAnswer<T>(answers: Answers, key: string, ask: () => Promise<T>): Found<T> {
  useEffect(() => {
    if (key) answers.ask(key, ask);
  }, [answers, key]);
  const found = answers.get<T>(key);
  return key && found === NONE ? { ...NONE, busy: true } : found;
}

/** What was found last, as long as nothing else has been: what is shown stays until its successor is there. */
export function useLatest<T>(found: T | null): T | null {
  const latest = useRef<T | null>(null);
  if (found !== null) latest.current = found;
  return latest.current;
}
