/** The stream of events: how jobs and tables stand, and whether there is a server. */
import { useEffect } from "preact/hooks";
import { api, messageOf } from "./client";
import type { JobView, TableModel, TableSummary } from "./types";

/** What is no longer there. */
export type Gone = { id: string; gone: true };
export interface Events {
  job: JobView | Gone;
  table: TableModel | TableSummary | Gone;
  /** What is wrong when there is no connection, in a sentence; an empty text when there is one again. */
  server: string;
}
type Kind = keyof Events;
type Listener<K extends Kind> = (data: Events[K]) => void;

const AGAIN_MS = 1500;
const listeners: { [K in Kind]: Set<Listener<K>> } = { job: new Set(), table: new Set(), server: new Set() };
let stream: EventSource | null = null;
let wrong = "";

function tell<K extends Kind>(kind: K, data: Events[K]): void {
  for (const one of listeners[kind]) one(data);
}

/** Tell the page what is wrong, once. */
function report(problem: string): void {
  if (problem === wrong) return;
  wrong = problem;
  tell("server", problem);
}

function connect(): void {
  const mine = new EventSource("/api/v1/events");
  stream = mine;
  for (const kind of ["job", "table"] as const) {
    mine.addEventListener(kind, (event) => tell(kind, JSON.parse(event.data)));
  }
  mine.onopen = () => report("");
  mine.onerror = () =>
    setTimeout(async () => {
      if (mine !== stream || mine.readyState === EventSource.OPEN) return;
      // The stream does not say what is wrong with it; another request does.
      const full = "The server sends no news: too many of its pages are open. Close one.";
      report(await api("GET games").then(() => full, messageOf));
      // Browsers do not open a stream again that was refused.
      if (mine === stream && mine.readyState === EventSource.CLOSED) setTimeout(connect, AGAIN_MS);
    }, AGAIN_MS);
}

/**
 * Listen to events of a kind; the page has one stream for all of them, which is opened again when it breaks.  Every new
 * connection begins with the present state of everything, so nothing is missed.
 * @returns ends listening
 */
export function listen<K extends Kind>(kind: K, listener: Listener<K>): () => void {
  listeners[kind].add(listener);
  if (!stream && kind !== "server") connect();
  return () => void listeners[kind].delete(listener);
}

/** Listen as long as a component is shown; the listener that it has when it is drawn first stays. */
export function useEvents<K extends Kind>(kind: K, listener: Listener<K>): void {
  useEffect(() => listen(kind, listener), [kind]);
}
