/** The tab Lock: the strategy of some hands is given, and the rest is solved again. */
import { api } from "../api/client";
import { useAnswer } from "../shared/answers";
import { CopyButton } from "../shared/CopyButton";
import { LockEditor } from "./LockEditor";
import { changed, joined, type Locks, locksOf, type Plays, told, tomlOf } from "./locks";
import type { PanelProps } from "./Tabs";

export function Lock({ study, view }: PanelProps) {
  const { name, lock } = study.state;
  const locks = locksOf(lock);
  const { found } = useAnswer(study.answers, "spot", () => api("GET solutions/{name}/spot", { path: { name } }));
  const before = found?.settings.locks ?? "";
  const change = (line: string, hands: string, plays: Plays | null) => {
    const next = changed(locks, line, hands, plays);
    study.set({ lock: Object.keys(next).length ? JSON.stringify(next) : "" });
  };
  return (
    <>
      <h2>Lock</h2>
      {view.player === null ? (
        <p>No player acts here; go to a decision to lock it.</p>
      ) : (
        <LockEditor study={study} view={view} locks={locks} change={change} />
      )}
      <h3>Locks</h3>
      {Object.keys(locks).length ? (
        <Given name={name} locks={locks} text={joined(before, tomlOf(locks))} change={change} />
      ) : (
        <p class="soft">Nothing is locked yet.</p>
      )}
      {before && (
        <>
          <p class="soft">The solution was made with locks; they stay, except on lines that are locked here.</p>
          <pre>{before}</pre>
        </>
      )}
    </>
  );
}

type GivenProps = {
  name: string;
  locks: Locks;
  /** All locks as a file, those of the solution among them. */
  text: string;
  change: (line: string, hands: string, plays: Plays | null) => void;
};

/** The locks that are given, and where they lead. */
function Given({ name, locks, text, change }: GivenProps) {
  const all = Object.entries(locks).flatMap(([line, hands]) =>
    Object.entries(hands).map(([one, plays]) => ({ line, one, plays })),
  );
  return (
    <>
      <ul class="locks">
        {all.map(({ line, one, plays }) => {
          const whose = one === "*" ? "all other hands" : one;
          return (
            <li key={`${line} ${one}`}>
              {line ? (
                <>
                  After <b>{line}</b>
                </>
              ) : (
                "At the start"
              )}
              , {whose}: {told(plays)}{" "}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove the lock of ${whose} ${line ? `after ${line}` : "at the start"}`}
                onClick={() => change(line, one, null)}
              >
                Remove
              </button>
            </li>
          );
        })}
      </ul>
      <p class="row">
        <a class="button main" href={`/solve?${new URLSearchParams({ from: name, lock: text })}`}>
          Solve again with {all.length > 1 ? "these locks" : "this lock"}
        </a>{" "}
        <CopyButton text={text} label="Copy as a file for errai solve --lock" />
      </p>
    </>
  );
}
