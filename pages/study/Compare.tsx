/** The tab Compare: the same line in another solution, beside the one that is open. */
import type { ComponentChildren } from "preact";
import { api } from "../api/client";
import type { ComparisonView } from "../api/types";
import { useAnswer } from "../shared/answers";
import { CopyButton } from "../shared/CopyButton";
import { tenths, worth } from "../shared/numbers";
import { type Column, SortedTable } from "../shared/SortedTable";
import { useSolutions } from "../shared/solutions";
import { Grid } from "./Grid";
import { labelOf, summarise } from "./hands";
import { type Pair, pair, side } from "./pairs";
import type { PanelProps } from "./Tabs";
import { named } from "./texts";
import { factorOf, multiplied } from "./units";

export function Compare({ study, view }: PanelProps) {
  const { name, with: other, whole } = study.state;
  const { solutions, problem: unread } = useSolutions();
  const { line } = view;
  const { found, problem } = useAnswer(study.answers, other && `compare ${other} ${whole} ${line}`, () =>
    api("GET solutions/{name}/compare", { path: { name }, query: { with: other, line, whole } }),
  );
  const others = (solutions ?? []).filter((one) => !one.error && one.name !== name);
  const wrong = problem || unread;
  return (
    <>
      <h2>Compare</h2>
      <p class="row">
        <label for="with">Compare with</label>
        <select id="with" value={other} onChange={(event) => study.set({ with: event.currentTarget.value })}>
          <option value="">choose a solution</option>
          {others.map((one) => (
            <option
              key={one.name}
              value={one.name}
              selected={one.name === other}
            >{`${one.title} (${one.name})`}</option>
          ))}
        </select>{" "}
        {found && <CopyButton text={found.commands[1]} />}
      </p>
      {wrong ? (
        <p class="problem" role="alert">
          {wrong}
        </p>
      ) : found ? (
        <Both study={study} view={view} found={found} />
      ) : other ? (
        <p aria-busy="true">Opening {other} …</p>
      ) : (
        solutions && !others.length && <p class="soft">There is no other solution.</p>
      )}
    </>
  );
}

function Both({ study, view, found }: PanelProps & { found: ComparisonView }) {
  const { by, hand } = study.state;
  const { player } = study;
  const pick = (label: string) => study.set({ hand: label });
  const views = [0, 1].map((k) => {
    const one = side(found, k);
    return multiplied(one, factorOf(study.state.unit, { ...view, pot_chips: one.pot_chips }));
  });
  const summaries = views.map((one) => summarise(one, player));
  const [first, second] = found.solutions;
  const all = pair(
    "all hands",
    summaries.map((one) => one.all),
  );
  const rows = summaries[0].items
    .map(({ label }) => ({ label, items: summaries.map((one) => one.byLabel.get(label)) }))
    .filter(({ items }) => items.some((item) => item && item.weight > 0))
    .map(({ label, items }) => pair(label, items));
  const chosen = labelOf(summaries[1], hand);
  const [here, there] = found.certificates.map(({ pot_percent: percent }) =>
    percent === null ? "not certified" : String(Number(percent.toPrecision(2))),
  );
  return (
    <>
      <h3>
        {found.titles[1]} ({second})
      </h3>
      <p class="soft">
        pot {worth(found.pot_chips[1], 1000)} · exploitability in per cent of the pot: {there}, here {here}
      </p>
      <Grid
        view={views[1]}
        summary={summaries[1]}
        by={by}
        chosen={chosen}
        title={`Hands of ${found.player_names[player]} in ${second}`}
        pick={pick}
      />
      <h3>Differences</h3>
      <SortedTable
        {...study.ordered("compare", { by: "play differs, %", down: true })}
        caption={`Differences from ${first} to ${second}`}
        columns={columnsOf(found, views, all, pick)}
        rows={rows}
        fixed={[all]}
        mark={(row) => row.label === chosen}
        things="hands"
      />
      <p class="soft">
        Each entry is that of {first}, then that of {second}. “Play differs” is the share of a hand's play that is
        another action.
      </p>
    </>
  );
}

/** What was, and what is in the other solution. */
function Arrow({ texts }: { texts: ComponentChildren[] }) {
  return (
    <>
      {texts[0]}{" "}
      <span class="soft">
        <span aria-hidden="true">→</span>
        <span class="unseen">in the other</span>
      </span>{" "}
      {texts[1]}
    </>
  );
}

type Views = { pot_chips: number }[];

function columnsOf(found: ComparisonView, views: Views, all: Pair, pick: (label: string) => void): Column<Pair>[] {
  const actions = all.mixes.some((mix) => mix !== null) ? found.actions : [];
  return [
    {
      name: "hand",
      text: true,
      value: (row) => row.label,
      view: (row) =>
        row === all ? (
          row.label
        ) : (
          <button type="button" class="hand" data-hand={row.label} onClick={() => pick(row.label)}>
            {row.label}
          </button>
        ),
    },
    ...actions
      .map((action, a): Column<Pair> => {
        const shown = (row: Pair) => row.mixes.map((mix, k) => (mix && action.offered[k] ? tenths(mix[a]) : "–"));
        return {
          name: named(action),
          value: ({ mixes: [one, other] }) => (one && other ? other[a] - one[a] : null),
          view: (row) => <Arrow texts={shown(row)} />,
        };
      })
      .reverse(),
    { name: "play differs, %", value: (row) => row.apart, view: (row) => tenths(row.apart) },
    {
      name: "EV",
      value: (row) => row.gain,
      view: (row) => <Arrow texts={row.evs.map((ev, k) => worth(ev, views[k].pot_chips))} />,
    },
  ];
}
