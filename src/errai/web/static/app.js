/**
 * The page around the rooms: it shows the room that the address names, follows links without loading the page again,
 * and knows the keys of the room.
 *
 * A room is a module in rooms/ with a function `mount(root, context)`, which fills the element `root` and returns
 * `{ title, moved?, keys?, leave? }`: the title; a function that is called with the new address when only the part
 * after the name of the room has changed (without it the room is mounted again); a list of keys as keys.js has them;
 * and a function that is called when the user goes to another room.
 *
 * @typedef {{ name: string, query: URLSearchParams }} Address  the part of the path after the room, and the query
 * @typedef {{ address: Address, go: (path: string, replace?: boolean) => void }} Context
 * @typedef {{ title: string, moved?: (address: Address) => void, keys?: import("./keys.js").Key[],
 *             leave?: () => void }} Room
 */
import { listen } from "./api.js";
import { say, showProblem } from "./dom.js";
import { listenToKeys, showKeys } from "./keys.js";

const ROOMS = ["play", "solve", "study", "matches"];
const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** @type {Room | null} */
let room = null;
let shown = "";
let turn = 0;

/** Go to an address of this page.
 *  @param {string} path  @param {boolean} [replace]  whether the address replaces the last one in the history */
export function go(path, replace = false) {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  show();
}

/** Show the room that the address names. */
async function show() {
  const [, place, name = ""] = location.pathname.split("/");
  const wanted = ROOMS.includes(place) ? place : "play";
  const address = { name: decodeURIComponent(name), query: new URLSearchParams(location.search) };
  if (room?.moved && shown === wanted) {
    room.moved(address);
    document.title = `${room.title} - Errai`;
    return;
  }
  const mine = ++turn;
  room?.leave?.();
  room = null;
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.getAttribute("href") === `/${wanted}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const root = document.createElement("div");
  root.className = `room ${wanted}`;
  try {
    const module = await import(`./rooms/${wanted}.js`);
    if (mine !== turn) return;
    main.replaceChildren(root);
    const mounted = await module.mount(root, { address, go });
    if (mine !== turn) return void mounted.leave?.();
    const moved = shown !== "" && shown !== wanted;
    room = mounted;
    shown = wanted;
    document.title = `${mounted.title} - Errai`;
    if (moved) main.focus();
  } catch (error) {
    main.replaceChildren(root);
    showProblem(root, error);
  }
}

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest?.("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.hasAttribute("download") || link.getAttribute("target")) return;
  const path = link.getAttribute("href") ?? "/";
  if (!ROOMS.includes(path.split(/[/?]/)[1])) return;
  event.preventDefault();
  go(path);
});
listen("server", (problem) => {
  const place = /** @type {HTMLElement} */ (document.getElementById("server"));
  place.hidden = !problem;
  place.textContent = problem;
  if (!problem) say("The server answers again.");
});
window.addEventListener("popstate", show);
document.getElementById("keys")?.addEventListener("click", () => showKeys(room?.keys ?? []));
listenToKeys(() => room?.keys ?? []);
window.addEventListener("unhandledrejection", (event) => say(String(event.reason?.message ?? event.reason)));
show();
