/** Requests to the API, and its stream of events. */

export class Problem extends Error {
  /** @param {number} status  @param {{ type: string, message: string, place?: string }} error */
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.type = error.type;
    this.place = error.place;
  }
}

/**
 * Ask the API; a body is sent as JSON, or as it is if it is a file.
 * @param {string} path  for example "jobs/turn-k3x9p2vd"
 * @param {{ method?: string, body?: any, signal?: AbortSignal }} [options]
 */
export async function api(path, { method, body, signal } = {}) {
  const raw = body instanceof Blob;
  let answer;
  try {
    answer = await fetch(`/api/v1/${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      signal,
      headers: body === undefined || raw ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { type: "NoServer", message: "The server does not answer. Start errai serve again." });
  }
  if (answer.status === 204) return null;
  const found = await answer.json().catch(() => null);
  if (!answer.ok) {
    throw new Problem(answer.status, found?.error ?? { type: "HTTPError", message: `The server answered ${answer.status}.` });
  }
  return found;
}

/** @type {EventSource | null} */
let stream = null;
const listeners = new Map();

/**
 * Listen to events of a kind ("job", "table", "match"); the page has one stream for all of them, which the browser
 * opens again by itself.  Every new connection begins with the present state of everything, so nothing is missed.
 * @param {string} kind  @param {(data: any) => void} listener  @returns {() => void} ends listening
 */
export function listen(kind, listener) {
  stream ??= new EventSource("/api/v1/events");
  if (!listeners.has(kind)) {
    listeners.set(kind, new Set());
    stream.addEventListener(kind, (event) => {
      for (const one of listeners.get(kind)) one(JSON.parse(event.data));
    });
  }
  listeners.get(kind).add(listener);
  return () => listeners.get(kind).delete(listener);
}
