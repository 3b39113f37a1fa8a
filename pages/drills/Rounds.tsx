/** All rounds: their totals, and what goes on with them or removes them. */
import { useEffect, useState } from "preact/hooks";
import { api, messageOf } from "../api/client";
import type { DrillSummary } from "../api/types";
import { Part } from "../shared/Part";
import { say } from "../shared/Said";
import { lossText } from "./words";

export function Rounds() {
  const [rounds, setRounds] = useState<DrillSummary[] | null>(null);
  const [problem, setProblem] = useState("");
  const read = async () => {
    try {
      setRounds((await api("GET drills")).drills);
      setProblem("");
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  useEffect(() => {
    read();
    const back = () => document.visibilityState === "visible" && read();
    document.addEventListener("visibilitychange", back);
    return () => document.removeEventListener("visibilitychange", back);
  }, []);
  const remove = async ({ id, title }: DrillSummary) => {
    if (!window.confirm(`Delete the round ${title}? What is kept for later days stays.`)) return;
    try {
      await api("DELETE drills/{drill}", { path: { drill: id } });
      say("The round was deleted.");
    } catch (error) {
      say(messageOf(error));
    }
    await read();
  };
  return (
    <section aria-labelledby="rounds" aria-busy={!rounds && !problem}>
      <h2 id="rounds">Rounds</h2>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {!rounds && !problem && <p class="soft">Reading the rounds …</p>}
      {rounds?.length === 0 && (
        <p class="soft">No round has been started yet: choose above what to train from, and press Start.</p>
      )}
      {rounds && rounds.length > 0 && <Listed rounds={rounds} remove={remove} />}
    </section>
  );
}

type ListedProps = { rounds: DrillSummary[]; remove: (one: DrillSummary) => void };

function Listed({ rounds, remove }: ListedProps) {
  return (
    <div class="wide">
      <table class="rounds">
        <caption class="unseen">Rounds</caption>
        <thead>
          <tr>
            <th scope="col">Round</th>
            <th scope="col">Right</th>
            <th scope="col" class="more">
              Mistakes
            </th>
            <th scope="col">Mean loss</th>
            <th scope="col" class="more">
              Last answer
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rounds.map((one) => (
            <Part key={one.id} name={one.title}>
              <Row one={one} remove={() => remove(one)} />
            </Part>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ one, remove }: { one: DrillSummary; remove: () => void }) {
  const { totals, damaged } = one;
  const when = new Date(1000 * one.modified).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const share = totals?.answers ? `${Math.round((100 * totals.right) / totals.answers)} %` : "–";
  return (
    <tr>
      <th scope="row">
        {damaged ? one.title : <a href={`/drills/${one.id}`}>{one.title}</a>}
        {totals && <div class="soft">{`${totals.answers} of ${one.count}, ${one.over ? "over" : "goes on"}`}</div>}
        {damaged && <p class="problem">{damaged}</p>}
      </th>
      <td>{share}</td>
      <td class="more">{totals?.mistake ?? "–"}</td>
      <td>{lossText(totals?.loss_pot_percent ?? null)}</td>
      <td class="more">{when}</td>
      <td>
        <button type="button" class="quiet" aria-label={`Delete the round ${one.title} of ${when}`} onClick={remove}>
          Delete
        </button>
      </td>
    </tr>
  );
}
