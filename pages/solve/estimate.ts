/** How large a solve is, and what is wrong with what was asked for; both are said while it is typed. */
import { api, messageOf, Problem } from "../api/client";
import type { EstimateRequest, EstimateView } from "../api/types";
import type { Draft } from "./draft";
import { shortName } from "./names";
import { ambiguousIn, faultOf, fieldOf, PLAYERS, type Wrong } from "./spot";

const WAIT_MS = 300;

export class Estimate {
  size: EstimateView | null = null;
  wrong: Wrong | null = null;
  counting = false;
  #timer = 0;
  #asking: AbortController | null = null;

  constructor(readonly changed: () => void) {}

  /** Ask soon how large a draft is; what was asked before does not matter any more. */
  soon(draft: Draft, request: EstimateRequest, numbers: string[]): void {
    this.stop();
    this.counting = true;
    this.#timer = window.setTimeout(() => this.#count(draft, request, numbers), WAIT_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  async #count(draft: Draft, body: EstimateRequest, numbers: string[]): Promise<void> {
    const { settings, mode, form } = draft;
    const typed = numbers.map((key) => [key, settings[key] ?? ""]);
    this.wrong = ambiguousIn(Object.fromEntries(typed)) ?? (mode === "form" && form ? faultOf(form) : null);
    this.#asking = new AbortController();
    try {
      const { signal } = this.#asking;
      this.size = this.wrong ? null : await api("POST estimate", { body, signal });
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") return;
      this.size = null;
      this.refuse(draft, error);
    }
    this.counting = false;
    this.changed();
  }

  /** Say what an error is about, at the field that it belongs to. */
  refuse({ mode, form }: Draft, error: unknown): void {
    this.wrong = { field: "", message: messageOf(error) };
    if (!(error instanceof Problem)) return;
    const { field, message, text } = error;
    const [part, ...rest] = field.split(".");
    if (part === "settings") this.wrong = { field: rest[0], message: rest[0] === "locks" ? message : text };
    else if (mode === "form" && form) {
      // The server has the names of a file.
      const named = text.replace(/\b(oop|ip)\b/g, (key) => shortName(form, PLAYERS.indexOf(key)));
      this.wrong = { field: part === "spot" ? fieldOf(rest, form) : "", message: named };
    } else this.wrong = { field: mode === "text" ? "text" : "", message };
  }
}
