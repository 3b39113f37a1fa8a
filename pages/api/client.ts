/** Requests to the API.  Which there are, what they take and what they answer is in types.ts. */
import type { Problem as ProblemView, Routes } from "./types";

type Route = keyof Routes;
export type Answer<R extends Route> = Routes[R]["answer"];

type Given<R extends Route, K extends string> = Routes[R] extends Record<K, infer T> ? T : undefined;
/** What a request must be given: nothing, or something that may be empty, can be left out. */
type Part<K extends string, T> = [T] extends [undefined]
  ? { [key in K]?: undefined }
  : Record<never, never> extends T
    ? { [key in K]?: T }
    : { [key in K]: T };
type Options<R extends Route> = Part<"path", Given<R, "path">> &
  Part<"query", Given<R, "query">> &
  Part<"body", Given<R, "body">> & { signal?: AbortSignal };

type Places = Record<string, unknown>;
type Asked = { path?: Places; query?: Places; body?: unknown; signal?: AbortSignal };

/** What the server says is wrong, or that it says nothing. */
export class Problem extends Error {
  readonly status: number;
  readonly type: string;
  readonly field: string;
  /** What is wrong, for whoever sees the field. */
  readonly text: string;

  constructor(status: number, error: Pick<ProblemView, "type" | "message"> & Partial<ProblemView>) {
    super(error.message);
    this.status = status;
    this.type = error.type;
    this.field = error.field ?? "";
    this.text = error.text ?? error.message;
  }
}

/** The sentence of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

let asked = 0;

/** Whether no answer is awaited. */
export const quiet = (): boolean => asked === 0;

/** The address of something below the API; values that are null or undefined are left out. */
export function addressOf(path: string, query: Places = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return `/api/v1/${path}${text && "?"}${text}`;
}

/** A path with its places filled: "jobs/{name}" becomes "jobs/turn-k3x9". */
const filled = (path: string, places: Places = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(places[key])));

/**
 * Ask the API; a body is sent as JSON, or as it is if it is a file.
 *
 * api("GET jobs/{name}", { path: { name: "turn-k3x9p2vd" } })
 */
export async function api<R extends Route>(
  route: R,
  ...[options]: Record<never, never> extends Options<R> ? [Options<R>?] : [Options<R>]
): Promise<Answer<R>> {
  const { path, query, body, signal } = (options ?? {}) as Asked;
  const [method, place] = route.split(" ");
  const raw = body instanceof Blob;
  let answer: Response;
  let found: { error?: ProblemView } | null;
  asked++;
  try {
    answer = await fetch(addressOf(filled(place, path), query), {
      method,
      signal,
      headers: body === undefined || raw ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
    });
    // What is wrong may be said without JSON; an answer that is not JSON was cut short.
    found = answer.status === 204 ? null : await answer.json().catch(answer.ok ? undefined : () => null);
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw new Problem(0, { type: "NoServer", message: "The server does not answer. Start errai serve again." });
  } finally {
    asked--;
  }
  if (!answer.ok) {
    const message = `The server answered ${answer.status}.`;
    throw new Problem(answer.status, found?.error ?? { type: "HTTPError", message });
  }
  return found as Answer<R>;
}
