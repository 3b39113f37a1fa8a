/** A page for the tests of components, and answers in the place of a server. */
import { type ComponentChild, render } from "preact";
import { act } from "preact/test-utils";
import { vi } from "vitest";

const roots: HTMLElement[] = [];

/** Take away all that is shown, and every answer. */
export function cleared(): void {
  for (const root of roots.splice(0)) {
    render(null, root);
    root.remove();
  }
  vi.unstubAllGlobals();
}

/** Show something, and return the element that it stands in; `show` shows another state of it there. */
export function shown(view: ComponentChild): HTMLElement & { show: (next: ComponentChild) => void } {
  const root = document.createElement("div");
  document.body.append(root);
  roots.push(root);
  const show = (next: ComponentChild) => void act(() => render(next, root));
  show(view);
  return Object.assign(root, { show });
}

/** Click on an element, and wait until what follows is drawn. */
export const click = (element: Element | null | undefined): Promise<void> =>
  act(() => (element as HTMLElement).click());

/** Type into a field, or choose in a select. */
export function type(field: Element | null, text: string): Promise<void> {
  return act(() => {
    (field as HTMLInputElement).value = text;
    const kind = field instanceof HTMLSelectElement ? "change" : "input";
    field?.dispatchEvent(new Event(kind, { bubbles: true }));
  });
}

/** Press a key on an element. */
export const press = (element: Element | null | undefined, key: string): Promise<void> =>
  act(() => void element?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })));

/** Wait until requests are answered and what follows is drawn. */
export const settled = (): Promise<void> => act(() => new Promise<void>((done) => setTimeout(done)));

/** The button with a name. */
export const button = (root: Element, name: string): HTMLButtonElement | undefined =>
  [...root.querySelectorAll("button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent?.trim()) === name,
  );

/** The stream of events that the page has opened, in the place of the browser's. */
class Stream extends EventTarget {
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static last: Stream;
  readyState = Stream.OPEN;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    super();
    Stream.last = this;
  }
}
globalThis.EventSource = Stream as unknown as typeof EventSource;

/** Tell the page of an event. */
export const tell = (kind: string, data: unknown): Promise<void> =>
  act(() => void Stream.last.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) })));

/** Break the stream of events, or open it again. */
export function connected(open: boolean): void {
  Stream.last.readyState = open ? Stream.OPEN : Stream.CLOSED;
  if (open) Stream.last.onopen?.();
  else Stream.last.onerror?.();
}

export type Request = { method: string; url: string; body: unknown };

type Answer = { status?: number; body?: unknown };

/** Answer requests as a server would; what was asked is kept. */
export function serving(answer: (request: Request) => Answer | Promise<Answer>): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", async (url: string, { method = "GET", body }: RequestInit = {}) => {
    const request = { method, url, body: typeof body === "string" ? JSON.parse(body) : body };
    asked.push(request);
    const { status = 200, body: found = {} } = await answer(request);
    return new Response(status === 204 ? null : JSON.stringify(found), { status });
  });
  return asked;
}
