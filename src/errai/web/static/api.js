/** Requests to the API, and its stream of events. */

export class Problem extends Error {
  /** @param {number} status  @param {{ type: string, message: string, field?: string, text?: string }} error */
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.type = error.type;
    this.field = error.field ?? "";
    /** What is wrong, for whoever sees the field. */
    this.text = error.text ?? error.message;
  }
}

let asked = 0;

/** Whether no answer is awaited. */
export const quiet = () => asked === 0;

/**
 * Ask the API; a body is sent as JSON, or as it is if it is a file.
 * @param {string} path  for example "jobs/turn-k3x9p2vd"
 * @param {{ method?: string, body?: any, signal?: AbortSignal }} [options]
 */
export async function api(path, { method, body, signal } = {}) {
  const raw = body instanceof Blob;
  let answer, found;
  asked++;
  try {
    answer = await fetch(`/api/v1/${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      signal,
      headers: body === undefined || raw ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
    });
    found = answer.status === 204 ? null : await answer.json().catch(() => null);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { type: "NoServer", message: "The server does not answer. Start errai serve again." });
  } finally {
    asked--;
  }
  if (!answer.ok) {
    throw new Problem(
      answer.status,
      found?.error ?? { type: "HTTPError", message: `The server answered ${answer.status}.` },
    );
  }
  return found;
}

/** @type {EventSource | null} */
let stream = null;
let wrong = "";
const listeners = new Map();
const AGAIN_MS = 1500;

const tell = (kind, data) => {
  for (const one of listeners.get(kind) ?? []) one(data);
};

/** Tell the rooms what is wrong, once. */
function report(problem) {
  if (problem === wrong) return;
  wrong = problem;
  tell("server", problem);
}

const hear = (kind) => stream?.addEventListener(kind, (event) => tell(kind, JSON.parse(event.data)));

function connect() {
  const mine = new EventSource("/api/v1/events");
  stream = mine;
  for (const kind of listeners.keys()) if (kind !== "server") hear(kind);
  mine.onopen = () => report("");
  mine.onerror = () =>
    setTimeout(async () => {
      if (mine !== stream || mine.readyState === EventSource.OPEN) return;
      // The stream does not say what is wrong with it; another request does.
      report(
        await api("games").then(
          () => "The server sends no news: too many of its pages are open. Close one.",
          (error) => error.message,
        ),
      );
      // Browsers do not open a stream again that was refused.
      if (mine === stream && mine.readyState === EventSource.CLOSED) setTimeout(connect, AGAIN_MS);
    }, AGAIN_MS);
}

/**
 * Listen to events of a kind ("job", "table", "match"); the page has one stream for all of them, which is opened again
 * when it breaks.  Every new connection begins with the present state of everything, so nothing is missed.  Listeners
 * to "server" hear what is wrong when there is no connection, in a sentence, and an empty text when there is one again.
 * @param {string} kind  @param {(data: any) => void} listener  @returns {() => void} ends listening
 */
export function listen(kind, listener) {
  if (!listeners.has(kind)) {
    listeners.set(kind, new Set());
    if (kind !== "server") hear(kind);
  }
  if (!stream && kind !== "server") connect();
  listeners.get(kind).add(listener);
  return () => listeners.get(kind).delete(listener);
}
