/** Which decisions of a review are listed; the address of the page says it. */
import type { Routes } from "../api/types";

/** What decisions can be chosen by, and how that is called. */
export const FILTERS = [
  ["player", "Player"],
  ["street", "Street"],
  ["class", "Hands"],
  ["line", "Line"],
] as const;
export type Filter = (typeof FILTERS)[number][0];

/** `all` lists what lost nothing that counts too. */
export type Chosen = Partial<Record<Filter, string>> & { all: boolean; page: number };

/** Decisions on a page. */
export const PAGE = 25;

/** What an address says. */
export function chosenBy(query: URLSearchParams): Chosen {
  const chosen: Chosen = { all: query.get("all") === "1", page: Math.max(0, Number(query.get("page")) || 0) };
  for (const [key] of FILTERS) {
    const value = query.get(key);
    if (value !== null) chosen[key] = value;
  }
  return chosen;
}

/** The address of a review with some of its decisions. */
export function addressOf(name: string, chosen: Chosen): string {
  const query = new URLSearchParams();
  for (const [key] of FILTERS) {
    const value = chosen[key];
    if (value !== undefined) query.set(key, value);
  }
  if (chosen.all) query.set("all", "1");
  if (chosen.page) query.set("page", String(chosen.page));
  const text = query.toString();
  return `/reviews/${encodeURIComponent(name)}${text && "?"}${text}`;
}

/** The query of the API. */
export function queryOf({ all, page, ...filters }: Chosen): Routes["GET reviews/{name}/decisions"]["query"] {
  return { ...filters, ...(all ? {} : { counted: true }), skip: page * PAGE, count: PAGE };
}
