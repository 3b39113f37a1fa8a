/** The keys of a round. */
import type { Key } from "../app/keys";
import type { Round } from "./model";

const SIZES = ["bet", "raise"];

/** The actions that a letter means, as at the tables of Play. */
const MEANT: Record<string, (action: string, allIn: boolean) => boolean> = {
  f: (action) => action === "fold",
  k: (action) => action === "check" || action === "call",
  r: (action) => SIZES.includes(action.split(" ")[0]),
  a: (_, allIn) => allIn,
};

export function keysOf(round: Round): Key[] {
  const asked = () => round.question !== null;
  const meant = (letter: string) =>
    (round.question?.actions ?? []).filter((one) => MEANT[letter](one.action, one.all_in));
  const take = (letter: string) => {
    const found = meant(letter);
    if (found.length === 1) round.answer(found[0].action);
    else if (found.length) focusOn(round, found[0].action);
  };
  return [
    {
      keys: [..."123456789"],
      what: "the action with this number",
      run: (event) => {
        const action = round.question?.actions[Number(event.key) - 1]?.action;
        if (action) round.answer(action);
      },
      when: asked,
    },
    { keys: ["f"], what: "fold", run: () => take("f"), when: asked },
    { keys: ["k", "c"], what: "check, call", run: () => take("k"), when: asked },
    { keys: ["r", "b"], what: "bet or raise; go to the first of several sizes", run: () => take("r"), when: asked },
    { keys: ["a"], what: "all-in", run: () => take("a"), when: asked },
    {
      keys: ["Enter", " "],
      what: "the next question",
      run: () => void round.next(),
      when: () => round.answered !== null,
    },
    {
      keys: ["s"],
      what: "open the decision in Study, once it is answered",
      run: () => document.getElementById("in-study")?.click(),
      when: () => round.answered !== null,
    },
  ];
}

/** Give the focus to the button of an action. */
function focusOn(round: Round, action: string): void {
  const at = round.question?.actions.findIndex((one) => one.action === action) ?? -1;
  document.querySelectorAll<HTMLElement>(".choices button")[at]?.focus();
}
