/** What was typed before, so that it can be taken back. */

const MOST = 100;
/** Changes of one field follow each other as one step, if no more time than this passes between them. */
const TOGETHER_MS = 1500;

export class History {
  #past: string[] = [];
  #future: string[] = [];
  #now = "";
  #last: unknown[] = [];
  #at = 0;

  /** Begin with a state. */
  begin(now: string): void {
    this.#past = [];
    this.#future = [];
    this.#now = now;
  }

  /** Keep a new state; `what` names the field that was changed, and is empty for a change that is a step of its own. */
  put(now: string, ...what: unknown[]): void {
    if (now === this.#now) return;
    const same = what.length > 0 && what.length === this.#last.length && what.every((one, i) => one === this.#last[i]);
    const together = same && Date.now() - this.#at < TOGETHER_MS;
    if (!together) this.#past = [...this.#past.slice(1 - MOST), this.#now];
    this.#future = [];
    this.#now = now;
    this.#last = what;
    this.#at = Date.now();
  }

  get canGoBack(): boolean {
    return this.#past.length > 0;
  }

  get canGoForward(): boolean {
    return this.#future.length > 0;
  }

  /** The state before, which is the present one then; null if there is none. */
  back(): string | null {
    return this.#move(this.#past, this.#future);
  }

  /** The state that was taken back last; null if there is none. */
  forward(): string | null {
    return this.#move(this.#future, this.#past);
  }

  #move(from: string[], to: string[]): string | null {
    const found = from.pop();
    if (found === undefined) return null;
    to.push(this.#now);
    this.#now = found;
    this.#last = [];
    return found;
  }
}
