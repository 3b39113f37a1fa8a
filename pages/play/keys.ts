/** The keys of the tables. */
import type { Key } from "../app/keys";
import type { Play } from "./model";

export function keysOf(play: Play): Key[] {
  const choice = (key: string) => play.current()?.choices.find((one) => one.keys.includes(key));
  const press = (key: string) => {
    const found = choice(key);
    if (found) play.act(play.focus, found.action);
  };
  const field = () => {
    const found = document.getElementById(`typed-${play.focus}`) as HTMLInputElement | null;
    found?.focus();
    found?.select();
  };
  const before = () => (play.side(play.focus).wanted ?? (play.current()?.hands ?? 0) + 1) - 1;
  const keys: Key[] = [
    { keys: ["f"], what: "fold", run: () => press("f") },
    { keys: ["k", "c"], what: "check, call", run: () => press("k") },
    {
      keys: ["r"],
      what: "bet or raise; without a limit, type how much",
      run: () => (choice("r") ? press("r") : field()),
    },
    {
      keys: [..."123456789"],
      what: "bet or raise by the size that has this number",
      run: (event) => press(event.key),
    },
    { keys: ["a"], what: "all-in", run: () => press("a") },
    { keys: ["/"], what: "type an amount such as 300, 50%, 3bb or pot, or an action such as k", run: field },
    { keys: ["Enter"], what: "deal the next hand", run: () => play.deal(play.focus) },
    {
      keys: ["h"],
      what: "hint",
      run: () => {
        if (play.current()?.state === "turn") play.hint(play.focus);
      },
    },
    {
      keys: ["v"],
      what: "the hand before this one; again for earlier hands",
      run: () => play.earlier(play.focus, before()),
    },
    {
      keys: ["]", "["],
      what: "the next table that waits for you, the one before",
      run: (event) => play.next(event.key === "]" ? 1 : -1),
    },
  ];
  return keys.map((key) => ({ ...key, when: () => play.focus !== "" }));
}
