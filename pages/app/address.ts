/** Where the user is: the room and what it shows are in the address of the page. */
import { Model } from "../shared/model";

/** The part of the path after the room, and the query. */
export type Address = { name: string; query: URLSearchParams };
/** What every room is given. */
export type RoomProps = { address: Address };

class Places extends Model {
  /** The first part of the path. */
  get room(): string {
    return location.pathname.split("/")[1];
  }

  get address(): Address {
    const name = decodeURIComponent(location.pathname.split("/")[2] ?? "");
    return { name, query: new URLSearchParams(location.search) };
  }
}

export const places = new Places();

/** Go to an address of this page, which takes the place of the last one in the history if `replace` is set. */
export function go(path: string, replace = false): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  places.changed();
}

/** Follow links to rooms without loading the page again, and the browser's buttons. */
export function followLinks(rooms: string[]): void {
  window.addEventListener("popstate", () => places.changed());
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a[href^='/']");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (link.hasAttribute("download") || link.getAttribute("target")) return;
    const path = link.getAttribute("href") ?? "/";
    if (!rooms.includes(path.split(/[/?]/)[1])) return;
    event.preventDefault();
    go(path);
  });
}
