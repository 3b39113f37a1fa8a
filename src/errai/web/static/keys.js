/**
 * Keys: each room has a list of them, `?` shows the list, and nothing listens while the user types in a field.
 *
 * @typedef {{ keys: string[], what: string, run: (event: KeyboardEvent) => void, when?: () => boolean }} Key
 *   `keys` are values of KeyboardEvent.key; `what` says what the key does.
 */
import { html, render } from "./vendor/lit-html.js";

/** Whether an element takes the keys itself. @param {EventTarget | null} target */
function takesKeys(target) {
  return (
    target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select") !== null
  );
}

/** Run the key of the room that was pressed. @param {() => Key[]} current */
export function listenToKeys(current) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || takesKeys(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "?") return showKeys(current());
    // Enter and space belong to the button or link that has the focus.
    const pressable = event.target instanceof Element && event.target.closest("button, a, summary");
    if (pressable && (event.key === "Enter" || event.key === " ")) return;
    const found = current().find((key) => key.keys.includes(event.key) && (key.when?.() ?? true));
    if (!found) return;
    event.preventDefault();
    found.run(event);
  });
}

const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space" };

/** Show the keys of the room. @param {Key[]} keys */
export function showKeys(keys) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("dialog"));
  render(
    html`<h2 id="dialog-title">Keys</h2>
      <table class="keys"><caption class="unseen">Keys of this room</caption>
      <thead><tr><th scope="col">Key</th><th scope="col" class="text">What it does</th></tr></thead>
      <tbody>${keys.map(
        (key) =>
          html`<tr><td>${key.keys.map((one) => html`<kbd>${NAMES[one] ?? one}</kbd> `)}</td><td
            class="text">${key.what}</td></tr>`,
      )}<tr><td><kbd>?</kbd></td><td class="text">show this list</td></tr></tbody></table>
      <form method="dialog"><button>Close</button></form>`,
    dialog,
  );
  dialog.showModal();
}
