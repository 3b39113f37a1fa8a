/** Keys: each room has a list of them, `?` shows the list, and nothing listens while the user types in a field. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Model, useModel } from "../shared/model";

export type Key = {
  /** Values of KeyboardEvent.key, with "Ctrl+" before them where that key is held (on a Mac, the command key). */
  keys: string[];
  /** Whether it is heard in fields, too. */
  inFields?: boolean;
  /** What the key does. */
  what: string;
  run: (event: KeyboardEvent) => void;
  when?: () => boolean;
};

class Keys extends Model {
  all: Key[] = [];
  open = false;

  show(open: boolean): void {
    this.open = open;
    this.changed();
  }
}

const keys = new Keys();

/** Show the list of keys. */
export const showKeys = (): void => keys.show(true);

/** The keys of the room that is shown. */
export function useKeys(all: Key[]): void {
  useLayoutEffect(() => {
    keys.all = all;
  });
  useEffect(
    () => () => {
      keys.all = [];
    },
    [],
  );
}

/** Whether an element takes the keys itself. */
const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select") !== null;

/** Run the key of the room that was pressed. */
function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  const inField = takesKeys(event.target);
  const name = event.ctrlKey || event.metaKey ? `Ctrl+${event.key}` : event.key;
  if (name === "?" && !inField) return keys.show(true);
  // Enter and space belong to the button or link that has the focus.
  const pressable = event.target instanceof Element && event.target.closest("button, a, summary");
  if (pressable && (name === "Enter" || name === " ")) return;
  const heard = (key: Key) => key.keys.includes(name) && (!inField || key.inFields) && (key.when?.() ?? true);
  const found = keys.all.find(heard);
  if (!found) return;
  event.preventDefault();
  found.run(event);
}

const NAMES: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space" };

/** What stands on a key: a capital letter after "Ctrl+" is one with the shift key. */
const keyName = (key: string): string =>
  NAMES[key] ?? key.replace(/^Ctrl\+([A-Z])$/, "Ctrl+Shift+$1").replace(/\+[a-z]$/, (end) => end.toUpperCase());

/** The list of keys, and what listens to them. */
export function KeysDialog() {
  const { all, open } = useModel(keys);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  return (
    <dialog id="dialog" aria-labelledby="dialog-title" ref={dialog} onClose={() => keys.show(false)}>
      {open && (
        <>
          <h2 id="dialog-title">Keys</h2>
          <table class="keys">
            <caption class="unseen">Keys of this room</caption>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col" class="text">
                  What it does
                </th>
              </tr>
            </thead>
            <tbody>
              {[...all, { keys: ["?"], what: "show this list" }].map((key) => (
                <tr key={key.what}>
                  <td>
                    {key.keys.map((one) => (
                      <>
                        <kbd>{keyName(one)}</kbd>{" "}
                      </>
                    ))}
                  </td>
                  <td class="text">{key.what}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <form method="dialog">
            <button>Close</button>
          </form>
        </>
      )}
    </dialog>
  );
}
