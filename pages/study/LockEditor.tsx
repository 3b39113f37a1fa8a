/** The form for the lock of some hands at a node. */
import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { NodeView } from "../api/types";
import { paint } from "../shared/colours";
import { Check } from "../shared/fields";
import { readNumber } from "../shared/numbers";
import { classOf, handItem, type Item, type Summary } from "./hands";
import { anyCard } from "./lines";
import { frequenciesOf, handsText, type Locks, type Plays } from "./locks";
import type { PanelProps } from "./Tabs";
import { named } from "./texts";

type Props = PanelProps & { locks: Locks; change: (line: string, hands: string, plays: Plays) => void };

/** What is locked now: all hands, a hand, or a class. */
function itemOf(view: NodeView, summary: Summary, hand: string): Item {
  if (!hand) return summary.all;
  const i = view.hands.indexOf(hand);
  if (i >= 0 && !summary.byLabel.has(hand)) return handItem(view, summary, i);
  return summary.byLabel.get(hand) ?? summary.byLabel.get(classOf(hand)) ?? summary.all;
}

const inPercent = (share: number): string => String(Number((100 * share).toFixed(2)));

export function LockEditor({ study, view, locks, change }: Props) {
  const [wide, setWide] = useState(false);
  const { hand } = study.state;
  const summary = study.summaries(view).find((one) => one.player === view.player) as Summary;
  const hands = handsText(view, summary, hand);
  const dealt = view.columns.some((one) => one.kind === "card");
  const line = wide && dealt ? anyCard(view.line) : view.line;
  const item = itemOf(view, summary, hand);
  const now = locks[line]?.[hands];
  const labels = view.actions.map((one) => one.label);
  const given = labels.map((label, a) => inPercent(now && now !== "best" ? (now[label] ?? 0) : (item.shares[a] ?? 0)));
  if (!hands) return <p>The player cannot hold {hand} here. Choose another hand in the grid.</p>;
  return (
    <Fields
      key={`${line} ${hands} ${JSON.stringify(now)}`}
      view={view}
      hands={hands}
      line={line}
      given={given}
      locked={now !== undefined}
      put={(plays) => change(line, hands, plays)}
      every={() => study.set({ hand: "" })}
      wide={dealt ? { value: wide, put: setWide } : null}
    />
  );
}

type FieldsProps = {
  view: NodeView;
  hands: string;
  line: string;
  /** Per cents of the actions. */
  given: string[];
  locked: boolean;
  put: (plays: Plays) => void;
  /** Go on to every hand. */
  every: () => void;
  wide: { value: boolean; put: (wide: boolean) => void } | null;
};

function Fields({ view, hands, line, given, locked, put, every, wide }: FieldsProps) {
  const [typed, setTyped] = useState(given);
  const [problem, setProblem] = useState("");
  const labels = view.actions.map((one) => one.label);
  const type = (text: string, a: number) => setTyped(typed.map((one, b) => (a === b ? text : one)));
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const read = typed.map((text) => readNumber(text || "0"));
    const shares = read.map(({ text }) => Number(text));
    const found = read.find((one) => one.problem)?.problem ?? frequenciesOf(shares, labels);
    setProblem(typeof found === "string" ? found : "");
    if (typeof found !== "string") put(found);
  };
  return (
    <form class="panel lock" onSubmit={submit}>
      <p>
        How {view.player_name} plays <b>{hands === "*" ? "every hand" : hands}</b>{" "}
        {line ? (
          <>
            after <b>{line}</b>
          </>
        ) : (
          "at the start"
        )}
        , in per cent:{" "}
        {hands !== "*" && (
          <button type="button" class="quiet" onClick={every}>
            Every hand
          </button>
        )}
      </p>
      <div class="row">
        {labels
          .map((label, a) => (
            <label key={label} style={{ "--colour": paint(view.actions[a].colour) }}>
              {named(view.actions[a])}
              <br />
              <input
                name={`share${a}`}
                inputMode="decimal"
                autocomplete="off"
                required
                value={typed[a]}
                onInput={(event) => type(event.currentTarget.value, a)}
              />
              <button
                type="button"
                class="quiet"
                aria-label={`Always ${named(view.actions[a])}`}
                onClick={() => setTyped(labels.map((_, b) => (a === b ? "100" : "0")))}
              >
                all
              </button>
            </label>
          ))
          .reverse()}
      </div>
      {wide && (
        <p>
          <Check label="on whatever card comes" value={wide.value} put={wide.put} />
        </p>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
      <p class="row">
        <button>{locked ? "Change the lock" : "Lock"}</button>
        <button type="button" onClick={() => put("best")}>
          A best response
        </button>
        <span class="soft">Choose a class in the grid, or a hand in the combos, to lock it alone.</span>
      </p>
    </form>
  );
}
